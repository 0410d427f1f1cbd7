/*
 * JSON documents that hold a SHA-256 of themselves, and digests of files: they tell a mistake, an
 * edit by hand and a torn file. They keep nobody out who can compute them too.
 */
#ifndef NETDP_I_SEALED_H
#define NETDP_I_SEALED_H

#include <jansson.h>
#include <stdint.h>
#include <netdp/status.h>

/* The object with its digest as a last key, "sha256", in a file that others may not read. */
netdp_status netdp_i_sealed_write(json_t *object, const char *path, netdp_error *error);

/* NETDP_INVALID, without advice, where a byte of it is not as it was written. */
netdp_status netdp_i_sealed_read(const char *path, json_t **object, netdp_error *error);

/* SHA-256 of a whole file, in hexadecimal digits. */
netdp_status netdp_i_file_digest(const char *path, char digest[65], netdp_error *error);

#endif
