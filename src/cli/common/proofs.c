#include "cli/common/proofs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "account/losses/proven.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

/* Files that "all" may write: more would fill a folder that nobody reads. */
enum { MOST_FILES = 100000 };

static netdp_status read_which(netdp_i_proofs *proofs, netdp_error *error)
{
    const char *text = proofs->which;
    char *end = NULL;
    proofs->drawn = 0;
    if (text == NULL || strcmp(text, "worst") == 0)
        return NETDP_OK;
    if (strcmp(text, "all") == 0) {
        proofs->drawn = -1;
        return NETDP_OK;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        proofs->drawn = strtoll(text, &end, 10);
        if (*end == ':' && end[1] >= '0' && end[1] <= '9')
            proofs->seed = strtoull(end + 1, &end, 10);
        else
            end = NULL;
    }
    if (end != NULL && *end == '\0' && proofs->drawn <= MOST_FILES)
        return NETDP_OK;
    return netdp_i_fail(
        error, NETDP_INVALID,
        "--proof-pairs: '%s'; give worst, all, or K:SEED: the worst pair and at most "
        "%d that are drawn",
        netdp_i_show_text(text).text, MOST_FILES);
}

netdp_status netdp_i_proofs_read(netdp_i_proofs *proofs, const netdp_i_description *description,
                                 netdp_error *error)
{
    if (proofs->folder == NULL)
        return proofs->which == NULL ? NETDP_OK
                                     : netdp_i_fail(error, NETDP_INVALID,
                                                    "--proof-pairs: says which proofs are written; "
                                                    "give --proof DIR too");
    REFUSE(description->request.protocol == NULL && description->token.route == NULL,
           "--proof: there are proof files of gossip, and of walks whose path is "
           "public (--path public); leave it out");
    REFUSE(description->engine != NULL || description->draws != 0,
           "--proof: is of one network, in one process; leave out --engine and --draws");
    return read_which(proofs, error);
}

static netdp_status make_folder(const char *folder, netdp_error *error)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "--proof: cannot make the folder %s: %s",
                            folder, strerror(errno));
    return netdp_i_file_is_folder(folder)
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_ENVIRONMENT, "--proof: %s is not a folder", folder);
}

static netdp_status write_one(const netdp_i_proofs *proofs, const netdp_proof_request *request,
                              bool coalition, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], name[64];
    if (coalition)
        snprintf(name, sizeof name, "%d-set.proof", (int)request->from);
    else
        snprintf(name, sizeof name, "%d-%d.proof", (int)request->from, (int)request->to);
    REFUSE(strlen(proofs->folder) + sizeof name >= sizeof path, "--proof: the path is too long");
    netdp_i_file_path(path, proofs->folder, name);
    return netdp_losses_proof(request, path, NULL, error);
}

static netdp_status say_sizes(const netdp_i_proofs *proofs, const netdp_proof_request *request,
                              int64_t count, netdp_error *error)
{
    double bytes = 0;
    REFUSE(count > MOST_FILES, "--proof-pairs: %" PRId64 " files; give --from or --to, or K:SEED",
           count);
    TRY(netdp_losses_proof_bytes(request, &bytes, error));
    netdp_i_cli_note("%" PRId64 " proof%s into %s, at most %.3g MB", count, count == 1 ? "" : "s",
                     proofs->folder, (double)count * bytes / 1e6);
    return NETDP_OK;
}

netdp_status netdp_i_proofs_write(const netdp_i_proofs *proofs,
                                  const netdp_i_description *description,
                                  const netdp_losses *losses, const netdp_summary *summary,
                                  double noise, netdp_unit unit, netdp_error *error)
{
    const int64_t all = (int64_t)losses->from_count * losses->to_count;
    const bool coalition = losses->members > 1;
    if (summary->pairs == 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "--proof: no pair counts, so none is proven");
    netdp_proof_request request = {
        .losses = &description->request,
        .walk = description->request.protocol == NULL ? &description->walk : NULL,
        .from = summary->worst_from,
        .to = summary->worst_to,
        .noise = noise,
        .unit = unit};
    OWNED bool *chosen = NETDP_I_NEW(bool, all);
    NEED(chosen);
    const int64_t count = netdp_i_proof_pairs(losses, summary, proofs->drawn, proofs->seed, chosen);
    TRY(say_sizes(proofs, &request, count, error));
    TRY(make_folder(proofs->folder, error));
    for (int64_t at = 0; at < all; at++) {
        request.from = losses->from[at % losses->from_count];
        request.to = losses->to[at / losses->from_count];
        if (chosen[at])
            TRY(write_one(proofs, &request, coalition, error));
    }
    return NETDP_OK;
}
