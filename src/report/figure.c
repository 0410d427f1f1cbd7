/* One table of figures: which numbers of a result folder make their points, and how they look. */
#include <netdp/study.h>

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "report/figure.h"
#include "run/record.h"

const json_t *netdp_i_figure_variants(const netdp_i_figure *f)
{
    return json_object_get(f->summary, "variants");
}

const json_t *netdp_i_figure_guarantee(const json_t *variant)
{
    return json_object_get(variant, "guarantee");
}

const char *netdp_i_figure_name(const json_t *variant)
{
    const char *name = json_string_value(json_object_get(variant, "name"));
    return name != NULL ? name : "";
}

int32_t netdp_i_figure_own(const netdp_i_figure *f, size_t i)
{
    return (int32_t)i - (netdp_i_study_accounts(f->study) ? 0 : 2);
}

const netdp_study *netdp_i_figure_study(const netdp_i_figure *f, size_t i)
{
    const int32_t own = netdp_i_figure_own(f, i);
    return own >= 0 && own < f->study->variation_count ? f->study->variation[own].study : f->study;
}

const netdp_graph *netdp_i_figure_graph(const netdp_i_figure *f, size_t i)
{
    const int32_t own = netdp_i_figure_own(f, i);
    return own >= 0 && own < f->study->variation_count ? f->problems.of[own]->graph
                                                       : f->problems.made[0]->graph;
}

bool netdp_i_figure_hides(const netdp_i_figure *f, const char *name)
{
    return f->study->figure.hide != NULL && !netdp_i_study_accounts(f->study) &&
           (strcmp(name, "central") == 0 || strcmp(name, "local") == 0);
}

netdp_status netdp_i_figure_list(const netdp_i_figure *f, size_t i, const json_t *variant,
                                 netdp_i_listed *listed, netdp_error *error)
{
    const char *losses = json_string_value(json_object_get(variant, "losses"));
    return netdp_i_listed_read(f->folder, losses != NULL ? losses : "loss", variant,
                               netdp_graph_nodes(netdp_i_figure_graph(f, i)),
                               netdp_i_study_unit(netdp_i_figure_study(f, i)), listed, error);
}

bool netdp_i_figure_by_length(const netdp_i_figure *f)
{
    const char *x = f->study->figure.x;
    return x != NULL && (strcmp(x, "length") == 0 || strcmp(x, "quantile") == 0);
}

bool netdp_i_figure_is_log(const netdp_i_figure *f, char axis)
{
    return f->study->figure.log != NULL && strcmp(f->study->figure.log, "none") != 0 &&
           strchr(f->study->figure.log, axis) != NULL;
}

/* To the inch. */
#define MILLIMETRES 25.4
#define POINTS 72.0
#define PIXELS 96.0

/* ---- the table of kinds ---- */

static const struct {
    const char *name;
    bool graph; /* needs the graph again, where x is not hops */
    netdp_status (*gather)(netdp_i_figure *f, netdp_error *error);
    netdp_status (*draw)(netdp_i_figure *f, const netdp_i_look *look, const char *path,
                         netdp_error *error);
} kinds[] = {
    {"distance", false, netdp_i_gather_distance, netdp_i_draw_curves},
    {"sweep", false, netdp_i_gather_sweep, netdp_i_draw_curves},
    {"trace", false, netdp_i_gather_trace, netdp_i_draw_curves},
    {"dots", false, netdp_i_gather_variants, netdp_i_draw_dots},
    {"scatter", true, netdp_i_gather_pairs, netdp_i_draw_curves},
    {"histogram", true, netdp_i_gather_histogram, netdp_i_draw_curves},
    {"matrix", true, netdp_i_gather_hops, netdp_i_draw_matrices},
    {"drawing", true, netdp_i_gather_hops, netdp_i_draw_graphs},
};

/* figure.y, a list of measures; that they suit the kind was checked when the study was read. */
static netdp_status read_measures(netdp_i_figure *f, netdp_error *error)
{
    if (netdp_i_study_claims(f->study)) {
        f->measure[f->measures++] = "value";
        return NETDP_OK;
    }
    f->words = netdp_i_copy_text(netdp_i_figure_y(f->study));
    NEED(f->words);
    char *rest = NULL;
    for (char *word = strtok_r(f->words, ", ", &rest);
         word != NULL && f->measures < NETDP_I_MEASURES; word = strtok_r(NULL, ", ", &rest))
        f->measure[f->measures++] = netdp_i_figure_measure(word);
    return NETDP_OK;
}

static json_t *text_json(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static netdp_status write_json(const netdp_i_figure *f, const char *path, netdp_error *error)
{
    char label[NETDP_I_LABEL_ROOM], across[NETDP_I_LABEL_ROOM];
    const netdp_study *study = f->study;
    netdp_i_label_axes(f, f->measure[0], across, label);
    OWNED_BY(json_decref)
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:s, s:O, s:o, s:s, s:o}", "netdp", netdp_version(),
                  "title", study->title, "paper", text_json(study->figure.paper), "says",
                  text_json(study->figure.says), "kind", study->figure.kind, "seed",
                  json_object_get(f->summary, "seed"), "x_label",
                  text_json(across[0] != '\0' ? across : NULL), "y_label", label, "curves",
                  netdp_i_curves_json(&f->curves, netdp_i_figure_is_log(f, 'x') &&
                                                      netdp_i_figure_is_log(f, 'y')));
    NEED(object);
    json_t *simulation = json_object_get(f->summary, "simulation");
    if (simulation != NULL)
        json_object_set(object, "simulation", simulation);
    return netdp_i_json_write(object, path, error);
}

/* How large a pixel of the layout is, in an SVG's pixels, and how many there are to the width. */
static netdp_i_look look_of(const netdp_picture *picture)
{
    const double scale =
        picture->text > 0 ? picture->text * PIXELS / POINTS / NETDP_I_TEXT_SIZE : 1;
    return (netdp_i_look){.scale = scale,
                          .width = (int32_t)(picture->width / MILLIMETRES * PIXELS / scale),
                          .font = picture->font != NULL ? picture->font : "sans-serif"};
}

static netdp_status write_figure(netdp_i_figure *f, size_t kind, const char *data,
                                 const netdp_picture *picture, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    TRY(read_measures(f, error));
    if (kinds[kind].graph || netdp_i_figure_by_length(f))
        TRY(netdp_i_problems_new(f->study, data, &f->problems, error));
    TRY(kinds[kind].gather(f, error));
    snprintf(path, sizeof path, "%s/figure.csv", f->folder);
    TRY(netdp_i_curves_write(&f->curves, path, error));
    snprintf(path, sizeof path, "%s/figure.json", f->folder);
    TRY(write_json(f, path, error));
    snprintf(path, sizeof path, "%s/figure.svg", f->folder);
    const bool plain = !(picture->width > 0) && !(picture->text > 0) && picture->font == NULL;
    netdp_i_look look = look_of(picture);
    TRY(kinds[kind].draw(f, plain ? NULL : &look, path, error));
    if (!picture->pdf)
        return NETDP_OK;
    snprintf(path, sizeof path, "%s/figure.pdf", f->folder);
    look.pdf = true;
    look.scale *= POINTS / PIXELS;
    return kinds[kind].draw(f, &look, path, error);
}

/* Is it a number that may be left out? */
static bool is_within(double value, double low, double high)
{
    return value == 0 || (value >= low && value <= high);
}

netdp_status netdp_i_picture_check(const netdp_picture *picture, netdp_error *error)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -";
    const char *font = picture->font;
    REFUSE(!is_within(picture->width, 40, 1000),
           "width %g: give millimetres from 40 to 1000, such as 85", picture->width);
    REFUSE(!is_within(picture->text, 4, 72), "text %g: give points from 4 to 72, such as 8",
           picture->text);
    REFUSE(font != NULL &&
               (font[0] == '\0' || strlen(font) > 64 || font[strspn(font, letters)] != '\0'),
           "font '%.64s': give the name of a family such as DejaVu Serif",
           netdp_i_show_text(font).text);
    return NETDP_OK;
}

static void clear_figure(netdp_i_figure *f)
{
    json_decref(f->summary);
    netdp_i_problems_clear(&f->problems);
    netdp_i_curves_clear(&f->curves);
    netdp_i_free(f->words);
}

netdp_status netdp_figure_draw(const netdp_study *study, const char *folder, const char *data,
                               const netdp_picture *picture, netdp_error *error)
{
    NETDP_I_GIVEN(error, study);
    static const netdp_picture usual;
    CLEARED(clear_figure) netdp_i_figure f = {.study = study, .folder = folder};
    size_t kind = 0;
    if (picture == NULL)
        picture = &usual;
    const netdp_status fine = netdp_i_picture_check(picture, error);
    if (fine != NETDP_OK)
        return fine;
    REFUSE(study->figure.kind == NULL,
           "%s: has no figure; give it a section figure with a kind, or use netdp run",
           study->path);
    while (strcmp(kinds[kind].name, study->figure.kind) != 0)
        kind++;
    TRY(netdp_i_record_read(folder, true, &f.summary, error));
    return write_figure(&f, kind, data, picture, error);
}

double netdp_figure_seconds(const netdp_study *study)
{
    return study->figure.seconds;
}
