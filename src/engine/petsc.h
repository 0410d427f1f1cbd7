/* What PETSc says, as our one line. For source files that include them. */
#ifndef NETDP_I_PETSC_H
#define NETDP_I_PETSC_H

#include <netdp/status.h>

/* NETDP_OK for PETSc's code 0. */
netdp_status netdp_i_petsc(int code, const char *what, netdp_error *error);

#endif
