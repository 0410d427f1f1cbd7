/* The account of gossip: what its observers share, which questions it takes, what is proven, and how an observer is
   accounted for. */
#ifndef NETDP_I_ACCOUNT_GOSSIP_H
#define NETDP_I_ACCOUNT_GOSSIP_H

#include <netdp/account.h>

#include "account/gossip/phase.h"
#include "account/gossip/quiet.h"
#include "account/losses/losses.h"
#include "account/observe/basis.h"
#include "account/observe/filter.h"
#include "account/observe/pairing.h"
#include "account/published/gossip.h"
#include "base/file.h"

/* Who finds and proves the losses (gossip_ways.c). */
typedef enum netdp_i_gossip_way {
    NETDP_I_WAY_OPEN,   /* nobody proves them: a bound that is none, or from below */
    NETDP_I_WAY_CLOSED, /* every message counts as seen */
    NETDP_I_WAY_QUIET,  /* phases whose noise is correlated, together */
    NETDP_I_WAY_SHIFT,  /* displacements on all nodes */
    NETDP_I_WAY_REST,   /* the recursion on what is hidden, at rest */
    NETDP_I_WAY_NOISES, /* what is heard, or shifts of the noises */
    NETDP_I_WAY_STREAM  /* a stream's rows, with their rounding */
} netdp_i_gossip_way;

/* Observers that may change places, of which one is accounted for (gossip_alike.c). */
typedef struct netdp_i_gossip_alike {
    int32_t *like; /* [observers]: whose row is copied, or itself; NULL: each is accounted for */
    int32_t *slot; /* [observers]: where a row is kept for later batches, from 1; 0: nowhere */
    double *kept;  /* [slots][from] */
} netdp_i_gossip_alike;

/* What the observers of one account share. */
typedef struct netdp_i_gossip_account {
    const netdp_loss_request *request;
    const netdp_graph *graph;
    netdp_losses *losses; /* without its losses */
    const netdp_bound_info *bound;
    double *own;   /* [from]: contributions of each node where they differ, else NULL */
    double most;   /* contributions to which the unit that is protected belongs */
    double *scale; /* [from]: (Delta_u / Delta)^2 where it is not 1, else NULL */
    double *rows;  /* [batch][from] of the batch at hand */
    int32_t first; /* its first observer */
    netdp_i_published *published; /* NULL: of another bound */
    const netdp_i_rounds *rounds; /* NULL: here */
    netdp_i_basis dense;          /* modes 0 until an observer needs it */
    netdp_i_phase *phase;         /* NULL until an observer needs it */
    netdp_i_paired paired;        /* of noise that cancels in pairs; nodes 0: there is none */
    netdp_i_quiet *quiet;         /* of noise correlated over phases, else NULL */
    netdp_i_gossip_way way;
    bool *closed;    /* [observers]: to whom every message counts as seen; NULL: to none */
    const char *why; /* ... or NULL */
    netdp_i_gossip_alike alike;
    const netdp_progress *inner; /* rounds are told where there is one observer, else only polled */
} netdp_i_gossip_account;

/* ---- Which questions it takes (gossip_request.c) ---- */

/* NETDP_INVALID, or the bound. */
netdp_status netdp_i_gossip_check(const netdp_loss_request *request, const netdp_bound_info **bound,
                                  netdp_error *error);

/* Paper C's formula, in one of its two forms. */
bool netdp_i_gossip_is_published(const netdp_bound_info *bound);

/* More nodes than NETDP_DENSE_NODES. */
bool netdp_i_gossip_is_large(const netdp_linear *protocol);

/* Of a single observer that does not use its own draws. */
bool netdp_i_gossip_own_counts(const netdp_loss_request *request);

/* Who shares noise that cancels, or NULL. */
const netdp_pairing *netdp_i_gossip_pairing(const netdp_loss_request *request);

/* ---- What observers share, and see (gossip.c) ---- */

/* What is said of all pairs: losses, without their numbers, and the way. `request`, `graph` and `bound` are there. */
netdp_status netdp_i_gossip_begin(netdp_i_gossip_account *a, netdp_error *error);

/*
 * A view reduced to what carries information. Of a closed neighbourhood with its own noise known,
 * the observers' own messages are linear in the messages of the round before; the same holds where
 * own noise counts, since the next round reveals it. So only the neighbours outside the set are
 * seen, and the set's noise is quiet. `mark` [nodes] zeroed, `seen` [nodes], `reach` [count].
 */
void netdp_i_gossip_reduce_view(const netdp_i_gossip_account *a, const int32_t *member,
                                int32_t count, char *mark, int32_t *seen, double *reach,
                                netdp_i_observer *observer);

/* ---- What is proven, in which way (gossip_ways.c) ---- */

/* Every message seen: m_t[u] - s_t[u] = x_u + u_u itself is, and nothing else tells more. */
bool netdp_i_gossip_is_local(const netdp_i_gossip_account *a);

/* Is it accounted for by phases? Without dither Chebyshev's messages and the plain ones span the same: p_t has degree t. */
bool netdp_i_gossip_by_phases(const netdp_i_gossip_account *a);

/* a->way, before the first row; who has the closed bound: a->closed. */
netdp_status netdp_i_gossip_prove(netdp_i_gossip_account *a, netdp_error *error);

/* ---- Observers that may change places (gossip_alike.c) ---- */

/* a->alike, once the way is known. */
netdp_status netdp_i_gossip_alike_new(netdp_i_gossip_account *a, netdp_error *error);
void netdp_i_gossip_alike_clear(netdp_i_gossip_alike *alike);

/* Is the observer's row another's? */
bool netdp_i_gossip_is_copied(const netdp_i_gossip_account *a, int32_t v);

/* These rows, where the others of the batch at hand, of so many observers, are made. */
void netdp_i_gossip_copy_alike(netdp_i_gossip_account *a, int32_t count);

/* ---- What is not proven (gossip_closed.c) ---- */

/* Of observers whose views are not proven every message counts as seen: a->closed, and a->bound where it is all; a->why says why. */
netdp_status netdp_i_gossip_close(netdp_i_gossip_account *a, netdp_error *error);

/* What is taken from a lower bound, which is no guarantee: all of it where doubles do not resolve the view. */
netdp_status netdp_i_gossip_round_inward(const netdp_i_gossip_account *a, const int32_t *member,
                                         double *loss, netdp_error *error);

/* Of whom the rounds reach the observers something is seen, however little doubles make of it; where the network changes zeros are exact. */
netdp_status netdp_i_gossip_lift_zeros(const netdp_i_gossip_account *a, const int32_t *member,
                                       double *loss, netdp_error *error);

/* ---- What displacements prove (gossip_shift.c) ---- */

/* Is there a proof by them that is affordable? `stream`: there is one by a stream's rows, too. */
bool netdp_i_gossip_can_shift(const netdp_i_gossip_account *a, bool stream);

/* The same of phases whose noise is correlated, all together. */
bool netdp_i_gossip_can_quiet(const netdp_i_gossip_account *a);

/* Seconds of one core and bytes of one observer that sees so many nodes. */
void netdp_i_gossip_shift_cost(const netdp_i_gossip_account *a, int32_t seen, double *seconds,
                               double *bytes);

/* And is it better than one by noises? */
bool netdp_i_gossip_prefers_shift(const netdp_i_gossip_account *a);

/* Or cheaper than the filter, where hidden nodes alone are carried and noises are small, however long that takes? */
bool netdp_i_gossip_shift_undercuts(const netdp_i_gossip_account *a);

/* loss[from_count] towards one observer or coalition, all contributions together. */
netdp_status netdp_i_gossip_shift(netdp_i_gossip_account *a, const int32_t *member, double *loss,
                                  netdp_error *error);

/* ---- One observer or coalition: loss[from_count] (gossip_phases.c, gossip_rounds.c) ---- */

/* Phases compose: what comes later depends on a contribution only through the released states. */
netdp_status netdp_i_gossip_phases(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error);

/* All rounds one after another. */
netdp_status netdp_i_gossip_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error);

/* a->dense, all eigenvectors of W: found by the first observer that wants them. */
netdp_status netdp_i_gossip_dense(netdp_i_gossip_account *a, netdp_error *error);

/* netdp_everything_proof, of `count` above 0, into an output that is open; where all is well it is committed. */
netdp_status netdp_i_everything_proof(const netdp_proof_request *request, int32_t count,
                                      const netdp_observers *observers, netdp_i_output *output,
                                      netdp_error *error);

#endif
