/*
 * Objectives of a linear model: loss(x'w, y) for each row. A row's gradient is a number times the
 * row, slope(x'w) x, so clipping it to norm C holds the slope within C / |x|: the clipped gradient
 * is again that of a convex function that is no less smooth.
 */
#include <netdp/learn.h>

#include <math.h>

#include <netdp/random.h>

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

/* The derivative of the loss by x'w. No margin overflows: exp only of what is not positive. */
static double slope(netdp_objective_kind kind, double margin, double y)
{
    if (kind == NETDP_RIDGE)
        return margin - y;
    const double small = exp(-fabs(margin)); /* -y / (1 + exp(y margin)) */
    return -y * (y * margin > 0 ? small : 1) / (1 + small);
}

static double loss(netdp_objective_kind kind, double margin, double y)
{
    if (kind == NETDP_RIDGE)
        return 0.5 * (margin - y) * (margin - y);
    return log1p(exp(-fabs(margin))) + fmax(-y * margin, 0);
}

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
    const double scale = largest_of(x, features);
    if (scale == 0)
        return;
    double square = 0;
    for (int32_t j = 0; j < features; j++)
        square += (x[j] / scale) * (x[j] / scale);
    const double margin = scaled_product(x, scale, model, features);
    const double by =
        hold(slope(objective->kind, margin, y) * scale, sqrt(square), objective->clip);
    for (int32_t j = 0; j < features; j++)
        sum[j] += by * (x[j] / scale);
}

/* sum += the clipped gradient of one row */
static void add_row(const netdp_objective *objective, const double *x, double y,
                    const double *model, int32_t features, double *sum)
{
    double margin = 0, square = 0;
    for (int32_t j = 0; j < features; j++) {
        margin += x[j] * model[j];
        square += x[j] * x[j];
    }
    if (!(square >= LEAST_SQUARE && square <= LARGEST_SQUARE && isfinite(margin))) {
        add_extreme(objective, x, y, model, features, sum);
        return;
    }
    const double by = hold(slope(objective->kind, margin, y), sqrt(square), objective->clip);
    for (int32_t j = 0; j < features; j++)
        sum[j] += by * x[j];
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

void netdp_gradient(const netdp_objective *objective, const netdp_examples *examples, int32_t node,
                    const double *model, int64_t batch, uint64_t seed, uint64_t step,
                    int64_t *scratch, double *gradient)
{
    const int32_t features = examples->features;
    const int64_t first = examples->start[node], rows = examples->start[node + 1] - first;
    const bool some = batch > 0 && batch < rows;
    const int64_t count = some ? batch : rows;
    for (int32_t j = 0; j < features; j++)
        gradient[j] = 0;
    if (some)
        draw_batch(netdp_stream_at(seed, NETDP_FOR_BATCH, (uint32_t)node, step), first, rows, batch,
                   scratch);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = some ? scratch[i] : first + i;
        add_row(objective, row_of(examples, row), examples->y[row], model, features, gradient);
    }
    for (int32_t j = 0; j < features; j++) {
        if (count > 0)
            gradient[j] /= (double)count;
        if (objective->l2 > 0)
            gradient[j] += objective->l2 * model[j];
    }
}

static double mean_loss(const netdp_objective *objective, const netdp_examples *examples,
                        const double *model, int64_t first, int64_t last)
{
    double sum = 0;
    for (int64_t i = first; i < last; i++) {
        const double margin = margin_of(row_of(examples, i), model, examples->features);
        sum += loss(objective->kind, margin, examples->y[i]);
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
        value += mean_loss(objective, examples, model, examples->start[u], examples->start[u + 1]) /
                 examples->nodes;
    if (objective->l2 > 0)
        value += 0.5 * objective->l2 * product(model, model, examples->features);
    return value;
}

double netdp_score(const netdp_objective *objective, const netdp_examples *examples,
                   const double *model)
{
    double sum = 0;
    for (int64_t i = 0; i < examples->rows; i++) {
        const double margin = margin_of(row_of(examples, i), model, examples->features);
        const double y = examples->y[i];
        if (objective->kind == NETDP_RIDGE)
            sum += (margin - y) * (margin - y);
        else
            sum += y > 0 ? margin >= 0 : margin < 0; /* no number is never right */
    }
    return examples->rows > 0 ? sum / (double)examples->rows : 0;
}

double netdp_smoothness(const netdp_objective *objective, const netdp_examples *examples)
{
    double most = 0;
    for (int64_t i = 0; i < examples->rows; i++) {
        const double *x = row_of(examples, i);
        most = fmax(most, product(x, x, examples->features));
    }
    return (objective->kind == NETDP_RIDGE ? most : most / 4) + objective->l2;
}
