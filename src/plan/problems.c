/* The problems of a study's variants: those that differ, and a digest of what simulations read. */
#include "plan/problem.h"

#include <sodium.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "study/value.h"

/* Is it a key that graph, mixing matrix or data depend on? */
static bool is_of_problem(const netdp_i_key *key)
{
    static const char *const sections[] = {"graph.",        "mixing.",      "data.",
                                           "task.",         "protocol.law", "privacy.protects",
                                           "privacy.change"};
    static const char *const others[] = {"task.step",  "task.decay",         "task.radius",
                                         "task.local", "task.momentum",      "task.batch",
                                         "task.unit",  "task.central_steps", "data.row"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key->name, others[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(key->name, sections[i], strlen(sections[i])) == 0)
            return true;
    return false;
}

static bool same_problem(const netdp_study *a, const netdp_study *b)
{
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (is_of_problem(&netdp_i_keys[k]) && !netdp_i_value_equal(a, b, &netdp_i_keys[k]))
            return false;
    const char *pairs = netdp_i_problem_pairs(a), *others = netdp_i_problem_pairs(b);
    if ((pairs == NULL) != (others == NULL) || (pairs != NULL && strcmp(pairs, others) != 0))
        return false;
    if (netdp_i_study_tallies(a) || netdp_i_study_tallies(b)) /* whose values depend on both */
        return strcmp(a->protocol.kind, b->protocol.kind) == 0 &&
               a->protocol.rounds == b->protocol.rounds;
    return netdp_i_study_walks(a) == netdp_i_study_walks(b); /* W or P */
}

void netdp_i_problems_clear(netdp_i_problems *problems)
{
    for (int32_t i = 0; i < problems->count; i++)
        netdp_i_problem_free(problems->made[i]);
    netdp_i_free(problems->made);
    netdp_i_free(problems->of);
    *problems = (netdp_i_problems){0};
}

/* The i-th variant's problem: the study's, an earlier variant's, or a new one. */
static netdp_status find_problem(const netdp_study *study, int32_t i, const char *data,
                                 netdp_i_problems *problems, netdp_error *error)
{
    const netdp_i_variation *variation = &study->variation[i];
    for (int32_t earlier = i - 1; problems->of[i] == NULL && earlier >= -1; earlier--)
        if (same_problem(earlier < 0 ? study : study->variation[earlier].study, variation->study))
            problems->of[i] = earlier < 0 ? problems->made[0] : problems->of[earlier];
    if (problems->of[i] != NULL)
        return NETDP_OK;
    netdp_i_problem **made = &problems->made[problems->count];
    TRY(netdp_i_within(error, netdp_i_problem_new(variation->study, data, made, error),
                       "variant %s", variation->name));
    problems->of[i] = *made;
    problems->count++;
    return NETDP_OK;
}

netdp_status netdp_i_problems_new(const netdp_study *study, const char *data,
                                  netdp_i_problems *problems, netdp_error *error)
{
    CLEARED(netdp_i_problems_clear) netdp_i_problems made = {0};
    made.made = NETDP_I_NEW(netdp_i_problem *, study->variation_count + 1);
    made.of = NETDP_I_NEW(const netdp_i_problem *, study->variation_count);
    if (made.made == NULL || made.of == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_problem_new(study, data, &made.made[0], error));
    made.count = 1;
    for (int32_t i = 0; i < study->variation_count; i++)
        TRY(find_problem(study, i, data, &made, error));
    *problems = made;
    made = (netdp_i_problems){0};
    return NETDP_OK;
}

/* What messages or the token move by: W or P by its rows. */
static netdp_rows rows_of(const netdp_i_problem *problem)
{
    return problem->law != NULL ? netdp_transition_rows(problem->law)
                                : netdp_mixing_rows(problem->mixing);
}

static void digest_problem(const netdp_i_problem *problem, char digest[65])
{
    const netdp_rows rows = rows_of(problem);
    const size_t entries = (size_t)rows.start[rows.nodes];
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    const size_t numbers = (size_t)problem->width, nodes = (size_t)rows.nodes;
    const netdp_examples *train = problem->train, *test = problem->test;
    const size_t train_rows = train != NULL ? (size_t)train->rows : 0;
    const size_t test_rows = test != NULL ? (size_t)test->rows : 0;
    const size_t valued = problem->values != NULL ? 1 : 0, size = sizeof(double);
    const size_t features = train != NULL ? (size_t)train->features : 0; /* a model may have more */
    const struct {
        const void *bytes;
        size_t count; /* 0: not of this task */
    } parts[] = {
        {&problem->width, sizeof problem->width},
        {rows.start, (nodes + 1) * sizeof *rows.start},
        {rows.column, entries * sizeof *rows.column},
        {rows.weight, entries * sizeof *rows.weight},
        {problem->low, valued * numbers * size},
        {problem->scale, valued * numbers * size},
        {problem->values, valued * nodes * numbers * size},
        {train != NULL ? train->x : NULL, train_rows * features * size},
        {train != NULL ? train->y : NULL, train_rows * size},
        {train != NULL ? train->start : NULL,
         (train != NULL ? nodes + 1 : 0) * sizeof *train->start},
        {test != NULL ? test->x : NULL, test_rows * features * size},
        {test != NULL ? test->y : NULL, test_rows * size},
    };
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            crypto_hash_sha256_update(&state, parts[i].bytes, parts[i].count);
    for (int32_t v = 0; problem->pairs != NULL && v < rows.nodes; v++) {
        const int32_t degree = netdp_graph_degree(problem->pairs, v);
        crypto_hash_sha256_update(&state, (const unsigned char *)&degree, sizeof degree);
        crypto_hash_sha256_update(&state,
                                  (const unsigned char *)netdp_graph_neighbours(problem->pairs, v),
                                  (size_t)degree * sizeof degree);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
}

void netdp_i_problems_digest(const netdp_i_problems *problems, char digest[65])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    digest_problem(problems->made[0], digest);
    if (problems->count == 1)
        return;
    crypto_hash_sha256_init(&state);
    for (int32_t i = 0; i < problems->count; i++) {
        digest_problem(problems->made[i], digest);
        crypto_hash_sha256_update(&state, (const unsigned char *)digest, 64);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
}
