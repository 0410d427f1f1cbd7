/* The known word that a mistyped one most likely meant. */
#ifndef NETDP_I_NEAREST_H
#define NETDP_I_NEAREST_H

#include <stddef.h>

/* The nearest of `count` words, or NULL where none is near (about a third of its letters off). */
const char *netdp_i_nearest(const char *text, const char *const *words, size_t count);

#endif
