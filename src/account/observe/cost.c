#include "account/observe/cost.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/observe/conjugate.h"
#include "account/observe/heard.h"
#include "account/observe/retrace.h"
#include "account/observe/riccati.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"

/* Multiplications of a step, in parts of the sizes' products: of LAPACK's and this library's. */
#define EIGENVECTORS 10.0 /* n^3: tridiagonal form, divide and conquer, back */
#define PROJECTIONS                                                                                \
    4.0               /* n r^2: one pass against Q, two products, and the turn to Ritz vectors     \
                       */
#define GAINS 3.0     /* s r^2 a round: image, gain and update of P */
#define RESPONSES 4.0 /* s r a round and response */
#define MOMENTS 4.0   /* s^2 a node and round: two small products */
#define SPARSE 20.0   /* an entry of W or a node, in a product with a few columns */
#define SECOND NETDP_I_COST_SECOND
#define DAYS 2.0 /* nothing longer is begun */

/*
 * What is chosen goes by multiplications alone; what takes longer than a multiplication of dense matrices has
 * another weight in seconds (docs/performance.md, "What --explain foresees").
 */
typedef struct weights {
    double factors;  /* r^3 a round more, where P is carried as a factor */
    double backward; /* s m^2 a round, while all that is seen tells something new */
    double fades;    /* rounds, after which it does not */
    double inverse;  /* m^3 at its end, and in its proof */
    double heard;    /* s an entry of W and round, in a product with s columns */
    double kept;     /* s a source and round: kept, and gathered again */
} weights;
static const weights counted = {
    .factors = 7, .backward = 1.5, .fades = 50, .inverse = 3, .heard = 2, .kept = 8};
static const weights timed = {
    .factors = 2.7, .backward = 1.4, .fades = 36, .inverse = 3, .heard = 25, .kept = 400};

/* In seconds too: products of a few rows, of a stream; a product with W of a proof; states beyond the caches. */
#define FEW_ROWS 2.2
#define PROOF_PRODUCTS 12.0
#define LARGE_STATES 1.25 /* of conjugate gradients, which are beyond the caches */

/* Of a proven stream, whose rows are followed backwards: products, steps back, and bounds of M an entry. */
#define BACK_PRODUCTS 1.2
#define BACK_STEPS 6.0
#define BACK_BOUNDS 250.0

/* Rounds after which a stream's gain is steady, where that takes long. */
#define STEADY_AFTER 180.0

typedef struct size {
    double nodes, entries, seen, rounds, victims, observers, slots;
    bool factored, certify;
    const weights *by;
} size;

static size measure(const netdp_loss_request *request, const netdp_i_observer *observer,
                    bool certify)
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
                  .factored = netdp_i_observer_scale(p, observer) < NETDP_I_FACTOR_BELOW,
                  .certify = certify,
                  .by = &counted};
}

/* The filter and the responses of one observer on `modes` coordinates. */
static double follow(const size *z, double modes)
{
    const double steps = z->rounds * z->seen;
    double work = steps * GAINS * modes * modes +
                  (z->factored ? z->rounds * z->by->factors * pow(modes, 3) : 0);
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

/* `powers` of W tell of each seen node. */
static netdp_way reduced(const size *z, double powers)
{
    const double r = fmin(z->nodes, powers * z->seen);
    return (netdp_way){.method = NETDP_METHOD_REDUCED,
                       .modes = r,
                       .work = z->rounds * z->seen * z->entries + PROJECTIONS * z->nodes * r * r +
                               EIGENVECTORS * pow(r, 3) + follow(z, r),
                       .bytes = 8 * (1.5 * z->nodes * r + 5 * r * r)};
}

/*
 * From the covariance of what is heard: the products, what they add to it, its factor, the sources; its proof
 * multiplies the factor and what it gave again.
 */
static netdp_way hear(const size *z)
{
    const double rounds = fmax(0, z->rounds - 1), r = rounds * z->seen;
    return (netdp_way){.method = NETDP_METHOD_REDUCED,
                       .modes = r,
                       .work = rounds * z->seen *
                                   (z->by->heard * z->entries + MOMENTS * z->seen * z->nodes) +
                               pow(r, 3) / 3 + z->victims * (r * r + z->by->kept * r),
                       .bytes = netdp_i_heard_bytes(z->nodes, z->seen, rounds, z->victims)};
}

static netdp_way dense(const size *z)
{
    const double n = z->nodes;
    return (netdp_way){.method = NETDP_METHOD_DENSE,
                       .modes = n,
                       .work = n > NETDP_DENSE_NODES
                                   ? INFINITY
                                   : EIGENVECTORS * pow(n, 3) / z->observers + follow(z, n),
                       .bytes = 8 * 5 * n * n};
}

/* On the nodes that are hidden, which are fewer than all; until it is at rest, and its proof. */
static netdp_way backward(const size *z, const netdp_i_observer *observer)
{
    const double m = z->nodes - z->seen - observer->quiet_count, few = fmin(z->seen, m);
    return (netdp_way){.method = NETDP_METHOD_BACKWARD,
                       .modes = m,
                       .work = z->nodes > NETDP_DENSE_NODES
                                   ? INFINITY
                                   : fmin(z->by->fades, z->rounds) * few *
                                             (z->by->backward * m * m + z->entries) +
                                         z->by->inverse * pow(m, 3) + z->entries,
                       .bytes = netdp_i_riccati_bytes(m, z->seen)};
}

/* Bits that depend on all of x, 0 too. */
static uint64_t mixed(uint64_t x)
{
    return netdp_i_mix(x) + UINT64_C(0x9e3779b97f4a7c15);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * How many dimensions the powers of W below `rounds` make of one seen node, at most: the classes of nodes that they
 * cannot tell apart, by what their neighbours are, as long as that tells more of them apart.
 */
static double count_classes(netdp_rows rows, int32_t node, double rounds)
{
    const int64_t n = rows.nodes;
    OWNED uint64_t *now = NETDP_I_NEW(uint64_t, n);
    OWNED uint64_t *next = NETDP_I_NEW(uint64_t, n);
    OWNED uint64_t *sorted = NETDP_I_NEW(uint64_t, n);
    double classes = 1;
    if (now == NULL || next == NULL || sorted == NULL)
        return rounds; /* as if it told all apart */
    now[node] = 1;
    for (double round = 1; round <= rounds; round++) {
        for (int64_t v = 0; v < n; v++) {
            uint64_t sum = mixed(now[v]);
            for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
                uint64_t bits;
                memcpy(&bits, &rows.weight[k], sizeof bits);
                sum += mixed(now[rows.column[k]] ^ mixed(bits + 1));
            }
            next[v] = mixed(sum);
        }
        memcpy(sorted, next, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        double count = 1;
        for (int64_t v = 1; v < n; v++)
            count += sorted[v] != sorted[v - 1];
        uint64_t *swap = now;
        now = next;
        next = swap;
        const bool grows = count > classes;
        classes = count;
        if (!grows || count >= rounds)
            break;
    }
    return fmin(classes, rounds);
}

/* Of large networks, source by source. */
static netdp_way conjugate(const size *z, double noise)
{
    const int32_t lanes = netdp_i_conjugate_lanes(z->nodes, z->rounds, z->victims);
    return (netdp_way){.method = NETDP_METHOD_CONJUGATE,
                       .modes = z->nodes,
                       .work = z->victims * netdp_i_conjugate_steps(noise) * 2 * z->rounds *
                               SPARSE * (z->entries + z->nodes),
                       .bytes = netdp_i_conjugate_bytes(z->nodes, z->rounds, lanes)};
}

/* A certificate's products with W, of a lane, are slower than dense ones; so are those of networks
   that change. */
#define PRODUCTS 6.0

/* A certificate of all sources, beside the account (shift.c). */
static double proof_work(const size *z, double modes, double products)
{
    return z->victims * z->rounds *
           (products * (z->entries + z->nodes) + RESPONSES * z->seen * modes);
}

/* In what the observer hears: in a space of its own, or by the covariance where there is room; not where that is larger than W, and shifts
   in eigenvectors, which are sharper, are next to nothing. */
static netdp_way of_view(const size *z, double powers, bool hears)
{
    const netdp_way space = reduced(z, powers), heard = hear(z);
    const bool little = z->nodes <= NETDP_DENSE_NODES && heard.modes >= z->nodes &&
                        dense(z).work + proof_work(z, z->nodes, PRODUCTS) <= NETDP_I_LITTLE;
    return hears && !little && heard.work < space.work && heard.bytes <= netdp_i_memory_limit()
               ? heard
               : space;
}

bool netdp_i_cost_reduces(const netdp_plan *plan, int32_t nodes)
{
    /* A space of all directions is W's own: it is found only where eigenvectors are not. What is heard may have more. */
    const bool whole = plan->way[0].modes == nodes && nodes <= NETDP_DENSE_NODES;
    return !whole && plan->way[0].work <= plan->way[1].work;
}

/* The way with the least work; of large networks one that there is room for. */
static const netdp_way *choose(const netdp_plan *plan, double nodes)
{
    const netdp_way *way = &plan->way[netdp_i_cost_reduces(plan, (int32_t)nodes) ? 0 : 1];
    if (plan->ways < 4)
        return way;
    const bool fits = way->bytes <= netdp_i_memory_limit();
    const double most = fits ? way->work : DAYS * 86400 * SECOND;
    return plan->way[3].work < most ? &plan->way[3] : way;
}

/*
 * M of every source of a stream: contributions before the gain is steady, which are followed apart until then, what they
 * show afterwards, and their products.
 */
static double stream_work(const size *z, double modes)
{
    const double slots = fmin(z->slots, NETDP_I_EXPLICIT), every = z->rounds / z->slots;
    const double first = fmin(slots * every, STEADY_AFTER), early = first / every;
    const double shown = fmin(slots * every, 2 * first);
    const double states = modes * early * shown, products = early * early / 2 * shown;
    return z->victims * FEW_ROWS * z->seen * (states + products);
}

/* The same from rows that are followed backwards for all sources together. */
static double retraced_work(const size *z)
{
    const double every = z->rounds / z->slots, first = fmin(z->rounds, STEADY_AFTER);
    const double early = first / every, after = fmin(z->rounds - first, first);
    const double products =
        early * early * (first / 6 + after / 2) + early * after * after / every / 2;
    const double steps = first * (first / 2 + after);
    return z->victims * (BACK_PRODUCTS * z->seen * products + BACK_BOUNDS * z->slots * z->slots) +
           BACK_STEPS * steps * z->seen * (z->entries + z->seen * z->nodes);
}

static void tell_seconds(const size *counts, const netdp_i_observer *observer, netdp_plan *plan)
{
    size z = *counts;
    z.by = &timed;
    for (int32_t i = 0; i < plan->ways; i++) {
        netdp_way *way = &plan->way[i];
        double work = way->work;
        if (i == 0)
            work = way->work == hear(counts).work ? hear(&z).work
                                                  : reduced(&z, way->modes / fmax(1, z.seen)).work;
        else if (way->method == NETDP_METHOD_DENSE)
            work = dense(&z).work;
        else if (way->method == NETDP_METHOD_BACKWARD)
            work = backward(&z, observer).work;
        else
            work *= LARGE_STATES;
        if (i < 2 && z.slots > 1)
            work += z.certify && netdp_i_retrace_serves(z.entries / z.nodes, z.seen, z.victims)
                        ? retraced_work(&z)
                        : stream_work(&z, way->modes);
        else if (i < 2 && z.certify && way->work != hear(counts).work)
            work += proof_work(&z, way->modes, PROOF_PRODUCTS);
        way->seconds = work / SECOND;
    }
}

void netdp_i_cost(const netdp_loss_request *request, const netdp_i_observer *observer, bool certify,
                  netdp_plan *plan)
{
    const size z = measure(request, observer, certify);
    const bool backwards = netdp_i_riccati_serves(request->protocol, observer);
    const bool large = z.nodes > NETDP_DENSE_NODES;
    *plan =
        (netdp_plan){.observers = (int64_t)z.observers,
                     .seen = observer->seen_count,
                     .rounds = (int64_t)z.rounds,
                     .steady = z.slots > NETDP_I_EXPLICIT,
                     .ways = !backwards ? 2 : (large ? 4 : 3),
                     .way = {of_view(&z, z.rounds, backwards), dense(&z), backward(&z, observer)}};
    if (plan->ways == 4)
        plan->way[3] = conjugate(&z, netdp_linear_least_noise(request->protocol));
    const netdp_way *way = choose(plan, z.nodes);
    /* Of a symmetric network the space is far smaller than it can be. */
    const bool narrow =
        large && (way != &plan->way[0] || way->bytes > netdp_i_memory_limit()) && z.seen > 0;
    if (narrow && observer->seen != NULL) {
        const double powers = count_classes(netdp_mixing_rows(request->protocol->mixing),
                                            observer->seen[0], z.rounds);
        plan->way[0] = of_view(&z, powers, backwards);
        way = choose(plan, z.nodes);
    }
    plan->method = way->method;
    tell_seconds(&z, observer, plan);
}

bool netdp_i_cost_hears(const netdp_loss_request *request, const netdp_i_observer *observer,
                        const netdp_plan *plan)
{
    const size z = measure(request, observer, true);
    return plan->method == NETDP_METHOD_REDUCED &&
           netdp_i_riccati_serves(request->protocol, observer) &&
           hear(&z).work == plan->way[0].work;
}

netdp_status netdp_i_cost_check(const netdp_loss_request *request, const netdp_i_observer *observer,
                                const netdp_plan *plan, int32_t once, netdp_error *error)
{
    const size z = measure(request, observer, false);
    const netdp_way *way = &plan->way[0];
    for (int32_t i = 1; i < plan->ways; i++)
        way = plan->way[i].method == plan->method ? &plan->way[i] : way;
    const double bytes = way->bytes * (way == &plan->way[1] ? 1 : once);
    const double limit = netdp_i_memory_limit();
    if (bytes <= limit)
        return NETDP_OK;
    const double days = plan->ways > 3 ? plan->way[3].seconds / 86400 : INFINITY;
    if (isfinite(days))
        return netdp_i_fail(
            error, NETDP_NO_MEMORY,
            "exact: needs about %.3g GB, and %.3g GB may be taken; node by node it "
            "would take about %.2g days: name some with --from (%.2g minutes each), "
            "or use fewer rounds, --bound upper or --bound everything",
            bytes / 1e9, limit / 1e9, days, days * 1440 / z.victims);
    return netdp_i_fail(error, NETDP_NO_MEMORY,
                        "exact: needs about %.3g GB, and %.3g GB may be taken; use fewer rounds, "
                        "a dither of %g or more with --from, --bound upper for averaging of many "
                        "rounds, or --bound everything",
                        bytes / 1e9, limit / 1e9, NETDP_I_FACTOR_BELOW);
}

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
            (z->factored ? z->by->factors * pow(z->nodes, 3) : 0));
}

/* What observers may take to be accounted for and proven under a small dither: of what is heard, sharpened, which takes as long again. */
#define MOST_OF_SMALL 1e13

/* What one observer's account takes, and its proof by shifts on a basis, beside one another. */
typedef struct shifts {
    double account, filter, proof; /* the filter of the proof, and the shifts of all sources */
    double bytes, filter_bytes;
} shifts;

static shifts measure_shifts(const size *z, const netdp_loss_request *request, netdp_plan *plan,
                             bool heard)
{
    const bool phase = request->protocol->every > 0;
    const bool changes = request->protocol->varying.kind != NETDP_VARY_NEVER;
    const double rounds = phase ? (double)request->protocol->every : z->rounds;
    if (heard)
        plan->way[0] = reduced(z, z->rounds);
    const netdp_way *way = &plan->way[netdp_i_cost_reduces(plan, (int32_t)z->nodes) ? 0 : 1];
    const double modes = phase || changes ? z->nodes : way->modes;
    shifts s = {.account = changes ? changing_work(z)
                           : phase ? phase_work(z, rounds)
                                   : fmin(way->work, plan->ways > 2 ? plan->way[2].work : INFINITY),
                .filter_bytes = way->bytes};
    s.filter = phase || changes ? s.account : way->work;
    size once = *z;
    once.rounds = rounds;
    s.proof = proof_work(&once, modes, PRODUCTS);
    if (phase && !changes)
        s.proof += rounds * z->seen * GAINS * modes * modes + pow(modes, 3) +
                   z->victims * modes * z->nodes;
    if (changes) /* each phase is another one */
        s.proof *= z->rounds / rounds;
    s.bytes = 8 * rounds * fmax(modes * z->seen, z->nodes + (changes ? 2 * z->entries : 0));
    return s;
}

/*
 * Under a small dither the account, whose covariance is carried as a factor, may take hours, beside which any proof is little: of one
 * observer, on large networks of all that are asked about, as of what is heard.
 */
static bool is_long(const size *z, const shifts *s)
{
    const double observers = z->nodes > NETDP_DENSE_NODES ? z->observers : 1;
    return z->factored && (s->proof + s->filter) * observers > MOST_OF_SMALL;
}

void netdp_i_cost_on_all(const netdp_loss_request *request, const netdp_i_observer *observer,
                         double *seconds, double *bytes)
{
    const size z = measure(request, observer, true);
    netdp_plan plan;
    netdp_i_cost(request, observer, true, &plan);
    const shifts s = measure_shifts(&z, request, &plan, false);
    *seconds = (s.account + s.proof) / SECOND;
    *bytes = s.bytes + s.filter_bytes;
}

/* A product of matrices, its size and times, and the seconds that one takes of the machine on which all that is foreseen was measured. */
enum { PROBE = 192, PROBES = 8 };
#define PROBE_SECONDS 2e-4

double netdp_i_cost_machine(void)
{
    OWNED double *x = NETDP_I_NEW(double, 3 * PROBE * PROBE);
    struct timespec begin, end;
    double best = INFINITY;
    if (x == NULL)
        return 1;
    netdp_i_dense_begin(); /* one thread, as accounts have */
    for (int64_t i = 0; i < 2 * PROBE * PROBE; i++)
        x[i] = 1 / (1 + (double)i);
    for (int i = 0; i < PROBES; i++) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, PROBE, PROBE, PROBE, 1, x, PROBE,
                    x + PROBE * PROBE, PROBE, 0, x + 2 * PROBE * PROBE, PROBE);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        best = fmin(best, (double)(end.tv_sec - begin.tv_sec) +
                              1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    }
    return fmax(0.25, best / PROBE_SECONDS);
}

double netdp_i_cost_of_shift(const netdp_loss_request *request, const netdp_i_observer *observer)
{
    const size z = measure(request, observer, true);
    netdp_plan plan;
    netdp_i_cost(request, observer, true, &plan);
    if (plan.method == NETDP_METHOD_CONJUGATE) /* one evaluation of what was found anyway */
        return 0;
    const bool heard = netdp_i_cost_hears(request, observer, &plan);
    const shifts s = measure_shifts(&z, request, &plan, heard);
    const bool beyond =
        heard && (s.filter * z.observers > AT_LEAST || s.filter_bytes > netdp_i_memory_limit());
    const bool little = s.proof <= OF_ACCOUNT * s.account || s.proof * z.observers <= AT_LEAST;
    return beyond || !little || is_long(&z, &s) || s.bytes > PROOF_BYTES ? INFINITY
                                                                         : s.proof + s.filter;
}

double netdp_i_cost_of_shifts(const netdp_loss_request *request, const netdp_i_observer *widest)
{
    netdp_loss_request all = *request;
    netdp_plan plan;
    all.from_count = 0;
    if (!all.coalition)
        all.to_count = 0;
    const size z = measure(&all, widest, true);
    netdp_i_cost(&all, widest, true, &plan);
    const shifts s = measure_shifts(&z, &all, &plan, netdp_i_cost_hears(&all, widest, &plan));
    if (z.nodes > NETDP_DENSE_NODES || is_long(&z, &s) || s.bytes > PROOF_BYTES ||
        s.filter_bytes > netdp_i_memory_limit())
        return INFINITY;
    return (s.proof + fmax(0, s.filter - s.account)) * z.observers;
}

double netdp_i_cost_of_changes(const netdp_loss_request *request, const netdp_i_observer *widest)
{
    netdp_loss_request all = *request;
    netdp_plan plan;
    all.from_count = 0;
    const size z = measure(&all, widest, true);
    netdp_i_cost(&all, widest, true, &plan);
    const shifts s = measure_shifts(&z, &all, &plan, false);
    return s.account + s.proof;
}

double netdp_i_cost_of_rest(const netdp_loss_request *request, const netdp_i_observer *widest)
{
    netdp_loss_request all = *request;
    if (!all.coalition)
        all.to_count = 0;
    const size z = measure(&all, widest, true);
    const netdp_way way = backward(&z, widest);
    if (!netdp_i_riccati_serves(request->protocol, widest) ||
        way.bytes > netdp_i_memory_limit() / 4)
        return INFINITY;
    return way.work * z.observers;
}

static bool hears_little(const netdp_loss_request *request, const netdp_i_observer *observer)
{
    const size z = measure(request, observer, true);
    const netdp_way way = hear(&z);
    return way.work * z.observers <= MOST_OF_SMALL &&
           way.bytes * fmin(z.observers, netdp_i_threads()) <= netdp_i_memory_limit();
}

bool netdp_i_cost_of_proof(const netdp_loss_request *request, const netdp_i_observer *observer)
{
    netdp_plan plan;
    netdp_i_cost(request, observer, true, &plan);
    if (netdp_i_cost_hears(request, observer, &plan))
        return netdp_linear_least_noise(request->protocol) >= NETDP_I_FACTOR_BELOW ||
               hears_little(request, observer);
    return isfinite(netdp_i_cost_of_shift(request, observer));
}
