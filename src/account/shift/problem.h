/*
 * A cover story of one contribution (docs/proofs/shift.md): how far every message moves, g_t(w), when u's contribution
 * grows by 1 and noise moves so that the observers see no difference. Whatever made it, the noise that must move for it
 * bounds the loss: its squares, in units of its own standard deviations, added up.
 *
 *     a_0 = e_u + kappa B c      a_t = W_{t-1} g_{t-1}      v_t(w) = (g_t(w) - a_t(w)) / nu_t
 *
 * Of a stream, with contributions in more rounds than the first, a_t has kappa B c_t too in each of them, and e_u in the one at hand.
 *
 *     loss(u) <= |c|^2 + sum of v_t(w)^2 over noise that is not known, and of (a_T(w) / end)^2 of states released
 *
 * with B the incidence matrix of the pairs; accelerated, from the second round on, a_t = weight W g_{t-1} - (weight - 1)
 * g_{t-2}. All of it in units of the first round's noise.
 */
#ifndef NETDP_I_SHIFT_PROBLEM_H
#define NETDP_I_SHIFT_PROBLEM_H

#include <netdp/protocol.h>

#include "account/shift/tie.h"

/* One round: who is what in it, and W_t, by which its messages become what comes in. */
typedef struct netdp_i_shift_round {
    netdp_rows rows;
    const char *part;             /* [nodes]: netdp_i_shift_part */
    double noise;                 /* nu_t of every node that draws noise, above 0; 1 in the first */
    const netdp_i_shift_tie *tie; /* NULL: no sum is tied */
} netdp_i_shift_round;

typedef struct netdp_i_shift_problem {
    int32_t nodes;
    int64_t rounds;             /* >= 1 */
    netdp_i_shift_round *round; /* [rounds] */
    bool fixed; /* but for the noise, and ties in the last, all rounds are the same */
    int64_t
        every; /* contributions, and noise of pairs, in rounds 0, every, 2 every, ..; 0: in the first */
    double weight; /* in [1, 2]; 1: not accelerated, as with more contributions than one */
    bool sums;     /* the last sums are seen */
    bool closes;   /* all messages of the last round are seen */
    double end;    /* above 0: all states are seen after the last round, under this noise ... */
    char *exempt;  /* [nodes]: ... but of these, the observers, without */
    int64_t pair_count; /* pairs whose noise no observer knows */
    int32_t *pair;      /* [pair_count][2]: who adds it, and who subtracts it */
    double *kappa;      /* [pair_count]: how loud it is */
    bool apart;         /* a sum that must stay cannot be made to: there is no such story */
    void **owned;       /* [owned_count]: what it frees */
    int64_t owned_count;
} netdp_i_shift_problem;

/* Which rounds of a protocol, as seen by whom. */
typedef struct netdp_i_shift_view {
    netdp_sees sees; /* NETDP_SEES_NEIGHBOURS or NETDP_SEES_SUM */
    bool counts;     /* the one observer's own noise is not known */
    int32_t members;
    const int32_t *member; /* [members], distinct */
    int64_t begin,
        rounds;    /* rounds of the network from `begin` on; the contribution is in the first */
    double end;    /* above 0: then all states are seen, under this noise */
    int64_t every; /* contributions in rounds 0, every, 2 every, ..; 0: in the first */
    double weight; /* of accelerated rounds, where it is known already; 0: the protocol's */
    bool closes;   /* all messages of the last round are seen, of a network that does not change */
} netdp_i_shift_view;

/* The rounds must have noise, and W be symmetric; rows of a network that does not change are borrowed. */
netdp_status netdp_i_shift_problem_new(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                       netdp_i_shift_problem *problem, netdp_error *error);
void netdp_i_shift_problem_clear(netdp_i_shift_problem *problem);

/*
 * The stories of a block of sources, side by side. `g` at nodes that are seen or known is 0; at pivots of ties and at
 * carried nodes it is not read, since it follows from the others'.
 */
typedef struct netdp_i_displacement {
    int32_t lanes;
    const int32_t *source; /* [lanes]: who contributes 1 more */
    const int64_t *when;   /* [lanes]: in which round that takes contributions; NULL: the first */
    double *g;             /* [rounds][nodes][lanes] */
    double *c; /* [slots][pair_count][lanes]: how far the pairs' noise moves, in units of itself */
} netdp_i_displacement;

/* How noise moves. Each is the caller's, or NULL. */
typedef struct netdp_i_moved {
    double *
        v; /* [rounds + 1][nodes][lanes]: in units of itself, to nearest; the last: of the states released */
    double *
        pull; /* [slots][pair_count][lanes]: what c lacks of the pairs' pull on it, kappa (v_t(a) - v_t(b)) */
    double *off; /* [lanes]: how far v is from the truth, in length, at most; with v */
} netdp_i_moved;

/* loss[lanes]: what each costs, rounded outward, on every processor the same; INFINITY where that is no number. */
netdp_status netdp_i_displacement_loss(const netdp_i_shift_problem *problem,
                                       const netdp_i_displacement *displacement, double *loss,
                                       const netdp_i_moved *moved, netdp_error *error);

/* Does round t take contributions; in how many rounds are there any. */
bool netdp_i_shift_contributes(const netdp_i_shift_problem *problem, int64_t t);
int64_t netdp_i_shift_slots(const netdp_i_shift_problem *problem);

#endif
