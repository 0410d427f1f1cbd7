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

/* (I - U U') L^-1, and L^-T. */
void netdp_i_step_down(const netdp_i_step *step, double *right, int32_t width, double *room)
{
    const int h = step->free;
    if (h == 0)
        return;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, width, h, 1,
                step->lower, h, right, width);
    netdp_i_step_untie(step, right, width, room);
}

void netdp_i_step_up(const netdp_i_step *step, double *right, int32_t width)
{
    const int h = step->free;
    if (h > 0)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, width, h, 1,
                    step->lower, h, right, width);
}

void netdp_i_step_first(const netdp_i_step *step, double *right, int32_t width, double *room)
{
    netdp_i_step_down(step, right, width, room);
    netdp_i_step_up(step, right, width);
}
