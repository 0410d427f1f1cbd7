/* Prices against a dense inverse; budgets over several studies, refused by how much. */
#include "ledgers.h"

#include <netdp/privacy.h>

#include "peer/budget.h"
#include "peer/net/statement.h"

enum { NODES = 6 };

#define STUDY(batches, privacy)                                                                    \
    "title: A study\ngraph: {family: ring 6}\ndata: {csv: x.csv, columns: [{name: x, bounds: [0, " \
    "1]}],"                                                                                        \
    " label: y" batches                                                                            \
    "}\ntask: {kind: logistic, clip: 1, step: 1}\nprotocol: {kind: gossip-sgd, "                   \
    "rounds: 3}\nprivacy: {epsilon: 1, delta: 1e-6, over: worst" privacy "}\n"

static const char node_study[] = STUDY("", "");
static const char row_study[] = STUDY(", batches: cyclic:2", ", protects: row");

/* Two triangles of links joined; pairs: a ring and two chords. */
static netdp_i_package *package_of(double noise, double pair_noise, int64_t contributions,
                                   int64_t revealed, unsigned char variety)
{
    static const int32_t edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}};
    static const int32_t pairs[][2] = {{0, 1}, {0, 5}, {1, 2}, {1, 4},
                                       {2, 3}, {2, 5}, {3, 4}, {4, 5}};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    netdp_i_package *made = NETDP_I_NEW(netdp_i_package, 1);
    made->title = netdp_i_copy_text("A study");
    made->study = netdp_i_copy_text(node_study);
    made->members = NODES;
    made->member = NETDP_I_NEW(netdp_i_member, NODES);
    for (int i = 0; i < NODES; i++) {
        strcpy(made->member[i].name, names[i]);
        made->member[i].joined = true;
        made->member[i].key[0] = (unsigned char)(i + 1);
    }
    made->edges = sizeof edges / sizeof *edges;
    made->edge = netdp_i_new(made->edges, sizeof *made->edge);
    memcpy(made->edge, edges, sizeof edges);
    made->pairs = sizeof pairs / sizeof *pairs;
    made->pair = netdp_i_new(made->pairs, sizeof *made->pair);
    memcpy(made->pair, pairs, sizeof pairs);
    made->coalitions = 2;
    made->coalition = NETDP_I_NEW(netdp_i_coalition, 2);
    made->coalition[0] = (netdp_i_coalition){2, NETDP_I_NEW(int32_t, 2)};
    memcpy(made->coalition[0].member, (int32_t[]){1, 2}, 2 * sizeof(int32_t));
    made->coalition[1] = (netdp_i_coalition){3, NETDP_I_NEW(int32_t, 3)};
    memcpy(made->coalition[1].member, (int32_t[]){0, 3, 5}, 3 * sizeof(int32_t));
    made->terms = (netdp_i_terms){.sigma = noise,
                                  .noise.pairing.kappa = pair_noise,
                                  .rounds = 100,
                                  .contributions = contributions,
                                  .attempts = 1,
                                  .revealed = revealed,
                                  .width = 2 + variety,
                                  .delta = 1e-6,
                                  .expires = 2000000000};
    return made;
}

/* [(I + kappa^2 L)^-1]_uu without the observers, by elimination. */
static double dense(const netdp_i_package *package, int32_t u, const int32_t *observers,
                    int32_t count)
{
    const double energy = package->terms.noise.pairing.kappa * package->terms.noise.pairing.kappa;
    double d[NODES][NODES + 1] = {{0}};
    bool out[NODES] = {false};
    for (int32_t i = 0; i < count; i++)
        out[observers[i]] = true;
    for (int i = 0; i < NODES; i++)
        d[i][i] = 1;
    for (int32_t k = 0; k < package->pairs; k++) {
        const int32_t a = package->pair[k][0], b = package->pair[k][1];
        if (out[a] || out[b])
            continue;
        d[a][a] += energy;
        d[b][b] += energy;
        d[a][b] -= energy;
        d[b][a] -= energy;
    }
    d[u][NODES] = 1;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const double factor = d[j][i] / d[i][i];
            for (int k = i; k <= NODES && j != i; k++)
                d[j][k] -= factor * d[i][k];
        }
    return d[u][NODES] / d[u][u];
}

static void test_prices(void **state)
{
    (void)state;
    static const double kappa[] = {0, 0.5, 10, 1000};
    for (int k = 0; k < 4; k++)
        for (int32_t u = 0; u < NODES; u++) {
            netdp_i_package *package = package_of(2, kappa[k], 1, 0, 0);
            netdp_i_prices *prices = NULL;
            assert_ok(netdp_i_prices_new(package, u, &prices, &error));
            assert_int_equal(prices->count, NODES - 1 + 2);
            for (int32_t i = 0; i < prices->count; i++) {
                const netdp_i_price *price = &prices->towards[i];
                const double want = dense(package, u, price->member, price->count) / 4;
                assert_true(price->square >= want * (1 - 1e-9));
                assert_close(price->square, want, 1e-12, 1e-8);
                for (int32_t j = 0; j < price->count; j++)
                    assert_true(price->member[j] != u);
            }
            assert_close(prices->outside, dense(package, u, NULL, 0) / 4, 1e-12, 1e-8);
            assert_close(prices->everyone, 0.25, 1e-12, 1e-12);
            assert_true(prices->everyone >= 0.25);
            netdp_i_prices_free(prices);
            netdp_i_package_free(package);
        }
}

static netdp_i_ledger *open_ledger(void)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_ledger *ledger = NULL;
    unsigned char key[NETDP_I_KEY] = {1}; /* member a */
    path_of(path, "ledger");
    assert_ok(netdp_i_ledger_open(path, key, &ledger, &error));
    return ledger;
}

static netdp_i_budget with(double peer, double coalition, double total)
{
    static char path[] = "budget.yaml";
    return (netdp_i_budget){.path = path,
                            .delta = 1e-6,
                            .peer = peer,
                            .coalition = coalition,
                            .total = total,
                            .whole = true};
}

static double epsilon_of(double square)
{
    double epsilon = 0;
    assert_ok(netdp_i_price_epsilon(square, 1e-6, &epsilon, &error));
    return epsilon;
}

/* The account's row towards these keys' first bytes, or NULL. */
static const netdp_i_spent *towards(const netdp_i_account *account, const char *keys, bool everyone)
{
    for (int32_t i = 0; i < account->count; i++) {
        const netdp_i_spent *spent = &account->towards[i];
        bool same = spent->everyone == everyone && spent->count == (int32_t)strlen(keys);
        for (int32_t k = 0; same && k < spent->count; k++)
            same = spent->keys[64 * k + 1] == keys[k];
        if (same)
            return spent;
    }
    return NULL;
}

static void test_over_studies(void **state)
{
    (void)state;
    netdp_i_package *first = package_of(8, 10, 3, 0, 0), *second = package_of(8, 10, 2, 0, 1);
    netdp_i_account account = {0};
    unsigned char digest[NETDP_I_DIGEST];
    bool stored;
    remove_files();
    netdp_i_ledger *ledger = open_ledger();
    const double b = dense(first, 0, (int32_t[]){1}, 1) / 64, all = 1. / 64;
    /* Room for both towards b; the second study alone would fit anywhere. */
    netdp_i_budget budget = with(epsilon_of(5.0001 * b), INFINITY, INFINITY);
    /* b is not the worst: who is? */
    double worst = 0;
    for (int32_t v = 1; v < NODES; v++)
        worst = fmax(worst, dense(first, 0, &v, 1) / 64);
    budget.peer = epsilon_of(5.0001 * worst);
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error)); /* a restart */
    budget.peer = epsilon_of(4.9999 * worst);
    assert_fails(netdp_i_budget_admit(&budget, ledger, second, 0, NULL, &error), NETDP_NO_ANSWER);
    assert_non_null(strstr(error.text, "budget.yaml: towards "));
    assert_non_null(strstr(error.text, "more than the"));
    assert_non_null(strstr(error.text, "nothing was reserved"));
    /* Once the first is settled after one of three contributions, there is room. */
    assert_ok(netdp_i_package_digest(first, digest, &error));
    netdp_i_attempt attempt = {.phase = 0};
    memcpy(attempt.study, digest, sizeof digest);
    assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
    assert_ok(netdp_i_ledger_settle(ledger, digest, "{}", &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, second, 0, NULL, &error));
    /* It was admitted with two contributions: a third is not to be had. */
    assert_ok(netdp_i_package_digest(second, attempt.study, &error));
    assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
    attempt.attempt = 1;
    assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
    attempt.phase = 1;
    assert_fails(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "admitted"));
    attempt.phase = 0;
    assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
    /* A study that is settled does not start again. */
    assert_fails(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error), NETDP_INVALID);
    assert_ok(netdp_i_account_new(ledger, digest, NULL, &account, &error));
    const netdp_i_spent *spent = towards(&account, "2", false);
    assert_non_null(spent);
    assert_string_equal(spent->who, "b");
    assert_close(spent->spent, 3 * b, 0, 1e-7);
    assert_close(spent->planned, 3 * b, 0, 1e-7);
    assert_true(spent->planned >= 3 * b * (1 - 1e-9));
    spent = towards(&account, "23", false);
    assert_non_null(spent);
    assert_string_equal(spent->who, "b and c");
    assert_close(spent->planned, 3 * dense(first, 0, (int32_t[]){1, 2}, 2) / 64, 0, 1e-7);
    spent = towards(&account, "", true);
    assert_non_null(spent);
    assert_close(spent->planned, 3 * all, 0, 1e-7);
    spent = towards(&account, "", false);
    assert_non_null(spent);
    assert_close(spent->planned, 3 * dense(first, 0, NULL, 0) / 64, 0, 1e-7);
    netdp_i_account_clear(&account);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(first);
    netdp_i_package_free(second);
}

/*
 * A row of one of n_u in two batches moves a gradient by 4 / n_u: whoever has most pays least, and in 3 phases
 * it takes part twice. A budget of all data refuses; so does a row that nobody announced.
 */
static void test_rows(void **state)
{
    (void)state;
    netdp_i_package *package = package_of(2, 10, 3, 0, 0);
    unsigned char digest[NETDP_I_DIGEST];
    netdp_i_budget budget = with(100, 100, 100);
    netdp_i_account account = {0};
    bool stored;
    remove_files();
    netdp_i_free(package->study);
    package->study = netdp_i_copy_text(row_study);
    netdp_i_ledger *ledger = open_ledger();
    assert_fails(netdp_i_budget_admit(&budget, ledger, package, 0, NULL, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "a: rows: required"));
    for (int32_t u = 0; u < NODES; u++)
        package->member[u].rows = 10 * (u + 1);
    for (int32_t u = 0; u < NODES; u++) {
        netdp_i_prices *prices = NULL;
        assert_ok(netdp_i_prices_new(package, u, &prices, &error));
        for (int32_t i = 0; i < prices->count; i++) {
            const netdp_i_price *price = &prices->towards[i];
            const double part = 1. / (u + 1), want = dense(package, u, price->member, price->count);
            assert_true(price->square >= want * part * part / 4 * (1 - 1e-13));
            assert_close(price->square, want * part * part / 4, 0, 1e-7);
        }
        assert_int_equal(prices->contributions, 3);
        assert_int_equal(prices->times, 2);
        assert_string_equal(prices->protects, "one row of one node's data replaced");
        netdp_i_prices_free(prices);
    }
    assert_fails(netdp_i_budget_admit(&budget, ledger, package, 0, NULL, &error), NETDP_NO_ANSWER);
    assert_non_null(strstr(error.text, "protects: row"));
    budget.row = true;
    assert_ok(netdp_i_budget_admit(&budget, ledger, package, 0, NULL, &error));
    /* One of each cycle of two: 1, 1 and 2 after 1, 2 and 3 phases. */
    assert_ok(netdp_i_package_digest(package, digest, &error));
    netdp_i_attempt attempt = {.phase = 0};
    memcpy(attempt.study, digest, sizeof digest);
    const double all = 1. / 4;
    for (uint32_t phase = 0; phase < 3; phase++) {
        attempt.phase = phase;
        assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
        assert_ok(netdp_i_account_new(ledger, digest, NULL, &account, &error));
        assert_true(account.row);
        assert_close(towards(&account, "", true)->spent, (phase / 2 + 1) * all, 0, 1e-7);
        assert_close(towards(&account, "", true)->planned, 2 * all, 0, 1e-7);
        netdp_i_account_clear(&account);
    }
    package->terms.attempts = 2;
    assert_fails(netdp_i_budget_check(&budget, NULL, package, 0, &error), NETDP_INVALID);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(package);
}

/* Each limit by itself; and what may be revealed is paid for as if it were. */
static void test_limits(void **state)
{
    (void)state;
    netdp_i_package *first = package_of(4, 10, 1, 0, 0);
    const double single = epsilon_of(dense(first, 0, (int32_t[]){1}, 1) / 16);
    netdp_i_package_free(first);
    const double local = epsilon_of(1. / 16);
    assert_true(single < local / 1.5);
    const struct {
        netdp_i_budget budget;
        int64_t revealed;
        bool fits;
        const char *says;
    } cases[] = {
        {with(local, INFINITY, INFINITY), 0, true, NULL},
        {with(local * 1.001, INFINITY, INFINITY), 1, true, NULL},
        {with(local * 0.999, INFINITY, INFINITY), 1, false, "towards"},
        {with(local * 0.999, INFINITY, INFINITY), 0, true, NULL},
        {with(INFINITY, INFINITY, local * 1.001), 0, true, NULL},
        {with(INFINITY, INFINITY, local * 0.999), 0, false, "all others together"},
        {with(INFINITY, 0.01, INFINITY), 0, false, " and "},
        {with(0, INFINITY, INFINITY), 0, false, "towards b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        remove_files();
        netdp_i_ledger *ledger = open_ledger();
        netdp_i_package *package = package_of(4, 10, 1, cases[i].revealed, 0);
        netdp_i_ledger_head before, after;
        netdp_i_ledger_head_of(ledger, &before);
        const netdp_status status =
            netdp_i_budget_admit(&cases[i].budget, ledger, package, 0, NULL, &error);
        netdp_i_ledger_head_of(ledger, &after);
        if (status != (cases[i].fits ? NETDP_OK : NETDP_NO_ANSWER))
            fail_msg("case %zu: %d, %s", i, (int)status, error.text);
        assert_int_equal(after.rows - before.rows, cases[i].fits ? 1 : 0);
        if (!cases[i].fits)
            assert_non_null(strstr(error.text, cases[i].says));
        netdp_i_package_free(package);
        netdp_i_ledger_close(ledger);
    }
}

/* A coalition that the second study does not list counts there as the least that holds it. */
static void test_coalitions_over_studies(void **state)
{
    (void)state;
    netdp_i_package *first = package_of(8, 10, 1, 0, 0), *second = package_of(8, 10, 1, 0, 1);
    netdp_i_account account = {0};
    unsigned char digest[NETDP_I_DIGEST];
    /* The second lists b, c and e together, not b and c. */
    netdp_i_free(second->coalition[0].member);
    second->coalition[0] = (netdp_i_coalition){3, NETDP_I_NEW(int32_t, 3)};
    memcpy(second->coalition[0].member, (int32_t[]){1, 2, 4}, 3 * sizeof(int32_t));
    /* And f is somebody else there. */
    second->member[5].key[0] = 99;
    remove_files();
    netdp_i_ledger *ledger = open_ledger();
    const netdp_i_budget budget = with(100, 100, 100);
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, second, 0, NULL, &error));
    assert_ok(netdp_i_package_digest(first, digest, &error));
    assert_ok(netdp_i_account_new(ledger, digest, NULL, &account, &error));
    const netdp_i_spent *spent = towards(&account, "23", false);
    assert_non_null(spent);
    assert_close(
        spent->planned,
        (dense(first, 0, (int32_t[]){1, 2}, 2) + dense(second, 0, (int32_t[]){1, 2, 4}, 3)) / 64, 0,
        1e-7);
    /* The first study's f sees the second one's links only. */
    spent = towards(&account, "6", false);
    assert_non_null(spent);
    assert_close(spent->planned,
                 (dense(first, 0, (int32_t[]){5}, 1) + dense(second, 0, NULL, 0)) / 64, 0, 1e-7);
    netdp_i_account_clear(&account);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(first);
    netdp_i_package_free(second);
}

/* A limit on a name holds for its key, whatever a later study calls that; a name that nobody has is none. */
static void test_names(void **state)
{
    (void)state;
    netdp_i_package *first = package_of(8, 10, 1, 0, 0), *second = package_of(8, 10, 1, 0, 1);
    netdp_i_package *third = package_of(8, 10, 1, 0, 2);
    char name[] = "b";
    unsigned char digest[NETDP_I_DIGEST];
    netdp_i_account account = {0};
    const double b = dense(first, 0, (int32_t[]){1}, 1) / 64;
    netdp_i_allowance few = {name, epsilon_of(1.5 * b)};
    netdp_i_budget budget = with(100, 100, 100);
    budget.count = 1;
    budget.peers = &few;
    remove_files();
    /* In the second study b's key is named z, and somebody else b; in the third it is nobody. */
    strcpy(second->member[1].name, "z");
    strcpy(second->member[5].name, "b");
    second->member[5].key[0] = 99;
    strcpy(third->member[1].name, "z");
    third->member[1].key[0] = 98;
    netdp_i_ledger *ledger = open_ledger();
    /* Nothing is known of a 'b' before there is one; the owner's own name limits nobody else. */
    assert_fails(netdp_i_budget_admit(&budget, ledger, third, 0, NULL, &error), NETDP_INVALID);
    assert_string_equal(error.text, "budget.yaml: peers.1: 'b' is no other participant of this "
                                    "study, nor of one in ledger.db; name one of f, e, d, c, z, or "
                                    "leave the limit out");
    assert_fails(netdp_i_budget_check(&budget, NULL, third, 0, &error), NETDP_INVALID);
    name[0] = 'a';
    assert_fails(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error), NETDP_INVALID);
    name[0] = 'b';
    assert_ok(netdp_i_budget_check(&budget, NULL, first, 0, &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error));
    assert_fails(netdp_i_budget_admit(&budget, ledger, second, 0, NULL, &error), NETDP_NO_ANSWER);
    assert_non_null(strstr(error.text, "towards z this study"));
    assert_ok(netdp_i_package_digest(first, digest, &error));
    assert_ok(netdp_i_account_new(ledger, digest, NULL, &account, &error));
    assert_int_equal(account.names, NODES - 1);
    netdp_i_account_clear(&account);
    /* Known from the ledger; the first study's key is not in the third, and sees its links alone. */
    few.epsilon = epsilon_of(1.0001 * (b + dense(third, 0, NULL, 0) / 64));
    assert_ok(netdp_i_budget_admit(&budget, ledger, third, 0, NULL, &error));
    few.epsilon = 0.9 * epsilon_of(b);
    assert_fails(netdp_i_budget_admit(&budget, ledger, third, 0, NULL, &error), NETDP_NO_ANSWER);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(first);
    netdp_i_package_free(second);
    netdp_i_package_free(third);
}

/* Without a total there is room for one study, whatever single observers are allowed. */
static void test_default_total(void **state)
{
    (void)state;
    netdp_i_package *first = package_of(8, 10, 2, 0, 0), *second = package_of(8, 10, 1, 0, 1);
    netdp_i_budget budget = with(1e6, INFINITY, INFINITY);
    netdp_i_account account = {0};
    netdp_i_attempt attempt = {.phase = 0};
    bool stored;
    budget.whole = false;
    remove_files();
    netdp_i_ledger *ledger = open_ledger();
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, &account, &error));
    const netdp_i_spent *all = towards(&account, "", true);
    assert_non_null(all);
    assert_close(netdp_i_budget_limit(&budget, &account, all), epsilon_of(2. / 64), 0, 1e-6);
    /* What metrics say is spent: nothing before a contribution is reserved, then one, then two. */
    assert_close(netdp_i_account_epsilon(&account, all, 0, 1e-6), 0, 0, 0);
    assert_close(netdp_i_account_epsilon(&account, all, 1, 1e-6), epsilon_of(1. / 64), 0, 1e-6);
    assert_true(netdp_i_account_epsilon(&account, all, 2, 1e-6) >= epsilon_of(2. / 64));
    netdp_i_account_clear(&account);
    assert_ok(netdp_i_budget_admit(&budget, ledger, first, 0, NULL, &error)); /* a restart */
    assert_fails(netdp_i_budget_admit(&budget, ledger, second, 0, NULL, &error), NETDP_NO_ANSWER);
    assert_non_null(strstr(error.text, "has no total"));
    assert_non_null(strstr(error.text, "'total: none'"));
    /* It says which total is enough. */
    const char *enough = strstr(error.text, "write 'total: ");
    assert_non_null(enough);
    budget.total = strtod(enough + strlen("write 'total: "), NULL);
    budget.whole = true;
    assert_ok(netdp_i_budget_admit(&budget, ledger, second, 0, &account, &error));
    netdp_i_account_clear(&account);
    /* Over both: the first with one of its two reserved, and this one's none. */
    assert_ok(netdp_i_package_digest(first, attempt.study, &error));
    assert_ok(netdp_i_ledger_reserve(ledger, &attempt, &stored, &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, second, 0, &account, &error));
    all = towards(&account, "", true);
    assert_close(netdp_i_account_epsilon(&account, all, 0, 1e-6), epsilon_of(1. / 64), 0, 1e-6);
    assert_close(netdp_i_account_epsilon(&account, all, 1, 1e-6), epsilon_of(2. / 64), 0, 1e-6);
    netdp_i_account_clear(&account);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(first);
    netdp_i_package_free(second);
}

static void test_statements(void **state)
{
    (void)state;
    char path[NETDP_I_PATH_ROOM];
    netdp_i_signer *signer = NULL, *other = NULL;
    netdp_i_ledger *ledger = NULL;
    json_t *statement = NULL, *again = NULL;
    netdp_i_package *package = package_of(8, 10, 3, 0, 0);
    const netdp_i_budget budget = with(100, 100, 100);
    remove_files();
    path_of(path, "key");
    assert_ok(netdp_i_signer_make(path, &signer, &error));
    path_of(path, "other");
    assert_ok(netdp_i_signer_make(path, &other, &error));
    memcpy(package->member[0].key, netdp_i_signer_public(signer), NETDP_I_KEY);
    path_of(path, "ledger");
    assert_ok(netdp_i_ledger_open(path, netdp_i_signer_public(signer), &ledger, &error));
    assert_ok(netdp_i_budget_admit(&budget, ledger, package, 0, NULL, &error));
    assert_fails(netdp_i_statement_make(ledger, 1e-6, other, &statement, &error), NETDP_INVALID);
    assert_ok(netdp_i_statement_make(ledger, 1e-6, NULL, &statement, &error));
    assert_fails(netdp_i_statement_check(statement, "s", &error), NETDP_INVALID);
    json_decref(statement);
    assert_ok(netdp_i_statement_make(ledger, 1e-6, signer, &statement, &error));
    assert_ok(netdp_i_statement_check(statement, "s", &error));
    /* What is promised towards b, in the statement's own numbers. */
    const json_t *content = json_object_get(statement, "content"), *one;
    size_t i;
    double most = 0;
    json_array_foreach (json_object_get(content, "towards"), i, one)
        if (strcmp(json_string_value(json_object_get(one, "who")), "b") == 0)
            most = json_real_value(json_object_get(one, "epsilon_at_most"));
    assert_close(most, epsilon_of(3 * dense(package, 0, (int32_t[]){1}, 1) / 64), 0, 1e-6);
    /* Written, read again, it holds; with one number another, it does not. */
    char *text = json_dumps(statement, JSON_INDENT(2));
    again = json_loads(text, 0, NULL);
    assert_ok(netdp_i_statement_check(again, "s", &error));
    json_object_set_new(json_object_get(again, "content"), "delta", json_real(1e-5));
    assert_fails(netdp_i_statement_check(again, "s", &error), NETDP_INVALID);
    json_decref(again);
    again = json_loads(text, 0, NULL);
    json_object_set_new(again, "extra", json_real(1e-5));
    assert_fails(netdp_i_statement_check(again, "s", &error), NETDP_INVALID);
    json_decref(again);
    free(text);
    json_decref(statement);
    netdp_i_ledger_close(ledger);
    netdp_i_package_free(package);
    netdp_i_signer_free(signer);
    netdp_i_signer_free(other);
}

static void test_budget_files(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"delta: 1e-6\npeer: 1\n", NULL},
        {"delta: 1e-6\ntotal: 8.5\npeers:\n  - {name: west, epsilon: 0.5}\n", NULL},
        {"delta: 1e-6\npeer: 1\ntotal: none\n", NULL},
        {"delta: 1e-6\n", NULL}, /* the total by default */
        {"delta: 1e-6\ntotal: none\n", "limits nothing"},
        {"delta: 1e-6\npeer: 1\ntotal: None\n",
         ":3: total: 'None' is no epsilon; give a number from 0, or none"},
        {"peer: 1\n", "not a budget"},
        {"delta: 1e-6\npeer: one\n", ":2: peer: 'one' is no epsilon"},
        {"delta: 1e-6\npeer: -1\n", ":2: peer"},
        {"delta: 1e-6\npeer: nan\n", ":2: peer"},
        {"delta: 1e-6\npeer: inf\n", ":2: peer"},
        {"delta: 2\npeer: 1\n", ":1: delta"},
        {"delta: 1e-6\nprotects: patient\npeer: 1\n", ":2: protects"},
        {"delta: 1e-6\npears: 1\n", ":2: unknown key 'pears'"},
        {"delta: 1e-6\npeer: 1\npeers:\n  - {name: west}\n", "not a budget"},
        {"delta: 1e-6\npeer: 1\npeers:\n  - {name: west, epsilon: x}\n", "peers.1.epsilon"},
        {"delta: 1e-6\npeer: [1]\n", "not a budget"},
        {"delta: 1e-6\npeer: 1\npeer: 2\n", "not a budget"},
        {"- 1\n", "budget.yaml"},
        {"", "budget.yaml"},
    };
    char path[NETDP_I_PATH_ROOM];
    path_of(path, "budget.yaml");
    const int64_t before = netdp_i_memory_live();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        netdp_i_budget budget = {0};
        FILE *stream = fopen(path, "wb");
        fputs(files[i][0], stream);
        fclose(stream);
        const netdp_status status = netdp_i_budget_read(path, &budget, &error);
        if (status != (files[i][1] == NULL ? NETDP_OK : NETDP_INVALID) ||
            (files[i][1] != NULL && strstr(error.text, files[i][1]) == NULL))
            fail_msg("'%s': %d %s", files[i][0], (int)status, error.text);
        if (i == 1) {
            assert_string_equal(budget.peers[0].name, "west");
            assert_close(budget.peers[0].epsilon, 0.5, 0, 0);
            assert_true(isinf(budget.peer));
        }
        if (status == NETDP_OK)
            assert_int_equal(budget.whole, strstr(files[i][0], "total:") != NULL);
        netdp_i_budget_clear(&budget);
    }
    assert_int_equal(netdp_i_memory_live(), before);
}

int main(void)
{
    if (!make_folder("budget"))
        return 99;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_over_studies),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_coalitions_over_studies),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_default_total),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_budget_files),
    };
    const int failed = cmocka_run_group_tests_name("budget", tests, NULL, NULL);
    return remove_folder() ? failed : 99;
}
