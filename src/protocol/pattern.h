/* Contributions given by a word: what a node that worries about one pattern would send. */
#ifndef NETDP_I_PATTERN_H
#define NETDP_I_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "ones", "alternating" (1, -1, 1, ...) or "cos:OMEGA" (1 where cos(OMEGA k) >= 0, else -1, k from
 * 0) into pattern[count]; pattern NULL only asks whether `text` is one of these words.
 */
bool netdp_i_pattern_fill(const char *text, int64_t count, double *pattern);

#endif
