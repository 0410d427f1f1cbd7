/*
 * Walks whose steps contract: given a path the account is the least schedule, and the most that
 * linear contractions can tell; hidden, it is never below the mean over all paths of 100 walks drawn
 * at random, at a delta and at a Renyi order, and never above what it is without the contraction.
 */
#include <string.h>

#include "walk_drawn.h"

enum { SETTINGS = 100, PIECES = 400, DRAWS = 300, MOST_PIECE = 9 };

static double draw_contraction(netdp_stream *stream)
{
    static const double close[] = {1 - 1e-9, 0.999, 0.3, 0.05};
    return below(stream, 4) == 0 ? close[below(stream, 4)] : between(stream, 0.5, 1);
}

/* ---- A piece ---- */

/* One observed piece on the path of two nodes: u = 0 contributes at `gives`, else it is over. */
static double piece_cost(double contraction, const bool *gives, int32_t end)
{
    net n = open_net("complete 3", 1, "metropolis");
    int32_t node[MOST_PIECE + 1];
    const int32_t observer = 2;
    double cost[3];
    for (int32_t t = 0; t < end; t++)
        node[t] = gives[t] ? 0 : 1;
    node[end] = observer;
    const netdp_token token = {
        .law = n.law, .steps = end, .start = node[0], .tokens = 1, .contraction = contraction};
    assert_ok(
        netdp_realised_costs(&token, node, NETDP_REALISED_ABSORBED, 1, &observer, cost, &error));
    drop(n);
    return cost[0];
}

/* mu^2 of the token at `end`, by maps x -> q_t x: the victim's and all others', q_t at most c. */
static double told(double c, netdp_stream *stream, const bool *gives, int32_t end)
{
    double shift = 0, noise = 0;
    const int how = below(stream, 3);
    for (int32_t t = 0; t < end; t++) {
        const double q = how == 0               ? c
                         : gives[t] && how == 1 ? c * netdp_stream_uniform(stream)
                         : how == 1             ? c
                                                : c * netdp_stream_uniform(stream);
        shift = q * shift + gives[t];
        noise = q * q * noise + 1;
    }
    return shift * shift / noise;
}

/* The best maps: each keeps so much of what was that weights are in proportion to the schedule. */
static double most_told(double c, const bool *gives, int32_t end)
{
    double best = 0;
    for (int32_t cut = 0; cut < 1 << end; cut++) { /* blocks begin where a bit is set */
        double weight[MOST_PIECE], shift = 0, noise = 0, before = 0;
        bool rises = true;
        for (int32_t t = 0, until; t < end; t = until) {
            double given = 0, square = 0;
            for (until = t; until < end && (until == t || (cut >> until & 1) == 0); until++) {
                const double left = pow(c, end - 1 - until);
                given += gives[until] * left;
                square += left * left;
            }
            for (int32_t i = t; i < until; i++)
                weight[i] = given / square;
            rises = rises && given / square >= before * (1 - 1e-14);
            before = given / square;
        }
        for (int32_t t = 0; t < end; t++) {
            const double w = weight[t] * pow(c, end - 1 - t);
            shift += gives[t] * w;
            noise += w * w;
        }
        if (rises && noise > 0)
            best = fmax(best, shift * shift / noise);
    }
    return best;
}

static void test_pieces(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(20, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < PIECES; i++) {
        const double c = draw_contraction(&stream);
        const int32_t end = 1 + below(&stream, MOST_PIECE);
        bool gives[MOST_PIECE];
        int32_t when[MOST_PIECE], count = 0;
        for (int32_t t = 0; t < end; t++) {
            gives[t] = below(&stream, 3) == 0;
            if (gives[t])
                when[count++] = t;
        }
        const double cost = piece_cost(c, gives, end);
        const double least = least_cost(c, when, count, end), most = most_told(c, gives, end);
        assert_true(cost >= least * (1 - 1e-13) && cost <= least * (1 + 1e-11));
        assert_true(fabs(most - cost) <= 1e-9 * cost); /* linear contractions reach it */
        for (int k = 0; k < DRAWS; k++)
            assert_true(told(c, &stream, gives, end) <= cost * (1 + 1e-12));
        assert_true(cost <= piece_cost(1, gives, end) * (1 + 1e-12));
    }
}

/* Far beyond what doubles can hold of a contraction's powers. */
static void test_long_piece(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    net n = open_net("complete 3", 1, "metropolis");
    int32_t *node = calloc(LONG + 1, sizeof *node);
    const int32_t observer = 2;
    double cost[3], before = INFINITY;
    assert_non_null(node);
    for (int32_t t = 0; t < LONG; t++)
        node[t] = t % 7 != 0 || t > LONG - 40; /* node 0 contributes in the beginning */
    node[LONG] = observer;
    for (int i = 0; i < 5; i++) {
        const double c[] = {1, 1 - 1e-5, 0.99, 0.9, 0.01};
        const netdp_token token = {
            .law = n.law, .steps = LONG, .start = 0, .tokens = 1, .contraction = c[i]};
        assert_ok(netdp_realised_costs(&token, node, NETDP_REALISED_ABSORBED, 1, &observer, cost,
                                       &error));
        assert_true(cost[0] > 0 && cost[0] < before);
        before = cost[0];
    }
    free(node);
    drop(n);
}

/* ---- All paths ---- */

typedef struct renyi {
    net n;
    const setting *s;
    double theta;
    long double mean; /* less 1, in its range */
} renyi;

static void follow(renyi *r, int32_t *path, int32_t step, double probability)
{
    if (step == r->s->steps) {
        r->mean += probability * expm1l(r->theta * path_cost(r->s, path));
        return;
    }
    for (int64_t e = r->n.rows.start[path[step]]; e < r->n.rows.start[path[step] + 1]; e++) {
        path[step + 1] = r->n.rows.column[e];
        if (r->n.rows.weight[e] > 0)
            follow(r, path, step + 1, probability * r->n.rows.weight[e]);
    }
}

/* The Renyi divergence of order alpha, of contractions that know the path. */
static double true_renyi(net n, const setting *s, double alpha)
{
    renyi r = {n, s, alpha * (alpha - 1) / (2 * s->sigma * s->sigma), 0};
    int32_t path[STEPS + 1];
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        path[0] = v;
        if (s->start == NETDP_START_UNIFORM || s->start == v)
            follow(&r, path, 0, s->start == v ? 1 : 1.0 / n.rows.nodes);
    }
    return (double)log1pl(r.mean) / (alpha - 1);
}

static void complain(const char *family, const setting *s, double said, double truth)
{
    print_message("%s, from %d to %d (%d), start %d, %d steps, cap %d, release %d, sigma %.17g, "
                  "delta %.17g, contraction %.17g: %.17g has %.17g\n",
                  family, s->from, s->to[0], s->members > 1 ? s->to[1] : -1, s->start, s->steps,
                  (int)s->cap, s->release, s->sigma, s->delta, s->contraction, said, truth);
}

static void test_drawn_walks(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(21, NETDP_FOR_TEST, 0, 0);
    int less = 0;
    for (int i = 0; i < SETTINGS; i++) {
        char family[32];
        draw_family(&stream, family, sizeof family);
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        setting s = draw_setting(&stream, n.rows);
        s.contraction = draw_contraction(&stream);
        const double alpha = 1 + exp(between(&stream, log(0.05), log(20)));
        const netdp_bound bound = NETDP_BOUND_EXCURSION_CONTRACTING;
        const double epsilon = account(n, &s, bound), truth = true_delta(n, &s, epsilon);
        if (truth > s.delta * (1 + 1e-9))
            complain(family, &s, epsilon, truth);
        assert_true(truth <= s.delta * (1 + 1e-9));
        const double order = account_as(n, &s, bound, (netdp_unit){NETDP_AS_RDP, alpha});
        const double divergence = true_renyi(n, &s, alpha);
        if (divergence > order * (1 + 1e-9))
            complain(family, &s, order, divergence);
        assert_true(divergence <= order * (1 + 1e-9));
        const double plain = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        assert_true(epsilon <= plain * 1.005); /* the grids of costs differ */
        assert_true(order <=
                    account_as(n, &s, NETDP_BOUND_EXCURSION, (netdp_unit){NETDP_AS_RDP, alpha}) *
                        (1 + 1e-6));
        less += epsilon < 0.99 * plain;
        drop(n);
    }
    assert_true(less > SETTINGS / 10);
}

/* ---- Who takes it ---- */

static void test_chosen(void **state)
{
    (void)state;
    net n = open_net("ring 6", 1, "metropolis");
    netdp_token token = {.law = n.law, .steps = 30, .start = 0, .tokens = 1, .contraction = 0.9};
    const netdp_bound_info *info = NULL;
    assert_ok(netdp_walk_bound_choose(&token, NETDP_BOUND_AUTO, &info, &error));
    assert_string_equal(info->name, "excursion-contracting");
    token.cap = 1;
    assert_ok(netdp_walk_bound_choose(&token, NETDP_BOUND_AUTO, &info, &error));
    assert_string_equal(info->name, "least");
    token.cap = 0;
    for (int i = 0; i < 2; i++) { /* nothing contracts by 0 or 1 */
        token.contraction = i;
        assert_ok(netdp_walk_bound_choose(&token, NETDP_BOUND_AUTO, &info, &error));
        assert_string_equal(info->name, "excursion");
        assert_int_equal(
            netdp_walk_bound_choose(&token, NETDP_BOUND_EXCURSION_CONTRACTING, &info, &error),
            NETDP_INVALID);
    }
    static const double bad[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; i++) {
        token.contraction = bad[i];
        assert_int_equal(netdp_token_check(&token, &error), NETDP_INVALID);
        assert_non_null(strstr(error.text, "contraction"));
    }
    token.contraction = 0.9;
    token.weighted = true;
    assert_int_equal(netdp_token_check(&token, &error), NETDP_INVALID);
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_long_piece),
        cmocka_unit_test(test_drawn_walks), cmocka_unit_test(test_chosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
