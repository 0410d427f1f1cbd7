#define _GNU_SOURCE
#include "begun.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/record.h"

const char *const begun_file[BEGUN_FILES] = {
    "study.yaml",  "summary.json", "trace.csv",  "loss.csv",         "loss.npy",
    "figure.json", "figure.svg",   "checkpoint", "checkpoint.state",
};

static const char study_text[] =
    "graph: {family: ring 4}\n"
    "data: {csv: four.csv, columns: [{name: x, bounds: [0, 5]}], per_node: one}\n"
    "task: {kind: mean}\n"
    "protocol: {kind: averaging, rounds: 3}\n"
    "privacy: {epsilon: 1, delta: 1e-6}\n"
    "output: {repeat: 2}\n";

typedef struct genuine {
    char *text; /* NULL: there is no such file */
    size_t size;
} genuine;

static genuine half[BEGUN_FILES], whole[BEGUN_FILES];
static netdp_study *study;
static netdp_i_identity whose; /* the digest of graph and data */
static json_t *begun;          /* the unfinished run's checkpoint */

/* Ends the run in its second simulation. */
static bool stop_late(void *context, const char *what, double done, double total)
{
    (void)context, (void)total;
    return what == NULL || strcmp(what, "simulation") != 0 || done < 2;
}

static void name_file(char name[64], const char *file)
{
    snprintf(name, 64, "results/%s", file);
}

static void keep(genuine *made)
{
    for (int i = 0; i < BEGUN_FILES; i++) {
        char name[64], path[256];
        name_file(name, begun_file[i]);
        fuzz_path(path, name);
        if (access(path, F_OK) == 0)
            made[i].text = fuzz_get(name, &made[i].size);
    }
}

static void run(bool whole_run)
{
    const netdp_progress progress = {stop_late, NULL};
    netdp_error error = {NETDP_OK, ""};
    char path[256];
    fuzz_path(path, "results");
    const netdp_status status =
        netdp_study_run(study, path, NULL, whole_run ? NULL : &progress, &error);
    if (status != (whole_run ? NETDP_OK : NETDP_INTERRUPTED))
        fprintf(stderr, "%s\n", error.text);
    FUZZ_HOLDS(status == (whole_run ? NETDP_OK : NETDP_INTERRUPTED));
}

const netdp_study *begun_study(void)
{
    static const char table[] = "x\n1\n2\n3\n4.5\n";
    netdp_error error = {NETDP_OK, ""};
    char path[256];
    if (study != NULL)
        return study;
    fuzz_put("four.csv", table, strlen(table));
    fuzz_put("mine.yaml", study_text, strlen(study_text));
    fuzz_path(path, "mine.yaml");
    FUZZ_HOLDS(fuzz_ok(netdp_study_read(path, NULL, 0, &study, &error), &error));
    run(false);
    keep(half);
    fuzz_path(path, "results/checkpoint");
    FUZZ_HOLDS(fuzz_ok(netdp_i_sealed_read(path, &begun, &error), &error));
    run(true);
    keep(whole);
    fuzz_path(path, "results/manifest.json");
    json_t *manifest = NULL;
    FUZZ_HOLDS(fuzz_ok(netdp_i_sealed_read(path, &manifest, &error), &error));
    const json_t *inputs = json_object_get(manifest, "inputs_sha256");
    snprintf(whose.problem, sizeof whose.problem, "%s", json_string_value(inputs));
    json_decref(manifest);
    return study;
}

/* What the input has of a file, into *text. */
static bool given(const uint8_t *data, size_t size, const char *file, genuine *found)
{
    char head[64];
    const size_t length = (size_t)snprintf(head, sizeof head, "--- %s\n", file);
    uint8_t *at = size > 0 ? memmem(data, size, head, length) : NULL;
    if (at == NULL)
        return false;
    at += length;
    const size_t left = size - (size_t)(at - data);
    const uint8_t *after = memmem(at, left, "--- ", 4);
    *found = (genuine){(char *)at, after != NULL ? (size_t)(after - at) : left};
    return true;
}

/* A checkpoint of this study and digests that fit, so that what was changed is read. */
static void seal(const char *folder, bool finished)
{
    static const char *const identity[] = {"netdp", "study", "problem"};
    char checkpoint[256], manifest[256];
    netdp_error error = {NETDP_OK, ""};
    fuzz_path(checkpoint, "results/checkpoint");
    fuzz_path(manifest, "results/manifest.json");
    json_t *stored = json_load_file(checkpoint, 0, NULL);
    for (size_t i = 0; json_is_object(stored) && i < 3; i++)
        json_object_set(stored, identity[i], json_object_get(begun, identity[i]));
    if (json_is_object(stored))
        (void)fuzz_ok(netdp_i_sealed_write(stored, checkpoint, &error), &error);
    json_decref(stored);
    if (finished)
        (void)fuzz_ok(netdp_i_record_finish(folder, &whose, NULL, &error), &error);
    else
        fuzz_remove("results/manifest.json");
}

const char *begun_folder(const uint8_t *data, size_t size, bool finished)
{
    static char path[256];
    begun_study();
    for (int i = 0; i < BEGUN_FILES; i++) {
        genuine file = finished ? whole[i] : half[i];
        char name[64];
        name_file(name, begun_file[i]);
        if (given(data, size, begun_file[i], &file) || file.text != NULL)
            fuzz_put(name, file.text, file.size);
        else
            fuzz_remove(name);
    }
    fuzz_remove("results/run.log"); /* it would grow */
    fuzz_path(path, "results");
    seal(path, finished);
    return path;
}
