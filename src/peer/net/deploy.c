#include "peer/net/deploy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <netdp/account.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "peer/price.h"
#include "peer/task.h"
#include "plan/problem.h"
#include "question/question.h"
#include "study/protection.h"
#include "study/study.h"

/* ---- Members ---- */

/* What a name may not hold becomes '-'. */
static void plain_name(const char *given, char name[NETDP_I_MEMBER_NAME])
{
    size_t used = 0;
    for (const char *at = given; *at != '\0' && used + 1 < NETDP_I_MEMBER_NAME; at++) {
        const char one[2] = {*at, '\0'};
        const bool allowed = netdp_i_member_named(one);
        if (allowed || (used > 0 && name[used - 1] != '-'))
            name[used++] = allowed ? *at : '-';
    }
    while (used > 0 && name[used - 1] == '-')
        used--;
    name[used] = '\0';
}

static bool is_distinct(const netdp_i_package *made, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k <= i; k++)
            if (made->member[i].name[0] == '\0' ||
                (k < i && strcmp(made->member[i].name, made->member[k].name) == 0))
                return false;
    return true;
}

static netdp_status take_names(const char *names, netdp_i_package *made, netdp_error *error)
{
    int32_t count = 0;
    for (const char *at = names; *at != '\0'; count++) {
        const size_t length = strcspn(at, ",");
        char name[NETDP_I_MEMBER_NAME] = "";
        if (length < sizeof name)
            memcpy(name, at, length);
        REFUSE(!netdp_i_member_named(name),
               "--names: '%s': a name has 1 to 63 letters, digits, '-' and '_'",
               netdp_i_show(at, length).text);
        if (count < made->members)
            memcpy(made->member[count].name, name, sizeof name);
        at += length + (at[length] == ',');
    }
    REFUSE(count != made->members, "--names: %d names for a network of %d", (int)count,
           (int)made->members);
    REFUSE(!is_distinct(made, count), "--names: a name is there twice");
    return NETDP_OK;
}

static netdp_status name_members(const netdp_graph *graph, const char *names, netdp_i_package *made,
                                 netdp_error *error)
{
    made->members = netdp_graph_nodes(graph);
    REFUSE(made->members < 2 || made->members > NETDP_I_MOST_MEMBERS,
           "a study between peers has 2 to %d of them, not %d", NETDP_I_MOST_MEMBERS,
           (int)made->members);
    made->member = NETDP_I_NEW(netdp_i_member, made->members);
    NEED(made->member);
    if (names != NULL)
        return take_names(names, made, error);
    for (int32_t i = 0; i < made->members; i++)
        if (netdp_graph_name(graph, i) != NULL)
            plain_name(netdp_graph_name(graph, i), made->member[i].name);
    for (int32_t i = 0; i < made->members && !is_distinct(made, made->members); i++)
        for (int32_t k = 0; k < made->members; k++)
            snprintf(made->member[k].name, NETDP_I_MEMBER_NAME, "peer-%d", (int)k + 1);
    return NETDP_OK;
}

/* "120,75,300": how many rows each member announced. */
static netdp_status take_rows(const char *rows, netdp_i_package *made, netdp_error *error)
{
    int32_t count = 0;
    for (const char *at = rows; rows != NULL && *at != '\0'; count++) {
        char *end = NULL;
        const long long given = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        if (given < 1 || given > NETDP_I_MOST_ROWS || (*end != ',' && *end != '\0') ||
            count >= made->members)
            break;
        made->member[count].rows = given;
        at = end + (*end == ',');
    }
    REFUSE(rows != NULL && (count != made->members || rows[strlen(rows) - 1] == ','),
           "--rows: must be %d numbers from 1 to 2^24, one for each member", (int)made->members);
    return NETDP_OK;
}

static netdp_status list_edges(const netdp_graph *graph, int32_t *count, int32_t (**edge)[2],
                               netdp_error *error)
{
    *edge = netdp_i_new(netdp_graph_edges(graph), sizeof **edge);
    NEED(*edge);
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++)
        for (int32_t k = 0; k < netdp_graph_degree(graph, v); k++)
            if (netdp_graph_neighbours(graph, v)[k] > v) {
                (*edge)[*count][0] = v;
                (*edge)[(*count)++][1] = netdp_graph_neighbours(graph, v)[k];
            }
    return NETDP_OK;
}

static netdp_status take_coalition(const netdp_i_package *made, const char *names,
                                   netdp_i_coalition *coalition, netdp_error *error)
{
    coalition->member = NETDP_I_NEW(int32_t, made->members);
    NEED(coalition->member);
    for (int32_t i = 0; i < made->members; i++) {
        const size_t length = strlen(made->member[i].name);
        for (const char *at = names; *at != '\0';
             at += strcspn(at, ",") + (strchr(at, ',') != NULL))
            if (strcspn(at, ",") == length && memcmp(at, made->member[i].name, length) == 0) {
                coalition->member[coalition->count++] = i;
                break;
            }
    }
    int32_t given = 1;
    for (const char *at = strchr(names, ','); at != NULL; at = strchr(at + 1, ','))
        given++;
    REFUSE(
        coalition->count != given || given < 2 || given >= made->members,
        "--coalition: '%s': give at least two members by name, each once, and leave somebody out",
        netdp_i_show_text(names).text);
    return NETDP_OK;
}

/* ---- The noise ---- */

/* What the study describes, with all that is still to be found. */
typedef struct described {
    netdp_graph *graph, *pairs;
    netdp_mixing *mixing;
    netdp_linear protocol;
} described;

/* A multiple of 2^-16, which both ends of a pair add exactly. */
static double round_kappa(double kappa)
{
    return nearbyint(kappa * 0x1p16) * 0x1p-16;
}

static netdp_status describe(const netdp_study *study, described *d, netdp_error *error)
{
    const netdp_protocol *named = NULL;
    const double kappa = study->question.settings.noise.pairing.kappa;
    const netdp_protection unit = netdp_i_study_protection(study);
    const bool cyclic =
        unit.protects == NETDP_PROTECTS_ROW && unit.batches.kind == NETDP_BATCHES_CYCLIC;
    REFUSE(study->question.pair_graph != NULL && kappa < 0,
           "%s: auto: give a number between peers, such as 10",
           netdp_i_setting_find("pair-noise")->key);
    REFUSE(study->question.settings.noise.pairing.weighted,
           "privacy.pair_weights: between peers all pairs have the same noise");
    REFUSE(study->privacy.more_noise != NULL || study->privacy.targets != NULL,
           "privacy.%s: between peers all have the same noise; leave it out",
           study->privacy.targets != NULL ? "targets" : "more_noise");
    TRY(netdp_protocol_find(study->protocol.kind, &named, error));
    REFUSE(
        named->kind != NETDP_GOSSIP,
        "protocol.kind: %s does not run between peers; take averaging, gossip-sgd or muffliato-sgd",
        named->name);
    if (study->question.pair_graph != NULL)
        TRY(netdp_pairing_graph(study->question.pair_graph, d->graph, study->question.pair_seed,
                                &d->pairs, error));
    TRY(netdp_mixing_new(d->graph, study->mixing.weights, &d->mixing, error));
    netdp_settings begun = study->question.settings;
    netdp_i_settings_begin(&begun);
    begun.noise.pairing = (netdp_pairing){
        .graph = d->pairs, .kappa = d->pairs == NULL ? 0 : round_kappa(kappa == 0 ? 10 : kappa)};
    const netdp_settings settings = {.rounds =
                                         study->protocol.rounds == 0 ? 1 : study->protocol.rounds,
                                     .noise = begun.noise,
                                     .inner = begun.inner,
                                     .every = 1,
                                     .accelerate = begun.accelerate,
                                     .cycle = cyclic ? unit.batches.count : 0};
    d->protocol = netdp_protocol_describe(named, d->mixing, &settings);
    TRY(netdp_linear_check(&d->protocol, error));
    return netdp_mixing_require(d->mixing, error);
}

static netdp_status find_noise(const netdp_study *study, const netdp_i_terms_asked *asked,
                               described *d, const netdp_i_unit *unit, netdp_i_terms *terms,
                               netdp_error *error)
{
    netdp_calibration found;
    const netdp_loss_request request = {.protocol = &d->protocol,
                                        .sees = NETDP_SEES_EVERYTHING,
                                        .own_noise = NETDP_OWN_NOISE_KNOWN,
                                        .bound = NETDP_BOUND_EVERYTHING,
                                        .pool = (int32_t)study->privacy.pool,
                                        .protection = unit->protection};
    const netdp_target target = {.epsilon = study->privacy.epsilon,
                                 .unit = {NETDP_AS_DP, study->privacy.delta},
                                 .over = NETDP_OVER_WORST,
                                 .max_noise = 1e6,
                                 .rounds_auto = study->protocol.rounds == 0,
                                 .variance = study->question.variance};
    REFUSE(!(study->privacy.epsilon > 0 && study->privacy.delta > 0),
           "privacy.epsilon and privacy.delta: required between peers");
    TRY(netdp_calibrate(&request, &target, NULL, &found, NULL, error));
    d->protocol.rounds = found.rounds;
    /* Of rows and histograms, rounding moves values by some 2^-32 of the noise: the target is to hold with it. */
    *terms = (netdp_i_terms){.sigma = found.sigma * (unit->rounded ? 1 + 0x1p-20 : 1),
                             .noise = d->protocol.noise,
                             .rounds = found.rounds,
                             .contributions = netdp_linear_contributions(&d->protocol),
                             .attempts = asked->attempts,
                             .revealed = asked->revealed,
                             .width = netdp_i_task_width(study),
                             .delta = study->privacy.delta,
                             .expires = asked->expires};
    return NETDP_OK;
}

static netdp_status fill_package(const netdp_study *study, const netdp_i_terms_asked *asked,
                                 described *d, netdp_i_package *made, netdp_error *error)
{
    netdp_graph_notes notes;
    CLEARED(netdp_i_unit_clear) netdp_i_unit unit = {0};
    TRY(netdp_i_problem_graph(study, asked->data, &d->graph, &notes, error));
    REFUSE(asked->nodes != 0 && asked->nodes != netdp_graph_nodes(d->graph),
           "-n: %lld, but the study's graph has %d nodes; leave it out, or change graph.family",
           (long long)asked->nodes, (int)netdp_graph_nodes(d->graph));
    TRY(name_members(d->graph, asked->names, made, error));
    TRY(take_rows(asked->rows, made, error));
    TRY(describe(study, d, error));
    TRY(list_edges(d->graph, &made->edges, &made->edge, error));
    if (d->pairs != NULL)
        TRY(list_edges(d->pairs, &made->pairs, &made->pair, error));
    made->terms = (netdp_i_terms){.attempts = asked->attempts, .width = netdp_i_task_width(study)};
    TRY(netdp_i_unit_new(study, made, &unit, error));
    TRY(find_noise(study, asked, d, &unit, &made->terms, error));
    made->coalition = NETDP_I_NEW(netdp_i_coalition, asked->coalition_count);
    NEED(made->coalition);
    for (size_t i = 0; i < asked->coalition_count; i++) {
        made->coalitions++;
        TRY(take_coalition(made, asked->coalitions[i], &made->coalition[i], error));
    }
    return NETDP_OK;
}

static void described_clear(described *d)
{
    netdp_mixing_free(d->mixing);
    netdp_graph_free(d->pairs);
    netdp_graph_free(d->graph);
}

/* Read back at the end: what is written is what a peer will accept. */
netdp_status netdp_i_deploy_package(const netdp_study *study, const char *text,
                                    const netdp_i_terms_asked *asked, netdp_i_package **package,
                                    netdp_error *error)
{
    CLEARED(described_clear) described d = {.graph = NULL};
    OWNED_BY(netdp_i_package_free) netdp_i_package *made = NETDP_I_NEW(netdp_i_package, 1);
    OWNED_BY(json_decref) json_t *roster = NULL;
    NEED(made);
    made->title = netdp_i_copy_text(study->title);
    made->study = netdp_i_copy_text(text);
    if (made->title == NULL || made->study == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_task_check(study, error));
    TRY(fill_package(study, asked, &d, made, error));
    NEED(roster = netdp_i_package_roster(made));
    return netdp_i_package_of(roster, text, "the package", package, error);
}

/* ---- Folders ---- */

netdp_status netdp_i_deploy_mkdir(const char *folder, bool again, netdp_error *error)
{
    if (mkdir(folder, 0700) == 0 || (errno == EEXIST && again))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: cannot be made: %s", folder,
                        errno == EEXIST ? "it is there already; name another, nothing is replaced"
                                        : strerror(errno));
}

/* What the study costs towards the worst single observer, and towards all others together. */
static netdp_status find_cost(const netdp_i_package *package, int32_t self, double *epsilon,
                              double *total, bool *row, netdp_error *error)
{
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
    TRY(netdp_i_prices_new(package, self, &prices, error));
    double worst = prices->exposed ? prices->everyone : prices->outside;
    for (int32_t i = 0; i < prices->count && !prices->exposed; i++)
        if (prices->towards[i].count == 1)
            worst = fmax(worst, prices->towards[i].square);
    const double times = (double)prices->times * (1 + 0x1p-40), all = prices->everyone;
    *row = prices->row;
    TRY(netdp_i_price_epsilon(worst * times, package->terms.delta, epsilon, error));
    return netdp_i_price_epsilon(all * times, package->terms.delta, total, error);
}

/* Room for this study once, and for no other. */
static netdp_status write_budget(const netdp_i_package *package, int32_t self, const char *folder,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    struct stat shape;
    netdp_i_output output;
    double epsilon = 0, total = 0;
    bool row = false;
    netdp_i_file_path(path, folder, "budget.yaml");
    if (stat(path, &shape) == 0)
        return NETDP_OK; /* the owner's own */
    TRY(find_cost(package, self, &epsilon, &total, &row, error));
    TRY(netdp_i_output_open(&output, path, error));
    fprintf(
        output.stream,
        "# What may be learnt of these data, over all studies of this ledger: yours to change.\n"
        "# As it stands there is room for the study that it was made for, once.\n"
        "delta: %g\n"
        "# Of all of these data (node), or of each of their rows (row), such as one patient's:\n"
        "protects: %s\n"
        "# Epsilon towards each other participant, and towards who listens on every link.\n"
        "peer: %s\n"
        "# Towards all others together, who are left with local noise alone (none: not limited):\n"
        "total: %s\n"
        "# Towards each coalition that a study lists; without it total is what limits them:\n"
        "#coalition: 2\n",
        package->terms.delta, row ? "row" : "node", netdp_i_up(epsilon, 4).text,
        netdp_i_up(total, 4).text);
    return netdp_i_output_commit(&output, error);
}

/*
 * What a peer does without: capabilities, other files to write, most of the kernel's calls. A program of
 * one's own beside it is under the same.
 */
static const char hardening[] =
    "LimitCORE=0\n"
    "LimitMEMLOCK=8M\n"
    "NoNewPrivileges=yes\n"
    "CapabilityBoundingSet=\n"
    "ProtectSystem=strict\n"
    "ProtectHome=read-only\n"
    "PrivateTmp=yes\n"
    "PrivateMounts=yes\n"
    "PrivateDevices=yes\n"
    "ProtectProc=invisible\n"
    "ProtectClock=yes\n"
    "ProtectHostname=yes\n"
    "ProtectKernelLogs=yes\n"
    "ProtectKernelModules=yes\n"
    "ProtectKernelTunables=yes\n"
    "ProtectControlGroups=yes\n"
    "RestrictNamespaces=yes\n"
    "RestrictRealtime=yes\n"
    "RestrictSUIDSGID=yes\n"
    "LockPersonality=yes\n"
    "RemoveIPC=yes\n"
    "# A program of one's own that compiles as it runs needs this off:\n"
    "MemoryDenyWriteExecute=yes\n"
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n"
    "SystemCallArchitectures=native\n"
    "SystemCallFilter=@system-service\n"
    "SystemCallFilter=~@privileged @resources\n"
    "SystemCallErrorNumber=EPERM\n";

static netdp_status write_unit(const netdp_i_package *package, int32_t self, const char *folder,
                               const char *binary, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], name[NETDP_I_MEMBER_NAME + 20], user[80];
    netdp_i_output output;
    if (geteuid() != 0)
        snprintf(user, sizeof user, "User=%ju\n", (uintmax_t)geteuid());
    else
        strcpy(user, "# Better: another user, who owns the folder.\n#User=\n");
    snprintf(name, sizeof name, "netdp-%s.service", package->member[self].name);
    netdp_i_file_path(path, folder, name);
    TRY(netdp_i_output_open(&output, path, error));
    fprintf(output.stream,
            "# cp %s /etc/systemd/system/ && systemctl enable --now %s\n"
            "[Unit]\n"
            "Description=netdp peer %s\n"
            "Wants=network-online.target\n"
            "After=network-online.target time-sync.target\n\n"
            "[Service]\n"
            "# It is told when the account is made, and starts a peer again that hangs.\n"
            "Type=notify\n"
            "TimeoutStartSec=infinity\n"
            "WatchdogSec=300\n"
            "ExecStart=\"%s\" peer \"%s\"\n"
            "Restart=on-failure\n"
            "RestartSec=5\n"
            "# Bad content (2) and a refused budget (1) do not go away by themselves.\n"
            "RestartPreventExitStatus=1 2\n"
            "%sUMask=0077\n"
            "ReadWritePaths=\"%s\"\n"
            "%s\n[Install]\n"
            "WantedBy=multi-user.target\n",
            name, name, package->member[self].name, binary, folder, user, folder, hardening);
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_deploy_folder(const netdp_i_package *package, int32_t self, const char *folder,
                                   const char *binary, netdp_error *error)
{
    char inner[NETDP_I_PATH_ROOM];
    netdp_i_file_path(inner, folder, "package");
    TRY(netdp_i_deploy_mkdir(folder, true, error));
    TRY(netdp_i_deploy_mkdir(inner, true, error));
    TRY(netdp_i_package_write(package, inner, error));
    TRY(write_budget(package, self, folder, error));
    return write_unit(package, self, folder, binary, error);
}
