#include <netdp/study.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <netdp/simulate.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "study/folder.h"

/* Seconds between checkpoints. */
#define CHECKPOINT_EVERY 10

/* A run's accuracy is the mean of its last evaluations. */
enum { LAST = 5 };

typedef struct running {
    const netdp_study *study;
    const netdp_i_problem *problem;
    const char *folder;
    const netdp_progress *progress;
    netdp_i_plan plan;
    netdp_i_progress_made made;
    FILE *trace;
    int64_t saved;  /* trace bytes that the last checkpoint speaks of; -1: there is none */
    double *result; /* [nodes][width] */
    /* of the simulation under way */
    int variant;
    int64_t repeat, traced;
    double objective, accuracy[LAST]; /* of its last rows, in turn */
} running;

static bool write_row(void *context, const netdp_trace_row *row)
{
    running *r = context;
    r->objective = row->objective;
    r->accuracy[r->traced++ % LAST] = row->accuracy;
    fprintf(r->trace, "%" PRId64 ",%s,%" PRId64 ",", row->step, r->plan.variant[r->variant].name,
            r->repeat);
    netdp_i_print_double(r->trace, row->objective);
    fputc(',', r->trace);
    if (row->accuracy >= 0) /* a mean has no accuracy */
        netdp_i_print_double(r->trace, row->accuracy);
    fputc(',', r->trace);
    netdp_i_print_double(r->trace, row->consensus);
    fputc(',', r->trace);
    netdp_i_print_double(r->trace, row->bytes);
    fputc('\n', r->trace);
    const double all = (double)(r->study->output.repeat * NETDP_I_VARIANTS);
    return netdp_i_report(r->progress, "simulation", (double)r->made.done, all, NULL) == NETDP_OK;
}

static netdp_status simulate_central(running *r, double noise, netdp_run_seed seed,
                                     netdp_error *error)
{
    const netdp_i_problem *p = r->problem;
    const int32_t n = netdp_graph_nodes(p->graph), d = p->width;
    netdp_status status = netdp_simulate_central(p->values, n, d, noise, seed, r->result, error);
    if (status != NETDP_OK)
        return status;
    netdp_trace_row row = {.step = 1, .accuracy = -1, .bytes = 16.0 * d * n};
    for (int32_t j = 0; j < d; j++) {
        const double away = r->result[j] - (p->truth[j] - p->low[j]) / p->scale[j];
        row.objective += 0.5 * away * away;
    }
    for (int64_t u = 1; u < n; u++)
        memcpy(r->result + u * d, r->result, (size_t)d * sizeof *r->result);
    (void)write_row(r, &row);
    return NETDP_OK;
}

static netdp_status simulate_mean(running *r, double noise, netdp_run_seed seed, netdp_error *error)
{
    const netdp_i_problem *p = r->problem;
    const netdp_i_variant *variant = &r->plan.variant[r->variant];
    const int32_t n = netdp_graph_nodes(p->graph), d = p->width;
    netdp_status status =
        r->variant == NETDP_I_CENTRAL
            ? simulate_central(r, noise, seed, error)
            : netdp_simulate(&variant->protocol, noise, p->values, d, seed,
                             (netdp_tracing){r->study->output.every, write_row, r, r->progress},
                             r->result, error);
    for (int32_t j = 0; status == NETDP_OK && j < d; j++) {
        double square = 0;
        for (int64_t u = 0; u < n; u++) {
            const double away = p->low[j] + p->scale[j] * r->result[u * d + j] - p->truth[j];
            square += away * away;
        }
        r->made.square[r->variant * d + j] += square / n;
    }
    return status;
}

static netdp_status simulate_model(running *r, double noise, netdp_run_seed seed,
                                   netdp_error *error)
{
    const netdp_i_problem *p = r->problem;
    const netdp_study *study = r->study;
    const netdp_learning learning = {.objective = p->objective,
                                     .train = p->train,
                                     .test = p->test,
                                     .step = study->task.step,
                                     .batch = study->task.batch,
                                     .noise = noise};
    if (r->variant == NETDP_I_CENTRAL) /* its steps are few: every one is traced */
        return netdp_learn_central(&learning, study->task.central_steps, seed,
                                   (netdp_tracing){1, write_row, r, r->progress}, r->result, error);
    return netdp_simulate_learning(&r->plan.variant[r->variant].protocol, &learning, seed,
                                   (netdp_tracing){study->output.every, write_row, r, r->progress},
                                   r->result, error);
}

static netdp_status simulate_one(running *r, netdp_error *error)
{
    const double noise = r->plan.variant[r->variant].noise * r->problem->sensitivity;
    const netdp_run_seed seed = {r->study->seed, (uint64_t)r->repeat};
    r->traced = 0;
    netdp_status status = netdp_i_study_learns(r->study) ? simulate_model(r, noise, seed, error)
                                                         : simulate_mean(r, noise, seed, error);
    if (status != NETDP_OK)
        return status;
    double accuracy = 0;
    const int64_t last = r->traced < LAST ? r->traced : LAST;
    for (int64_t i = 0; i < last; i++)
        accuracy += r->accuracy[i] / (double)last;
    r->made.objective[0][r->variant] += r->objective;
    r->made.objective[1][r->variant] += r->objective * r->objective;
    r->made.accuracy[0][r->variant] += accuracy;
    r->made.accuracy[1][r->variant] += accuracy * accuracy;
    r->made.done++;
    return NETDP_OK;
}

/* The trace on disk first, then the checkpoint that speaks of it. */
static netdp_status save(running *r, netdp_error *error)
{
    r->made.trace_bytes = ftell(r->trace);
    if (fflush(r->trace) != 0 || ferror(r->trace) || fsync(fileno(r->trace)) != 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%s/trace.csv: cannot write: %s; free some space, then netdp run %s",
                            r->folder, strerror(errno), r->folder);
    netdp_status status =
        netdp_i_checkpoint_write(r->folder, &r->plan, r->problem, &r->made, error);
    if (status == NETDP_OK)
        r->saved = r->made.trace_bytes;
    return status;
}

static netdp_status open_trace(running *r, bool resumed, netdp_error *error)
{
    char path[4096];
    netdp_i_folder_path(path, r->folder, "trace.csv");
    r->trace = fopen(path, resumed ? "r+b" : "wb");
    bool ready = r->trace != NULL;
    if (ready && resumed) /* cut back, never filled up: ftruncate would add zeros */
        ready = fseek(r->trace, 0, SEEK_END) == 0 && ftell(r->trace) >= r->made.trace_bytes &&
                ftruncate(fileno(r->trace), r->made.trace_bytes) == 0 &&
                fseek(r->trace, 0, SEEK_END) == 0;
    else if (ready)
        ready = fputs("step,variant,run,objective,accuracy,consensus_error,bytes_sent\n",
                      r->trace) >= 0;
    if (ready)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s: cannot go on writing it; remove the folder to start anew", path);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Stopped in the middle of a simulation: its rows are cut off, the finished ones are kept. */
static netdp_status stop(running *r, int64_t finished_bytes, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    if (fflush(r->trace) == 0 && ftruncate(fileno(r->trace), finished_bytes) == 0 &&
        fseek(r->trace, finished_bytes, SEEK_SET) == 0)
        status = save(r, error);
    return status != NETDP_OK ? status
                              : netdp_i_fail(error, NETDP_INTERRUPTED,
                                             "stopped; go on with: netdp run %s", r->folder);
}

static netdp_status simulate_all(running *r, netdp_error *error)
{
    const int64_t all = r->study->output.repeat * NETDP_I_VARIANTS;
    double last = seconds();
    netdp_status status = NETDP_OK;
    while (r->made.done < all) {
        const int64_t finished_bytes = ftell(r->trace);
        status =
            netdp_i_report(r->progress, "simulation", (double)r->made.done, (double)all, error);
        if (status == NETDP_INTERRUPTED)
            return stop(r, finished_bytes, error);
        r->variant = (int)(r->made.done % NETDP_I_VARIANTS);
        r->repeat = r->made.done / NETDP_I_VARIANTS;
        status = simulate_one(r, error);
        if (status == NETDP_INTERRUPTED)
            return stop(r, finished_bytes, error);
        if (status == NETDP_OK && seconds() - last > CHECKPOINT_EVERY) {
            status = save(r, error);
            last = seconds();
        }
        if (status != NETDP_OK)
            return status;
    }
    return save(r, error);
}

/* A trace that could not be written to its end is cut back to what the checkpoint speaks of. */
static void close_trace(running *r, bool failed)
{
    char path[4096];
    if (r->trace == NULL)
        return;
    netdp_i_folder_path(path, r->folder, "trace.csv");
    fclose(r->trace);
    r->trace = NULL;
    if (failed && (r->saved < 0 || truncate(path, r->saved) != 0))
        unlink(path);
}

static netdp_status plan_or_resume(running *r, netdp_error *error)
{
    bool resumed = false;
    netdp_status status = netdp_i_checkpoint_read(r->folder, r->study, r->problem, &r->plan,
                                                  &r->made, &resumed, error);
    if (status != NETDP_OK)
        return status;
    if (!resumed) {
        status = netdp_i_plan_make(r->study, r->problem, r->folder, r->progress, &r->plan, error);
        if (status != NETDP_OK)
            return status;
    }
    r->saved = resumed ? r->made.trace_bytes : -1;
    status = open_trace(r, resumed, error);
    if (status == NETDP_OK && !resumed)
        status = save(r, error); /* the plan is worth keeping: calibration can be the long part */
    return status;
}

netdp_status netdp_study_run(const netdp_study *study, const char *folder, const char *data,
                             const netdp_progress *progress, netdp_error *error)
{
    netdp_i_problem *problem = NULL;
    running r = {.study = study, .folder = folder, .progress = progress, .saved = -1};
    bool finished = false;
    const double start = seconds();
    netdp_status status = netdp_i_problem_new(study, data, &problem, error);
    if (status == NETDP_OK)
        status = netdp_i_folder_open(study, folder, &finished, error);
    if (status != NETDP_OK)
        goto done;
    if (finished) {
        status = netdp_i_folder_finished(problem, folder, error);
        goto done;
    }
    r.problem = problem;
    r.result = NETDP_I_NEW(double, (int64_t)netdp_graph_nodes(problem->graph) * problem->width);
    status = netdp_i_progress_made_new(problem->width, &r.made, error);
    if (status == NETDP_OK && r.result == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status = plan_or_resume(&r, error);
    if (status == NETDP_OK)
        status = simulate_all(&r, error);
    close_trace(&r, status != NETDP_OK && status != NETDP_INTERRUPTED);
    if (status == NETDP_OK)
        status = netdp_i_summary_write(study, problem, &r.plan, &r.made, folder, error);
    if (status == NETDP_OK) {
        netdp_i_checkpoint_remove(folder);
        netdp_i_folder_log(folder, "done in %.1f s", seconds() - start);
    }
done:
    netdp_i_plan_clear(&r.plan);
    netdp_i_progress_made_clear(&r.made);
    netdp_i_free(r.result);
    netdp_i_problem_free(problem);
    return status;
}
