#include "protocol/word.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

netdp_status netdp_i_word_parse(const netdp_i_word *table, const char *what, const char *text,
                                int *value, netdp_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (const netdp_i_word *word = table; word->text != NULL; word++) {
        if (strcmp(word->text, text) == 0) {
            *value = word->value;
            return NETDP_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     used == 0 ? "" : ", ", word->text);
    }
    return netdp_i_fail(error, NETDP_INVALID, "%s: '%.40s' is not one of %s", what, text, known);
}
