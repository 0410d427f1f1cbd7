/*
 * Objectives of a linear model: loss(x'w, y) for each row. A row's gradient is a number times the
 * row, slope(x'w) x, so clipping it to norm C holds the slope within C / |x|: the clipped gradient
 * is again that of a convex function that is no less smooth. Not so for a loss of whole rows:
 * clipped, |w_1|^2 / 2 + 5 |w_2|^2 has steps that expand distances.
 */
#include <netdp/learn.h>

#include <cblas.h>
#include <math.h>
#include <string.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learn/clip.h"
#include "mixing/dense.h"

/* Outside these a sum of squares is no longer the squared norm to full precision. */
#define LEAST_SQUARE 0x1p-900
#define LARGEST_SQUARE 0x1p900

static const double *row_of(const netdp_examples *examples, int64_t row)
{
    return examples->x + row * examples->features;
}

static double largest_of(const double *x, int32_t features)
{
    double most = 0;
    for (int32_t j = 0; j < features; j++)
        most = fmax(most, fabs(x[j]));
    return most;
}

static double product(const double *x, const double *model, int32_t features)
{
    double sum = 0;
    for (int32_t j = 0; j < features; j++)
        sum += x[j] * model[j];
    return sum;
}

/* x'w with x scaled first; NaN only where the model is not finite or where it is 1e300 itself. */
static double scaled_product(const double *x, double scale, const double *model, int32_t features)
{
    double sum = 0;
    if (scale == 0)
        return 0;
    for (int32_t j = 0; j < features; j++)
        sum += x[j] / scale * model[j];
    return scale * sum;
}

static double margin_of(const double *x, const double *model, int32_t features)
{
    const double margin = product(x, model, features);
    if (isfinite(margin))
        return margin;
    return scaled_product(x, largest_of(x, features), model, features);
}

/* ---- Losses ---- */

static double logistic_value(void *context, double margin, double y)
{
    (void)context;
    return log1p(exp(-fabs(margin))) + fmax(-y * margin, 0);
}

/* -y / (1 + exp(y margin)). No margin overflows: exp only of what is not positive. */
static double logistic_slope(void *context, double margin, double y)
{
    (void)context;
    const double small = exp(-fabs(margin));
    return -y * (y * margin > 0 ? small : 1) / (1 + small);
}

static double ridge_value(void *context, double margin, double y)
{
    (void)context;
    return 0.5 * (margin - y) * (margin - y);
}

static double ridge_slope(void *context, double margin, double y)
{
    (void)context;
    return margin - y;
}

static double squared_error(void *context, double margin, double y)
{
    (void)context;
    return (margin - y) * (margin - y);
}

/* No number is never right. */
static double right_sign(void *context, double margin, double y)
{
    (void)context;
    return y > 0 ? margin >= 0 : margin < 0;
}

static double nothing(void *context, double margin, double y)
{
    (void)context, (void)margin, (void)y;
    return 0;
}

/* Of a kind that netdp_objective_check refuses: no gradient, and no step is known to be short. */
static const netdp_margin_loss unknown = {nothing, nothing, nothing, INFINITY, NULL};

static const netdp_margin_loss built_in[] = {
    [NETDP_LOGISTIC] = {logistic_value, logistic_slope, right_sign, 0.25, NULL},
    [NETDP_RIDGE] = {ridge_value, ridge_slope, squared_error, 1, NULL},
};

/* ---- Softmax: w_k at model[k features], y = 0, 1, ... ---- */

static double margin_of_class(netdp_row row, int32_t k)
{
    return margin_of(row.x, row.model + (int64_t)k * row.features, row.features);
}

static double softmax_value(void *context, netdp_row row)
{
    (void)context;
    double most = -INFINITY, sum = 0, mine = NAN;
    for (int32_t k = 0; k < row.parameters / row.features; k++) {
        const double margin = margin_of_class(row, k), above = fmax(most, margin);
        sum = sum * exp(most - above) + exp(margin - above);
        most = above;
        mine = k == row.y ? margin : mine;
    }
    return most + log(sum) - mine;
}

/* (p_k - 1 of y's class) x in the place of w_k; p_k stands at its beginning first. */
static void softmax_gradient(void *context, netdp_row row, double *gradient)
{
    (void)context;
    const int32_t classes = row.parameters / row.features;
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < classes; k++) {
        gradient[k * row.features] = margin_of_class(row, (int32_t)k);
        most = fmax(most, gradient[k * row.features]);
    }
    for (int64_t k = 0; k < classes; k++)
        sum += gradient[k * row.features] = exp(gradient[k * row.features] - most);
    for (int64_t k = 0; k < classes; k++) {
        const double by = gradient[k * row.features] / sum - ((double)k == row.y);
        for (int32_t j = 0; j < row.features; j++)
            gradient[k * row.features + j] = by * row.x[j];
    }
}

static double softmax_score(void *context, netdp_row row)
{
    (void)context;
    double most = NAN;
    int32_t found = -1;
    for (int32_t k = 0; k < row.parameters / row.features; k++) {
        const double margin = margin_of_class(row, k);
        if (isnan(margin))
            return 0;
        if (found < 0 || margin > most) {
            found = k;
            most = margin;
        }
    }
    return found == row.y;
}

static const netdp_row_loss softmax = {softmax_value, softmax_gradient, softmax_score, INFINITY,
                                       NULL};

static const netdp_row_loss *row_loss_of(const netdp_objective *objective)
{
    return objective->kind == NETDP_SOFTMAX ? &softmax : objective->row_loss;
}

int32_t netdp_parameters(const netdp_objective *objective, const netdp_examples *examples)
{
    return objective->parameters > 0 ? objective->parameters : examples->features;
}

/* NULL: a loss of rows. */
static const netdp_margin_loss *margin_loss_of(const netdp_objective *objective)
{
    if (objective->kind == NETDP_ROW_LOSS || objective->kind == NETDP_SOFTMAX)
        return NULL;
    if (objective->kind == NETDP_MARGIN_LOSS)
        return objective->margin_loss;
    return (unsigned)objective->kind <= NETDP_RIDGE ? &built_in[objective->kind] : &unknown;
}

netdp_status netdp_objective_check(const netdp_objective *objective, netdp_error *error)
{
    NETDP_I_GIVEN(error, objective);
    const netdp_margin_loss *margin = objective->margin_loss;
    const netdp_row_loss *row = objective->row_loss;
    if (!(objective->clip >= 0))
        return netdp_i_fail(error, NETDP_INVALID, "objective: clip %g; must be at least 0",
                            objective->clip);
    if (!(objective->l2 >= 0 && isfinite(objective->l2)))
        return netdp_i_fail(error, NETDP_INVALID, "objective: l2 %g; must be at least 0 and finite",
                            objective->l2);
    if ((unsigned)objective->kind > NETDP_SOFTMAX)
        return netdp_i_fail(error, NETDP_INVALID,
                            "objective: kind %d; there is none of this number",
                            (int)objective->kind);
    if (objective->kind == NETDP_MARGIN_LOSS &&
        (margin == NULL || margin->value == NULL || margin->slope == NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "objective: a margin loss needs its value and its slope; give both");
    if (objective->kind == NETDP_ROW_LOSS &&
        (row == NULL || row->value == NULL || row->gradient == NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "objective: a row loss needs its value and its gradient; give both");
    if (objective->parameters < 0 ||
        (objective->parameters > 0 && margin_loss_of(objective) != NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "objective: %d parameters; a linear model has those of its features "
                            "(0), softmax and row losses 1 or more",
                            (int)objective->parameters);
    return NETDP_OK;
}

/* ---- Gradients ---- */

/*
 * The slope held so that |slope| norm <= clip. A slope that is no number (of a model that is not
 * finite) counts as 0 under a clip, so that the bound holds for every model.
 */
static double hold(double by, double norm, double clip)
{
    if (fabs(by) * norm <= clip || isinf(clip))
        return by;
    return isnan(by) ? 0 : copysign(clip / norm, by);
}

/* The same for a row so large or so small that its squared norm is not a number to work with. */
static void add_extreme(const netdp_objective *objective, const double *x, double y,
                        const double *model, int32_t features, double *sum)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    const double scale = largest_of(x, features);
    if (scale == 0)
        return;
    double square = 0;
    for (int32_t j = 0; j < features; j++)
        square += (x[j] / scale) * (x[j] / scale);
    const double margin = scaled_product(x, scale, model, features);
    const double by =
        hold(loss->slope(loss->context, margin, y) * scale, sqrt(square), objective->clip);
    for (int32_t j = 0; j < features; j++)
        sum[j] += by * (x[j] / scale);
}

/* x'w and x'x. Sums beside each other need not wait for one another; of fewer numbers it is one after the other. */
static void multiply(const double *x, const double *w, int32_t count, double *margin,
                     double *square)
{
    enum { LANES = 8 };
    double by[LANES] = {0}, of[LANES] = {0}, rest[2] = {0};
    int32_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int32_t k = 0; k < LANES; k++) {
            by[k] += x[j + k] * w[j + k];
            of[k] += x[j + k] * x[j + k];
        }
    for (; j < count; j++) {
        rest[0] += x[j] * w[j];
        rest[1] += x[j] * x[j];
    }
    for (int32_t k = 0; k < LANES; k++) {
        rest[0] += by[k];
        rest[1] += of[k];
    }
    *margin = rest[0];
    *square = rest[1];
}

/* sum += the clipped gradient of one row of a linear model */
static void add_row(const netdp_objective *objective, const double *x, double y,
                    const double *model, int32_t features, double *sum)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    double margin, square;
    multiply(x, model, features, &margin, &square);
    if (!(square >= LEAST_SQUARE && square <= LARGEST_SQUARE && isfinite(margin))) {
        add_extreme(objective, x, y, model, features, sum);
        return;
    }
    const double by = hold(loss->slope(loss->context, margin, y), sqrt(square), objective->clip);
    for (int32_t j = 0; j < features; j++)
        sum[j] += by * x[j];
}

void netdp_i_add_clipped(const double *gradient, int32_t features, double clip, double *sum)
{
    double largest = 0, square = 0, by = 1, scale = 1;
    bool finite = true;
    for (int32_t j = 0; j < features; j++) {
        finite = finite && isfinite(gradient[j]);
        largest = fmax(largest, fabs(gradient[j]));
    }
    if (!isinf(clip)) {
        if (!finite || largest == 0)
            return;
        for (int32_t j = 0; j < features; j++)
            square += (gradient[j] / largest) * (gradient[j] / largest);
        if (!(largest * sqrt(square) <= clip)) {
            scale = largest;
            by = clip / sqrt(square);
        }
    }
    for (int32_t j = 0; j < features; j++)
        sum[j] += by * (gradient[j] / scale);
}

/* Partial Fisher-Yates: draw i takes place i + below(rows - i), one draw for each row taken. */
static void draw_batch(netdp_stream stream, int64_t first, int64_t rows, int64_t batch,
                       int64_t *place)
{
    for (int64_t i = 0; i < rows; i++)
        place[i] = first + i;
    for (int64_t i = 0; i < batch; i++) {
        const int64_t j = i + (int64_t)netdp_stream_below(&stream, (uint64_t)(rows - i));
        const int64_t taken = place[j];
        place[j] = place[i];
        place[i] = taken;
    }
}

/* The rows that a gradient is the mean of. */
typedef struct chosen {
    const int64_t *row; /* NULL: first, first + 1, ... */
    int64_t first, count;
} chosen;

static int64_t chosen_row(chosen rows, int64_t i)
{
    return rows.row != NULL ? rows.row[i] : rows.first + i;
}

static void sum_margin_loss(const netdp_objective *objective, const netdp_examples *examples,
                            chosen rows, const double *model, double *sum)
{
    for (int64_t i = 0; i < rows.count; i++) {
        const int64_t row = chosen_row(rows, i);
        add_row(objective, row_of(examples, row), examples->y[row], model, examples->features, sum);
    }
}

static netdp_row whole_row(const netdp_objective *objective, const netdp_examples *examples,
                           int64_t row, const double *model)
{
    return (netdp_row){row_of(examples, row), examples->y[row], examples->features,
                       netdp_parameters(objective, examples), model};
}

static void sum_row_loss(const netdp_objective *objective, const netdp_examples *examples,
                         chosen rows, const double *model, double *sum)
{
    enum { ON_STACK = 1024 };
    const netdp_row_loss *loss = row_loss_of(objective);
    const int32_t size = netdp_parameters(objective, examples);
    double small[ON_STACK];
    double *one = size <= ON_STACK ? small : NETDP_I_NEW(double, size);
    for (int32_t j = 0; one == NULL && j < size; j++)
        sum[j] = NAN;
    for (int64_t i = 0; one != NULL && i < rows.count; i++) {
        const int64_t row = chosen_row(rows, i);
        memset(one, 0, (size_t)size * sizeof *one);
        loss->gradient(loss->context, whole_row(objective, examples, row, model), one);
        netdp_i_add_clipped(one, size, objective->clip, sum);
    }
    if (one != small)
        netdp_i_free(one);
}

/* gradient = weight of the node * sum of the rows' clipped gradients / by + l2 w */
static void add_up(const netdp_objective *objective, const netdp_examples *examples, int32_t node,
                   chosen rows, double by, const double *model, double *gradient)
{
    const int32_t size = netdp_parameters(objective, examples);
    const double weight = examples->weight != NULL ? examples->weight[node] : 1;
    for (int32_t j = 0; j < size; j++)
        gradient[j] = 0;
    if (margin_loss_of(objective) == NULL)
        sum_row_loss(objective, examples, rows, model, gradient);
    else
        sum_margin_loss(objective, examples, rows, model, gradient);
    if (rows.count > 0 && by != 1)
        for (int32_t j = 0; j < size; j++)
            gradient[j] /= by;
    if (weight != 1)
        for (int32_t j = 0; j < size; j++)
            gradient[j] *= weight;
    if (objective->l2 > 0)
        for (int32_t j = 0; j < size; j++)
            gradient[j] += objective->l2 * model[j];
}

void netdp_gradient(const netdp_objective *objective, const netdp_examples *examples, int32_t node,
                    const double *model, int64_t batch, uint64_t seed, uint64_t step,
                    int64_t *scratch, double *gradient)
{
    const int64_t first = examples->start[node], rows = examples->start[node + 1] - first;
    const bool some = batch > 0 && batch < rows;
    const chosen used = {some ? scratch : NULL, first, some ? batch : rows};
    if (some)
        draw_batch(netdp_stream_at(seed, NETDP_FOR_BATCH, (uint32_t)node, step), first, rows, batch,
                   scratch);
    add_up(objective, examples, node, used, (double)used.count, model, gradient);
}

void netdp_batch_gradient(const netdp_objective *objective, const netdp_examples *examples,
                          int32_t node, const double *model, netdp_batches batches, int64_t phase,
                          uint64_t seed, uint64_t step, int64_t *scratch, double *gradient)
{
    const int64_t first = examples->start[node], rows = examples->start[node + 1] - first;
    int64_t count = 0;
    if (batches.kind == NETDP_BATCHES_FULL) {
        netdp_gradient(objective, examples, node, model, 0, seed, step, NULL, gradient);
        return;
    }
    if (batches.kind == NETDP_BATCHES_CYCLIC) {
        for (int64_t row = phase % batches.count; row < rows; row += batches.count)
            scratch[count++] = first + row;
        add_up(objective, examples, node, (chosen){scratch, 0, count},
               (double)rows / (double)batches.count, model, gradient);
        return;
    }
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_BATCH, (uint32_t)node, step);
    for (int64_t row = 0; row < rows; row++)
        if (netdp_stream_uniform(&stream) < batches.rate)
            scratch[count++] = first + row;
    add_up(objective, examples, node, (chosen){scratch, 0, count}, batches.rate * (double)rows,
           model, gradient);
}

/* ---- Values and scores ---- */

static double mean_loss(const netdp_objective *objective, const netdp_examples *examples,
                        const double *model, int64_t first, int64_t last)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    const netdp_row_loss *row = row_loss_of(objective);
    double sum = 0;
    for (int64_t i = first; i < last; i++) {
        const double *x = row_of(examples, i), y = examples->y[i];
        sum += loss != NULL ? loss->value(loss->context, margin_of(x, model, examples->features), y)
                            : row->value(row->context, whole_row(objective, examples, i, model));
    }
    return last > first ? sum / (double)(last - first) : 0;
}

double netdp_objective_value(const netdp_objective *objective, const netdp_examples *examples,
                             const double *model)
{
    double value = 0;
    if (examples->nodes == 0)
        value = mean_loss(objective, examples, model, 0, examples->rows);
    for (int32_t u = 0; u < examples->nodes; u++)
        value += mean_loss(objective, examples, model, examples->start[u], examples->start[u + 1]) *
                 (examples->weight != NULL ? examples->weight[u] : 1) / examples->nodes;
    if (objective->l2 > 0)
        value += 0.5 * objective->l2 * product(model, model, netdp_parameters(objective, examples));
    return value;
}

double netdp_score(const netdp_objective *objective, const netdp_examples *examples,
                   const double *model)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    const netdp_row_loss *row = row_loss_of(objective);
    double sum = 0;
    for (int64_t i = 0; i < examples->rows; i++) {
        const double *x = row_of(examples, i), y = examples->y[i];
        if (loss == NULL && row->score != NULL) {
            sum += row->score(row->context, whole_row(objective, examples, i, model));
            continue;
        }
        const double margin = margin_of(x, model, examples->features);
        sum += loss != NULL && loss->score != NULL ? loss->score(loss->context, margin, y)
                                                   : right_sign(NULL, margin, y);
    }
    return examples->rows > 0 ? sum / (double)examples->rows : 0;
}

/* Margins of so many rows and models are found at once. */
enum { ROWS = 128, MODELS = 32 };

/* Adds the scores of a block of rows to those of a block of models. */
static void score_block(const netdp_margin_loss *loss, const netdp_examples *examples,
                        int64_t first, int32_t rows, const double *models, int32_t count,
                        double *score)
{
    const int32_t d = examples->features;
    double margin[ROWS * MODELS];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, rows, d, 1, models, d,
                row_of(examples, first), d, 0, margin, ROWS);
    for (int32_t k = 0; k < count; k++) {
        double *m = margin + (int64_t)k * ROWS, sum = 0;
        const double *y = examples->y + first;
        for (int32_t i = 0; i < rows; i++)
            if (!isfinite(m[i]))
                m[i] = margin_of(row_of(examples, first + i), models + (int64_t)k * d, d);
        if (loss->score != NULL && loss->score != right_sign)
            for (int32_t i = 0; i < rows; i++)
                sum += loss->score(loss->context, m[i], y[i]);
        else
            for (int32_t i = 0; i < rows; i++)
                sum += y[i] > 0 ? m[i] >= 0 : m[i] < 0;
        score[k] += sum;
    }
}

void netdp_score_models(const netdp_objective *objective, const netdp_examples *examples,
                        const double *models, int32_t count, double *score)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    const int64_t d = netdp_parameters(objective, examples);
    if (loss == NULL) {
        for (int32_t k = 0; k < count; k++)
            score[k] = netdp_score(objective, examples, models + k * d);
        return;
    }
    netdp_i_dense_begin();
    for (int32_t k = 0; k < count; k += MODELS) {
        const int32_t some = count - k < MODELS ? count - k : MODELS;
        memset(score + k, 0, (size_t)some * sizeof *score);
        for (int64_t i = 0; i < examples->rows; i += ROWS)
            score_block(loss, examples, i,
                        (int32_t)(examples->rows - i < ROWS ? examples->rows - i : ROWS),
                        models + k * d, some, score + k);
        for (int32_t j = 0; j < some; j++)
            score[k + j] = examples->rows > 0 ? score[k + j] / (double)examples->rows : 0;
    }
}

double netdp_smoothness_within(const netdp_objective *objective, double square)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    /* Gradients are at most sqrt(2) |x|: such a clip changes none. */
    if (objective->kind == NETDP_SOFTMAX)
        return (objective->clip >= sqrt(2 * square) ? 0.5 * square : INFINITY) + objective->l2;
    if (loss == NULL)
        return isinf(objective->clip) && objective->row_loss->smoothness >= 0
                   ? objective->row_loss->smoothness + objective->l2
                   : INFINITY;
    const double beta = loss->smoothness * square;
    return (loss->smoothness >= 0 && beta >= 0 ? beta : INFINITY) + objective->l2;
}

double netdp_smoothness(const netdp_objective *objective, const netdp_examples *examples)
{
    double most = 0;
    for (int64_t i = 0; objective->kind != NETDP_ROW_LOSS && i < examples->rows; i++) {
        const double *x = row_of(examples, i);
        most = fmax(most, product(x, x, examples->features));
    }
    return netdp_smoothness_within(objective, most);
}

double netdp_node_smoothness(const netdp_objective *objective, const netdp_examples *examples,
                             int32_t node)
{
    const netdp_margin_loss *loss = margin_loss_of(objective);
    const int64_t first = examples->start[node], last = examples->start[node + 1];
    double sum = 0;
    if (loss == NULL)
        return netdp_smoothness(objective, examples);
    for (int64_t i = first; i < last; i++) {
        const double *x = row_of(examples, i);
        sum += product(x, x, examples->features);
    }
    const double beta = loss->smoothness * (last > first ? sum / (double)(last - first) : 0);
    return (loss->smoothness >= 0 && beta >= 0 ? beta : INFINITY) + objective->l2;
}
