/* Runs a study: the folder, simulations that go on where they stopped, summary. */
#include <netdp/study.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <netdp/simulate.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "plan/plan.h"
#include "run/accounts.h"
#include "run/again.h"
#include "run/checkpoint.h"
#include "run/claims.h"
#include "run/folder.h"
#include "run/model.h"
#include "run/state.h"
#include "run/summary.h"
#include "study/protection.h"

typedef struct running {
    const netdp_study *study;
    const netdp_i_problems *problems;
    const char *folder;
    const netdp_progress *progress;
    netdp_i_identity identity;
    netdp_i_plan plan;
    netdp_i_progress_made made;
    FILE *trace;
    double last;            /* when the last checkpoint was written */
    int64_t saved;          /* trace bytes that it speaks of; -1: there is none */
    int64_t stored, within; /* simulations done before: the one of JSON, the one inside; -1: none */
    int64_t summed;         /* trace bytes that are in `sum` */
    crypto_hash_sha256_state sum;
    double *result; /* [nodes][width], of the largest problem */
    /* of the simulation under way */
    const netdp_i_variant *variant;
    int64_t repeat, begun; /* begun: trace bytes before its first row */
    double objective, accuracy,
        messages;       /* of its last row: of the last model, whatever is traced before it */
    netdp_i_state from; /* what it goes on from; memory NULL: the start */
} running;

static bool write_row(void *context, const netdp_trace_row *row)
{
    running *r = context;
    const netdp_i_problem *p = r->variant->problem;
    r->objective = row->objective;
    r->messages = row->messages;
    r->accuracy = row->accuracy;
    fprintf(r->trace, "%" PRId64 ",%s,%" PRId64 ",", row->step, r->variant->name, r->repeat);
    netdp_i_print_double(r->trace, row->objective);
    fputc(',', r->trace);
    if (row->accuracy >= 0) /* a mean has no accuracy */
        netdp_i_print_double(r->trace, row->accuracy);
    fputc(',', r->trace);
    netdp_i_print_double(r->trace, row->consensus);
    fputc(',', r->trace);
    netdp_i_print_double(r->trace, row->bytes);
    fputc(',', r->trace);
    netdp_i_print_double(r->trace, row->messages);
    fputc(',', r->trace);
    if (p->train == NULL || !isnan(p->least)) /* half the squared error of a mean is 0 at best */
        netdp_i_print_double(r->trace, row->objective - (p->train == NULL ? 0 : p->least));
    fputc('\n', r->trace);
    const double all = (double)(r->study->output.repeat * r->plan.count);
    return netdp_i_report(r->progress, "simulation", (double)r->made.done, all, NULL) == NETDP_OK;
}

/* Every node's is the first one's. */
static void spread_result(running *r)
{
    const int32_t n = netdp_graph_nodes(r->variant->problem->graph);
    const int32_t d = r->variant->problem->width;
    for (int64_t u = 1; u < n; u++)
        memcpy(r->result + u * d, r->result, (size_t)d * sizeof *r->result);
}

static netdp_status simulate_central(running *r, double noise, netdp_run_seed seed,
                                     netdp_error *error)
{
    const netdp_i_problem *p = r->variant->problem;
    const int32_t n = netdp_graph_nodes(p->graph), d = p->width;
    TRY(netdp_i_simulate_central(r->variant->laplace, p->values, n, d, noise, seed, r->result,
                                 error));
    netdp_trace_row row = {.step = 1, .accuracy = -1, .bytes = 16.0 * d * n, .messages = 2.0 * n};
    for (int32_t j = 0; j < d; j++) {
        const double away = r->result[j] - (p->truth[j] - p->low[j]) / p->scale[j];
        row.objective += 0.5 * away * away;
    }
    spread_result(r);
    (void)write_row(r, &row);
    return NETDP_OK;
}

/* By the nodes, or by tokens: every node's result is what they hand out. */
static netdp_status simulate_variant(running *r, const netdp_learning *learning, double noise,
                                     netdp_run_seed seed, const netdp_i_saving *saving,
                                     netdp_error *error)
{
    const netdp_i_variant *variant = r->variant;
    const netdp_i_problem *p = variant->problem;
    const netdp_i_planning *planning = netdp_i_variant_planning(variant);
    const netdp_tracing tracing = {r->study->output.every, write_row, r, r->progress};
    if (planning->simulate == NULL && learning != NULL)
        return netdp_i_simulate_learning(&variant->protocol, learning, seed, tracing, saving,
                                         r->result, error);
    if (planning->simulate == NULL)
        return netdp_i_simulate(&variant->protocol, noise, p->values, p->width, seed, tracing,
                                saving, r->result, error);
    TRY(planning->simulate(variant, seed, tracing, r->result,
                           &r->made.sums[r->made.done % r->plan.count].contributions, error));
    spread_result(r);
    return NETDP_OK;
}

static netdp_status simulate_mean(running *r, double noise, netdp_run_seed seed,
                                  const netdp_i_saving *saving, double *square, netdp_error *error)
{
    const netdp_i_problem *p = r->variant->problem;
    const int32_t n = netdp_graph_nodes(p->graph), d = p->width;
    TRY(r->variant->role == NETDP_I_CENTRAL
            ? simulate_central(r, noise, seed, error)
            : simulate_variant(r, NULL, noise, seed, saving, error));
    const netdp_variation *varying =
        netdp_i_variant_is_token(r->variant) ? NULL : &r->variant->protocol.varying;
    const bool late = varying != NULL && varying->kind == NETDP_VARY_LATE;
    OWNED bool *living =
        late ? NETDP_I_NEW(bool, n) : NULL; /* whose results there are; NULL: all */
    int32_t count = n;
    if (late && living == NULL)
        return netdp_i_no_memory(error);
    if (late)
        TRY(netdp_variation_living(p->mixing, varying, living, &count, error));
    for (int32_t j = 0; j < d; j++) {
        double sum = 0;
        for (int64_t u = 0; u < n; u++) {
            const double away = p->low[j] + p->scale[j] * r->result[u * d + j] - p->truth[j];
            sum += living == NULL || living[u] ? away * away : 0;
        }
        square[j] += sum / count;
    }
    return NETDP_OK;
}

static netdp_status simulate_model(running *r, double noise, netdp_run_seed seed,
                                   const netdp_i_saving *saving, netdp_error *error)
{
    const netdp_i_problem *p = r->variant->problem;
    const netdp_study *study = r->variant->study;
    netdp_learning learning = {.objective = p->objective,
                               .train = p->train,
                               .test = p->test,
                               .step = study->task.step,
                               .batch = study->task.batch,
                               .batches = netdp_i_study_protection(study).batches,
                               .noise = noise,
                               .decay = study->task.decay,
                               .local = study->task.local,
                               .momentum = study->task.momentum};
    if (r->variant->role == NETDP_I_CENTRAL) { /* its steps are few: every one is traced */
        if (study->task.central_step > 0)
            learning.step = study->task.central_step;
        return netdp_learn_central(&learning, study->task.central_steps, seed,
                                   (netdp_tracing){1, write_row, r, r->progress}, r->result, error);
    }
    return simulate_variant(r, &learning, noise, seed, saving, error);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static netdp_status sync_trace(running *r, netdp_error *error)
{
    if (fflush(r->trace) != 0 || ferror(r->trace) || fsync(fileno(r->trace)) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s/trace.csv: cannot write: %s; free some space, then netdp run %s",
                            r->folder, strerror(errno), r->folder);
    return NETDP_OK;
}

static void begin_sum(running *r)
{
    r->summed = 0;
    crypto_hash_sha256_init(&r->sum);
}

/* The digest of the trace's first `bytes`, at least as many as the last time; false: it has fewer.
 */
static bool sum_trace(running *r, int64_t bytes, char digest[65])
{
    unsigned char part[1 << 14], hash[crypto_hash_sha256_BYTES];
    while (r->summed < bytes) {
        const size_t left = (size_t)(bytes - r->summed);
        const ssize_t got =
            pread(fileno(r->trace), part, left < sizeof part ? left : sizeof part, r->summed);
        if (got <= 0)
            return false;
        crypto_hash_sha256_update(&r->sum, part, (unsigned long long)got);
        r->summed += got;
    }
    crypto_hash_sha256_state sum = r->sum;
    crypto_hash_sha256_final(&sum, hash);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
    return true;
}

/* Are the trace's first `bytes` those of the digest? */
static bool trace_begins(running *r, int64_t bytes, const char wanted[65])
{
    char digest[65];
    return sum_trace(r, bytes, digest) && memcmp(digest, wanted, 64) == 0;
}

static netdp_status fail_trace(const running *r, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s/trace.csv: cannot go on writing it; run the study anew: netdp run "
                        "%s/study.yaml -o NEW",
                        r->folder, r->folder);
}

/* The trace on disk first, then the checkpoint that speaks of its first `bytes`. */
static netdp_status save(running *r, int64_t bytes, netdp_error *error)
{
    r->made.trace_bytes = bytes;
    TRY(sync_trace(r, error));
    if (!sum_trace(r, bytes, r->made.trace_digest))
        return fail_trace(r, error);
    TRY(netdp_i_checkpoint_write(r->folder, &r->plan, &r->identity, &r->made, error));
    r->saved = bytes;
    r->stored = r->made.done;
    r->last = seconds();
    return NETDP_OK;
}

static bool is_due(void *context)
{
    const running *r = context;
    return seconds() - r->last >= r->study->save_every;
}

/* Inside a simulation: the whole ones before it, if they are not stored, then its own state. */
static netdp_status save_within(void *context, const netdp_i_standing *at, bool stopping,
                                netdp_error *error)
{
    running *r = context;
    if (!stopping && !is_due(r))
        return NETDP_OK;
    netdp_i_state midway = {.done = r->made.done,
                            .trace_bytes = ftell(r->trace),
                            .objective = r->objective,
                            .accuracy = r->accuracy,
                            .at = *at};
    if (r->stored != r->made.done)
        TRY(save(r, r->begun, error));
    else
        TRY(sync_trace(r, error));
    if (!sum_trace(r, midway.trace_bytes, midway.trace_digest))
        return fail_trace(r, error);
    TRY(netdp_i_state_write(r->folder, r->identity.key, r->variant, &midway, error));
    r->saved = midway.trace_bytes;
    r->within = r->made.done;
    r->last = seconds();
    return NETDP_OK;
}

/* The next simulation: one run of one variant, from its start or from where it was saved. */
static netdp_status simulate(running *r, netdp_error *error)
{
    const int64_t place = r->made.done % r->plan.count;
    netdp_i_sums *sums = &r->made.sums[place];
    const bool goes_on = r->from.memory != NULL;
    const netdp_i_saving saving = {save_within, r, goes_on ? &r->from.at : NULL, is_due};
    r->variant = &r->plan.variant[place];
    r->repeat = r->made.done / r->plan.count;
    r->objective = r->from.objective;
    r->accuracy = r->from.accuracy;
    const double noise = r->variant->noise * (r->variant->role == NETDP_I_CENTRAL
                                                  ? r->variant->problem->central
                                                  : r->variant->problem->sensitivity);
    const netdp_run_seed seed = {r->study->seed, (uint64_t)r->repeat};
    const netdp_status status = netdp_i_study_learns(r->variant->study)
                                    ? simulate_model(r, noise, seed, &saving, error)
                                    : simulate_mean(r, noise, seed, &saving, sums->square, error);
    netdp_i_state_clear(&r->from);
    TRY(status);
    sums->objective[0] += r->objective;
    sums->objective[1] += r->objective * r->objective;
    sums->accuracy[0] += r->accuracy;
    sums->accuracy[1] += r->accuracy * r->accuracy;
    if (netdp_i_variant_is_token(r->variant))
        sums->messages += r->messages;
    int32_t number = 0; /* of the network's variants */
    for (int64_t i = 0; i <= place; i++)
        number += r->plan.variant[i].role == NETDP_I_NETWORK;
    if (r->repeat == 0 && netdp_i_study_learns(r->variant->study) &&
        r->variant->role == NETDP_I_NETWORK)
        TRY(netdp_i_run_model_write(r->variant, number, r->result, r->folder, error));
    r->made.done++;
    return NETDP_OK;
}

static netdp_status begin_trace(running *r, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, r->folder, "trace.csv");
    r->trace = fopen(path, "w+b");
    begin_sum(r);
    if (r->trace != NULL && fchmod(fileno(r->trace), 0600) == 0 &&
        fputs("step,variant,run,objective,accuracy,consensus_error,bytes_sent,messages_sent,"
              "excess\n",
              r->trace) >= 0)
        return NETDP_OK;
    return fail_trace(r, error);
}

/* Are the trace's first bytes those of the checkpoint? What is saved within a run needs more. */
static bool trace_is_whole(running *r)
{
    if (!trace_begins(r, r->made.trace_bytes, r->made.trace_digest))
        return false;
    if (r->from.memory == NULL)
        return true;
    const crypto_hash_sha256_state kept = r->sum;
    if (r->from.trace_bytes < r->made.trace_bytes ||
        !trace_begins(r, r->from.trace_bytes, r->from.trace_digest)) {
        netdp_i_state_clear(&r->from);
        r->saved = r->summed = r->made.trace_bytes;
        r->within = -1;
        r->sum = kept;
    }
    return true;
}

/*
 * The trace cut back to what was saved. One that was damaged is begun again, and the simulations
 * with it: they come to the same bytes.
 */
static netdp_status continue_trace(running *r, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, r->folder, "trace.csv");
    r->trace = fopen(path, "r+b");
    begin_sum(r);
    if (r->trace != NULL && trace_is_whole(r))
        return ftruncate(fileno(r->trace), r->saved) == 0 &&
                       fseek(r->trace, r->saved, SEEK_SET) == 0
                   ? NETDP_OK
                   : fail_trace(r, error);
    if (r->trace != NULL)
        fclose(r->trace);
    netdp_i_state_clear(&r->from);
    r->within = -1;
    netdp_i_progress_made_reset(&r->made);
    TRY(begin_trace(r, error));
    return save(r, ftell(r->trace), error);
}

/*
 * Stopped: what is whole is kept, and of the simulation under way what was saved within it; rows
 * after that are cut off.
 */
static netdp_status stop(running *r, netdp_error *error)
{
    const bool within = r->within == r->made.done;
    const int64_t kept = within ? r->saved : r->begun;
    if (fflush(r->trace) == 0 && ftruncate(fileno(r->trace), kept) == 0 &&
        fseek(r->trace, kept, SEEK_SET) == 0 && !within)
        TRY(save(r, kept, error));
    return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped; go on with: netdp run %s", r->folder);
}

static netdp_status simulate_all(running *r, netdp_error *error)
{
    const int64_t all = r->study->output.repeat * r->plan.count;
    while (r->made.done < all) {
        /* One that goes on has rows already: the trace up to them is what the checkpoint says. */
        r->begun = r->from.memory != NULL ? r->made.trace_bytes : ftell(r->trace);
        netdp_status status =
            netdp_i_report(r->progress, "simulation", (double)r->made.done, (double)all, error);
        if (status == NETDP_OK)
            status = simulate(r, error);
        if (status == NETDP_INTERRUPTED)
            return stop(r, error);
        TRY(status);
        if (seconds() - r->last > r->study->save_every)
            TRY(save(r, ftell(r->trace), error));
    }
    return save(r, ftell(r->trace), error);
}

/* A trace that could not be written to its end is cut back to what the checkpoint speaks of. */
static void close_trace(running *r, bool failed)
{
    char path[NETDP_I_PATH_ROOM];
    if (r->trace == NULL)
        return;
    netdp_i_file_path(path, r->folder, "trace.csv");
    fclose(r->trace);
    r->trace = NULL;
    if (failed && (r->saved < 0 || truncate(path, r->saved) != 0))
        unlink(path);
}

/* The state inside the simulation that was under way, if it was saved. */
static netdp_status resume_within(running *r, netdp_error *error)
{
    bool found = false;
    r->stored = r->made.done;
    r->saved = r->made.trace_bytes;
    if (r->made.done >= r->study->output.repeat * r->plan.count)
        return NETDP_OK;
    TRY(netdp_i_state_read(r->folder, r->identity.key,
                           &r->plan.variant[r->made.done % r->plan.count], r->made.done, &r->from,
                           &found, error));
    if (found) {
        r->within = r->made.done;
        r->saved = r->from.trace_bytes;
    }
    return NETDP_OK;
}

/* From the start: what another start has left goes first. */
static netdp_status begin(running *r, netdp_error *error)
{
    netdp_i_record_clear(r->folder);
    TRY(netdp_i_plan_make(r->study, r->problems, r->folder, r->progress, &r->plan, error));
    TRY(netdp_i_progress_made_new(&r->plan, &r->made, error));
    TRY(netdp_i_accounts_digest(r->folder, r->made.accounts, error));
    TRY(begin_trace(r, error));
    return save(r, ftell(r->trace), error); /* calibration can be the long part */
}

static netdp_status plan_or_resume(running *r, netdp_error *error)
{
    bool resumed = false;
    TRY(netdp_i_identity_new(r->folder, r->problems, &r->identity, error));
    TRY(netdp_i_checkpoint_read(r->folder, r->study, r->problems, &r->identity, &r->plan, &r->made,
                                &resumed, error));
    if (!resumed)
        return begin(r, error);
    r->last = seconds();
    for (int32_t i = 0; i < r->plan.count; i++)
        TRY((r->plan.variant[i].role == NETDP_I_NETWORK
                 ? netdp_i_variant_again
                 : netdp_i_baseline_again)(&r->plan.variant[i], r->folder, r->progress, error));
    TRY(resume_within(r, error));
    return continue_trace(r, error);
}

static netdp_status new_result(running *r, netdp_error *error)
{
    int64_t largest = 0;
    for (int32_t i = 0; i < r->problems->count; i++) {
        const netdp_i_problem *p = r->problems->made[i];
        const int64_t size = (int64_t)netdp_graph_nodes(p->graph) * p->width;
        largest = size > largest ? size : largest;
    }
    r->result = NETDP_I_NEW(double, largest);
    return r->result != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* Before graph and data are made, which may take long: is the folder's run of another study? */
static netdp_status check_begun(const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    CLEARED(netdp_i_identity_clear) netdp_i_identity identity = {0};
    OWNED_BY(json_decref) json_t *stored = NULL;
    netdp_i_file_path(path, folder, "study.yaml");
    if (access(path, F_OK) != 0 || netdp_i_record_finished(folder)) /* whose checkpoint is old */
        return NETDP_OK;
    TRY(netdp_i_identity_new(folder, NULL, &identity, error));
    return netdp_i_checkpoint_load(folder, &identity, &stored, error);
}

/* The folder's last file, and the first that goes. */
static netdp_status finish(const char *folder, const netdp_i_identity *identity,
                           const json_t *accounts, double start, netdp_error *error)
{
    TRY(netdp_i_record_finish(folder, identity, accounts, error));
    netdp_i_checkpoint_remove(folder);
    netdp_i_folder_log(folder, "done in %.1f s", seconds() - start);
    return NETDP_OK;
}

/* An end between the manifest and the checkpoint's removal leaves the checkpoint. */
static netdp_status check_finished(const char *folder, const netdp_i_problems *problems,
                                   netdp_error *error)
{
    CLEARED(netdp_i_identity_clear) netdp_i_identity identity = {0};
    TRY(netdp_i_identity_new(folder, problems, &identity, error));
    TRY(netdp_i_record_check_of(folder, &identity, error));
    netdp_i_checkpoint_remove(folder);
    return NETDP_OK;
}

/* Into the opened folder: no graph, no data, and nothing that takes long enough to be kept half done. */
static netdp_status run_claims(const netdp_study *study, const char *folder, bool finished,
                               const netdp_progress *progress, netdp_error *error)
{
    const double start = seconds();
    CLEARED(netdp_i_identity_clear) netdp_i_identity identity = {0};
    if (finished)
        return check_finished(folder, NULL, error);
    TRY(netdp_i_identity_new(folder, NULL, &identity, error));
    TRY(netdp_i_claims_run(study, folder, progress, error));
    return finish(folder, &identity, NULL, start, error);
}

/* Of task account, into the opened folder. */
static netdp_status run_accounts(const netdp_study *study, const netdp_i_problems *problems,
                                 const char *folder, const netdp_progress *progress,
                                 netdp_error *error)
{
    const double start = seconds();
    CLEARED(netdp_i_identity_clear) netdp_i_identity identity = {0};
    OWNED_BY(json_decref) json_t *accounts = json_object();
    TRY(accounts != NULL ? netdp_i_identity_new(folder, problems, &identity, error)
                         : netdp_i_no_memory(error));
    TRY(netdp_i_accounts_run(study, problems, &identity, folder, progress, accounts, error));
    return finish(folder, &identity, accounts, start, error);
}

static void running_clear(running *r)
{
    netdp_i_state_clear(&r->from);
    netdp_i_plan_clear(&r->plan);
    netdp_i_progress_made_clear(&r->made);
    netdp_i_identity_clear(&r->identity);
    netdp_i_free(r->result);
}

/* Of a task that simulates, into the opened folder. */
static netdp_status run_simulations(const netdp_study *study, const netdp_i_problems *problems,
                                    const char *folder, const netdp_progress *progress,
                                    netdp_error *error)
{
    const double start = seconds();
    CLEARED(running_clear)
    running r = {.study = study,
                 .problems = problems,
                 .folder = folder,
                 .progress = progress,
                 .saved = -1,
                 .within = -1};
    TRY(new_result(&r, error));
    netdp_status status = plan_or_resume(&r, error);
    if (status == NETDP_OK)
        status = simulate_all(&r, error);
    close_trace(&r, status != NETDP_OK && status != NETDP_INTERRUPTED);
    TRY(status);
    TRY(netdp_i_private_write(study, problems, &r.plan, &r.made, folder, error));
    TRY(netdp_i_summary_write(study, problems, &r.plan, &r.made, folder, error));
    return finish(folder, &r.identity, r.made.accounts, start, error);
}

static netdp_status run_opened(const netdp_study *study, const netdp_i_problems *problems,
                               const char *folder, bool finished, const netdp_progress *progress,
                               netdp_error *error)
{
    if (netdp_i_study_claims(study))
        return run_claims(study, folder, finished, progress, error);
    if (finished)
        return check_finished(folder, problems, error);
    return (netdp_i_study_accounts(study) ? run_accounts : run_simulations)(study, problems, folder,
                                                                            progress, error);
}

netdp_status netdp_study_run(const netdp_study *study, const char *folder, const char *data,
                             const netdp_progress *progress, netdp_error *error)
{
    NETDP_I_GIVEN(error, study);
    CLEARED(netdp_i_problems_clear) netdp_i_problems problems = {0};
    bool finished = false;
    int lock = -1;
    if (!netdp_i_study_claims(study)) {
        if (!study->anew)
            TRY(check_begun(folder, error));
        TRY(netdp_i_problems_new(study, data, &problems, error));
    }
    netdp_status status = netdp_i_folder_open(study, folder, &finished, &lock, error);
    if (status == NETDP_OK)
        status = run_opened(study, &problems, folder, finished, progress, error);
    netdp_i_folder_close(folder, &lock);
    return status;
}
