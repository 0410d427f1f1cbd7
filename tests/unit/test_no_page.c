/* A build without the page of netdp report (-Dreport=disabled): this program brings an empty one of
 * its own. */
#include "check.h"

#include <unistd.h>

#include "report/page.h"

const char netdp_i_page_template[] = "";

static void test_refused(void **state)
{
    (void)state;
    netdp_error error = {0};
    json_t *data = json_object();
    assert_fails(netdp_i_page_write(data, false, "netdp-no-page.html", &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "-Dreport=enabled"));
    assert_int_not_equal(access("netdp-no-page.html", F_OK), 0);
    json_decref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
