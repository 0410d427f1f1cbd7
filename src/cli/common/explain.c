/* How an account would be made and what that takes: --explain, and a question before hours of work. */
#include "cli/common/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"

static json_t *list_ways(const netdp_plan *plan)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < plan->ways; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "method",
                                        netdp_method_name(plan->way[i].method), "modes",
                                        netdp_i_json_double(plan->way[i].modes), "multiplications",
                                        netdp_i_json_double(plan->way[i].work), "bytes",
                                        netdp_i_json_double(plan->way[i].bytes), "seconds",
                                        netdp_i_json_double(plan->way[i].seconds)));
    return list;
}

static void print_plan(const netdp_plan *plan)
{
    printf("observers %lld; the widest view: %lld nodes, %lld times\n", (long long)plan->observers,
           (long long)plan->seen, (long long)plan->rounds);
    for (int32_t i = 0; i < plan->ways; i++)
        printf("%s %-8s up to %.0f coordinates for the nodes, %.3g multiplications, about "
               "%.2g s%s, %.3g GB\n",
               plan->way[i].method == plan->method ? "*" : " ",
               netdp_method_name(plan->way[i].method), plan->way[i].modes, plan->way[i].work,
               plan->way[i].seconds, plan->observers > 1 ? " an observer" : "",
               plan->way[i].bytes / 1e9);
    printf("taken: %s%s\n", netdp_method_name(plan->method),
           plan->steady ? "; streaming: one response for all rounds after the gain is steady" : "");
}

/* Seconds of the processor that this process has taken. */
static double spent(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* ... and bytes that it has held. */
static double held(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1024.0 * (double)used.ru_maxrss;
}

/* ---- Walks and tallies: some of the pairs tell what all take ---- */

#define PROBE_SECONDS 0.5 /* no larger part is asked after so many */

/* Nodes of a list, NULL: of all, far apart in it, so that kinds of nodes that follow one another count as often as they are. */
static void spread(const int32_t *list, int32_t all, int32_t count, int32_t *some)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = i * all / count;
        some[i] = list != NULL ? list[at] : (int32_t)at;
    }
}

/* Seconds that so many sources towards so many observers take. */
static netdp_status ask_part(netdp_i_description *description, double noise, netdp_unit unit,
                             const int32_t part[2], double *seconds, netdp_error *error)
{
    const netdp_loss_request whole = description->request;
    const int32_t n = netdp_graph_nodes(description->graph);
    const int32_t from = whole.from_count > 0 ? whole.from_count : n;
    const int32_t to = whole.to_count > 0 ? whole.to_count : n;
    OWNED int32_t *node = NETDP_I_NEW(int32_t, (int64_t)part[0] + part[1]);
    netdp_losses *losses = NULL;
    NEED(node);
    spread(whole.from, from, part[0], node);
    spread(whole.to, to, part[1], node + part[0]);
    description->request.from = node;
    description->request.from_count = part[0];
    if (!whole.coalition) {
        description->request.to = node + part[0];
        description->request.to_count = part[1];
    }
    const double begin = spent();
    const netdp_status status =
        netdp_i_description_losses(description, noise, unit, NULL, &losses, error);
    *seconds = spent() - begin;
    description->request = whole;
    netdp_losses_free(losses);
    return status;
}

/* Twice as many sources, then observers, as long as that takes little; the last step goes on to all of them. */
static netdp_status probe(netdp_i_description *description, double noise, netdp_unit unit,
                          double *seconds, netdp_error *error)
{
    const netdp_loss_request *whole = &description->request;
    const int32_t n = netdp_graph_nodes(description->graph);
    const int32_t all[2] = {whole->from_count > 0 ? whole->from_count : n, whole->coalition ? 1
                                                                           : whole->to_count > 0
                                                                               ? whole->to_count
                                                                               : n};
    int32_t part[2] = {1, 1};
    double now, share = 1;
    /* A source that is an observer too tells nothing: two of them, where there are. */
    part[0] = all[0] < 2 ? all[0] : 2;
    TRY(ask_part(description, noise, unit, part, &now, error));
    *seconds = now;
    for (int k = 0; k < 2; k++) {
        double before = now, step = 0;
        while (part[k] < all[k] && now < PROBE_SECONDS) {
            const int32_t last = part[k];
            part[k] = last > all[k] / 2 ? all[k] : 2 * last;
            before = now;
            TRY(ask_part(description, noise, unit, part, &now, error));
            step = fmax(0, now - before) / (part[k] - last);
        }
        if (step == 0 && part[k] < all[k])
            step = now / part[k];
        const double total = now + step * (all[k] - part[k]);
        share *= now > 0 ? total / now : 1;
    }
    *seconds = now * share;
    return NETDP_OK;
}

static netdp_status explain_token(netdp_i_description *description, double noise, netdp_unit unit,
                                  bool json, netdp_error *error)
{
    double seconds = 0;
    const double begun = spent();
    TRY(probe(description, noise, unit, &seconds, error));
    seconds += begun;
    if (json)
        return netdp_i_cli_print_json(json_pack("{s:s, s:o, s:o}", "method", "pairs", "seconds",
                                                netdp_i_json_double(seconds), "bytes",
                                                netdp_i_json_double(held())),
                                      error);
    printf("pair by pair, as some of them took: about %.2g s of the processor in all, %.2g GB\n",
           seconds, held() / 1e9);
    return NETDP_OK;
}

netdp_status netdp_i_explain(netdp_i_description *description, double noise, netdp_unit unit,
                             bool json, netdp_error *error)
{
    netdp_plan plan;
    if (description->mixing == NULL)
        return explain_token(description, noise, unit, json, error);
    const double begun = spent();
    TRY(netdp_losses_plan(&description->request, &plan, error));
    plan.seconds += begun;
    plan.bytes += held();
    if (json)
        return netdp_i_cli_print_json(
            json_pack("{s:s, s:I, s:I, s:I, s:b, s:o, s:o, s:o}", "method",
                      netdp_method_name(plan.method), "observers", (json_int_t)plan.observers,
                      "seen", (json_int_t)plan.seen, "rounds", (json_int_t)plan.rounds, "streaming",
                      (int)plan.steady, "seconds", netdp_i_json_double(plan.seconds), "bytes",
                      netdp_i_json_double(plan.bytes), "ways", list_ways(&plan)),
            error);
    print_plan(&plan);
    printf("about %.2g s of the processor in all, %.2g GB\n", plan.seconds, plan.bytes / 1e9);
    return NETDP_OK;
}

/* ---- Before long work ---- */

#define LONG_WORK 600 /* seconds of the processor from which a person is asked */

/* The next line of standard input; its end is a no. */
static bool says_yes(void)
{
    char *line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, stdin);
    const char *word = length > 0 ? line + strspn(line, " \t") : "";
    const bool yes = *word == 'y' || *word == 'Y';
    free(line);
    if (length < 0)
        fputc('\n', stderr);
    return yes;
}

netdp_status netdp_i_confirm(const netdp_i_description *description, netdp_error *error)
{
    netdp_plan plan;
    if (description->mixing == NULL || netdp_i_cli_engine != NULL || isatty(STDIN_FILENO) != 1 ||
        isatty(STDERR_FILENO) != 1)
        return NETDP_OK;
    /* What cannot be planned is refused by the account itself, in its own words. */
    if (netdp_losses_plan(&description->request, &plan, NULL) != NETDP_OK ||
        !(plan.seconds > LONG_WORK))
        return NETDP_OK;
    const bool hours = plan.seconds > 2 * 3600;
    fprintf(stderr,
            "An account takes about %.0f %s of the processor (netdp loss --explain shows how). "
            "Begin? [y/N] ",
            ceil(plan.seconds / (hours ? 3600 : 60)), hours ? "hours" : "minutes");
    return says_yes()
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INTERRUPTED,
                              "not begun; fewer observers (--to) or a larger --dither take less");
}
