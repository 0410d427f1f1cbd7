#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

const char *netdp_i_nearest(const char *text, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    size_t fewest = SIZE_MAX;
    for (size_t k = 0; k < count; k++) {
        size_t distance = netdp_i_distance(text, words[k]);
        if (distance < fewest && distance <= (strlen(words[k]) + 2) / 3) {
            fewest = distance;
            nearest = words[k];
        }
    }
    return nearest;
}
