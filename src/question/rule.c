/* What a value may be: texts read by their rule. */
#include "question/rule.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <netdp/account.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"

bool netdp_i_rule_taken(const netdp_i_rule *rule, unsigned settings)
{
    return rule->only == 0 ||
           ((settings & rule->only) != 0 && (rule->also == 0 || (settings & rule->also) != 0));
}

bool netdp_i_rule_is_usual(const netdp_i_rule *rule, const char *text)
{
    double given, usual;
    if (rule->fallback == NULL)
        return false;
    if (strcmp(text, rule->fallback) == 0)
        return true;
    return netdp_i_read_number(text, &given) && netdp_i_read_number(rule->fallback, &usual) &&
           given == usual;
}

static netdp_status read_seed(const netdp_i_rule *rule, const char *text, uint64_t *into,
                              netdp_error *error)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
        REFUSE(__builtin_mul_overflow(value, (uint64_t)10, &value) ||
                   __builtin_add_overflow(value, (uint64_t)(text[at] - '0'), &value),
               "'%s' is out of range; give %s", netdp_i_show_text(text).text, rule->expects);
    REFUSE(at == 0 || text[at] != '\0', "'%s' is not a whole number; give %s",
           netdp_i_show_text(text).text, rule->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_whole(const netdp_i_rule *rule, const char *text, int64_t *into,
                               netdp_error *error)
{
    uint64_t value = 0;
    if (rule->word != NULL && strcmp(text, rule->word[0]) == 0) {
        *into = 0;
        return NETDP_OK;
    }
    TRY(read_seed(rule, text, &value, error));
    REFUSE((double)value < rule->low || (double)value > rule->high, "'%s' is out of range; give %s",
           netdp_i_show_text(text).text, rule->expects);
    *into = (int64_t)value;
    return NETDP_OK;
}

static netdp_status read_real(const netdp_i_rule *rule, const char *text, double *into,
                              netdp_error *error)
{
    double value = INFINITY;
    if (rule->word != NULL && strcmp(text, rule->word[0]) == 0) {
        *into = -1;
        return NETDP_OK;
    }
    /* "inf" as JSON results write it, ".inf" as YAML does. */
    bool infinite = strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
    REFUSE(!infinite && !netdp_i_read_number(text, &value), "'%s' is not a number; give %s",
           netdp_i_show_text(text).text, rule->expects);
    /* A number too large for a double is not the word "inf". */
    REFUSE(value < rule->low || value > rule->high || (isinf(value) && !infinite),
           "'%s' is out of range; give %s", netdp_i_show_text(text).text, rule->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_word(const netdp_i_rule *rule, const char *text, int *into,
                              netdp_error *error)
{
    for (int i = 0; rule->word[i] != NULL; i++)
        if (strcmp(rule->word[i], text) == 0) {
            *into = i;
            return NETDP_OK;
        }
    return netdp_i_fail(error, NETDP_INVALID, "'%s' is not known here; give %s",
                        netdp_i_show_text(text).text, rule->expects);
}

netdp_status netdp_i_rule_read(const netdp_i_rule *rule, const char *text, void *into,
                               netdp_error *error)
{
    int word = 0;
    if (rule->kind != NETDP_I_KEY_WHOLE && rule->kind != NETDP_I_KEY_REAL && rule->word != NULL)
        TRY(read_word(rule, text, &word, error));
    switch (rule->kind) {
    case NETDP_I_KEY_SEED:
        return read_seed(rule, text, into, error);
    case NETDP_I_KEY_WHOLE:
        return read_whole(rule, text, into, error);
    case NETDP_I_KEY_REAL:
        return read_real(rule, text, into, error);
    case NETDP_I_KEY_WORD:
        /* Every enum of the tables is as wide as an int (checked below and in study/value.c). */
        memcpy(into, &word, sizeof word);
        break;
    case NETDP_I_KEY_SWITCH:
        *(bool *)into = word == 1;
        break;
    default:
        break;
    }
    return NETDP_OK;
}

_Static_assert(sizeof(netdp_over) == sizeof(int) && sizeof(netdp_sees) == sizeof(int) &&
                   sizeof(netdp_own_noise) == sizeof(int),
               "netdp_i_rule_read and netdp_study_write copy words as int");
