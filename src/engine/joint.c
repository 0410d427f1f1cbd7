#include "engine/joint.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <petscsys.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/together.h"

struct netdp_i_joint {
    char *path;
    netdp_i_output output; /* of process 0, who renames */
    int number;            /* of the file beside, here */
    int64_t end;           /* bytes that are written, the same everywhere */
};

static netdp_status cannot_write(const netdp_i_joint *file, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s: cannot write: %s; all processes write it: choose a folder that all "
                        "machines share, with room",
                        file->path, strerror(errno));
}

void netdp_i_joint_drop(netdp_i_joint *file)
{
    if (file == NULL)
        return;
    if (file->number >= 0 && file->output.stream == NULL)
        close(file->number);
    netdp_i_output_drop(&file->output);
    netdp_i_free(file->path);
    netdp_i_free(file);
}

/* Process 0 makes the file beside and says its name; `beside` [room], "" for none. */
static netdp_status make_beside(netdp_i_joint *file, char *beside, int64_t room, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    beside[0] = '\0';
    if (netdp_i_processes_here().rank == 0)
        status = netdp_i_output_open(&file->output, file->path, error);
    TRY(netdp_i_agree(status, error));
    if (file->output.beside != NULL) {
        strncpy(beside, file->output.beside, (size_t)room - 1);
        file->number = fileno(file->output.stream);
    }
    netdp_i_tell(beside, room);
    return NETDP_OK;
}

OWNER(netdp_i_joint_drop, netdp_i_joint)

netdp_status netdp_i_joint_open(const char *path, netdp_i_joint **file, netdp_error *error)
{
    const int64_t room = (int64_t)strlen(path) + 64;
    OWNED_BY(netdp_i_joint_drop) netdp_i_joint *made = NETDP_I_NEW(netdp_i_joint, 1);
    OWNED char *beside = NETDP_I_NEW(char, room);
    if (made != NULL) {
        made->number = -1;
        made->path = netdp_i_copy_text(path);
    }
    const bool lacks = made == NULL || beside == NULL || made->path == NULL;
    TRY(netdp_i_agree(lacks ? netdp_i_no_memory(error) : NETDP_OK, error));
    TRY(make_beside(made, beside, room, error));
    if (beside[0] == '\0') {
        *file = NULL;
        return NETDP_OK;
    }
    if (made->number < 0)
        made->number = open(beside, O_WRONLY | O_CLOEXEC);
    TRY(netdp_i_agree(made->number < 0 ? cannot_write(made, error) : NETDP_OK, error));
    *file = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_joint_append(netdp_i_joint *file, const char *text, size_t bytes,
                                  netdp_error *error)
{
    netdp_status status = NETDP_OK;
    TRY(netdp_i_agree(NETDP_OK, error));
    int64_t mine = (int64_t)bytes, before = 0, all = 0;
    MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
    if (netdp_i_processes_here().rank == 0)
        before = 0;
    int64_t at = file->end + before;
    for (ssize_t written; bytes > 0; bytes -= (size_t)written, text += written, at += written) {
        written = pwrite(file->number, text, bytes, (off_t)at);
        if (written < 0 && errno == EINTR)
            written = 0;
        if (written < 0) {
            status = cannot_write(file, error);
            break;
        }
    }
    file->end += all;
    return netdp_i_agree(status, error);
}

netdp_status netdp_i_joint_commit(netdp_i_joint **file, netdp_error *error)
{
    netdp_i_joint *mine = *file;
    *file = NULL;
    netdp_status status = fsync(mine->number) == 0 ? NETDP_OK : cannot_write(mine, error);
    status = netdp_i_agree(status, error);
    if (status == NETDP_OK && netdp_i_processes_here().rank == 0) {
        mine->number = -1; /* closed with the output */
        status = netdp_i_output_commit(&mine->output, error);
    }
    netdp_i_joint_drop(mine);
    return netdp_i_agree(status, error);
}
