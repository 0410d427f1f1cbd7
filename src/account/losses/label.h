/* Whether an account's answer is an upper bound, whether in every digit, and if not, why. */
#ifndef NETDP_I_LOSSES_LABEL_H
#define NETDP_I_LOSSES_LABEL_H

#include <jansson.h>
#include <netdp/account.h>

/* What is to be known of an account beside its bound. */
typedef struct netdp_i_case {
    bool sums;    /* a token that adds up: its maps keep distances as they are */
    bool once;    /* a node contributes once at most */
    bool outward; /* every digit is rounded outward: closed forms and ball arithmetic */
} netdp_i_case;

/* The table's row, or NULL. */
const netdp_bound_info *netdp_i_bound_row(netdp_bound bound);

/* Sets `bound`, `sound`, `certified` and `reason`: nothing else does. */
void netdp_i_judge(const netdp_bound_info *bound, netdp_i_case of, netdp_losses *losses);

/* Of drawn observers or sources: what is said of all pairs is no guarantee, but an estimate. */
void netdp_i_judge_drawn(netdp_losses *losses);

/* The reason, or null. */
json_t *netdp_i_reason_json(const netdp_losses *losses);

/* Where several bounds were asked, "least_of" of the object: {name: how many pairs}. */
void netdp_i_given_json(const netdp_losses *losses, json_t *object);

#endif
