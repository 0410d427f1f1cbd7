/*
 * GRAPH MIXING PROTOCOL and who sees what: the options that `loss` and `calibrate` share, a question
 * (question/question.h) as the command prints it.
 */
#ifndef NETDP_I_DESCRIBE_H
#define NETDP_I_DESCRIBE_H

#include "cli/common/command.h"
#include "question/question.h"

typedef struct netdp_i_description_options {
    netdp_i_network_options network;
    const char *engine;
    netdp_i_question question;
} netdp_i_description_options;

netdp_i_description_options netdp_i_description_usual(void);

/* Rows of an option table: graph, mixing, all settings of a question, and the engine. */
#define NETDP_I_DESCRIPTION_OPTIONS(o)                                                             \
    NETDP_I_GRAPH_OPTIONS((o).network), NETDP_I_MIXING_OPTIONS((o).network),                       \
        OPTION(QUESTION, NULL, &(o).question, NULL, NULL, NULL), NETDP_I_ENGINE_OPTION((o).engine)

/* The page shows what the named protocol takes; without a name all options, and the protocols. */
netdp_i_narrowing netdp_i_describe_narrowing(const netdp_i_description_options *options);

netdp_status netdp_i_describe(netdp_i_description_options *options,
                              const netdp_i_arguments *arguments, netdp_i_description *made,
                              netdp_error *error);

/* "bound list": the table on standard output. */
void netdp_i_describe_bounds(void);

/*
 * {"netdp", "graph" {"origin", "nodes", "edges", "mixing"}, "protocol" {"name", "rounds", "dither",
 * of a changing network "varying" {"kind", "seed", ..}}, "threat", "noise", what `run` has, and the
 * guarantee}; takes over `noise` and `run` (NULL: nothing).
 */
json_t *netdp_i_describe_json(const netdp_i_description *description,
                              const netdp_guarantee *guarantee, json_t *noise, json_t *run);

/* The protocol at its noise, who sees what, adjacency and release, as lines of text. */
netdp_status netdp_i_describe_print(const netdp_i_description *description, double noise,
                                    netdp_error *error);

/* Where a mean is looked at, of a path that all know: is the worst pair far above it? */
void netdp_i_describe_worst(const netdp_losses *losses, const netdp_summary *summary);

/* By which bound, and whether it holds: the last line of every table. */
netdp_status netdp_i_describe_verdict(const netdp_losses *losses, netdp_error *error);

/* How the account would be made and what it would take, on standard output; of a walk or a tally as a part of the pairs takes. */
netdp_status netdp_i_explain(netdp_i_description *description, double noise, netdp_unit unit,
                             bool json, netdp_error *error);

/* Asks a person at a terminal before work of many minutes. NETDP_INTERRUPTED: the answer is not yes. */
netdp_status netdp_i_confirm(const netdp_i_description *description, netdp_error *error);

/* The index-th observer of the losses: a node, or the list of a coalition's members. */
json_t *netdp_i_describe_observer(const netdp_losses *losses, int32_t index);

#endif
