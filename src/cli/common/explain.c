/* netdp loss --explain: how the account would be made, and what that would take. */
#include "cli/common/describe.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/file.h"
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

netdp_status netdp_i_explain(const netdp_i_description *description, bool json, netdp_error *error)
{
    netdp_plan plan;
    REFUSE(description->mixing == NULL,
           "--explain: for gossip; a walk goes pair by pair, by sequences of W^t and "
           "series of them, and at a delta with a cap, from 10,000 pairs on in a "
           "network without symmetry, by eigenvectors of W for all of them: leave it out");
    TRY(netdp_losses_plan(&description->request, &plan, error));
    if (json) {
        json_t *object = json_pack(
            "{s:s, s:I, s:I, s:I, s:b, s:o}", "method", netdp_method_name(plan.method), "observers",
            (json_int_t)plan.observers, "seen", (json_int_t)plan.seen, "rounds",
            (json_int_t)plan.rounds, "streaming", (int)plan.steady, "ways", list_ways(&plan));
        return netdp_i_cli_print_json(&object, error);
    }
    print_plan(&plan);
    return NETDP_OK;
}
