/* Errors name settings as options; here they are named as their caller does. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "question/settings.h"

/* Is `value` what may stand behind the option `name`, so that "--name value" is one thing to write? */
static bool is_value(const char *name, size_t length, const char *value, size_t size)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (strcmp(word, "as") == 0)
        return size > 0;
    const netdp_i_setting *setting = netdp_i_setting_find(word);
    for (int k = 0; setting != NULL && setting->rule.word != NULL && setting->rule.word[k]; k++)
        if (strlen(setting->rule.word[k]) == size &&
            memcmp(setting->rule.word[k], value, size) == 0)
            return true;
    for (const char *each = setting != NULL ? setting->value : NULL; each != NULL;
         each = strchr(each, '|') != NULL ? strchr(each, '|') + 1 : NULL)
        if (size > 0 && strcspn(each, "|") == size && memcmp(each, value, size) == 0)
            return true;
    return false;
}

/* The name of an option as a keyword: own_noise; as_, from_ are words of Python. */
static size_t spell_keyword(const char *name, size_t length, size_t room, char *text)
{
    const bool word = (length == 2 && memcmp(name, "as", 2) == 0) ||
                      (length == 4 && memcmp(name, "from", 4) == 0);
    const int used = snprintf(text, room, "%.*s%s", (int)length, name, word ? "_" : "");
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    return (size_t)used < room ? (size_t)used : room - 1;
}

/* The same as a key of a study, with its section or without; by its name where a study has none. */
static size_t spell_key(const char *name, size_t length, bool whole, size_t room, char *text)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const netdp_i_setting *setting = netdp_i_setting_find(word);
    const char *key = setting != NULL ? setting->key : NULL;
    if (key == NULL)
        return spell_keyword(name, length, room, text);
    const int used = snprintf(text, room, "%s", whole ? key : strchr(key, '.') + 1);
    return (size_t)used < room ? (size_t)used : room - 1;
}

void netdp_i_spell(netdp_i_spelling spelling, netdp_error *error)
{
    if (error == NULL)
        return;
    char text[sizeof error->text];
    const size_t room = sizeof text;
    const bool keys = spelling == NETDP_I_SPELL_KEYS;
    size_t used = 0;
    for (const char *said = error->text; *said != '\0' && used + 4 < room;) {
        if (strncmp(said, "netdp ", 6) == 0) { /* a command to type */
            const size_t size = strcspn(said, ";,)");
            for (size_t k = 0; k < size && used + 4 < room; k++)
                text[used++] = said[k];
            said += size;
            continue;
        }
        if (strncmp(said, "--", 2) != 0 || !islower((unsigned char)said[2])) {
            text[used++] = *said++;
            continue;
        }
        const char *name = said + 2;
        const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
        said = name + length;
        used += keys ? spell_key(name, length, name == error->text + 2, room - used, text + used)
                     : spell_keyword(name, length, room - used, text + used);
        const char *value = said + (*said == ' ');
        const size_t size = *said == ' ' ? strcspn(value, " ;,)") : 0;
        if (used + 4 >= room || !is_value(name, length, value, size))
            continue;
        used += (size_t)snprintf(text + used, room - used, keys ? ": %.*s" : "='%.*s'", (int)size,
                                 value);
        used = used < room ? used : room - 1;
        said = value + size;
    }
    text[used] = '\0';
    memcpy(error->text, text, used + 1);
}
