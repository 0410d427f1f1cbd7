/*
 * JSON documents that hold a SHA-256 of themselves, and digests of files: they tell a mistake, an
 * edit by hand and a torn file. They keep nobody out who can compute them too.
 */
#ifndef NETDP_I_SEALED_H
#define NETDP_I_SEALED_H

#include <jansson.h>
#include <netdp/status.h>

#include "base/file.h"

/* The object with its digest as a last key, "sha256", into an output that is open; closes it. */
netdp_status netdp_i_sealed_commit(json_t *object, netdp_i_output *output, netdp_error *error);

/* The same in a file that others may not read. */
netdp_status netdp_i_sealed_write(json_t *object, const char *path, netdp_error *error);

/* NETDP_INVALID, without advice, where a byte of it is not as it was written. */
netdp_status netdp_i_sealed_read(const char *path, json_t **object, netdp_error *error);

/* The same of a document that earlier versions wrote without a digest: that is taken as it is. */
netdp_status netdp_i_sealed_load(const char *path, json_t **object, netdp_error *error);

/* SHA-256 of a whole file, in hexadecimal digits. */
netdp_status netdp_i_file_digest(const char *path, char digest[65], netdp_error *error);

#endif
