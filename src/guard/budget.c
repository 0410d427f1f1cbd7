#include "guard/budget.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "guard/kept.h"

#ifdef NETDP_SQLITE

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

/* "ndpb": what the file says it is; SQLite keeps it in the header. */
#define MAGIC 0x6e647062
enum { LAYOUT = 1, PATIENCE = 60000 /* ms that another process may hold the file */ };

struct netdp_i_budget {
    sqlite3 *file;
    char *path, *account;
    netdp_budget terms;
    pid_t owner; /* a connection must not be carried over a fork */
    bool holds;  /* is counted among those that this process has open */
    netdp_i_kept kept;
    /* What was composed last: what an account of one mechanism comes to with so many releases. */
    netdp_event composed;
    double composed_epsilon;
    pthread_mutex_t turn;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS budget (account TEXT PRIMARY KEY, epsilon REAL NOT NULL, "
    "delta REAL NOT NULL, add_remove INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS release (number INTEGER PRIMARY KEY, account TEXT NOT NULL "
    "REFERENCES budget, mechanism INTEGER NOT NULL, noise REAL NOT NULL, rate REAL NOT NULL, "
    "epsilon REAL NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS kind ON release (account, mechanism, noise, rate, epsilon);"
    "CREATE TRIGGER IF NOT EXISTS budget_stays BEFORE UPDATE ON budget "
    "BEGIN SELECT RAISE (ABORT, 'a budget stays as it was made'); END;"
    "CREATE TRIGGER IF NOT EXISTS budget_kept BEFORE DELETE ON budget "
    "BEGIN SELECT RAISE (ABORT, 'a budget is not deleted'); END;"
    "CREATE TRIGGER IF NOT EXISTS release_stays BEFORE UPDATE ON release "
    "BEGIN SELECT RAISE (ABORT, 'what was spent stays spent'); END;"
    "CREATE TRIGGER IF NOT EXISTS release_kept BEFORE DELETE ON release "
    "BEGIN SELECT RAISE (ABORT, 'what was spent stays spent'); END;";

static netdp_status said_no(const netdp_i_budget *b, netdp_error *error)
{
    const int code = b->file != NULL ? sqlite3_errcode(b->file) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return netdp_i_no_memory(error);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return netdp_i_fail(error, NETDP_INVALID, "%s: is no budget: %s", b->path,
                            sqlite3_errmsg(b->file));
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: %s; nothing was released", b->path,
                        sqlite3_errmsg(b->file));
}

static netdp_status run(netdp_i_budget *b, const char *text, netdp_error *error)
{
    return sqlite3_exec(b->file, text, NULL, NULL, NULL) == SQLITE_OK ? NETDP_OK
                                                                      : said_no(b, error);
}

/* Busy although SQLite waited: while another process recovers the file, or gives it its journal. */
static netdp_status run_patiently(netdp_i_budget *b, const char *text, netdp_error *error)
{
    enum { NAP = 10 };
    int code = SQLITE_BUSY;
    for (int waited = 0; code == SQLITE_BUSY && waited < PATIENCE; waited += NAP) {
        code = sqlite3_exec(b->file, text, NULL, NULL, NULL);
        if (code == SQLITE_BUSY)
            sqlite3_sleep(NAP);
    }
    return code == SQLITE_OK ? NETDP_OK : said_no(b, error);
}

/* The number that a statement of one row has; -1 where it fails. */
static int64_t number_of(netdp_i_budget *b, const char *text)
{
    sqlite3_stmt *asked = NULL;
    int64_t found = -1;
    if (sqlite3_prepare_v2(b->file, text, -1, &asked, NULL) == SQLITE_OK &&
        sqlite3_step(asked) == SQLITE_ROW)
        found = sqlite3_column_int64(asked, 0);
    sqlite3_finalize(asked);
    return found;
}

/* ---- Opening ---- */

/* One transaction: two who come at once make one file, and one of them finds it made. */
static netdp_status make_tables(netdp_i_budget *b, netdp_error *error)
{
    const int64_t is = number_of(b, "PRAGMA application_id");
    const int64_t layout = number_of(b, "PRAGMA user_version");
    if (is < 0 || layout < 0)
        return said_no(b, error);
    if (is == 0 && layout == 0 && number_of(b, "SELECT count(*) FROM sqlite_schema") == 0) {
        char mark[96];
        sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                         MAGIC, LAYOUT);
        TRY(run(b, schema, error));
        return run(b, mark, error);
    }
    if (is != MAGIC)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: is no budget but another program's file; give a file of its own",
                            b->path);
    if (layout != LAYOUT)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: was made by another version of netdp (layout %lld, this one knows "
                            "%d)",
                            b->path, (long long)layout, LAYOUT);
    return NETDP_OK;
}

static netdp_status bind_and_step(netdp_i_budget *b, sqlite3_stmt *asked, const double *number,
                                  int numbers, int *stepped, netdp_error *error)
{
    int code = sqlite3_bind_text(asked, 1, b->account, -1, SQLITE_STATIC);
    for (int k = 0; code == SQLITE_OK && k < numbers; k++)
        code = sqlite3_bind_double(asked, k + 2, number[k]);
    if (code == SQLITE_OK)
        code = sqlite3_step(asked);
    *stepped = code;
    return code == SQLITE_ROW || code == SQLITE_DONE ? NETDP_OK : said_no(b, error);
}

OWNER(sqlite3_finalize, sqlite3_stmt)

/* The first who opens an account sets its terms. */
static netdp_status hold_terms(netdp_i_budget *b, netdp_error *error)
{
    const double number[] = {b->terms.epsilon, b->terms.delta, b->terms.add_remove};
    OWNED_BY(sqlite3_finalize) sqlite3_stmt *asked = NULL;
    OWNED_BY(sqlite3_finalize) sqlite3_stmt *put = NULL;
    int stepped = 0;
    if (sqlite3_prepare_v2(b->file,
                           "SELECT epsilon, delta, add_remove FROM budget WHERE account = ?1", -1,
                           &asked, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(b->file, "INSERT INTO budget VALUES (?1, ?2, ?3, ?4)", -1, &put, NULL) !=
            SQLITE_OK)
        return said_no(b, error);
    TRY(bind_and_step(b, asked, NULL, 0, &stepped, error));
    if (stepped != SQLITE_ROW)
        return bind_and_step(b, put, number, 3, &stepped, error);
    const double epsilon = sqlite3_column_double(asked, 0);
    const double delta = sqlite3_column_double(asked, 1);
    const bool add_remove = sqlite3_column_int(asked, 2) != 0;
    if (epsilon != number[0] || delta != number[1] || add_remove != b->terms.add_remove)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%s: the budget of '%s' is epsilon %.17g at delta %g, a row %s; it stays so", b->path,
            b->account, epsilon, delta, add_remove ? "added or removed" : "replaced");
    return NETDP_OK;
}

/*
 * Locks on files are a process's, and SQLite counts them in its memory: after a fork it believes in those
 * of the parent. So nothing is opened in a process that was forked while a budget was open.
 */
static pthread_mutex_t holding = PTHREAD_MUTEX_INITIALIZER;
static int64_t held;
static pid_t holder;

static netdp_status hold_process(netdp_i_budget *b, netdp_error *error)
{
    pthread_mutex_lock(&holding);
    const bool forked = held > 0 && holder != getpid();
    if (!forked) {
        holder = getpid();
        held++;
        b->holds = true;
    }
    pthread_mutex_unlock(&holding);
    return !forked ? NETDP_OK
                   : netdp_i_fail(error, NETDP_INVALID,
                                  "%s: this process was forked while a budget was open; close "
                                  "budgets before a fork, or start processes anew (spawn)",
                                  b->path);
}

static void let_process_go(netdp_i_budget *b)
{
    pthread_mutex_lock(&holding);
    held -= b->holds;
    pthread_mutex_unlock(&holding);
}

/* Within a transaction. */
static netdp_status begin_file(netdp_i_budget *b, netdp_error *error)
{
    TRY(make_tables(b, error));
    TRY(hold_terms(b, error));
    return netdp_i_kept_begin(&b->kept, b->file, b->path, error);
}

static netdp_status open_file(netdp_i_budget *b, netdp_error *error)
{
    /* Another machine is not to see an empty file there. */
    char folder[NETDP_I_PATH_ROOM];
    netdp_i_file_folder(folder, b->path);
    if (access(b->path, F_OK) != 0 && access(folder, F_OK) == 0)
        TRY(netdp_i_kept_here(folder, error));
    /* Its owner's alone; SQLite takes an empty file for a new one. One that is there is not opened beside
     * SQLite: to close it would drop all locks that this process has on it. */
    const int made = open(b->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0 && errno != EEXIST)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: %s", b->path, strerror(errno));
    if (made >= 0)
        close(made);
    TRY(netdp_i_kept_here(b->path, error));
    if (sqlite3_open_v2(b->path, &b->file, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return said_no(b, error);
    sqlite3_busy_timeout(b->file, PATIENCE);
    /* A write-ahead log, on the disk at each commit. */
    TRY(run_patiently(b, "PRAGMA journal_mode = WAL", error));
    TRY(run_patiently(b, "PRAGMA synchronous = FULL", error));
    TRY(run_patiently(b, "BEGIN IMMEDIATE", error));
    const netdp_status status = begin_file(b, error);
    if (status != NETDP_OK) {
        (void)sqlite3_exec(b->file, "ROLLBACK", NULL, NULL, NULL);
        return status;
    }
    return run(b, "COMMIT", error);
}

OWNER(netdp_i_budget_close, netdp_i_budget)

netdp_status netdp_i_budget_open(const char *path, const netdp_budget *terms,
                                 netdp_i_budget **budget, netdp_error *error)
{
    OWNED_BY(netdp_i_budget_close) netdp_i_budget *b = NETDP_I_NEW(netdp_i_budget, 1);
    if (b == NULL)
        return netdp_i_no_memory(error);
    b->path = netdp_i_copy_text(path);
    b->account = netdp_i_copy_text(terms->account != NULL ? terms->account : "");
    b->terms = *terms;
    b->terms.account = b->account;
    b->owner = getpid();
    pthread_mutex_init(&b->turn, NULL);
    if (b->path == NULL || b->account == NULL)
        return netdp_i_no_memory(error);
    TRY(hold_process(b, error));
    TRY(open_file(b, error));
    *budget = GIVE(b);
    return NETDP_OK;
}

void netdp_i_budget_close(netdp_i_budget *b)
{
    if (b == NULL)
        return;
    if (b->owner == getpid()) {
        sqlite3_close(b->file);
        let_process_go(b);
    }
    pthread_mutex_destroy(&b->turn);
    netdp_i_free(b->path);
    netdp_i_free(b->account);
    netdp_i_free(b);
}

const netdp_budget *netdp_i_budget_terms(const netdp_i_budget *b)
{
    return &b->terms;
}

/* ---- Spending ---- */

typedef struct events {
    netdp_event *event;
    int64_t count, room, releases;
} events;

static netdp_status add_event(events *list, netdp_event event, netdp_error *error)
{
    if (list->count == list->room) {
        const int64_t room = 2 * list->room + 8;
        netdp_event *more = netdp_i_grow(list->event, room, sizeof *more);
        if (more == NULL)
            return netdp_i_no_memory(error);
        list->event = more;
        list->room = room;
    }
    list->event[list->count++] = event;
    list->releases += event.count;
    return NETDP_OK;
}

/* But for the number of releases. */
static bool alike(const netdp_event *a, const netdp_event *b)
{
    return a->mechanism == b->mechanism && a->noise == b->noise && a->rate == b->rate &&
           a->epsilon == b->epsilon;
}

static netdp_status add_one(events *list, netdp_event event, netdp_error *error)
{
    for (int64_t i = 0; i < list->count; i++)
        if (alike(&list->event[i], &event)) {
            list->event[i].count += event.count;
            list->releases += event.count;
            return NETDP_OK;
        }
    return add_event(list, event, error);
}

static netdp_status read_events(netdp_i_budget *b, events *list, netdp_error *error)
{
    OWNED_BY(sqlite3_finalize) sqlite3_stmt *asked = NULL;
    int stepped = 0;
    if (sqlite3_prepare_v2(b->file,
                           "SELECT mechanism, noise, rate, epsilon, count(*) FROM release WHERE "
                           "account = ?1 GROUP BY mechanism, noise, rate, epsilon",
                           -1, &asked, NULL) != SQLITE_OK)
        return said_no(b, error);
    TRY(bind_and_step(b, asked, NULL, 0, &stepped, error));
    while (stepped == SQLITE_ROW) {
        TRY(add_event(list,
                      (netdp_event){.mechanism = (netdp_mechanism)sqlite3_column_int(asked, 0),
                                    .noise = sqlite3_column_double(asked, 1),
                                    .rate = sqlite3_column_double(asked, 2),
                                    .epsilon = sqlite3_column_double(asked, 3),
                                    .count = sqlite3_column_int64(asked, 4)},
                      error));
        stepped = sqlite3_step(asked);
        if (stepped != SQLITE_ROW && stepped != SQLITE_DONE)
            return said_no(b, error);
    }
    return NETDP_OK;
}

static netdp_status write_event(netdp_i_budget *b, const netdp_event *event, netdp_error *error)
{
    const double number[] = {event->noise, event->rate, event->epsilon};
    OWNED_BY(sqlite3_finalize) sqlite3_stmt *put = NULL;
    int stepped = 0;
    if (sqlite3_prepare_v2(b->file,
                           "INSERT INTO release (account, noise, rate, epsilon, mechanism) VALUES "
                           "(?1, ?2, ?3, ?4, ?5)",
                           -1, &put, NULL) != SQLITE_OK ||
        sqlite3_bind_int(put, 5, (int)event->mechanism) != SQLITE_OK)
        return said_no(b, error);
    return bind_and_step(b, put, number, 3, &stepped, error);
}

/*
 * What comes next may depend on what was seen. Composition of a list that was fixed beforehand holds then
 * only if one of any two kinds tells everything of the other: so it is for Gaussian noise of all sizes
 * (their 1/noise^2 add up), and for repetitions of one mechanism.
 */
static netdp_status check_kind(const netdp_i_budget *b, const events *list,
                               const netdp_event *event, netdp_error *error)
{
    for (int64_t i = 0; i < list->count; i++) {
        const netdp_event *old = &list->event[i];
        if (old->mechanism != event->mechanism ||
            (event->mechanism != NETDP_GAUSSIAN && !alike(old, event)))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: '%s' has released by another mechanism, and what comes next "
                                "may depend on it; an account takes Gaussian noise of any size, or "
                                "one other again and again: give this one an account of its own, "
                                "and each its part of the budget",
                                b->path, b->account);
    }
    return NETDP_OK;
}

/* From 32 on 16 numbers of each octave, the next at or above: more releases cost no less. */
static int64_t next_mark(int64_t count)
{
    int64_t step = 1;
    while (count > 32 * step)
        step *= 2;
    return (count + step - 1) / step * step;
}

static netdp_status compose(netdp_i_budget *b, netdp_event event, double *epsilon,
                            netdp_error *error)
{
    netdp_event *last = &b->composed;
    if (alike(last, &event) && last->count == event.count) {
        *epsilon = b->composed_epsilon;
        return NETDP_OK;
    }
    TRY(netdp_events_epsilon(&event, 1, b->terms.delta, NETDP_UPPER, epsilon, error));
    *last = event;
    b->composed_epsilon = *epsilon;
    return NETDP_OK;
}

/*
 * To compose takes a tenth of a second, and steps of learning are many: one mechanism again and again is
 * composed at marks, of which the next one stands for all releases before it. Only where it passes the
 * budget is what was released composed itself, so that no release is refused that fits. What was composed
 * last is kept: it depends on mechanism and number alone, whoever released.
 */
static netdp_status compose_all(netdp_i_budget *b, const events *list, double *epsilon,
                                netdp_error *error)
{
    if (list->count != 1 || list->event[0].mechanism == NETDP_GAUSSIAN)
        return netdp_events_epsilon(list->event, (size_t)list->count, b->terms.delta, NETDP_UPPER,
                                    epsilon, error);
    netdp_event event = list->event[0];
    event.count = next_mark(event.count);
    TRY(compose(b, event, epsilon, error));
    if (!(*epsilon <= b->terms.epsilon))
        TRY(compose(b, list->event[0], epsilon, error));
    return NETDP_OK;
}

static void clear_events(events *list)
{
    netdp_i_free(list->event);
}

/* Within a transaction that no other process can write in. */
static netdp_status spend(netdp_i_budget *b, const netdp_event *event, netdp_spent *spent,
                          netdp_error *error)
{
    CLEARED(clear_events) events list = {0};
    double epsilon = 0;
    TRY(read_events(b, &list, error));
    if (event != NULL) {
        TRY(check_kind(b, &list, event, error));
        TRY(add_one(&list, *event, error));
    }
    TRY(compose_all(b, &list, &epsilon, error));
    if (event != NULL && !(epsilon <= b->terms.epsilon))
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "%s: the budget of '%s' is epsilon %g at delta %g; with this release "
                            "%.6g would be spent: nothing was released",
                            b->path, b->account, b->terms.epsilon, b->terms.delta, epsilon);
    if (event != NULL)
        TRY(write_event(b, event, error));
    *spent = (netdp_spent){.epsilon = epsilon, .delta = b->terms.delta, .releases = list.releases};
    return NETDP_OK;
}

static netdp_status commit_spent(netdp_i_budget *b, const netdp_event *event, netdp_spent *spent,
                                 netdp_error *error)
{
    TRY(netdp_i_kept_check(&b->kept, b->file, b->path, error));
    TRY(spend(b, event, spent, error));
    return run(b, "COMMIT", error);
}

static netdp_status spend_in_turn(netdp_i_budget *b, const netdp_event *event, netdp_spent *spent,
                                  netdp_error *error)
{
    TRY(run_patiently(b, event != NULL ? "BEGIN IMMEDIATE" : "BEGIN", error));
    const netdp_status status = commit_spent(b, event, spent, error);
    if (status != NETDP_OK)
        (void)sqlite3_exec(b->file, "ROLLBACK", NULL, NULL, NULL);
    else if (event != NULL) /* while it was written */
        return netdp_i_kept_check(&b->kept, b->file, b->path, error);
    return status;
}

netdp_status netdp_i_budget_spend(netdp_i_budget *b, const netdp_event *event, netdp_spent *spent,
                                  netdp_error *error)
{
    if (b->owner != getpid())
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: was opened before this process was forked; open it here", b->path);
    pthread_mutex_lock(&b->turn);
    netdp_spent found = {0};
    const netdp_status status = spend_in_turn(b, event, &found, error);
    pthread_mutex_unlock(&b->turn);
    TRY(status);
    if (spent != NULL)
        *spent = found;
    return NETDP_OK;
}

#else

netdp_status netdp_i_budget_open(const char *path, const netdp_budget *terms,
                                 netdp_i_budget **budget, netdp_error *error)
{
    (void)terms, (void)budget;
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s: this netdp was built without SQLite, which keeps budgets", path);
}

void netdp_i_budget_close(netdp_i_budget *budget)
{
    (void)budget;
}

const netdp_budget *netdp_i_budget_terms(const netdp_i_budget *budget)
{
    (void)budget;
    return NULL;
}

netdp_status netdp_i_budget_spend(netdp_i_budget *budget, const netdp_event *event,
                                  netdp_spent *spent, netdp_error *error)
{
    (void)budget, (void)event, (void)spent;
    return netdp_i_no_memory(error);
}

#endif
