#include "study/reading.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/learn.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/text.h"
#include "protocol/pairing.h"
#include "protocol/pattern.h"
#include "protocol/quiet.h"
#include "study/value.h"

enum { LONGEST_TEXT = 4096, PLACE_ROOM = 96 };

static bool is_swept(const netdp_i_reading *from, const char *name)
{
    return from->swept != NULL && strcmp(from->swept, name) == 0;
}

/* Where the value of `name` stands: what lies on top comes first. */
static void find_place(const netdp_i_reading *from, const char *name, char place[PLACE_ROOM])
{
    const char *key = is_swept(from, name) ? "sweep.values" : name;
    const char *within = is_swept(from, name) ? "" : from->within, *dot = strrchr(key, '.');
    for (int i = from->quick ? 0 : 2; i < 3; i++) {
        snprintf(place, PLACE_ROOM, "%s%s%s", i == 1 ? "" : within, i < 2 ? "quick." : "", key);
        const int32_t at = netdp_i_lines_find(&from->lines, place);
        if (at >= 0 && strcmp(from->lines.at[at].key, dot != NULL ? dot + 1 : key) == 0)
            return;
    }
}

netdp_status netdp_i_reading_fail(const netdp_i_reading *from, const char *name, netdp_error *error,
                                  const char *format, ...)
{
    char told[256], place[PLACE_ROOM];
    const bool swept = is_swept(from, name);
    const int front = snprintf(told, sizeof told, "%s%s", swept ? name : "", swept ? ": " : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(told + front, sizeof told - (size_t)front, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%s%s", from->within, name);
    int k = netdp_i_key_find(place);
    REFUSE(k >= 0 && from->set[k] != NULL, "--set %s: %s", netdp_i_show_text(from->set[k]).text,
           told);
    find_place(from, name, place);
    int64_t line = netdp_i_lines_of(&from->lines, place);
    REFUSE(line == 0, "%.300s: %s: %s", from->path, place, told);
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%lld: %s: %s", from->path, (long long)line,
                        place, told);
}

static netdp_status keep_text(const netdp_i_reading *from, const netdp_i_key *key, const char *text,
                              char **into, netdp_error *error)
{
    const netdp_i_rule *rule = netdp_i_key_rule(key);
    size_t length = strlen(text);
    /* Only a text whose default is empty may be left empty. */
    REFUSE_KEY(length == 0 && (rule->fallback == NULL || rule->fallback[0] != '\0'), key->name,
               "is empty; give %s", rule->expects);
    REFUSE_KEY(length > LONGEST_TEXT, key->name, "has %zu bytes; give at most %d", length,
               LONGEST_TEXT);
    const char *slash = strrchr(from->path, '/');
    bool beside = netdp_i_key_is_path(key, text) && text[0] != '/' && slash != NULL;
    size_t folder = beside ? (size_t)(slash - from->path) + 1 : 0;
    char *kept = netdp_i_new((int64_t)(folder + length + 1), 1);
    NEED(kept);
    memcpy(kept, from->path, folder);
    memcpy(kept + folder, text, length + 1);
    *into = kept;
    return NETDP_OK;
}

/* The file in "hastings:FILE", or NULL where the weights name none. */
static const char *find_target(const char *weights)
{
    static const char prefix[] = "hastings:";
    const char *file = weights + sizeof prefix - 1;
    return strncmp(weights, prefix, sizeof prefix - 1) == 0 && strcmp(file, "degree") != 0 &&
                   strcmp(file, "uniform") != 0
               ? file
               : NULL;
}

/* Is the text of a setting the path of a file, and none of the words that it knows? */
static bool names_file(const netdp_i_key *key, const char *text)
{
    if (strcmp(key->name, "privacy.pair_graph") == 0)
        return !netdp_i_pairing_named(text);
    if (strcmp(key->name, "privacy.quiet") == 0)
        return !netdp_i_quiet_named(text);
    return strcmp(key->name, "privacy.pattern") == 0 && strcmp(text, "worst") != 0 &&
           strncmp(text, "cos:", 4) != 0 && !netdp_i_pattern_fill(text, 0, NULL);
}

/* A text that ends with a file's path: relative to the study, and absolute from then on where it
   exists. */
static netdp_status locate(const netdp_i_reading *from, const char *file, char **text,
                           netdp_error *error)
{
    const char *slash = strrchr(from->path, '/');
    if (file == NULL)
        return NETDP_OK;
    const int prefix = (int)(file - *text);
    const int folder = file[0] != '/' && slash != NULL ? (int)(slash - from->path) + 1 : 0;
    char beside[2 * LONGEST_TEXT], located[2 * LONGEST_TEXT + 16];
    snprintf(beside, sizeof beside, "%.*s%s", folder, from->path, file);
    char *whole = netdp_i_value_path(beside);
    snprintf(located, sizeof located, "%.*s%s", prefix, *text, whole != NULL ? whole : beside);
    free(whole);
    char *kept = netdp_i_copy_text(located);
    NEED(kept);
    netdp_i_free(*text);
    *text = kept;
    return NETDP_OK;
}

static netdp_status read_dataset(const netdp_i_reading *from, const netdp_i_key *key,
                                 const char *text, char **into, netdp_error *error)
{
    const netdp_dataset *nearest = netdp_datasets();
    for (const netdp_dataset *set = netdp_datasets(); set->name != NULL; set++) {
        if (netdp_i_distance(set->name, text) < netdp_i_distance(nearest->name, text))
            nearest = set;
        if (strcmp(set->name, text) != 0)
            continue;
        REFUSE_KEY(strstr(set->file, ".csv") == NULL, key->name,
                   "'%s' is a graph; use graph: {data: %s}", set->name, set->file);
        return keep_text(from, key, text, into, error);
    }
    return netdp_i_reading_fail(from, key->name, error,
                                "no data set has the name '%s'; did you mean '%s'?",
                                netdp_i_show_text(text).text, nearest->name);
}

netdp_status netdp_i_reading_pair(const netdp_i_reading *from, const char *name,
                                  char *const text[2], double *low, double *high,
                                  netdp_error *error)
{
    double value[2];
    for (int i = 0; i < 2; i++)
        REFUSE_KEY(!netdp_i_read_number(text[i], &value[i]) || !(fabs(value[i]) <= NETDP_I_LARGEST),
                   name,
                   "'%s' is not a finite number up to 1e100; give [low, high] with low < high",
                   netdp_i_show_text(text[i]).text);
    REFUSE_KEY(value[0] >= value[1], name,
               "[%s, %s] is not a range; give [low, high] with low < high",
               netdp_i_show_text(text[0]).text, netdp_i_show_text(text[1]).text);
    *low = value[0];
    *high = value[1];
    return NETDP_OK;
}

netdp_status netdp_i_reading_key(const netdp_i_reading *from, const netdp_i_key *key,
                                 char *const text[2], netdp_error *error)
{
    void *into = netdp_i_key_field(key, from->study);
    char **kept = into; /* of a text */
    netdp_error why;
    REFUSE_KEY(netdp_i_rule_read(netdp_i_key_rule(key), text[0], into, &why) != NETDP_OK, key->name,
               "%s", why.text);
    switch (netdp_i_key_rule(key)->kind) {
    case NETDP_I_KEY_TEXT:
        TRY(keep_text(from, key, text[0], into, error));
        if (strcmp(key->name, "mixing.weights") == 0)
            TRY(locate(from, find_target(*kept), kept, error));
        return names_file(key, text[0]) ? locate(from, *kept, kept, error) : NETDP_OK;
    case NETDP_I_KEY_FILE:
        return keep_text(from, key, text[0], into, error);
    case NETDP_I_KEY_DATASET:
        return read_dataset(from, key, text[0], into, error);
    case NETDP_I_KEY_PAIR:
        from->study->task.has_bounds = true;
        return netdp_i_reading_pair(from, key->name, text, &from->study->task.low,
                                    &from->study->task.high, error);
    default:
        break;
    }
    return NETDP_OK;
}
