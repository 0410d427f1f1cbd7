/*
 * The settings of a question: the one table that the command's options, Python's keywords and the keys of a
 * study are read from. A new setting is a row of settings.c, with the field that it fills and the code that
 * uses that; and, where a study has it too, a row of study/key.c that names it.
 */
#ifndef NETDP_I_QUESTION_SETTINGS_H
#define NETDP_I_QUESTION_SETTINGS_H

#include <netdp/question.h>

#include "question/rule.h"

enum { NETDP_I_SETTINGS = 48 }; /* with headings */

/* The settings, each with its row in settings.c; its default where it is not given. */
typedef struct netdp_i_question {
    const char *text[NETDP_I_SETTINGS]; /* of each row as it was given, lent; NULL: it was not */
    const char *mixing;
    const char *protocol, *rounds, *from, *to, *bound, *certify, *pattern, *start, *pair_graph,
        *quiet, *batches, *rows, *dropout, *redraw, *gamma, *shuffle;
    netdp_protects protects;
    netdp_change change;
    uint64_t pair_seed;
    uint64_t seed; /* of a changing network */
    int64_t tokens, grid, levels;
    bool for_gossip; /* correlated noise is designed for all models as gossip mixes them */
    double variance;
    netdp_sees sees;
    netdp_own_noise own_noise;
    netdp_settings settings; /* but for the rounds */
    int64_t count;           /* of rounds, where a study has them as a number; 0: `rounds` says */
    int64_t phases;          /* of a study, with rounds auto; 0: not given */
    bool calibrates;         /* the noise, or what stands for it, is to be found */
    const netdp_question_request *as_is; /* what is given as it is and not as text; NULL: nothing */
} netdp_i_question;

/* A question to which nothing was given: the default of every row. */
void netdp_i_question_usual(netdp_i_question *question);

/* Was the setting given? */
bool netdp_i_question_given(const netdp_i_question *question, const char *name);

/* The text that was given, as netdp_i_setting_text. */
struct netdp_i_setting;
const char *netdp_i_question_text(const void *question, const struct netdp_i_setting *setting);

typedef struct netdp_i_setting {
    const char *name;  /* "sees", or a heading of a help page */
    size_t offset;     /* in netdp_i_question */
    const char *key;   /* of a study: "privacy.sees"; NULL: a study has none */
    const char *value; /* what stands for the value on a help page: "T|auto"; NULL for a switch */
    const char *help;  /* with the unit */
    netdp_i_rule rule;
    const char *usual; /* the default in words, "required" too; NULL: the rule's */
    unsigned only; /* who takes it of those of the rule where there are no data; 0: all of them */
    bool heading;
} netdp_i_setting;

/* In the order of a help page; the last row has the name NULL. */
extern const netdp_i_setting netdp_i_setting_rows[];

/* A setting that has a value needs another one of another, or excludes it. */
typedef struct netdp_i_need {
    const char *name, *value; /* value NULL: another than the usual one */
    bool excludes;            /* else it needs */
    const char *other, *with; /* with NULL: another than the usual one */
    const char *says;         /* what to do */
    const char *unless;       /* not where this one is given; NULL: always */
} netdp_i_need;

/* What settings, or some values of them, need of others, or exclude; the last row has the name NULL. */
extern const netdp_i_need netdp_i_settings_need[];

/* What was given for a setting; NULL: nothing was. */
typedef const char *(*netdp_i_setting_text)(const void *context, const netdp_i_setting *setting);

/* What needs and excludes what, of what was given: NETDP_INVALID "--dither-decay: auto goes with --dither auto; ...". */
netdp_status netdp_i_settings_together(netdp_i_setting_text text, const void *context,
                                       netdp_error *error);

/* How a caller names settings; errors name them as options until they are told. */
typedef enum netdp_i_spelling {
    NETDP_I_SPELL_KEYWORDS, /* "protects='row'", "from_" */
    NETDP_I_SPELL_KEYS,     /* "privacy.protects" in front, then "protects: row" */
} netdp_i_spelling;

/* "--protects row", and each setting beside it, as the caller spells them; commands to type stay as they are. */
void netdp_i_spell(netdp_i_spelling spelling, netdp_error *error);

/* The setting of a name, spelled with - or _; NULL: there is none. */
const netdp_i_setting *netdp_i_setting_find(const char *name);

/* How many collude of "worst:C", C from 1 to 1000; 0: another text, -1: no such number. */
int32_t netdp_i_setting_worst(const char *to);

/* Its default in words; NULL of a switch. */
const char *netdp_i_setting_usual(const netdp_i_setting *setting);

/* Protocols with one of these settings (netdp_setting) take it, of those that have its `also`; 0: all. */
unsigned netdp_i_setting_takers(const netdp_i_setting *setting);

/* Do protocols of these settings (netdp_setting) take it? */
bool netdp_i_setting_taken(const netdp_i_setting *setting, unsigned settings);

/* A text into the field of the question; texts are borrowed. NETDP_INVALID names the setting. */
netdp_status netdp_i_setting_read(const netdp_i_setting *setting, const char *text,
                                  netdp_i_question *question, netdp_error *error);

#endif
