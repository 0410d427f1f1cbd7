/* netdp itself: one process, which becomes netdp-mpi where it is asked to. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "engine/engine.h"

static bool asks(int argc, const char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--engine=mpi") == 0 ||
            (strcmp(argv[i], "--engine") == 0 && i + 1 < argc && strcmp(argv[i + 1], "mpi") == 0))
            return true;
    return false;
}

/* netdp-mpi is installed, and built, beside netdp. */
netdp_status netdp_i_engine_begin(int argc, const char **argv, const netdp_i_engine **engine,
                                  netdp_error *error)
{
    char path[4096];
    *engine = NULL;
    if (!asks(argc, argv))
        return NETDP_OK;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length <= 0 || (size_t)length + sizeof "netdp-mpi" > sizeof path)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "--engine mpi: cannot find this program's "
                            "folder in /proc/self/exe");
    strcpy(path + length, "netdp-mpi");
    execv(path, (char *const *)argv);
    if (errno == ENOENT)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "--engine mpi: this netdp was built without it; install petsc-dev and "
            "libopenmpi-dev, then meson setup -Dmpi=enabled, or leave --engine out");
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "--engine mpi: %s: cannot start: %s", path,
                        strerror(errno));
}
