/* Units, summaries, calibration and requests of the accountant, and its memory. */
#include "net.h"
#include "sweep.h"

#include <netdp/walk.h>

#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- Units ---- */

static void test_units_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        netdp_unit unit;
    } good[] = {
        {"loss", {NETDP_AS_LOSS, 0}},           {"gdp", {NETDP_AS_GDP, 0}},
        {"rdp:2", {NETDP_AS_RDP, 2}},           {"rdp:1.0000001", {NETDP_AS_RDP, 1.0000001}},
        {"rdp:1e300", {NETDP_AS_RDP, 1e300}},   {"dp:1e-6", {NETDP_AS_DP, 1e-6}},
        {"dp:1e-300", {NETDP_AS_DP, 1e-300}},   {"dp:0.999", {NETDP_AS_DP, 0.999}},
        {"dp:4.9e-324", {NETDP_AS_DP, 5e-324}},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        netdp_unit unit = {NETDP_AS_LOSS, -1};
        assert_ok(netdp_unit_parse(good[i].text, &unit, &error));
        assert_int_equal(unit.currency, good[i].unit.currency);
        assert_true(unit.parameter == good[i].unit.parameter);
    }
    static const char *const bad[] = {
        "",         "Loss",    "loss ",   "losses",    "loss:1",    "gdp:",   "gdp:1",   "rdp",
        "rdp:",     "rdp:1",   "rdp:0.5", "rdp:inf",   "rdp:nan",   "rdp:-2", "rdp:2 ",  "rdp: 2",
        "rdp:0x2",  "rdp:2,3", "dp",      "dp:",       "dp:0",      "dp:1",   "dp:-0.1", "dp:nan",
        "dp:1e-6x", "dp:inf",  "dp:2",    "dp:1e-400", "rdp:1e400", "dp:+",   "dp:.",    "dp:1e"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_unit unit = {NETDP_AS_GDP, 17};
        if (netdp_unit_parse(bad[i], &unit, NULL) == NETDP_OK)
            fail_msg("'%s' was taken", bad[i]);
        assert_fails(netdp_unit_parse(bad[i], &unit, &error), NETDP_INVALID);
        assert_true(unit.currency == NETDP_AS_GDP && unit.parameter == 17);
    }
}

static void test_units_have_one_spelling(void **state)
{
    (void)state;
    static const char *const spelled[][2] = {{"loss", "loss"},
                                             {"gdp", "gdp"},
                                             {"dp:1e-6", "dp:1e-6"},
                                             {"dp:1E-06", "dp:1e-6"},
                                             {"dp:.000001", "dp:1e-6"},
                                             {"dp:0.03", "dp:0.03"},
                                             {"rdp:2.0", "rdp:2"},
                                             {"rdp:1e+06", "rdp:1e6"},
                                             {"rdp:1.0000001", "rdp:1.0000001"},
                                             {"dp:1e-300", "dp:1e-300"}};
    char text[NETDP_UNIT_ROOM];
    netdp_unit unit, again;
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
        assert_ok(netdp_unit_parse(spelled[i][0], &unit, &error));
        netdp_unit_text(unit, text);
        assert_string_equal(text, spelled[i][1]);
    }
    /* Every double comes back, in the room that there is. */
    for (double delta = 0.3333333333333333; delta > 0; delta *= 0.123456789) {
        netdp_unit_text((netdp_unit){NETDP_AS_DP, delta}, text);
        assert_ok(netdp_unit_parse(text, &again, &error));
        assert_true(again.currency == NETDP_AS_DP && again.parameter == delta);
    }
    static const char *const others[][2] = {
        {"mu", "write gdp"},          {"gaussian", "write gdp"},  {"gdp:1", "write gdp"},
        {"Renyi", "write rdp:ALPHA"}, {"rdp", "write rdp:ALPHA"}, {"DP:1e-6", "write dp:DELTA"},
        {"epsilon", "write dp:DELTA"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_fails(netdp_unit_parse(others[i][0], &unit, &error), NETDP_INVALID);
        assert_non_null(strstr(error.text, others[i][1]));
    }
    netdp_unit_text((netdp_unit){99, 2}, text);
    assert_string_equal(text, "");
}

static void test_values_at_the_limits(void **state)
{
    (void)state;
    static const netdp_unit units[] = {
        {NETDP_AS_GDP, 0}, {NETDP_AS_RDP, 2}, {NETDP_AS_DP, 1e-6}, {NETDP_AS_DP, 1e-300}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = -1;
        assert_ok(netdp_loss_value(0, 1, units[i], &value, &error));
        assert_true(value == 0);
        assert_ok(netdp_loss_value(0, 0, units[i], &value, &error)); /* nothing sent */
        assert_true(value == 0);
        assert_ok(netdp_loss_value(0.5, 0, units[i], &value, &error));
        assert_true(isinf(value) && value > 0);
        assert_ok(netdp_loss_value(1e-300, 0, units[i], &value, &error));
        assert_true(isinf(value) && value > 0);
        assert_ok(netdp_loss_value(INFINITY, 3, units[i], &value, &error));
        assert_true(isinf(value) && value > 0);
        assert_ok(netdp_loss_value(1, INFINITY, units[i], &value, &error));
        assert_true(value == 0);
        /* An upper bound is not 0 where something is learnt. */
        assert_ok(netdp_loss_value(1e-300, 1e308, units[i], &value, &error));
        assert_true(value > 0 || units[i].currency == NETDP_AS_DP);
        value = 17;
        assert_fails(netdp_loss_value(-1e-300, 1, units[i], &value, &error), NETDP_INVALID);
        assert_fails(netdp_loss_value(NAN, 1, units[i], &value, &error), NETDP_INVALID);
        assert_fails(netdp_loss_value(1, -1, units[i], &value, &error), NETDP_INVALID);
        assert_fails(netdp_loss_value(1, NAN, units[i], &value, &error), NETDP_INVALID);
        assert_true(value == 17);
    }
    /* mu = sqrt(loss) / sigma, rounded up: its square times sigma^2 is not below the loss. */
    for (double loss = 1e-18; loss < 1; loss *= 3.1)
        for (double sigma = 1e-3; sigma < 1e5; sigma *= 2.3) {
            double mu = 0, rdp = 0;
            assert_ok(netdp_loss_value(loss, sigma, (netdp_unit){NETDP_AS_GDP, 0}, &mu, &error));
            assert_ok(netdp_loss_value(loss, sigma, (netdp_unit){NETDP_AS_RDP, 3}, &rdp, &error));
            assert_true((long double)mu * mu * sigma * sigma >= (long double)loss);
            assert_close(mu * mu * sigma * sigma, loss, 0, 3e-15);
            assert_true(2.0L * rdp >= 3.0L * mu * mu);
            assert_close(rdp, 1.5 * loss / (sigma * sigma), 0, 3e-15);
        }
}

/* ---- Summaries ---- */

static netdp_losses made_up(int32_t from_count, int32_t *from, int32_t to_count, int32_t *to,
                            double *loss)
{
    return (netdp_losses){.from_count = from_count,
                          .to_count = to_count,
                          .from = from,
                          .to = to,
                          .members = 1,
                          .loss = loss,
                          .sound = true,
                          .local = 1};
}

static void test_summary_and_its_ties(void **state)
{
    (void)state;
    int32_t from[] = {5, 2, 9}, to[] = {7, 2, 1};
    double loss[] = {0.25, 0.5, 0.1, 0.5, INFINITY, 0.5 * (1 + 1e-12), 0.3, 0.2, 0.4};
    const netdp_losses losses = made_up(3, from, 3, to, loss);
    netdp_summary summary;
    assert_false(netdp_losses_counts(&losses, 1, 1));
    assert_true(netdp_losses_counts(&losses, 1, 0));
    assert_ok(netdp_losses_summary(&losses, 1, (netdp_unit){NETDP_AS_LOSS, 0}, &summary, &error));
    assert_int_equal(summary.pairs, 8);
    assert_close(summary.mean, 2.75 / 8, 0, 1e-12);
    assert_close(summary.max, 0.5, 0, 1e-11);
    /* 2 -> 7, 5 -> 2 and 9 -> 2 tie up to rounding: the smallest from, then to. */
    assert_int_equal(summary.worst_from, 2);
    assert_int_equal(summary.worst_to, 7);
    assert_true(summary.local == 1);
    /* All alike: the smallest pair; the mean is not above the largest. */
    for (int i = 0; i < 9; i++)
        loss[i] = 0.1;
    assert_ok(netdp_losses_summary(&losses, 3, (netdp_unit){NETDP_AS_DP, 1e-6}, &summary, &error));
    assert_int_equal(summary.worst_from, 2);
    assert_int_equal(summary.worst_to, 1);
    assert_true(summary.mean <= summary.max);
    assert_close(summary.mean, summary.max, 0, 1e-14);
    assert_true(summary.max < summary.local);
    assert_ok(netdp_losses_summary(&losses, 0, (netdp_unit){NETDP_AS_GDP, 0}, &summary, &error));
    assert_true(isinf(summary.mean) && isinf(summary.max) && isinf(summary.local));
    /* Nothing is learnt from anyone. */
    memset(loss, 0, sizeof loss);
    assert_ok(netdp_losses_summary(&losses, 0, (netdp_unit){NETDP_AS_GDP, 0}, &summary, &error));
    assert_true(summary.mean == 0 && summary.max == 0);
    assert_int_equal(summary.worst_from, 2);
    /* Nobody is outside. */
    summary.pairs = 17;
    int32_t self[] = {4};
    const netdp_losses alone = made_up(1, self, 1, self, loss);
    assert_fails(netdp_losses_summary(&alone, 1, (netdp_unit){NETDP_AS_LOSS, 0}, &summary, &error),
                 NETDP_INVALID);
    assert_fails(
        netdp_losses_summary(&losses, NAN, (netdp_unit){NETDP_AS_GDP, 0}, &summary, &error),
        NETDP_INVALID);
    assert_int_equal(summary.pairs, 17);
}

/* ---- Requests ---- */

static void test_bounds(void **state)
{
    (void)state;
    const netdp_token token = {.steps = 2};
    netdp_graph *ring = NULL;
    netdp_mixing *mixing = NULL;
    int known = 0;
    assert_ok(netdp_graph_make("ring 4", 1, true, &ring, NULL, &error));
    assert_ok(netdp_mixing_new(ring, "metropolis", &mixing, &error));
    const netdp_linear stream = {.mixing = mixing, .rounds = 3, .every = 1, .steady = true};
    for (const netdp_bound_info *info = netdp_bounds(); info->name != NULL; info++, known++) {
        netdp_bound bound = NETDP_BOUND_EXACT;
        assert_ok(netdp_bound_parse(info->name, &bound, &error));
        /* "published" is one name for three formulas: the protocol says which */
        const netdp_bound_info *chosen = info;
        /* this token's path is hidden, and nothing is known to contract */
        const bool refused = info->bound == NETDP_BOUND_GIVEN_PATH ||
                             info->bound == NETDP_BOUND_EXCURSION_CONTRACTING;
        if (info->walk)
            assert_int_equal(netdp_walk_bound_choose(&token, bound, &chosen, &error),
                             refused ? NETDP_INVALID : NETDP_OK);
        if (info->stream)
            assert_ok(netdp_bound_choose(&stream, bound, &chosen, &error));
        assert_int_equal(info->walk || info->stream ? chosen->bound : bound, info->bound);
        assert_true(info->source[0] != '\0' && info->summary[0] != '\0');
        if (strncmp(info->name, "published", 9) == 0)
            assert_false(info->sound);
    }
    assert_true(known >= 3);
    netdp_mixing_free(mixing);
    netdp_graph_free(ring);
    static const char *const bad[] = {"", "Exact", "exactly", "best", "excursions"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_bound bound = NETDP_BOUND_PUBLISHED;
        assert_fails(netdp_bound_parse(bad[i], &bound, &error), NETDP_INVALID);
        assert_int_equal(bound, NETDP_BOUND_PUBLISHED);
    }
}

static void test_views_by_name(void **state)
{
    (void)state;
    for (int i = 0; i <= NETDP_SEES_EVERYTHING; i++) {
        netdp_sees sees = NETDP_SEES_NEIGHBOURS;
        assert_ok(netdp_sees_parse(netdp_sees_name((netdp_sees)i), &sees, &error));
        assert_int_equal(sees, i);
    }
    for (int i = 0; i <= NETDP_OWN_NOISE_COUNTS; i++) {
        netdp_own_noise own = NETDP_OWN_NOISE_KNOWN;
        assert_ok(netdp_own_noise_parse(netdp_own_noise_name((netdp_own_noise)i), &own, &error));
        assert_int_equal(own, i);
    }
    netdp_sees sees = NETDP_SEES_SUM;
    netdp_own_noise own = NETDP_OWN_NOISE_COUNTS;
    const netdp_protocol *protocol = NULL;
    assert_fails(netdp_sees_parse("sums", &sees, &error), NETDP_INVALID);
    assert_fails(netdp_own_noise_parse("", &own, &error), NETDP_INVALID);
    assert_true(sees == NETDP_SEES_SUM && own == NETDP_OWN_NOISE_COUNTS);
    assert_ok(netdp_protocol_find("averaging", &protocol, &error));
    assert_string_equal(protocol->name, "averaging");
    assert_fails(netdp_protocol_find("averagin", &protocol, &error), NETDP_INVALID);
}

static void test_bad_requests(void **state)
{
    (void)state;
    net n = family("florentine"), periodic = {NULL, NULL};
    assert_ok(netdp_graph_make("ring 8", 0, true, &periodic.graph, NULL, &error));
    assert_ok(netdp_mixing_new(periodic.graph, "hamilton", &periodic.mixing, &error));
    static const int32_t twice[] = {3, 3}, outside[] = {15}, below[] = {-1};
    const netdp_linear fine = {.mixing = n.mixing, .rounds = 4, .noise.dither = 0.1},
                       no_rounds = {.mixing = n.mixing, .rounds = 0, .noise.dither = 0.1},
                       negative = {.mixing = n.mixing, .rounds = 4, .noise.dither = -0.1},
                       nan = {.mixing = n.mixing, .rounds = 4, .noise.dither = NAN},
                       infinite = {.mixing = n.mixing, .rounds = 4, .noise.dither = INFINITY},
                       parity = {.mixing = periodic.mixing, .rounds = 4, .noise.dither = 0.1};
    const netdp_loss_request bad[] = {
        {.protocol = &no_rounds},
        {.protocol = &negative},
        {.protocol = &nan},
        {.protocol = &infinite},
        {.protocol = &parity},
        {.protocol = &fine, .from_count = 2, .from = twice},
        {.protocol = &fine, .to_count = 2, .to = twice},
        {.protocol = &fine, .from_count = 1, .from = outside},
        {.protocol = &fine, .to_count = 1, .to = below},
        {.protocol = &fine, .coalition = true},
        {.protocol = &fine, .bound = NETDP_BOUND_PUBLISHED, .sees = NETDP_SEES_SUM},
        {.protocol = &fine,
         .bound = NETDP_BOUND_PUBLISHED,
         .coalition = true,
         .to_count = 1,
         .to = twice},
    };
    const int64_t before = netdp_i_memory_live();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_losses *losses = NULL;
        assert_fails(netdp_losses_new(&bad[i], NULL, &losses, &error), NETDP_INVALID);
        assert_null(losses);
        assert_int_equal(netdp_i_memory_live(), before);
    }
    double noise = 17;
    assert_fails(netdp_noise_error(&no_rounds, &noise, &error), NETDP_INVALID);
    assert_true(noise == 17);
    netdp_losses_free(NULL);
    net_drop(n);
    net_drop(periodic);
}

static void test_rounds_auto(void **state)
{
    (void)state;
    static const struct {
        double gap;
        int32_t nodes;
        double sigma, variance;
    } table[] = {
        {0.25, 100, 1, 0.25},   {0.01, 32, 0.1, 0.25}, {1, 2, 5, 0},       {0.5, 1000, 1e-3, 1},
        {1e-4, 60, 1e3, 1e-10}, {0.3, 15, 0.5, 0.25},  {0.9, 3, 0.4, 0.1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double s2 = table[i].sigma * table[i].sigma;
        int64_t rounds = 0;
        assert_ok(netdp_rounds_auto(table[i].gap, table[i].nodes, table[i].sigma, table[i].variance,
                                    &rounds, &error));
        assert_int_equal(rounds,
                         (int64_t)ceil(log(table[i].nodes / s2 * fmax(s2, table[i].variance)) /
                                       sqrt(table[i].gap)));
    }
    int64_t rounds = 0;
    assert_ok(netdp_rounds_auto(1, 2, 1e-300, 1e300, &rounds, &error)); /* no overflow */
    assert_int_equal(rounds, (int64_t)ceil(log(2) + 900 * log(10)));
    assert_ok(netdp_rounds_auto(1, 1, 1, 0, &rounds, &error));
    assert_int_equal(rounds, 1); /* at least one */
    static const double bad[][3] = {{0, 1, 1},          {-1, 1, 1},    {NAN, 1, 1},
                                    {0.5, 0, 1},        {0.5, -1, 1},  {0.5, NAN, 1},
                                    {0.5, 1, -1},       {0.5, 1, NAN}, {0.5, INFINITY, 1},
                                    {0.5, 1, INFINITY}, {1e-40, 1, 1}};
    rounds = 17;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_rounds_auto(bad[i][0], 10, bad[i][1], bad[i][2], &rounds, &error),
                     NETDP_INVALID);
    assert_int_equal(rounds, 17);
}

/* ---- The error that the noise causes ---- */

/* (tr W^2T + tau^2 sum tr W^2k) / 2n by products. */
static double noise_by_products(net n, int64_t rounds, double dither)
{
    const int32_t nodes = netdp_graph_nodes(n.graph);
    const size_t size = (size_t)nodes * (size_t)nodes;
    double *power = calloc(size, sizeof *power), *next = calloc(size, sizeof *next), energy = 0;
    for (int32_t u = 0; u < nodes; u++)
        power[(int64_t)u * nodes + u] = 1;
    for (int64_t k = 1; k <= rounds; k++) {
        netdp_mixing_apply(n.mixing, power, next, nodes);
        double *swap = power, trace = 0;
        power = next;
        next = swap;
        for (size_t i = 0; i < size; i++)
            trace += power[i] * power[i];
        energy += k == rounds ? trace : dither * dither * trace;
    }
    free(power);
    free(next);
    return energy / (2.0 * nodes);
}

static void test_noise_error(void **state)
{
    (void)state;
    static const char *const families[] = {"florentine",  "ring 40", "complete 8",
                                           "hypercube 5", "path 2",  "star 20"};
    static const double dither[] = {0, 1e-3, 0.1, 2};
    static const int64_t rounds[] = {1, 2, 7, 60};
    for (size_t f = 0; f < 6; f++) {
        net n = family(families[f]);
        for (size_t d = 0; d < 4; d++)
            for (size_t t = 0; t < 4; t++) {
                const netdp_linear protocol = {
                    .mixing = n.mixing, .rounds = rounds[t], .noise.dither = dither[d]};
                double got = -1;
                assert_ok(netdp_noise_error(&protocol, &got, &error));
                assert_close(got, noise_by_products(n, rounds[t], dither[d]), 0, 1e-11);
            }
        net_drop(n);
    }
    /* A million rounds: the dither of the mean grows like tau^2 T / 2n, the start is 1 / 2n. */
    net n = family("hypercube 4");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 1000000, .noise.dither = 0.1};
    double got = 0;
    assert_ok(netdp_noise_error(&protocol, &got, &error));
    assert_close(got, (1 + 0.01 * 999999) / 32, 0, 1e-3);
    net_drop(n);
}

/* Phases, by the covariance of the states: C to W (C + noise) W, and the end dither on top. */
/* What one eigenvalue leaves, by the recursion of the rounds alone. */
static double energy_of_mode(const netdp_linear *protocol, double value, double weight)
{
    double energy = 0;
    for (int64_t begin = 0; begin < protocol->rounds; begin++) {
        double before = begin == 0 ? 1 : 0, now = begin == 0 ? value : 1;
        for (int64_t t = begin == 0 ? 1 : begin; t < protocol->rounds; t++) {
            const double next =
                protocol->accelerate ? weight * value * now + (1 - weight) * before : value * now;
            before = now;
            now = next;
        }
        const double noise = netdp_linear_noise(protocol, begin);
        energy += noise * noise * now * now;
    }
    return energy;
}

/* Above 4,000 nodes node by node: a torus, whose nodes are alike, and a star, whose are not. */
static void test_noise_error_of_large_networks(void **state)
{
    (void)state;
    const double turn = 2 * acos(-1.0) / 64;
    net torus = family("torus 64 64"), star = family("star 4001");
    const double torus_gap = (2 - 2 * cos(turn)) / 5, star_gap = 1.0 / 4001;
    for (int kind = 0; kind < 6; kind += LIGHT ? 4 : 1) {
        netdp_linear protocol = {.rounds = kind < 3 ? 9 : 40,
                                 .noise.dither = kind % 3 == 0 ? 0 : 0.3,
                                 .noise.decay = kind == 5 ? 0.5 : 0,
                                 .accelerate = kind % 3 == 2};
        double got = 0, want = 0, weight = netdp_linear_chebyshev(torus_gap);
        protocol.mixing = torus.mixing;
        for (int i = 0; i < 64 * 64; i++)
            want += energy_of_mode(
                &protocol, (1 + 2 * cos(turn * (i / 64)) + 2 * cos(turn * (i % 64))) / 5, weight);
        assert_ok(netdp_noise_error(&protocol, &got, &error));
        assert_close(got, want / (2 * 64 * 64), 0, 1e-6);
        protocol.mixing = star.mixing;
        weight = netdp_linear_chebyshev(star_gap);
        want = energy_of_mode(&protocol, 1, weight) + energy_of_mode(&protocol, 0, weight) +
               3999 * energy_of_mode(&protocol, 1 - star_gap, weight);
        assert_ok(netdp_noise_error(&protocol, &got, &error));
        assert_close(got, want / (2 * 4001), 0, 1e-6);
    }
    const netdp_linear long_one = {.mixing = star.mixing, .rounds = 1000000};
    const netdp_linear paired = {
        .mixing = torus.mixing, .rounds = 9, .noise.pairing = {.graph = torus.graph, .kappa = 1}};
    double got = -1;
    assert_fails(netdp_noise_error(&long_one, &got, &error), NETDP_NO_ANSWER);
    assert_fails(netdp_noise_error(&paired, &got, &error), NETDP_NO_ANSWER);
    net_drop(torus);
    net_drop(star);
}

static void test_noise_error_of_phases(void **state)
{
    (void)state;
    static const int64_t inner[] = {1, 2, 5}, phases[] = {1, 2, 7};
    net n = family("florentine");
    const int32_t nodes = netdp_graph_nodes(n.graph);
    double *c = calloc((size_t)nodes * (size_t)nodes, sizeof *c);
    double *half = calloc((size_t)nodes * (size_t)nodes, sizeof *half);
    for (size_t k = 0; k < 3; k++)
        for (size_t p = 0; p < 3; p++) {
            const netdp_linear protocol = {.mixing = n.mixing,
                                           .rounds = inner[k] * phases[p],
                                           .every = inner[k],
                                           .reacts = true,
                                           .noise.dither = 0.3,
                                           .noise.end = 0.2};
            memset(c, 0, (size_t)nodes * (size_t)nodes * sizeof *c);
            for (int64_t t = 0; t < protocol.rounds; t++) {
                for (int32_t u = 0; u < nodes; u++)
                    c[(int64_t)u * nodes + u] += t % inner[k] == 0 ? 1 : 0.09;
                for (int twice = 0; twice < 2; twice++) { /* (W C)' = C W, as C is symmetric */
                    netdp_mixing_apply(n.mixing, c, half, nodes);
                    for (int32_t u = 0; u < nodes; u++)
                        for (int32_t v = 0; v < nodes; v++)
                            c[(int64_t)v * nodes + u] = half[(int64_t)u * nodes + v];
                }
                for (int32_t u = 0; t % inner[k] == inner[k] - 1 && u < nodes; u++)
                    c[(int64_t)u * nodes + u] += 0.04;
            }
            double want = 0, got = 0;
            for (int32_t u = 0; u < nodes; u++)
                want += c[(int64_t)u * nodes + u] / (2.0 * nodes);
            assert_ok(netdp_noise_error(&protocol, &got, &error));
            assert_close(got, want, 0, 1e-11);
        }
    const netdp_linear stream = {.mixing = n.mixing, .rounds = 4, .every = 1};
    double got = 17;
    assert_fails(netdp_noise_error(&stream, &got, &error), NETDP_INVALID);
    free(c);
    free(half);
    net_drop(n);
}

/* ---- Calibration ---- */

static void test_calibrate_refuses(void **state)
{
    (void)state;
    net n = family("florentine");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 8, .noise.dither = 0.1};
    const netdp_loss_request fine = {.protocol = &protocol};
    static const int32_t one[] = {3};
    const netdp_loss_request published = {.protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED},
                             everything = {.protocol = &protocol, .bound = NETDP_BOUND_EVERYTHING},
                             self = {.protocol = &protocol,
                                     .from_count = 1,
                                     .from = one,
                                     .to_count = 1,
                                     .to = one};
    const netdp_target usual = {.epsilon = 1, .unit = {NETDP_AS_DP, 1e-6}, .max_noise = 1e6};
    netdp_target target[12];
    for (int i = 0; i < 12; i++)
        target[i] = usual;
    target[0].epsilon = 0;
    target[1].epsilon = -1;
    target[2].epsilon = NAN;
    target[3].max_noise = 0;
    target[4].max_noise = INFINITY;
    target[5].max_noise = NAN;
    target[6].unit = (netdp_unit){NETDP_AS_LOSS, 0};
    target[7].unit = (netdp_unit){NETDP_AS_GDP, 0};
    target[8].unit.parameter = 1;
    target[9].unit = (netdp_unit){NETDP_AS_RDP, 1};
    target[10].rounds_auto = true;
    target[10].variance = -1;
    target[11].tune_dither = true;
    const int64_t before = netdp_i_memory_live();
    netdp_calibration got = {.sigma = 17};
    netdp_losses *losses = NULL;
    for (int i = 0; i < 12; i++)
        assert_fails(
            netdp_calibrate(i == 11 ? &everything : &fine, &target[i], NULL, &got, &losses, &error),
            NETDP_INVALID);
    assert_fails(netdp_calibrate(&published, &usual, NULL, &got, &losses, &error), NETDP_INVALID);
    assert_fails(netdp_calibrate(&self, &usual, NULL, &got, &losses, &error), NETDP_INVALID);
    /* The question has no answer. */
    netdp_target out_of_reach = usual;
    out_of_reach.max_noise = 4.22;
    assert_fails(netdp_calibrate(&fine, &out_of_reach, NULL, &got, &losses, &error),
                 NETDP_NO_ANSWER);
    out_of_reach.max_noise = 1e-3;
    assert_fails(netdp_calibrate(&fine, &out_of_reach, NULL, &got, &losses, &error),
                 NETDP_NO_ANSWER);
    assert_true(got.sigma == 17);
    assert_null(losses);
    assert_int_equal(netdp_i_memory_live(), before);
    out_of_reach.max_noise = 4.23;
    assert_ok(netdp_calibrate(&fine, &out_of_reach, NULL, &got, NULL, &error));
    assert_true(got.sigma > 4.22 && got.sigma <= 4.23);
    /* Infinity asks for nothing. */
    netdp_target all = usual;
    all.epsilon = INFINITY;
    assert_ok(netdp_calibrate(&fine, &all, NULL, &got, &losses, &error));
    assert_true(got.sigma == 0 && isinf(got.achieved.max));
    netdp_losses_free(losses);
    net_drop(n);
}

/* What calibrate returns, accounted for again. */
static void check_lands(net n, netdp_loss_request request, netdp_target target)
{
    netdp_calibration got = {0};
    netdp_losses *losses = NULL, *again = NULL;
    netdp_summary summary;
    assert_ok(netdp_calibrate(&request, &target, NULL, &got, &losses, &error));
    const netdp_linear protocol = {
        .mixing = n.mixing, .rounds = got.rounds, .noise.dither = got.noise.dither};
    request.protocol = &protocol;
    assert_ok(netdp_losses_new(&request, NULL, &again, &error));
    for (int64_t i = 0; i < (int64_t)again->from_count * again->to_count; i++)
        assert_true(losses->loss[i] == again->loss[i]);
    assert_ok(netdp_losses_summary(again, got.sigma, target.unit, &summary, &error));
    const double reached = target.over == NETDP_OVER_MEAN ? summary.mean : summary.max;
    if (!(reached <= target.epsilon && reached >= 0.999 * target.epsilon))
        fail_msg("target %g, delta or order %g, over %d: noise %.17g reaches %.17g", target.epsilon,
                 target.unit.parameter, (int)target.over, got.sigma, reached);
    assert_close(got.achieved.mean, summary.mean, 0, 0);
    assert_close(got.achieved.max, summary.max, 0, 0);
    netdp_losses_free(losses);
    netdp_losses_free(again);
}

static void test_calibrate_lands(void **state)
{
    (void)state;
    static const netdp_unit units[] = {{NETDP_AS_DP, 1e-6},
                                       {NETDP_AS_DP, 0.3},
                                       {NETDP_AS_DP, 1e-200},
                                       {NETDP_AS_RDP, 1.5},
                                       {NETDP_AS_RDP, 400}};
    static const double epsilon[] = {1e-4, 0.03, 1, 30, 1e4};
    net nets[] = {family("florentine"), family("regular 30 4"), family("ring 25")};
    for (size_t i = 0; i < 3; i++) {
        const netdp_linear protocol = {.mixing = nets[i].mixing, .rounds = 9, .noise.dither = 0.05};
        for (size_t u = 0; u < 5; u += LIGHT ? 2 : 1)
            for (size_t e = 0; e < 5; e++)
                for (int over = NETDP_OVER_WORST; over <= NETDP_OVER_MEAN; over++)
                    check_lands(nets[i],
                                (netdp_loss_request){.protocol = &protocol,
                                                     .sees = e % 2 == 0 ? NETDP_SEES_NEIGHBOURS
                                                                        : NETDP_SEES_SUM},
                                (netdp_target){.epsilon = epsilon[e],
                                               .unit = units[u],
                                               .over = (netdp_over)over,
                                               .max_noise = 1e12});
        net_drop(nets[i]);
    }
}

/* Many losses close together, next to epsilon 0, where a group's width costs most. */
static void test_calibrate_where_conversion_is_steep(void **state)
{
    (void)state;
    net n = family("regular 1000 20");
    static const int32_t observer[] = {0};
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 12, .noise.dither = 1};
    const netdp_loss_request request = {
        .protocol = &protocol, .sees = NETDP_SEES_SUM, .to_count = 1, .to = observer};
    static const struct {
        double epsilon, delta;
    } table[] = {{1e-5, 0.5}, {1e-4, 0.1}, {1e-6, 1e-3}, {1, 1e-6}};
    for (size_t i = 0; i < 4; i += LIGHT ? 3 : 1)
        check_lands(n, request,
                    (netdp_target){.epsilon = table[i].epsilon,
                                   .unit = {NETDP_AS_DP, table[i].delta},
                                   .over = NETDP_OVER_MEAN,
                                   .max_noise = 1e12});
    net_drop(n);
}

static void test_tuned_dither_is_no_worse(void **state)
{
    (void)state;
    static const double fixed[] = {0.005, 0.01, 0.03, 0.06, 0.1, 0.2, 0.4, 0.7, 1.2, 2};
    net nets[] = {family("florentine"), family("hypercube 4"), family("ring 15")};
    for (size_t i = 0; i < 3; i += LIGHT ? 2 : 1)
        for (int over = NETDP_OVER_WORST; over <= NETDP_OVER_MEAN; over++) {
            netdp_linear protocol = {.mixing = nets[i].mixing, .rounds = 12, .noise.dither = 0.01};
            const netdp_loss_request request = {.protocol = &protocol};
            netdp_target target = {.epsilon = 1,
                                   .unit = {NETDP_AS_DP, 1e-6},
                                   .over = (netdp_over)over,
                                   .max_noise = 1e6,
                                   .tune_dither = true};
            netdp_calibration tuned, other;
            assert_ok(netdp_calibrate(&request, &target, NULL, &tuned, NULL, &error));
            assert_true(tuned.noise.dither >= 0.005 * (1 - 1e-12) &&
                        tuned.noise.dither <= 2 * (1 + 1e-12));
            const netdp_linear best = {.mixing = nets[i].mixing,
                                       .rounds = 12,
                                       .noise.dither = tuned.noise.dither,
                                       .noise.decay = tuned.noise.decay};
            double least = 0;
            assert_ok(netdp_noise_error(&best, &least, &error));
            least *= tuned.sigma * tuned.sigma;
            target.tune_dither = false;
            for (size_t d = 0; d < sizeof fixed / sizeof *fixed; d++) {
                double predicted = 0;
                protocol.noise.dither = fixed[d];
                assert_ok(netdp_calibrate(&request, &target, NULL, &other, NULL, &error));
                assert_ok(netdp_noise_error(&protocol, &predicted, &error));
                predicted *= other.sigma * other.sigma;
                if (!(least <= predicted * 1.001))
                    fail_msg("net %d: dither %g errs %g, tuned %g errs %g", (int)i, fixed[d],
                             predicted, tuned.noise.dither, least);
            }
        }
    for (size_t i = 0; i < 3; i++)
        net_drop(nets[i]);
}

/* ---- Stopping, and memory ---- */

static bool stop_at(void *context, const char *what, double done, double total)
{
    (void)what;
    assert_true(done >= 0 && done <= total);
    return --*(int *)context > 0;
}

static void test_progress_stops(void **state)
{
    (void)state;
    net n = family("florentine");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 9, .noise.dither = 0.1};
    const int64_t before = netdp_i_memory_live();
    static const int32_t one[] = {4};
    for (int kind = 0; kind < 3; kind++)
        for (int after = 1; after < 6; after++) {
            int left = after;
            const netdp_progress progress = {stop_at, &left};
            const netdp_loss_request request = {.protocol = &protocol,
                                                .to_count = kind == 1 ? 1 : 0,
                                                .to = one,
                                                .bound = kind == 2 ? NETDP_BOUND_PUBLISHED
                                                                   : NETDP_BOUND_EXACT};
            netdp_losses *losses = NULL;
            assert_fails(netdp_losses_new(&request, &progress, &losses, &error), NETDP_INTERRUPTED);
            assert_null(losses);
            assert_int_equal(netdp_i_memory_live(), before);
        }
    net_drop(n);
}

/* The sum of the losses of all pairs, or a number below 0 where they are refused. */
static double sum_of_losses(const netdp_loss_request *request)
{
    netdp_losses *losses = NULL;
    double sum = 0;
    if (netdp_losses_new(request, NULL, &losses, &error) != NETDP_OK)
        return -1;
    for (int32_t t = 0; t < losses->to_count; t++)
        for (int32_t f = 0; f < losses->from_count; f++)
            if (netdp_losses_counts(losses, f, t))
                sum += losses->loss[(size_t)t * (size_t)losses->from_count + (size_t)f];
    netdp_losses_free(losses);
    return sum;
}

/* A child has one thread: OpenMP's others are its parent's, and it would wait for them for ever. */
static void test_a_forked_child_computes(void **state)
{
    (void)state;
    net n = family("hypercube 5");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 9, .noise.dither = 0.1};
    const netdp_loss_request request = {.protocol = &protocol};
    const double sum = sum_of_losses(&request);
    assert_true(sum > 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(300);
        _exit(sum_of_losses(&request) == sum ? 0 : 1);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    net_drop(n);
}

/* What rounds elsewhere would print bounds that do not hold. */
static void test_unusual_arithmetic_is_refused(void **state)
{
    (void)state;
    net n = family("florentine");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 9, .noise.dither = 0.1};
    const netdp_loss_request request = {.protocol = &protocol};
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        double value = -1;
        fesetround(modes[i]);
        const double sum = sum_of_losses(&request);
        const netdp_status status =
            netdp_loss_value(0.1, 3, (netdp_unit){.currency = NETDP_AS_GDP}, &value, &error);
        fesetround(FE_TONEAREST);
        assert_true(sum == -1 && value == -1);
        assert_int_equal(status, NETDP_ENVIRONMENT);
        assert_non_null(strstr(error.text, "round to nearest"));
    }
    assert_true(sum_of_losses(&request) > 0);
    net_drop(n);
}

/* Lets the k-th allocation fail for every k until the call succeeds. */
static void test_allocation_failures(void **state)
{
    (void)state;
    net n = family("path 6");
    static const int32_t pair[] = {1, 4};
    const netdp_linear plain = {.mixing = n.mixing, .rounds = 3, .noise.dither = 0.1},
                       small = {.mixing = n.mixing, .rounds = 3, .noise.dither = 1e-3};
    const netdp_loss_request requests[] = {
        {.protocol = &plain},
        {.protocol = &plain, .to_count = 1, .to = pair},
        {.protocol = &small, .to_count = 2, .to = pair, .coalition = true, .sees = NETDP_SEES_SUM},
        {.protocol = &small, .own_noise = NETDP_OWN_NOISE_COUNTS, .sees = NETDP_SEES_SUM},
        {.protocol = &plain, .bound = NETDP_BOUND_PUBLISHED},
        {.protocol = &plain, .bound = NETDP_BOUND_EVERYTHING},
    };
    const netdp_target targets[] = {
        {.epsilon = 1, .unit = {NETDP_AS_DP, 1e-6}, .max_noise = 1e6, .over = NETDP_OVER_MEAN},
        {.epsilon = 1,
         .unit = {NETDP_AS_RDP, 2},
         .max_noise = 1e6,
         .rounds_auto = true,
         .variance = 0.25},
    };
    const int64_t before = netdp_i_memory_live();
    for (size_t what = 0; what < 6 + 2 + 2; what++) {
        netdp_losses *known = NULL;
        if (what == 8)
            assert_ok(netdp_losses_new(&requests[0], NULL, &known, &error));
        for (sweep s = {0}; sweep_next(&s);) {
            netdp_losses *losses = NULL;
            netdp_calibration calibration = {.sigma = 17};
            netdp_summary summary = {.pairs = 17};
            double noise = 17;
            if (what < 6)
                s.status = netdp_losses_new(&requests[what], NULL, &losses, &error);
            else if (what < 8)
                s.status = netdp_calibrate(&requests[0], &targets[what - 6], NULL, &calibration,
                                           &losses, &error);
            else if (what == 8)
                s.status = netdp_losses_summary(known, 1, (netdp_unit){NETDP_AS_DP, 1e-6}, &summary,
                                                &error);
            else
                s.status = netdp_noise_error(&plain, &noise, &error);
            if (s.status != NETDP_OK) {
                assert_null(losses);
                assert_true(calibration.sigma == 17 && summary.pairs == 17 && noise == 17);
            }
            netdp_losses_free(losses);
        }
        netdp_losses_free(known);
    }
    assert_int_equal(netdp_i_memory_live(), before);
    net_drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_are_read_strictly),
        cmocka_unit_test(test_units_have_one_spelling),
        cmocka_unit_test(test_values_at_the_limits),
        cmocka_unit_test(test_summary_and_its_ties),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_views_by_name),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_rounds_auto),
        cmocka_unit_test(test_noise_error),
        cmocka_unit_test(test_noise_error_of_large_networks),
        cmocka_unit_test(test_noise_error_of_phases),
        cmocka_unit_test(test_calibrate_refuses),
        cmocka_unit_test(test_calibrate_lands),
        cmocka_unit_test(test_calibrate_where_conversion_is_steep),
        cmocka_unit_test(test_tuned_dither_is_no_worse),
        cmocka_unit_test(test_progress_stops),
        cmocka_unit_test(test_a_forked_child_computes),
        cmocka_unit_test(test_unusual_arithmetic_is_refused),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
