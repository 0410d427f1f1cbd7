/* netdp net init: a study package, and all participants on one machine or an empty roster. */
#include "cli/common/command.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/try.h"

#ifdef NETDP_PEER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/net/net.h"
#include "cli/net/place.h"
#include "peer/link/address.h"
#include "peer/net/deploy.h"
#include "plan/problem.h"
#include "study/study.h"

typedef struct net_options {
    const char *output, *names, *rows, *variant, *host, *data_folder, *relay;
    int64_t nodes, port, days, attempts, revealed;
    uint64_t seed;
    netdp_i_texts set, coalitions;
    bool invite, deal;
} net_options;

static netdp_status load_text(const char *path, char **text, netdp_error *error)
{
    int64_t bytes;
    return netdp_i_file_load(path, text, &bytes, error);
}

/* The study with one variant, written into NET/package with every default filled in. */
static netdp_status read_study(const char *path, const net_options *o, const char *net,
                               netdp_study **study, const netdp_study **chosen, char **text,
                               netdp_error *error)
{
    char into[NETDP_I_PATH_ROOM];
    TRY(netdp_study_read(path, o->set.text, o->set.count, study, error));
    *chosen = (*study)->variation_count == 0 && o->variant == NULL ? *study : NULL;
    for (int32_t i = 0; i < (*study)->variation_count && o->variant != NULL; i++)
        if (strcmp((*study)->variation[i].name, o->variant) == 0)
            *chosen = (*study)->variation[i].study;
    REFUSE(*chosen == NULL, "%.300s: --variant: %s; peers run one of its variants", path,
           o->variant == NULL ? "required, it has several" : "it has none of this name");
    netdp_i_file_path(into, net, "package/study.yaml");
    TRY(netdp_study_write(*chosen, into, error));
    return load_text(into, text, error);
}

/* NAME/data.csv: one row, the member's own value of the study's data. */
static netdp_status deal(const netdp_study *study, const net_options *o,
                         const netdp_i_package *package, const char *net, netdp_error *error)
{
    OWNED_BY(netdp_i_problem_free) netdp_i_problem *problem = NULL;
    TRY(netdp_i_problem_new(study, o->data_folder, &problem, error));
    REFUSE(problem->values == NULL, "--deal: deals the rows of a mean alone");
    REFUSE(package->member[0].rows > 0,
           "--deal: gives each one row, its mean, and --rows announces others");
    for (int32_t v = 0; v < package->members; v++) {
        char folder[NETDP_I_PATH_ROOM], path[NETDP_I_PATH_ROOM + 16];
        netdp_i_output out;
        netdp_i_file_path(folder, net, package->member[v].name);
        snprintf(path, sizeof path, "%s/data.csv", folder);
        TRY(netdp_i_output_open_own(&out, path, true, error));
        for (int32_t j = 0; j < problem->width; j++)
            fprintf(out.stream, "%s%s", j > 0 ? "," : "", problem->column[j]);
        for (int32_t j = 0; j < problem->width; j++)
            fprintf(out.stream, "%s%.17g", j > 0 ? "," : "\n",
                    problem->low[j] +
                        problem->scale[j] * problem->values[(int64_t)v * problem->width + j]);
        fputc('\n', out.stream);
        TRY(netdp_i_output_commit(&out, error));
    }
    return NETDP_OK;
}

/* Keys first, for the package names them; then every folder. */
static netdp_status make_members(netdp_i_package *package, const net_options *o, bool test,
                                 netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], path[NETDP_I_PATH_ROOM + 8], address[300];
    OWNED_BY(json_decref) json_t *addresses = json_object();
    const netdp_i_net_own own = {.test = test, .seed = o->seed};
    NEED(addresses);
    for (int32_t v = 0; v < package->members; v++) {
        OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
        netdp_i_file_path(folder, o->output, package->member[v].name);
        snprintf(path, sizeof path, "%s/key", folder);
        snprintf(address, sizeof address, "%.250s:%" PRId64, o->host, o->port + v);
        REFUSE(o->port + v > 65535, "--port: %" PRId64 " and those behind it: ports end at 65535",
               o->port);
        TRY(netdp_i_deploy_mkdir(folder, false, error));
        TRY(netdp_i_signer_make(path, &signer, error));
        memcpy(package->member[v].key, netdp_i_signer_public(signer), NETDP_I_KEY);
        package->member[v].joined = true;
        json_object_set_new(addresses, package->member[v].name, json_string(address));
    }
    TRY(netdp_i_net_addresses_write(o->output, addresses, error));
    for (int32_t v = 0; v < package->members; v++) {
        netdp_i_file_path(folder, o->output, package->member[v].name);
        TRY(netdp_i_net_install(package, addresses, v, folder, &own, error));
    }
    return NETDP_OK;
}

/* Of those who are invited the relay alone is known. */
static netdp_status make_meeting(const net_options *o, netdp_error *error)
{
    char address[NETDP_I_HOST + 16];
    if (o->relay == NULL)
        return NETDP_OK;
    snprintf(address, sizeof address, "relay:%.256s", o->relay);
    OWNED_BY(json_decref) json_t *addresses = json_pack("{s:s}", NETDP_I_NET_MEETING, address);
    NEED(addresses);
    return netdp_i_net_addresses_write(o->output, addresses, error);
}

static netdp_status check_init(const net_options *o, const netdp_i_arguments *arguments,
                               netdp_error *error)
{
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    const bool test = netdp_i_cli_given(arguments, "test");
    REFUSE(o->output == NULL, "-o DIR: required; the folder to be made");
    REFUSE(o->port < 1 || o->port > 60000, "--port: must be from 1 to 60000");
    REFUSE(o->days < 1 || o->days > 36500, "--days: must be from 1 to 36500");
    REFUSE(o->invite && (test || o->deal),
           "--invite: who is invited brings key and data; leave --test and --deal out");
    REFUSE(o->relay != NULL && (!o->invite || !netdp_i_address_split(o->relay, host, port)),
           "--relay: give HOST:PORT, with --invite: on one machine all listen");
    REFUSE(o->deal && test, "--deal: --test reads no data of anybody's");
    return NETDP_OK;
}

/* What was refused leaves no folder behind, which would be in the way of the next try. */
static void remove_begun(const char *net, const char *package)
{
    char study[NETDP_I_PATH_ROOM];
    netdp_i_file_path(study, package, "study.yaml");
    (void)unlink(study);
    (void)rmdir(package);
    (void)rmdir(net);
}

/* A study, what is played of it, and its package. */
struct begun {
    netdp_study *study;
    const netdp_study *chosen;
    char *text;
    netdp_i_package *package;
};

static void clear(struct begun *b)
{
    netdp_i_package_free(b->package);
    netdp_i_free(b->text);
    netdp_study_free(b->study);
}

static netdp_status begin(const char *path, const net_options *o, const char *folder,
                          struct begun *b, netdp_error *error)
{
    const netdp_i_terms_asked asked = {.nodes = o->nodes,
                                       .names = o->names,
                                       .rows = o->rows,
                                       .data = o->data_folder,
                                       .coalition_count = o->coalitions.count,
                                       .coalitions = o->coalitions.text,
                                       .attempts = o->attempts,
                                       .revealed = o->revealed,
                                       .expires = (int64_t)time(NULL) + 86400 * o->days};
    TRY(netdp_i_deploy_mkdir(folder, false, error));
    TRY(read_study(path, o, o->output, &b->study, &b->chosen, &b->text, error));
    return netdp_i_deploy_package(b->chosen, b->text, &asked, &b->package, error);
}

static netdp_status init(const char *path, const net_options *o, bool test, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM];
    CLEARED(clear) struct begun b = {0};
    netdp_i_file_path(folder, o->output, "package");
    TRY(netdp_i_deploy_mkdir(o->output, false, error));
    const netdp_status status = begin(path, o, folder, &b, error);
    if (status != NETDP_OK) {
        remove_begun(o->output, folder);
        return status;
    }
    TRY(o->invite ? make_meeting(o, error) : make_members(b.package, o, test, error));
    TRY(netdp_i_package_write(b.package, folder, error));
    if (o->deal)
        TRY(deal(b.chosen, o, b.package, o->output, error));
    return netdp_i_net_print(b.package, error);
}

static void net_options_clear(net_options *o)
{
    free(o->set.text);
    free(o->coalitions.text);
}

netdp_status netdp_i_net_init(int argc, const char **argv, netdp_error *error)
{
    CLEARED(net_options_clear)
    net_options o = {.host = "127.0.0.1", .port = 7400, .days = 365, .attempts = 1};
    const netdp_i_option options[] = {
        {NETDP_I_COUNT, 'n', "nodes", &o.nodes, "N",
         "participants, as a check: the graph has as many", "the graph's"},
        {NETDP_I_TEXT, 'o', "output", &o.output, "DIR", "the folder to be made", "required"},
        OPTION(TEXT, "variant", &o.variant, "VARIANT", "which variant of the study",
               "its only one"),
        OPTION(LIST, "set", &o.set, "KEY=VALUE", "override a key of the study; may be repeated",
               "none"),
        OPTION(TEXT, "names", &o.names, "A,B,...", "names, in the order of nodes",
               "the graph's, or peer-1, ..."),
        OPTION(TEXT, "rows", &o.rows, "N,N,...",
               "how many rows each announces, where the study protects or counts rows", "none"),
        OPTION(LIST, "coalition", &o.coalitions, "A,B,...",
               "who may collude, accounted for as one observer; may be repeated", "none"),
        OPTION(COUNT, "attempts", &o.attempts, "N",
               "how often a contribution may be tried, each at its full price", "1"),
        OPTION(COUNT, "revealed", &o.revealed, "F",
               "failed partners whose pair noise may be revealed; above 0, local noise is what is "
               "paid",
               "0"),
        OPTION(COUNT, "days", &o.days, "N", "until the package expires", "365"),
        OPTION(TEXT, "data", &o.data_folder, "DIR", "where the study's graph and data are",
               "as netdp run"),
        SWITCH("invite", &o.invite,
               "make no keys and no folders: everybody is invited (netdp net invite)"),
        OPTION(TEXT, "relay", &o.relay, "HOST:PORT",
               "where those meet who can only dial (netdp net relay)", "one of two must listen"),
        HEADING("All participants on this machine:"),
        OPTION(TEXT, "host", &o.host, "HOST", "where they listen", "127.0.0.1"),
        OPTION(COUNT, "port", &o.port, "PORT", "of the first; the others follow", "7400"),
        SWITCH("deal", &o.deal, "give each its own part of the study's data"),
        OPTION(SEED, "test", &o.seed, "SEED",
               "seeded noise, that of netdp run, which hides nothing: no real data are read",
               "none"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net init",
        .arguments = "STUDY.yaml",
        .what = "Makes the study package that all participants agree on, its noise found, and for "
                "each a\nfolder with its key, its settings, its budget and a unit for systemd.",
        .examples = "  netdp net init experiments/meters-on-davis.yaml --variant \"gossip with "
                    "pairs\" --deal -o net\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    TRY(check_init(&o, &arguments, error));
    return init(arguments.text[0], &o, netdp_i_cli_given(&arguments, "test"), error);
}

#endif
