/* Texts of a study file on their way into a netdp_study, and what is told of the wrong ones. */
#ifndef NETDP_I_READING_H
#define NETDP_I_READING_H

#include <stdbool.h>

#include "study/key.h"
#include "study/lines.h"
#include "study/study.h"
#include "study/text.h"

typedef struct netdp_i_reading {
    const char *path;
    const char *given; /* the text; NULL: that of the file */
    netdp_i_lines lines;
    netdp_i_study_text *text;
    const char *set[NETDP_I_KEYS]; /* the override that a key's text comes from, or NULL */
    netdp_study *study;
    bool quick;        /* with what the section `quick` says */
    const char *swept; /* of a variant, the key that has its value from sweep.values, or NULL */
    char within[24];   /* "variants.2." while a variant is read: the base is right by itself */
} netdp_i_reading;

/*
 * NETDP_INVALID with "FILE:7: privacy.epsilon: ...", or "--set privacy.epsilon=x: ..." where it
 * comes from there.
 */
netdp_status netdp_i_reading_fail(const netdp_i_reading *from, const char *name, netdp_error *error,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* One key's text into its field of from->study; columns are not for it. */
netdp_status netdp_i_reading_key(const netdp_i_reading *from, const netdp_i_key *key,
                                 char *const text[2], netdp_error *error);

/* [low, high] with low < high, told as `name`. */
netdp_status netdp_i_reading_pair(const netdp_i_reading *from, const char *name,
                                  char *const text[2], double *low, double *high,
                                  netdp_error *error);

/* Ends a function that checks `from` where the value of a key is wrong. */
#define REFUSE_KEY(wrong, name, ...)                                                               \
    do {                                                                                           \
        if (wrong)                                                                                 \
            return netdp_i_reading_fail(from, name, error, __VA_ARGS__);                           \
    } while (0)

#endif
