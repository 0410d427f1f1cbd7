/*
 * Nodes that fail after their partners have added their halves: what is accounted for against the
 * dense covariance of all that an observer sees, and the error against its prediction. Fixed seeds,
 * 4 standard errors.
 */
#include "check.h"

#include <netdp/account.h>
#include <netdp/simulate.h>

static netdp_error error;

enum { NODES = 8, ROUNDS = 4, EDGES = NODES * NODES, SOURCES = NODES * (ROUNDS + 1) + EDGES };
enum { ROWS = NODES * ROUNDS, RUNS = 20000 };

typedef struct net {
    netdp_graph *graph, *pairs, *left;
    netdp_mixing *mixing;
    netdp_linear protocol;
    bool living[NODES];
    int32_t count;
} net;

static void net_make(net *n, uint64_t seed, bool revealed, double kappa)
{
    *n = (net){.graph = NULL};
    assert_ok(netdp_graph_make("erdos-renyi 8 0.6", 3, true, &n->graph, NULL, &error));
    assert_ok(netdp_graph_make("regular 8 3", 1, true, &n->pairs, NULL, &error));
    assert_ok(netdp_mixing_new(n->graph, "metropolis", &n->mixing, &error));
    n->protocol = (netdp_linear){
        .mixing = n->mixing, .rounds = ROUNDS, .noise.dither = 0.3, .varying = {.seed = seed}};
    assert_ok(netdp_variation_dropout(revealed ? "revealed:0.3" : "late:0.3", &n->protocol.varying,
                                      &error));
    assert_ok(
        netdp_variation_living(n->mixing, &n->protocol.varying, n->living, &n->count, &error));
    if (revealed)
        assert_ok(
            netdp_pairing_revealed(n->pairs, n->mixing, &n->protocol.varying, &n->left, &error));
    n->protocol.noise.pairing =
        (netdp_pairing){.graph = revealed ? n->left : n->pairs, .kappa = kappa};
}

static void net_drop(net *n)
{
    netdp_graph_free(n->left);
    netdp_graph_free(n->pairs);
    netdp_mixing_free(n->mixing);
    netdp_graph_free(n->graph);
}

/* Metropolis weights of the network that is left: 1/(1 + the larger degree of the whole network),
   what is missing stays at home. */
static void living_weights(const net *n, double w[NODES][NODES])
{
    const netdp_rows rows = netdp_mixing_rows(n->mixing);
    memset(w, 0, NODES * sizeof *w);
    for (int32_t v = 0; v < NODES; v++)
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++) {
            const int32_t to = rows.column[i];
            w[v][to == v || (n->living[v] && n->living[to]) ? to : v] += rows.weight[i];
        }
}

/* What `observer` learns of u by every message of the neighbours that it has left; its own noise
   and pairs known, and of revealed pairs those of nodes that failed. */
static double dense(const net *n, int32_t u, int32_t observer, bool revealed)
{
    static double message[NODES][SOURCES + 1], state[NODES][SOURCES + 1], row[ROWS][SOURCES + 1];
    double w[NODES][NODES];
    int rows = 0, edge = NODES * ROUNDS;
    living_weights(n, w);
    memset(state, 0, sizeof state);
    for (int t = 0; t < ROUNDS; t++) {
        memcpy(message, state, sizeof state);
        for (int32_t v = 0; v < NODES; v++) {
            message[v][t * NODES + v] += v == observer ? 0 : t == 0 ? 1 : 0.3;
            if (t == 0 && v == u)
                message[v][SOURCES] = 1;
        }
        for (int32_t v = 0; t == 0 && v < NODES; v++)
            for (int32_t i = 0; i < netdp_graph_degree(n->pairs, v); i++, edge++) {
                const int32_t to = netdp_graph_neighbours(n->pairs, v)[i];
                if (to < v || v == observer || to == observer ||
                    (revealed && !(n->living[v] && n->living[to])))
                    continue;
                message[v][edge] += n->protocol.noise.pairing.kappa;
                message[to][edge] -= n->protocol.noise.pairing.kappa;
            }
        for (int32_t v = 0; v < NODES; v++)
            if (v != observer && w[observer][v] > 0)
                memcpy(row[rows++], message[v], sizeof message[v]);
        for (int32_t v = 0; v < NODES; v++)
            for (int s = 0; s <= SOURCES; s++) {
                state[v][s] = 0;
                for (int32_t from = 0; from < NODES; from++)
                    state[v][s] += w[v][from] * message[from][s];
            }
    }
    long double l[ROWS][ROWS], x[ROWS], sum = 0;
    for (int i = 0; i < rows; i++) {
        x[i] = row[i][SOURCES];
        for (int j = 0; j <= i; j++) {
            long double rest = 0;
            for (int s = 0; s < SOURCES; s++)
                rest += (long double)row[i][s] * row[j][s];
            for (int k = 0; k < j; k++)
                rest -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrtl(rest) : rest / l[j][j];
        }
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
        sum += x[i] * x[i];
    }
    return (double)sum;
}

/* The account is exact, and with noise in pairs never above the account without. */
static void test_account(void **state)
{
    (void)state;
    static const double noises[] = {0, 0.5, 2, 30};
    double told = 0, before[NODES][NODES];
    int failed = 0;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int i = 0; i < 8; i++) {
            const bool revealed = i >= 4;
            net n;
            net_make(&n, seed, revealed, noises[i % 4]);
            failed += NODES - n.count;
            for (int32_t v = 0; v < NODES; v++) {
                netdp_losses *losses = NULL;
                const netdp_loss_request request = {
                    .protocol = &n.protocol, .to_count = 1, .to = &v};
                assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
                assert_true(losses->sound);
                for (int32_t u = 0; u < NODES; u++) {
                    const double got = losses->loss[u], want = dense(&n, u, v, revealed);
                    if (u == v)
                        continue;
                    assert_true(got >= want * (1 - 1e-9));
                    assert_close(got, want, 1e-9, 1e-9);
                    if (i % 4 > 0)
                        assert_true(got <= before[v][u] * (1 + 1e-9) + 1e-12);
                    assert_true((n.living[u] && n.living[v]) || got < 1e-9);
                    before[v][u] = got;
                    told += want;
                }
                netdp_losses_free(losses);
            }
            net_drop(&n);
        }
    assert_true(told > 10 && failed > 10);
}

/* Seen by everybody: with what is left unrevealed the living hide behind the dead, too. */
static void test_everything(void **state)
{
    (void)state;
    net n;
    net_make(&n, 2, false, 2);
    for (int32_t v = 0; v < NODES; v++) {
        netdp_losses *all = NULL, *some = NULL;
        netdp_loss_request request = {.protocol = &n.protocol, .to_count = 1, .to = &v};
        assert_ok(netdp_losses_new(&request, NULL, &some, &error));
        request.sees = NETDP_SEES_EVERYTHING;
        assert_ok(netdp_losses_new(&request, NULL, &all, &error));
        for (int32_t u = 0; u < NODES; u++)
            assert_true(u == v || some->loss[u] <= all->loss[u] * (1 + 1e-12));
        netdp_losses_free(all);
        netdp_losses_free(some);
    }
    net_drop(&n);
}

static bool keep_last(void *context, const netdp_trace_row *row)
{
    *(netdp_trace_row *)context = *row;
    return true;
}

static void test_error(void **state)
{
    (void)state;
    static double values[NODES * RUNS], result[NODES * RUNS];
    double predicted[2];
    for (int revealed = 0; revealed < 2; revealed++) {
        net n;
        netdp_trace_row last;
        double sum = 0, squares = 0;
        net_make(&n, 2, revealed == 1, 2);
        assert_true(n.count > 2 && n.count < NODES);
        assert_ok(netdp_simulate(&n.protocol, 1, values, RUNS, (netdp_run_seed){3, 0},
                                 (netdp_tracing){1, keep_last, &last, NULL}, result, &error));
        assert_ok(netdp_noise_error(&n.protocol, &predicted[revealed], &error));
        for (int j = 0; j < RUNS; j++) {
            double mine = 0;
            for (int v = 0; v < NODES; v++)
                if (n.living[v])
                    mine += result[v * RUNS + j] * result[v * RUNS + j] / (2.0 * n.count);
            sum += mine / RUNS;
            squares += mine * mine / RUNS;
        }
        assert_close(sum, predicted[revealed], 4 * sqrt((squares - sum * sum) / RUNS), 0);
        assert_close(last.objective, sum * RUNS, 0, 1e-9); /* over all columns */
        net_drop(&n);
    }
    assert_true(predicted[0] > 2 * predicted[1]);
}

static void test_refused(void **state)
{
    (void)state;
    net n;
    netdp_variation varying = {.seed = 1};
    net_make(&n, 2, true, 2);
    netdp_linear p = n.protocol;
    p.every = 2;
    p.reacts = true;
    assert_fails(netdp_linear_check(&p, &error), NETDP_INVALID);
    assert_fails(netdp_variation_dropout("late:1", &varying, &error), NETDP_INVALID);
    assert_fails(netdp_variation_dropout("late:", &varying, &error), NETDP_INVALID);
    assert_fails(netdp_variation_dropout("soon:0.1", &varying, &error), NETDP_INVALID);
    assert_ok(netdp_variation_dropout("late:0", &varying, &error));
    assert_int_equal(varying.kind, NETDP_VARY_NEVER);
    const netdp_loss_request request = {.protocol = &n.protocol};
    const netdp_drawn_request drawn = {.losses = &request,
                                       .draws = 10,
                                       .noise = 1,
                                       .unit = {NETDP_AS_RDP, 2},
                                       .failure = NETDP_DRAWN_FAILURE};
    netdp_losses *losses = NULL;
    assert_fails(netdp_losses_drawn(&drawn, NULL, &losses, &error), NETDP_INVALID);
    varying = (netdp_variation){.kind = NETDP_VARY_LATE, .missing = 0.999999, .seed = 1};
    bool living[NODES];
    assert_fails(netdp_variation_living(n.mixing, &varying, living, NULL, &error), NETDP_INVALID);
    net_drop(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_account), cmocka_unit_test(test_everything),
        cmocka_unit_test(test_error), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
