/*
 * What a value may be, whoever spells it: a setting of a question is given as an option, as a keyword or as a
 * key of a study, and all three read the one rule in its row of settings.c.
 */
#ifndef NETDP_I_RULE_H
#define NETDP_I_RULE_H

#include <stdbool.h>
#include <netdp/status.h>

/* Numbers that are squared on the way must keep finite squares. */
#define NETDP_I_LARGEST 1e100

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

typedef struct netdp_i_rule {
    netdp_i_kind kind;
    /* Protocols with one of `only` and, unless that is 0, one of `also` (netdp_setting) take it; 0: all do. */
    unsigned only, also;
    const char *fallback; /* the default as one would write it; NULL: none */
    double low, high;     /* both allowed */
    const char *const *word;
    const char *expects; /* "give ..." */
} netdp_i_rule;

/* Do protocols of these settings (netdp_setting) take it? */
bool netdp_i_rule_taken(const netdp_i_rule *rule, unsigned settings);

/* Is the text the default, be it written otherwise: "0.0" for "0"? */
bool netdp_i_rule_is_usual(const netdp_i_rule *rule, const char *text);

/*
 * Reads a text into the rule's type; of a text it looks at the words alone and leaves `into` to the caller,
 * as with pairs and columns. NETDP_INVALID without a name: "'9' is out of range; give ...".
 */
netdp_status netdp_i_rule_read(const netdp_i_rule *rule, const char *text, void *into,
                               netdp_error *error);

#endif
