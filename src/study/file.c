/* The study file: its texts become a netdp_study, key by key. */
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/data.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/key.h"
#include "study/text.h"

enum { LONGEST_TEXT = 4096 };

typedef struct reading {
    const char *path;
    netdp_i_lines lines;
    netdp_i_study_text *text;
    const char *set[NETDP_I_KEYS]; /* the override that a key's text comes from, or NULL */
    netdp_study *study;
} reading;

/* "FILE:7: privacy.epsilon: ...", or "--set privacy.epsilon=x: ..." where it comes from there. */
__attribute__((format(printf, 4, 5))) static netdp_status
fail_key(const reading *from, const char *name, netdp_error *error, const char *format, ...)
{
    char told[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(told, sizeof told, format, arguments);
    va_end(arguments);
    int k = netdp_i_key_find(name);
    if (k >= 0 && from->set[k] != NULL)
        return netdp_i_fail(error, NETDP_INVALID, "--set %s: %s",
                            netdp_i_show_text(from->set[k]).text, told);
    int64_t line = netdp_i_lines_of(&from->lines, name);
    if (line == 0)
        return netdp_i_fail(error, NETDP_INVALID, "%.300s: %s: %s", from->path, name, told);
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%lld: %s: %s", from->path, (long long)line,
                        name, told);
}

/* ---- one text to one value ---- */

static netdp_status keep_text(const reading *from, const netdp_i_key *key, const char *text,
                              char **into, netdp_error *error)
{
    size_t length = strlen(text);
    /* Only a text whose default is empty may be left empty. */
    if (length == 0 && (key->fallback == NULL || key->fallback[0] != '\0'))
        return fail_key(from, key->name, error, "is empty; give %s", key->expects);
    if (length > LONGEST_TEXT)
        return fail_key(from, key->name, error, "has %zu bytes; give at most %d", length,
                        LONGEST_TEXT);
    const char *slash = strrchr(from->path, '/');
    bool beside = key->kind == NETDP_I_KEY_FILE && text[0] != '/' && slash != NULL;
    size_t folder = beside ? (size_t)(slash - from->path) + 1 : 0;
    char *kept = netdp_i_new((int64_t)(folder + length + 1), 1);
    if (kept == NULL)
        return netdp_i_no_memory(error);
    memcpy(kept, from->path, folder);
    memcpy(kept + folder, text, length + 1);
    *into = kept;
    return NETDP_OK;
}

static netdp_status read_dataset(const reading *from, const netdp_i_key *key, const char *text,
                                 char **into, netdp_error *error)
{
    const netdp_dataset *nearest = netdp_datasets();
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++) {
        if (netdp_i_distance(set->name, text) < netdp_i_distance(nearest->name, text))
            nearest = set;
        if (strcmp(set->name, text) != 0)
            continue;
        if (strstr(set->file, ".csv") == NULL)
            return fail_key(from, key->name, error, "'%s' is a graph; use graph: {data: %s}",
                            set->name, set->file);
        return keep_text(from, key, text, into, error);
    }
    return fail_key(from, key->name, error, "no data set has the name '%s'; did you mean '%s'?",
                    netdp_i_show_text(text).text, nearest->name);
}

static netdp_status read_seed(const reading *from, const netdp_i_key *key, const char *text,
                              uint64_t *into, netdp_error *error)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[at] - '0'), &value))
            return fail_key(from, key->name, error, "'%s' is out of range; give %s",
                            netdp_i_show_text(text).text, key->expects);
    if (at == 0 || text[at] != '\0')
        return fail_key(from, key->name, error, "'%s' is not a whole number; give %s",
                        netdp_i_show_text(text).text, key->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_whole(const reading *from, const netdp_i_key *key, const char *text,
                               int64_t *into, netdp_error *error)
{
    uint64_t value = 0;
    if (key->word != NULL && strcmp(text, key->word[0]) == 0) {
        *into = 0;
        return NETDP_OK;
    }
    netdp_status status = read_seed(from, key, text, &value, error);
    if (status != NETDP_OK)
        return status;
    if ((double)value < key->low || (double)value > key->high)
        return fail_key(from, key->name, error, "'%s' is out of range; give %s",
                        netdp_i_show_text(text).text, key->expects);
    *into = (int64_t)value;
    return NETDP_OK;
}

static netdp_status read_real(const reading *from, const netdp_i_key *key, const char *text,
                              double *into, netdp_error *error)
{
    double value = INFINITY;
    /* "inf" as JSON results write it, ".inf" as YAML does. */
    bool infinite = strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
    if (!infinite && !netdp_i_read_number(text, &value))
        return fail_key(from, key->name, error, "'%s' is not a number; give %s",
                        netdp_i_show_text(text).text, key->expects);
    /* A number too large for a double is not the word "inf". */
    if (value < key->low || value > key->high || (isinf(value) && !infinite))
        return fail_key(from, key->name, error, "'%s' is out of range; give %s",
                        netdp_i_show_text(text).text, key->expects);
    *into = value;
    return NETDP_OK;
}

static netdp_status read_pair(const reading *from, const char *name, char *const text[2],
                              double *low, double *high, netdp_error *error)
{
    double value[2];
    for (int i = 0; i < 2; i++)
        if (!netdp_i_read_number(text[i], &value[i]) || !(fabs(value[i]) <= NETDP_I_LARGEST))
            return fail_key(from, name, error,
                            "'%s' is not a finite number up to 1e100; give [low, high] with low < "
                            "high",
                            netdp_i_show_text(text[i]).text);
    if (value[0] >= value[1])
        return fail_key(from, name, error,
                        "[%s, %s] is not a range; give [low, high] with low < high",
                        netdp_i_show_text(text[0]).text, netdp_i_show_text(text[1]).text);
    *low = value[0];
    *high = value[1];
    return NETDP_OK;
}

static netdp_status read_word(const reading *from, const netdp_i_key *key, const char *text,
                              int *into, netdp_error *error)
{
    for (int i = 0; key->word[i] != NULL; i++)
        if (strcmp(key->word[i], text) == 0) {
            *into = i;
            return NETDP_OK;
        }
    return fail_key(from, key->name, error, "'%s' is not known here; give %s",
                    netdp_i_show_text(text).text, key->expects);
}

static netdp_status read_key(const reading *from, const netdp_i_key *key, char *const text[2],
                             netdp_error *error)
{
    void *into = (char *)from->study + key->offset;
    netdp_status status = NETDP_OK;
    int word = 0;
    switch (key->kind) {
    case NETDP_I_KEY_TEXT:
        if (key->word != NULL && (status = read_word(from, key, text[0], &word, error)) != NETDP_OK)
            return status;
        return keep_text(from, key, text[0], into, error);
    case NETDP_I_KEY_FILE:
        return keep_text(from, key, text[0], into, error);
    case NETDP_I_KEY_DATASET:
        return read_dataset(from, key, text[0], into, error);
    case NETDP_I_KEY_SEED:
        return read_seed(from, key, text[0], into, error);
    case NETDP_I_KEY_WHOLE:
        return read_whole(from, key, text[0], into, error);
    case NETDP_I_KEY_REAL:
        return read_real(from, key, text[0], into, error);
    case NETDP_I_KEY_PAIR:
        from->study->task.has_bounds = true;
        return read_pair(from, key->name, text, &from->study->task.low, &from->study->task.high,
                         error);
    case NETDP_I_KEY_WORD:
        status = read_word(from, key, text[0], &word, error);
        /* Every enum of the table is as wide as an unsigned int (checked below). */
        memcpy(into, &word, sizeof word);
        return status;
    case NETDP_I_KEY_SWITCH:
        status = read_word(from, key, text[0], &word, error);
        *(bool *)into = word == 1;
        return status;
    case NETDP_I_KEY_COLUMNS:
        break;
    }
    return NETDP_OK;
}

_Static_assert(sizeof(netdp_over) == sizeof(int) && sizeof(netdp_sees) == sizeof(int) &&
                   sizeof(netdp_own_noise) == sizeof(int),
               "read_key and netdp_study_write copy words as int");

/* ---- overrides ---- */

static void clear_text(reading *from, int k)
{
    for (int i = 0; i < 2; i++) {
        netdp_i_free(from->text->value[k][i]);
        from->text->value[k][i] = NULL;
    }
    from->set[k] = NULL;
}

/* "[0, 5]" or "0,5" into two texts without blanks around them. */
static netdp_status split_pair(const char *value, char *pair[2], netdp_error *error)
{
    static const char around[] = "[] \t";
    const char *comma = strchr(value, ',');
    const char *begin[2] = {value, comma != NULL ? comma + 1 : ""};
    for (int i = 0; i < 2; i++) {
        begin[i] += strspn(begin[i], around);
        size_t length = strcspn(begin[i], i == 0 ? "," : "");
        while (length > 0 && strchr(around, begin[i][length - 1]) != NULL)
            length--;
        pair[i] = netdp_i_new((int64_t)length + 1, 1);
        if (pair[i] == NULL)
            return netdp_i_no_memory(error);
        memcpy(pair[i], begin[i], length);
    }
    return NETDP_OK;
}

static netdp_status find_set(const char *set, int *found, netdp_error *error)
{
    const char *equals = strchr(set, '=');
    netdp_i_shown shown = netdp_i_show_text(set);
    if (equals == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "--set %s: no value; write --set key=value",
                            shown.text);
    for (const char *at = set; *at != '\0';) {
        uint32_t code;
        size_t length = netdp_i_utf8(at, strlen(at), &code);
        if (length == 0)
            return netdp_i_fail(error, NETDP_INVALID, "--set %s: not UTF-8; type it again",
                                shown.text);
        at += length;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - set > 63 ? 63 : equals - set), set);
    *found = netdp_i_key_find(name);
    if (*found < 0) {
        char nearest[32];
        return netdp_i_fail(error, NETDP_INVALID, "--set %s: unknown key; did you mean '%s'?",
                            shown.text, netdp_i_key_nearest(NULL, name, nearest));
    }
    if (netdp_i_keys[*found].kind == NETDP_I_KEY_COLUMNS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--set %s: a list of columns cannot be set; edit the study file",
                            shown.text);
    return NETDP_OK;
}

/* Of keys that exclude each other the one set last wins. */
static void clear_rivals(reading *from, int k)
{
    for (int other = 0; other < NETDP_I_KEYS; other++)
        if (other != k && netdp_i_keys[k].rivals != NETDP_I_ALONE &&
            netdp_i_keys[other].rivals == netdp_i_keys[k].rivals)
            clear_text(from, other);
    /* The giant component belongs to the file that a family replaces. */
    if (strcmp(netdp_i_keys[k].name, "graph.family") == 0)
        clear_text(from, netdp_i_key_find("graph.giant_component"));
}

static netdp_status override(reading *from, const char *set, netdp_error *error)
{
    int k = -1;
    netdp_status status = find_set(set, &k, error);
    if (status != NETDP_OK)
        return status;
    const char *value = strchr(set, '=') + 1;
    clear_rivals(from, k);
    clear_text(from, k);
    from->set[k] = set;
    if (netdp_i_keys[k].kind == NETDP_I_KEY_PAIR)
        return split_pair(value, from->text->value[k], error);
    from->text->value[k][0] = netdp_i_copy_text(value);
    return from->text->value[k][0] != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* ---- the whole ---- */

static netdp_status read_columns(const reading *from, netdp_error *error)
{
    netdp_study *study = from->study;
    uint32_t count = from->text->column_count;
    study->data.column = NETDP_I_NEW(netdp_i_column, count);
    if (study->data.column == NULL)
        return netdp_i_no_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const netdp_i_column_text *text = &from->text->column[i];
        netdp_i_column *column = &study->data.column[i];
        char name[48];
        snprintf(name, sizeof name, "data.columns.%u%s", i + 1,
                 text->bounds[0] != NULL ? ".bounds" : "");
        if (text->name == NULL || text->name[0] == '\0')
            return fail_key(from, name, error, "has no name; give name: and bounds: [low, high]");
        netdp_status status = NETDP_OK;
        if (text->bounds[0] != NULL)
            status = read_pair(from, name, text->bounds, &column->low, &column->high, error);
        if (status != NETDP_OK)
            return status;
        column->name = netdp_i_copy_text(text->name);
        if (column->name == NULL)
            return netdp_i_no_memory(error);
        study->data.column_count = (int32_t)i + 1;
    }
    return NETDP_OK;
}

/* Of graphs and data exactly one, of bounds and clip at most one. */
static netdp_status check_rivals(const reading *from, netdp_i_rivals group, netdp_error *error)
{
    char names[96] = "";
    size_t used = 0;
    int first = -1, second = -1, any = -1;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        if (netdp_i_keys[k].rivals != group)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", any >= 0 ? ", " : "",
                                 netdp_i_keys[k].name);
        any = k;
        if (from->text->value[k][0] != NULL) {
            second = first >= 0 ? k : -1;
            first = first >= 0 ? first : k;
        }
    }
    if (second >= 0)
        return fail_key(from, netdp_i_keys[second].name, error, "excludes %s; keep one of %s",
                        netdp_i_keys[first].name, names);
    if (first >= 0)
        return NETDP_OK;
    if (group != NETDP_I_RIVAL_RANGES)
        return fail_key(from, netdp_i_keys[any].name, error, "one of %s is missing; give it",
                        names);
    bool all = from->study->data.column_count > 0;
    for (int32_t i = 0; i < from->study->data.column_count; i++)
        all = all && from->study->data.column[i].low < from->study->data.column[i].high;
    if (all)
        return NETDP_OK;
    return fail_key(from, "task.bounds", error,
                    "values must have a range; give bounds: [low, high] or clip: radius");
}

/* What no single key can say. */
bool netdp_i_study_learns(const netdp_study *study)
{
    return strcmp(study->task.kind, "mean") != 0;
}

/* Keys of one protocol or one kind of task: elsewhere they may only hold their default. */
static const struct {
    const char *key;
    unsigned setting; /* of netdp_setting; 0: of learning */
} particular[] = {
    {"data.split", 0},
    {"task.l2", 0},
    {"task.batch", 0},
    {"task.intercept", 0},
    {"task.central_steps", 0},
    {"protocol.inner", NETDP_SETTING_INNER},
    {"protocol.accelerate", NETDP_SETTING_ACCELERATE},
    {"protocol.variance", NETDP_SETTING_ROUNDS_AUTO},
    {"privacy.dither", NETDP_SETTING_DITHER},
    {"privacy.end_dither", NETDP_SETTING_END_DITHER},
};

static netdp_status check_particular(const reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const netdp_protocol *named;
    netdp_status status = netdp_protocol_find(study->protocol.kind, &named, error);
    if (status != NETDP_OK)
        return status;
    for (size_t i = 0; i < sizeof particular / sizeof *particular; i++) {
        const int k = netdp_i_key_find(particular[i].key);
        const char *given = from->text->value[k][0];
        const bool applies = particular[i].setting == 0
                                 ? netdp_i_study_learns(study)
                                 : (named->settings & particular[i].setting) != 0;
        if (given != NULL && !applies && strcmp(given, netdp_i_keys[k].fallback) != 0)
            return fail_key(from, particular[i].key, error, "does not apply to %s; remove it",
                            particular[i].setting == 0 ? "task mean" : named->name);
    }
    return NETDP_OK;
}

/* What a mean and a model need, and what only the other one has. */
static netdp_status check_task(const reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    const bool learns = netdp_i_study_learns(study);
    const bool averages = strcmp(study->protocol.kind, "averaging") == 0;
    if (learns == averages)
        return fail_key(from, "protocol.kind", error, "%s does not do task %s; give %s",
                        study->protocol.kind, study->task.kind,
                        learns ? "gossip-sgd or muffliato-sgd" : "averaging");
    if (!learns) {
        if (study->data.label != NULL)
            return fail_key(from, "data.label", error, "applies to logistic and ridge; remove it");
        if (study->task.step > 0)
            return fail_key(from, "task.step", error, "applies to logistic and ridge; remove it");
        return NETDP_OK;
    }
    if (study->data.label == NULL)
        return fail_key(from, "data.label", error, "is missing; name the column to predict");
    if (!(study->task.step > 0))
        return fail_key(from, "task.step", error, "is missing; give a step size such as 0.7");
    if (study->task.clip == 0)
        return fail_key(from, "task.clip", error,
                        "is missing; without a bound on each row's gradient there is no "
                        "sensitivity");
    if (study->data.column_count > 0)
        return fail_key(from, "data.columns", error,
                        "applies to a mean; every column but the label is a feature");
    if (study->data.one_row_a_node)
        return fail_key(from, "data.per_node", error,
                        "one applies to a mean; training rows are dealt evenly");
    if (study->protocol.rounds == 0)
        return fail_key(from, "protocol.rounds", error, "auto applies to averaging; give a number");
    return NETDP_OK;
}

static netdp_status check_together(const reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_status status = check_task(from, error);
    for (int group = NETDP_I_ALONE + 1; status == NETDP_OK && group < NETDP_I_RIVALS; group++)
        status = check_rivals(from, (netdp_i_rivals)group, error);
    if (status != NETDP_OK)
        return status;
    if (study->graph.family != NULL && study->graph.giant_component)
        return fail_key(from, "graph.giant_component", error,
                        "applies to graph.file and graph.data only; remove it");
    for (int32_t i = 0; study->task.clip > 0 && i < study->data.column_count; i++)
        if (study->data.column[i].low < study->data.column[i].high)
            return fail_key(from, "task.clip", error,
                            "excludes bounds of columns; keep one of the two");
    return check_particular(from, error);
}

static netdp_status fill(const reading *from, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    for (int k = 0; k < NETDP_I_KEYS && status == NETDP_OK; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        char *fallback[2] = {(char *)key->fallback, NULL};
        if (key->kind == NETDP_I_KEY_COLUMNS)
            status = read_columns(from, error);
        else if (from->text->value[k][0] != NULL)
            status = read_key(from, key, from->text->value[k], error);
        else if (key->fallback != NULL)
            status = read_key(from, key, fallback, error);
        else if (key->required)
            status = fail_key(from, key->name, error, "is missing; give %s", key->expects);
    }
    return status;
}

netdp_status netdp_study_read(const char *path, const char *const *set, size_t count,
                              netdp_study **study, netdp_error *error)
{
    reading from = {.path = path};
    netdp_status status = netdp_i_study_text_read(path, &from.text, &from.lines, error);
    for (size_t i = 0; i < count && status == NETDP_OK; i++)
        status = override(&from, set[i], error);
    if (status != NETDP_OK)
        goto done;
    from.study = NETDP_I_NEW(netdp_study, 1);
    if (from.study == NULL || (from.study->path = netdp_i_copy_text(path)) == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    if ((status = fill(&from, error)) != NETDP_OK ||
        (status = check_together(&from, error)) != NETDP_OK)
        goto done;
    *study = from.study;
    from.study = NULL;
done:
    netdp_study_free(from.study);
    netdp_i_study_text_free(from.text);
    netdp_i_lines_free(&from.lines);
    return status;
}

void netdp_study_free(netdp_study *study)
{
    if (study == NULL)
        return;
    netdp_i_free(study->path);
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        netdp_i_kind kind = netdp_i_keys[k].kind;
        if (kind == NETDP_I_KEY_TEXT || kind == NETDP_I_KEY_FILE || kind == NETDP_I_KEY_DATASET)
            netdp_i_free(*(char **)((char *)study + netdp_i_keys[k].offset));
    }
    for (int32_t i = 0; i < study->data.column_count; i++)
        netdp_i_free(study->data.column[i].name);
    netdp_i_free(study->data.column);
    netdp_i_free(study);
}
