/*
 * Who has igraph's table: a module, which is loaded when it is first needed and stays; or this program, of the static
 * library, of what pip builds and under sanitizers, where igraph is linked.
 */
#include "graph/igraph/calls.h"

#ifndef NETDP_MODULE

netdp_status netdp_i_igraph_find(const netdp_i_igraph_calls **calls, netdp_error *error)
{
    (void)error;
    *calls = &netdp_igraph;
    return NETDP_OK;
}

#else

#include <dlfcn.h>
#include <string.h>

#include "base/fail.h"
#include "base/place.h"
#include "base/text.h"

#define NEEDED                                                                                     \
    "random graphs, layouts, eigenvectors, GML, GraphML and Pajek need the module " NETDP_MODULE

static netdp_status fail_to_load(netdp_error *error)
{
    const char *reason = dlerror();
    if (reason == NULL)
        reason = "no reason given";
    if (strstr(reason, "annot allocate memory") != NULL || strstr(reason, "out of memory") != NULL)
        return netdp_i_no_memory(error);
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        NEEDED ", which does not load: %s; install netdp again",
                        netdp_i_show_text(reason).text);
}

netdp_status netdp_i_igraph_find(const netdp_i_igraph_calls **calls, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    if (!netdp_i_place_module(NETDP_MODULE, path))
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            NEEDED ", which is not there; install netdp again");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        return fail_to_load(error);
    const netdp_i_igraph_calls *found = dlsym(module, "netdp_igraph");
    if (found == NULL || strcmp(found->version, NETDP_VERSION) != 0) {
        (void)dlclose(module);
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "%.300s: is not of netdp " NETDP_VERSION "; install netdp again", path);
    }
    *calls = found;
    return NETDP_OK;
}

#endif
