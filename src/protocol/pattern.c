#include "protocol/pattern.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

bool netdp_i_pattern_fill(const char *text, int64_t count, double *pattern)
{
    double omega = 0;
    const bool ones = strcmp(text, "ones") == 0, alternating = strcmp(text, "alternating") == 0;
    if (!ones && !alternating &&
        !(strncmp(text, "cos:", 4) == 0 && netdp_i_read_number(text + 4, &omega) &&
          isfinite(omega)))
        return false;
    for (int64_t k = 0; pattern != NULL && k < count; k++)
        pattern[k] = ones          ? 1
                     : alternating ? (k % 2 == 0 ? 1 : -1)
                                   : (cos(omega * (double)k) >= 0 ? 1 : -1);
    return true;
}
