#include "account/observe/cost.h"

#include <math.h>

#include "account/observe/riccati.h"

/* Multiplications of a step, in parts of the sizes' products: of LAPACK's and this library's. */
#define EIGENVECTORS 10.0 /* n^3: tridiagonal form, divide and conquer, back */
#define PROJECTIONS                                                                                \
    4.0               /* n r^2: one pass against Q, two products, and the turn to Ritz vectors     \
                       */
#define GAINS 3.0     /* s r^2 a round: image, gain and update of P */
#define FACTORS 7.0   /* r^3 a round more, where P is carried as a factor */
#define RESPONSES 4.0 /* s r a round and response */
#define BACKWARD 4.0  /* s m^2 a round, while all that is seen tells something new */

typedef struct size {
    double nodes, entries, seen, rounds, victims, observers, slots;
    bool factored;
} size;

static size measure(const netdp_loss_request *request, const netdp_i_observer *observer)
{
    const netdp_linear *p = request->protocol;
    const netdp_rows rows = netdp_mixing_rows(p->mixing);
    const double n = rows.nodes;
    return (size){.nodes = n,
                  .entries = (double)rows.start[rows.nodes],
                  .seen = observer->seen_count,
                  .rounds = (double)p->rounds + (observer->last_sum ? 1 : 0),
                  .victims = request->from_count > 0 ? request->from_count : n,
                  .observers = request->coalition      ? 1
                               : request->to_count > 0 ? request->to_count
                                                       : n,
                  .slots = p->every > 0 ? (double)((p->rounds - 1) / p->every + 1) : 1,
                  .factored = netdp_i_observer_scale(p, observer) < NETDP_I_FACTOR_BELOW};
}

/* The filter and the responses of one observer on `modes` coordinates. */
static double follow(const size *z, double modes)
{
    const double steps = z->rounds * z->seen;
    double work =
        steps * GAINS * modes * modes + (z->factored ? z->rounds * FACTORS * pow(modes, 3) : 0);
    if (z->slots > NETDP_I_EXPLICIT) /* one response, at most to the end */
        return work + z->victims * steps * RESPONSES * modes;
    if (z->slots > 1) /* what each age shows, once; then responses, and M along its diagonals */
        return work + steps * modes * modes +
               z->victims * (steps * modes + z->slots * z->slots * z->seen);
    work += steps * RESPONSES * modes * fmin(z->victims, modes);
    if (z->victims > modes)
        work += z->victims * modes * fmin(steps, 2 * modes);
    return work;
}

static netdp_way reduced(const size *z)
{
    const double r = fmin(z->nodes, z->rounds * z->seen);
    return (netdp_way){.method = NETDP_I_REDUCED,
                       .modes = r,
                       .work = z->rounds * z->seen * z->entries + PROJECTIONS * z->nodes * r * r +
                               EIGENVECTORS * pow(r, 3) + follow(z, r),
                       .bytes = 8 * (1.5 * z->nodes * r + 5 * r * r)};
}

static netdp_way dense(const size *z)
{
    const double n = z->nodes;
    return (netdp_way){.method = NETDP_I_DENSE,
                       .modes = n,
                       .work = n > NETDP_DENSE_NODES
                                   ? INFINITY
                                   : EIGENVECTORS * pow(n, 3) / z->observers + follow(z, n),
                       .bytes = 8 * 5 * n * n};
}

/* On the nodes that are hidden, which are fewer than all. */
static netdp_way backward(const size *z, const netdp_i_observer *observer)
{
    const double m = z->nodes - z->seen - observer->quiet_count;
    return (netdp_way){.method = NETDP_I_BACKWARD,
                       .modes = m,
                       .work = m > NETDP_DENSE_NODES
                                   ? INFINITY
                                   : z->rounds * z->seen * (BACKWARD * m * m + z->entries) +
                                         pow(m, 3) + z->entries,
                       .bytes = 8 * (2 * m * m + 2 * m * z->seen + z->seen * z->seen)};
}

bool netdp_i_cost_reduces(const netdp_plan *plan, int32_t nodes)
{
    /* A space of all directions is W's own: it is found only where eigenvectors are not. */
    const bool whole = plan->way[0].modes >= nodes && nodes <= NETDP_DENSE_NODES;
    return !whole && plan->way[0].work <= plan->way[1].work;
}

void netdp_i_cost(const netdp_loss_request *request, const netdp_i_observer *observer,
                  netdp_plan *plan)
{
    const size z = measure(request, observer);
    const bool backwards = netdp_i_riccati_serves(request->protocol, observer);
    *plan = (netdp_plan){.observers = (int64_t)z.observers,
                         .seen = observer->seen_count,
                         .rounds = (int64_t)z.rounds,
                         .steady = z.slots > NETDP_I_EXPLICIT,
                         .ways = backwards ? 3 : 2,
                         .way = {reduced(&z), dense(&z), backward(&z, observer)}};
    const netdp_way *way = &plan->way[netdp_i_cost_reduces(plan, (int32_t)z.nodes) ? 0 : 1];
    if (backwards && plan->way[2].work < way->work)
        way = &plan->way[2];
    plan->method = way->method;
}

/* A certificate's products with W, of a lane, are slower than dense ones; so are those of networks
   that change. */
#define PRODUCTS 6.0

/* It may add so many times the account, or so much of a machine's time: a second or two. */
#define OF_ACCOUNT 1.0
#define AT_LEAST 2e10

/* What one observer's gains, or one source's shifts, may take. */
#define PROOF_BYTES 1e9

/* One phase in all eigenvectors: covariances of the few that are seen, their factor, responses. */
static double phase_work(const size *z, double rounds)
{
    const double few = z->seen * rounds, kinds = 2 * rounds + 2;
    return z->seen * z->seen / 2 * kinds * kinds * z->nodes + few * few * few +
           few * z->nodes * z->victims;
}

/* Of all nodes at once: what is seen, and W_t P W_t with the responses. */
static double changing_work(const size *z)
{
    return z->rounds *
           (GAINS * z->seen * z->nodes * z->nodes + (PRODUCTS + 4) * z->nodes * z->entries +
            (z->factored ? FACTORS * pow(z->nodes, 3) : 0));
}

bool netdp_i_cost_of_proof(const netdp_loss_request *request, const netdp_i_observer *observer)
{
    const size z = measure(request, observer);
    const bool phase = request->protocol->every > 0;
    const double rounds = phase ? (double)request->protocol->every : z.rounds;
    netdp_plan plan;
    netdp_i_cost(request, observer, &plan);
    const netdp_way *way = &plan.way[netdp_i_cost_reduces(&plan, (int32_t)z.nodes) ? 0 : 1];
    const bool changes = request->protocol->varying.kind != NETDP_VARY_NEVER;
    const double modes = phase || changes ? z.nodes : way->modes;
    const double account = changes ? changing_work(&z)
                           : phase ? phase_work(&z, rounds)
                                   : fmin(way->work, plan.ways > 2 ? plan.way[2].work : INFINITY);
    double proof =
        z.victims * rounds * (PRODUCTS * (z.entries + z.nodes) + RESPONSES * z.seen * modes);
    if (phase && !changes)
        proof +=
            rounds * z.seen * GAINS * modes * modes + pow(modes, 3) + z.victims * modes * z.nodes;
    if (changes) /* each phase is another one */
        proof *= z.rounds / rounds;
    if (8 * rounds * fmax(modes * z.seen, z.nodes + (changes ? 2 * z.entries : 0)) > PROOF_BYTES)
        return false;
    return proof <= OF_ACCOUNT * account || proof * z.observers <= AT_LEAST;
}
