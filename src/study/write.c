/* A study back to YAML, every default filled in: what reads back as the same study. */
#include "study/claims.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "study/value.h"

/* In double quotes, where YAML knows an escape for whatever would not survive as it is. */
netdp_status netdp_i_study_write_text(FILE *stream, const char *text, netdp_error *error)
{
    fputc('"', stream);
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        size_t length = netdp_i_utf8(text, left, &code);
        REFUSE(length == 0, "'%s' is not UTF-8 and cannot be written in a study file; rename it",
               netdp_i_show_text(text).text);
        if (code == '"' || code == '\\')
            fprintf(stream, "\\%c", (char)code);
        else if (netdp_i_printable(code))
            fwrite(text, 1, length, stream);
        else
            fprintf(stream, "\\u%04x", (unsigned)code); /* all of them are below 0x10000 */
        text += length;
        left -= length;
    }
    fputc('"', stream);
    return NETDP_OK;
}

/* The written study may stand in another folder: a path that exists becomes absolute. */
static netdp_status write_path(FILE *stream, const char *path, netdp_error *error)
{
    OWNED_BY(free) char *whole = netdp_i_value_path(path);
    return netdp_i_study_write_text(stream, whole != NULL ? whole : path, error);
}

/* The shortest of 15 to 17 digits that reads back as the same double. */
static void write_real(FILE *stream, double value)
{
    char digits[32] = "inf";
    for (int precision = 15; isfinite(value) && precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    fputs(digits, stream);
}

static void write_pair(FILE *stream, double low, double high)
{
    fputc('[', stream);
    write_real(stream, low);
    fputs(", ", stream);
    write_real(stream, high);
    fputc(']', stream);
}

/* A list below its key, which stands behind `indent` blanks. */
static netdp_status write_columns(FILE *stream, const netdp_study *study, int indent,
                                  netdp_error *error)
{
    if (study->data.column_count == 0) /* of a variant whose base names some */
        fputs(" []", stream);
    for (int32_t i = 0; i < study->data.column_count; i++) {
        const netdp_i_column *column = &study->data.column[i];
        fprintf(stream, "\n%*s  - {name: ", indent, "");
        TRY(netdp_i_study_write_text(stream, column->name, error));
        if (column->low < column->high) {
            fputs(", bounds: ", stream);
            write_pair(stream, column->low, column->high);
        }
        for (int32_t j = 0; j < column->values; j++) {
            fputs(j == 0 ? ", values: [" : ", ", stream);
            TRY(netdp_i_study_write_text(stream, column->value[j], error));
        }
        if (column->values > 0)
            fputc(']', stream);
        fputc('}', stream);
    }
    return NETDP_OK;
}

static netdp_status write_value(FILE *stream, const netdp_study *study, const netdp_i_key *key,
                                int indent, netdp_error *error)
{
    const void *from = netdp_i_key_field(key, study);
    const netdp_i_rule *rule = netdp_i_key_rule(key);
    int word;
    switch (rule->kind) {
    case NETDP_I_KEY_TEXT:
    case NETDP_I_KEY_DATASET:
        if (netdp_i_key_is_path(key, *(char *const *)from))
            return write_path(stream, *(char *const *)from, error);
        return netdp_i_study_write_text(stream, *(char *const *)from, error);
    case NETDP_I_KEY_FILE:
        return write_path(stream, *(char *const *)from, error);
    case NETDP_I_KEY_SEED:
        fprintf(stream, "%llu", (unsigned long long)*(const uint64_t *)from);
        break;
    case NETDP_I_KEY_WHOLE:
        if (*(const int64_t *)from == 0 && rule->word != NULL)
            fputs(rule->word[0], stream);
        else
            fprintf(stream, "%lld", (long long)*(const int64_t *)from);
        break;
    case NETDP_I_KEY_REAL:
        if (*(const double *)from < 0 && rule->word != NULL)
            fputs(rule->word[0], stream);
        else
            write_real(stream, *(const double *)from);
        break;
    case NETDP_I_KEY_PAIR:
        write_pair(stream, study->task.low, study->task.high);
        break;
    case NETDP_I_KEY_WORD:
        memcpy(&word, from, sizeof word);
        fputs(rule->word[word], stream);
        break;
    case NETDP_I_KEY_SWITCH:
        fputs(rule->word[*(const bool *)from], stream);
        break;
    case NETDP_I_KEY_COLUMNS:
        return write_columns(stream, study, indent, error);
    }
    return NETDP_OK;
}

/* Of a key that came after studies were written: its default. */
static bool is_left_out(const netdp_study *study, const netdp_i_key *key)
{
    const netdp_i_rule *rule = netdp_i_key_rule(key);
    const void *from = netdp_i_key_field(key, study);
    return key->later && netdp_i_rule_is_usual(rule, rule->kind == NETDP_I_KEY_SWITCH
                                                         ? rule->word[*(const bool *)from]
                                                         : *(char *const *)from);
}

/* What a study file must say: everything that is there, or of a variant what differs from its base.
 */
static bool is_written(const netdp_study *study, const netdp_study *base, const netdp_i_key *key)
{
    if (netdp_i_study_claims(study)) {
        if (!netdp_i_key_claims(key))
            return false;
    } else if (netdp_i_study_accounts(study) &&
               netdp_i_key_runs(key, netdp_i_study_realises(study)) &&
               (strcmp(key->name, "data.batches") != 0 ||
                strcmp(study->question.batches, "full") == 0))
        return false;
    if (base == NULL)
        return !netdp_i_value_absent(study, key) && !is_left_out(study, key);
    return !netdp_i_value_equal(study, base, key) &&
           (!netdp_i_value_absent(study, key) ||
            netdp_i_key_rule(key)->kind == NETDP_I_KEY_COLUMNS);
}

/* The keys in their sections, `indent` blanks in; `base` of a variant, else NULL. */
static netdp_status write_keys(FILE *stream, const netdp_study *study, const netdp_study *base,
                               int indent, netdp_error *error)
{
    const char *section = "";
    size_t length = 0;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const size_t own = netdp_i_key_section(key);
        const int inner = indent + (own > 0 ? 2 : 0);
        if (!is_written(study, base, key))
            continue;
        if (own > 0 && (own != length || memcmp(section, key->name, own) != 0))
            fprintf(stream, "%*s%.*s:\n", indent, "", (int)own, key->name);
        section = key->name;
        length = own;
        fprintf(stream, "%*s%s:%s", inner, "", netdp_i_key_leaf(key),
                netdp_i_key_rule(key)->kind == NETDP_I_KEY_COLUMNS ? "" : " ");
        TRY(write_value(stream, study, key, inner, error));
        fputc('\n', stream);
    }
    return NETDP_OK;
}

static netdp_status write_variants(FILE *stream, const netdp_study *study, netdp_error *error)
{
    if (study->variation_count > 0)
        fputs("variants:\n", stream);
    for (int32_t i = 0; i < study->variation_count; i++) {
        const netdp_i_variation *variation = &study->variation[i];
        if (variation->curve != NULL && i > 0 &&
            strcmp(variation->curve, study->variation[i - 1].curve) == 0)
            continue; /* another value of the sweep */
        fputs("  - name: ", stream);
        TRY(netdp_i_study_write_text(
            stream, variation->curve != NULL ? variation->curve : variation->name, error));
        fputc('\n', stream);
        TRY(write_keys(stream, variation->study, study, 4, error));
    }
    return NETDP_OK;
}

netdp_status netdp_study_write(const netdp_study *study, const char *path, netdp_error *error)
{
    NETDP_I_GIVEN(error, study && path);
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    TRY(netdp_i_output_open(&output, path, error));
    TRY(write_keys(output.stream, study, NULL, 0, error));
    TRY(write_variants(output.stream, study, error));
    return netdp_i_output_commit(&output, error);
}
