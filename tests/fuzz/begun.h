/*
 * A study of four people on a ring, run for real: what an input does not replace of its folder is
 * genuine.
 */
#ifndef NETDP_TESTS_FUZZ_BEGUN_H
#define NETDP_TESTS_FUZZ_BEGUN_H

#include "fuzz.h"

#include <netdp/study.h>

/* The files of its result folder; the last two are those of a run that is not finished. */
enum { BEGUN_FILES = 9, BEGUN_WHOLE = 7 };
extern const char *const begun_file[BEGUN_FILES];

/* Runs it once, half and whole, before the first input. */
const netdp_study *begun_study(void);

/* The result folder, holding the files of the input ("--- NAME" on a line of its own begins one)
 * and otherwise those of the finished run, or of the unfinished one. */
const char *begun_folder(const uint8_t *data, size_t size, bool finished);

#endif
