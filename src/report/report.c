/* The page about a result folder: what of its files it shows, and to whom. */
#include <netdp/claim.h>
#include <netdp/study.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sodium.h>

#include "base/json.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/layout.h"
#include "plan/problem.h"
#include "report/allowed.h"
#include "report/course.h"
#include "report/page.h"
#include "report/pairwise.h"
#include "run/record.h"

enum {
    DRAWN_NODES = 2500, /* a larger graph is not drawn */
    DRAWN_EDGES = 60000,
    MOST_NUMBERS = 1200000, /* of tables that are too large to be shown whole, together */
};

/* What the page is made from. */
typedef struct source {
    const char *folder, *data;
    bool private; /* for the experimenter, and no one else */
    json_t *summary;
    char *text;          /* study.yaml */
    netdp_study *study;  /* NULL: it does not read any more */
    netdp_error unread;  /* why */
    int32_t count;       /* different graphs */
    netdp_graph **graph; /* [count] */
    json_t *graphs;      /* as the page has them */
} source;

static void clear(source *s)
{
    for (int32_t i = 0; i < s->count; i++)
        netdp_graph_free(s->graph[i]);
    netdp_i_free(s->graph);
    netdp_study_free(s->study);
    netdp_i_free(s->text);
    json_decref(s->summary);
    json_decref(s->graphs);
    *s = (source){0};
}

static bool there(const char *folder, const char *file, char *path)
{
    netdp_i_file_path(path, folder, file);
    return access(path, F_OK) == 0;
}

/* A node's name; JSON is UTF-8: what is not shows its bytes. */
static json_t *name_json(const char *text)
{
    json_t *made = json_string(text);
    return made != NULL ? made : json_string(netdp_i_show_text(text).text);
}

/* ---- The folder ---- */

/* Why a folder without summary.json is no result folder of a run. */
static netdp_status fail_folder(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    struct stat shape;
    if (stat(folder, &shape) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s: there is no such folder; netdp run makes one", folder);
    REFUSE(!S_ISDIR(shape.st_mode), "%s: is not a folder; name a result folder of netdp run",
           folder);
    REFUSE(there(folder, "study.yaml", path),
           "%s: the run is not finished; go on with netdp run %s", folder, folder);
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: holds no summary.json; name a result folder of netdp run", folder);
}

static netdp_status read_summary(source *s, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    if (!there(s->folder, "summary.json", path) && !netdp_i_record_finished(s->folder))
        return fail_folder(s->folder, error);
    TRY(netdp_i_record_check(s->folder, error));
    TRY(netdp_i_record_read(s->folder, s->private, &s->summary, error));
    const char *task = json_string_value(json_object_get(s->summary, "task"));
    REFUSE(task != NULL && strcmp(task, "claim") == 0,
           "%s: a study of claims has no network to show; its figure is what netdp reproduce draws",
           path);
    size_t i;
    json_t *variant;
    bool ours = json_array_size(json_object_get(s->summary, "variants")) > 0 &&
                json_string_value(json_object_get(s->summary, "title")) != NULL;
    json_array_foreach (json_object_get(s->summary, "variants"), i, variant) {
        ours = ours && json_string_value(json_object_get(variant, "name")) != NULL &&
               json_is_object(json_object_get(variant, "guarantee"));
    }
    REFUSE(!ours, "%s: is not the summary of a study; run the study again", path);
    return NETDP_OK;
}

/* The text for the page, and the study for its graphs: without it the page has none. */
static netdp_status read_study(source *s, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    int64_t bytes = 0;
    if (!there(s->folder, "study.yaml", path)) {
        netdp_i_fail(&s->unread, NETDP_INVALID, "the folder has no study.yaml");
        return NETDP_OK;
    }
    TRY(netdp_i_file_load(path, &s->text, &bytes, error));
    if (netdp_study_read(path, NULL, 0, &s->study, &s->unread) == NETDP_NO_MEMORY)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* ---- Graphs ---- */

static bool same_graph(const netdp_graph *a, const netdp_graph *b)
{
    bool same = netdp_graph_nodes(a) == netdp_graph_nodes(b) &&
                netdp_graph_edges(a) == netdp_graph_edges(b);
    for (int32_t u = 0; same && u < netdp_graph_nodes(a); u++) {
        const int32_t degree = netdp_graph_degree(a, u);
        const char *one = netdp_graph_name(a, u), *other = netdp_graph_name(b, u);
        same = degree == netdp_graph_degree(b, u) &&
               memcmp(netdp_graph_neighbours(a, u), netdp_graph_neighbours(b, u),
                      (size_t)degree * sizeof(int32_t)) == 0 &&
               (one == NULL) == (other == NULL) && (one == NULL || strcmp(one, other) == 0);
    }
    return same;
}

static json_t *edges_json(const netdp_graph *graph)
{
    json_t *edges = json_array();
    for (int32_t u = 0; u < netdp_graph_nodes(graph); u++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, u);
        for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
            if (neighbour[i] < u)
                continue;
            json_array_append_new(edges, json_integer(u));
            json_array_append_new(edges, json_integer(neighbour[i]));
        }
    }
    return edges;
}

/* Null where no node has a name but its number. */
static json_t *names_json(const netdp_graph *graph)
{
    json_t *names = json_array();
    bool any = false;
    for (int32_t u = 0; u < netdp_graph_nodes(graph); u++) {
        const char *name = netdp_graph_name(graph, u);
        any = any || name != NULL;
        json_array_append_new(names, name != NULL ? name_json(name) : json_null());
    }
    if (any)
        return names;
    json_decref(names);
    return json_null();
}

/* The unit square as whole numbers up to 10,000. */
static json_t *places_json(const double *place, int32_t count)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(lround(10000 * place[i])));
    return list;
}

static netdp_status graph_json(const netdp_graph *graph, uint64_t seed, json_t **made,
                               netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    OWNED_BY(json_decref) json_t *told = json_pack("{s:o}", "names", names_json(graph));
    NEED(told);
    if (n > DRAWN_NODES || netdp_graph_edges(graph) > DRAWN_EDGES) {
        json_object_set_new(told, "why",
                            json_sprintf("graphs of more than %d nodes or %d edges are not drawn",
                                         DRAWN_NODES, DRAWN_EDGES));
        *made = GIVE(told);
        return NETDP_OK;
    }
    OWNED double *x = NETDP_I_NEW(double, n);
    OWNED double *y = NETDP_I_NEW(double, n);
    if (x == NULL || y == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_graph_layout(graph, seed, x, y, error));
    json_object_set_new(told, "edges", edges_json(graph));
    json_object_set_new(told, "x", places_json(x, n));
    json_object_set_new(told, "y", places_json(y, n));
    *made = GIVE(told);
    return NETDP_OK;
}

/* Takes over *graph; *index: its place among the page's graphs. */
static netdp_status keep_graph(source *s, netdp_graph **graph, uint64_t seed, int32_t *index,
                               netdp_error *error)
{
    json_t *told = NULL;
    for (int32_t i = 0; i < s->count; i++)
        if (same_graph(s->graph[i], *graph)) {
            *index = i;
            return NETDP_OK;
        }
    netdp_graph **grown = netdp_i_grow(s->graph, s->count + 1, sizeof *grown);
    NEED(grown);
    s->graph = grown;
    TRY(graph_json(*graph, seed, &told, error));
    json_array_append_new(s->graphs, told);
    *index = s->count;
    grown[s->count++] = *graph;
    *graph = NULL;
    return NETDP_OK;
}

/* The study of a network variant of the summary; NULL where there is none. */
static const netdp_study *study_of(const source *s, const char *name)
{
    if (s->study == NULL || s->study->variation_count == 0)
        return s->study;
    for (int32_t i = 0; i < s->study->variation_count; i++)
        if (strcmp(s->study->variation[i].name, name) == 0)
            return s->study->variation[i].study;
    return NULL;
}

/* The variant's graph once more; *index -1 and `why` where it cannot be had. */
static netdp_status find_graph(source *s, const char *name, const json_t *known, int32_t *index,
                               netdp_error *why, netdp_error *error)
{
    const netdp_study *study = study_of(s, name);
    netdp_graph *graph = NULL;
    *index = -1;
    if (study == NULL) {
        *why = s->unread;
        return NETDP_OK;
    }
    netdp_status status = netdp_i_problem_graph(study, s->data, &graph, NULL, why);
    if (status == NETDP_NO_MEMORY)
        return netdp_i_no_memory(error);
    if (status != NETDP_OK)
        return NETDP_OK;
    if (netdp_graph_nodes(graph) != json_integer_value(json_object_get(known, "nodes")) ||
        netdp_graph_edges(graph) != json_integer_value(json_object_get(known, "edges")))
        netdp_i_fail(why, NETDP_INVALID, "%s is not the graph any more that the study ran on",
                     netdp_graph_origin(graph));
    else
        status = keep_graph(s, &graph, study->seed, index, error);
    netdp_graph_free(graph);
    return status;
}

/* ---- Variants ---- */

static bool is_baseline(const char *name)
{
    return strcmp(name, "central") == 0 || strcmp(name, "local") == 0;
}

/* What a variant has of its own, or else what the study has. */
static const json_t *own_or_all(const source *s, const json_t *variant, const char *key)
{
    const json_t *own = json_object_get(variant, key);
    return own != NULL ? own : json_object_get(s->summary, key);
}

/* The file that proves the worst pair's number; null where the folder has none. */
static json_t *proof_json(const source *s, const json_t *variant, const char *losses)
{
    char path[NETDP_I_PATH_ROOM], file[128];
    const json_t *worst = json_object_get(json_object_get(variant, "guarantee"), "worst");
    const long long from = json_integer_value(json_object_get(worst, "from"));
    const json_t *to = json_object_get(worst, "to");
    if (worst == NULL || json_is_null(worst))
        return json_null();
    snprintf(file, sizeof file, "%.40s.%lld-%lld.proof", losses, from,
             (long long)json_integer_value(to));
    if (!json_is_integer(to) || !there(s->folder, file, path))
        snprintf(file, sizeof file, "%.40s.%lld-set.proof", losses, from);
    return there(s->folder, file, path) ? json_string(file) : json_null();
}

static netdp_status variant_json(source *s, const json_t *variant, int64_t most,
                                 const netdp_progress *progress, json_t **made, netdp_error *error)
{
    const char *name = json_string_value(json_object_get(variant, "name"));
    const char *losses = json_string_value(json_object_get(variant, "losses"));
    const json_t *known = own_or_all(s, variant, "graph");
    const json_int_t nodes = json_integer_value(json_object_get(known, "nodes"));
    netdp_error why = {NETDP_OK, ""};
    int32_t index = -1;
    json_t *pairs = NULL;
    REFUSE(nodes < 1 || nodes > INT32_MAX || (losses != NULL && strchr(losses, '/') != NULL),
           "%s/summary.json: has no nodes of a graph, or a strange name of a file; run the study "
           "again",
           s->folder);
    TRY(find_graph(s, name, known, &index, &why, error));
    const netdp_i_pairwise wanted = {
        .folder = s->folder,
        .losses = losses != NULL ? losses : "loss",
        .variant = variant,
        .threat = own_or_all(s, variant, "threat"),
        .graph = index >= 0 ? s->graph[index] : NULL,
        .nodes = (int32_t)nodes,
        .most = most,
    };
    TRY(netdp_i_pairwise_json(&wanted, progress, &pairs, error));
    *made = json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", name, "graph",
                      index >= 0 ? json_integer(index) : json_null(), "why",
                      why.text[0] != '\0' ? netdp_i_allowed_text(why.text) : json_null(), "pairs",
                      pairs, "proof", proof_json(s, variant, wanted.losses));
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status variants_json(source *s, const netdp_progress *progress, json_t **made,
                                  netdp_error *error)
{
    const json_t *variants = json_object_get(s->summary, "variants");
    size_t i;
    int64_t shown = 0;
    json_t *variant;
    OWNED_BY(json_decref) json_t *list = json_array();
    NEED(list);
    json_array_foreach ((json_t *)variants, i, variant)
        shown += !is_baseline(json_string_value(json_object_get(variant, "name")));
    json_array_foreach ((json_t *)variants, i, variant) {
        json_t *told = NULL;
        if (is_baseline(json_string_value(json_object_get(variant, "name"))))
            continue;
        TRY(variant_json(s, variant, MOST_NUMBERS / shown, progress, &told, error));
        json_array_append_new(list, told);
    }
    *made = GIVE(list);
    return NETDP_OK;
}

/* ---- The rest ---- */

/* A picture as base64. */
static netdp_status picture_json(const char *path, json_t **made, netdp_error *error)
{
    char *svg = NULL;
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, &svg, &bytes, error));
    const size_t room = sodium_base64_encoded_len((size_t)bytes, sodium_base64_VARIANT_ORIGINAL);
    char *text = NETDP_I_NEW(char, room);
    if (text != NULL) {
        sodium_bin2base64(text, room, (const unsigned char *)svg, (size_t)bytes,
                          sodium_base64_VARIANT_ORIGINAL);
        *made = json_string(text);
    }
    netdp_i_free(svg);
    netdp_i_free(text);
    return text != NULL && *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* "A, Figure 1" with who wrote A; NULL where there is none. */
static json_t *paper_json(const json_t *paper)
{
    const char *text = json_string_value(paper);
    const char *author = text != NULL ? netdp_claim_source(text) : NULL;
    return text == NULL     ? NULL
           : author == NULL ? json_string(text)
                            : json_sprintf("%s (%s)", text, author);
}

/* figure.svg and what it is, of netdp reproduce; null where there is none, or none for others. */
static netdp_status figure_json(const source *s, json_t **made, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    json_t *svg = NULL;
    OWNED_BY(json_decref)
    json_t *about = there(s->folder, "figure.json", path)
                        ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL)
                        : NULL;
    const bool shown =
        s->private || !netdp_i_allowed_has_data(s->summary) || netdp_i_allowed_figure(about);
    *made = NULL;
    if (!shown || !there(s->folder, "figure.svg", path)) {
        *made = json_null();
        return NETDP_OK;
    }
    TRY(picture_json(path, &svg, error));
    *made = json_pack("{s:o, s:{s:O*, s:o*, s:O*}}", "svg", svg, "about", "title",
                      json_object_get(about, "title"), "paper",
                      paper_json(json_object_get(about, "paper")), "says",
                      json_object_get(about, "says"));
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* The folder's own name, without where it is. */
static void name_folder(const char *folder, char *name, size_t room)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    snprintf(name, room, "%.*s", (int)(length - start), folder + start);
}

/* A seed may exceed what a browser's numbers keep. */
static json_t *seed_json(const json_t *seed)
{
    return json_is_integer(seed)  ? json_sprintf("%lld", (long long)json_integer_value(seed))
           : json_is_string(seed) ? json_string(json_string_value(seed))
                                  : json_null();
}

/* What a page is not given where it is for others; null as well. */
static json_t *private_json(const source *s, json_t *made)
{
    if (s->private || !netdp_i_allowed_has_data(s->summary))
        return made != NULL ? made : json_null();
    json_decref(made);
    return json_null();
}

/* By which a signature can name the result. A summary of earlier versions that holds the seed, and what it undoes, has none for others. */
static netdp_status digest_json(const source *s, json_t **made, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], hex[2 * crypto_hash_sha256_BYTES + 1], *text = NULL;
    unsigned char hash[crypto_hash_sha256_BYTES];
    int64_t bytes = 0;
    *made = json_null();
    if (!there(s->folder, "summary.json", path) ||
        (!s->private && json_object_get(s->summary, "seed") != NULL))
        return NETDP_OK;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    crypto_hash_sha256(hash, (const unsigned char *)text, (unsigned long long)bytes);
    netdp_i_free(text);
    *made = json_string(sodium_bin2hex(hex, sizeof hex, hash, sizeof hash));
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status assemble(source *s, const netdp_progress *progress, json_t **made,
                             netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], name[256];
    OWNED_BY(json_decref) json_t *variants = NULL;
    OWNED_BY(json_decref) json_t *trace = NULL;
    OWNED_BY(json_decref) json_t *figure = NULL;
    OWNED_BY(json_decref) json_t *digest = NULL;
    json_t *summary = NULL;
    TRY(variants_json(s, progress, &variants, error));
    if (s->private && there(s->folder, "trace.csv", path))
        TRY(netdp_i_course_json(path, &trace, error));
    TRY(figure_json(s, &figure, error));
    TRY(digest_json(s, &digest, error));
    TRY(netdp_i_allowed_summary(s->summary, s->private, &summary, error));
    name_folder(s->folder, name, sizeof name);
    *made = json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:o, s:O, s:o, s:o, s:o, s:o}", "netdp", netdp_version(),
        "folder", netdp_i_show_text(name).text, "private", (int)s->private, "summary", summary,
        "seed", private_json(s, seed_json(json_object_get(s->summary, "seed"))), "study",
        private_json(s, s->text != NULL ? netdp_i_allowed_text(s->text) : NULL), "graphs",
        s->graphs, "variants", GIVE(variants), "trace", trace != NULL ? GIVE(trace) : json_null(),
        "figure", GIVE(figure), "summary_sha256", GIVE(digest));
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* ---- Audits ---- */

/* audit.json with the pictures of its audits. */
static netdp_status assemble_audit(const source *s, json_t **made, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], file[32], name[256];
    json_error_t why;
    json_t *allowed = NULL;
    OWNED_BY(json_decref) json_t *pictures = json_array();
    json_t *svg;
    there(s->folder, "audit.json", path);
    OWNED_BY(json_decref) json_t *audit = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    NEED(pictures);
    REFUSE(json_array_size(json_object_get(audit, "audits")) == 0 ||
               json_string_value(json_object_get(audit, "title")) == NULL,
           "%s: is not what netdp audit wrote; audit the study again", path);
    for (size_t i = 0; i < json_array_size(json_object_get(audit, "audits")); i++) {
        snprintf(file, sizeof file, "audit-%zu.svg", i + 1);
        svg = NULL;
        if (there(s->folder, file, path))
            TRY(picture_json(path, &svg, error));
        if (json_array_append_new(pictures, svg != NULL ? svg : json_null()) != 0)
            return netdp_i_no_memory(error);
    }
    TRY(netdp_i_allowed_audit(audit, s->private, &allowed, error));
    name_folder(s->folder, name, sizeof name);
    *made = json_pack("{s:s, s:s, s:b, s:o, s:O}", "netdp", netdp_version(), "folder",
                      netdp_i_show_text(name).text, "private", (int)s->private, "audit", allowed,
                      "pictures", pictures);
    return *made != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status assemble_run(source *s, const netdp_progress *progress, json_t **made,
                                 netdp_error *error)
{
    TRY(read_summary(s, error));
    TRY(read_study(s, error));
    return assemble(s, progress, made, error);
}

netdp_status netdp_report_write(const char *folder, const char *data, bool for_experimenter,
                                const char *path, const netdp_progress *progress,
                                netdp_error *error)
{
    NETDP_I_GIVEN(error, folder);
    char usual[NETDP_I_PATH_ROOM];
    CLEARED(clear)
    source s = {
        .folder = folder, .data = data, .private = for_experimenter, .graphs = json_array()};
    OWNED_BY(json_decref) json_t *page = NULL;
    REFUSE(strlen(folder) + 64 > sizeof usual, "%.40s...: the path is too long", folder);
    NEED(s.graphs);
    TRY(!there(folder, "summary.json", usual) && there(folder, "audit.json", usual)
            ? assemble_audit(&s, &page, error)
            : assemble_run(&s, progress, &page, error));
    snprintf(usual, sizeof usual, "%s/%s", folder,
             for_experimenter ? "report-private.html" : "report.html");
    return netdp_i_page_write(page, for_experimenter, path != NULL ? path : usual, error);
}
