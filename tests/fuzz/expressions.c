/* The words of a command line and of a study's values, each given to everything that reads words.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/account.h>
#include <netdp/claim.h>
#include <netdp/privacy.h>
#include <netdp/protocol.h>

#include "base/text.h"
#include "cli/common/command.h"

static netdp_error error;

/* Only graphs that are made in no time: numbers of at most two digits, a small hypercube. */
static bool is_small(const char *text)
{
    int digits = 0;
    for (const char *c = text; *c != '\0'; c++) {
        digits = *c >= '0' && *c <= '9' ? digits + 1 : 0;
        if (digits > 2)
            return false;
    }
    return strstr(text, "hypercube") == NULL || digits < 2;
}

static void make_family(const char *text)
{
    netdp_graph *graph = NULL;
    netdp_graph_notes notes;
    if (!is_small(text))
        return;
    if (fuzz_ok(netdp_graph_make(text, 1, strlen(text) % 2 == 1, &graph, &notes, &error), &error))
        fuzz_check_graph(graph);
    netdp_graph_free(graph);
}

/* The target is none, so that nothing is computed. */
static void read_guarantee(const char *text)
{
    const char *words[] = {"convert", "--to", "nothing", "--", text, NULL};
    if (strstr(text, "events:") == NULL)
        FUZZ_HOLDS(!fuzz_ok(netdp_i_command_convert(5, words, &error), &error));
}

static void read_target(const char *text)
{
    const char *words[] = {"convert", "--published", "--lower", "--to", text, "--", "gdp:1", NULL};
    (void)fuzz_ok(netdp_i_command_convert(7, words, &error), &error);
}

/* What a conversion prints is not looked at. */
__attribute__((constructor)) static void print_nothing(void)
{
    FUZZ_HOLDS(freopen("/dev/null", "w", stdout) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    netdp_event event = {0};
    netdp_unit unit;
    netdp_bound bound;
    netdp_sees sees;
    netdp_own_noise own_noise;
    netdp_input input;
    const netdp_protocol *protocol = NULL;
    const netdp_claim *claim = NULL;
    double number = 0;
    FUZZ_HOLDS(!netdp_i_read_number(text, &number) || !isnan(number));
    if (fuzz_ok(netdp_event_parse(text, &event, &error), &error))
        FUZZ_HOLDS(event.count >= 1 && !isnan(event.noise));
    (void)fuzz_ok(netdp_unit_parse(text, &unit, &error), &error);
    (void)fuzz_ok(netdp_bound_parse(text, &bound, &error), &error);
    (void)fuzz_ok(netdp_sees_parse(text, &sees, &error), &error);
    (void)fuzz_ok(netdp_own_noise_parse(text, &own_noise, &error), &error);
    (void)fuzz_ok(netdp_input_find(text, &input, &error), &error);
    (void)fuzz_ok(netdp_protocol_find(text, &protocol, &error), &error);
    (void)fuzz_ok(netdp_claim_find(text, &claim, &error), &error);
    read_guarantee(text);
    read_target(text);
    make_family(text);
    free(text);
    return 0;
}
