/* Memory that runs out at every allocation of a call in turn:
 *
 *     for (sweep s = {.least = 5}; sweep_next(&s);) {
 *         netdp_thing *thing = NULL;
 *         s.status = netdp_thing_new(..., &thing);
 *         assert_true((thing != NULL) == (s.status == NETDP_OK));
 *         netdp_thing_free(thing);
 *     }
 *
 * The call fails with NETDP_NO_MEMORY until nothing fails any more, at least `least` times and at
 * least once; the body leaves nothing behind, whether the call failed or not. */
#ifndef NETDP_TESTS_SWEEP_H
#define NETDP_TESTS_SWEEP_H

#include "check.h"

#include <stdbool.h>

#include "base/memory.h"

typedef struct sweep {
    int64_t least;
    netdp_status status;
    int64_t failing, live; /* the allocation that fails, from 1; what was alive before */
} sweep;

static inline bool sweep_next(sweep *s)
{
    netdp_i_memory_fail_at(-1);
    if (s->failing == 0) {
        s->live = netdp_i_memory_live();
    } else {
        assert_int_equal(netdp_i_memory_live(), s->live);
        if (s->status == NETDP_OK) {
            assert_true(s->failing > 1 && s->failing > s->least);
            return false;
        }
        assert_int_equal(s->status, NETDP_NO_MEMORY);
        assert_true(s->failing < 100000);
    }
    s->status = NETDP_INVALID;
    netdp_i_memory_fail_at(s->failing++);
    return true;
}

#endif
