/* Whatever a user typed stands in an error on one line, without control characters. */
#include "check.h"

#include <netdp/netdp.h>
#include <unistd.h>

#include "base/text.h"

static netdp_error error;
static netdp_graph *graph;
static char folder[] = "/tmp/netdp-quoting-XXXXXX";

#define NASTY "a\n\x1b[31mb\x7f\xff\xe2\x80\xae"

/* The call fails, and its error can be printed. */
#define PRINTABLE(call)                                                                            \
    do {                                                                                           \
        error.text[0] = '\0';                                                                      \
        if ((call) == NETDP_OK)                                                                    \
            fail_msg("%s: taken", #call);                                                          \
        check(#call);                                                                              \
    } while (0)

static void check(const char *call)
{
    const size_t length = strlen(error.text);
    uint32_t code = 0;
    if (length == 0 || strstr(error.text, "  ") != NULL)
        fail_msg("%s: '%s'", call, error.text);
    for (size_t at = 0, step; at < length; at += step) {
        step = netdp_i_utf8(error.text + at, length - at, &code);
        if (step == 0 || !netdp_i_printable(code))
            fail_msg("%s: byte 0x%02x of '%s'", call, (unsigned)(unsigned char)error.text[at],
                     error.text);
    }
}

static void test_names(void **state)
{
    (void)state;
    netdp_graph *made = NULL;
    netdp_mixing *mixing = NULL;
    netdp_transition *law = NULL;
    const netdp_protocol *protocol;
    const netdp_claim *claim;
    netdp_bound bound;
    netdp_unit unit;
    netdp_sees sees;
    netdp_own_noise own;
    netdp_input input;
    netdp_event event;
    netdp_variation variation = {0};
    netdp_examples *train = NULL, *test = NULL;
    int32_t node;
    PRINTABLE(netdp_protocol_find(NASTY, &protocol, &error));
    PRINTABLE(netdp_claim_find(NASTY, &claim, &error));
    assert_ok(netdp_claim_find("C-corollary-1", &claim, &error));
    PRINTABLE(netdp_claim_input(claim, NASTY, &input, &error));
    PRINTABLE(netdp_input_find(NASTY, &input, &error));
    PRINTABLE(netdp_bound_parse(NASTY, &bound, &error));
    PRINTABLE(netdp_unit_parse(NASTY, &unit, &error));
    PRINTABLE(netdp_unit_parse("rdp:" NASTY, &unit, &error));
    PRINTABLE(netdp_unit_parse("dp:\n\x1b[31m", &unit, &error));
    PRINTABLE(netdp_sees_parse(NASTY, &sees, &error));
    PRINTABLE(netdp_own_noise_parse(NASTY, &own, &error));
    PRINTABLE(netdp_event_parse(NASTY, &event, &error));
    PRINTABLE(netdp_event_parse("gaussian:" NASTY, &event, &error));
    PRINTABLE(netdp_variation_dropout(NASTY, &variation, &error));
    PRINTABLE(netdp_graph_make(NASTY, 1, true, &made, NULL, &error));
    PRINTABLE(netdp_graph_make("ring " NASTY, 1, true, &made, NULL, &error));
    PRINTABLE(netdp_graph_make("stochastic-block 2,2 " NASTY, 1, true, &made, NULL, &error));
    PRINTABLE(netdp_graph_find(graph, NASTY, &node, &error));
    PRINTABLE(netdp_graph_find(graph, "nobody", &node, &error)); /* had two blanks */
    PRINTABLE(netdp_mixing_new(graph, NASTY, &mixing, &error));
    PRINTABLE(netdp_mixing_new(graph, "lazy:0.5:" NASTY, &mixing, &error));
    PRINTABLE(netdp_transition_new(graph, NASTY, &law, &error));
    const netdp_synthesis synthesis = {.law = NASTY, .split = 0.5, .nodes = 4};
    PRINTABLE(netdp_examples_draw(&synthesis, &train, &test, &error));
}

static const char *write_file(const char *name, const char *text)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* Names of files that are missing, and what files hold. */
static void test_files(void **state)
{
    (void)state;
    static const char *const graphs[] = {NASTY, NASTY ".graphml", NASTY ".gml", NASTY ".mtx"};
    netdp_graph *made = NULL;
    netdp_table *table = NULL;
    netdp_events *events = NULL;
    netdp_study *study = NULL;
    const char *column[] = {NASTY};
    char digest[65], *found = NULL;
    for (size_t i = 0; i < 4; i++) {
        PRINTABLE(netdp_graph_read(graphs[i], false, &made, NULL, &error));
        PRINTABLE(
            netdp_graph_read(write_file(graphs[i], NASTY " b c d\n"), false, &made, NULL, &error));
    }
    PRINTABLE(netdp_graph_write(graph, "/nonexistent/" NASTY, &error));
    PRINTABLE(netdp_table_read(NASTY, column, 1, &table, &error));
    PRINTABLE(netdp_table_read(write_file("t.csv", "x,y\n1,2\n"), column, 1, &table, &error));
    column[0] = "x";
    PRINTABLE(
        netdp_table_read(write_file("t.csv", "x,y\n1,2\n\x1b,3\n"), column, 1, &table, &error));
    PRINTABLE(netdp_events_read(NASTY, &events, &error));
    PRINTABLE(
        netdp_events_read(write_file(NASTY, "[{\"mechanism\": \"\\u001b\\n\"}]"), &events, &error));
    PRINTABLE(netdp_events_read(write_file(NASTY, "[{\"\\n\\u001b\": 1}]"), &events, &error));
    PRINTABLE(netdp_study_read(NASTY, NULL, 0, &study, &error));
    PRINTABLE(netdp_study_read(write_file(NASTY, "name: \"\\x1b\\n\"\n"), NULL, 0, &study, &error));
    PRINTABLE(netdp_study_read(write_file(NASTY, "\"\\x1b\\n\": 1\n"), NULL, 0, &study, &error));
    const char *set[] = {"a.\x1b\n=1"};
    PRINTABLE(netdp_study_read(write_file(NASTY, "name: x\n"), set, 1, &study, &error));
    PRINTABLE(netdp_report_write(NASTY, NULL, false, "-", NULL, &error));
    PRINTABLE(netdp_data_digest(NASTY, digest, &error));
    PRINTABLE(netdp_data_find(NASTY, NASTY, &found, &error));
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_ok(netdp_graph_make("ring 4", 1, true, &graph, NULL, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {NASTY, NASTY ".graphml", NASTY ".gml", NASTY ".mtx",
                                        "t.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    netdp_graph_free(graph);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
