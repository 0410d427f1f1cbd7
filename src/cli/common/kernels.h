/* How OpenBLAS and OpenMP work for the command: which instructions, and how threads wait. */
#ifndef NETDP_I_KERNELS_H
#define NETDP_I_KERNELS_H

#include <stdbool.h>

/* What a processor offers, of which OpenBLAS makes something. */
typedef struct netdp_i_instructions {
    bool avx, avx2, avx512; /* avx2: with FMA; avx512: F, CD, BW, DQ and VL */
} netdp_i_instructions;

/*
 * The kernels that OpenBLAS should take in place of `core`, in its own spelling; NULL: those are
 * right. A library older than the processor falls back to kernels of SSE, some three times slower;
 * a choice among the newer ones is left to it.
 */
const char *netdp_i_kernels_better(const char *core, netdp_i_instructions here);

/*
 * Starts this program again, once, where OPENBLAS_CORETYPE should be set and is not, or, where `threads` says that several
 * may work, OMP_WAIT_POLICY could not be set before libgomp read it (an environment without any of the usual lines): both
 * libraries read them before main begins. Returns where there is nothing to do, or no way to do it.
 */
void netdp_i_kernels_settle(char **argv, bool threads);

/* In its place for a command that runs long and computes little: one thread, which never waits for others, and no second
 * start. */
void netdp_i_kernels_alone(void);

#endif
