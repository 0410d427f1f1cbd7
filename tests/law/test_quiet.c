/*
 * Noise correlated over phases (docs/proofs/quiet.md) against the joint covariance of all that an
 * observer is given, over explicit sources: every message, every released state, of all phases.
 */
#include "check.h"

#include <float.h>
#include <lapacke.h>

#include <netdp/account.h>
#include <netdp/noise.h>
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
    const netdp_settings settings = {
        .rounds = (int64_t)INNER * PHASES,
        .inner = INNER,
        .noise.dither = DITHER,
        .noise.end = END,
        .cycle = cycle,
        .quiet = {factor, factor != NULL ? PHASES : 0},
        .noise.pairing = {.graph = s->kappa > 0 ? s->graph : NULL, .kappa = s->kappa}};
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
/* D loses the ones on its diagonal beside large noise in pairs: never below who hides, all others. */
static void test_large_pairs(void **unused)
{
    (void)unused;
    static const double large[] = {1e2, 1e3, 1e4, 1e5, 8e5};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        scene s;
        double quiet[MOST];
        scene_make(&s, "complete 4");
        fill_factor(&s, 0);
        s.kappa = large[k];
        account(&s, PHASES, s.factor, NETDP_BOUND_PHASE_RELEASE, quiet);
        /* All neighbours are seen: [D^-1]_uu of three nodes, (1 + kappa^2) / (1 + 3 kappa^2). */
        const double square = large[k] * large[k], truth = (1 + square) / (1 + 3 * square);
        for (int u = 1; u < s.nodes; u++)
            if (!(quiet[u] >= truth && quiet[u] <= truth * (1 + 64 * DBL_EPSILON * square) + 1e-9))
                fail_msg("kappa %g, u %d: %.15g, truth %.15g", large[k], u, quiet[u], truth);
        scene_free(&s);
    }
}

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

/* G of decentralised learning against powers of W, symmetric and row-stochastic. */
static void test_workload(void **unused)
{
    (void)unused;
    enum { T = 5, K = 2 };
    for (int rows = 0; rows < 2; rows++) {
        scene s;
        netdp_error error;
        static double power[K * T + 1][MOST][MOST];
        double gram[T * T];
        netdp_mixing *stochastic;
        scene_make(&s, "star 5");
        assert_ok(netdp_mixing_new_stochastic(s.graph, "rows", &stochastic, &error));
        const int n = s.nodes;
        for (int u = 0; rows && u < n; u++) {
            const double degree = netdp_graph_degree(s.graph, u) + 1;
            for (int v = 0; v < n; v++)
                s.w[u][v] = s.w[u][v] > 0 || u == v ? 1 / degree : 0;
        }
        memset(power, 0, sizeof power);
        for (int t = 0; t <= K * T; t++)
            for (int u = 0; u < n; u++)
                for (int v = 0; v < n; v++) {
                    power[t][u][v] = t == 0 && u == v;
                    for (int w = 0; t > 0 && w < n; w++)
                        power[t][u][v] += s.w[u][w] * power[t - 1][w][v];
                }
        for (int k = 1; k <= K; k++) {
            assert_ok(netdp_mixing_workload(rows ? stochastic : s.mixing, k, T, gram, &error));
            for (int p = 0; p < T; p++)
                for (int q = 0; q < T; q++) {
                    double want = 0;
                    for (int t = p > q ? p : q; t < T; t++)
                        for (int u = 0; u < n; u++)
                            for (int v = 0; v < n; v++)
                                want += power[k * (t - p + 1)][u][v] * power[k * (t - q + 1)][u][v];
                    assert_true(fabs(gram[p * T + q] - want) <= 1e-12 * want);
                }
        }
        netdp_mixing_free(stochastic);
        scene_free(&s);
    }
}

/* What a design says of itself is so: its error, and that a class tells as much as k fresh phases. */
static void check_design(const netdp_quiet_request *r, const netdp_quiet_design *d,
                         const double *gram)
{
    const int n = (int)r->phases, most = (int)((r->phases - 1) / r->cycle) + 1;
    double *q = calloc((size_t)(n * n), 8), error_of = 0, told = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                q[i * n + j] += d->factor[i * n + k] * d->factor[j * n + k];
    for (int i = 0; i < n * n; i++)
        error_of += q[i] * gram[i];
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, q, n), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, q, n), 0);
    for (int first = 0; first < r->cycle; first++) {
        double sum = 0;
        for (int i = first; i < n; i += (int)r->cycle)
            for (int j = first; j < n; j += (int)r->cycle)
                sum += fabs(i > j ? q[j * n + i] : q[i * n + j]);
        told = fmax(told, sum);
    }
    if (fabs(told / most - 1) > 1e-6 || fabs(error_of * most / d->error - 1) > 1e-6)
        fail_msg("tells %.9g of %d, error %.9g, said %.9g", told, most, error_of * most, d->error);
    free(q);
}

/* tr(G Q) at class sums of 1 of the design for L'L, where L L' = P G P and P turns the phases round. */
static double mistaken(const netdp_quiet_request *r, const double *gram)
{
    const int n = (int)r->phases;
    double *l = calloc((size_t)(n * n), 8), *wrong = calloc((size_t)(n * n), 8), sum = 0;
    netdp_error error;
    netdp_quiet_design *design;
    for (int i = 0; i < n * n; i++)
        l[i] = gram[n * n - 1 - i];
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, l, n), 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = i > j ? i : j; k < n; k++)
                wrong[i * n + j] += l[i * n + k] * l[j * n + k];
    netdp_quiet_request other = *r;
    other.workload = wrong;
    assert_ok(netdp_quiet_design_new(&other, &design, &error));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= i && k <= j; k++)
                sum += gram[i * n + j] * design->factor[i * n + k] * design->factor[j * n + k];
    netdp_quiet_design_free(design);
    free(l);
    free(wrong);
    return sum * (double)((r->phases - 1) / r->cycle + 1);
}

/* The objectives that MFDL's own job has with the right factor, which its code misses by 0.8 to 2.6
 * per cent (docs/what-holds.md): 64 phases, each row in 4 of them. */
static void test_mfdl(void **unused)
{
    (void)unused;
    static const struct {
        const char *family;
        double right, theirs;
    } table[] = {{"florentine", 3200.41, 3264},
                 {"star 128", 37148.9, 37563},
                 {"path 128", 30102.4, 30344},
                 {"hypercube 7", 7580.61, 7781}};
    enum { T = 64 };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_error error;
        netdp_graph *graph;
        netdp_mixing *mixing;
        netdp_quiet_design *design, *banded;
        static double gram[T * T];
        assert_ok(netdp_graph_make(table[i].family, 1, true, &graph, NULL, &error));
        assert_ok(netdp_mixing_new_stochastic(graph, "rows", &mixing, &error));
        assert_ok(netdp_mixing_workload(mixing, 1, T, gram, &error));
        netdp_mixing_free(mixing);
        netdp_quiet_request request = {{NETDP_QUIET_OPTIMAL, 0}, T, 16, gram};
        assert_ok(netdp_quiet_design_new(&request, &design, &error));
        if (!(design->error < table[i].right * 1.0005))
            fail_msg("%s: %.8g, not %.8g", table[i].family, design->error, table[i].right);
        assert_true(design->error > table[i].right * 0.999 && design->error < table[i].theirs);
        check_design(&request, design, gram);
        const double theirs = mistaken(&request, gram);
        if (fabs(theirs / table[i].theirs - 1) > 1e-3)
            fail_msg("%s: the wrong factor makes %.8g, not %.8g", table[i].family, theirs,
                     table[i].theirs);
        request.kind = (netdp_quiet_kind){NETDP_QUIET_BANDED, 16};
        assert_ok(netdp_quiet_design_new(&request, &banded, &error));
        assert_true(banded->error >= design->error * 0.9999 && banded->error < design->fresh);
        check_design(&request, banded, gram);
        netdp_quiet_design_free(design);
        netdp_quiet_design_free(banded);
        netdp_graph_free(graph);
    }
}

/* Exponentials: what they say is so, and they come near the least however often a row takes part. */
static void test_exponentials(void **unused)
{
    (void)unused;
    enum { T = 96 };
    static double gram[T * T];
    netdp_error error;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            gram[i * T + j] = T - (i > j ? i : j);
    const int cycles[] = {T, T / 2, T / 4, T / 10, T / 24, T / 48};
    for (size_t c = 0; c < sizeof cycles / sizeof *cycles; c++) {
        netdp_quiet_design *least, *blt;
        netdp_quiet_request request = {{NETDP_QUIET_OPTIMAL, 0}, T, cycles[c], NULL};
        assert_ok(netdp_quiet_design_new(&request, &least, &error));
        request.kind = (netdp_quiet_kind){NETDP_QUIET_BLT, 4};
        assert_ok(netdp_quiet_design_new(&request, &blt, &error));
        check_design(&request, blt, gram);
        const double over = blt->error / least->error;
        if (!(over > 0.9999 && over < 1.05))
            fail_msg("cycle %d: %g times the least", cycles[c], over);
        netdp_quiet_design_free(least);
        netdp_quiet_design_free(blt);
    }
    /* `netdp design --phases 640 --cycle B` in half a minute: what is optimal there. */
    static const struct {
        int64_t cycle;
        double least;
    } long_runs[] = {{640, 5049.34}, {160, 21244.1}, {32, 181379.7}};
    for (size_t i = 0; i < sizeof long_runs / sizeof *long_runs; i++) {
        netdp_quiet_design *blt;
        const netdp_quiet_request request = {{NETDP_QUIET_BLT, 4}, 640, long_runs[i].cycle, NULL};
        assert_ok(netdp_quiet_design_new(&request, &blt, &error));
        const double over = blt->error / long_runs[i].least;
        if (!(over > 0.9999 && over < 1.05))
            fail_msg("640 phases, cycle %d: %g times the least", (int)request.cycle, over);
        netdp_quiet_design_free(blt);
    }
    netdp_quiet_kind kind;
    netdp_quiet_design *none;
    assert_fails(netdp_quiet_parse("blt:9", &kind, &error), NETDP_INVALID);
    assert_fails(netdp_quiet_parse("banded:", &kind, &error), NETDP_INVALID);
    const netdp_quiet_request every = {{NETDP_QUIET_OPTIMAL, 0}, 4, 1, NULL},
                              wide = {{NETDP_QUIET_BANDED, 3}, 4, 2, NULL},
                              many = {{NETDP_QUIET_OPTIMAL, 0}, 1501, 2, NULL};
    assert_fails(netdp_quiet_design_new(&every, &none, &error), NETDP_INVALID);
    assert_fails(netdp_quiet_design_new(&wide, &none, &error), NETDP_INVALID);
    assert_fails(netdp_quiet_design_new(&many, &none, &error), NETDP_NO_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_covariance),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_large_pairs),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_workload),
        cmocka_unit_test(test_mfdl),
        cmocka_unit_test(test_exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
