#include "cli/mechanism.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <netdp/audit.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/common/command.h"

/* What is claimed: mu or epsilon below 0 where it is of the other kind. */
typedef struct claim {
    double mu, epsilon, delta;
    bool pure; /* delta 0 was said: tested at a small one, which a pure claim implies */
} claim;

#define DELTA_OF_PURE 1e-9
#define DELTA_OF_MU 1e-5 /* mu is tested by itself; epsilon is printed beside it */

static netdp_status read_claim(const char *text, claim *read, netdp_error *error)
{
    netdp_i_shown shown = netdp_i_show_text(text);
    claim made = {.mu = -1, .epsilon = -1, .delta = DELTA_OF_MU};
    const char *comma = strchr(text, ',');
    char first[64];
    bool fine = false;
    if (strncmp(text, "gdp:", 4) == 0) {
        fine = netdp_i_cli_number(text + 4, true, &made.mu) && made.mu >= 0;
    } else if (strncmp(text, "dp:", 3) == 0 && comma != NULL &&
               (size_t)(comma - text) < sizeof first) {
        snprintf(first, sizeof first, "%.*s", (int)(comma - text - 3), text + 3);
        fine = netdp_i_cli_number(first, true, &made.epsilon) && made.epsilon >= 0 &&
               netdp_i_cli_number(comma + 1, false, &made.delta) && made.delta >= 0 &&
               made.delta < 1;
        made.pure = made.delta == 0;
        made.delta = made.pure ? DELTA_OF_PURE : made.delta;
    }
    REFUSE(!fine, "--claim %s: is no claim; give gdp:MU or dp:EPSILON,DELTA (delta 0: a pure one)",
           shown.text);
    *read = made;
    return NETDP_OK;
}

/* ---- What the command prints ---- */

typedef struct printed {
    const char *command;
    int world;
    int64_t runs;
    int32_t width; /* 0: not known yet */
    int64_t room;
    double *value; /* [runs][width] */
} printed;

static netdp_status bad_line(const printed *p, int64_t line, const char *what, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "--mechanism, data set %d, line %lld: %s; print for each run a line with "
                        "the same count of numbers",
                        p->world, (long long)line + 1, what);
}

static netdp_status keep(printed *p, int64_t at, double x, netdp_error *error)
{
    if (at == p->room) {
        const int64_t room = p->width > 0 ? p->runs * p->width : 2 * p->room + 64;
        double *more = netdp_i_grow(p->value, room, sizeof *more);
        NEED(more);
        p->value = more;
        p->room = room;
    }
    p->value[at] = x;
    return NETDP_OK;
}

/* Numbers parted by blanks or commas; "inf" and "nan" are some, too. */
static netdp_status read_line(printed *p, int64_t line, const char *text, netdp_error *error)
{
    int32_t count = 0;
    for (;;) {
        while (*text != '\0' && (isspace((unsigned char)*text) || *text == ','))
            text++;
        if (*text == '\0')
            break;
        char *end = NULL;
        const double x = strtod(text, &end);
        if (end == text || (*end != '\0' && !isspace((unsigned char)*end) && *end != ','))
            return bad_line(p, line, "is not a number", error);
        if (p->width > 0 && count == p->width)
            return bad_line(p, line, "has more numbers than the first", error);
        TRY(keep(p, line * p->width + count, x, error));
        count++;
        text = end;
    }
    if (count == 0)
        return bad_line(p, line, "is empty", error);
    if (p->width > 0 && count < p->width)
        return bad_line(p, line, "has fewer numbers than the first", error);
    p->width = count;
    return NETDP_OK;
}

static netdp_status read_lines(printed *p, FILE *from, netdp_error *error)
{
    OWNED_BY(free) char *text = NULL;
    size_t room = 0;
    int64_t line = 0;
    while (line < p->runs && getline(&text, &room, from) >= 0)
        TRY(read_line(p, line++, text, error));
    REFUSE(line < p->runs,
           "--mechanism, data set %d: printed %lld lines; %lld runs were asked for, a line each",
           p->world, (long long)line, (long long)p->runs);
    if (getline(&text, &room, from) >= 0)
        return bad_line(p, line, "is one more than there are runs", error);
    return NETDP_OK;
}

static netdp_status run_command(printed *p, netdp_error *error)
{
    const size_t room = strlen(p->command) + 32;
    char *line = NETDP_I_NEW(char, room);
    NEED(line);
    snprintf(line, room, "%s %d %lld", p->command, p->world, (long long)p->runs);
    fflush(NULL);
    FILE *from = popen(line, "re");
    netdp_i_free(line);
    if (from == NULL)
        return netdp_i_fail(error, NETDP_ENVIRONMENT, "--mechanism: does not start: %s",
                            strerror(errno));
    netdp_status status = read_lines(p, from, error);
    const int ended = pclose(from);
    /* A command that ended badly is why its lines are wrong; not one that we did not read to its end. */
    const bool unread = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGPIPE;
    if (ended != 0 && (status == NETDP_OK || !unread))
        status = netdp_i_fail(
            error, NETDP_ENVIRONMENT,
            "--mechanism, data set %d: the command ended with %s %d; run it alone to see why",
            p->world, WIFSIGNALED(ended) ? "signal" : "code",
            WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
    return status;
}

/* ---- What was found ---- */

typedef struct found {
    netdp_evidence evidence;
    const char *attack;
    netdp_verdict verdict;
    int64_t enough;
} found;

static const char *verdict_word(netdp_verdict verdict)
{
    return verdict == NETDP_VERDICT_REFUTED    ? "refuted"
           : verdict == NETDP_VERDICT_FEW_RUNS ? "not enough runs"
                                               : "consistent";
}

static netdp_status print_json(const netdp_i_mechanism_options *o, const claim *c, int32_t width,
                               const found *f, netdp_error *error)
{
    json_t *said = c->mu >= 0 ? json_pack("{s:o}", "mu", netdp_i_json_double(c->mu))
                              : json_pack("{s:o, s:f}", "epsilon", netdp_i_json_double(c->epsilon),
                                          "delta", c->pure ? 0 : c->delta);
    json_t *all = json_pack("{s:s, s:s, s:o, s:{s:o, s:o, s:f}, s:f, s:I, s:I, s:i, s:s, s:s}",
                            "netdp", netdp_version(), "mechanism", o->command, "claim", said,
                            "evidence", "mu", netdp_i_json_double(f->evidence.mu), "epsilon",
                            netdp_i_json_double(f->evidence.epsilon), "delta", c->delta,
                            "confidence", o->confidence, "runs", (json_int_t)o->runs, "tested",
                            (json_int_t)f->evidence.tested, "numbers", (int)width, "attack",
                            f->attack, "verdict", verdict_word(f->verdict));
    if (f->verdict == NETDP_VERDICT_FEW_RUNS)
        json_object_set_new(all, "enough_runs",
                            json_integer(f->enough > INT64_MAX / 2 ? f->enough : 2 * f->enough));
    return netdp_i_cli_print_json(all, error);
}

static void print_table(const netdp_i_mechanism_options *o, const claim *c, int32_t width,
                        const found *f)
{
    printf("%s\n%lld runs of each data set, %d number%s each, confidence %g\n", o->command,
           (long long)o->runs, (int)width, width == 1 ? "" : "s", o->confidence);
    if (c->mu >= 0)
        printf("claim      mu %.6g\nfound      mu at least %.4g\n", c->mu, f->evidence.mu);
    else
        printf(
            "claim      epsilon %.6g at delta %g\nfound      epsilon at least %.4g at delta %g\n",
            c->epsilon, c->pure ? 0 : c->delta, f->evidence.epsilon, c->delta);
    printf("attack     %s, tested on %lld runs\nverdict    %s\n", f->attack,
           (long long)f->evidence.tested, verdict_word(f->verdict));
    if (f->verdict == NETDP_VERDICT_FEW_RUNS && f->enough <= INT64_MAX / 2)
        printf("           about %lld runs would do\n", (long long)(2 * f->enough));
    fputs(
        "\nAn attack that finds less than the claim proves nothing; one that finds more refutes it "
        "at the\nconfidence. What the last bits of floating-point noise tell is not looked for.\n",
        stdout);
}

static void free_worlds(printed (*world)[2])
{
    netdp_i_free((*world)[0].value);
    netdp_i_free((*world)[1].value);
}

netdp_status netdp_i_cli_audit_mechanism(const netdp_i_mechanism_options *o, netdp_error *error)
{
    claim c = {0};
    found f = {0};
    CLEARED(free_worlds) printed world[2] = {{0}, {0}};
    TRY(read_claim(o->claim, &c, error));
    REFUSE(o->runs < 400 || o->runs > INT32_MAX, "--runs %lld: must lie in 400 to %d",
           (long long)o->runs, INT32_MAX);
    REFUSE(!(o->confidence > 0 && o->confidence < 1), "--confidence %g: must lie in (0, 1)",
           o->confidence);
    for (int k = 0; k < 2; k++) {
        world[k] = (printed){.command = o->command,
                             .world = k,
                             .runs = o->runs,
                             .width = k == 1 ? world[0].width : 0};
        TRY(run_command(&world[k], error));
    }
    const netdp_samples samples = {o->runs, world[0].width, {world[0].value, world[1].value}};
    TRY(netdp_audit_samples(&samples, o->confidence, c.delta, c.mu >= 0, &f.evidence, &f.attack,
                            error));
    TRY(netdp_audit_verdict(&f.evidence, c.mu, c.epsilon, &f.verdict, &f.enough, error));
    if (o->json)
        return print_json(o, &c, world[0].width, &f, error);
    print_table(o, &c, world[0].width, &f);
    return NETDP_OK;
}
