#include "run/model.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sealed.h"
#include "base/try.h"
#include "learn/model.h"
#include "simulate/gossip.h"

static const char privacy[] = "the noise of this model was drawn with the seed of a simulation: "
                              "who has the seed can remove it, so that "
                              "neither the model nor its predictions protect the rows that it was "
                              "learnt from; a model of netdp peer does";

netdp_status netdp_i_run_model_write(const netdp_i_variant *variant, int32_t number,
                                     const double *models, const char *folder, netdp_error *error)
{
    char name[40], path[NETDP_I_PATH_ROOM];
    const netdp_i_problem *problem = variant->problem;
    netdp_i_output output;
    double *mean = NETDP_I_NEW(double, problem->width);
    NEED(mean);
    netdp_i_mean_of(models, netdp_graph_nodes(problem->graph), problem->width, mean);
    json_t *model = netdp_i_model_json(problem->model, mean);
    OWNED_BY(json_decref)
    json_t *object =
        model != NULL
            ? json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "schema", NETDP_I_JSON_SCHEMA, "private",
                        "for the experimenter alone: its noise comes from the seed", "variant",
                        variant->name, "of", "the mean of the nodes' models", "predictions",
                        privacy, "model", model)
            : NULL;
    netdp_i_free(mean);
    NEED(object);
    snprintf(name, sizeof name, "model-%d.json", (int)number);
    netdp_i_file_path(path, folder, name);
    TRY(netdp_i_output_open_private(&output, path, error));
    return netdp_i_sealed_commit(object, &output, error);
}
