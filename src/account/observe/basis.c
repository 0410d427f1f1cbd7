#include "account/observe/basis.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/dense.h"

void netdp_i_basis_clear(netdp_i_basis *basis)
{
    netdp_i_free(basis->theta);
    netdp_i_free(basis->rows);
    netdp_i_free(basis->inner);
    *basis = (netdp_i_basis){0};
}

netdp_status netdp_i_basis_dense(const netdp_mixing *mixing, netdp_i_basis *basis,
                                 netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    CLEARED(netdp_i_basis_clear) netdp_i_basis made = {.nodes = n, .modes = n};
    OWNED double *vectors = NETDP_I_NEW(double, (int64_t)n *n);
    made.theta = NETDP_I_NEW(double, n);
    made.rows = NETDP_I_NEW(double, (int64_t)n *n);
    if (vectors == NULL || made.theta == NULL || made.rows == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_mixing_eigen(mixing, made.theta, vectors, error));
    for (int32_t u = 0; u < n; u++)
        for (int32_t k = 0; k < n; k++)
            made.rows[(int64_t)u * n + k] = vectors[(int64_t)k * n + u];
    *basis = made;
    made = (netdp_i_basis){0};
    return NETDP_OK;
}
