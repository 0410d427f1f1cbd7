#include "engine/together.h"

#include <mpi.h>
#include <omp.h>
#include <petscsys.h>
#include <sodium.h>
#include <string.h>

#include "base/fail.h"
#include "base/try.h"

/* MPI counts are int. */
#define PIECE ((int64_t)1 << 28)

static netdp_i_processes here;

static MPI_Comm near; /* the processes of this machine */

/* A failure is known to all: they are about to end, each on its own. */
static bool broken;

void netdp_i_processes_meet(void)
{
    int place;
    MPI_Comm_rank(PETSC_COMM_WORLD, &here.rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &here.size);
    MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &here.near);
    MPI_Comm_rank(near, &place);
    here.makes = place == 0;
}

netdp_i_processes netdp_i_processes_here(void)
{
    return here;
}

int64_t netdp_i_share(int64_t count, int rank, int size)
{
    return count / size * rank + count % size * rank / size;
}

netdp_status netdp_i_agree(netdp_status status, netdp_error *error)
{
    netdp_error told = {status, ""};
    if (broken)
        return status;
    int first = status == NETDP_OK ? here.size : here.rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    if (first == here.size)
        return NETDP_OK;
    broken = true;
    if (first == here.rank && error != NULL)
        told = *error;
    told.status = status;
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, PETSC_COMM_WORLD);
    if (error != NULL)
        *error = told;
    return told.status;
}

/* NETDP_INVALID, with what to say then, unless the digest that is begun is the same everywhere. */
static netdp_status compare(crypto_generichash_state *state, const char *otherwise,
                            netdp_error *error)
{
    unsigned char mine[32], first[32];
    crypto_generichash_final(state, mine, sizeof mine);
    memcpy(first, mine, sizeof first);
    TRY(netdp_i_agree(NETDP_OK, error));
    netdp_i_tell(first, sizeof first);
    return netdp_i_agree(memcmp(first, mine, sizeof mine) == 0
                             ? NETDP_OK
                             : netdp_i_fail(error, NETDP_INVALID, "--engine mpi: %s", otherwise),
                         error);
}

static void add(crypto_generichash_state *state, const void *what, size_t bytes)
{
    crypto_generichash_update(state, what, bytes);
}

netdp_status netdp_i_agree_on_words(int count, const char **words, netdp_error *error)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    for (int i = 0; i < count; i++)
        add(&state, words[i], strlen(words[i]) + 1);
    return compare(&state, "the processes were given different options; give all the same", error);
}

netdp_status netdp_i_agree_on(netdp_rows rows, int64_t rounds, netdp_error *error)
{
    const size_t entries = (size_t)rows.start[rows.nodes];
    int threads = omp_get_max_threads();
    unsigned char digest[32] = {0};
    crypto_generichash_state state;
    TRY(netdp_i_agree(NETDP_OK, error));
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    omp_set_num_threads(threads);
    if (here.makes && here.near < here.size) { /* one machine has one matrix */
        crypto_generichash_init(&state, NULL, 0, sizeof digest);
        add(&state, rows.start, ((size_t)rows.nodes + 1) * sizeof *rows.start);
        add(&state, rows.column, entries * sizeof *rows.column);
        add(&state, rows.weight, entries * sizeof *rows.weight);
        crypto_generichash_final(&state, digest, sizeof digest);
    }
    netdp_i_tell_near(digest, sizeof digest);
    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    add(&state, &rounds, sizeof rounds);
    add(&state, digest, sizeof digest);
    return compare(&state,
                   "the processes have different graphs or rounds; give every machine the same "
                   "file and the same netdp",
                   error);
}

void netdp_i_sum_up(double *values, int64_t count)
{
    for (int64_t at = 0; at < count; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, values + at, (int)(count - at < PIECE ? count - at : PIECE),
                      MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
}

static void tell(MPI_Comm whom, void *bytes, int64_t count)
{
    for (int64_t at = 0; at < count; at += PIECE)
        MPI_Bcast((char *)bytes + at, (int)(count - at < PIECE ? count - at : PIECE), MPI_BYTE, 0,
                  whom);
}

void netdp_i_tell(void *bytes, int64_t count)
{
    tell(PETSC_COMM_WORLD, bytes, count);
}

void netdp_i_tell_near(void *bytes, int64_t count)
{
    tell(near, bytes, count);
}

double netdp_i_largest(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return value;
}
