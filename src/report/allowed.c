#include "report/allowed.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- Paths ---- */

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n\"',;:()[]{}=|", c) != NULL;
}

/* The length of a path that begins here, after `before`; 0: none does. */
static size_t path_length(char before, const char *text)
{
    size_t length = 0;
    const size_t dots = strspn(text, ".");
    if (!ends_word(before) || dots > 2 || text[dots] != '/' || ends_word(text[dots + 1]) ||
        text[dots + 1] == '/')
        return 0;
    while (!ends_word(text[length]))
        length++;
    return length;
}

/* The same text, each path without its folders; no longer than it was. */
static void drop_folders(char *text)
{
    char before = '\0', *out = text;
    for (const char *in = text; *in != '\0';) {
        const size_t length = path_length(before, in);
        for (size_t i = length; i > 0; i--)
            if (in[i - 1] == '/') {
                in += i;
                break;
            }
        before = *in;
        if (*in != '\0')
            *out++ = *in++;
    }
    *out = '\0';
}

json_t *netdp_i_allowed_text(const char *text)
{
    char *kept = netdp_i_copy_text(text);
    if (kept == NULL)
        return NULL;
    drop_folders(kept);
    json_t *made = json_string(kept);
    if (made == NULL)
        made = json_string(netdp_i_show_text(kept).text);
    netdp_i_free(kept);
    return made;
}

/* ---- Lists ---- */

/* Keys that may be taken over; of an object, or of a list of objects, by a list of its own. */
typedef struct allowed {
    const char *keys;         /* with spaces between them; NULL ends a list */
    const struct allowed *in; /* NULL: a text, a number, or a list of these */
    bool private;             /* for the experimenter alone */
} allowed;

static const allowed of_pair[] = {{.keys = "from to epsilon"}, {.keys = NULL}};
static const allowed of_class[] = {{.keys = "distance pairs min mean max"}, {.keys = NULL}};
static const allowed of_drawn[] = {{.keys = "drawn of"}, {.keys = NULL}};
/* An estimate: of what, from how many, and how far off it may be. */
static const allowed of_estimate[] = {
    {.keys = "of drawn observers sources confidence level low high mean method why"},
    {.keys = NULL}};
static const allowed of_alike[] = {{.keys = "observers sources of"}, {.keys = NULL}};
static const allowed of_least[] = {
    {.keys = "excursion excursion-contracting excursion-mixture first-passage local"},
    {.keys = NULL}};
static const allowed of_proofs[] = {
    {.keys = "files"}, {.keys = "why", .private = true}, {.keys = NULL}};
static const allowed of_left[] = {{.keys = "mean worst node most rounds_enough"}, {.keys = NULL}};
static const allowed of_pairing[] = {{.keys = "graph count noise hidden_among partners says"},
                                     {.keys = "left", .in = of_left},
                                     {.keys = NULL}};
/* `why` may go by the rows themselves. */
static const allowed of_guarantee[] = {{.keys = "bound direction sound certified tolerance reason "
                                                "assumes epsilon delta unit mean local walks"},
                                       {.keys = "why", .private = true},
                                       {.keys = "proofs", .in = of_proofs},
                                       {.keys = "by_distance", .in = of_class},
                                       {.keys = "worst", .in = of_pair},
                                       {.keys = "observers sources", .in = of_drawn},
                                       {.keys = "estimate interval", .in = of_estimate},
                                       {.keys = "stands_for", .in = of_alike},
                                       {.keys = "least_of", .in = of_least},
                                       {.keys = "pairs", .in = of_pairing},
                                       {.keys = NULL}};
static const allowed of_graph[] = {{.keys = "origin nodes edges"}, {.keys = NULL}};
static const allowed of_threat[] = {{.keys = "to sees own_noise adjacency released pool"},
                                    {.keys = NULL}};
static const allowed of_target[] = {{.keys = "epsilon delta over"}, {.keys = NULL}};
static const allowed of_measure[] = {{.keys = "mean standard_error predicted"}, {.keys = NULL}};
static const allowed of_column[] = {{.keys = "name mean rmse"}, {.keys = NULL}};
static const allowed of_error[] = {
    {.keys = "objective accuracy consensus excess", .in = of_measure},
    {.keys = "columns", .in = of_column},
    {.keys = NULL}};
static const allowed of_released[] = {{.keys = "name value low high level"}, {.keys = NULL}};
static const allowed of_contributions[] = {{.keys = "realised_max cap mean"}, {.keys = NULL}};
static const allowed of_notes[] = {
    {.keys = "self_loops_dropped repeated_edges_dropped weights_ignored "
             "nodes_outside_giant_component graph_redraws"},
    {.keys = "rows_clipped rows_incomplete rows_unlabelled rows_absent rows_beyond "
             "constant_columns_dropped",
     .private = true},
    {.keys = NULL}};
static const allowed of_data[] = {{.keys = "columns sensitivity sensitivity_in unit"},
                                  {.keys = "sha256 rows", .private = true},
                                  {.keys = NULL}};
static const allowed of_variant[] = {
    {.keys = "name noise mechanism rounds inner dither dither_decay end_dither contraction"},
    {.keys = "guarantee", .in = of_guarantee},
    {.keys = "expected predicted bytes_sent"},
    {.keys = "contributions", .in = of_contributions},
    {.keys = "losses"},
    {.keys = "graph", .in = of_graph},
    {.keys = "mixing sensitivity protocol"},
    {.keys = "threat", .in = of_threat},
    {.keys = "target", .in = of_target},
    {.keys = "notes", .in = of_notes},
    {.keys = "curve at remarks assumed_public"},
    {.keys = "error", .in = of_error, .private = true},
    {.keys = "released", .in = of_released, .private = true},
    {.keys = NULL}};
static const allowed of_summary[] = {{.keys = "netdp title simulation"},
                                     {.keys = "graph", .in = of_graph},
                                     {.keys = "mixing"},
                                     {.keys = "data", .in = of_data},
                                     {.keys = "task protocol"},
                                     {.keys = "threat", .in = of_threat},
                                     {.keys = "target", .in = of_target},
                                     {.keys = "repeat assumed_public"},
                                     {.keys = "variants", .in = of_variant},
                                     {.keys = "notes", .in = of_notes},
                                     {.keys = "inputs_sha256", .private = true},
                                     {.keys = NULL}};

static const allowed of_claim[] = {{.keys = "mu epsilon delta"}, {.keys = NULL}};
static const allowed of_point[] = {
    {.keys = "threshold", .private = true},
    {.keys = "false_positive false_negative false_positive_most false_negative_most"},
    {.keys = NULL}};
static const allowed of_evidence[] = {{.keys = "confidence mu epsilon delta tested"},
                                      {.keys = "points", .in = of_point},
                                      {.keys = NULL}};
static const allowed of_one_audit[] = {
    {.keys = "name adjacency attack from from_name to to_name distance noise"},
    {.keys = "bound direction sound certified reason assumes"},
    {.keys = "claim", .in = of_claim},
    {.keys = "found_at_least_in"},
    {.keys = "evidence", .in = of_evidence},
    {.keys = "verdict enough_runs"},
    {.keys = NULL}};
static const allowed of_estimated[] = {
    {.keys = "name from to distance rmse noise rmse_without_dither"}, {.keys = NULL}};
static const allowed of_audit[] = {{.keys = "netdp title runs confidence"},
                                   {.keys = "audits", .in = of_one_audit},
                                   {.keys = "reconstruction", .in = of_estimated, .private = true},
                                   {.keys = NULL}};

/* ---- Copies ---- */

static json_t *copy(const json_t *from, const allowed *in, bool private);

static json_t *copy_object(const json_t *from, const allowed *in, bool private)
{
    json_t *made = json_object();
    for (; in->keys != NULL; in++)
        for (const char *key = in->keys; *key != '\0'; key += strspn(key, " ")) {
            const size_t length = strcspn(key, " ");
            const json_t *value = json_object_getn(from, key, length);
            if (value != NULL && (private || !in->private) && made != NULL &&
                json_object_setn_new(made, key, length, copy(value, in->in, private)) != 0) {
                json_decref(made);
                made = NULL;
            }
            key += length;
        }
    return made;
}

static json_t *copy_list(const json_t *from, const allowed *in, bool private)
{
    json_t *made = json_array(), *value;
    size_t i;
    json_array_foreach ((json_t *)from, i, value) {
        if (made != NULL && json_array_append_new(made, copy(value, in, private)) != 0) {
            json_decref(made);
            made = NULL;
        }
    }
    return made;
}

/* What does not have the shape that the list expects becomes null. */
static json_t *copy(const json_t *from, const allowed *in, bool private)
{
    if (json_is_array(from))
        return copy_list(from, in, private);
    if (json_is_object(from))
        return in != NULL ? copy_object(from, in, private) : json_null();
    if (json_is_string(from))
        return netdp_i_allowed_text(json_string_value(from));
    return json_deep_copy(from);
}

/* A remark on why the local account was taken may go by the rows themselves. */
static void drop_remarks(json_t *summary)
{
    static const char why[] = "bound local:";
    size_t i;
    json_t *variant;
    json_array_foreach (json_object_get(summary, "variants"), i, variant) {
        json_t *remarks = json_object_get(variant, "remarks");
        for (size_t k = json_array_size(remarks); k-- > 0;) {
            const char *text = json_string_value(json_array_get(remarks, k));
            if (text != NULL && strncmp(text, why, sizeof why - 1) == 0)
                json_array_remove(remarks, k);
        }
    }
}

netdp_status netdp_i_allowed_summary(const json_t *summary, bool private, json_t **made,
                                     netdp_error *error)
{
    private = private || !netdp_i_allowed_has_data(summary);
    *made = copy(summary, of_summary, private);
    if (*made != NULL && !private)
        drop_remarks(*made);
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_allowed_audit(const json_t *audit, bool private, json_t **made,
                                   netdp_error *error)
{
    *made = copy(audit, of_audit, private);
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

bool netdp_i_allowed_has_data(const json_t *summary)
{
    const char *task = json_string_value(json_object_get(summary, "task"));
    return task == NULL || (strcmp(task, "account") != 0 && strcmp(task, "realised") != 0);
}

bool netdp_i_allowed_figure(const json_t *figure)
{
    static const char *const measures[] = {"loss", "loss_per_round", "noise"};
    const json_t *curves = json_object_get(figure, "curves");
    const char *label = json_string_value(json_object_get(figure, "y_label"));
    size_t i;
    json_t *curve;
    bool fine = json_array_size(curves) > 0 && label != NULL &&
                strcmp(label, "value of the node") != 0; /* a drawing of the data themselves */
    json_array_foreach ((json_t *)curves, i, curve) {
        const char *measure = json_string_value(json_object_get(curve, "measure"));
        bool known = false;
        for (size_t k = 0; measure != NULL && k < sizeof measures / sizeof *measures; k++)
            known = known || strcmp(measure, measures[k]) == 0;
        fine = fine && known;
    }
    return fine;
}
