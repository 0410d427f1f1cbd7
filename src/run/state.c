#include "run/state.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

#define MAGIC 0x33796177646d6e64 /* other byte orders read another number */

/* The file: this, the states, the messages before them of accelerated gossip, and a SHA-256. */
typedef struct header {
    int64_t magic, done, trace_bytes, round, nodes, width, accelerated;
    double noise, objective, accuracy;
    char trace[64]; /* digest of the trace's first bytes */
} header;

_Static_assert(sizeof(header) == 18 * 8, "no byte of a header is undefined");

static header header_of(const netdp_i_variant *variant, const netdp_i_state *midway)
{
    header made = {.magic = MAGIC,
                   .done = midway->done,
                   .trace_bytes = midway->trace_bytes,
                   .round = midway->at.round,
                   .nodes = netdp_graph_nodes(variant->problem->graph),
                   .width = variant->problem->width,
                   .accelerated = variant->protocol.accelerate,
                   .noise = variant->noise,
                   .objective = midway->objective,
                   .accuracy = midway->accuracy};
    memcpy(made.trace, midway->trace_digest, sizeof made.trace);
    return made;
}

/* Bytes of one array of states. */
static size_t state_bytes(const netdp_i_variant *variant)
{
    return (size_t)netdp_graph_nodes(variant->problem->graph) * (size_t)variant->problem->width *
           sizeof(double);
}

/* Over what the file says and over whose it is. */
static void digest(const char *key, const header *head, const double *state, const double *before,
                   size_t bytes, unsigned char hash[32])
{
    crypto_hash_sha256_state sum;
    crypto_hash_sha256_init(&sum);
    crypto_hash_sha256_update(&sum, (const unsigned char *)key, 64);
    crypto_hash_sha256_update(&sum, (const unsigned char *)head, sizeof *head);
    crypto_hash_sha256_update(&sum, (const unsigned char *)state, bytes);
    if (head->accelerated != 0)
        crypto_hash_sha256_update(&sum, (const unsigned char *)before, bytes);
    crypto_hash_sha256_final(&sum, hash);
}

netdp_status netdp_i_state_write(const char *folder, const char *key,
                                 const netdp_i_variant *variant, const netdp_i_state *midway,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    unsigned char hash[crypto_hash_sha256_BYTES];
    netdp_i_output output;
    const header head = header_of(variant, midway);
    const size_t bytes = state_bytes(variant);
    netdp_i_file_path(path, folder, "checkpoint.state");
    TRY(netdp_i_output_open_private(&output, path, error));
    digest(key, &head, midway->at.state, midway->at.before, bytes, hash);
    fwrite(&head, sizeof head, 1, output.stream);
    fwrite(midway->at.state, 1, bytes, output.stream);
    if (head.accelerated != 0)
        fwrite(midway->at.before, 1, bytes, output.stream);
    fwrite(hash, sizeof hash, 1, output.stream);
    return netdp_i_output_commit(&output, error);
}

/* Is it whole, and of this simulation? */
static bool belongs(const char *text, size_t length, const char *key,
                    const netdp_i_variant *variant, int64_t done, header *head)
{
    const size_t bytes = state_bytes(variant);
    const size_t arrays = variant->protocol.accelerate ? 2 * bytes : bytes;
    unsigned char hash[crypto_hash_sha256_BYTES];
    if (length != sizeof *head + arrays + sizeof hash)
        return false;
    memcpy(head, text, sizeof *head);
    const double *state = (const double *)(text + sizeof *head); /* the header is whole doubles */
    if (head->magic != MAGIC || head->done != done ||
        head->nodes != netdp_graph_nodes(variant->problem->graph) ||
        head->width != variant->problem->width ||
        head->accelerated != (int64_t)variant->protocol.accelerate ||
        head->noise != variant->noise || head->round < 1 ||
        head->round > variant->protocol.rounds || head->trace_bytes < 0)
        return false;
    digest(key, head, state, state + bytes / sizeof *state, bytes, hash);
    return memcmp(hash, text + length - sizeof hash, sizeof hash) == 0;
}

netdp_status netdp_i_state_read(const char *folder, const char *key, const netdp_i_variant *variant,
                                int64_t done, netdp_i_state *midway, bool *found,
                                netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL;
    int64_t length = 0;
    header head;
    *found = false;
    netdp_i_file_path(path, folder, "checkpoint.state");
    if (variant->role == NETDP_I_CENTRAL || netdp_i_variant_is_token(variant) ||
        access(path, R_OK) != 0)
        return NETDP_OK;
    TRY(netdp_i_file_load(path, &text, &length, error));
    if (!belongs(text, (size_t)length, key, variant, done, &head)) {
        netdp_i_free(text);
        return NETDP_OK;
    }
    const double *state = (const double *)(text + sizeof head);
    *midway = (netdp_i_state){
        .done = head.done,
        .trace_bytes = head.trace_bytes,
        .objective = head.objective,
        .accuracy = head.accuracy,
        .at = {head.round, state, head.accelerated != 0 ? state + head.nodes * head.width : NULL},
        .memory = text};
    memcpy(midway->trace_digest, head.trace, sizeof head.trace);
    *found = true;
    return NETDP_OK;
}

void netdp_i_state_clear(netdp_i_state *midway)
{
    netdp_i_free(midway->memory);
    *midway = (netdp_i_state){0};
}

void netdp_i_state_remove(const char *folder)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "checkpoint.state");
    unlink(path);
}
