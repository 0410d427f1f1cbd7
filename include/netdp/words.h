/*
 * What a guarantee assumes, in the words that the command prints beside every one: a number without
 * them says nothing. Each text is new, lines that each end with a newline, and the caller's to
 * free().
 */
#ifndef NETDP_WORDS_H
#define NETDP_WORDS_H

#include <netdp/gamma.h>
#include <netdp/tally_account.h>
#include <netdp/walk.h>

NETDP_BEGIN

/*
 * Of gossip: the protocol, called `name`, at noise sigma; who sees what; adjacency and release;
 * what noise in pairs rests on; how the network changes. `over_draws`: of netdp_losses_drawn.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gossip_words(const netdp_loss_request *request,
                                                      const char *name, double noise,
                                                      bool over_draws, char **text,
                                                      netdp_error *error);

/* Of a walk at request->noise. `gamma`: what released a weighted walk's law; NULL: public. */
NETDP_API NETDP_CHECK netdp_status netdp_walk_words(const netdp_walk_request *request,
                                                    const char *name, const netdp_gamma *gamma,
                                                    char **text, netdp_error *error);

/* Of a token that sums or counts, at its own noise or flip. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_words(const netdp_tally *tally, const char *name,
                                                     char **text, netdp_error *error);

/* Whether the losses are a guarantee, by which bound, whether certified, and if not, why. */
NETDP_API NETDP_CHECK netdp_status netdp_losses_words(const netdp_losses *losses, char **text,
                                                      netdp_error *error);

NETDP_END

#endif
