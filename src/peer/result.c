#include "peer/result.h"

#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sealed.h"
#include "base/try.h"
#include "learn/model.h"
#include "peer/price.h"
#include "study/study.h"

/* Epsilon of all contributions together; infinite where there is none. */
static double price_of(const netdp_i_package *package, const netdp_i_prices *prices, double square)
{
    double epsilon = INFINITY;
    if (netdp_i_price_epsilon(netdp_i_price_times(square, prices->times), package->terms.delta,
                              &epsilon, NULL) != NETDP_OK)
        return INFINITY;
    return epsilon;
}

static json_t *list_observers(const netdp_i_package *package, const netdp_i_price *price)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < price->count; k++)
        json_array_append_new(list, json_string(package->member[price->member[k]].name));
    return list;
}

netdp_status netdp_i_result_account(const netdp_i_package *package, int32_t self,
                                    const char *folder, json_t **account, const json_t **worst,
                                    netdp_error *error)
{
    OWNED_BY(netdp_i_prices_free) netdp_i_prices *prices = NULL;
    double most = -1;
    bool proven = false;
    char path[NETDP_I_PATH_ROOM];
    TRY(netdp_i_prices_new(package, self, &prices, error));
    netdp_i_file_path(path, folder, "account.proof");
    TRY(netdp_i_prices_proof(package, self, prices, path, &proven, error));
    (void)netdp_i_json_failed();
    json_t *list = json_array();
    const json_t *found = NULL;
    for (int32_t i = 0; i < prices->count; i++) {
        const double epsilon = price_of(
            package, prices, prices->exposed ? prices->everyone : prices->towards[i].square);
        json_t *entry =
            json_pack("{s:o, s:o}", "observers", list_observers(package, &prices->towards[i]),
                      "epsilon", netdp_i_json_double(epsilon));
        json_array_append_new(list, entry);
        if (epsilon > most) {
            most = epsilon;
            found = entry;
        }
    }
    json_t *object =
        json_pack("{s:s, s:s*, s:s, s:s, s:f, s:I, s:I, s:o, s:o, s:o}", "bound", "everything",
                  "proof", proven ? "account.proof" : NULL, "protects", prices->protects, "sees",
                  "every frame on every link, and what the observers drew themselves", "delta",
                  package->terms.delta, "contributions", (json_int_t)prices->contributions, "times",
                  (json_int_t)prices->times, "eavesdropper",
                  netdp_i_json_double(price_of(
                      package, prices, prices->exposed ? prices->everyone : prices->outside)),
                  "everyone_else", netdp_i_json_double(price_of(package, prices, prices->everyone)),
                  "towards", list);
    if (netdp_i_json_failed() || object == NULL) {
        json_decref(object);
        return netdp_i_no_memory(error);
    }
    *account = object;
    *worst = found;
    return NETDP_OK;
}

static json_t *list_names(const netdp_i_task *task)
{
    json_t *list = json_array();
    for (int32_t j = 0; j < task->width; j++)
        json_array_append_new(list, json_string(task->column[j]));
    return list;
}

/* In the data's unit, or as messages have them. */
static json_t *list_numbers(const netdp_i_result *result, bool inner)
{
    const netdp_i_task *task = result->task;
    json_t *list = json_array();
    for (int32_t j = 0; j < task->width; j++)
        json_array_append_new(
            list, netdp_i_json_double(inner ? result->state[j]
                                            : task->low[j] + task->factor[j] * result->state[j]));
    return list;
}

static const char privacy[] =
    "predictions are computed from the model alone, and the model from messages that count as seen "
    "by all: they tell no more about the rows it was learnt from than 'account' says of all "
    "observers; about the rows they are made for they may tell everything";
static const char test_privacy[] =
    "this model is of test mode: its noise can be computed by anybody, and hides nothing";

/* The model with names, scales and labels, which the package declares. */
static json_t *model_json(const netdp_study *study, const double *weight)
{
    netdp_model *model = netdp_i_learner_model(study);
    json_t *made = model != NULL ? netdp_i_model_json(model, weight) : NULL;
    netdp_model_free(model);
    return made;
}

netdp_status netdp_i_result_write(const netdp_i_result *result, const char *folder,
                                  netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], digest[NETDP_I_DIGEST_TEXT];
    const netdp_i_task *task = result->task;
    netdp_i_hex(result->attempt->study, digest);
    json_t *model = NULL;
    netdp_i_file_path(path, folder, "result.json");
    if (task->learner.rows != NULL && !netdp_i_study_owns(task->study) &&
        (model = model_json(task->study, result->state)) == NULL)
        return netdp_i_no_memory(error);
    OWNED_BY(json_decref)
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:o, s:o, s:o, s:s*, s:o*, s:O*}",
                  "schema", NETDP_I_JSON_SCHEMA, "noise",
                  result->test ? "TEST: seeded, hides nothing"
                               : "Gaussian noise, sampled exactly and rounded",
                  "title", result->package->title, "member",
                  result->package->member[task->self].name, "package", digest, "rounds",
                  (json_int_t)task->protocol.rounds, "lost", (json_int_t)result->lost, "attempt",
                  (int)result->attempt->attempt, "columns", list_names(task), "estimate",
                  list_numbers(result, false), "state", list_numbers(result, true), "predictions",
                  model == NULL  ? NULL
                  : result->test ? test_privacy
                                 : privacy,
                  "model", model, "account", result->account);
    NEED(object);
    netdp_i_output output;
    TRY(netdp_i_output_open_own(&output, path, false, error));
    return netdp_i_sealed_commit(object, &output, error);
}
