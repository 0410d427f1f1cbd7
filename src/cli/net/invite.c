/* netdp net invite and net join: from an empty roster to a hospital at a time. */
#include "cli/common/command.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"

#ifdef NETDP_PEER

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/net/net.h"
#include "cli/net/place.h"
#include "peer/ledger.h"
#include "peer/link/address.h"
#include "peer/net/deploy.h"
#include "peer/net/invitation.h"

typedef struct net_options {
    const char *output, *listen, *data, *accept, *relay;
} net_options;

/* Two who can only dial never meet without a relay: said when the second of them comes in, not at the end. */
static void say_relay(const netdp_i_package *package, const json_t *addresses)
{
    if (netdp_i_net_address(addresses, NETDP_I_NET_MEETING) != NULL)
        return;
    for (int32_t e = 0; e < package->edges; e++) {
        const netdp_i_member *a = &package->member[package->edge[e][0]];
        const netdp_i_member *b = &package->member[package->edge[e][1]];
        if (a->joined && b->joined && netdp_i_net_address(addresses, a->name) == NULL &&
            netdp_i_net_address(addresses, b->name) == NULL)
            printf("%s and %s are linked, and both can only dial: they need a relay. Run netdp net "
                   "relay where both reach\nit, and say where that is: netdp net invite DIR "
                   "--relay HOST:PORT. Or one of them joins again with --listen.\n",
                   a->name, b->name);
    }
}

/* Where those meet who can only dial, also after net init. */
static netdp_status set_relay(const char *net, const char *relay, netdp_error *error)
{
    char address[NETDP_I_HOST + 16];
    OWNED_BY(json_decref) json_t *addresses = NULL;
    TRY(netdp_i_net_addresses(net, &addresses, error));
    snprintf(address, sizeof address, "relay:%.256s", relay);
    json_object_set_new(addresses, NETDP_I_NET_MEETING, json_string(address));
    TRY(netdp_i_net_addresses_write(net, addresses, error));
    printf("Those who can only dial meet at %s; send addresses.json again to who has it.\n", relay);
    return NETDP_OK;
}

static netdp_status accept_answer(const char *net, const char *path, netdp_i_package *package,
                                  netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], address[256], key[NETDP_I_DIGEST_TEXT];
    OWNED_BY(json_decref) json_t *answer = NULL;
    OWNED_BY(json_decref) json_t *addresses = NULL;
    int32_t who = -1;
    netdp_i_file_path(folder, net, "package");
    TRY(netdp_i_file_load_json(path, &answer, error));
    TRY(netdp_i_answer_take(answer, path, package, &who, address, error));
    TRY(netdp_i_net_addresses(net, &addresses, error));
    json_object_set_new(addresses, package->member[who].name, json_string(address));
    TRY(netdp_i_net_addresses_write(net, addresses, error));
    TRY(netdp_i_package_write(package, folder, error));
    netdp_i_hex(package->member[who].key, key);
    printf("%s has joined with the key %s\nRead it out to them by telephone: nobody else can say "
           "that it is theirs.\n",
           package->member[who].name, key);
    say_relay(package, addresses);
    return netdp_i_net_print(package, error);
}

static netdp_status invite(const char *net, const char *name, const net_options *o,
                           netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_package_free) netdp_i_package *package = NULL;
    OWNED_BY(json_decref) json_t *invitation = NULL;
    netdp_i_file_path(folder, net, "package");
    TRY(netdp_i_package_read(folder, &package, error));
    if (o->accept != NULL) {
        TRY(accept_answer(net, o->accept, package, error));
    } else if (name != NULL) {
        TRY(netdp_i_invitation_make(package, name, &invitation, error));
        TRY(netdp_i_json_write(invitation, o->output, error));
        TRY(netdp_i_package_write(package, folder, error));
    }
    if (o->relay != NULL)
        TRY(set_relay(net, o->relay, error));
    return NETDP_OK;
}

/* A name, an answer or a relay: one of them at least, and no name beside an answer. */
static netdp_status check_invite(const net_options *o, size_t count, netdp_error *error)
{
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    REFUSE(count == 2 ? o->accept != NULL : o->accept == NULL && o->relay == NULL,
           "give either NAME, or --accept ANSWER.json");
    REFUSE(o->relay != NULL && !netdp_i_address_split(o->relay, host, port),
           "--relay: '%s': give HOST:PORT", netdp_i_show_text(o->relay).text);
    return NETDP_OK;
}

netdp_status netdp_i_net_invite(int argc, const char **argv, netdp_error *error)
{
    net_options o = {.output = "-"};
    const netdp_i_option options[] = {
        {NETDP_I_TEXT, 'o', "output", &o.output, "FILE", "where the invitation goes",
         "standard output"},
        OPTION(TEXT, "accept", &o.accept, "ANSWER.json",
               "take in the answer of somebody who was invited", "none"),
        OPTION(TEXT, "relay", &o.relay, "HOST:PORT",
               "where those meet who can only dial (netdp net relay)", "as it is"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net invite",
        .arguments = "DIR [NAME]",
        .what = "Invites a participant of the package in DIR, or takes in an answer. The "
                "invitation and the\nanswer hold nothing secret; send them as you like. Inviting "
                "somebody again removes the key\nthat they had; nobody else's changes.",
        .examples = "  netdp net invite net north -o north.invitation\n"
                    "  netdp net invite net --accept answer.json\n"
                    "  netdp net invite net --relay relay.example.org:7399\n",
        .least = 1,
        .most = 2,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    TRY(check_invite(&o, arguments.count, error));
    return invite(arguments.text[0], arguments.count > 1 ? arguments.text[1] : NULL, &o, error);
}

/* ---- join ---- */

/* Joining changes what a peer runs by, and a folder whose ledger is lost is none to go on with. */
static netdp_status check_folder(const char *folder, netdp_error *error)
{
    static const char *const ledgers[] = {"ledger.db", "ledger-test.db"};
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    for (int i = 0; i < 2; i++) {
        netdp_i_file_path(path, folder, ledgers[i]);
        REFUSE(netdp_i_ledger_in_use(path),
               "%.300s: a peer runs in it; stop it first, or name another folder", folder);
    }
    netdp_i_file_path(path, folder, "key");
    if (access(path, F_OK) == 0)
        TRY(netdp_i_signer_load(path, &signer, error));
    return netdp_i_ledger_expect(folder, signer, error);
}

/* The first time: a key, and the answer. */
static netdp_status join_first(const char *path, const net_options *o, netdp_error *error)
{
    char folder[NETDP_I_PATH_ROOM], key[NETDP_I_PATH_ROOM], to[NETDP_I_PATH_ROOM];
    char text[NETDP_I_DIGEST_TEXT];
    OWNED_BY(json_decref) json_t *invitation = NULL;
    OWNED_BY(json_decref) json_t *answer = NULL;
    OWNED_BY(netdp_i_package_free) netdp_i_package *package = NULL;
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    int32_t self = -1;
    TRY(netdp_i_file_load_json(path, &invitation, error));
    TRY(netdp_i_invitation_read(invitation, path, &package, &self, error));
    netdp_i_file_path(folder, o->output, "package");
    netdp_i_file_path(key, o->output, "key");
    netdp_i_file_path(to, o->output, "answer.json");
    TRY(netdp_i_deploy_mkdir(o->output, true, error));
    TRY(netdp_i_deploy_mkdir(folder, true, error));
    TRY((access(key, F_OK) == 0 ? netdp_i_signer_load : netdp_i_signer_make)(key, &signer, error));
    TRY(netdp_i_package_write(package, folder, error));
    TRY(netdp_i_answer_make(package, self, signer, o->listen != NULL ? o->listen : "", &answer,
                            error));
    TRY(netdp_i_json_write(answer, to, error));
    netdp_i_hex(netdp_i_signer_public(signer), text);
    printf("Send %s to who invited you. Your key: %s\n", to, text);
    return NETDP_OK;
}

/* When everybody has: the package, checked against what was answered to. */
static netdp_status join_package(const char *net, const net_options *o, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_package_free) netdp_i_package *package = NULL;
    OWNED_BY(netdp_i_package_free) netdp_i_package *before = NULL;
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    OWNED_BY(json_decref) json_t *addresses = NULL;
    const netdp_i_net_own own = {.data = o->data};
    bool same = false;
    netdp_i_file_path(path, net, "package");
    TRY(netdp_i_package_read(path, &package, error));
    TRY(netdp_i_package_admit(package, NULL, time(NULL), error));
    TRY(netdp_i_net_addresses(net, &addresses, error));
    netdp_i_file_path(path, o->output, "package");
    TRY(netdp_i_package_read(path, &before, error));
    TRY(netdp_i_package_same(package, before, &same, error));
    REFUSE(!same,
           "wrong digest: %.300s has another study than the one that this folder was invited to",
           net);
    netdp_i_file_path(path, o->output, "key");
    TRY(netdp_i_signer_load(path, &signer, error));
    const int32_t self = netdp_i_package_find_key(package, netdp_i_signer_public(signer));
    REFUSE(self < 0, "the roster of %.300s does not have this folder's key", net);
    TRY(netdp_i_net_install(package, addresses, self, o->output, &own, error));
    TRY(netdp_i_net_print(package, error));
    printf("Compare the package's name with the others, look at budget.yaml, then: netdp net "
           "doctor %s\n",
           o->output);
    return NETDP_OK;
}

netdp_status netdp_i_net_join(int argc, const char **argv, netdp_error *error)
{
    net_options o = {0};
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    const netdp_i_option options[] = {
        {NETDP_I_TEXT, 'o', "output", &o.output, "DIR", "the participant's own folder", "required"},
        OPTION(TEXT, "listen", &o.listen, "HOST:PORT",
               "where the neighbours reach this participant", "it dials only"),
        OPTION(TEXT, "data", &o.data, "FILE", "a CSV file of its own rows, seen from DIR",
               "as peer.json has it, or data.csv"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "net join",
        .arguments = "INVITATION|NET",
        .what = "Of an invitation: makes this participant's key, which never leaves DIR, and the "
                "answer.\nOf a folder NET with package/ and addresses.json, when everybody has "
                "joined: checks that it\nis the study that was answered to, and makes DIR ready "
                "for netdp peer.",
        .examples = "  netdp net join north.invitation --listen 192.0.2.7:7400 -o north\n"
                    "  netdp net join net --data patients.csv -o north\n",
        .least = 1,
        .most = 1,
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    REFUSE(o.output == NULL, "-o DIR: required; your own folder");
    REFUSE(o.listen != NULL && !netdp_i_address_split(o.listen, host, port),
           "--listen: '%s': give HOST:PORT, a port up to 65535", netdp_i_show_text(o.listen).text);
    TRY(check_folder(o.output, error));
    return netdp_i_file_is_folder(arguments.text[0]) ? join_package(arguments.text[0], &o, error)
                                                     : join_first(arguments.text[0], &o, error);
}

#endif
