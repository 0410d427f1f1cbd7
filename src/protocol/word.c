#include "protocol/word.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/text.h"

netdp_status netdp_i_word_parse(const netdp_i_word *table, const char *what, const char *text,
                                int *value, netdp_error *error)
{
    enum { MOST = 64 };
    const char *words[MOST], *nearest;
    char known[256] = "";
    size_t used = 0, count = 0;
    for (const netdp_i_word *word = table; word->text != NULL; word++) {
        if (strcmp(word->text, text) == 0) {
            *value = word->value;
            return NETDP_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     used == 0 ? "" : ", ", word->text);
        if (count < MOST)
            words[count++] = word->text;
    }
    nearest = netdp_i_nearest(text, words, count);
    return netdp_i_fail(error, NETDP_INVALID, "%s: '%s' is not one of %s%s%s%s", what,
                        netdp_i_show_text(text).text, known,
                        nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "'?" : "");
}
