/* What is left of pairwise noise, against dense matrices written down once more: e_w' R L R' e_w. */
#include "../check.h"

#include <glob.h>
#include <netdp/account.h>
#include <netdp/noise.h>
#include <netdp/protocol.h>
#include <netdp/study.h>

#include "account/gossip/pairs_left.h"
#include "plan/variant.h"

enum { MOST = 40 };

typedef struct world {
    netdp_graph *graph, *pairs;
    netdp_mixing *mixing;
    int32_t n;
    netdp_linear protocol;
} world;

typedef double matrix[MOST][MOST];

static world begin(const char *family, const char *weights, const char *pairs, double kappa)
{
    netdp_error error;
    world w = {0};
    assert_ok(netdp_graph_make(family, 3, true, &w.graph, NULL, &error));
    assert_ok(netdp_mixing_new_stochastic(w.graph, weights, &w.mixing, &error));
    assert_ok(netdp_pairing_graph(pairs, w.graph, 1, &w.pairs, &error));
    w.n = netdp_graph_nodes(w.graph);
    w.protocol =
        (netdp_linear){.mixing = w.mixing, .noise.pairing = {.graph = w.pairs, .kappa = kappa}};
    return w;
}

static void end(world *w)
{
    netdp_graph_free(w->pairs);
    netdp_mixing_free(w->mixing);
    netdp_graph_free(w->graph);
}

static void product(int32_t n, matrix a, matrix b, matrix to)
{
    static matrix made;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            made[i][j] = 0;
            for (int32_t k = 0; k < n; k++)
                made[i][j] += a[i][k] * b[k][j];
        }
    memcpy(to, made, sizeof made);
}

static void identity(matrix to)
{
    memset(to, 0, sizeof(matrix));
    for (int32_t i = 0; i < MOST; i++)
        to[i][i] = 1;
}

/* The response to one block of rounds: W^K, or the Chebyshev polynomial by its recursion. */
static void response(const world *w, int64_t rounds, double weight, matrix to)
{
    static matrix mixing, before, next;
    const netdp_rows rows = netdp_mixing_rows(w->mixing);
    memset(mixing, 0, sizeof mixing);
    for (int32_t v = 0; v < w->n; v++)
        for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++)
            mixing[v][rows.column[j]] = rows.weight[j];
    identity(before);
    memcpy(to, mixing, sizeof mixing);
    for (int64_t t = 1; t < rounds; t++) {
        product(w->n, mixing, to, next);
        for (int32_t i = 0; i < w->n; i++)
            for (int32_t j = 0; j < w->n; j++)
                next[i][j] = weight * next[i][j] + (1 - weight) * before[i][j];
        memcpy(before, to, sizeof before);
        memcpy(to, next, sizeof next);
    }
}

/* square[w] += kappa^2 sum over pairs (R_wa - R_wb)^2 */
static void add_energy(const world *w, matrix r, double *square)
{
    const double kappa = w->protocol.noise.pairing.kappa;
    for (int32_t a = 0; a < w->n; a++)
        for (int32_t i = 0; i < netdp_graph_degree(w->pairs, a); i++) {
            const int32_t b = netdp_graph_neighbours(w->pairs, a)[i];
            for (int32_t v = 0; a < b && v < w->n; v++)
                square[v] += kappa * kappa * (r[v][a] - r[v][b]) * (r[v][a] - r[v][b]);
        }
}

static void compare(const world *w, const double *square, double own)
{
    netdp_error error;
    netdp_i_pairs_left left;
    double sum = 0, most = 0;
    for (int32_t v = 0; v < w->n; v++) {
        sum += square[v];
        most = fmax(most, square[v]);
    }
    assert_ok(netdp_i_pairs_left_find(&w->protocol, &left, &error));
    assert_close(left.mean, sqrt(sum / w->n / own), 1e-13, 1e-9);
    assert_close(left.worst, sqrt(most / own), 1e-13, 1e-9);
    assert_true(left.node >= 0 && square[left.node] >= most * (1 - 1e-6));
}

static void averaging(void **state)
{
    static const struct {
        const char *family, *weights, *pairs;
        int64_t rounds;
        bool accelerate;
    } cases[] = {
        {"path 32", "metropolis", "edges", 10, false},
        {"path 32", "metropolis", "edges", 300, false},
        {"star 20", "metropolis", "regular 4", 25, false},
        {"davis", "lazy:0.5", "complete", 8, false},
        {"davis", "metropolis", "k-out 3", 30, true},
        {"hypercube 5", "metropolis", "edges", 6, false}, /* one node stands for all */
        {"hypercube 5", "metropolis", "regular 3", 6, false},
        {"star 20", "metropolis", "complete", 7, false}, /* leaves are one another's twins */
        {"star 20", "hamilton", "edges", 9, true},
        {"star 12", "rows", "edges", 40, false}}; /* not symmetric: it never cancels */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static matrix r;
        double square[MOST] = {0}, weight = 1;
        netdp_error error;
        world w = begin(cases[i].family, cases[i].weights, cases[i].pairs, 10);
        w.protocol.rounds = cases[i].rounds;
        w.protocol.accelerate = cases[i].accelerate;
        netdp_spectrum spectrum;
        assert_ok(netdp_mixing_spectrum(w.mixing, NETDP_SPECTRAL_AUTO, &spectrum, &error));
        if (cases[i].accelerate)
            weight = netdp_linear_chebyshev(spectrum.gap);
        response(&w, cases[i].rounds, weight, r);
        add_energy(&w, r, square);
        compare(&w, square, 1.0 / w.n);
        end(&w);
    }
}

/* All phases together, fresh noise and correlated. */
static void phases(void **state)
{
    enum { PHASES = 6, INNER = 4 };
    (void)state;
    for (int correlated = 0; correlated < 2; correlated++) {
        static matrix one, power[PHASES + 1], mixed;
        double square[MOST] = {0}, factor[PHASES * PHASES] = {0}, own = 0;
        world w = begin("davis", "metropolis", "edges", 5);
        for (int p = 0; p < PHASES; p++)
            for (int q = 0; q <= p; q++)
                factor[p * PHASES + q] = p == q ? 1 : correlated ? -0.4 / (p - q) : 0;
        w.protocol.rounds = PHASES * INNER;
        w.protocol.every = INNER;
        w.protocol.reacts = true;
        if (correlated)
            w.protocol.quiet = (netdp_quiet){factor, PHASES};
        response(&w, INNER, 1, one);
        identity(power[0]);
        for (int j = 0; j < PHASES; j++)
            product(w.n, one, power[j], power[j + 1]);
        for (int q = 0; q < PHASES; q++) {
            double column = 0;
            memset(mixed, 0, sizeof mixed);
            for (int p = q; p < PHASES; p++) {
                column += factor[p * PHASES + q];
                for (int32_t v = 0; v < w.n; v++)
                    for (int32_t u = 0; u < w.n; u++)
                        mixed[v][u] += factor[p * PHASES + q] * power[PHASES - p][v][u];
            }
            own += column * column / w.n;
            add_energy(&w, mixed, square);
        }
        compare(&w, square, own);
        end(&w);
    }
}

/* Matrices that were drawn; a node that fails late leaves halves that no round takes away. */
static void changing(void **state)
{
    (void)state;
    netdp_error error;
    static matrix r, drawn;
    double square[MOST] = {0};
    world w = begin("davis", "metropolis", "edges", 10);
    netdp_sequence *sequence;
    w.protocol.rounds = 12;
    w.protocol.varying = (netdp_variation){.kind = NETDP_VARY_EDGES, .missing = 0.3, .seed = 7};
    assert_ok(netdp_sequence_new(w.mixing, &w.protocol.varying, &sequence, &error));
    identity(r);
    for (int64_t t = 0; t < w.protocol.rounds; t++) {
        netdp_round round;
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        memset(drawn, 0, sizeof drawn);
        for (int32_t v = 0; v < w.n; v++)
            for (int64_t j = round.rows.start[v]; j < round.rows.start[v + 1]; j++)
                drawn[v][round.rows.column[j]] = round.rows.weight[j];
        product(w.n, drawn, r, r);
    }
    add_energy(&w, r, square);
    compare(&w, square, 1.0 / w.n);
    netdp_sequence_free(sequence);

    netdp_i_pairs_left left;
    int64_t rounds = 0;
    w.protocol.varying = (netdp_variation){.kind = NETDP_VARY_LATE, .missing = 0.1, .seed = 8};
    w.protocol.rounds = 400;
    assert_ok(netdp_i_pairs_left_find(&w.protocol, &left, &error));
    assert_true(left.mean > 5); /* whatever the rounds */
    assert_ok(netdp_i_pairs_left_rounds(&w.protocol, 10, &rounds, &error));
    assert_int_equal(rounds, -1);
    end(&w);
}

/* It is the whole difference between two predictions: with pairs and without. */
static void agrees_with_noise_error(void **state)
{
    (void)state;
    netdp_error error;
    double with = 0, without = 0;
    netdp_i_pairs_left left;
    world w = begin("path 32", "metropolis", "edges", 10);
    w.protocol.rounds = 60;
    w.protocol.every = 10;
    w.protocol.reacts = true;
    assert_ok(netdp_noise_error(&w.protocol, &with, &error));
    assert_ok(netdp_i_pairs_left_find(&w.protocol, &left, &error));
    w.protocol.noise.pairing.kappa = 0;
    assert_ok(netdp_noise_error(&w.protocol, &without, &error));
    assert_close(left.mean * left.mean * 6 / w.n, 2 * (with - without), 0, 1e-9);
    end(&w);
}

static void rounds_that_do(void **state)
{
    static const char *const families[] = {"path 32", "star 16", "ring 21", "hypercube 4"};
    (void)state;
    netdp_error error;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (int phased = 0; phased < 2; phased++) {
            world w = begin(families[i], "metropolis", "edges", 10);
            netdp_i_pairs_left left;
            int64_t found = 0;
            w.protocol.rounds = phased ? 10 : 1;
            w.protocol.every = phased ? 1 : 0;
            w.protocol.reacts = phased;
            assert_ok(netdp_i_pairs_left_rounds(&w.protocol, 1, &found, &error));
            assert_true(found > 1);
            for (int64_t less = 0; less < 2; less++) {
                w.protocol.rounds = (phased ? 10 : 1) * (found - less);
                w.protocol.every = phased ? found - less : 0;
                assert_ok(netdp_i_pairs_left_find(&w.protocol, &left, &error));
                assert_true((left.worst <= NETDP_I_LEFT_MOST) == (less == 0));
            }
            end(&w);
        }
}

/* Large networks have a bound: never below, and no node is named. */
static void bound(void **state)
{
    (void)state;
    netdp_error error;
    netdp_i_pairs_left left, far;
    world w = begin("path 1200", "metropolis", "edges", 10);
    w.protocol.rounds = 1200;
    assert_ok(netdp_i_pairs_left_find(&w.protocol, &left, &error));
    assert_int_equal(left.node, -1);
    w.protocol.rounds = 3;
    assert_ok(netdp_i_pairs_left_find(&w.protocol, &far, &error)); /* exact */
    assert_true(far.node >= 0 && far.mean <= far.worst);
    assert_true(left.mean > 0 && left.worst > 0);
    end(&w);
}

/* A variant of a study on its own network, rounds that are numbers; rounds auto take enough by themselves. */
static int obeys(const netdp_study *study, const char *name)
{
    netdp_error error;
    netdp_graph_notes notes;
    netdp_i_pairs_left left = {0};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    if (study->question.pair_graph == NULL || !(study->question.settings.noise.pairing.kappa > 0) ||
        study->protocol.rounds == 0 ||
        netdp_i_problem_graph(study, NULL, &graph, &notes, &error) != NETDP_OK)
        return 0; /* of a network that is not here, too */
    assert_ok(netdp_mixing_new_stochastic(graph, study->mixing.weights, &mixing, &error));
    const netdp_i_problem problem = {.graph = graph, .mixing = mixing};
    netdp_i_variant variant = {
        .role = NETDP_I_NETWORK, .study = study, .problem = &problem, .name = ""};
    assert_ok(netdp_i_variant_describe(&variant, &error));
    const bool gossip =
        variant.kind == NETDP_GOSSIP && netdp_pairing_is(&variant.protocol.noise.pairing);
    if (gossip) {
        assert_ok(netdp_i_pairs_left_find(&variant.protocol, &left, &error));
        if (!(left.worst <= NETDP_I_LEFT_MOST))
            fail_msg("%s: %s leaves %g of the pairwise noise", study->path, name, left.worst);
    }
    netdp_i_variant_clear(&variant);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return gossip;
}

/* Every study that comes with netdp, whole and with each of its variants, sweeps and all. */
static void shipped_studies_obey(void **state)
{
    (void)state;
    char pattern[4096];
    int seen = 0;
    glob_t found;
    netdp_error error;
    snprintf(pattern, sizeof pattern, "%s/experiments/*.yaml", getenv("NETDP_SOURCE"));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        netdp_study *study = NULL;
        assert_ok(netdp_study_read(found.gl_pathv[i], NULL, 0, &study, &error));
        const bool looks =
            strstr(found.gl_pathv[i], "/reconstruct-ego.yaml") == NULL; /* it says why */
        for (int32_t k = 0; looks && k < study->variation_count; k++)
            seen += obeys(study->variation[k].study, study->variation[k].name);
        if (looks && study->variation_count == 0)
            seen += obeys(study, "");
        netdp_study_free(study);
    }
    globfree(&found);
    assert_true(seen >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averaging),
        cmocka_unit_test(phases),
        cmocka_unit_test(changing),
        cmocka_unit_test(agrees_with_noise_error),
        cmocka_unit_test(rounds_that_do),
        cmocka_unit_test(bound),
        cmocka_unit_test(shipped_studies_obey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
