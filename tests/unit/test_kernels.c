/* Which kernels the command asks OpenBLAS for. */
#include "check.h"

#include "cli/common/kernels.h"

static void test_fallbacks_are_mended(void **state)
{
    (void)state;
    static const char *const old[] = {"Prescott", "Generic", "Nehalem", "prescott", "Unknown"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        const char *core = old[i];
        assert_null(netdp_i_kernels_better(core, (netdp_i_instructions){false, false, false}));
        assert_string_equal(
            netdp_i_kernels_better(core, (netdp_i_instructions){true, false, false}),
            "Sandybridge");
        assert_string_equal(netdp_i_kernels_better(core, (netdp_i_instructions){true, true, false}),
                            "Haswell");
        assert_string_equal(netdp_i_kernels_better(core, (netdp_i_instructions){true, true, true}),
                            "SkylakeX");
    }
    assert_null(netdp_i_kernels_better("Sandybridge", (netdp_i_instructions){true, false, false}));
    assert_string_equal(
        netdp_i_kernels_better("Sandybridge", (netdp_i_instructions){true, true, false}),
        "Haswell");
}

/* Nor cores of other architectures, nor those that were not known when this was written. */
static void test_what_fits_stays(void **state)
{
    (void)state;
    static const char *const fits[] = {"Haswell",    "Zen",        "Excavator", "SkylakeX",
                                       "Cooperlake", "neoversev1", "POWER9",    "SapphireRapids"};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        assert_null(netdp_i_kernels_better(fits[i], (netdp_i_instructions){true, true, true}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fallbacks_are_mended),
        cmocka_unit_test(test_what_fits_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
