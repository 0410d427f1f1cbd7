/* Noise that is correlated over phases: its covariance Q = C C', read and checked. */
#include "protocol/quiet.h"

#include <inttypes.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <netdp/noise.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "mixing/dense.h"

OWNER(netdp_quiet_design_free, netdp_quiet_design)

bool netdp_quiet_is(const netdp_quiet *quiet)
{
    return quiet->factor != NULL;
}

netdp_status netdp_i_quiet_check(const netdp_quiet *quiet, netdp_error *error)
{
    const int64_t n = quiet->phases;
    for (int64_t p = 0; p < n; p++) {
        const double *row = quiet->factor + p * n;
        bool good = row[p] > 0;
        for (int64_t q = 0; q < n; q++)
            good = good && isfinite(row[q]) && (q <= p || row[q] == 0);
        if (!good)
            return netdp_i_fail(error, NETDP_INVALID,
                                "quiet: row %" PRId64 " of the factor is not of a lower triangle "
                                "with a diagonal above 0",
                                p + 1);
    }
    return NETDP_OK;
}

/* C of Q = C C', in place. */
static netdp_status take_factor(int64_t phases, double *q, netdp_error *error)
{
    for (int64_t i = 0; i < phases; i++)
        for (int64_t j = 0; j < i; j++)
            if (!(fabs(q[i * phases + j] - q[j * phases + i]) <=
                  1e-12 * sqrt(fabs(q[i * phases + i] * q[j * phases + j]))))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "quiet: entries (%" PRId64 ", %" PRId64
                                    ") and its mirror differ; a covariance is symmetric",
                                    i + 1, j + 1);
    /* Of the rows below the diagonal, which column-major LAPACK calls the upper triangle. */
    netdp_i_dense_begin();
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)phases, q, (int)phases) != 0)
        return netdp_i_fail(error, NETDP_INVALID, "quiet: the covariance is not positive definite");
    for (int64_t i = 0; i < phases; i++)
        for (int64_t j = i + 1; j < phases; j++)
            q[i * phases + j] = 0;
    return NETDP_OK;
}

/* Q of a text. */
static netdp_status read_covariance(const char *path, int64_t phases, double *q, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0, line = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    char *rest = text;
    for (char *row; (row = strsep(&rest, "\n")) != NULL;) {
        int64_t filled = 0;
        if (*row == '\0' && rest == NULL)
            break;
        for (char *each; (each = strsep(&row, " \t,")) != NULL;) {
            double number = 0;
            if (*each == '\0')
                continue;
            if (line == phases || filled == phases || !netdp_i_read_number(each, &number) ||
                !isfinite(number))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "%s:%" PRId64 ": '%s'; give %" PRId64 " numbers in each of "
                                    "%" PRId64 " lines, one a phase",
                                    path, line + 1, netdp_i_show_text(each).text, phases, phases);
            q[line * phases + filled++] = number;
        }
        if (filled != phases)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s:%" PRId64 ": %" PRId64 " numbers; there are %" PRId64 " phases",
                                path, line + 1, filled, phases);
        line++;
    }
    if (line != phases)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: %" PRId64 " lines; there are %" PRId64 " phases", path, line,
                            phases);
    return NETDP_OK;
}

/* G of the workload by its name, or NULL of prefix sums. */
static netdp_status make_workload(const char *name, const netdp_linear *protocol, int64_t phases,
                                  double **gram, netdp_error *error)
{
    *gram = NULL;
    if (strcmp(name, "sums") == 0)
        return NETDP_OK;
    if (strcmp(name, "gossip") != 0)
        return netdp_i_fail(error, NETDP_INVALID, "workload: '%s'; give sums or gossip",
                            netdp_i_show_text(name).text);
    *gram = NETDP_I_NEW(double, phases *phases);
    return *gram == NULL
               ? netdp_i_no_memory(error)
               : netdp_mixing_workload(protocol->mixing, protocol->every, phases, *gram, error);
}

bool netdp_i_quiet_named(const char *name)
{
    static const char *const families[] = {"fresh", "optimal", "banded:", "blt:"};
    bool named = false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        named = named || strncmp(name, families[i], strlen(families[i])) == 0;
    return named;
}

netdp_status netdp_i_quiet_make(const char *name, const char *workload,
                                const netdp_linear *protocol, double *factor, netdp_error *error)
{
    const int64_t phases = netdp_linear_contributions(protocol), cycle = protocol->cycle;
    OWNED double *gram = NULL;
    if (!netdp_i_quiet_named(name)) {
        TRY(read_covariance(name, phases, factor, error));
        return take_factor(phases, factor, error);
    }
    netdp_quiet_request request = {.phases = phases, .cycle = cycle > 1 ? cycle : 1};
    OWNED_BY(netdp_quiet_design_free) netdp_quiet_design *design = NULL;
    TRY(netdp_quiet_parse(name, &request.kind, error));
    TRY(make_workload(workload, protocol, phases, &gram, error));
    request.workload = gram;
    TRY(netdp_quiet_design_new(&request, &design, error));
    if (design->factor == NULL)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "quiet: %" PRId64 " phases are too many",
                            phases);
    memcpy(factor, design->factor, (size_t)phases * (size_t)phases * sizeof *factor);
    return NETDP_OK;
}
