/* A mean of z^C - 1, and how far it may be off. */
#ifndef NETDP_I_MEAN_H
#define NETDP_I_MEAN_H

typedef struct netdp_i_mean {
    double re, im, off;
} netdp_i_mean;

#endif
