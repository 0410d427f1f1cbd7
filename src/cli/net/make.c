/* netdp net: from a study to participants, on one machine or one hospital at a time. */
#include "cli/common/command.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"

#ifdef NETDP_PEER

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/net/net.h"
#include "peer/ledger.h"
#include "peer/link/address.h"
#include "peer/net/deploy.h"
#include "peer/net/invitation.h"
#include "peer/settings.h"
#include "peer/price.h"
#include "plan/problem.h"
#include "study/study.h"

typedef struct net_options {
    const char *output, *names, *rows, *variant, *host, *listen, *data_folder, *data, *accept;
    const char *relay;
    int64_t nodes, port, days, attempts, revealed;
    uint64_t seed;
    netdp_i_texts set, coalitions;
    bool invite, deal;
} net_options;

/* ---- Addresses and folders ---- */

/* In NET/addresses.json: where those meet who have no address of their own; no member's name. */
static const char meeting[] = "*";

/* NET/addresses.json: {"NAME": "HOST:PORT"}; not part of what is agreed on. */
static netdp_status read_addresses(const char *net, json_t **addresses, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL;
    int64_t bytes = 0;
    netdp_i_file_path(path, net, "addresses.json");
    if (access(path, F_OK) != 0) {
        *addresses = json_object();
        return *addresses != NULL ? NETDP_OK : netdp_i_no_memory(error);
    }
    netdp_status status = netdp_i_file_load(path, &text, &bytes, error);
    if (status != NETDP_OK)
        return status;
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

static netdp_status write_addresses(const char *net, const json_t *addresses, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, net, "addresses.json");
    return netdp_i_json_write(addresses, path, error);
}

static const char *address_of(const json_t *addresses, const char *name)
{
    const char *text = json_string_value(json_object_get(addresses, name));
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Of a link the later member dials, or who has no address of its own; two of those meet at the relay. */
static netdp_status fill_dial(const netdp_i_package *package, const json_t *addresses, int32_t self,
                              netdp_i_settings *settings, netdp_error *error)
{
    const char *own = address_of(addresses, package->member[self].name);
    for (int32_t e = 0; e < package->edges; e++) {
        const int32_t a = package->edge[e][0], b = package->edge[e][1];
        const int32_t other = a == self ? b : a;
        if (a != self && b != self)
            continue;
        const char *there = address_of(addresses, package->member[other].name);
        if (own == NULL && there == NULL && (there = address_of(addresses, meeting)) == NULL)
            return netdp_i_fail(
                error, NETDP_INVALID,
                "%s and %s are linked, and neither has an address; one of them must "
                "listen, or both meet at a relay (net init --relay)",
                package->member[self].name, package->member[other].name);
        if (there == NULL || (own != NULL && other > self))
            continue;
        settings->address[other] = netdp_i_copy_text(there);
        if (settings->address[other] == NULL)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

/* Where its data are, or the program that reads them. */
static netdp_status fill_data(const netdp_i_package *package, const char *data,
                              netdp_i_settings *settings, netdp_error *error)
{
    netdp_study *study = NULL;
    netdp_status status = netdp_study_parse(package->study, "study.yaml", NULL, 0, &study, error);
    const bool owns = status == NETDP_OK && netdp_i_study_owns(study);
    netdp_study_free(study);
    if (owns && data != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "--data: a study of task own has a program that reads its data; name "
                            "it in peer.json (step)");
    if (owns && ((settings->program = NETDP_I_NEW(char *, 2)) == NULL ||
                 (settings->program[0] = netdp_i_copy_text("./step")) == NULL))
        return netdp_i_no_memory(error);
    if (status == NETDP_OK && !owns && !settings->test &&
        (settings->data = netdp_i_copy_text(data != NULL ? data : "data.csv")) == NULL)
        return netdp_i_no_memory(error);
    return status;
}

/* The folder of a member whose key is in it already. */
static netdp_status install(const netdp_i_package *package, const json_t *addresses, int32_t self,
                            const char *folder, const net_options *o, bool test, netdp_error *error)
{
    char binary[NETDP_I_PATH_ROOM] = "netdp", whole[NETDP_I_PATH_ROOM];
    netdp_i_settings settings = {.members = package->members,
                                 .address = NETDP_I_NEW(char *, package->members),
                                 .patience = 3600,
                                 .linger = 60,
                                 .slot = -1,
                                 .test = test,
                                 .seed = o->seed};
    unsigned char digest[NETDP_I_DIGEST];
    const char *own = address_of(addresses, package->member[self].name);
    const ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length > 0)
        binary[length] = '\0';
    if (settings.address == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = fill_dial(package, addresses, self, &settings, error);
    if (status == NETDP_OK)
        status = netdp_i_package_digest(package, digest, error);
    if (status == NETDP_OK && (settings.package = NETDP_I_NEW(char, NETDP_I_DIGEST_TEXT)) == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        netdp_i_hex(digest, settings.package);
    if (status == NETDP_OK && own != NULL && (settings.listen = netdp_i_copy_text(own)) == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status = fill_data(package, o->data, &settings, error);
    if (status == NETDP_OK && realpath(folder, whole) == NULL)
        status = netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", folder, strerror(errno));
    if (status == NETDP_OK)
        status = netdp_i_deploy_folder(package, self, whole, binary, error);
    if (status == NETDP_OK)
        status = netdp_i_settings_write(whole, package, &settings, error);
    netdp_i_settings_clear(&settings);
    return status;
}

/* ---- init ---- */

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
    netdp_status status = netdp_study_read(path, o->set.text, o->set.count, study, error);
    if (status != NETDP_OK)
        return status;
    *chosen = (*study)->variation_count == 0 && o->variant == NULL ? *study : NULL;
    for (int32_t i = 0; i < (*study)->variation_count && o->variant != NULL; i++)
        if (strcmp((*study)->variation[i].name, o->variant) == 0)
            *chosen = (*study)->variation[i].study;
    if (*chosen == NULL)
        return netdp_i_fail(
            error, NETDP_INVALID, "%.300s: --variant: %s; peers run one of its variants", path,
            o->variant == NULL ? "required, it has several" : "it has none of this name");
    netdp_i_file_path(into, net, "package/study.yaml");
    status = netdp_study_write(*chosen, into, error);
    return status == NETDP_OK ? load_text(into, text, error) : status;
}

/* NAME/data.csv: one row, the member's own value of the study's data. */
static netdp_status deal(const netdp_study *study, const net_options *o,
                         const netdp_i_package *package, const char *net, netdp_error *error)
{
    netdp_i_problem *problem = NULL;
    netdp_status status = netdp_i_problem_new(study, o->data_folder, &problem, error);
    if (status == NETDP_OK && problem->values == NULL)
        status = netdp_i_fail(error, NETDP_INVALID, "--deal: deals the rows of a mean alone");
    if (status == NETDP_OK && package->member[0].rows > 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "--deal: gives each one row, its mean, and --rows announces others");
    for (int32_t v = 0; v < package->members && status == NETDP_OK; v++) {
        char folder[NETDP_I_PATH_ROOM], path[NETDP_I_PATH_ROOM + 16];
        netdp_i_output out;
        netdp_i_file_path(folder, net, package->member[v].name);
        snprintf(path, sizeof path, "%s/data.csv", folder);
        status = netdp_i_output_open_private(&out, path, error);
        for (int32_t j = 0; status == NETDP_OK && j < problem->width; j++)
            fprintf(out.stream, "%s%s", j > 0 ? "," : "", problem->column[j]);
        for (int32_t j = 0; status == NETDP_OK && j < problem->width; j++)
            fprintf(out.stream, "%s%.17g", j > 0 ? "," : "\n",
                    problem->low[j] +
                        problem->scale[j] * problem->values[(int64_t)v * problem->width + j]);
        if (status == NETDP_OK) {
            fputc('\n', out.stream);
            status = netdp_i_output_commit(&out, error);
        }
    }
    netdp_i_problem_free(problem);
    return status;
}

/* Keys first, for the package names them; then every folder. */
static netdp_status make_members(netdp_i_package *package, const net_options *o, bool test,
                                 netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], path[NETDP_I_PATH_ROOM + 8], address[300];
    json_t *addresses = json_object();
    netdp_status status = addresses == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int32_t v = 0; v < package->members && status == NETDP_OK; v++) {
        netdp_i_signer *signer = NULL;
        netdp_i_file_path(folder, o->output, package->member[v].name);
        snprintf(path, sizeof path, "%s/key", folder);
        snprintf(address, sizeof address, "%.250s:%" PRId64, o->host, o->port + v);
        status = o->port + v > 65535
                     ? netdp_i_fail(error, NETDP_INVALID,
                                    "--port: %" PRId64 " and those behind it: ports end at 65535",
                                    o->port)
                     : netdp_i_deploy_mkdir(folder, false, error);
        if (status == NETDP_OK)
            status = netdp_i_signer_make(path, &signer, error);
        if (status == NETDP_OK) {
            memcpy(package->member[v].key, netdp_i_signer_public(signer), NETDP_I_KEY);
            package->member[v].joined = true;
            json_object_set_new(addresses, package->member[v].name, json_string(address));
        }
        netdp_i_signer_free(signer);
    }
    if (status == NETDP_OK)
        status = write_addresses(o->output, addresses, error);
    for (int32_t v = 0; v < package->members && status == NETDP_OK; v++) {
        netdp_i_file_path(folder, o->output, package->member[v].name);
        status = install(package, addresses, v, folder, o, test, error);
    }
    json_decref(addresses);
    return status;
}

/* Of those who are invited the relay alone is known. */
static netdp_status make_meeting(const net_options *o, netdp_error *error)
{
    char address[NETDP_I_HOST + 16];
    if (o->relay == NULL)
        return NETDP_OK;
    snprintf(address, sizeof address, "relay:%.256s", o->relay);
    json_t *addresses = json_pack("{s:s}", meeting, address);
    netdp_status status =
        addresses == NULL ? netdp_i_no_memory(error) : write_addresses(o->output, addresses, error);
    json_decref(addresses);
    return status;
}

/* What the study costs, and its name. */
static netdp_status print_package(const netdp_i_package *package, netdp_error *error)
{
    unsigned char digest[NETDP_I_DIGEST];
    char text[NETDP_I_DIGEST_TEXT];
    double worst = 0, all = 0, epsilon = 0, everyone = 0, times = 1, sensitivity = 0;
    char protects[240] = "";
    int32_t who = 0, towards = 0, joined = 0;
    netdp_status status = netdp_i_package_digest(package, digest, error);
    for (int32_t u = 0; u < package->members && status == NETDP_OK; u++) {
        netdp_i_prices *prices = NULL;
        status = netdp_i_prices_new(package, u, &prices, error);
        for (int32_t i = 0; status == NETDP_OK && i < prices->count; i++)
            if (prices->towards[i].count == 1 && prices->towards[i].square > worst) {
                worst = prices->towards[i].square;
                who = u;
                towards = prices->towards[i].member[0];
            }
        if (status == NETDP_OK) {
            all = fmax(all, prices->everyone);
            times = (double)prices->times;
            sensitivity = prices->sensitivity;
            memcpy(protects, prices->protects, sizeof protects);
        }
        joined += package->member[u].joined;
        netdp_i_prices_free(prices);
    }
    if (status == NETDP_OK)
        status = netdp_i_price_epsilon(worst * times, package->terms.delta, &epsilon, error);
    if (status == NETDP_OK)
        status = netdp_i_price_epsilon(all * times, package->terms.delta, &everyone, error);
    if (status != NETDP_OK)
        return status;
    netdp_i_hex(digest, text);
    printf("Package %s\n%s: %d of %d have joined; %" PRId64 " rounds, noise %.6g, pairs %.6g.\n",
           text, package->title, (int)joined, (int)package->members, package->terms.rounds,
           package->terms.noise, package->terms.pair_noise);
    const double deviation = package->terms.noise / sqrt(package->members);
    if (package->terms.contributions == 1)
        printf("Its noise leaves a standard error of %.3g in each column's mean, in parts of its "
               "declared range (of\ntask.clip: in the data's unit).\n",
               deviation * sensitivity);
    else
        printf("%" PRId64 " phases: the mean gradient of each has a standard error of %.3g in each "
               "number.\n",
               package->terms.contributions, deviation * sensitivity);
    printf("Protected: %s.\n", protects);
    printf("Towards a single participant who sees every message: epsilon %s at delta %g at most "
           "(%s\ntowards %s); towards all others together %s.\n",
           netdp_i_up(package->terms.revealed > 0 ? everyone : epsilon, 4).text,
           package->terms.delta, package->member[who].name, package->member[towards].name,
           netdp_i_up(everyone, 4).text);
    return NETDP_OK;
}

static netdp_status check_init(const net_options *o, const netdp_i_arguments *arguments,
                               netdp_error *error)
{
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    const bool test = netdp_i_cli_given(arguments, "test");
    if (o->output == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "-o DIR: required; the folder to be made");
    if (o->port < 1 || o->port > 60000)
        return netdp_i_fail(error, NETDP_INVALID, "--port: must be from 1 to 60000");
    if (o->days < 1 || o->days > 36500)
        return netdp_i_fail(error, NETDP_INVALID, "--days: must be from 1 to 36500");
    if (o->invite && (test || o->deal))
        return netdp_i_fail(error, NETDP_INVALID,
                            "--invite: who is invited brings key and data; leave --test and --deal "
                            "out");
    if (o->relay != NULL && (!o->invite || !netdp_i_address_split(o->relay, host, port)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "--relay: give HOST:PORT, with --invite: on one machine all listen");
    if (o->deal && test)
        return netdp_i_fail(error, NETDP_INVALID, "--deal: --test reads no data of anybody's");
    return NETDP_OK;
}

static netdp_status init(const char *path, const net_options *o, bool test, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], *text = NULL;
    netdp_study *study = NULL;
    const netdp_study *chosen = NULL;
    netdp_i_package *package = NULL;
    const netdp_i_terms_asked asked = {.nodes = o->nodes,
                                       .names = o->names,
                                       .rows = o->rows,
                                       .data = o->data_folder,
                                       .coalition_count = o->coalitions.count,
                                       .coalitions = o->coalitions.text,
                                       .attempts = o->attempts,
                                       .revealed = o->revealed,
                                       .expires = (int64_t)time(NULL) + 86400 * o->days};
    netdp_i_file_path(folder, o->output, "package");
    netdp_status status = netdp_i_deploy_mkdir(o->output, false, error);
    if (status == NETDP_OK)
        status = netdp_i_deploy_mkdir(folder, false, error);
    if (status == NETDP_OK)
        status = read_study(path, o, o->output, &study, &chosen, &text, error);
    if (status == NETDP_OK)
        status = netdp_i_deploy_package(chosen, text, &asked, &package, error);
    if (status == NETDP_OK)
        status = o->invite ? make_meeting(o, error) : make_members(package, o, test, error);
    if (status == NETDP_OK)
        status = netdp_i_package_write(package, folder, error);
    if (status == NETDP_OK && o->deal)
        status = deal(chosen, o, package, o->output, error);
    if (status == NETDP_OK)
        status = print_package(package, error);
    netdp_i_package_free(package);
    netdp_i_free(text);
    netdp_study_free(study);
    return status;
}

netdp_status netdp_i_net_init(int argc, const char **argv, netdp_error *error)
{
    net_options o = {.host = "127.0.0.1", .port = 7400, .days = 365, .attempts = 1};
    const netdp_i_option options[] = {
        {NETDP_I_COUNT, 'n', "nodes", &o.nodes, "N",
         "participants, as a check: the graph has as many", "the graph's"},
        {NETDP_I_TEXT, 'o', "output", &o.output, "DIR", "the folder to be made", "required"},
        {NETDP_I_TEXT, 0, "variant", &o.variant, "VARIANT", "which variant of the study",
         "its only one"},
        {NETDP_I_LIST, 0, "set", &o.set, "KEY=VALUE",
         "override a key of the study; may be repeated", "none"},
        {NETDP_I_TEXT, 0, "names", &o.names, "A,B,...", "names, in the order of nodes",
         "the graph's, or peer-1, ..."},
        {NETDP_I_TEXT, 0, "rows", &o.rows, "N,N,...",
         "how many rows each announces, where the study protects or counts rows", "none"},
        {NETDP_I_LIST, 0, "coalition", &o.coalitions, "A,B,...",
         "who may collude, accounted for as one observer; may be repeated", "none"},
        {NETDP_I_COUNT, 0, "attempts", &o.attempts, "N",
         "how often a contribution may be tried, each at its full price", "1"},
        {NETDP_I_COUNT, 0, "revealed", &o.revealed, "F",
         "failed partners whose pair noise may be revealed; above 0, local noise is what is paid",
         "0"},
        {NETDP_I_COUNT, 0, "days", &o.days, "N", "until the package expires", "365"},
        {NETDP_I_TEXT, 0, "data", &o.data_folder, "DIR", "where the study's graph and data are",
         "as netdp run"},
        {NETDP_I_SWITCH, 0, "invite", &o.invite, NULL,
         "make no keys and no folders: everybody is invited (netdp net invite)", NULL},
        {NETDP_I_TEXT, 0, "relay", &o.relay, "HOST:PORT",
         "where those meet who can only dial (netdp net relay)", "one of two must listen"},
        {NETDP_I_GROUP, 0, "All participants on this machine:", NULL, NULL, NULL, NULL},
        {NETDP_I_TEXT, 0, "host", &o.host, "HOST", "where they listen", "127.0.0.1"},
        {NETDP_I_COUNT, 0, "port", &o.port, "PORT", "of the first; the others follow", "7400"},
        {NETDP_I_SWITCH, 0, "deal", &o.deal, NULL, "give each its own part of the study's data",
         NULL},
        {NETDP_I_SEED, 0, "test", &o.seed, "SEED",
         "seeded noise, that of netdp run, which hides nothing: no real data are read", "none"},
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
    netdp_i_arguments arguments;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status == NETDP_OK && !arguments.help)
        status = check_init(&o, &arguments, error);
    if (status == NETDP_OK && !arguments.help)
        status = init(arguments.text[0], &o, netdp_i_cli_given(&arguments, "test"), error);
    free(o.set.text);
    free(o.coalitions.text);
    netdp_i_arguments_free(&arguments);
    return status;
}

/* ---- invite ---- */

/* Two who can only dial never meet without a relay: said when the second of them comes in, not at the end. */
static void say_relay(const netdp_i_package *package, const json_t *addresses)
{
    if (address_of(addresses, meeting) != NULL)
        return;
    for (int32_t e = 0; e < package->edges; e++) {
        const netdp_i_member *a = &package->member[package->edge[e][0]];
        const netdp_i_member *b = &package->member[package->edge[e][1]];
        if (a->joined && b->joined && address_of(addresses, a->name) == NULL &&
            address_of(addresses, b->name) == NULL)
            printf(
                "%s and %s are linked, and both can only dial: they need a relay. Run netdp net "
                "relay where both reach\nit, and say where that is: netdp net invite DIR --relay "
                "HOST:PORT. Or one of them joins again with --listen.\n",
                a->name, b->name);
    }
}

/* Where those meet who can only dial, also after net init. */
static netdp_status set_relay(const char *net, const char *relay, netdp_error *error)
{
    char address[NETDP_I_HOST + 16];
    json_t *addresses = NULL;
    netdp_status status = read_addresses(net, &addresses, error);
    snprintf(address, sizeof address, "relay:%.256s", relay);
    if (status == NETDP_OK)
        json_object_set_new(addresses, meeting, json_string(address));
    if (status == NETDP_OK)
        status = write_addresses(net, addresses, error);
    if (status == NETDP_OK)
        printf("Those who can only dial meet at %s; send addresses.json again to who has it.\n",
               relay);
    json_decref(addresses);
    return status;
}

static netdp_status accept_answer(const char *net, const char *path, netdp_i_package *package,
                                  netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], address[256], key[NETDP_I_DIGEST_TEXT];
    json_t *answer = NULL, *addresses = NULL;
    int32_t who = -1;
    netdp_i_file_path(folder, net, "package");
    netdp_status status = netdp_i_file_load_json(path, &answer, error);
    if (status == NETDP_OK)
        status = netdp_i_answer_take(answer, path, package, &who, address, error);
    if (status == NETDP_OK)
        status = read_addresses(net, &addresses, error);
    if (status == NETDP_OK) {
        json_object_set_new(addresses, package->member[who].name, json_string(address));
        status = write_addresses(net, addresses, error);
    }
    if (status == NETDP_OK)
        status = netdp_i_package_write(package, folder, error);
    if (status == NETDP_OK) {
        netdp_i_hex(package->member[who].key, key);
        printf(
            "%s has joined with the key %s\nRead it out to them by telephone: nobody else can say "
            "that it is theirs.\n",
            package->member[who].name, key);
        say_relay(package, addresses);
        status = print_package(package, error);
    }
    json_decref(answer);
    json_decref(addresses);
    return status;
}

static netdp_status invite(const char *net, const char *name, const net_options *o,
                           netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM];
    netdp_i_package *package = NULL;
    json_t *invitation = NULL;
    netdp_i_file_path(folder, net, "package");
    netdp_status status = netdp_i_package_read(folder, &package, error);
    if (status == NETDP_OK && o->accept != NULL)
        status = accept_answer(net, o->accept, package, error);
    else if (status == NETDP_OK && name != NULL) {
        status = netdp_i_invitation_make(package, name, &invitation, error);
        if (status == NETDP_OK)
            status = netdp_i_json_write(invitation, o->output, error);
        if (status == NETDP_OK)
            status = netdp_i_package_write(package, folder, error);
    }
    if (status == NETDP_OK && o->relay != NULL)
        status = set_relay(net, o->relay, error);
    json_decref(invitation);
    netdp_i_package_free(package);
    return status;
}

/* A name, an answer or a relay: one of them at least, and no name beside an answer. */
static netdp_status check_invite(const net_options *o, size_t count, netdp_error *error)
{
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    if (count == 2 ? o->accept != NULL : o->accept == NULL && o->relay == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "give either NAME, or --accept ANSWER.json");
    if (o->relay != NULL && !netdp_i_address_split(o->relay, host, port))
        return netdp_i_fail(error, NETDP_INVALID, "--relay: '%s': give HOST:PORT",
                            netdp_i_show_text(o->relay).text);
    return NETDP_OK;
}

netdp_status netdp_i_net_invite(int argc, const char **argv, netdp_error *error)
{
    net_options o = {.output = "-"};
    const netdp_i_option options[] = {
        {NETDP_I_TEXT, 'o', "output", &o.output, "FILE", "where the invitation goes",
         "standard output"},
        {NETDP_I_TEXT, 0, "accept", &o.accept, "ANSWER.json",
         "take in the answer of somebody who was invited", "none"},
        {NETDP_I_TEXT, 0, "relay", &o.relay, "HOST:PORT",
         "where those meet who can only dial (netdp net relay)", "as it is"},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net invite",
        .arguments = "DIR [NAME]",
        .what =
            "Invites a participant of the package in DIR, or takes in an answer. The invitation "
            "and the\nanswer hold nothing secret; send them as you like. Inviting somebody again "
            "removes the key\nthat they had; nobody else's changes.",
        .examples = "  netdp net invite net north -o north.invitation\n"
                    "  netdp net invite net --accept answer.json\n"
                    "  netdp net invite net --relay relay.example.org:7399\n",
        .least = 1,
        .most = 2,
        .options = options,
    };
    netdp_i_arguments arguments;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status == NETDP_OK && !arguments.help)
        status = check_invite(&o, arguments.count, error);
    if (status == NETDP_OK && !arguments.help)
        status =
            invite(arguments.text[0], arguments.count > 1 ? arguments.text[1] : NULL, &o, error);
    netdp_i_arguments_free(&arguments);
    return status;
}

/* ---- join ---- */

/* Joining changes what a peer runs by, and a folder whose ledger is lost is none to go on with. */
static netdp_status check_folder(const char *folder, netdp_error *error)
{
    static const char *const ledgers[] = {"ledger.db", "ledger-test.db"};
    char path[NETDP_I_PATH_ROOM];
    netdp_i_signer *signer = NULL;
    for (int i = 0; i < 2; i++) {
        netdp_i_file_path(path, folder, ledgers[i]);
        if (netdp_i_ledger_in_use(path))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%.300s: a peer runs in it; stop it first, or name another folder",
                                folder);
    }
    netdp_i_file_path(path, folder, "key");
    netdp_status status =
        access(path, F_OK) == 0 ? netdp_i_signer_load(path, &signer, error) : NETDP_OK;
    if (status == NETDP_OK)
        status = netdp_i_ledger_expect(folder, signer, error);
    netdp_i_signer_free(signer);
    return status;
}

/* The first time: a key, and the answer. */
static netdp_status join_first(const char *path, const net_options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], key[NETDP_I_PATH_ROOM];
    json_t *invitation = NULL, *answer = NULL;
    netdp_i_package *package = NULL;
    netdp_i_signer *signer = NULL;
    int32_t self = -1;
    netdp_status status = netdp_i_file_load_json(path, &invitation, error);
    if (status == NETDP_OK)
        status = netdp_i_invitation_read(invitation, path, &package, &self, error);
    netdp_i_file_path(folder, o->output, "package");
    netdp_i_file_path(key, o->output, "key");
    if (status == NETDP_OK)
        status = netdp_i_deploy_mkdir(o->output, true, error);
    if (status == NETDP_OK)
        status = netdp_i_deploy_mkdir(folder, true, error);
    if (status == NETDP_OK && access(key, F_OK) == 0)
        status = netdp_i_signer_load(key, &signer, error);
    else if (status == NETDP_OK)
        status = netdp_i_signer_make(key, &signer, error);
    if (status == NETDP_OK)
        status = netdp_i_package_write(package, folder, error);
    if (status == NETDP_OK)
        status = netdp_i_answer_make(package, self, signer, o->listen != NULL ? o->listen : "",
                                     &answer, error);
    if (status == NETDP_OK) {
        char to[NETDP_I_PATH_ROOM], text[NETDP_I_DIGEST_TEXT];
        netdp_i_file_path(to, o->output, "answer.json");
        status = netdp_i_json_write(answer, to, error);
        netdp_i_hex(netdp_i_signer_public(signer), text);
        if (status == NETDP_OK)
            printf("Send %s to who invited you. Your key: %s\n", to, text);
    }
    netdp_i_signer_free(signer);
    netdp_i_package_free(package);
    json_decref(answer);
    json_decref(invitation);
    return status;
}

/* When everybody has: the package, checked against what was answered to. */
static netdp_status join_package(const char *net, const net_options *o, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_package *package = NULL, *before = NULL;
    netdp_i_signer *signer = NULL;
    json_t *addresses = NULL;
    bool same = false;
    netdp_i_file_path(path, net, "package");
    netdp_status status = netdp_i_package_read(path, &package, error);
    if (status == NETDP_OK)
        status = netdp_i_package_admit(package, NULL, time(NULL), error);
    if (status == NETDP_OK)
        status = read_addresses(net, &addresses, error);
    netdp_i_file_path(path, o->output, "package");
    if (status == NETDP_OK)
        status = netdp_i_package_read(path, &before, error);
    if (status == NETDP_OK)
        status = netdp_i_package_same(package, before, &same, error);
    if (status == NETDP_OK && !same)
        status =
            netdp_i_fail(error, NETDP_INVALID,
                         "wrong digest: %.300s has another study than the one that this folder "
                         "was invited to",
                         net);
    netdp_i_file_path(path, o->output, "key");
    if (status == NETDP_OK)
        status = netdp_i_signer_load(path, &signer, error);
    const int32_t self =
        status == NETDP_OK ? netdp_i_package_find_key(package, netdp_i_signer_public(signer)) : -1;
    if (status == NETDP_OK && self < 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "the roster of %.300s does not have this folder's key", net);
    if (status == NETDP_OK)
        status = install(package, addresses, self, o->output, o, false, error);
    if (status == NETDP_OK)
        status = print_package(package, error);
    if (status == NETDP_OK)
        printf("Compare the package's name with the others, look at budget.yaml, then: netdp net "
               "doctor %s\n",
               o->output);
    netdp_i_signer_free(signer);
    json_decref(addresses);
    netdp_i_package_free(package);
    netdp_i_package_free(before);
    return status;
}

netdp_status netdp_i_net_join(int argc, const char **argv, netdp_error *error)
{
    net_options o = {0};
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    struct stat shape;
    const netdp_i_option options[] = {
        {NETDP_I_TEXT, 'o', "output", &o.output, "DIR", "the participant's own folder", "required"},
        {NETDP_I_TEXT, 0, "listen", &o.listen, "HOST:PORT",
         "where the neighbours reach this participant", "it dials only"},
        {NETDP_I_TEXT, 0, "data", &o.data, "FILE", "a CSV file of its own rows, seen from DIR",
         "data.csv"},
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net join",
        .arguments = "INVITATION|NET",
        .what =
            "Of an invitation: makes this participant's key, which never leaves DIR, and the "
            "answer.\nOf a folder NET with package/ and addresses.json, when everybody has "
            "joined: checks that it\nis the study that was answered to, and makes DIR ready for "
            "netdp peer.",
        .examples = "  netdp net join north.invitation --listen 192.0.2.7:7400 -o north\n"
                    "  netdp net join net --data patients.csv -o north\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    netdp_i_arguments arguments;
    netdp_status status = netdp_i_cli_parse(&usage, argc, argv, &arguments, error);
    if (status == NETDP_OK && !arguments.help && o.output == NULL)
        status = netdp_i_fail(error, NETDP_INVALID, "-o DIR: required; your own folder");
    else if (status == NETDP_OK && !arguments.help && o.listen != NULL &&
             !netdp_i_address_split(o.listen, host, port))
        status =
            netdp_i_fail(error, NETDP_INVALID, "--listen: '%s': give HOST:PORT, a port up to 65535",
                         netdp_i_show_text(o.listen).text);
    else if (status == NETDP_OK && !arguments.help)
        status = check_folder(o.output, error);
    if (status == NETDP_OK && !arguments.help)
        status = stat(arguments.text[0], &shape) == 0 && S_ISDIR(shape.st_mode)
                     ? join_package(arguments.text[0], &o, error)
                     : join_first(arguments.text[0], &o, error);
    netdp_i_arguments_free(&arguments);
    return status;
}

#endif
