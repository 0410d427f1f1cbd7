/* The description that the settings of a question make, and what gossip, walks and tallies each do with it. */
#ifndef NETDP_I_QUESTION_H
#define NETDP_I_QUESTION_H

#include <jansson.h>

#include "account/losses/losses.h"
#include "engine/engine.h"
#include "question/settings.h"

typedef struct netdp_i_describing netdp_i_describing;

/* One protocol of three kinds; it refers to itself: do not copy or move it. */
typedef struct netdp_i_description {
    const netdp_graph *graph;
    const netdp_protocol *named;
    const netdp_i_describing *kind;
    const netdp_i_engine *engine;     /* NULL: this process alone */
    const netdp_i_question *question; /* lent */
    int32_t *from, *to;
    netdp_loss_request request; /* of gossip; of the others bound, from and to */
    /* gossip */
    const netdp_mixing *mixing; /* NULL: no gossip */
    double *share;              /* Delta_u / Delta of rows; NULL: 1 each */
    double *quiet;              /* the factor of noise correlated over phases; NULL: it is fresh */
    const netdp_graph *pairs;   /* who shares noise that cancels; NULL: nobody */
    netdp_linear protocol;      /* rounds 1 where rounds_auto: they depend on the noise */
    bool rounds_auto;
    int64_t draws; /* of a changing network: the account is over all draws, by so many; 0: of one */
    double *pattern;
    /* a walk */
    const netdp_transition *law;
    netdp_token token;
    netdp_route *route; /* of the token, where its path is public */
    netdp_walk_request walk;
    netdp_gamma gamma; /* theta 0: the law is public */
    /* a tally */
    netdp_tally tally;
    netdp_tally_request counting;
    /* what of the above is its own; NULL where it is lent */
    netdp_graph *own_graph, *own_pairs;
    netdp_mixing *own_mixing;
    netdp_transition *own_law;
} netdp_i_description;

/* What gossip, walks and tallies each do in their own way (gossip.c, walk.c, tally.c). */
struct netdp_i_describing {
    const char *rounds; /* what `rounds` counts */
    /* The usual unit. */
    const char *(*unit)(const netdp_i_question *question, const netdp_protocol *named);
    /* Fills its part of the description, whose graph, kind and bound are there. */
    netdp_status (*read)(const netdp_i_question *question, netdp_settings *settings,
                         netdp_i_description *made, netdp_error *error);
    netdp_status (*losses)(netdp_i_description *description, double noise, netdp_unit unit,
                           const netdp_progress *progress, netdp_losses **losses,
                           netdp_error *error);
    /* The description becomes the calibrated one. */
    netdp_status (*calibrate)(netdp_i_description *description, const netdp_target *target,
                              const netdp_progress *progress, netdp_calibration *calibration,
                              netdp_losses **losses, netdp_error *error);
    const char *(*mixing)(const netdp_i_description *description);
    json_t *(*protocol)(const netdp_i_description *description);
    netdp_status (*words)(const netdp_i_description *description, double noise, char **text,
                          netdp_error *error);
    /* The account of one pair that was asked last, to be composed; NULL: as its value says. */
    netdp_status (*events)(const netdp_i_description *description, netdp_events **events,
                           netdp_error *error);
};

/* Does the protocol answer at random, in place of adding noise? */
bool netdp_i_question_flips(const netdp_i_question *question);

/* The usual unit of the protocol that is named; "loss" where there is none of that name. */
const char *netdp_i_question_unit(const netdp_i_question *question);

/* What a description is made on; all of it lent. */
typedef struct netdp_i_network {
    const netdp_graph *graph;
    const netdp_mixing *mixing;   /* W of gossip; NULL: made by the question's name */
    const netdp_transition *law;  /* P of a walk; NULL: the same */
    const netdp_i_engine *engine; /* NULL: this process alone */
} netdp_i_network;

/* What `auto` of dither, decay and end dither begins with. */
void netdp_i_settings_begin(netdp_settings *settings);

/* The protocol and the bound alone. */
netdp_status netdp_i_question_begin(const netdp_i_question *question, netdp_i_description *made,
                                    netdp_error *error);

/* The protocol, whether it takes what was given, and the bound: what needs no network. */
netdp_status netdp_i_question_check(const netdp_i_question *question, netdp_i_description *made,
                                    netdp_error *error);

/* Then the whole description, which lends the question; cleared on failure. */
netdp_status netdp_i_question_describe(const netdp_i_question *question,
                                       const netdp_i_network *network, netdp_i_description *made,
                                       netdp_error *error);
void netdp_i_description_clear(netdp_i_description *description);

/* The noise that was given, NULL: none was; in units of the sensitivity. 0 of what flips. */
netdp_status netdp_i_question_noise(const netdp_i_question *question, const double *given,
                                    netdp_unit unit, double *noise, netdp_error *error);

/* Rounds by the formula at this noise, where they are auto. */
netdp_status netdp_i_description_rounds(netdp_i_description *description, double noise,
                                        netdp_error *error);

/* What the question says of the target: rounds, variance, and what is auto, which it sets to what is usual. */
netdp_status netdp_i_question_target(netdp_i_question *question, netdp_target *target,
                                     netdp_error *error);

/* The account is to be over all networks that could be drawn, by so many draws. */
netdp_status netdp_i_description_draw(netdp_i_description *description, int64_t draws,
                                      netdp_error *error);

/*
 * The account of what is described, at this noise and unit where it is a token's, into the sink: of
 * gossip batch by batch as it is computed, of tokens when it is done.
 */
netdp_status netdp_i_description_account(netdp_i_description *description, double noise,
                                         netdp_unit unit, netdp_i_batch_sink sink, void *context,
                                         const netdp_progress *progress, netdp_error *error);

/* The same as a whole; of worst:C the largest over coalitions. */
netdp_status netdp_i_description_losses(netdp_i_description *description, double noise,
                                        netdp_unit unit, const netdp_progress *progress,
                                        netdp_losses **losses, netdp_error *error);

/* NETDP_INVALID where an option (NULL: none) is of observers that are named, and worst:C is asked. */
netdp_status netdp_i_description_named(const netdp_i_description *description, const char *option,
                                       netdp_error *error);

/* What a reader should be warned of: much is left of the noise in pairs; "": nothing. */
void netdp_i_description_warning(const netdp_i_description *description, size_t room, char *text);

/* NETDP_ENVIRONMENT where a setting's value is a word, none that it knows, and no file has this name. */
netdp_status netdp_i_question_file(const netdp_i_question *question, const char *name,
                                   const char *path, netdp_error *error);

/* The graph of pairs that --pair-graph names. */
netdp_status netdp_i_question_pairs(const netdp_i_question *question, const netdp_graph *graph,
                                    netdp_graph **pairs, netdp_error *error);

/* Who shares noise in pairs, into the settings. */
netdp_status netdp_i_question_pairing(const netdp_i_question *question, netdp_settings *settings,
                                      netdp_i_description *made, netdp_error *error);

/* The nodes of a list of names, "3, 4", each once; "all" leaves *list as it is and *count 0. To be freed. */
netdp_status netdp_i_read_nodes(const netdp_graph *graph, const char *text, int32_t **list,
                                int32_t *count, netdp_error *error);

/* "THETA,LOW,HIGH": three finite numbers. */
bool netdp_i_read_three(const char *text, double number[3]);

/* Of pairs, where there are any: "pairs" of the protocol's object. */
void netdp_i_show_pairing(const netdp_pairing *pairing, json_t *object);

extern const netdp_i_describing netdp_i_describing_gossip, netdp_i_describing_walk,
    netdp_i_describing_tally;

#endif
