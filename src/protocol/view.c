/* Words of a view: what an observer sees, and whether it knows its own noise. */
#include <netdp/protocol.h>

#include <stddef.h>

#include "base/fail.h"
#include "base/try.h"
#include "protocol/word.h"

static const netdp_i_word sees_words[] = {
    {"neighbours", NETDP_SEES_NEIGHBOURS},
    {"sum", NETDP_SEES_SUM},
    {"everything", NETDP_SEES_EVERYTHING},
    {NULL, 0},
};

static const netdp_i_word own_noise_words[] = {
    {"known", NETDP_OWN_NOISE_KNOWN},
    {"counts", NETDP_OWN_NOISE_COUNTS},
    {NULL, 0},
};

const char *netdp_sees_name(netdp_sees sees)
{
    return (unsigned)sees <= NETDP_SEES_EVERYTHING ? sees_words[sees].text : NULL;
}

const char *netdp_own_noise_name(netdp_own_noise own_noise)
{
    return (unsigned)own_noise <= NETDP_OWN_NOISE_COUNTS ? own_noise_words[own_noise].text : NULL;
}

netdp_status netdp_sees_parse(const char *text, netdp_sees *sees, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && sees);
    int value = 0;
    TRY(netdp_i_word_parse(sees_words, "sees", text, &value, error));
    *sees = (netdp_sees)value;
    return NETDP_OK;
}

netdp_status netdp_own_noise_parse(const char *text, netdp_own_noise *own_noise, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && own_noise);
    int value = 0;
    TRY(netdp_i_word_parse(own_noise_words, "own-noise", text, &value, error));
    *own_noise = (netdp_own_noise)value;
    return NETDP_OK;
}
