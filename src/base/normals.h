/* Standard normals of many streams at once: those of netdp_stream_normals, bit for bit. */
#ifndef NETDP_I_NORMALS_H
#define NETDP_I_NORMALS_H

#include <netdp/random.h>

/* out[count][width]: the first normals of the streams that `first` names, but for nodes node[count], or first's and those behind it
 * where `node` is NULL. */
void netdp_i_normals_of_nodes(netdp_stream first, const int32_t *node, int64_t count, int64_t width,
                              double *out);

#endif
