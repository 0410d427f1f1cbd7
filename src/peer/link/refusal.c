#include "peer/link/refusal.h"

static const struct {
    const char *word, *means;
} table[] = {
#define ROW(name, word, what) {word, what},
    NETDP_I_REFUSALS(ROW)
#undef ROW
};

const char *netdp_i_refusal_word(netdp_i_refusal refusal)
{
    return (unsigned)refusal < NETDP_I_REFUSALS_COUNT ? table[refusal].word : "?";
}

const char *netdp_i_refusal_means(netdp_i_refusal refusal)
{
    return (unsigned)refusal < NETDP_I_REFUSALS_COUNT ? table[refusal].means : "?";
}
