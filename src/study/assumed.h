/* What chooses a public number of a study and is neither declared nor independent of the private rows. */
#ifndef NETDP_I_STUDY_ASSUMED_H
#define NETDP_I_STUDY_ASSUMED_H

#include "study/reading.h"

typedef enum netdp_i_assumed {
    NETDP_I_ASSUMES_ROWS = 1,    /* how many there are, and each node holds */
    NETDP_I_ASSUMES_CLASSES = 2, /* which values the label has */
    NETDP_I_ASSUMES_SCALES = 4,  /* means and deviations of columns, and which are constant */
} netdp_i_assumed;

/* The parts of netdp_i_assumed that the study does not declare; 0: nothing. */
unsigned netdp_i_study_assumes(const netdp_study *study);

/* The words of the part at `place` from 0 among those that are assumed; NULL behind the last. */
const char *netdp_i_assumed_word(unsigned assumes, int place);

/* The columns' public descriptions: the study's own, else those of its data set; new memory, whose
 * names are borrowed. Features are ranged unless the study standardises. */
netdp_status netdp_i_study_ranges(const netdp_study *study, netdp_range **range, int32_t *count,
                                  netdp_error *error);

/* Does the study itself describe a column that is a feature? */
bool netdp_i_study_describes(const netdp_study *study);

/* How many places for rows are declared, as netdp_preparation.rows; NULL: they are counted. */
const char *netdp_i_study_rows(const netdp_study *study, char room[24]);

/* The keys of what is declared, against the others. */
netdp_status netdp_i_assumed_check(const netdp_i_reading *from, netdp_error *error);

/* NETDP_INVALID, with what to declare, where rows are protected by a unit that hides how many there
 * are and something is assumed. Before a run: peers announce what they have in their roster. */
netdp_status netdp_i_assumed_refuse(const netdp_study *study, netdp_error *error);

#endif
