/* The tables of claims, one for each paper, and what their formulas share. */
#ifndef NETDP_I_CLAIMS_H
#define NETDP_I_CLAIMS_H

#include <netdp/claim.h>

/* Each ends with a NULL name. */
extern const netdp_claim netdp_i_claims_a[];
extern const netdp_claim netdp_i_claims_b[];
extern const netdp_claim netdp_i_claims_c[];
extern const netdp_claim netdp_i_claims_d[];
extern const netdp_claim netdp_i_claims_e[];
extern const netdp_claim netdp_i_claims_decor[];
extern const netdp_claim netdp_i_claims_pn_f_dp[];

/* The value of an input; `in` must be in scope. */
#define IN(name) (in->value[NETDP_IN_##name])

/* The same in the table's lists of inputs. */
#define IN_(name) NETDP_IN_##name

/* A formula and an account of the table, as netdp/claim.h has them. */
#define FORMULA(name)                                                                              \
    static netdp_status name(const netdp_claim_inputs *in, const netdp_progress *progress,         \
                             double *value, netdp_error *error)
#define ACCOUNT(name)                                                                              \
    static netdp_status name(const netdp_claim_inputs *in, const netdp_progress *progress,         \
                             netdp_claim_truth *truth, netdp_error *error)

/* Of a formula that cannot fail. */
#define UNUSED                                                                                     \
    do {                                                                                           \
        (void)progress;                                                                            \
        (void)error;                                                                               \
    } while (0)

/* The Renyi epsilon of a loss, by the inputs alpha and noise. */
double netdp_i_claim_renyi(const netdp_claim_inputs *in, double loss);

/* What holds of a walk, by the inputs rounds, noise, alpha and cap. */
netdp_status netdp_i_claim_walk(const netdp_claim_inputs *in, const netdp_progress *progress,
                                netdp_claim_truth *truth, netdp_error *error);

/* One loss of gossip, of the pair `from` and `to`: `how` says of what and by which bound. */
netdp_status netdp_i_claim_loss(const netdp_claim_inputs *in, const netdp_loss_request *how,
                                const netdp_progress *progress, double *loss, netdp_error *error);

#endif
