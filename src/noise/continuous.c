/* Samplers of continuous noise: Laplace, Gamma. */
#include <netdp/noise.h>

#include <math.h>

/* u and 1 - u are both multiples of 2^-53: the two halves mirror each other exactly. */
double netdp_stream_laplace(netdp_stream *stream)
{
    const double u = netdp_stream_uniform(stream);
    return u < 0.5 ? log(2 * u) : -log(2 * (1 - u));
}

/*
 * shape >= 1. G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS
 * 26, 2000: d v with v = (1 + c x)^3, without their squeeze.
 */
static double gamma_from_one(netdp_stream *stream, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x;
        netdp_stream_normals(stream, &x, 1);
        const double root = 1 + c * x;
        const double u = netdp_stream_uniform(stream);
        if (root <= 0)
            continue;
        const double v = root * root * root;
        if (log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return d * v;
    }
}

double netdp_stream_gamma(netdp_stream *stream, double shape)
{
    if (!(shape > 0 && isfinite(shape)))
        return shape >= 0 ? shape : NAN;
    if (shape >= 1)
        return gamma_from_one(stream, shape);
    const double above = gamma_from_one(stream, shape + 1);
    return exp(log(above) + log(netdp_stream_uniform(stream)) / shape);
}
