/* What preparation does to a row where ranges are declared: it depends on that row alone. */
#ifndef NETDP_I_LEARN_PREPARE_H
#define NETDP_I_LEARN_PREPARE_H

#include <netdp/learn.h>
#include <netdp/model.h>

/* [low, high] becomes [-1, 1]; what lies outside counts as the nearer end. */
double netdp_i_prepare_cell(const netdp_range *range, double value);

/*
 * netdp_examples_prepare, and how rows became what they are: columns, scales and labels, which are declared, or were
 * found from the rows where the study assumes them public. *model has no weights; the caller's.
 */
netdp_status netdp_i_examples_prepare(const char *path, const netdp_preparation *preparation,
                                      netdp_examples **train, netdp_examples **test,
                                      netdp_preparation_notes *notes, netdp_model **model,
                                      netdp_error *error);

/* Features to unit norm; a row of zeros stays. */
void netdp_i_prepare_row(double *x, int32_t count);

#endif
