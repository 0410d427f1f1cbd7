/*
 * An attack on the account of histograms on the ring: the exact law of what the observers see,
 * enumerated from the protocol's description (netdp/protocol.h) alone, for both values of the victim
 * in each pass and every choice of what the others contribute, on small rings, with coalitions.
 * The exact delta at the printed epsilon may not exceed delta, whatever bound of shuffling is
 * named.
 */
#include "check.h"

#include <netdp/tally.h>

static netdp_error error;

enum { MOST_NODES = 8, MOST_RUNS = 4, MOST_LEVELS = 3, MOST_SIZE = 24, MOST_CHOICES = 128 };

typedef struct ring {
    int32_t nodes;
    int64_t passes, fill;
    int32_t levels;
    double flip, delta;
    bool release;
} ring;

/* A multiset of up to MOST_SIZE elements by how many are 1 and how many are 2. */
typedef struct law {
    int size;
    double chance[MOST_SIZE + 1][MOST_SIZE + 1];
} law;

/* What one choice of all contributions to a run shows under the victim's two values. */
typedef struct seen {
    int views;
    double first[MOST_SIZE * MOST_SIZE], second[MOST_SIZE * MOST_SIZE];
} seen;

/* A run that has the victim's contribution. */
typedef struct run {
    int others, fill, choices;
    seen choice[MOST_CHOICES];
} run;

static run runs[MOST_RUNS];

static void add_element(law *l, const double *response)
{
    l->size++;
    assert_true(l->size <= MOST_SIZE);
    for (int i = l->size; i >= 0; i--)
        for (int j = l->size - i; j >= 0; j--)
            l->chance[i][j] = l->chance[i][j] * response[0] +
                              (i > 0 ? l->chance[i - 1][j] * response[1] : 0) +
                              (j > 0 ? l->chance[i][j - 1] * response[2] : 0);
}

/* Randomised response of `value`; with flip 1 a uniform element. */
static void respond(law *l, int levels, double flip, int value, int times)
{
    double response[MOST_LEVELS] = {0};
    for (int v = 0; v < levels; v++)
        response[v] = flip / levels + (v == value ? 1 - flip : 0);
    for (int i = 0; i < times; i++)
        add_element(l, response);
}

static void enumerate_views(const ring *r, run *of, const int *others, int first, int second)
{
    static law one, two;
    memset(&one, 0, sizeof one);
    one.chance[0][0] = 1;
    for (int v = 0; v < r->levels; v++)
        respond(&one, r->levels, r->flip, v, others[v]);
    respond(&one, r->levels, 1, 0, of->fill);
    two = one;
    respond(&one, r->levels, r->flip, first, 1);
    respond(&two, r->levels, r->flip, second, 1);
    assert_true(of->choices < MOST_CHOICES);
    seen *to = &of->choice[of->choices++];
    to->views = 0;
    for (int i = 0; i <= one.size; i++)
        for (int j = 0; j <= (r->levels > 2 ? one.size - i : 0); j++) {
            to->first[to->views] = one.chance[i][j];
            to->second[to->views++] = two.chance[i][j];
        }
}

/* All values of the others, as they show: how many have each; all pairs of the victim's. */
static void enumerate_choices(const ring *r, run *of)
{
    of->choices = 0;
    for (int ones = 0; ones <= of->others; ones++)
        for (int twos = 0; twos <= (r->levels > 2 ? of->others - ones : 0); twos++)
            for (int pair = 0; pair < r->levels * r->levels; pair++) {
                const int others[] = {of->others - ones - twos, ones, twos};
                if (pair / r->levels != pair % r->levels)
                    enumerate_views(r, of, others, pair / r->levels, pair % r->levels);
            }
}

/* The runs with the victim's contributions, in order. The token is at t mod nodes at step t. */
static int find_runs(const ring *r, int victim, unsigned observers)
{
    int found = 0, others = 0, mine = 0, fill = 0;
    const int64_t steps = r->nodes * r->passes;
    if (!(observers & 1)) /* else v_0 knows what it put in */
        fill = (int)(r->fill == NETDP_TALLY_USUAL ? ceil(r->flip * r->nodes) : (double)r->fill);
    for (int64_t t = 0; t <= steps; t++) {
        const int at = (int)(t % r->nodes);
        if (observers >> at & 1 || (t == steps && r->release)) {
            if (mine > 0)
                runs[found++] = (run){.others = others, .fill = fill};
            others = mine = fill = 0;
        } else if (at == victim) {
            mine++;
        } else {
            others++;
        }
    }
    return found;
}

static double excess(const seen *const *picked, int count, double first, double second,
                     double growth)
{
    if (count == 0)
        return fmax(0, first - growth * second);
    double sum = 0;
    for (int i = 0; i < picked[0]->views; i++)
        sum += excess(picked + 1, count - 1, first * picked[0]->first[i],
                      second * picked[0]->second[i], growth);
    return sum;
}

/* The largest delta over all choices of runs from .. count - 1. */
static double worst_delta(const seen **picked, int from, int count, double growth)
{
    double worst = 0;
    if (from == count)
        return excess(picked, count, 1, 1, growth);
    for (int c = 0; c < runs[from].choices; c++) {
        picked[from] = &runs[from].choice[c];
        worst = fmax(worst, worst_delta(picked, from + 1, count, growth));
    }
    return worst;
}

static double printed(const ring *r, int32_t victim, unsigned observers, netdp_bound bound,
                      netdp_shuffle_bound shuffle, netdp_tally_composing composing)
{
    int32_t to[MOST_NODES], count = 0;
    netdp_losses *losses = NULL;
    for (int32_t v = 0; v < r->nodes; v++)
        if (observers >> v & 1)
            to[count++] = v;
    const netdp_tally tally = {.task = NETDP_TALLY_HISTOGRAM,
                               .mechanism = NETDP_RANDOMISED_RESPONSE,
                               .nodes = r->nodes,
                               .passes = r->passes,
                               .levels = r->levels,
                               .flip = r->flip,
                               .fill = r->fill,
                               .release = r->release};
    const netdp_tally_request request = {.tally = &tally,
                                         .bound = bound,
                                         .shuffle = shuffle,
                                         .composing = composing,
                                         .unit = {NETDP_AS_DP, r->delta},
                                         .from_count = 1,
                                         .from = &victim,
                                         .to_count = count,
                                         .to = to,
                                         .coalition = count > 1};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    const double epsilon = losses->loss[0];
    netdp_losses_free(losses);
    assert_true(epsilon >= 0);
    return epsilon;
}

/* delta found over delta claimed, by the worst view of the victim. */
static double attack(const ring *r, int victim, unsigned observers, double epsilon)
{
    const seen *picked[MOST_RUNS] = {NULL};
    const int count = find_runs(r, victim, observers);
    for (int i = 0; i < count; i++)
        enumerate_choices(r, &runs[i]);
    return worst_delta(picked, 0, count, exp(epsilon)) / r->delta;
}

/* In doubles the sums are right to 1e-13. */
static bool holds(const ring *r, double found)
{
    return found <= 1 + 1e-13 / r->delta;
}

static const ring rings[] = {
    {7, 1, NETDP_TALLY_USUAL, 2, 0.5, 1e-3, false},
    {8, 1, NETDP_TALLY_USUAL, 2, 0.8, 0.2, true},
    {4, 1, 8, 2, 0.3, 0.05, true}, /* the fill outnumbers the users */
    {5, 1, NETDP_TALLY_USUAL, 3, 0.6, 0.02, false},
    {5, 2, NETDP_TALLY_USUAL, 2, 0.7, 0.1, false},
    {4, 2, NETDP_TALLY_USUAL, 3, 0.9, 1e-2, true},
    {4, 3, NETDP_TALLY_USUAL, 2, 0.5, 0.2, false},
    {3, 3, 0, 2, 0.95, 1e-3, true},
};
enum { RINGS = sizeof rings / sizeof *rings };

/* Victims, observers and coalitions: every so many, for an account takes some time. */
static void test_coalitions(void **state)
{
    (void)state;
    enum { WANTED = 4 };
    for (int i = 0; i < RINGS; i++) {
        const ring *r = &rings[i];
        double worst = 0;
        for (int k = 0; k < WANTED; k++) {
            const int victim = k % r->nodes, behind = (victim + 1 + k / 2) % r->nodes;
            /* One observer, or a coalition. */
            unsigned observers = 1U << (behind != victim ? behind : (victim + 1) % r->nodes);
            if (k % 2 == 1)
                observers |= 13U * (unsigned)(i + k) & ((1U << r->nodes) - 1) & ~(1U << victim);
            const double epsilon = printed(r, victim, observers, NETDP_BOUND_SHUFFLED,
                                           NETDP_SHUFFLE_LEAST, NETDP_TALLY_BY_EVENTS);
            const double found = attack(r, victim, observers, epsilon);
            worst = fmax(worst, found);
            assert_true(holds(r, found));
        }
        print_message("ring %d: found at most %.4f of delta\n", i, worst);
        assert_true(worst > 0.02); /* the attack attacks */
    }
}

/* Every named bound, both compositions: the victim hides behind the fill, and behind others. */
static void test_every_bound(void **state)
{
    (void)state;
    for (int i = 1; i < RINGS; i += 3) {
        const ring *r = &rings[i];
        const int victim = i % 2;
        const unsigned observers = 1U << (r->nodes - 1);
        const double local =
            printed(r, victim, observers, NETDP_BOUND_LOCAL, 0, NETDP_TALLY_BY_EVENTS);
        assert_true(holds(r, attack(r, victim, observers, local)));
        for (int b = NETDP_SHUFFLE_LOCAL; b < NETDP_SHUFFLE_BOUNDS; b++)
            for (int c = NETDP_TALLY_BY_EVENTS; c <= NETDP_TALLY_ADVANCED; c++) {
                const double epsilon = printed(r, victim, observers, NETDP_BOUND_SHUFFLED,
                                               (netdp_shuffle_bound)b, (netdp_tally_composing)c);
                assert_true(epsilon <= local);
                assert_true(holds(r, attack(r, victim, observers, epsilon)));
            }
    }
}

/* A little less than what is printed is refuted where the account is nearly exact. */
static void test_attack_refutes(void **state)
{
    (void)state;
    const ring tight[] = {
        {4, 1, 0, 2, 0.999, 1e-8, true},
        {7, 1, NETDP_TALLY_USUAL, 2, 0.5, 1e-6, true},
    };
    const struct {
        int victim;
        unsigned observers;
    } pairs[] = {{2, 1U << 3}, {1, 1U | 1U << 4 | 1U << 5}};
    for (int i = 0; i < 2; i++) {
        const double epsilon =
            printed(&tight[i], pairs[i].victim, pairs[i].observers, NETDP_BOUND_SHUFFLED,
                    NETDP_SHUFFLE_LEAST, NETDP_TALLY_BY_EVENTS);
        assert_true(
            holds(&tight[i], attack(&tight[i], pairs[i].victim, pairs[i].observers, epsilon)));
        assert_false(holds(&tight[i],
                           attack(&tight[i], pairs[i].victim, pairs[i].observers, 0.99 * epsilon)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coalitions),
        cmocka_unit_test(test_every_bound),
        cmocka_unit_test(test_attack_refutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
