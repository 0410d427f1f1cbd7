/*
 * Writes data/meters.csv to standard output: synthetic smart meters, 32 households (rows) by 24
 * hours (columns h0 .. h23), kWh in each hour. Equal bytes on every machine; nobody's real data.
 *
 *     kwh[i][h] = clip(mean_i shape_h e^(S z_ih - S^2/2), 0, 5),   mean_i = 0.45 e^(0.4 z_i)
 *
 * with standard normals z.
 */
#include <math.h>
#include <stdio.h>
#include <netdp/random.h>

enum { HOUSEHOLDS = 32, HOURS = 24 };

static const uint64_t seed = 20240601;
static const double mean_kwh = 0.45, between_households = 0.4, within_household = 0.5;
static const double highest_kwh = 5;

/* Low at night, a small peak at breakfast, a high one in the evening; 1 on average. */
static const double shape[HOURS] = {
    0.55, 0.48, 0.44, 0.42, 0.43, 0.52, 0.80, 1.10, 1.05, 0.92, 0.88, 0.92,
    1.02, 1.00, 0.92, 0.92, 1.05, 1.40, 1.80, 1.90, 1.75, 1.50, 1.25, 0.98,
};

int main(void)
{
    for (int h = 0; h < HOURS; h++)
        printf("h%d%c", h, h + 1 < HOURS ? ',' : '\n');
    for (uint32_t i = 0; i < HOUSEHOLDS; i++) {
        double z[HOURS + 1];
        netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_NOISE, i, 0);
        netdp_stream_normals(&stream, z, HOURS + 1);
        double mean = mean_kwh * exp(between_households * z[HOURS]);
        for (int h = 0; h < HOURS; h++) {
            double spread = within_household * z[h] - within_household * within_household / 2;
            double kwh = mean * shape[h] * exp(spread);
            printf("%.3f%c", fmin(kwh, highest_kwh), h + 1 < HOURS ? ',' : '\n');
        }
    }
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 3;
}
