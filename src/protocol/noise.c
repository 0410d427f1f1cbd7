#include "protocol/noise.h"

#include <stddef.h>

const netdp_i_noise_part netdp_i_noise_parts[NETDP_I_NOISE_PARTS] = {
    /* The square of a dither, times squares of weights, must stay a finite double. Beyond a decay of 2 nothing is gained,
       and late dithers are lost in rounding. */
    {"pair_noise", "pair-noise", offsetof(netdp_noise, pairing.kappa), 1e6, NETDP_SETTING_PAIRS},
    {"dither", "dither", offsetof(netdp_noise, dither), 1e100, NETDP_SETTING_DITHER},
    {"dither_decay", "dither-decay", offsetof(netdp_noise, decay), 2, NETDP_SETTING_DITHER_DECAY},
    {"end_dither", "end-dither", offsetof(netdp_noise, end), 1e100, NETDP_SETTING_END_DITHER},
};

static double *at(netdp_noise *noise, int k)
{
    return (double *)(void *)((char *)noise + netdp_i_noise_parts[k].at);
}

static double value_of(const netdp_noise *noise, int k)
{
    return *(const double *)(const void *)((const char *)noise + netdp_i_noise_parts[k].at);
}

const netdp_i_noise_part *netdp_i_noise_wrong(const netdp_noise *noise, double *value)
{
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++) {
        *value = value_of(noise, k);
        if (!(*value >= 0 && *value <= netdp_i_noise_parts[k].most))
            return &netdp_i_noise_parts[k];
    }
    return NULL;
}

netdp_noise netdp_i_noise_of(const netdp_noise *noise, unsigned settings)
{
    netdp_noise left = *noise;
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++)
        if ((settings & netdp_i_noise_parts[k].setting) == 0)
            *at(&left, k) = 0;
    if ((settings & NETDP_SETTING_PAIRS) == 0)
        left.pairing = (netdp_pairing){0};
    return left;
}

void netdp_i_noise_show(const netdp_noise *noise, unsigned settings, json_t *object)
{
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++)
        if (settings & netdp_i_noise_parts[k].setting)
            json_object_set_new(object, netdp_i_noise_parts[k].key, json_real(value_of(noise, k)));
}

unsigned netdp_i_noise_read(const json_t *object, netdp_noise *noise)
{
    unsigned found = 0;
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++) {
        const json_t *number = json_object_get(object, netdp_i_noise_parts[k].key);
        if (json_is_number(number)) {
            *at(noise, k) = json_number_value(number);
            found |= netdp_i_noise_parts[k].setting;
        }
    }
    return found;
}

bool netdp_i_noise_take(json_t *object, netdp_noise *noise, const char **part)
{
    const unsigned found = netdp_i_noise_read(object, noise);
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++) {
        *part = netdp_i_noise_parts[k].key;
        if ((found & netdp_i_noise_parts[k].setting) == 0)
            return false;
        json_object_del(object, *part);
    }
    return true;
}

bool netdp_i_noise_equal(const netdp_noise *a, const netdp_noise *b)
{
    for (int k = 0; k < NETDP_I_NOISE_PARTS; k++)
        if (value_of(a, k) != value_of(b, k))
            return false;
    return true;
}
