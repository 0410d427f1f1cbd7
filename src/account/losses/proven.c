#include "account/losses/proven.h"

#include <stdlib.h>
#include <string.h>
#include <netdp/random.h>

/* Drawn beside the worst pair where the study does not say. */
enum { DRAWN = 16, MOST_DRAWN = 100000 };

bool netdp_i_proof_read(const char *text, int64_t *drawn)
{
    char *end = NULL;
    *drawn = DRAWN;
    if (text == NULL)
        return true;
    *drawn = strcmp(text, "none") == 0 ? -2 : strcmp(text, "all") == 0 ? -1 : 0;
    if (*drawn != 0 || strcmp(text, "worst") == 0)
        return true;
    *drawn = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *drawn <= MOST_DRAWN;
}

int64_t netdp_i_proof_pairs(const netdp_losses *l, const netdp_summary *s, int64_t drawn,
                            uint64_t seed, bool *chosen)
{
    const int64_t all = (int64_t)l->from_count * l->to_count;
    int64_t count = 0, pairs = 0;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const bool counts = netdp_losses_counts(l, i, v),
                       worst = l->from[i] == s->worst_from &&
                               (l->members > 1 || l->to[v] == s->worst_to);
            pairs += counts;
            chosen[(int64_t)v * l->from_count + i] = counts && (worst || drawn < 0);
            count += counts && (worst || drawn < 0);
        }
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_PROBE, 0, 0);
    const int64_t wanted = drawn < 0 || drawn + 1 > pairs ? pairs : drawn + 1;
    while (drawn > 0 && count < wanted) {
        const int64_t at = (int64_t)netdp_stream_below(&stream, (uint64_t)all);
        const bool is_new = !chosen[at] && netdp_losses_counts(l, (int32_t)(at % l->from_count),
                                                               (int32_t)(at / l->from_count));
        chosen[at] = chosen[at] || is_new;
        count += is_new;
    }
    return count;
}
