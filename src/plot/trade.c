#include "plot/trade.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"
#include "plot/plot.h"

/* The fewest misses that the claim leaves at a rate x of false alarms. */
static void print_claim(FILE *out, const json_t *claim)
{
    const double mu = netdp_i_json_field(claim, "mu"),
                 epsilon = netdp_i_json_field(claim, "epsilon");
    if (json_object_get(claim, "mu") != NULL && isfinite(mu))
        fprintf(out, "claim(x) = norm(invnorm(1 - x) - %.17g)\n", mu);
    else if (json_object_get(claim, "mu") == NULL && epsilon < 700)
        fprintf(
            out,
            "high(a, b) = a > b ? a : b\n"
            "claim(x) = high(0, high(1 - %.17g - exp(%.17g) * x, exp(-%.17g) * (1 - %.17g - x)))\n",
            netdp_i_json_field(claim, "delta"), epsilon, epsilon,
            netdp_i_json_field(claim, "delta"));
    else
        fputs("claim(x) = 0\n", out);
}

/* A node's name, or "node 3". */
static void print_node(FILE *out, const json_t *audit, const char *node, const char *name)
{
    const json_t *known = json_object_get(audit, name);
    if (known != NULL)
        netdp_i_plot_text(out, json_string_value(known), 24, 1);
    else
        fprintf(out, "'node %d'", (int)netdp_i_json_field(audit, node));
}

static void print_script(FILE *out, const void *what)
{
    const json_t *audit = what;
    const json_t *points = json_object_get(json_object_get(audit, "evidence"), "points");
    const json_t *point;
    size_t i;
    fputs("set terminal svg size 560,420 dynamic enhanced font 'sans-serif,13' background 'white'\n"
          "$points << END\n",
          out);
    json_array_foreach (points, i, point)
        fprintf(out, "%.9g %.9g %.9g %.9g\n", netdp_i_json_field(point, "false_positive"),
                netdp_i_json_field(point, "false_negative"),
                netdp_i_json_field(point, "false_positive_most"),
                netdp_i_json_field(point, "false_negative_most"));
    fputs("END\nset title ", out);
    netdp_i_plot_text(out, json_string_value(json_object_get(audit, "name")), 40, 1);
    fputs(".': '.", out);
    print_node(out, audit, "to", "to_name");
    fputs(".' about '.", out);
    print_node(out, audit, "from", "from_name");
    fputs(".', '.", out);
    netdp_i_plot_text(out, json_string_value(json_object_get(audit, "verdict")), 20, 1);
    fputs(" noenhanced\n"
          "set xlabel 'false alarms'\nset ylabel 'misses'\n"
          "set xrange [0:1]\nset yrange [0:1]\nset grid\nset key top right\nset samples 400\n",
          out);
    print_claim(out, json_object_get(audit, "claim"));
    fputs(
        "plot claim(x) title 'claimed lower limit' lw 2 lc rgb '#0072B2', \\\n"
        "  1 - x title 'nothing learned' dt 2 lc rgb '#999999', \\\n"
        "  $points using 1:2 title 'attack, as counted' pt 7 ps 0.5 lc rgb '#D55E00', \\\n"
        "  $points using 3:4 title 'attack, at the confidence' with lines lw 2 lc rgb '#D55E00'\n",
        out);
}

netdp_status netdp_i_trade_write(const json_t *audit, const char *path, netdp_error *error)
{
    return netdp_i_plot_write(print_script, audit, path, error);
}
