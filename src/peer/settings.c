#include "peer/settings.h"

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "peer/link/address.h"

static const char file[] = "peer.json";

enum { SLOT = 100, ANSWER = 1000, MOST_SECONDS = 31536000 };

void netdp_i_settings_clear(netdp_i_settings *settings)
{
    for (int32_t v = 0; settings->address != NULL && v < settings->members; v++)
        netdp_i_free(settings->address[v]);
    netdp_i_free(settings->address);
    netdp_i_free(settings->listen);
    netdp_i_free(settings->announced);
    netdp_i_free(settings->package);
    netdp_i_free(settings->data);
    for (int k = 0; settings->program != NULL && settings->program[k] != NULL; k++)
        netdp_i_free(settings->program[k]);
    netdp_i_free(settings->program);
    netdp_i_free(settings->metrics);
    netdp_i_free(settings->transcript);
    *settings = (netdp_i_settings){0};
}

/* A text of its own; NULL stays NULL. */
static netdp_status keep(const char *text, char **kept, netdp_error *error)
{
    if (text == NULL)
        return NETDP_OK;
    *kept = netdp_i_copy_text(text);
    return *kept != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status read_dial(const char *path, json_t *dial, const netdp_i_package *package,
                              netdp_i_settings *settings, netdp_error *error)
{
    const char *name;
    char host[NETDP_I_HOST], port[NETDP_I_PORT];
    json_t *address;
    settings->address = NETDP_I_NEW(char *, package->members);
    NEED(settings->address);
    settings->members = package->members;
    if (dial == NULL)
        return NETDP_OK;
    REFUSE(!json_is_object(dial), "%.300s: dial: must be {\"NAME\": \"HOST:PORT\"}", path);
    json_object_foreach (dial, name, address) {
        const int32_t who = netdp_i_package_find(package, name);
        const char *text = json_string_value(address);
        REFUSE(who < 0, "%.300s: dial: '%s' is not in the roster", path,
               netdp_i_show_text(name).text);
        const char *relay = text != NULL ? netdp_i_address_relay(text) : NULL;
        REFUSE(text == NULL || !netdp_i_address_split(relay != NULL ? relay : text, host, port) ||
                   netdp_i_port_read(port) == 0,
               "%.300s: dial: %s: give \"HOST:PORT\", a port from 1 to 65535", path,
               netdp_i_show_text(name).text);
        TRY(keep(text, &settings->address[who], error));
    }
    return NETDP_OK;
}

static netdp_status read_test(const char *path, json_t *test, netdp_i_settings *settings,
                              netdp_error *error)
{
    json_error_t fault;
    json_int_t seed = 0, repeat = 0;
    if (test == NULL)
        return NETDP_OK;
    REFUSE(json_unpack_ex(test, &fault, JSON_STRICT, "{s:I, s?I}", "seed", &seed, "repeat",
                          &repeat) != 0 ||
               seed < 0 || repeat < 0 || repeat >> 32 != 0,
           "%.300s: test: must be {\"seed\": N, \"repeat\": N}", path);
    settings->test = true;
    settings->seed = (uint64_t)seed;
    settings->repeat = (uint64_t)repeat;
    return NETDP_OK;
}

static netdp_status read_program(const char *path, const json_t *step, netdp_i_settings *settings,
                                 netdp_error *error)
{
    const size_t words = json_array_size(step);
    if (step == NULL)
        return NETDP_OK;
    settings->program = NETDP_I_NEW(char *, words + 1);
    NEED(settings->program);
    for (size_t k = 0; k < words; k++)
        TRY(keep(json_string_value(json_array_get(step, k)), &settings->program[k], error));
    for (size_t k = 0; k < words + (words == 0); k++)
        REFUSE(settings->program[k] == NULL || settings->program[0][0] == '\0',
               "%.300s: step: must be [\"COMMAND\", \"ARGUMENT\", ...]", path);
    return NETDP_OK;
}

static netdp_status take(const char *path, json_t *object, const netdp_i_package *package,
                         netdp_i_settings *settings, netdp_error *error)
{
    const char *listen = NULL, *data = NULL, *agreed = NULL, *metrics = NULL, *transcript = NULL,
               *announced = NULL;
    json_t *dial = NULL, *test = NULL, *step = NULL;
    json_int_t patience = NETDP_I_SETTINGS_PATIENCE, linger = NETDP_I_SETTINGS_LINGER, slot = -1,
               answer = 0, attempt = 0;
    int schema = NETDP_I_JSON_SCHEMA;
    json_error_t fault;
    REFUSE(json_unpack_ex(
               object, &fault, JSON_STRICT,
               "{s?i, s?s, s?s, s?s, s?s, s?o, s?s, s?s, s?I, s?I, s?I, s?I, s?I, s?o, s?o}",
               "schema", &schema, "transcript", &transcript, "package", &agreed, "listen", &listen,
               "announced", &announced, "dial", &dial, "data", &data, "metrics", &metrics,
               "patience", &patience, "linger", &linger, "slot", &slot, "answer", &answer,
               "attempt", &attempt, "test", &test, "step", &step) != 0,
           "%.300s: %s", path, netdp_i_show_text(fault.text).text);
    const bool slotted = json_object_get(object, "slot") != NULL;
    const bool timed = json_object_get(object, "answer") != NULL;
    unsigned char digest[NETDP_I_DIGEST];
    const struct {
        bool holds;
        const char *says;
    } rules[] = {
        {patience >= 1 && patience <= MOST_SECONDS && linger >= 0 && linger <= MOST_SECONDS,
         "patience and linger: give seconds, up to a year"},
        {!slotted || (slot >= 0 && slot / 1000 < patience),
         "slot: give milliseconds, fewer than patience has"},
        {!timed || (answer >= 1 && answer / 1000 < patience),
         "answer: give milliseconds, from 1, fewer than patience has"},
        {step == NULL || data == NULL, "give either data, or step: its program reads its own"},
        {step != NULL || (data != NULL) != (test != NULL),
         "give either data, a file of one's own, or test: seeded noise hides nothing, and real "
         "data are never read with it"},
        {agreed == NULL || netdp_i_unhex(agreed, digest),
         "package: must be the package's name, 64 hexadecimal digits"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        REFUSE(!rules[k].holds, "%.300s: %s", path, rules[k].says);
    REFUSE(attempt < 0 || attempt >= package->terms.attempts,
           "%.300s: attempt: the package allows %lld, and 0 is the first; more need a new package",
           path, (long long)package->terms.attempts);
    settings->attempt = attempt;
    settings->slot = slotted ? slot : test != NULL ? 0 : SLOT;
    settings->slot_of_all = slotted;
    settings->answer = timed ? answer : ANSWER;
    settings->answer_given = timed;
    settings->patience = patience;
    settings->linger = linger;
    TRY(read_dial(path, dial, package, settings, error));
    TRY(read_test(path, test, settings, error));
    TRY(read_program(path, step, settings, error));
    TRY(keep(agreed, &settings->package, error));
    TRY(keep(listen, &settings->listen, error));
    TRY(keep(announced, &settings->announced, error));
    TRY(keep(data, &settings->data, error));
    TRY(keep(transcript, &settings->transcript, error));
    return keep(metrics, &settings->metrics, error);
}

static netdp_status load(const char *path, json_t **object, netdp_error *error)
{
    char *text = NULL;
    int64_t bytes = 0;
    json_error_t fault;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    *object = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &fault);
    netdp_i_free(text);
    if (json_is_object(*object))
        return NETDP_OK;
    json_decref(*object);
    *object = NULL;
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%d: %s", path, fault.line,
                        netdp_i_show_text(fault.text).text);
}

/* All of it, or nothing. */
static netdp_status take_whole(const char *path, json_t *object, const netdp_i_package *package,
                               netdp_i_settings *settings, netdp_error *error)
{
    CLEARED(netdp_i_settings_clear) netdp_i_settings made = {0};
    TRY(take(path, object, package, &made, error));
    *settings = made;
    made = (netdp_i_settings){0};
    return NETDP_OK;
}

netdp_status netdp_i_settings_read(const char *folder, const netdp_i_package *package,
                                   netdp_i_settings *settings, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *object = NULL;
    netdp_i_file_path(path, folder, file);
    TRY(load(path, &object, error));
    return take_whole(path, object, package, settings, error);
}

netdp_status netdp_i_settings_read_kept(const char *folder, const netdp_i_package *package,
                                        netdp_i_settings *settings, netdp_error *error)
{
    static const char *const of_study[] = {"package", "dial", "test", "attempt"};
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *object = NULL;
    netdp_i_file_path(path, folder, file);
    if (access(path, F_OK) == 0)
        TRY(load(path, &object, error));
    else if ((object = json_object()) == NULL)
        return netdp_i_no_memory(error);
    for (size_t k = 0; k < sizeof of_study / sizeof *of_study; k++)
        json_object_del(object, of_study[k]);
    if (json_object_get(object, "data") == NULL && json_object_get(object, "step") == NULL)
        json_object_set_new(object, "data", json_string(NETDP_I_SETTINGS_DATA));
    return take_whole(path, object, package, settings, error);
}

netdp_status netdp_i_settings_write(const char *folder, const netdp_i_package *package,
                                    const netdp_i_settings *settings, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    json_t *dial = json_object();
    for (int32_t v = 0; v < settings->members; v++)
        if (settings->address[v] != NULL)
            json_object_set_new(dial, package->member[v].name, json_string(settings->address[v]));
    OWNED_BY(json_decref)
    json_t *object = json_pack(
        "{s:s*, s:s*, s:s*, s:o, s:s*, s:s*, s:s*, s:I, s:I}", "package", settings->package,
        "listen", settings->listen, "announced", settings->announced, "dial", dial, "data",
        settings->data, "metrics", settings->metrics, "transcript", settings->transcript,
        "patience", (json_int_t)settings->patience, "linger", (json_int_t)settings->linger);
    if (object != NULL && settings->slot >= 0)
        json_object_set_new(object, "slot", json_integer(settings->slot));
    if (object != NULL && settings->answer > 0)
        json_object_set_new(object, "answer", json_integer(settings->answer));
    if (object != NULL && settings->attempt > 0)
        json_object_set_new(object, "attempt", json_integer(settings->attempt));
    if (object != NULL && settings->program != NULL) {
        json_t *words = json_array();
        for (int k = 0; settings->program[k] != NULL; k++)
            json_array_append_new(words, json_string(settings->program[k]));
        json_object_set_new(object, "step", words);
    }
    if (object != NULL && settings->test)
        json_object_set_new(object, "test",
                            json_pack("{s:I, s:I}", "seed", (json_int_t)settings->seed, "repeat",
                                      (json_int_t)settings->repeat));
    netdp_i_file_path(path, folder, file);
    NEED(object);
    return netdp_i_json_write(object, path, error);
}
