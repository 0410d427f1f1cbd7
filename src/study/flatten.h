/* Mappings whose keys are names of the user's own, as one text: the table of keys knows scalars alone. */
#ifndef NETDP_I_STUDY_FLATTEN_H
#define NETDP_I_STUDY_FLATTEN_H

#include <stdint.h>
#include <netdp/status.h>

/*
 * The document with every `rows: {a: 10, b: 12}` as `rows: "a: 10, b: 12"`, new memory of *length
 * bytes; NULL, and *length as it was, where there is none or it is no YAML, which others tell.
 */
netdp_status netdp_i_study_flatten(const char *bytes, int64_t count, char **flat, int64_t *length,
                                   netdp_error *error);

#endif
