/* How much does node 0 of a ring learn about node 5 while the nodes compute their mean, and how much noise keeps
 * that below epsilon 1? */
#include <netdp/netdp.h>

#include <stdio.h>

int main(void)
{
    netdp_error error = {0};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_losses *losses = NULL;
    netdp_calibration found = {0};
    double epsilon = 0;

    netdp_status status = netdp_graph_make("ring 12", 1, true, &graph, NULL, &error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(graph, "metropolis", &mixing, &error);

    const netdp_linear averaging = {.mixing = mixing, .rounds = 20, .noise.dither = 0.01};
    const netdp_loss_request request = {
        .protocol = &averaging,
        .from_count = 1,
        .from = (const int32_t[]){5},
        .to_count = 1,
        .to = (const int32_t[]){0},
    };
    if (status == NETDP_OK)
        status = netdp_losses_new(&request, NULL, &losses, &error);

    const netdp_unit unit = {NETDP_AS_DP, 1e-6}; /* epsilon at delta 1e-6, noise sigma = 1 */
    if (status == NETDP_OK)
        status = netdp_loss_value(losses->loss[0], 1, unit, &epsilon, &error);

    /* The least noise at which the worst of the asked pairs, here the only one, has epsilon 1. */
    const netdp_target target = {
        .epsilon = 1, .unit = unit, .over = NETDP_OVER_WORST, .max_noise = 1e6};
    if (status == NETDP_OK)
        status = netdp_calibrate(&request, &target, NULL, &found, NULL, &error);

    const double up = 5e-7; /* half of the last digit: nothing is printed below what holds */
    if (status == NETDP_OK)
        printf("node 0 learns about node 5: loss %.6f, epsilon %.6f at delta 1e-6\n"
               "noise %.6f keeps it to epsilon 1\n",
               losses->loss[0] + up, epsilon + up, found.sigma + up);
    else
        fprintf(stderr, "%s\n", error.text);

    netdp_losses_free(losses);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return netdp_status_exit_code(status);
}
