/*
 * One question by its settings: who learns how much about whom, of a protocol on a network. Settings are
 * given by name and text, as the command has them (`--own-noise counts` is {"own_noise", "counts"}); their table is
 * netdp_question_settings. All that `netdp loss` and `netdp calibrate` check is checked here.
 *
 * Ownership: a question borrows what its request points to, the texts too, until it is freed. Threads: one
 * at a time may use a question; several questions may be used at once.
 */
#ifndef NETDP_QUESTION_H
#define NETDP_QUESTION_H

#include <netdp/account.h>
#include <netdp/tally.h>
#include <netdp/walk.h>

NETDP_BEGIN

/* How errors name a setting: "--own-noise", as on a command line, or "own_noise". */
typedef enum netdp_spelling { NETDP_SPELL_OPTION = 0, NETDP_SPELL_KEYWORD } netdp_spelling;

/* A row of the table of settings. */
typedef struct netdp_setting_info {
    const char *name;  /* "pair-noise"; - and _ are the same */
    const char *value; /* what stands for the value: "T|auto"; NULL: "true" or "false" */
    const char *help;  /* a sentence, with the unit */
    const char *usual; /* the default in words; NULL: false */
    unsigned only;     /* protocols with one of these (netdp_setting) take it; 0: all do */
} netdp_setting_info;

/* The index-th setting from 0, in the order of a help page; false behind the last. */
NETDP_API bool netdp_question_setting(int32_t index, netdp_setting_info *info);

/* A setting that was given. */
typedef struct netdp_given_setting {
    const char *name; /* of the table; also mixing and seed */
    const char *text; /* the value: "2"; of a switch "true" or "false" */
} netdp_given_setting;

/* What is asked. But for graph and protocol 0 and NULL are what is usual. */
typedef struct netdp_question_request {
    const netdp_graph *graph;           /* who exchanges messages with whom */
    const netdp_mixing *mixing;         /* W of gossip; NULL: by the setting mixing, "metropolis" */
    netdp_spelling spelling;            /* of errors */
    int32_t count;                      /* settings that were given */
    const netdp_given_setting *setting; /* [count] */
    bool calibrates; /* netdp_question_calibrate is to be called: noise, or flip, is not given */
    /* In place of settings of these names, as they are: */
    const netdp_graph *pair_graph; /* on the same nodes */
    const double *pattern;         /* [pattern_count], each in [-1, 1] */
    int64_t pattern_count;
    const double *quiet; /* [phases][phases], C of the covariance C C' of the phases */
    int64_t phases;
    const double *rows;           /* [nodes], whole numbers from 1 */
    const int32_t *start;         /* one node: where a walk starts */
    const int32_t *from, *to;     /* [from_count], [to_count] nodes */
    int32_t from_count, to_count; /* 0: by the settings from and to, "all" */
    bool coalition;               /* the nodes of `to` collude */
} netdp_question_request;

/* One question, which refers to itself. */
typedef struct netdp_question netdp_question;

/*
 * NETDP_INVALID: a setting that there is not (the nearest is named), that the protocol does not take, out of
 * range, or at odds with another. *question is untouched on failure.
 */
NETDP_API NETDP_CHECK netdp_status netdp_question_new(const netdp_question_request *request,
                                                      netdp_question **question,
                                                      netdp_error *error);
NETDP_API void netdp_question_free(netdp_question *question);

/* The protocol, and its usual unit: a text such as "loss" or "dp:1e-6". */
NETDP_API const netdp_protocol *netdp_question_protocol(const netdp_question *question);
NETDP_API const char *netdp_question_unit(const netdp_question *question);

/* The description that will run; NULL unless it is gossip, a walk, a token aggregation. */
NETDP_API const netdp_linear *netdp_question_gossip(const netdp_question *question);
NETDP_API const netdp_token *netdp_question_walk(const netdp_question *question);
NETDP_API const netdp_tally *netdp_question_tally(const netdp_question *question);

/* What accounts of gossip are asked, for netdp_losses_proof; NULL of other protocols. */
NETDP_API const netdp_loss_request *netdp_question_losses_request(const netdp_question *question);

/* The same of walks, once an account was made; NULL of other protocols. */
NETDP_API const netdp_walk_request *netdp_question_walk_request(const netdp_question *question);

/*
 * The noise that was given (NULL: none) as the account takes it, in units of the sensitivity: 0 for
 * histograms, which flip, and 1 for the unit-free loss where none is given.
 */
NETDP_API NETDP_CHECK netdp_status netdp_question_noise(const netdp_question *question,
                                                        const double *given, netdp_unit unit,
                                                        double *noise, netdp_error *error);

/* The losses at this noise and unit; `draws` 0, or of a changing network over all that could be drawn. */
NETDP_API NETDP_CHECK netdp_status netdp_question_losses(netdp_question *question, double noise,
                                                         netdp_unit unit, int64_t draws,
                                                         const netdp_progress *progress,
                                                         netdp_losses **losses, netdp_error *error);

/*
 * The least noise that meets `target`, whose rounds_auto, variance and keep_second are read from the
 * settings, and what is "auto" in them. The question becomes the calibrated one.
 */
NETDP_API NETDP_CHECK netdp_status netdp_question_calibrate(
    netdp_question *question, const netdp_target *target, const netdp_progress *progress,
    netdp_calibration *calibration, netdp_losses **losses, netdp_error *error);

/* What the guarantee assumes, in lines; *text is to be freed with free(). `draws` as above. */
NETDP_API NETDP_CHECK netdp_status netdp_question_words(const netdp_question *question,
                                                        double noise, int64_t draws, char **text,
                                                        netdp_error *error);

NETDP_END

#endif
