#include "account/shift/steps.h"

#include <cblas.h>

void netdp_i_step_untie(const netdp_i_step *step, double *x, int32_t width, double *room)
{
    const int h = step->free, k = step->ties;
    if (k == 0 || h == 0)
        return;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, width, h, 1, step->tied, h, x, width,
                0, room, width);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, h, width, k, -1, step->tied, h, room,
                width, 1, x, width);
}

void netdp_i_step_first(const netdp_i_step *step, double *right, int32_t width, double *room)
{
    const int h = step->free;
    if (h == 0)
        return;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, width, h, 1,
                step->lower, h, right, width);
    netdp_i_step_untie(step, right, width, room);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, width, h, 1,
                step->lower, h, right, width);
}
