/* netdp-mpi: the engine of this program, and what MPI and PETSc must not do by themselves. */
#include <fcntl.h>
#include <petscsys.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/try.h"
#include "engine/engine.h"
#include "engine/losses.h"
#include "engine/petsc.h"
#include "engine/shared.h"
#include "engine/together.h"

netdp_status netdp_i_petsc(int code, const char *what, netdp_error *error)
{
    const char *text = NULL;
    if (code == 0)
        return NETDP_OK;
    if (code == PETSC_ERR_MEM)
        return netdp_i_no_memory(error);
    (void)PetscErrorMessage((PetscErrorCode)code, &text, NULL);
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: PETSc error %d (%s)", what, code,
                        text != NULL ? text : "without a text");
}

/* PETSc would print a traceback; the code that it returns is all we need. */
static PetscErrorCode keep_quiet(MPI_Comm comm, int line, const char *function, const char *file,
                                 PetscErrorCode code, PetscErrorType type, const char *text,
                                 void *context)
{
    (void)comm, (void)line, (void)function, (void)file, (void)type, (void)text, (void)context;
    return code;
}

static bool speaks(void)
{
    return netdp_i_processes_here().rank == 0;
}

static void part(int64_t count, int64_t *first, int64_t *end)
{
    const netdp_i_processes here = netdp_i_processes_here();
    *first = netdp_i_share(count, here.rank, here.size);
    *end = netdp_i_share(count, here.rank + 1, here.size);
}

static void end(void)
{
    (void)PetscPopErrorHandler();
    (void)PetscFinalize();
}

static const netdp_i_engine engine_mpi = {
    .makes = netdp_i_shared_makes,
    .share_graph = netdp_i_share_graph,
    .share_mixing = netdp_i_share_mixing,
    .losses_new = netdp_i_engine_losses_new,
    .losses = netdp_i_engine_losses,
    .walk_losses = netdp_i_engine_walk_losses,
    .spectrum = netdp_i_engine_spectrum,
    .open = netdp_i_joint_open,
    .append = netdp_i_joint_append,
    .commit = netdp_i_joint_commit,
    .drop = netdp_i_joint_drop,
    .part = part,
    .agree = netdp_i_agree,
    .speaks = speaks,
    .end = end,
};

netdp_status netdp_i_engine_begin(int argc, const char **argv, const netdp_i_engine **engine,
                                  netdp_error *error)
{
    *engine = NULL;
    /* Nobody's PETSc settings, and no signal handler but ours. */
    unsetenv("PETSC_OPTIONS");
    unsetenv("PETSC_OPTIONS_YAML");
    char *words[] = {"netdp-mpi", "-skip_petscrc", "-no_signal_handler", NULL}, **given = words;
    int count = sizeof words / sizeof *words - 1;
    netdp_status status =
        netdp_i_petsc((int)PetscInitialize(&count, &given, NULL, NULL), "--engine mpi", error);
    if (status != NETDP_OK)
        return status;
    (void)PetscPushErrorHandler(keep_quiet, NULL);
    netdp_i_processes_meet();
    if (sodium_init() < 0)
        status = netdp_i_fail(error, NETDP_ENVIRONMENT, "--engine mpi: libsodium does not start");
    if (!speaks()) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
            status = netdp_i_fail(error, NETDP_ENVIRONMENT, "/dev/null: cannot open");
        if (nowhere > STDOUT_FILENO)
            close(nowhere);
    }
    *engine = &engine_mpi;
    TRY(netdp_i_agree(status, error));
    return netdp_i_agree_on_words(argc - 1, argv + 1, error);
}
