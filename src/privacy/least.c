#include "privacy/least.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The doubles >= 0 are numbered in order by their bits; a cell by the upper ones of them. */
static double cell_value(int64_t cell, int shift)
{
    uint64_t bits = (uint64_t)cell << shift;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t cell_below(double x, int shift)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int64_t)(bits >> shift);
}

double netdp_i_cell_below(double x, int bits)
{
    return cell_value(cell_below(x, 52 - bits), 52 - bits);
}

/* One end of the bracket. */
typedef struct end {
    int64_t cell;
    double excess; /* halved where the end stands still twice (the Illinois rule) */
} end;

/* Where a straight line between the ends is zero, or the middle cell where that says nothing. */
static int64_t next_cell(end low, end high, int shift)
{
    int64_t middle = low.cell + (high.cell - low.cell) / 2;
    double x = cell_value(low.cell, shift), y = cell_value(high.cell, shift);
    double zero = x + (y - x) * (low.excess / (low.excess - high.excess));
    if (!(low.excess < INFINITY && high.excess > -INFINITY && zero >= x && zero <= y))
        return middle;
    int64_t cell = cell_below(zero, shift);
    if (cell <= low.cell)
        return low.cell + 1;
    return cell >= high.cell ? high.cell - 1 : cell;
}

double netdp_i_least_proven(netdp_i_excess excess, void *context, double low, double high, int bits)
{
    const int shift = 52 - bits;
    end fails = {cell_below(low, shift), INFINITY}, holds = {cell_below(high, shift), 0};
    if (cell_value(holds.cell, shift) < high)
        holds.cell++;
    holds.excess = excess(context, cell_value(holds.cell, shift));
    if (!(holds.excess <= 0))
        return -1;
    int moved = 0; /* how often in a row the same end moved: < 0 the lower, > 0 the upper */
    for (int step = 1; holds.cell - fails.cell > 1; step++) {
        /* A line through a curve with a corner may creep: every fourth step halves the bracket. */
        int64_t cell = step % 4 == 0 ? fails.cell + (holds.cell - fails.cell) / 2
                                     : next_cell(fails, holds, shift);
        double here = excess(context, cell_value(cell, shift));
        if (here <= 0) {
            holds = (end){cell, here};
            moved = moved > 0 ? moved + 1 : 1;
            if (moved > 1)
                fails.excess /= 2;
        } else {
            fails = (end){cell, isnan(here) ? INFINITY : here};
            moved = moved < 0 ? moved - 1 : -1;
            if (moved < -1)
                holds.excess /= 2;
        }
    }
    return cell_value(holds.cell, shift);
}
