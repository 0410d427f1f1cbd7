/* Losses that come row by row: each row once, in order, and the numbers of those that are kept. */
#include "net.h"
#include "sweep.h"

#include <netdp/account.h>

#include "account/losses/losses.h"
#include "account/losses/summary.h"
#include "base/memory.h"
#include "base/parallel.h"

/* What a caller sees, against what was kept. */
typedef struct seeing {
    const netdp_losses *kept;
    int32_t seen;
    int32_t stop_at; /* row that says stop; -1: none */
} seeing;

static netdp_status see_row(void *context, const netdp_losses *losses, int32_t to_index,
                            const double *loss, netdp_error *why)
{
    seeing *s = context;
    assert_int_equal(to_index, s->seen++);
    assert_null(losses->loss);
    if (to_index == s->stop_at) {
        snprintf(why->text, sizeof why->text, "enough");
        return NETDP_NO_ANSWER;
    }
    if (s->kept == NULL)
        return NETDP_OK;
    const netdp_losses *kept = s->kept;
    assert_int_equal(losses->from_count, kept->from_count);
    assert_int_equal(losses->to_count, kept->to_count);
    assert_int_equal(losses->members, kept->members);
    assert_memory_equal(losses->from, kept->from, (size_t)kept->from_count * sizeof *kept->from);
    assert_int_equal(losses->to[to_index], kept->to[to_index]);
    assert_ptr_equal(losses->bound, kept->bound);
    assert_true(losses->sound == kept->sound && losses->certified == kept->certified &&
                losses->local == kept->local);
    assert_memory_equal(loss, kept->loss + (int64_t)to_index * kept->from_count,
                        (size_t)kept->from_count * sizeof *loss);
    return NETDP_OK;
}

static netdp_status see_batch(void *context, const netdp_i_batch *batch, netdp_error *why)
{
    netdp_status status = NETDP_OK;
    for (int32_t v = 0; status == NETDP_OK && v < batch->count; v++)
        status = see_row(context, batch->losses, batch->first + v,
                         batch->loss + (int64_t)v * batch->losses->from_count, why);
    return status;
}

/* By rows, in the smallest batches. */
static netdp_status see_small(const netdp_loss_request *request, seeing *s,
                              const netdp_progress *progress)
{
    return netdp_i_losses_all(request, (netdp_i_room){1, 1}, NULL, see_batch, s, progress, &error);
}

/* Kept at once, by rows in batches of the usual size, and in the smallest batches. */
static void compare(const netdp_loss_request *request)
{
    const int64_t before = netdp_i_memory_live();
    netdp_losses *kept = NULL;
    assert_ok(netdp_losses_new(request, NULL, &kept, &error));
    seeing usual = {kept, 0, -1}, small = usual;
    assert_ok(netdp_losses_each(request, see_row, &usual, NULL, &error));
    assert_ok(see_small(request, &small, NULL));
    assert_true(usual.seen == kept->to_count && small.seen == kept->to_count);
    assert_true(netdp_i_batch_size(kept, 1) == kept->to_count ||
                netdp_i_batch_size(kept, 1) == 4 * netdp_i_threads());
    netdp_losses_free(kept);
    assert_int_equal(netdp_i_memory_live(), before);
}

static void test_rows_are_those_that_are_kept(void **state)
{
    (void)state;
    static const int32_t some[] = {61, 3, 40, 7};
    const net n = family("regular 70 4"), hub = family("star 120"), few = family("ring 24");
    const netdp_linear plain = {.mixing = n.mixing, .rounds = 6, .noise.dither = 0.1},
                       bare = {.mixing = few.mixing, .rounds = 5},
                       stream = {.mixing = few.mixing, .rounds = 9, .every = 1, .steady = true},
                       phases = {.mixing = few.mixing,
                                 .rounds = 9,
                                 .noise.dither = 0.1,
                                 .every = 3,
                                 .noise.end = 0.1,
                                 .reacts = true},
                       pairs = {.mixing = few.mixing,
                                .rounds = 60,
                                .every = 1,
                                .steady = true,
                                .senders_only = true,
                                .varying = {.kind = NETDP_VARY_EDGE, .seed = 4}},
                       away = {.mixing = few.mixing,
                               .rounds = 6,
                               .noise.dither = 0.1,
                               .varying = {.kind = NETDP_VARY_NODES, .missing = 0.2, .seed = 4}},
                       spokes = {.mixing = hub.mixing, .rounds = 4, .noise.dither = 0.1};
    const netdp_loss_request requests[] = {
        {.protocol = &plain},
        {.protocol = &plain, .from_count = 4, .from = some},
        {.protocol = &plain, .to_count = 4, .to = some, .sees = NETDP_SEES_SUM},
        {.protocol = &plain, .to_count = 4, .to = some, .coalition = true},
        {.protocol = &plain, .sees = NETDP_SEES_EVERYTHING},
        {.protocol = &plain, .bound = NETDP_BOUND_PUBLISHED},
        {.protocol = &plain, .bound = NETDP_BOUND_PUBLISHED_CODE, .to_count = 4, .to = some},
        /* The hub has more neighbours than sums fit, the others have one. */
        {.protocol = &spokes, .bound = NETDP_BOUND_PUBLISHED},
        {.protocol = &bare},
        {.protocol = &stream, .bound = NETDP_BOUND_UPPER},
        {.protocol = &phases, .bound = NETDP_BOUND_PHASE_RELEASE},
        {.protocol = &phases, .bound = NETDP_BOUND_PUBLISHED},
        {.protocol = &pairs},
        {.protocol = &pairs, .bound = NETDP_BOUND_EVERYTHING},
        {.protocol = &away},
        {.protocol = &away, .bound = NETDP_BOUND_PUBLISHED},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        compare(&requests[i]);
    net_drop(n);
    net_drop(hub);
    net_drop(few);
}

/* In two batches of the usual size: every row stands in its place. */
static void test_batches_are_kept_in_their_places(void **state)
{
    (void)state;
    const net n = family("ring 1450");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 1};
    const netdp_loss_request request = {.protocol = &protocol, .bound = NETDP_BOUND_EVERYTHING};
    netdp_losses *kept = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &kept, &error));
    assert_true(netdp_i_batch_size(kept, NETDP_I_BATCH_BYTES) < kept->to_count);
    for (int64_t v = 0; v < kept->from_count; v++) {
        assert_true(kept->loss[v * kept->from_count + v] == INFINITY);
        assert_true(kept->loss[v * kept->from_count + (v + 1) % kept->from_count] == 1);
    }
    netdp_losses_free(kept);
    net_drop(n);
}

static void test_a_row_may_stop(void **state)
{
    (void)state;
    const net n = family("ring 50");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 4, .noise.dither = 0.1};
    const netdp_loss_request request = {.protocol = &protocol};
    const int64_t before = netdp_i_memory_live();
    for (int32_t at = 0; at < 50; at += 7) {
        seeing s = {NULL, 0, at};
        assert_fails(see_small(&request, &s, NULL), NETDP_NO_ANSWER);
        assert_string_equal(error.text, "enough");
        assert_int_equal(s.seen, at + 1);
        assert_int_equal(netdp_i_memory_live(), before);
    }
    net_drop(n);
}

/* What the progress was told last, and how often it still says go on. */
typedef struct telling {
    double done, total;
    int left;
} telling;

static bool tell(void *context, const char *what, double done, double total)
{
    telling *t = context;
    if (what != NULL) {
        assert_string_equal(what, "observers");
        assert_true(done > t->done && done <= total && total == 50);
        t->done = done;
    }
    return t->left-- > 0;
}

static void test_batches_tell_one_progress(void **state)
{
    (void)state;
    const net n = family("ring 50");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 4, .noise.dither = 0.1};
    const netdp_loss_request request = {.protocol = &protocol};
    telling t = {.left = INT32_MAX};
    seeing s = {NULL, 0, -1};
    assert_ok(see_small(&request, &s, &(netdp_progress){tell, &t}));
    assert_true(t.done == 50);
    for (int left = 0; left < 60; left += 9) {
        t = (telling){.left = left};
        s = (seeing){NULL, 0, -1};
        assert_fails(see_small(&request, &s, &(netdp_progress){tell, &t}), NETDP_INTERRUPTED);
        assert_true(s.seen < 50);
    }
    net_drop(n);
}

/* Lets the k-th allocation fail for every k until the call succeeds. */
static void test_allocation_failures(void **state)
{
    (void)state;
    const net n = family("star 12");
    const netdp_linear protocol = {.mixing = n.mixing, .rounds = 3, .noise.dither = 0.1};
    const netdp_loss_request requests[] = {{.protocol = &protocol},
                                           {.protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED}};
    for (size_t what = 0; what < 2; what++)
        for (sweep s = {0}; sweep_next(&s);) {
            seeing seen = {NULL, 0, -1};
            s.status = see_small(&requests[what], &seen, NULL);
        }
    net_drop(n);
}

/* By two passes over everything, as the definition says. */
static void find_worst(const netdp_losses *l, int32_t *from, int32_t *to)
{
    double largest = -1;
    *from = *to = INT32_MAX;
    for (int64_t i = 0; i < (int64_t)l->from_count * l->to_count; i++)
        if (netdp_losses_counts(l, (int32_t)(i % l->from_count), (int32_t)(i / l->from_count)))
            largest = fmax(largest, l->loss[i]);
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t u = 0; u < l->from_count; u++)
            if (netdp_losses_counts(l, u, v) &&
                l->loss[(int64_t)v * l->from_count + u] >= largest * (1 - 1e-9) &&
                (l->from[u] < *from || (l->from[u] == *from && l->to[v] < *to))) {
                *from = l->from[u];
                *to = l->to[v];
            }
}

/* Row by row, in place of netdp_losses_summary's batches. */
static void sum_rows(const netdp_losses *l, netdp_summary *summary)
{
    const netdp_unit unit = {NETDP_AS_LOSS, 0};
    netdp_i_summing s = {0};
    double value[64];
    for (int32_t v = 0; v < l->to_count; v++) {
        const netdp_i_batch row = {l, v, 1, l->loss + (int64_t)v * l->from_count};
        assert_ok(netdp_i_batch_values(&row, 1, unit, value, NULL, &error));
        assert_ok(netdp_i_summing_add(&s, &row, value, &error));
    }
    assert_ok(netdp_i_summing_end(&s, l, 1, unit, summary, &error));
    netdp_i_summing_clear(&s);
}

/* Losses within a few ties of each other, in every order: chains in which neighbours tie and ends
 * do not. */
static void test_ties_are_those_of_the_end(void **state)
{
    (void)state;
    enum { N = 12 };
    int32_t node[N];
    double loss[N * N];
    uint64_t random = 7;
    for (int32_t i = 0; i < N; i++)
        node[i] = (i * 5) % N;
    netdp_losses losses = {.from_count = N,
                           .to_count = N,
                           .from = node,
                           .to = node,
                           .members = 1,
                           .loss = loss,
                           .sound = true,
                           .local = 1};
    for (int trial = 0; trial < 300; trial++) {
        netdp_summary summary;
        int32_t from = 0, to = 0;
        for (int i = 0; i < N * N; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            loss[i] = 0.5 * (1 + 3e-10 * (double)((random >> 33) % 12));
        }
        sum_rows(&losses, &summary);
        find_worst(&losses, &from, &to);
        assert_int_equal(summary.worst_from, from);
        assert_int_equal(summary.worst_to, to);
        assert_int_equal(summary.pairs, N * (N - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_that_are_kept),
        cmocka_unit_test(test_batches_are_kept_in_their_places),
        cmocka_unit_test(test_a_row_may_stop),
        cmocka_unit_test(test_batches_tell_one_progress),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_ties_are_those_of_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
