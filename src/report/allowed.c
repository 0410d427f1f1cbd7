#include "report/allowed.h"

#include <stdlib.h>
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

/* A key that may be taken over; of an object, or of a list of objects, by a list of its own. */
typedef struct allowed {
    const char *key;
    const struct allowed *in; /* NULL: a text, a number, or a list of these */
    bool private;             /* for the experimenter alone */
} allowed;

static const allowed of_pair[] = {
    {.key = "from"}, {.key = "to"}, {.key = "epsilon"}, {.key = NULL}};
static const allowed of_class[] = {{.key = "distance"}, {.key = "pairs"}, {.key = "min"},
                                   {.key = "mean"},     {.key = "max"},   {.key = NULL}};
static const allowed of_drawn[] = {{.key = "drawn"}, {.key = "of"}, {.key = NULL}};
/* An estimate: of what, from how many, and how far off it may be. */
static const allowed of_estimate[] = {
    {.key = "of"},         {.key = "drawn"},  {.key = "observers"}, {.key = "sources"},
    {.key = "confidence"}, {.key = "level"},  {.key = "low"},       {.key = "high"},
    {.key = "mean"},       {.key = "method"}, {.key = "why"},       {.key = NULL}};
static const allowed of_alike[] = {
    {.key = "observers"}, {.key = "sources"}, {.key = "of"}, {.key = NULL}};
static const allowed of_least[] = {
    {.key = "excursion"}, {.key = "first-passage"}, {.key = "local"}, {.key = NULL}};
static const allowed of_pairing[] = {
    {.key = "graph"},    {.key = "count"}, {.key = "noise"}, {.key = "hidden_among"},
    {.key = "partners"}, {.key = "says"},  {.key = NULL}};
static const allowed of_guarantee[] = {
    {.key = "bound"},
    {.key = "sound"},
    {.key = "certified"},
    {.key = "tolerance"},
    {.key = "reason"},
    {.key = "epsilon"},
    {.key = "delta"},
    {.key = "unit"},
    {.key = "mean"},
    {.key = "local"},
    {.key = "walks"},
    {.key = "why", .private = true}, /* may go by the rows themselves */
    {.key = "by_distance", .in = of_class},
    {.key = "worst", .in = of_pair},
    {.key = "observers", .in = of_drawn},
    {.key = "sources", .in = of_drawn},
    {.key = "estimate", .in = of_estimate},
    {.key = "interval", .in = of_estimate},
    {.key = "stands_for", .in = of_alike},
    {.key = "least_of", .in = of_least},
    {.key = "pairs", .in = of_pairing},
    {.key = NULL}};
static const allowed of_graph[] = {
    {.key = "origin"}, {.key = "nodes"}, {.key = "edges"}, {.key = NULL}};
static const allowed of_threat[] = {{.key = "to"},        {.key = "sees"},     {.key = "own_noise"},
                                    {.key = "adjacency"}, {.key = "released"}, {.key = "pool"},
                                    {.key = NULL}};
static const allowed of_target[] = {
    {.key = "epsilon"}, {.key = "delta"}, {.key = "over"}, {.key = NULL}};
static const allowed of_measure[] = {
    {.key = "mean"}, {.key = "standard_error"}, {.key = "predicted"}, {.key = NULL}};
static const allowed of_column[] = {
    {.key = "name"}, {.key = "mean"}, {.key = "rmse"}, {.key = NULL}};
static const allowed of_error[] = {
    {.key = "objective", .in = of_measure}, {.key = "accuracy", .in = of_measure},
    {.key = "consensus", .in = of_measure}, {.key = "excess", .in = of_measure},
    {.key = "columns", .in = of_column},    {.key = NULL}};
static const allowed of_released[] = {{.key = "name"}, {.key = "value"}, {.key = "low"},
                                      {.key = "high"}, {.key = "level"}, {.key = NULL}};
static const allowed of_contributions[] = {
    {.key = "realised_max"}, {.key = "cap"}, {.key = "mean"}, {.key = NULL}};
static const allowed of_notes[] = {{.key = "self_loops_dropped"},
                                   {.key = "repeated_edges_dropped"},
                                   {.key = "weights_ignored"},
                                   {.key = "nodes_outside_giant_component"},
                                   {.key = "graph_redraws"},
                                   {.key = "rows_clipped", .private = true},
                                   {.key = "rows_incomplete", .private = true},
                                   {.key = "constant_columns_dropped", .private = true},
                                   {.key = NULL}};
static const allowed of_data[] = {{.key = "columns"},
                                  {.key = "sensitivity"},
                                  {.key = "sensitivity_in"},
                                  {.key = "unit"},
                                  {.key = "sha256", .private = true},
                                  {.key = "rows", .private = true},
                                  {.key = NULL}};
static const allowed of_variant[] = {{.key = "name"},
                                     {.key = "noise"},
                                     {.key = "rounds"},
                                     {.key = "inner"},
                                     {.key = "dither"},
                                     {.key = "dither_decay"},
                                     {.key = "end_dither"},
                                     {.key = "guarantee", .in = of_guarantee},
                                     {.key = "expected"},
                                     {.key = "predicted"}, /* of accounts, which have no data */
                                     {.key = "bytes_sent"},
                                     {.key = "contributions", .in = of_contributions},
                                     {.key = "losses"},
                                     {.key = "graph", .in = of_graph},
                                     {.key = "mixing"},
                                     {.key = "sensitivity"},
                                     {.key = "protocol"},
                                     {.key = "threat", .in = of_threat},
                                     {.key = "target", .in = of_target},
                                     {.key = "notes", .in = of_notes},
                                     {.key = "curve"},
                                     {.key = "at"},
                                     {.key = "remarks"},
                                     {.key = "error", .in = of_error, .private = true},
                                     {.key = "released", .in = of_released, .private = true},
                                     {.key = NULL}};
static const allowed of_summary[] = {{.key = "netdp"},
                                     {.key = "title"},
                                     {.key = "simulation"},
                                     {.key = "graph", .in = of_graph},
                                     {.key = "mixing"},
                                     {.key = "data", .in = of_data},
                                     {.key = "task"},
                                     {.key = "protocol"},
                                     {.key = "threat", .in = of_threat},
                                     {.key = "target", .in = of_target},
                                     {.key = "repeat"},
                                     {.key = "variants", .in = of_variant},
                                     {.key = "notes", .in = of_notes},
                                     {.key = "inputs_sha256", .private = true},
                                     {.key = NULL}};

static const allowed of_claim[] = {
    {.key = "mu"}, {.key = "epsilon"}, {.key = "delta"}, {.key = NULL}};
static const allowed of_point[] = {{.key = "threshold", .private = true},
                                   {.key = "false_positive"},
                                   {.key = "false_negative"},
                                   {.key = "false_positive_most"},
                                   {.key = "false_negative_most"},
                                   {.key = NULL}};
static const allowed of_evidence[] = {{.key = "confidence"}, {.key = "mu"},
                                      {.key = "epsilon"},    {.key = "delta"},
                                      {.key = "tested"},     {.key = "points", .in = of_point},
                                      {.key = NULL}};
static const allowed of_one_audit[] = {{.key = "name"},
                                       {.key = "attack"},
                                       {.key = "from"},
                                       {.key = "to"},
                                       {.key = "distance"},
                                       {.key = "noise"},
                                       {.key = "bound"},
                                       {.key = "sound"},
                                       {.key = "claim", .in = of_claim},
                                       {.key = "found_at_least_in"},
                                       {.key = "evidence", .in = of_evidence},
                                       {.key = "verdict"},
                                       {.key = "enough_runs"},
                                       {.key = NULL}};
static const allowed of_estimated[] = {{.key = "name"},
                                       {.key = "from"},
                                       {.key = "to"},
                                       {.key = "distance"},
                                       {.key = "rmse"},
                                       {.key = "noise"},
                                       {.key = "rmse_without_dither"},
                                       {.key = NULL}};
static const allowed of_audit[] = {{.key = "netdp"},
                                   {.key = "title"},
                                   {.key = "runs"},
                                   {.key = "confidence"},
                                   {.key = "audits", .in = of_one_audit},
                                   {.key = "reconstruction", .in = of_estimated, .private = true},
                                   {.key = NULL}};

/* ---- Copies ---- */

static json_t *copy(const json_t *from, const allowed *in, bool private);

static json_t *copy_object(const json_t *from, const allowed *in, bool private)
{
    json_t *made = json_object();
    for (; made != NULL && in->key != NULL; in++) {
        const json_t *value = json_object_get(from, in->key);
        if (value == NULL || (in->private && !private))
            continue;
        if (json_object_set_new(made, in->key, copy(value, in->in, private)) != 0) {
            json_decref(made);
            made = NULL;
        }
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
