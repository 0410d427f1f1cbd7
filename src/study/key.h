/*
 * The keys of a study file: one table that serves reading, --set, writing back and the proposals
 * for misspelt keys. A new scalar key is one line in key.c and one field in study.h.
 */
#ifndef NETDP_I_KEY_H
#define NETDP_I_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netdp/protocol.h>

/* Numbers that are squared on the way must keep finite squares. */
#define NETDP_I_LARGEST 1e100

enum { NETDP_I_KEYS = 111 };

typedef enum netdp_i_kind {
    NETDP_I_KEY_TEXT,    /* char * */
    NETDP_I_KEY_FILE,    /* char *, relative to the study file's folder */
    NETDP_I_KEY_DATASET, /* char *, a name of netdp_datasets */
    NETDP_I_KEY_SEED,    /* uint64_t, all of it */
    NETDP_I_KEY_WHOLE,   /* int64_t from low to high; word[0], if any, stands for 0 */
    NETDP_I_KEY_REAL,    /* double from low to high; "inf" only where high is infinite; word[0],
                            if any, stands for -1 */
    NETDP_I_KEY_PAIR,    /* [low, high]: the task's bounds */
    NETDP_I_KEY_WORD,    /* enum: the place among `word` */
    NETDP_I_KEY_SWITCH,  /* bool: the place among `word` */
    NETDP_I_KEY_COLUMNS, /* the list of columns; not for --set */
} netdp_i_kind;

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
    netdp_i_kind kind;
    netdp_i_rivals rivals;
    size_t offset; /* in netdp_study */
    /* Who takes it, elsewhere it may hold its default alone: tasks that learn, or protocols with one of
       `only` and, unless that is 0, one of `also` (netdp_setting); 0 and false: all do. */
    bool learns;
    unsigned only, also;
    const char *fallback; /* the default as one would write it; NULL: none */
    bool required;
    bool whole;       /* of the whole study: no variant overrides it */
    double low, high; /* both allowed */
    const char *const *word;
    const char *expects; /* "give ..." */
} netdp_i_key;

/* All keys, those of a section side by side, in the order in which they are written. */
extern const netdp_i_key netdp_i_keys[]; /* [NETDP_I_KEYS] */

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

/* Do protocols of these settings (netdp_setting) take it? */
bool netdp_i_key_taken(const netdp_i_key *key, unsigned settings);

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
