/*
 * The keys of a study file: one table that serves reading, --set, writing back and the proposals
 * for misspelt keys. A new scalar key is one line in key.c and one field in study.h; what is a setting of
 * a question too has its rule in question/settings.c.
 */
#ifndef NETDP_I_KEY_H
#define NETDP_I_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netdp/protocol.h>
#include <netdp/study.h>

#include "question/rule.h"

enum { NETDP_I_KEYS = 114 };

/* Keys that exclude each other: of each group at most one is there. */
typedef enum netdp_i_rivals {
    NETDP_I_ALONE = 0,
    NETDP_I_RIVAL_GRAPHS,
    NETDP_I_RIVAL_DATA,
    NETDP_I_RIVAL_RANGES,
    NETDP_I_RIVAL_NOISES,
    NETDP_I_RIVALS, /* how many groups, with ALONE */
} netdp_i_rivals;

typedef struct netdp_i_key {
    const char *name; /* "privacy.epsilon" */
    size_t offset;    /* in netdp_study; 0 of a setting, which is in its question */
    netdp_i_rivals rivals;
    bool learns; /* tasks that learn take it, or protocols of its rule; others its default alone */
    bool required;
    bool whole; /* of the whole study: no variant overrides it */
    bool
        later; /* studies were written before it: its default is left out, so that their results read back */
    const char *setting; /* of a question, whose rule it has; NULL: its own */
    netdp_i_rule rule;
} netdp_i_key;

/* All keys, those of a section side by side, in the order in which they are written. */
extern const netdp_i_key netdp_i_keys[]; /* [NETDP_I_KEYS] */

/* What it may be: the rule of the setting that it is, or its own. */
const netdp_i_rule *netdp_i_key_rule(const netdp_i_key *key);

/* Its field of the study: of the study's question, where it is a setting. */
void *netdp_i_key_field(const netdp_i_key *key, const netdp_study *study);

/* "epsilon" of "privacy.epsilon". */
const char *netdp_i_key_leaf(const netdp_i_key *key);

/* Length of "privacy" of "privacy.epsilon"; 0 at the top. */
size_t netdp_i_key_section(const netdp_i_key *key);

/* Is the text a path, relative to the study's folder? data.rows may be a number, a list or a file. */
bool netdp_i_key_is_path(const netdp_i_key *key, const char *text);

/* Is it of data and simulation, which an account alone has not? */
bool netdp_i_key_runs(const netdp_i_key *key, bool realised);

/* A task whose model is learnt from rows. */
bool netdp_i_task_learns(const char *task);

/* Does it mean something for this kind of task, this protocol, and rounds: auto or a number? What does not
   may only hold its default, and no variant inherits it. */
bool netdp_i_key_applies(const netdp_i_key *key, const char *task, const netdp_protocol *named,
                         bool automatic);

/* The place of a dotted name in the table, or -1. */
int netdp_i_key_find(const char *name);

/*
 * Is `word` a key, or a section, in `section` ("": the top; "variants": the top of a variant;
 * "quick": of what --quick lays over; "data.columns": a column)?
 */
bool netdp_i_key_known(const char *section, const char *word);

/*
 * The known key to propose for `word` in `section`: the nearest there, or a dotted name elsewhere
 * if its last part is `word` itself. `section` NULL: any dotted name, as --set takes it.
 */
const char *netdp_i_key_nearest(const char *section, const char *word, char found[32]);

#endif
