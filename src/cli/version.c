#include "cli/common/command.h"

#include <cblas.h>
#include <flint/flint.h>
#include <igraph.h>
#include <cyaml/cyaml.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"

/* The program of OpenBLAS in use says "OpenBLAS 0.3.21 NO_AFFINITY ...". */
static void read_openblas_version(char text[32])
{
    if (sscanf(openblas_get_config(), "OpenBLAS %31s", text) != 1)
        strcpy(text, "unknown");
}

netdp_status netdp_i_command_version(int argc, const char **argv, netdp_error *error)
{
    bool json = false;
    const netdp_i_option options[] = {
        SWITCH("json", &json, "one JSON object: a version for each name; kernels: OpenBLAS's"),
        {0},
    };
    const netdp_i_usage usage = {
        .command = "version",
        .arguments = "",
        .what = "The versions of netdp and of the libraries that it runs with, and for which "
                "processor\n"
                "OpenBLAS's kernels were made (OPENBLAS_CORETYPE chooses others).",
        .options = options,
    };
    NETDP_I_ARGUMENTS(arguments, &usage);
    char openblas[32];
    read_openblas_version(openblas);
    const struct {
        const char *name, *version;
    } parts[] = {
        {"netdp", netdp_version()},      {"igraph", IGRAPH_VERSION},
        {"openblas", openblas},          {"kernels", openblas_get_corename()},
        {"flint", FLINT_VERSION},        {"jansson", jansson_version_str()},
        {"libcyaml", cyaml_version_str}, {"libsodium", sodium_version_string()},
        {"popt", NETDP_POPT_VERSION},
    };
    size_t count = sizeof parts / sizeof *parts;
    if (json) {
        json_t *object = json_object();
        for (size_t k = 0; k < count; k++)
            if (json_object_set_new(object, parts[k].name, json_string(parts[k].version)) != 0) {
                json_decref(object);
                object = NULL;
            }
        return netdp_i_cli_print_json(object, error);
    }
    for (size_t k = 0; k < count; k++)
        printf("%-10s %s\n", parts[k].name, parts[k].version);
    return NETDP_OK;
}
