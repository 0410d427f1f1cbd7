#include "run/found.h"

#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/try.h"

static void path_in(const char *folder, char path[NETDP_I_PATH_ROOM])
{
    netdp_i_file_path(path, folder, "audit.checkpoint");
}

static json_t *maybe_text(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

/* Whose it is: a reader takes it only where every byte of this is its own. */
static json_t *owner_json(const netdp_i_identity *identity, const netdp_audit_options *options)
{
    return json_pack("{s:o, s:I, s:f, s:o, s:o, s:o, s:b, s:b}", "of",
                     netdp_i_identity_store(identity), "runs", (json_int_t)options->runs,
                     "confidence", options->confidence, "from", maybe_text(options->from), "to",
                     maybe_text(options->to), "bound", maybe_text(options->bound), "reconstruct",
                     (int)options->reconstruct, "membership", (int)options->membership);
}

netdp_status netdp_i_found_read(const char *folder, const netdp_i_identity *identity,
                                const netdp_audit_options *options, netdp_i_found *found,
                                netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    json_t *held = NULL, *owner = owner_json(identity, options);
    netdp_i_found read = {0};
    json_int_t rebuilt = 0;
    netdp_error torn;
    path_in(folder, path);
    if (owner != NULL && access(path, F_OK) == 0 &&
        netdp_i_sealed_read(path, &held, &torn) == NETDP_OK &&
        json_equal(json_object_get(held, "audit"), owner) &&
        json_unpack(held, "{s:O, s:O, s:O, s:O, s:I}", "audits", &read.audits, "estimates",
                    &read.estimates, "everybody", &read.everybody, "membership", &read.membership,
                    "rebuilt", &rebuilt) == 0 &&
        json_is_array(read.audits) && json_is_array(read.estimates) &&
        json_is_array(read.everybody) && json_is_array(read.membership)) {
        read.rebuilt = rebuilt;
    } else {
        netdp_i_found_clear(&read);
        read = (netdp_i_found){.audits = json_array(),
                               .estimates = json_array(),
                               .everybody = json_array(),
                               .membership = json_array()};
    }
    json_decref(held);
    json_decref(owner);
    if (owner == NULL || read.audits == NULL || read.estimates == NULL || read.everybody == NULL ||
        read.membership == NULL) {
        netdp_i_found_clear(&read);
        return netdp_i_no_memory(error);
    }
    *found = read;
    return NETDP_OK;
}

netdp_status netdp_i_found_write(const char *folder, const netdp_i_identity *identity,
                                 const netdp_audit_options *options, const netdp_i_found *found,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref)
    json_t *all = json_pack("{s:o, s:O, s:O, s:O, s:O, s:I}", "audit",
                            owner_json(identity, options), "audits", found->audits, "estimates",
                            found->estimates, "everybody", found->everybody, "membership",
                            found->membership, "rebuilt", (json_int_t)found->rebuilt);
    path_in(folder, path);
    return all != NULL ? netdp_i_sealed_write(all, path, error) : netdp_i_no_memory(error);
}

void netdp_i_found_remove(const char *folder)
{
    char path[NETDP_I_PATH_ROOM];
    path_in(folder, path);
    unlink(path);
}

void netdp_i_found_clear(netdp_i_found *found)
{
    json_decref(found->audits);
    json_decref(found->estimates);
    json_decref(found->everybody);
    json_decref(found->membership);
    *found = (netdp_i_found){0};
}
