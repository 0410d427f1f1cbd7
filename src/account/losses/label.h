/* Whether an account's answer is an upper bound, whether in every digit, and if not, why. */
#ifndef NETDP_I_LOSSES_LABEL_H
#define NETDP_I_LOSSES_LABEL_H

#include <jansson.h>
#include <netdp/account.h>

/* What is to be known of an account beside its bound. */
typedef struct netdp_i_case {
    bool sums;       /* a token that adds up: its maps keep distances as they are */
    bool once;       /* a node contributes once at most */
    bool outward;    /* every digit is rounded outward: closed forms and ball arithmetic */
    const char *why; /* what is to be known of a bound that holds, or NULL */
} netdp_i_case;

enum { NETDP_I_VERDICT_ROOM = 320 };

/* The table's row, or NULL. */
const netdp_bound_info *netdp_i_bound_row(netdp_bound bound);

/* Sets `bound`, `sound`, `certified` and `reason`: nothing else does. */
void netdp_i_judge(const netdp_bound_info *bound, netdp_i_case of, netdp_losses *losses);

/* What an account says of itself. */
typedef struct netdp_i_judgement {
    bool sound, certified;
    const char *reason;
} netdp_i_judgement;

/* Several accounts hold as far as the weakest does: what `one` lacks `all` loses, with its reason. */
void netdp_i_judge_together(const netdp_i_judgement *one, netdp_losses *all);

/* A coalition that a search found stands for all of its size: no bound, whatever its own account is. */
void netdp_i_judge_found(netdp_losses *losses);

/* What a bound promises that needs no losses; value, unit and threat are the caller's to set. */
netdp_guarantee netdp_i_guarantee_by(const netdp_bound_info *bound, netdp_i_case of);

/* Of drawn observers or sources: what is said of all pairs is no guarantee, but an estimate. */
void netdp_i_guarantee_drawn(netdp_guarantee *guarantee);

/* "an upper bound", "NOT an upper bound" or "an estimate"; and with what is to be known of it. */
const char *netdp_i_guarantee_word(const netdp_guarantee *guarantee);
void netdp_i_guarantee_verdict(const netdp_guarantee *guarantee, char text[NETDP_I_VERDICT_ROOM]);

/*
 * {"bound", "direction", "sound", "certified", what `numbers` has, "reason", "assumes"}; takes over `numbers`, NULL: none.
 * The inverse lends its texts from the object, and leaves alone what is not written; false where
 * the object is none of these.
 */
json_t *netdp_i_guarantee_json(const netdp_guarantee *guarantee, json_t *numbers);
bool netdp_i_guarantee_read(const json_t *object, netdp_guarantee *guarantee);

/* Where several bounds were asked, "least_of" of the object: {name: how many pairs}; and back. */
void netdp_i_given_json(const netdp_given *given, int32_t count, json_t *object);
int32_t netdp_i_given_read(const json_t *object, netdp_given given[3]);

#endif
