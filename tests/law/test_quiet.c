/*
 * Noise correlated over phases (docs/proofs/quiet.md) against the joint covariance of all that an
 * observer is given, over explicit sources: every message, every released state, of all phases.
 */
#include "check.h"

#include <lapacke.h>
#include <netdp/account.h>
#include <netdp/random.h>

enum { MOST = 8, PHASES = 4, INNER = 2, SOURCES = 400, ROWS = 200 };

typedef struct scene {
    netdp_graph *graph;
    netdp_mixing *mixing;
    int nodes;
    double w[MOST][MOST];
    double factor[PHASES * PHASES];
    double kappa;
} scene;

static void scene_make(scene *s, const char *family)
{
    netdp_error error;
    memset(s, 0, sizeof *s);
    assert_ok(netdp_graph_make(family, 3, true, &s->graph, NULL, &error));
    assert_ok(netdp_mixing_new(s->graph, "metropolis", &s->mixing, &error));
    const netdp_rows r = netdp_mixing_rows(s->mixing);
    s->nodes = r.nodes;
    for (int u = 0; u < r.nodes; u++)
        for (int64_t i = r.start[u]; i < r.start[u + 1]; i++)
            s->w[u][r.column[i]] = r.weight[i];
}

static void scene_free(scene *s)
{
    netdp_mixing_free(s->mixing);
    netdp_graph_free(s->graph);
}

#define DITHER 0.2
#define END 0.3

/* A Gaussian vector: sources and, behind them, what each phase's contribution of u makes of it. */
typedef double vector[SOURCES + PHASES];
static vector row[ROWS], message[MOST], mixed[MOST];

/*
 * Each unknown number that is drawn once has a source; node 0 observes and knows its own. Released
 * states are given and subtracted; with gains they are not, and every node adds gain[w] times its
 * own state to what it contributes.
 */
static int build(const scene *s, int u, const double *gain)
{
    const int n = s->nodes, pairs = PHASES * n;
    int rows = 0, next = pairs + PHASES * n * n;
    memset(row, 0, sizeof row);
    memset(message, 0, sizeof message);
    for (int p = 0; p < PHASES; p++) {
        for (int a = 0; a < n; a++)
            for (int j = 0; j < SOURCES + PHASES; j++)
                message[a][j] *= gain != NULL ? 1 + gain[a] : 0;
        message[u][SOURCES + p] += 1;
        for (int q = 0; q <= p; q++)
            for (int a = 1; a < n; a++) {
                const double c = s->factor[p * PHASES + q];
                message[a][q * n + a] += c;
                for (int b = a + 1; b < n && s->kappa > 0; b++)
                    if (s->w[a][b] > 0) {
                        message[a][pairs + (q * n + a) * n + b] += c * s->kappa;
                        message[b][pairs + (q * n + a) * n + b] -= c * s->kappa;
                    }
            }
        for (int t = 0; t < INNER; t++) {
            for (int a = 1; t > 0 && a < n; a++)
                message[a][next++] += DITHER;
            memset(mixed, 0, sizeof mixed);
            for (int a = 0; a < n; a++) {
                if (s->w[0][a] > 0)
                    memcpy(row[rows++], message[a], sizeof *row);
                for (int b = 0; b < n; b++)
                    for (int j = 0; s->w[a][b] > 0 && j < SOURCES + PHASES; j++)
                        mixed[a][j] += s->w[a][b] * message[b][j];
            }
            memcpy(message, mixed, sizeof mixed);
        }
        for (int a = 1; a < n; a++) {
            message[a][next++] += END;
            if (gain == NULL)
                memcpy(row[rows++], message[a], sizeof *row);
        }
    }
    assert_true(next <= SOURCES && rows <= ROWS);
    return rows;
}

/* M = G' K^+ G of the rows. */
static void joint(int rows, double m[PHASES][PHASES])
{
    static double k[ROWS * ROWS], value[ROWS];
    memset(m, 0, sizeof(double[PHASES][PHASES]));
    for (int a = 0; a < rows; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int j = 0; j < SOURCES; j++)
                sum += row[a][j] * row[b][j];
            k[a * rows + b] = k[b * rows + a] = sum;
        }
    assert_int_equal(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', rows, k, rows, value), 0);
    for (int e = 0; e < rows; e++) {
        double along[PHASES] = {0};
        if (value[e] <= 1e-11 * value[rows - 1])
            continue;
        for (int p = 0; p < PHASES; p++)
            for (int a = 0; a < rows; a++)
                along[p] += k[e * rows + a] * row[a][SOURCES + p];
        for (int p = 0; p < PHASES; p++)
            for (int q = 0; q < PHASES; q++)
                m[p][q] += along[p] * along[q] / value[e];
    }
}

static void fill_factor(scene *s, int kind)
{
    netdp_stream stream = netdp_stream_at(7, NETDP_FOR_TEST, (uint32_t)kind, 0);
    memset(s->factor, 0, sizeof s->factor);
    for (int p = 0; p < PHASES; p++)
        for (int q = 0; q <= p; q++)
            s->factor[p * PHASES + q] = kind == 0 ? p == q
                                        : kind == 1
                                            ? (p == q       ? 1
                                               : p == q + 1 ? -0.6
                                                            : 0)
                                            : (p == q) + netdp_stream_uniform(&stream) - 0.5;
}

static void account(const scene *s, int64_t cycle, const double *factor, netdp_bound bound,
                    double *loss)
{
    netdp_error error;
    netdp_losses *losses = NULL;
    const netdp_protocol *named;
    const netdp_settings settings = {.rounds = (int64_t)INNER * PHASES,
                                     .inner = INNER,
                                     .dither = DITHER,
                                     .end_dither = END,
                                     .cycle = cycle,
                                     .quiet = {factor, factor != NULL ? PHASES : 0},
                                     .pairing = {s->kappa > 0 ? s->graph : NULL, s->kappa}};
    assert_ok(netdp_protocol_find("muffliato-sgd", &named, &error));
    const netdp_linear protocol = netdp_protocol_describe(named, s->mixing, &settings);
    const int32_t to = 0;
    const netdp_loss_request request = {
        .protocol = &protocol, .bound = bound, .to_count = 1, .to = &to};
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound);
    memcpy(loss, losses->loss, (size_t)s->nodes * sizeof *loss);
    netdp_losses_free(losses);
}

/* The best and the abs-sum of sign patterns of phases first, first + cycle, ... */
static void patterns(double m[PHASES][PHASES], int cycle, double *best, double *absolute)
{
    *best = *absolute = 0;
    for (int first = 0; first < cycle; first++) {
        double sum = 0;
        for (int bits = 0; bits < 1 << PHASES; bits++) {
            double value = 0;
            for (int p = first; p < PHASES; p += cycle)
                for (int q = first; q < PHASES; q += cycle)
                    value += ((bits >> p ^ bits >> q) & 1 ? -1 : 1) * m[p][q];
            *best = value > *best ? value : *best;
        }
        for (int p = first; p < PHASES; p += cycle)
            for (int q = first; q < PHASES; q += cycle)
                sum += fabs(m[p][q]);
        *absolute = sum > *absolute ? sum : *absolute;
    }
}

static const char *const families[] = {"ring 6", "star 5",   "complete 4",
                                       "path 5", "grid 2 3", "hypercube 2"};
static const double kappas[] = {0, 1.5};

static void test_joint_covariance(void **unused)
{
    (void)unused;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int kind = 0; kind < 3; kind++)
            for (int paired = 0; paired < 2; paired++) {
                scene s;
                double loss[PHASES + 1][MOST], m[PHASES][PHASES];
                scene_make(&s, families[f]);
                fill_factor(&s, kind);
                s.kappa = kappas[paired];
                for (int cycle = 1; cycle <= PHASES; cycle++)
                    account(&s, cycle, s.factor, NETDP_BOUND_PHASE_RELEASE, loss[cycle]);
                for (int u = 1; u < s.nodes; u++) {
                    joint(build(&s, u, NULL), m);
                    for (int cycle = 1; cycle <= PHASES; cycle++) {
                        double best, absolute;
                        patterns(m, cycle, &best, &absolute);
                        if (!(loss[cycle][u] >= best * (1 - 1e-11)) ||
                            !(loss[cycle][u] <= absolute * (1 + 1e-8)))
                            fail_msg("%s, Q %d, kappa %g, cycle %d, u %d: %.12g, best %.12g, "
                                     "abs-sum %.12g",
                                     families[f], kind, s.kappa, cycle, u, loss[cycle][u], best,
                                     absolute);
                    }
                }
                scene_free(&s);
            }
}

/*
 * The true observer of nodes that react: it sees messages alone, and what a contribution does comes
 * back through everybody's states.
 */
static void test_reactions(void **unused)
{
    (void)unused;
    netdp_stream stream = netdp_stream_at(11, NETDP_FOR_TEST, 0, 0);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int kind = 1; kind < 3; kind++)
            for (int paired = 0; paired < 2; paired++) {
                scene s;
                double loss[PHASES + 1][MOST], m[PHASES][PHASES], gain[MOST];
                scene_make(&s, families[f]);
                fill_factor(&s, kind);
                s.kappa = kappas[paired];
                for (int a = 0; a < s.nodes; a++)
                    gain[a] = 6 * (netdp_stream_uniform(&stream) - 0.5);
                for (int cycle = 1; cycle <= PHASES; cycle++)
                    account(&s, cycle, s.factor, NETDP_BOUND_PHASE_RELEASE, loss[cycle]);
                for (int u = 1; u < s.nodes; u++) {
                    joint(build(&s, u, gain), m);
                    for (int cycle = 1; cycle <= PHASES; cycle++) {
                        double best, absolute;
                        patterns(m, cycle, &best, &absolute);
                        if (!(loss[cycle][u] >= best * (1 - 1e-9)))
                            fail_msg("%s, Q %d, kappa %g, cycle %d, u %d: %.12g, attained %.12g",
                                     families[f], kind, s.kappa, cycle, u, loss[cycle][u], best);
                    }
                }
                scene_free(&s);
            }
}

/* Q = I is fresh noise: the account of before, by whatever way. */
static void test_fresh(void **unused)
{
    (void)unused;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int paired = 0; paired < 2; paired++)
            for (int cycle = 1; cycle <= PHASES; cycle++) {
                scene s;
                double quiet[MOST], fresh[MOST];
                scene_make(&s, families[f]);
                fill_factor(&s, 0);
                s.kappa = kappas[paired];
                account(&s, cycle, s.factor, NETDP_BOUND_PHASE_RELEASE, quiet);
                account(&s, cycle, NULL, NETDP_BOUND_PHASE_RELEASE, fresh);
                for (int u = 1; u < s.nodes; u++)
                    if (!(fabs(quiet[u] - fresh[u]) <= 1e-9 * fresh[u] + 1e-11))
                        fail_msg("%s, kappa %g, cycle %d, u %d: %.12g, fresh %.12g", families[f],
                                 s.kappa, cycle, u, quiet[u], fresh[u]);
                scene_free(&s);
            }
}

/* Every message: [D^-1]_uu Q^-1. */
static void test_everything(void **unused)
{
    (void)unused;
    scene s;
    double q[PHASES][PHASES] = {{0}}, m[PHASES][PHASES], loss[MOST], one[MOST];
    scene_make(&s, "ring 6");
    for (int paired = 0; paired < 2; paired++) {
        s.kappa = kappas[paired];
        fill_factor(&s, 2);
        for (int a = 0; a < PHASES; a++)
            for (int b = 0; b < PHASES; b++) {
                q[a][b] = 0;
                for (int j = 0; j < PHASES; j++)
                    q[a][b] += s.factor[a * PHASES + j] * s.factor[b * PHASES + j];
            }
        assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', PHASES, &q[0][0], PHASES), 0);
        assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', PHASES, &q[0][0], PHASES), 0);
        account(&s, PHASES, NULL, NETDP_BOUND_EVERYTHING, one);
        for (int cycle = 1; cycle <= PHASES; cycle++) {
            double best, absolute;
            account(&s, cycle, s.factor, NETDP_BOUND_EVERYTHING, loss);
            for (int a = 0; a < PHASES; a++)
                for (int b = 0; b < PHASES; b++)
                    m[a][b] = q[a < b ? a : b][a < b ? b : a];
            patterns(m, cycle, &best, &absolute);
            for (int u = 1; u < s.nodes; u++) {
                assert_true(loss[u] >= one[u] * best * (1 - 1e-11));
                assert_true(loss[u] <= one[u] * absolute * (1 + 1e-8));
            }
        }
    }
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_covariance),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
