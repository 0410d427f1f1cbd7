#include "plot/axis.h"

#include <math.h>
#include <string.h>

/* Beyond these, gnuplot and our own rounding could leave the doubles. */
#define LEAST 1e-290
#define MOST 1e290

bool netdp_i_axis_holds(const netdp_i_axis *axis, double value)
{
    return fabs(value) <= MOST && (!axis->log || value >= LEAST);
}

void netdp_i_axis_take(netdp_i_axis *axis, double value)
{
    if (!netdp_i_axis_holds(axis, value))
        return;
    axis->low = axis->any ? fmin(axis->low, value) : value;
    axis->high = axis->any ? fmax(axis->high, value) : value;
    axis->broken |= value < floor(value) || value > floor(value);
    axis->any = true;
}

static void finish_log(netdp_i_axis *axis)
{
    if (!axis->any) {
        axis->low = 0.1;
        axis->high = 1;
        return;
    }
    const double margin = fmax(pow(axis->high / axis->low, 0.04), 1.02);
    axis->low /= axis->high > axis->low ? margin : 2;
    axis->high *= axis->high / axis->low < 2.5 ? 2 : margin;
}

void netdp_i_axis_finish(netdp_i_axis *axis, double near)
{
    const double size = fmax(fabs(axis->low), fabs(axis->high));
    const double width = axis->high - axis->low;
    if (axis->log) {
        finish_log(axis);
    } else if (!axis->any || size <= 0) {
        axis->low = 0;
        axis->high = 1;
    } else if (width <= 1e-9 * size) {
        axis->low -= 0.1 * size;
        axis->high += 0.1 * size;
    } else {
        const double low = axis->low, high = axis->high;
        axis->low = low >= 0 && low <= near * high ? 0 : low - 0.04 * width;
        axis->high = high <= 0 && high >= near * low ? 0 : high + 0.04 * width;
    }
}

double netdp_i_axis_at(const netdp_i_axis *axis, double part)
{
    return axis->log ? axis->low * pow(axis->high / axis->low, part)
                     : axis->low + (axis->high - axis->low) * part;
}

double netdp_i_axis_part(const netdp_i_axis *axis, double value)
{
    const double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                  : (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(part, 0), 1);
}

/* The ticks on their way out: they are a list, and its longest label counts. */
struct ticks {
    FILE *out;
    bool any;
    int longest;
};

/* A label of `digits` figures: 0.002, 5000, 2·10^{-7}. */
static void print_tick(struct ticks *ticks, double value, int digits)
{
    char label[64];
    const double size = fabs(value);
    const bool plain = size <= 0 || (size >= 1e-3 && size < 99999.5);
    const int power = plain ? 0 : (int)floor(log10(size * (1 + 1e-12)));
    const double front = value / pow(10, power);
    if (plain)
        snprintf(label, sizeof label, "%.*g", digits < 5 ? 5 : digits, value);
    else if (fabs(fabs(front) - 1) < 1e-9)
        snprintf(label, sizeof label, "%s10^{%d}", value < 0 ? "-" : "", power);
    else
        snprintf(label, sizeof label, "%.*g\u00b710^{%d}", digits, front, power);
    fprintf(ticks->out, "%s'%s' %.15g", ticks->any ? ", " : "", label, value);
    /* Without the three marks of the exponent and one byte of the point. */
    const int length = (int)strlen(label) - (plain ? 0 : 4);
    ticks->longest = length > ticks->longest ? length : ticks->longest;
    ticks->any = true;
}

/* Have labels of so many digits room beside each other, a step apart at the axis' denser end? */
static bool is_apart(const netdp_i_axis *axis, double step, int letters, netdp_i_along along)
{
    enum { DIGIT = 9, HEIGHT = 15, GAP = 6 }; /* pixels */
    const double part =
        1 - netdp_i_axis_part(axis, fmax(axis->high - step, axis->log ? axis->low : -INFINITY));
    return along.pixels == 0 ||
           part * along.pixels >= (along.upward ? HEIGHT : letters * DIGIT + GAP);
}

/* 1, 2 or 5 times a power of ten, so that there are about five of them, or as many as have room. */
static void print_even_ticks(struct ticks *ticks, const netdp_i_axis *axis, netdp_i_along along)
{
    const double raw = (axis->high - axis->low) / 5, power = pow(10, floor(log10(raw)));
    double step = power * (raw < 1.5 * power   ? 1
                           : raw < 3.5 * power ? 2
                           : raw < 7.5 * power ? 5
                                               : 10);
    if (axis->any && !axis->broken)
        step = fmax(step, 1);
    const double size = fmax(fabs(axis->low), fabs(axis->high));
    const int letters =
        (int)(fmax(floor(log10(size)), 0) + 1 + (step < 1 ? ceil(-log10(step)) + 1 : 0));
    while (!is_apart(axis, step, letters, along) && step < (axis->high - axis->low) / 2) {
        const double front = step / pow(10, floor(log10(step) + 1e-9));
        step *= front > 1.5 && front < 3.5 ? 2.5 : 2;
    }
    const int digits = (int)fmin(fmax(ceil(log10(size / step)) + 1, 2), 15);
    const double last = floor(axis->high / step + 1e-9);
    for (double i = ceil(axis->low / step - 1e-9); i <= last; i++)
        print_tick(ticks, i * step + 0.0, digits);
}

/* 1, 2, 5, 10, 20, ... */
static void print_decade_ticks(struct ticks *ticks, const netdp_i_axis *axis)
{
    for (double power = floor(log10(axis->low)); power <= log10(axis->high); power++) {
        for (double front = 1; front<9; front = front * 2.5> 4 ? front * 2.5 : 2) {
            const double value = front * pow(10, power);
            if (value >= axis->low && value <= axis->high)
                print_tick(ticks, value, 2);
        }
    }
}

int netdp_i_axis_print(FILE *out, const char *name, const netdp_i_axis *axis, netdp_i_along along)
{
    enum { POWER = 5 }; /* of 10^{-2}; 10^{-12} is longer by one */
    struct ticks ticks = {.out = out};
    const double decades = axis->log ? log10(axis->high / axis->low) : 0;
    fprintf(out, "unset logscale %s\nunset m%stics\n", name, name);
    fprintf(out, "set %srange [%.15g:%.15g] noextend\n", name, axis->low, axis->high);
    if (axis->log)
        fprintf(out, "set logscale %s\n", name);
    if (decades >= 2) {
        const double step = ceil(decades / 6);
        /* With a step alone, gnuplot 5.4 counts from the lower end and labels it as a power. */
        const double start = pow(10, step * floor(log10(axis->low) / step));
        fprintf(out, "set format %s '10^{%%T}'\nset %stics nomirror out %.15g,%.15g enhanced\n",
                name, name, start, pow(10, step));
        if (step < 2)
            fprintf(out, "set m%stics 10\n", name);
        const int longer = snprintf(NULL, 0, "%.0f", step * ceil(log10(axis->low) / step)) - 2;
        return POWER + (longer > 0 ? longer : 0);
    }
    fprintf(out, "set %stics nomirror out enhanced (", name);
    if (decades >= 0.8)
        print_decade_ticks(&ticks, axis);
    else
        print_even_ticks(&ticks, axis, along);
    fputs(")\n", out);
    return ticks.longest;
}
