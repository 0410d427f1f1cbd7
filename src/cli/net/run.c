/* netdp net up, status, down and doctor: participants on this machine. */
#include "cli/common/command.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/net/net.h"

#ifdef NETDP_PEER

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/net/visit.h"
#include "peer/budget.h"
#include "peer/ledger.h"
#include "peer/link/limits.h"
#include "peer/link/address.h"
#include "peer/participant/participant.h"
#include "peer/settings.h"

/* ---- Processes ---- */

/* FOLDER/pid, if that process is a netdp peer of this folder; else 0. */
static pid_t find_process(const char *folder)
{
    char path[NETDP_I_PATH_ROOM], *text = NULL, words[NETDP_I_PATH_ROOM] = "";
    int64_t bytes = 0;
    netdp_i_file_path(path, folder, "pid");
    if (netdp_i_file_is_planted(path) || access(path, R_OK) != 0 ||
        netdp_i_file_load(path, &text, &bytes, NULL) != NETDP_OK)
        return 0;
    const long pid = strtol(text, NULL, 10);
    netdp_i_free(text);
    if (pid <= 1 || kill((pid_t)pid, 0) != 0)
        return 0;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? read(file, words, sizeof words - 1) : 0;
    if (file >= 0)
        close(file);
    for (ssize_t i = 0; i + 1 < got; i++)
        if (words[i] == '\0')
            words[i] = ' ';
    /* A number that was given to another program since is none of ours. */
    return strstr(words, " peer ") != NULL && strstr(words, folder) != NULL ? (pid_t)pid : 0;
}

/* Also where a unit of systemd started it. */
static bool is_open(const char *folder)
{
    static const char *const ledgers[] = {"ledger.db", "ledger-test.db"};
    char path[NETDP_I_PATH_ROOM];
    bool open = false;
    for (int i = 0; i < 2; i++) {
        netdp_i_file_path(path, folder, ledgers[i]);
        open = open || netdp_i_ledger_in_use(path);
    }
    return open;
}

/* `key` of a file of the folder, into `text`; "": it has none. */
static void read_word(const char *folder, const char *file, const char *key,
                      char text[NETDP_I_DIGEST_TEXT])
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *object = NULL;
    netdp_i_file_path(path, folder, file);
    text[0] = '\0';
    if (netdp_i_file_is_planted(path) || netdp_i_file_load_json(path, &object, NULL) != NETDP_OK)
        return;
    const char *word = json_string_value(json_object_get(object, key));
    snprintf(text, NETDP_I_DIGEST_TEXT, "%s", word != NULL ? word : "");
}

/* A result of an earlier study is none of the one that was joined since. */
static bool is_done(const char *folder)
{
    char path[NETDP_I_PATH_ROOM], of[NETDP_I_DIGEST_TEXT], joined[NETDP_I_DIGEST_TEXT];
    netdp_i_file_path(path, folder, "result.json");
    read_word(folder, "result.json", "package", of);
    read_word(folder, "peer.json", "package", joined);
    return access(path, F_OK) == 0 && (joined[0] == '\0' || strcmp(of, joined) == 0);
}

/* The last line of FOLDER/peer.log, for people. */
static void last_line(const char *folder, char line[160])
{
    char path[NETDP_I_PATH_ROOM], tail[512] = "";
    netdp_i_file_path(path, folder, "peer.log");
    line[0] = '\0';
    const int file = netdp_i_file_open_own(path, O_RDONLY);
    if (file < 0)
        return;
    struct stat shape;
    const off_t at = fstat(file, &shape) == 0 && shape.st_size > (off_t)sizeof tail - 1
                         ? shape.st_size - (off_t)sizeof tail + 1
                         : 0;
    ssize_t got = pread(file, tail, sizeof tail - 1, at);
    close(file);
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\0'))
        tail[--got] = '\0';
    const char *begin = strrchr(tail, '\n');
    begin = begin != NULL ? begin + 1 : tail;
    netdp_i_escape(begin, strlen(begin), line, 160);
}

/* Its output goes to FOLDER/peer.log; it outlives this command. */
static netdp_status start(const char *folder, netdp_error *error)
{
    char binary[NETDP_I_PATH_ROOM] = "", path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_output_drop) netdp_i_output output = {0};
    if (readlink("/proc/self/exe", binary, sizeof binary - 1) < 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "/proc/self/exe: %s", strerror(errno));
    /* First: a process whose number is written nowhere would be ended by nobody. */
    netdp_i_file_path(path, folder, "pid");
    TRY(netdp_i_output_open_own(&output, path, true, error));
    netdp_i_file_path(path, folder, "peer.log");
    const int log = netdp_i_file_open_own(path, O_WRONLY | O_APPEND | O_CREAT);
    if (log < 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", path, strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        setsid();
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
            _exit(3);
        execl(binary, "netdp", "peer", folder, (char *)NULL);
        _exit(3);
    }
    close(log);
    if (child < 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "cannot start a process: %s",
                            strerror(errno));
    fprintf(output.stream, "%ld\n", (long)child);
    const netdp_status status = netdp_i_output_commit(&output, error);
    if (status != NETDP_OK)
        (void)kill(child, SIGTERM);
    return status;
}

/* ---- All of a network ---- */

typedef netdp_status (*with_folder)(const char *name, const char *folder, netdp_error *error);

/* The folder of one participant in place of a network's. */
static netdp_status for_one(const char *folder, const netdp_i_package *package, with_folder act,
                            netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], whole[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    netdp_i_file_path(path, folder, "key");
    TRY(netdp_i_signer_load(path, &signer, error));
    const int32_t self = netdp_i_package_find_key(package, netdp_i_signer_public(signer));
    REFUSE(self < 0, "%.300s: the roster does not have this folder's key", folder);
    if (realpath(folder, whole) == NULL)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", folder, strerror(errno));
    return act(package->member[self].name, whole, error);
}

static netdp_status for_each(const char *net, with_folder act, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], whole[NETDP_I_PATH_ROOM], settings[NETDP_I_PATH_ROOM + 12];
    OWNED_BY(netdp_i_package_free) netdp_i_package *package = NULL;
    int32_t here = 0;
    netdp_i_file_path(path, net, "package");
    TRY(netdp_i_package_read(path, &package, error));
    netdp_i_file_path(path, net, "peer.json");
    if (access(path, F_OK) == 0)
        return for_one(net, package, act, error);
    for (int32_t v = 0; v < package->members; v++) {
        netdp_i_file_path(path, net, package->member[v].name);
        if (realpath(path, whole) == NULL)
            continue; /* on another machine */
        snprintf(settings, sizeof settings, "%s/peer.json", whole);
        if (access(settings, F_OK) != 0)
            continue;
        here++;
        TRY(act(package->member[v].name, whole, error));
    }
    REFUSE(here == 0, "%.300s: no participant has a folder here; netdp net init makes them", net);
    return NETDP_OK;
}

static netdp_status up_one(const char *name, const char *folder, netdp_error *error)
{
    if (find_process(folder) != 0) {
        printf("%-24s runs already\n", name);
        return NETDP_OK;
    }
    TRY(start(folder, error));
    printf("%-24s started\n", name);
    return NETDP_OK;
}

static netdp_status status_one(const char *name, const char *folder, netdp_error *error)
{
    char line[160];
    const pid_t process = find_process(folder);
    (void)error;
    last_line(folder, line);
    printf("%-24s %-8s %s\n", name,
           is_done(folder)                   ? "done"
           : process != 0 || is_open(folder) ? "running"
                                             : "stopped",
           line);
    return NETDP_OK;
}

static netdp_status down_one(const char *name, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const pid_t process = find_process(folder);
    if (process != 0 && kill(process, SIGTERM) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: process %ld: %s", name, (long)process,
                            strerror(errno));
    for (int i = 0; i < 1500 && find_process(folder) != 0; i++)
        usleep(10000);
    if (find_process(folder) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s: process %ld does not stop; look at its peer.log", name,
                            (long)process);
    netdp_i_file_path(path, folder, "pid");
    unlink(path);
    printf("%-24s %s\n", name, process != 0 ? "stopped" : "did not run");
    return NETDP_OK;
}

/* ---- doctor ---- */

typedef struct doctor {
    int failed, refused; /* refused: of what a peer reads first; it has been said */
} doctor;

static void tell(doctor *d, const char *what, bool fine, const char *says)
{
    printf("%-4s %-10s %s\n", fine ? "ok" : "FAIL", what, says);
    d->failed += !fine;
}

/* What a call found, or why it failed. */
static void tell_of(doctor *d, const char *what, netdp_status status, const char *found,
                    const netdp_error *error)
{
    tell(d, what, status == NETDP_OK, status == NETDP_OK ? found : error->text);
}

static struct addrinfo *resolve(const char *address, bool passive)
{
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
    struct addrinfo *found = NULL;
    return netdp_i_address_split(address, host, port) &&
                   getaddrinfo(host, port, &hints, &found) == 0
               ? found
               : NULL;
}

static void check_listen(doctor *d, const char *address, bool running)
{
    char says[400];
    struct addrinfo *found = resolve(address, true);
    const int one = 1;
    bool fine = false;
    const int opened = found != NULL ? socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (opened >= 0) {
        (void)setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        fine = bind(opened, found->ai_addr, found->ai_addrlen) == 0;
    }
    const bool taken = !fine && opened >= 0 && errno == EADDRINUSE;
    if (opened >= 0)
        close(opened);
    if (found != NULL)
        freeaddrinfo(found);
    snprintf(says, sizeof says, "%.200s: %s", address,
             fine               ? "can be listened on"
             : taken && running ? "is listened on by this peer"
             : taken            ? "somebody else listens there; give another port"
                                : "cannot be listened on; look at the address");
    tell(d, "port", fine || (taken && running), says);
}

static void check_dial(doctor *d, const char *name, const char *address)
{
    char says[400];
    const char *relay = netdp_i_address_relay(address);
    struct addrinfo *found = resolve(relay != NULL ? relay : address, false);
    bool fine = false;
    const int opened = found != NULL
                           ? socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
                           : -1;
    if (opened >= 0) {
        int code = 0;
        socklen_t size = sizeof code;
        struct pollfd wait = {.fd = opened, .events = POLLOUT};
        fine = connect(opened, found->ai_addr, found->ai_addrlen) == 0 ||
               (errno == EINPROGRESS && poll(&wait, 1, 2000) == 1 &&
                getsockopt(opened, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0);
        close(opened);
    }
    if (found != NULL)
        freeaddrinfo(found);
    snprintf(says, sizeof says, "%s at %.200s: %s", name, address,
             fine ? "answers"
                  : "does not answer; does it run, and does a firewall let this machine through?");
    tell(d, "link", fine, says);
}

static void check_disk(doctor *d, const char *folder)
{
    char path[NETDP_I_PATH_ROOM], says[400];
    struct timespec before, after;
    netdp_i_file_path(path, folder, "doctor.part");
    (void)unlink(path); /* of a doctor that was killed, or planted */
    clock_gettime(CLOCK_MONOTONIC, &before);
    const int file = netdp_i_file_open_own(path, O_WRONLY | O_CREAT | O_EXCL);
    bool fine = file >= 0;
    for (int i = 0; i < 10 && fine; i++)
        fine = write(file, "0123456789", 10) == 10 && fsync(file) == 0;
    clock_gettime(CLOCK_MONOTONIC, &after);
    const double each =
        ((double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec)) /
        10;
    snprintf(says, sizeof says,
             fine ? "a sync takes %.3g ms; below 0.01 ms it would hardly reach a disk"
                  : "cannot be written and synced (%.0g)",
             fine ? 1000 * each : 0);
    if (file >= 0)
        close(file);
    unlink(path);
    tell(d, "disk", fine, says);
}

/* What the neighbour has seen of this ledger, which a copy from before lacks. */
static void check_memory(doctor *d, const char *folder, const netdp_i_shown_head *yours,
                         const unsigned char *key, const char *name)
{
    char path[NETDP_I_PATH_ROOM], says[300];
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    bool held = yours->head.rows == 0;
    netdp_i_file_path(path, folder, "ledger.db");
    if (!held && netdp_i_ledger_read(path, &ledger, NULL) == NETDP_OK)
        (void)netdp_i_ledger_holds(ledger, &yours->head, &held, NULL);
    held = held || !netdp_i_head_holds(yours, false, key);
    snprintf(says, sizeof says,
             held ? "%.80s has seen no later ledger of this participant"
                  : "%.80s has seen a later ledger of this participant: this folder is a copy from "
                    "before; bring the newest one back, and make no new ledger",
             name);
    tell(d, "newest", held, says);
}

/* What its first word tells: who runs what, by which clock, and what it knows of this ledger. */
static void check_neighbour(doctor *d, const char *folder, const netdp_i_package *package,
                            int32_t self, int32_t neighbour, const char *address)
{
    char path[NETDP_I_PATH_ROOM], says[300];
    unsigned char digest[NETDP_I_DIGEST];
    netdp_i_signer *signer = NULL;
    netdp_i_visit heard = {0};
    netdp_i_file_path(path, folder, "key");
    if (netdp_i_signer_load(path, &signer, NULL) == NETDP_OK &&
        netdp_i_package_digest(package, digest, NULL) == NETDP_OK &&
        netdp_i_net_visit(package, signer, self, neighbour, address, &heard) == NETDP_OK &&
        heard.spoke) {
        const double apart = difftime((time_t)heard.hello.clock, time(NULL));
        const bool same = memcmp(heard.hello.study, digest, sizeof digest) == 0;
        const char *name = package->member[neighbour].name;
        snprintf(says, sizeof says, same ? "%.80s runs the same" : "%.80s runs another package",
                 name);
        tell(d, "study", same, says);
        snprintf(says, sizeof says,
                 fabs(apart) < NETDP_I_CLOCKS_APART ? "that of %.80s is the same (%.0f s)"
                                                    : "that of %.80s is %.0f s %s this one; links "
                                                      "come up all the same, set the wrong one",
                 name, fabs(apart), apart > 0 ? "ahead of" : "behind");
        tell(d, "clock", fabs(apart) < NETDP_I_CLOCKS_APART, says);
        if (!heard.hello.test)
            check_memory(d, folder, &heard.hello.yours, netdp_i_signer_public(signer), name);
    }
    netdp_i_signer_free(signer);
}

static void check_clock(doctor *d, const netdp_i_package *package)
{
    char says[200];
    const int64_t now = time(NULL), end = package->terms.expires;
    const bool sane = now >= INT64_C(1704067200); /* 2024 */
    snprintf(says, sizeof says, "it is %s UTC here; the package expires on %s",
             netdp_i_utc(now, NETDP_I_CLOCK).text, netdp_i_utc(end, "%Y-%m-%d").text);
    tell(d, "clock", sane && now < end, says);
}

static void check_key(doctor *d, const char *folder, const netdp_i_package *package, int32_t *self)
{
    char path[NETDP_I_PATH_ROOM], says[760];
    netdp_i_signer *signer = NULL;
    netdp_error error;
    struct rlimit core = {.rlim_cur = 0};
    netdp_i_file_path(path, folder, "key");
    if (netdp_i_signer_load(path, &signer, &error) != NETDP_OK) {
        tell(d, "key", false, error.text);
        return;
    }
    *self = netdp_i_package_find_key(package, netdp_i_signer_public(signer));
    snprintf(says, sizeof says, "%s",
             *self >= 0 ? package->member[*self].name : "is not in the roster");
    tell(d, "key", *self >= 0, says);
    tell(d, "memory", netdp_i_signer_locked(signer),
         netdp_i_signer_locked(signer) ? "keys can be locked, and stay out of swap"
                                       : "keys cannot be locked; raise RLIMIT_MEMLOCK");
    (void)getrlimit(RLIMIT_CORE, &core);
    netdp_i_signer_free(signer);
}

static netdp_status expect_ledger(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(netdp_i_signer_free) netdp_i_signer *signer = NULL;
    netdp_i_file_path(path, folder, "key");
    TRY(netdp_i_signer_load(path, &signer, error));
    return netdp_i_ledger_expect(folder, signer, error);
}

static netdp_status open_ledger(const char *path, netdp_i_ledger **ledger, netdp_error *error)
{
    netdp_i_ledger_head head;
    TRY(netdp_i_ledger_read(path, ledger, error));
    return netdp_i_ledger_verify(*ledger, NULL, NULL, &head, error);
}

static void check_budget(doctor *d, const char *folder, const netdp_i_package *package,
                         int32_t self, bool running)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_budget_clear) netdp_i_budget budget = {0};
    OWNED_BY(netdp_i_ledger_close) netdp_i_ledger *ledger = NULL;
    netdp_error error;
    netdp_i_file_path(path, folder, "budget.yaml");
    netdp_status status = netdp_i_budget_read(path, &budget, &error);
    tell_of(
        d, "budget", status,
        budget.whole
            ? "budget.yaml is read"
            : "budget.yaml has no total: all others together may learn what this study tells, once",
        &error);
    netdp_i_file_path(path, folder, "ledger.db");
    if (access(path, F_OK) != 0) {
        status = expect_ledger(folder, &error);
        tell_of(d, "ledger", status, "none yet; the first start makes it", &error);
    } else {
        status = open_ledger(path, &ledger, &error);
        tell_of(d, "ledger", status, "every row in it is what was written", &error);
    }
    if (budget.path != NULL && status == NETDP_OK && self >= 0 && !running) {
        status = netdp_i_budget_check(&budget, ledger, package, self, &error);
        tell_of(d, "allowed", status, "the study stays within the budget", &error);
    }
}

/* What a start would look at, by the peer's own functions. */
static void check_start(doctor *d, const char *folder)
{
    netdp_error error;
    bool read = false;
    const netdp_status status = netdp_i_participant_look(folder, &read, &error);
    tell(d, "data", read, read ? "are as the study has them" : error.text);
    if (read)
        tell_of(d, "start", status, "ledger, pair key and frames go together", &error);
}

/* What each neighbour may make this peer do. */
static void say_limits(doctor *d)
{
    const netdp_i_limit_row *row = netdp_i_limit_rows();
    char says[300];
    for (int k = 0; k < NETDP_I_LIMITS_COUNT; k++) {
        snprintf(says, sizeof says, "%s: of each neighbour %lld at once, %lld an hour: %s",
                 row[k].word, (long long)row[k].burst, (long long)row[k].hourly, row[k].what);
        tell(d, "limit", true, says);
    }
}

static netdp_status examine(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], whole[NETDP_I_PATH_ROOM], says[200], text[NETDP_I_DIGEST_TEXT];
    unsigned char digest[NETDP_I_DIGEST];
    netdp_i_package *package = NULL;
    netdp_i_settings settings = {0};
    netdp_error found;
    doctor d = {0};
    int32_t self = -1;
    if (realpath(folder, whole) == NULL)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%.300s: %s", folder, strerror(errno));
    const bool running = find_process(whole) != 0;
    snprintf(says, sizeof says, "netdp %s", netdp_version());
    tell(&d, "version", true, says);
    netdp_i_file_path(path, folder, "package");
    TRY(netdp_i_package_read(path, &package, error));
    TRY(netdp_i_package_digest(package, digest, error));
    netdp_i_hex(digest, text);
    tell(&d, "digest", true, text);
    const bool admitted = netdp_i_package_admit(package, NULL, time(NULL), &found) == NETDP_OK;
    tell(&d, "package", admitted, admitted ? package->title : found.text);
    check_clock(&d, package);
    check_key(&d, folder, package, &self);
    const bool read = netdp_i_settings_read(folder, package, &settings, &found) == NETDP_OK;
    tell(&d, "settings", read, read ? "peer.json is read" : found.text);
    if (read && settings.package != NULL)
        tell(&d, "agreed", strcmp(settings.package, text) == 0,
             strcmp(settings.package, text) == 0
                 ? "the package is the one that was joined"
                 : "the package is another one than was joined; bring the agreed one back");
    d.refused = d.failed;
    if (read && settings.listen != NULL)
        check_listen(&d, settings.listen, running);
    for (int32_t v = 0; read && v < settings.members; v++)
        if (settings.address[v] != NULL)
            check_dial(&d, package->member[v].name, settings.address[v]);
    for (int32_t v = 0; read && !running && !is_open(folder) && self >= 0 && v < settings.members;
         v++)
        if (settings.address[v] != NULL && netdp_i_address_relay(settings.address[v]) == NULL)
            check_neighbour(&d, folder, package, self, v, settings.address[v]);
    check_disk(&d, folder);
    say_limits(&d);
    if (!read || !settings.test)
        check_budget(&d, folder, package, self, running);
    if (d.refused == 0 && read && !running && !is_open(folder))
        check_start(&d, folder);
    netdp_i_settings_clear(&settings);
    netdp_i_package_free(package);
    REFUSE(d.failed != 0, "%.300s: %d of these are not as they should be; see above", folder,
           d.failed);
    return NETDP_OK;
}

static netdp_status with_net(int argc, const char **argv, const netdp_i_usage *usage,
                             with_folder act, netdp_error *error)
{
    NETDP_I_ARGUMENTS(arguments, usage);
    return act != NULL ? for_each(arguments.text[0], act, error)
                       : examine(arguments.text[0], error);
}

static netdp_status run_one(int argc, const char **argv, netdp_error *error)
{
    static const netdp_i_option none[] = {{0}};
    static const struct {
        const char *command, *what, *examples;
        with_folder act;
    } commands[] = {
        {"net up",
         "Starts netdp peer for every participant whose folder is in DIR; each goes on where it "
         "was.",
         "  netdp net up net\n", up_one},
        {"net status",
         "Who runs, who is done, and the last line of each log. DIR may be one participant's "
         "folder, as of up and down.",
         "  netdp net status net\n", status_one},
        {"net down",
         "Stops every participant whose folder is in DIR; netdp net up lets them go on.",
         "  netdp net down net\n", down_one},
        {"net doctor",
         "Looks at everything that one participant needs: package, clock, key, port, links, disk,\n"
         "ledger, budget. DIR is its folder. Exit code 2 where something is wrong.",
         "  netdp net doctor net/peer-1\n", NULL},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const netdp_i_usage usage = {.command = commands[i].command,
                                     .arguments = "DIR",
                                     .what = commands[i].what,
                                     .examples = commands[i].examples,
                                     .least = 1,
                                     .most = 1,
                                     .options = none};
        if (strcmp(argv[0], commands[i].command + 4) == 0)
            return with_net(argc, argv, &usage, commands[i].act, error);
    }
    return NETDP_OK;
}

static const netdp_i_part parts[] = {{"init", netdp_i_net_init},
                                     {"invite", netdp_i_net_invite},
                                     {"join", netdp_i_net_join},
                                     {"up", run_one},
                                     {"status", run_one},
                                     {"down", run_one},
                                     {"doctor", run_one},
                                     {"relay", netdp_i_net_relay},
                                     {0}};

#else

static netdp_status without(int argc, const char **argv, netdp_error *error)
{
    return netdp_i_cli_without_part("net", argc, argv, error);
}

static const netdp_i_part parts[] = {{"init", without},   {"invite", without}, {"join", without},
                                     {"up", without},     {"status", without}, {"down", without},
                                     {"doctor", without}, {"relay", without},  {0}};

#endif

netdp_status netdp_i_command_net(int argc, const char **argv, netdp_error *error)
{
    const netdp_i_usage usage = {
        .command = "net",
        .arguments = "init|invite|join|up|status|down|doctor|relay",
        .what = "netdp net init STUDY.yaml -o DIR   the study package, and a folder for each.\n"
                "netdp net invite DIR NAME          one hospital at a time: an invitation.\n"
                "netdp net join INVITATION -o DIR   the answer to it, with a key of one's own.\n"
                "netdp net up|status|down DIR       participants on this machine.\n"
                "netdp net doctor DIR               looks at everything that one of them needs.\n"
                "netdp net relay HOST:PORT          where two meet who can only dial.\n"
                "Each has its own --help.",
        .examples = "  netdp net init study.yaml -o net\n"
                    "  netdp net up net\n",
    };
    return netdp_i_cli_run_part(
        parts, &usage, "doctor, down, init, invite, join, relay, status or up", argc, argv, error);
}
