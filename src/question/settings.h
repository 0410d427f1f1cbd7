/*
 * The settings of a question: one table that the command's options and Python's keywords are read from.
 * A new setting is a row here, with the field that it fills and the code that uses that; where a study
 * has it too, its row of study/key.h says type, range, words, default, and which protocols take it.
 */
#ifndef NETDP_I_QUESTION_SETTINGS_H
#define NETDP_I_QUESTION_SETTINGS_H

#include <netdp/question.h>

/* The settings, each with its row in settings.c; NETDP_I_QUESTION_USUAL where they are not given. */
typedef struct netdp_i_question {
    size_t given_count; /* settings that were given, by name; lent */
    const char *const *given;
    const char *mixing;
    const char *protocol, *rounds, *from, *to, *bound, *certify, *pattern, *start, *pair_graph,
        *quiet, *workload, *batches, *rows, *dropout, *redraw, *gamma, *shuffle;
    netdp_protects protects;
    netdp_change change;
    uint64_t pair_seed;
    uint64_t seed; /* of a changing network */
    int64_t tokens, grid, levels;
    double variance;
    netdp_sees sees;
    netdp_own_noise own_noise;
    netdp_settings settings;             /* but for the rounds */
    bool calibrates;                     /* the noise, or what stands for it, is to be found */
    const netdp_question_request *as_is; /* what is given as it is and not as text; NULL: nothing */
} netdp_i_question;

#define NETDP_I_QUESTION_USUAL                                                                     \
    {                                                                                              \
        .mixing = "metropolis", .protocol = "averaging", .from = "all", .to = "all",               \
        .bound = "auto", .certify = "auto", .variance = 0.25, .start = "uniform", .tokens = 1,     \
        .shuffle = "least", .grid = 1024, .levels = 2, .pair_seed = 1, .seed = 1,                  \
        .quiet = "fresh", .workload = "sums", .batches = "full", .settings = NETDP_SETTINGS_USUAL  \
    }

/* Was the setting given? */
bool netdp_i_question_given(const netdp_i_question *question, const char *name);

typedef enum netdp_i_reads {
    NETDP_I_READS_HEADING, /* of a help page: no setting */
    NETDP_I_READS_TEXT,    /* const char * */
    NETDP_I_READS_NUMBER,  /* double, finite */
    NETDP_I_READS_COUNT,   /* int64_t */
    NETDP_I_READS_KEY,     /* as the key of a study: `usual` is its dotted name */
} netdp_i_reads;

typedef struct netdp_i_setting {
    const char *name; /* "pair-noise" */
    netdp_i_reads reads;
    size_t offset;     /* in netdp_i_question */
    unsigned only;     /* protocols of one of these settings (netdp_setting) take it; 0: all do */
    const char *value; /* what stands for the value on a help page: "T|auto"; NULL for a switch */
    const char *help;  /* with the unit */
    const char *usual; /* the default in words, or "required"; NULL for a switch */
} netdp_i_setting;

/* In the order of a help page; the last row has the name NULL. */
extern const netdp_i_setting netdp_i_settings[];
enum { NETDP_I_SETTINGS = 47 }; /* with headings */

/* The setting of a name, spelled with - or _; NULL: there is none. */
const netdp_i_setting *netdp_i_setting_find(const char *name);

/* Its default in words: of a key the study's; NULL of a switch. */
const char *netdp_i_setting_usual(const netdp_i_setting *setting);

/* Protocols with one of these settings (netdp_setting) take it, those of a key's `also` alone; 0: all. */
unsigned netdp_i_setting_takers(const netdp_i_setting *setting);

/* Do protocols of these settings (netdp_setting) take it? */
bool netdp_i_setting_taken(const netdp_i_setting *setting, unsigned settings);

/* A text into the field of the question; texts are borrowed. NETDP_INVALID names the setting. */
netdp_status netdp_i_setting_read(const netdp_i_setting *setting, const char *text,
                                  netdp_i_question *question, netdp_error *error);

#endif
