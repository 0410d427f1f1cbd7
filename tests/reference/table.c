/* The tables of settings and of a study's keys as JSON, for tests/reference/check. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <netdp/protocol.h>

#include "question/settings.h"
#include "study/key.h"

static const char *const kinds[] = {
    [NETDP_I_KEY_TEXT] = "text",   [NETDP_I_KEY_FILE] = "file",   [NETDP_I_KEY_DATASET] = "dataset",
    [NETDP_I_KEY_SEED] = "whole",  [NETDP_I_KEY_WHOLE] = "whole", [NETDP_I_KEY_REAL] = "real",
    [NETDP_I_KEY_PAIR] = "pair",   [NETDP_I_KEY_WORD] = "word",   [NETDP_I_KEY_SWITCH] = "word",
    [NETDP_I_KEY_COLUMNS] = "list"};

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, name, json_string(text));
}

/* What it may be, by its rule. */
static json_t *tell_rule(const netdp_i_rule *rule)
{
    json_t *made = json_pack("{s:s}", "kind", kinds[rule->kind]), *words = json_array();
    set_text(made, "default", rule->fallback);
    set_text(made, "expects", rule->expects);
    for (int i = 0; rule->word != NULL && rule->word[i] != NULL; i++)
        json_array_append_new(words, json_string(rule->word[i]));
    json_object_set_new(made, "words", words);
    if (rule->kind == NETDP_I_KEY_SEED || rule->kind == NETDP_I_KEY_WHOLE ||
        rule->kind == NETDP_I_KEY_REAL) {
        json_object_set_new(made, "low", json_real(rule->low));
        if (rule->kind != NETDP_I_KEY_SEED && isfinite(rule->high))
            json_object_set_new(made, "high", json_real(rule->high));
        json_object_set_new(made, "infinite", json_boolean(isinf(rule->high)));
    }
    return made;
}

static json_t *tell_setting(const netdp_i_setting *setting)
{
    json_t *made = json_pack("{s:s}", "name", setting->name), *takers = json_array();
    if (setting->heading) {
        json_decref(takers);
        return made;
    }
    set_text(made, "key", setting->key);
    set_text(made, "value", setting->value);
    set_text(made, "help", setting->help);
    set_text(made, "usual", netdp_i_setting_usual(setting));
    json_object_set_new(made, "rule", tell_rule(&setting->rule));
    for (const netdp_protocol *named = netdp_protocols(); named->name != NULL; named++)
        if (netdp_i_setting_taken(setting, named->settings))
            json_array_append_new(takers, json_string(named->name));
    json_object_set_new(made, "protocols", takers);
    return made;
}

int main(void)
{
    json_t *settings = json_array(), *keys = json_array(), *needs = json_array();
    for (const netdp_i_setting *row = netdp_i_setting_rows; row->name != NULL; row++)
        json_array_append_new(settings, tell_setting(row));
    for (int k = 0; k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        json_t *made = json_pack("{s:s, s:b, s:b, s:b, s:o}", "name", key->name, "required",
                                 key->required, "whole", key->whole, "learns", key->learns, "rule",
                                 tell_rule(netdp_i_key_rule(key)));
        set_text(made, "setting", key->setting);
        json_array_append_new(keys, made);
    }
    for (const netdp_i_need *row = netdp_i_settings_need; row->name != NULL; row++) {
        json_t *made = json_pack("{s:s, s:b, s:s, s:s}", "name", row->name, "excludes",
                                 row->excludes, "other", row->other, "says", row->says);
        set_text(made, "value", row->value);
        set_text(made, "with", row->with);
        set_text(made, "unless", row->unless);
        json_array_append_new(needs, made);
    }
    json_t *all = json_pack("{s:o, s:o, s:o}", "settings", settings, "keys", keys, "needs", needs);
    const int failed = all == NULL || json_dumpf(all, stdout, JSON_INDENT(1)) != 0;
    json_decref(all);
    return failed;
}
