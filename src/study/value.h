/* One key's value: as text, in a study; is it there, does it differ, how is it told in JSON? */
#ifndef NETDP_I_VALUE_H
#define NETDP_I_VALUE_H

#include <jansson.h>

#include "study/key.h"
#include "study/study.h"

/* Is it one of several that exclude each other, and not the one that is there? */
bool netdp_i_value_absent(const netdp_study *study, const netdp_i_key *key);

bool netdp_i_value_equal(const netdp_study *a, const netdp_study *b, const netdp_i_key *key);

/* A number, a word, a text, or a list; NULL where memory ran out. */
json_t *netdp_i_value_json(const netdp_study *study, const netdp_i_key *key);

/* Of a path that exists the absolute one, to be freed with free(); NULL otherwise. */
char *netdp_i_value_path(const char *path);

#endif
