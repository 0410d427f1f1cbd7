/* The study file: its texts become a netdp_study, key by key, and its variants others beside it. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "study/check.h"
#include "study/figure.h"

enum { LONGEST_NAME = 40, MOST_SWEPT = 1000 };

/* ---- overrides ---- */

static void clear_text(netdp_i_reading *from, int k)
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
        NEED(pair[i]);
        memcpy(pair[i], begin[i], length);
    }
    return NETDP_OK;
}

static netdp_status find_set(const char *set, int *found, netdp_error *error)
{
    const char *equals = strchr(set, '=');
    netdp_i_shown shown = netdp_i_show_text(set);
    REFUSE(equals == NULL, "--set %s: no value; write --set key=value", shown.text);
    for (const char *at = set; *at != '\0';) {
        uint32_t code;
        size_t length = netdp_i_utf8(at, strlen(at), &code);
        REFUSE(length == 0, "--set %s: not UTF-8; type it again", shown.text);
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
    REFUSE(netdp_i_key_rule(&netdp_i_keys[*found])->kind == NETDP_I_KEY_COLUMNS,
           "--set %s: a list of columns cannot be set; edit the study file", shown.text);
    return NETDP_OK;
}

/* Does giving `key` take away the other one? Of keys that exclude each other the last one wins. */
static bool replaces(const netdp_i_key *key, const netdp_i_key *other)
{
    if (key->rivals != NETDP_I_ALONE)
        /* The giant component belongs to the file that a family replaces, the label to the table.
         */
        return other->rivals == key->rivals ||
               (strcmp(key->name, "graph.family") == 0 &&
                strcmp(other->name, "graph.giant_component") == 0) ||
               (strcmp(key->name, "data.synthetic") == 0 &&
                (strcmp(other->name, "data.label") == 0 ||
                 strcmp(other->name, "data.features") == 0));
    return other == key;
}

static netdp_status override(netdp_i_reading *from, const char *set, netdp_error *error)
{
    int k = -1;
    TRY(find_set(set, &k, error));
    const char *value = strchr(set, '=') + 1;
    for (int other = 0; other < NETDP_I_KEYS; other++)
        if (replaces(&netdp_i_keys[k], &netdp_i_keys[other]))
            clear_text(from, other);
    from->set[k] = set;
    if (netdp_i_key_rule(&netdp_i_keys[k])->kind == NETDP_I_KEY_PAIR)
        return split_pair(value, from->text->value[k], error);
    from->text->value[k][0] = netdp_i_copy_text(value);
    return from->text->value[k][0] != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* ---- the whole ---- */

static netdp_status read_values(const netdp_i_column_text *text, netdp_i_column *column,
                                netdp_error *error)
{
    const int32_t count = (int32_t)text->values_count;
    if (count == 0)
        return NETDP_OK;
    column->value = NETDP_I_NEW(char *, count);
    NEED(column->value);
    for (; column->values < count; column->values++) {
        column->value[column->values] = netdp_i_copy_text(text->values[column->values]);
        NEED(column->value[column->values]);
    }
    return NETDP_OK;
}

static netdp_status read_columns(const netdp_i_reading *from, netdp_error *error)
{
    netdp_study *study = from->study;
    uint32_t count = from->text->column_count;
    study->data.column = NETDP_I_NEW(netdp_i_column, count);
    NEED(study->data.column);
    for (uint32_t i = 0; i < count; i++) {
        const netdp_i_column_text *text = &from->text->column[i];
        netdp_i_column *column = &study->data.column[i];
        char name[48];
        snprintf(name, sizeof name, "data.columns.%u%s", i + 1,
                 text->bounds[0] != NULL ? ".bounds" : "");
        REFUSE_KEY(text->name == NULL || text->name[0] == '\0', name,
                   "has no name; give name: and bounds: [low, high]");
        if (text->bounds[0] != NULL)
            TRY(netdp_i_reading_pair(from, name, text->bounds, &column->low, &column->high, error));
        study->data.column_count = (int32_t)i + 1;
        column->name = netdp_i_copy_text(text->name);
        NEED(column->name);
        TRY(read_values(text, column, error));
    }
    return NETDP_OK;
}

static netdp_status fill(const netdp_i_reading *from, netdp_error *error)
{
    const char *task = from->text->value[netdp_i_key_find("task.kind")][0];
    const bool claims = task != NULL && strcmp(task, "claim") == 0;
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const netdp_i_rule *rule = netdp_i_key_rule(key);
        char *fallback[2] = {(char *)rule->fallback, NULL};
        if (rule->kind == NETDP_I_KEY_COLUMNS)
            TRY(read_columns(from, error));
        else if (from->text->value[k][0] != NULL)
            TRY(netdp_i_reading_key(from, key, from->text->value[k], error));
        else if (rule->fallback != NULL)
            TRY(netdp_i_reading_key(from, key, fallback, error));
        else if (key->required && !claims)
            TRY(netdp_i_reading_fail(from, key->name, error, "is missing; give %s", rule->expects));
    }
    return NETDP_OK;
}

/* Does a study say it as a question does? */
static bool is_asked(int k)
{
    static const char *const others[] = {"protocol.kind", "protocol.rounds", "privacy.from",
                                         "privacy.to"};
    bool asked = netdp_i_keys[k].setting != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        asked = asked || strcmp(netdp_i_keys[k].name, others[i]) == 0;
    return asked;
}

/* The study's question: what it shares with it is there, and what was given is marked. What does not
 * apply, but says what is usual, says nothing: a study that was written back says it all. */
static netdp_status ask(const netdp_i_reading *from, netdp_error *error)
{
    netdp_study *study = from->study;
    netdp_i_question *question = &study->question;
    const netdp_protocol *named = NULL;
    netdp_error ignored;
    if (study->protocol.kind == NULL ||
        netdp_protocol_find(study->protocol.kind, &named, &ignored) != NETDP_OK)
        return NETDP_OK; /* a claim */
    question->protocol = study->protocol.kind;
    question->mixing = study->mixing.weights;
    question->seed = study->seed;
    question->phases = study->protocol.phases;
    question->calibrates = study->privacy.epsilon > 0;
    question->count = study->protocol.rounds;
    question->rounds = "auto"; /* where it is 0 */
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++) {
        const int k = row->key != NULL ? netdp_i_key_find(row->key) : -1;
        const char *given = k >= 0 && is_asked(k) ? from->text->value[k][0] : NULL;
        if (given == NULL || (!netdp_i_setting_taken(row, named->settings) &&
                              netdp_i_rule_is_usual(&row->rule, given)))
            continue;
        char *kept = netdp_i_copy_text(given);
        NEED(kept);
        question->text[row - netdp_i_setting_rows] = kept;
    }
    return NETDP_OK;
}

static netdp_status make_study(netdp_i_reading *from, netdp_error *error)
{
    from->study = NETDP_I_NEW(netdp_study, 1);
    if (from->study == NULL || (from->study->path = netdp_i_copy_text(from->path)) == NULL)
        return netdp_i_no_memory(error);
    from->study->save_every = 10;
    netdp_i_question *question = &from->study->question;
    netdp_i_question_usual(question);
    for (int k = 0; k < NETDP_I_KEYS; k++) /* texts are the study's own */
        if (netdp_i_keys[k].setting != NULL &&
            netdp_i_key_rule(&netdp_i_keys[k])->kind == NETDP_I_KEY_TEXT)
            *(char **)netdp_i_key_field(&netdp_i_keys[k], from->study) = NULL;
    TRY(fill(from, error));
    return ask(from, error);
}

/* ---- variants ---- */

/* Lays texts over others, as --set would put them; all of them stay borrowed. */
static void overlay(netdp_i_study_text *merged, const netdp_i_study_text *own)
{
    if (own == NULL)
        return;
    for (int k = 0; k < NETDP_I_KEYS; k++)
        for (int other = 0; own->value[k][0] != NULL && other < NETDP_I_KEYS; other++)
            if (replaces(&netdp_i_keys[k], &netdp_i_keys[other]))
                merged->value[other][0] = merged->value[other][1] = NULL;
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (own->value[k][0] != NULL)
            memcpy(merged->value[k], own->value[k], sizeof merged->value[k]);
}

/* Takes out what means nothing to the merged protocol, unless the variant itself says it. */
static void prune(netdp_i_study_text *merged, const netdp_i_study_text *own)
{
    const netdp_protocol *named;
    const char *task = merged->value[netdp_i_key_find("task.kind")][0];
    const char *protocol = merged->value[netdp_i_key_find("protocol.kind")][0];
    const char *rounds = merged->value[netdp_i_key_find("protocol.rounds")][0];
    if (task == NULL || protocol == NULL || rounds == NULL ||
        netdp_protocol_find(protocol, &named, NULL) != NETDP_OK)
        return; /* told when the key is read */
    const bool automatic = strcmp(rounds, "auto") == 0;
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (own->value[k][0] == NULL &&
            !netdp_i_key_applies(&netdp_i_keys[k], task, named, automatic))
            merged->value[k][0] = NULL;
}

/* What `quick` says for all, with --set in the place of what both of them say. */
static netdp_i_study_text quick_set(const netdp_i_reading *base)
{
    netdp_i_study_text laid = {0};
    overlay(&laid, base->text->quick);
    for (int k = 0; k < NETDP_I_KEYS; k++)
        for (int other = 0; base->set[k] != NULL && other < NETDP_I_KEYS; other++)
            if (replaces(&netdp_i_keys[k], &netdp_i_keys[other]) && laid.value[other][0] != NULL) {
                laid.value[other][0] = laid.value[other][1] = NULL;
                memcpy(laid.value[k], base->text->value[k], sizeof laid.value[k]);
            }
    return laid;
}

/*
 * A variant's texts: the base's, its own, what `quick` says for all and for this variant, then the
 * value of a sweep (may be NULL), by which the variant is called.
 */
static netdp_i_study_text merge(const netdp_i_reading *base, const netdp_i_study_text *own,
                                bool columns, const netdp_i_study_text *swept)
{
    netdp_i_study_text merged = *base->text, said = *own;
    overlay(&merged, own);
    if (columns) {
        merged.column = own->column;
        merged.column_count = own->column_count;
    }
    overlay(&said, swept);
    if (base->quick) {
        const netdp_i_study_text laid = quick_set(base);
        overlay(&merged, &laid);
        overlay(&merged, own->quick);
    }
    overlay(&merged, swept);
    prune(&merged, &said);
    return merged;
}

/* The variant's name: in results it is a CSV field and a line of a table. `stride`: how many
 * variations an entry of the file makes. */
static netdp_status name_variant(const netdp_i_reading *from, const char *given, int32_t index,
                                 const netdp_study *base, int32_t stride, char **kept,
                                 netdp_error *error)
{
    char name[LONGEST_NAME + 1];
    REFUSE_KEY(given != NULL && strlen(given) > LONGEST_NAME, "name",
               "has %zu bytes; give at most %d", strlen(given), LONGEST_NAME);
    if (given != NULL)
        snprintf(name, sizeof name, "%s", given);
    else
        snprintf(name, sizeof name, "variant %d", (int)index + 1);
    REFUSE_KEY(name[0] == '\0', "name", "is empty; give a short name or leave it out");
    for (size_t at = 0, length; name[at] != '\0'; at += length) {
        uint32_t code = 0;
        length = netdp_i_utf8(name + at, strlen(name + at), &code);
        REFUSE_KEY(length == 0 || !netdp_i_printable(code) || strchr(",\"'", name[at]) != NULL,
                   "name", "'%s' holds a comma, a quote or what does not print; give a plain name",
                   netdp_i_show_text(name).text);
    }
    REFUSE_KEY(strcmp(name, "central") == 0 || strcmp(name, "local") == 0, "name",
               "'%s' is the name of a baseline; give another", name);
    for (int32_t i = 0; i < index; i++) {
        const netdp_i_variation *earlier = &base->variation[i * stride];
        REFUSE_KEY(strcmp(name, earlier->curve != NULL ? earlier->curve : earlier->name) == 0,
                   "name", "variants.%d has the name '%s' too; give another", (int)i + 1,
                   netdp_i_show_text(name).text);
    }
    *kept = netdp_i_copy_text(name);
    return *kept != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* Where a sweep stands: the key and its values, or one value that stands for no sweep. */
typedef struct sweep {
    int key; /* -1: none */
    int32_t count;
    char **value; /* [count] */
} sweep;

static void clear_sweep(sweep *made)
{
    for (int32_t i = 0; i < made->count; i++)
        netdp_i_free(made->value[i]);
    netdp_i_free(made->value);
}

/* The last value: it becomes a part of a name, which is a field of a CSV and unique. */
static netdp_status check_value(const netdp_i_reading *from, const sweep *made, netdp_error *error)
{
    const char *value = made->value[made->count - 1];
    for (size_t at = 0, length; value[at] != '\0'; at += length) {
        uint32_t code = 0;
        length = netdp_i_utf8(value + at, strlen(value + at), &code);
        REFUSE_KEY(length == 0 || !netdp_i_printable(code), "sweep.values",
                   "'%s' holds what does not print; leave it out", netdp_i_show_text(value).text);
    }
    for (int32_t i = 0; i + 1 < made->count; i++)
        REFUSE_KEY(strcmp(made->value[i], value) == 0, "sweep.values", "has '%s' twice; keep one",
                   netdp_i_show_text(value).text);
    return NETDP_OK;
}

/* "10 | 100 | 1000" into its values. */
static netdp_status split_values(const netdp_i_reading *from, const char *values, sweep *made,
                                 netdp_error *error)
{
    int32_t room = 1;
    for (const char *at = values; *at != '\0'; at++)
        room += *at == '|';
    REFUSE_KEY(room > MOST_SWEPT, "sweep.values", "has %d values; give at most %d", (int)room,
               MOST_SWEPT);
    made->value = NETDP_I_NEW(char *, room);
    NEED(made->value);
    for (const char *at = values; made->count < room; at += strcspn(at, "|") + 1) {
        const char *begin = at + strspn(at, " \t");
        size_t length = strcspn(begin, "|");
        while (length > 0 && strchr(" \t", begin[length - 1]) != NULL)
            length--;
        REFUSE_KEY(length == 0, "sweep.values", "value %d is empty; give values such as 10 | 100",
                   (int)made->count + 1);
        NEED(made->value[made->count] = netdp_i_new((int64_t)length + 1, 1));
        memcpy(made->value[made->count++], begin, length);
        TRY(check_value(from, made, error));
    }
    return NETDP_OK;
}

static netdp_status read_sweep(const netdp_i_reading *from, sweep *made, netdp_error *error)
{
    const char *key = from->study->sweep.key, *values = from->study->sweep.values;
    *made = (sweep){.key = -1};
    REFUSE_KEY((key == NULL) != (values == NULL), key == NULL ? "sweep.key" : "sweep.values",
               "is missing; a sweep has a key and its values");
    if (key == NULL)
        return NETDP_OK;
    made->key = netdp_i_key_find(key);
    if (made->key < 0 || netdp_i_keys[made->key].whole ||
        netdp_i_key_rule(&netdp_i_keys[made->key])->kind == NETDP_I_KEY_COLUMNS ||
        netdp_i_key_rule(&netdp_i_keys[made->key])->kind == NETDP_I_KEY_PAIR) {
        char nearest[32];
        REFUSE_KEY(made->key >= 0, "sweep.key",
                   "%s is none that a variant can have as one value; sweep another", key);
        return netdp_i_reading_fail(
            from, "sweep.key", error, "'%s' is no key that a variant can have; did you mean '%s'?",
            netdp_i_show_text(key).text, netdp_i_key_nearest(NULL, key, nearest));
    }
    return split_values(from, values, made, error);
}

/* One variant, a study of its own; what is wrong in it is told with its own line. */
static netdp_status read_variant(const netdp_i_reading *base, const netdp_i_study_text *own,
                                 const netdp_i_study_text *swept, int key, const char *within,
                                 netdp_i_variation *made, netdp_error *error)
{
    netdp_i_reading from = {.path = base->path,
                            .lines = base->lines,
                            .quick = base->quick,
                            .swept = key >= 0 ? netdp_i_keys[key].name : NULL};
    snprintf(from.within, sizeof from.within, "%s", within);
    for (int k = 0; k < NETDP_I_KEYS; k++)
        if (netdp_i_keys[k].whole && own->value[k][0] != NULL)
            return netdp_i_reading_fail(&from, netdp_i_keys[k].name, error,
                                        "is one for the whole study; move it out of the variant");
    char place[48];
    snprintf(place, sizeof place, "%sdata.columns", from.within);
    const int32_t at = netdp_i_lines_find(&base->lines, place);
    netdp_i_study_text merged =
        merge(base, own, at >= 0 && strcmp(base->lines.at[at].key, "columns") == 0, swept);
    from.text = &merged;
    const netdp_status status = make_study(&from, error);
    made->study = from.study; /* freed with the variant, also where it failed */
    TRY(status);
    if (netdp_i_study_learns(made->study) != netdp_i_study_learns(base->study) ||
        netdp_i_study_accounts(made->study) != netdp_i_study_accounts(base->study) ||
        netdp_i_study_claims(made->study) != netdp_i_study_claims(base->study))
        return netdp_i_reading_fail(&from, "task.kind", error,
                                    "a mean, a model, an account and a claim cannot be compared; "
                                    "make it a study of its own");
    return netdp_i_study_check(&from, true, error);
}

/* "ring at 30": the variant and the value. */
static netdp_status name_swept(netdp_i_variation *made, const char *value, netdp_error *error)
{
    const size_t room = strlen(made->curve) + strlen(value) + 5;
    made->at = netdp_i_copy_text(value);
    made->name = netdp_i_new((int64_t)room, 1);
    if (made->at == NULL || made->name == NULL)
        return netdp_i_no_memory(error);
    snprintf(made->name, room, "%s at %s", made->curve, value);
    for (char *c = made->name; *c != '\0'; c++)
        if (strchr(",\"'", *c) != NULL) /* it becomes a field of a CSV */
            *c = ';';
    return NETDP_OK;
}

/* Variant `index` of the file, once, or once for every value of the sweep. */
static netdp_status read_variations(const netdp_i_reading *from, int32_t index, const sweep *over,
                                    netdp_error *error)
{
    static const netdp_i_study_text nothing = {0};
    netdp_study *study = from->study;
    const bool listed = from->text->variant_count > 0;
    const netdp_i_study_text *own = listed ? &from->text->variant[index] : &nothing;
    netdp_i_reading named = {.path = from->path, .lines = from->lines};
    OWNED char *name = NULL;
    if (listed)
        snprintf(named.within, sizeof named.within, "variants.%d.", (int)index + 1);
    TRY(listed ? name_variant(&named, own->name, index, study, over->key < 0 ? 1 : over->count,
                              &name, error)
               : name_variant(&named, "all", 0, study, 1, &name, error));
    for (int32_t i = 0; i < (over->key < 0 ? 1 : over->count); i++) {
        netdp_i_variation *made = &study->variation[study->variation_count++];
        netdp_i_study_text swept = {0};
        if (over->key < 0) {
            made->name = name;
            name = NULL;
        } else {
            swept.value[over->key][0] = over->value[i];
            made->curve = netdp_i_copy_text(name);
            NEED(made->curve);
            TRY(name_swept(made, over->value[i], error));
        }
        TRY(read_variant(from, own, over->key < 0 ? NULL : &swept, over->key, named.within, made,
                         error));
    }
    return NETDP_OK;
}

static netdp_status read_variants(const netdp_i_reading *from, netdp_error *error)
{
    netdp_study *study = from->study;
    uint32_t count = from->text->variant_count;
    CLEARED(clear_sweep) sweep over = {.key = -1};
    REFUSE_KEY(count == 0 && netdp_i_lines_of(&from->lines, "variants") != 0, "variants",
               "is an empty list; give one or leave it out");
    if (study->figure.first > 0 && study->figure.first < count)
        count = (uint32_t)study->figure.first;
    TRY(read_sweep(from, &over, error));
    const int64_t rows =
        over.key < 0 ? (int64_t)count : (int64_t)(count > 0 ? count : 1) * over.count;
    REFUSE_KEY(over.key >= 0 && rows > MOST_SWEPT, "sweep.values",
               "%lld variants; give fewer values, at most %d variants in all", (long long)rows,
               MOST_SWEPT);
    if (rows == 0)
        return NETDP_OK;
    study->variation = NETDP_I_NEW(netdp_i_variation, rows);
    NEED(study->variation);
    for (int32_t i = 0; i < (count > 0 ? (int32_t)count : 1); i++)
        TRY(read_variations(from, i, &over, error));
    return NETDP_OK;
}

/* The base as --quick wants it: texts of its own, because --set frees what it replaces. */
static netdp_status lay_quick(netdp_i_reading *from, netdp_error *error)
{
    const netdp_i_study_text *quick = from->text->quick;
    for (int k = 0; quick != NULL && k < NETDP_I_KEYS; k++)
        for (int other = 0; quick->value[k][0] != NULL && other < NETDP_I_KEYS; other++)
            if (replaces(&netdp_i_keys[k], &netdp_i_keys[other]))
                clear_text(from, other);
    for (int k = 0; quick != NULL && k < NETDP_I_KEYS; k++)
        for (int i = 0; i < 2; i++)
            if (quick->value[k][i] != NULL &&
                (from->text->value[k][i] = netdp_i_copy_text(quick->value[k][i])) == NULL)
                return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* Has the study, or one of its variants, a section `quick`? */
static bool says_quick(const netdp_i_study_text *text)
{
    bool says = text->quick != NULL;
    for (uint32_t i = 0; i < text->variant_count; i++)
        says = says || text->variant[i].quick != NULL;
    return says;
}

static netdp_status read_whole(netdp_i_reading *from, const char *const *set, size_t count,
                               netdp_error *error)
{
    TRY(netdp_i_study_text_read(from->path, from->given, &from->text, &from->lines, error));
    if (from->quick)
        TRY(lay_quick(from, error));
    for (size_t i = 0; i < count; i++)
        TRY(override(from, set[i], error));
    TRY(make_study(from, error));
    TRY(netdp_i_study_check(from, from->text->variant_count == 0 && from->study->sweep.key == NULL,
                            error));
    TRY(read_variants(from, error));
    from->study->whole = from->quick && !says_quick(from->text);
    return netdp_i_figure_check(from, error);
}

static netdp_status read_study(netdp_i_reading *from, const char *const *set, size_t count,
                               netdp_study **study, netdp_error *error)
{
    const netdp_status status = read_whole(from, set, count, error);
    if (status == NETDP_OK)
        *study = GIVE(from->study);
    netdp_study_free(from->study);
    netdp_i_study_text_free(from->text);
    netdp_i_lines_free(&from->lines);
    return status;
}

netdp_status netdp_study_read(const char *path, const char *const *set, size_t count,
                              netdp_study **study, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && (set || count == 0) && study);
    netdp_i_reading from = {.path = path};
    return read_study(&from, set, count, study, error);
}

netdp_status netdp_study_read_quick(const char *path, const char *const *set, size_t count,
                                    netdp_study **study, netdp_error *error)
{
    NETDP_I_GIVEN(error, path && (set || count == 0) && study);
    netdp_i_reading from = {.path = path, .quick = true};
    return read_study(&from, set, count, study, error);
}

netdp_status netdp_study_parse(const char *text, const char *path, const char *const *set,
                               size_t count, netdp_study **study, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && path && (set || count == 0) && study);
    netdp_i_reading from = {.path = path, .given = text};
    return read_study(&from, set, count, study, error);
}

void netdp_study_run_anew(netdp_study *study)
{
    study->anew = true;
}

void netdp_study_free(netdp_study *study)
{
    if (study == NULL)
        return;
    netdp_i_free(study->path);
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        netdp_i_kind kind = netdp_i_key_rule(&netdp_i_keys[k])->kind;
        if (kind == NETDP_I_KEY_TEXT || kind == NETDP_I_KEY_FILE || kind == NETDP_I_KEY_DATASET)
            netdp_i_free(*(char **)netdp_i_key_field(&netdp_i_keys[k], study));
    }
    for (int i = 0; i < NETDP_I_SETTINGS; i++)
        netdp_i_free((char *)study->question.text[i]);
    for (int32_t i = 0; i < study->data.column_count; i++) {
        netdp_i_column *column = &study->data.column[i];
        for (int32_t j = 0; j < column->values; j++)
            netdp_i_free(column->value[j]);
        netdp_i_free(column->value);
        netdp_i_free(column->name);
    }
    netdp_i_free(study->data.column);
    for (int32_t i = 0; i < study->variation_count; i++) {
        netdp_i_free(study->variation[i].name);
        netdp_i_free(study->variation[i].curve);
        netdp_i_free(study->variation[i].at);
        netdp_study_free(study->variation[i].study);
    }
    netdp_i_free(study->variation);
    netdp_i_free(study);
}
