/* What the folders of participants hold, and what a study costs them. */
#include "cli/net/place.h"

#ifdef NETDP_PEER

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "peer/net/deploy.h"
#include "peer/price.h"
#include "peer/settings.h"
#include "study/study.h"

netdp_status netdp_i_net_addresses(const char *net, json_t **addresses, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL;
    int64_t bytes = 0;
    netdp_i_file_path(path, net, "addresses.json");
    if (access(path, F_OK) != 0) {
        *addresses = json_object();
        return *addresses != NULL ? NETDP_OK : netdp_i_no_memory(error);
    }
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    json_t *read = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, NULL);
    netdp_i_free(text);
    if (!json_is_object(read)) {
        json_decref(read);
        return netdp_i_fail(error, NETDP_INVALID, "%.300s: must be {\"NAME\": \"HOST:PORT\"}",
                            path);
    }
    json_object_del(read, "schema");
    *addresses = read;
    return NETDP_OK;
}

netdp_status netdp_i_net_addresses_write(const char *net, const json_t *addresses,
                                         netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, net, "addresses.json");
    return netdp_i_json_write(addresses, path, error);
}

const char *netdp_i_net_address(const json_t *addresses, const char *name)
{
    const char *text = json_string_value(json_object_get(addresses, name));
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Of a link the later member dials, or who has no address of its own; two of those meet at the relay. */
static netdp_status fill_dial(const netdp_i_package *package, const json_t *addresses, int32_t self,
                              netdp_i_settings *settings, netdp_error *error)
{
    const char *own = netdp_i_net_address(addresses, package->member[self].name);
    for (int32_t e = 0; e < package->edges; e++) {
        const int32_t a = package->edge[e][0], b = package->edge[e][1];
        const int32_t other = a == self ? b : a;
        if (a != self && b != self)
            continue;
        const char *there = netdp_i_net_address(addresses, package->member[other].name);
        REFUSE(own == NULL && there == NULL &&
                   (there = netdp_i_net_address(addresses, NETDP_I_NET_MEETING)) == NULL,
               "%s and %s are linked, and neither has an address; one of them must listen, or both "
               "meet at a relay (net init --relay)",
               package->member[self].name, package->member[other].name);
        if (there == NULL || (own != NULL && other > self))
            continue;
        settings->address[other] = netdp_i_copy_text(there);
        NEED(settings->address[other]);
    }
    return NETDP_OK;
}

/* Where its data are, or the program that reads them. */
static netdp_status fill_data(const netdp_i_package *package, const char *data,
                              netdp_i_settings *settings, netdp_error *error)
{
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    TRY(netdp_study_parse(package->study, "study.yaml", NULL, 0, &study, error));
    const bool owns = netdp_i_study_owns(study);
    REFUSE(owns && data != NULL, "--data: a study of task own has a program that reads its data; "
                                 "name it in peer.json (step)");
    if (owns && ((settings->program = NETDP_I_NEW(char *, 2)) == NULL ||
                 (settings->program[0] = netdp_i_copy_text("./step")) == NULL))
        return netdp_i_no_memory(error);
    if (!owns && !settings->test &&
        (settings->data = netdp_i_copy_text(data != NULL ? data : NETDP_I_SETTINGS_DATA)) == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* The owner's text in place of what joining would write; said, after `*before`. */
static void keep_text(const char *key, char **kept, char **made, const char **before)
{
    if (*kept == NULL || (*made != NULL && strcmp(*kept, *made) == 0))
        return;
    char *const swapped = *made;
    *made = *kept;
    *kept = swapped;
    printf("%s%s %s", *before, key, netdp_i_show_text(*made).text);
    *before = ", ";
}

/* The same of a number, which 'usual' is no owner's. */
static void keep_number(const char *key, int64_t kept, int64_t usual, int64_t *made,
                        const char **before)
{
    if (kept == usual)
        return;
    *made = kept;
    printf("%s%s %" PRId64, *before, key, kept);
    *before = ", ";
}

/* Joining the next study takes nothing away that the owner has set, and says in one line what stays. */
static netdp_status keep_own(const char *folder, const netdp_i_package *package,
                             const netdp_i_net_own *of, netdp_i_settings *settings,
                             netdp_error *error)
{
    const char *before = "Kept as you set it in peer.json: ";
    const char *const first = before;
    CLEARED(netdp_i_settings_clear) netdp_i_settings kept = {0};
    TRY(netdp_i_settings_read_kept(folder, package, &kept, error));
    keep_text("metrics", &kept.metrics, &settings->metrics, &before);
    if (kept.listen != NULL && (kept.announced == NULL || strcmp(kept.listen, kept.announced) != 0))
        keep_text("listen", &kept.listen, &settings->listen, &before);
    if (of->data == NULL && settings->data != NULL)
        keep_text("data", &kept.data, &settings->data, &before);
    if (kept.program != NULL && settings->program != NULL) {
        char **const swapped = settings->program;
        settings->program = kept.program;
        kept.program = swapped;
        if (settings->program[1] != NULL || strcmp(settings->program[0], swapped[0]) != 0) {
            printf("%sstep", before);
            before = ", ";
        }
    }
    keep_text("transcript", &kept.transcript, &settings->transcript, &before);
    keep_number("patience", kept.patience, NETDP_I_SETTINGS_PATIENCE, &settings->patience, &before);
    keep_number("linger", kept.linger, NETDP_I_SETTINGS_LINGER, &settings->linger, &before);
    keep_number("slot", kept.slot_of_all ? kept.slot : -1, -1, &settings->slot, &before);
    keep_number("answer", kept.answer_given ? kept.answer : 0, 0, &settings->answer, &before);
    if (before != first)
        puts(".");
    return NETDP_OK;
}

netdp_status netdp_i_net_install(const netdp_i_package *package, const json_t *addresses,
                                 int32_t self, const char *folder, const netdp_i_net_own *of,
                                 netdp_error *error)
{
    char binary[NETDP_I_PATH_ROOM] = "netdp", whole[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_settings_clear)
    netdp_i_settings settings = {.members = package->members,
                                 .address = NETDP_I_NEW(char *, package->members),
                                 .patience = NETDP_I_SETTINGS_PATIENCE,
                                 .linger = NETDP_I_SETTINGS_LINGER,
                                 .slot = -1,
                                 .test = of->test,
                                 .seed = of->seed};
    unsigned char digest[NETDP_I_DIGEST];
    const char *own = netdp_i_net_address(addresses, package->member[self].name);
    const ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length > 0)
        binary[length] = '\0';
    NEED(settings.address);
    TRY(fill_dial(package, addresses, self, &settings, error));
    TRY(netdp_i_package_digest(package, digest, error));
    NEED(settings.package = NETDP_I_NEW(char, NETDP_I_DIGEST_TEXT));
    netdp_i_hex(digest, settings.package);
    if (own != NULL && (settings.listen = netdp_i_copy_text(own)) == NULL)
        return netdp_i_no_memory(error);
    if (own != NULL && (settings.announced = netdp_i_copy_text(own)) == NULL)
        return netdp_i_no_memory(error);
    TRY(fill_data(package, of->data, &settings, error));
    TRY(keep_own(folder, package, of, &settings, error));
    if (realpath(folder, whole) == NULL)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", folder, strerror(errno));
    TRY(netdp_i_deploy_folder(package, self, whole, binary, error));
    return netdp_i_settings_write(whole, package, &settings, error);
}

netdp_status netdp_i_net_print(const netdp_i_package *package, netdp_error *error)
{
    unsigned char digest[NETDP_I_DIGEST];
    char text[NETDP_I_DIGEST_TEXT];
    double worst = 0, all = 0, epsilon = 0, everyone = 0, sensitivity = 0;
    int64_t times = 1;
    char protects[240] = "";
    int32_t who = 0, towards = 0, joined = 0;
    TRY(netdp_i_package_digest(package, digest, error));
    for (int32_t u = 0; u < package->members; u++) {
        OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
        TRY(netdp_i_prices_new(package, u, &prices, error));
        for (int32_t i = 0; i < prices->count; i++)
            if (prices->towards[i].count == 1 && prices->towards[i].square > worst) {
                worst = prices->towards[i].square;
                who = u;
                towards = prices->towards[i].member[0];
            }
        all = fmax(all, prices->everyone);
        times = prices->times;
        sensitivity = prices->sensitivity;
        memcpy(protects, prices->protects, sizeof protects);
        joined += package->member[u].joined;
    }
    TRY(netdp_i_price_epsilon(netdp_i_price_times(worst, times), package->terms.delta, &epsilon,
                              error));
    TRY(netdp_i_price_epsilon(netdp_i_price_times(all, times), package->terms.delta, &everyone,
                              error));
    netdp_i_hex(digest, text);
    printf("Package %s\n%s: %d of %d have joined; %" PRId64 " rounds, noise %.6g, pairs %.6g.\n",
           text, package->title, (int)joined, (int)package->members, package->terms.rounds,
           package->terms.sigma, package->terms.noise.pairing.kappa);
    const double deviation = package->terms.sigma / sqrt(package->members);
    if (package->terms.contributions == 1)
        printf("Its noise leaves a standard error of %.3g in each column's mean. The unit is the "
               "column's declared\nrange, or with task.clip that of the data.\n",
               deviation * sensitivity);
    else
        printf("%" PRId64
               " phases: the mean gradient of each has a standard error of %.3g in each number.\n",
               package->terms.contributions, deviation * sensitivity);
    printf("Protected: %s.\n", protects);
    printf("Towards a single participant who sees every message: epsilon %s at delta %g at most "
           "(%s\ntowards %s); towards all others together %s.\n",
           netdp_i_up(package->terms.revealed > 0 ? everyone : epsilon, 4).text,
           package->terms.delta, package->member[who].name, package->member[towards].name,
           netdp_i_up(everyone, 4).text);
    return NETDP_OK;
}

#endif
