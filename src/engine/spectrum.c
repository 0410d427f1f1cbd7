/*
 * Both ends of the spectrum by SLEPc. A solver that follows one vector finds one copy of an
 * eigenvalue, however many there are (hypercube, ring): each vector that is found is taken out of
 * the space, and the next is looked for from a new start.
 */
#include "engine/spectrum.h"

#include <netdp/random.h>
#include <slepceps.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "engine/losses.h"
#include "engine/petsc.h"
#include "engine/together.h"
#include "mixing/mixing.h"

/* Of a residual; the eigenvalue is then right to its square over the distance to the next. */
#define RESIDUAL 1e-11

/* Of one solve. */
enum { MOST_RESTARTS = 2000, MOST_VECTORS = 40 };

/* Own rows of W; PETSc counts with 32 bits. */
static netdp_status make_matrix(netdp_rows rows, Mat *matrix, netdp_error *error)
{
    const netdp_i_processes here = netdp_i_processes_here();
    const int32_t first = (int32_t)netdp_i_share(rows.nodes, here.rank, here.size);
    const int32_t count = (int32_t)netdp_i_share(rows.nodes, here.rank + 1, here.size) - first;
    const int64_t begin = rows.start[first], entries = rows.start[first + count] - begin;
    PetscInt *start = NETDP_I_NEW(PetscInt, (int64_t)count + 1);
    netdp_status status = start == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (entries > PETSC_MAX_INT)
        status =
            netdp_i_fail(error, NETDP_NO_MEMORY,
                         "--engine mpi: more than 2^31 edges on one process; use more of them");
    status = netdp_i_agree(status, error);
    for (int32_t v = 0; v <= count && status == NETDP_OK; v++)
        start[v] = (PetscInt)(rows.start[first + v] - begin);
    if (status == NETDP_OK)
        status = netdp_i_petsc(
            (int)MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, count, count, rows.nodes, rows.nodes,
                                           start, rows.column + begin, rows.weight + begin, matrix),
            "the matrix W", error);
    netdp_i_free(start);
    return netdp_i_agree(status, error);
}

typedef struct ends {
    Mat matrix;
    EPS solver;
    Vec found[NETDP_I_MOST_ENDS + 1]; /* the ones vector, then what is found */
    PetscInt count;
} ends;

#define TRY(call)                                                                                  \
    if (status == NETDP_OK)                                                                        \
    status = netdp_i_petsc((int)(call), "SLEPc", error)

/*
 * A new start for every solve. From the same start the solver would meet, of an eigenvalue with
 * many copies, only the one vector that has been taken out.
 */
static netdp_status draw_start(const ends *e, Vec start, netdp_error *error)
{
    PetscInt nodes = 0, first = 0, end = 0;
    PetscScalar *own = NULL;
    netdp_status status = NETDP_OK;
    TRY(VecGetSize(start, &nodes));
    TRY(VecGetOwnershipRange(start, &first, &end));
    if (status != NETDP_OK)
        return status;
    double *all = NETDP_I_NEW(double, nodes);
    status = netdp_i_agree(all == NULL ? netdp_i_no_memory(error) : NETDP_OK, error);
    TRY(VecGetArray(start, &own));
    if (status == NETDP_OK) {
        netdp_stream stream = netdp_stream_at(0, NETDP_FOR_PROBE, (uint32_t)e->count, 0);
        netdp_stream_normals(&stream, all, (size_t)nodes);
        memcpy(own, all + first, (size_t)(end - first) * sizeof *own);
    }
    TRY(VecRestoreArray(start, &own));
    netdp_i_free(all);
    return status;
}

/* The next eigenvalue from the end that `which` says, in the complement of what is found. */
static netdp_status find_next(ends *e, EPSWhich which, double *value, netdp_error *error)
{
    PetscInt converged = 0, nodes = 0;
    PetscScalar found = 0;
    netdp_status status = NETDP_OK;
    TRY(VecGetSize(e->found[0], &nodes));
    TRY(VecDuplicate(e->found[0], &e->found[e->count]));
    if (status == NETDP_OK)
        status = draw_start(e, e->found[e->count], error);
    TRY(EPSCreate(PETSC_COMM_WORLD, &e->solver));
    TRY(EPSSetOperators(e->solver, e->matrix, NULL));
    TRY(EPSSetProblemType(e->solver, EPS_HEP));
    TRY(EPSSetType(e->solver, EPSKRYLOVSCHUR));
    TRY(EPSSetWhichEigenpairs(e->solver, which));
    TRY(EPSSetDimensions(e->solver, 1, nodes / 2 < MOST_VECTORS ? nodes / 2 : MOST_VECTORS,
                         PETSC_DEFAULT));
    TRY(EPSSetConvergenceTest(e->solver, EPS_CONV_ABS));
    TRY(EPSSetTolerances(e->solver, RESIDUAL, MOST_RESTARTS));
    TRY(EPSSetDeflationSpace(e->solver, e->count, e->found));
    TRY(EPSSetInitialSpace(e->solver, 1, &e->found[e->count]));
    TRY(EPSSolve(e->solver));
    TRY(EPSGetConverged(e->solver, &converged));
    if (status == NETDP_OK && converged < 1)
        status = netdp_i_fail(error, NETDP_NO_ANSWER,
                              "SLEPc did not converge in %d restarts; the gap is too small for it",
                              (int)MOST_RESTARTS);
    TRY(EPSGetEigenpair(e->solver, 0, &found, NULL, e->found[e->count], NULL));
    if (status == NETDP_OK) {
        e->count++;
        *value = found;
    }
    (void)EPSDestroy(&e->solver);
    return status;
}

static netdp_status ones_only(ends *e, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    const bool there = e->count > 0;
    for (PetscInt k = 1; k < e->count; k++)
        TRY(VecDestroy(&e->found[k]));
    e->count = 1;
    if (there)
        return status;
    TRY(MatCreateVecs(e->matrix, &e->found[0], NULL));
    TRY(VecSet(e->found[0], 1));
    TRY(VecNormalize(e->found[0], NULL));
    return status;
}

netdp_status netdp_i_engine_ends(netdp_rows rows, int32_t count, double *largest, double *smallest,
                                 netdp_error *error)
{
    ends e = {0};
    netdp_status status = make_matrix(rows, &e.matrix, error);
    if (status == NETDP_OK)
        status = ones_only(&e, error);
    for (int32_t k = 0; k < count && status == NETDP_OK; k++)
        status = find_next(&e, EPS_LARGEST_REAL, &largest[k], error);
    if (status == NETDP_OK)
        status = ones_only(&e, error);
    for (int32_t k = 0; k < count && status == NETDP_OK; k++)
        status = find_next(&e, EPS_SMALLEST_REAL, &smallest[k], error);
    for (int k = 0; k <= NETDP_I_MOST_ENDS; k++)
        (void)VecDestroy(&e.found[k]);
    (void)MatDestroy(&e.matrix);
    status = netdp_i_agree(status, error);
    if (status == NETDP_OK) { /* machines may round in their own ways */
        netdp_i_tell(largest, count * (int64_t)sizeof *largest);
        netdp_i_tell(smallest, count * (int64_t)sizeof *smallest);
    }
    return status;
}

netdp_status netdp_i_engine_spectrum(const netdp_mixing *mixing, netdp_spectrum *spectrum,
                                     netdp_error *error)
{
    netdp_spectrum found = {0};
    const netdp_rows rows = netdp_mixing_rows(mixing);
    netdp_status status = netdp_i_agree_on(rows, 0, error);
    if (status == NETDP_OK && rows.nodes < NETDP_I_LEAST_NODES)
        return netdp_i_agree(netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_DENSE, spectrum, error),
                             error);
    if (status == NETDP_OK)
        status = netdp_i_engine_ends(rows, 1, &found.second, &found.smallest, error);
    if (status != NETDP_OK)
        return status;
    netdp_i_spectrum_shape(mixing, &found);
    *spectrum = found;
    return NETDP_OK;
}
