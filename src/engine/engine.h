/*
 * The distributed engine: the work of one command shared by processes under mpirun.
 *
 * There are two programs from the same sources. netdp has no engine; where its command line asks
 * for one it hands itself over to netdp-mpi, which has. In netdp-mpi every process runs the same
 * command on the same input; the functions below are called by all of them, and give all of them
 * the same answer. Only one of them speaks.
 */
#ifndef NETDP_I_ENGINE_H
#define NETDP_I_ENGINE_H

#include <netdp/walk.h>

#include "account/losses/losses.h"
#include "engine/joint.h"

/* What the processes do together; every function is called by all of them, in the same order. */
typedef struct netdp_i_engine {
    /* One process of each machine makes graph and matrix (shared.h). */
    bool (*makes)(void);
    netdp_status (*share_graph)(netdp_status made, netdp_graph **graph, netdp_error *error);
    netdp_status (*share_mixing)(netdp_status made, const netdp_graph *graph, netdp_mixing **mixing,
                                 netdp_error *error);
    /* As netdp_losses_new, netdp_i_losses_each (the sink is called in every process), netdp_walk_losses_new and
       netdp_mixing_spectrum. */
    netdp_status (*losses_new)(const netdp_loss_request *request, const netdp_progress *progress,
                               netdp_losses **losses, netdp_error *error);
    netdp_status (*losses)(const netdp_loss_request *request, netdp_i_batch_sink sink,
                           void *context, const netdp_progress *progress, netdp_error *error);
    netdp_status (*walk_losses)(const netdp_walk_request *request, const netdp_progress *progress,
                                netdp_losses **losses, netdp_error *error);
    netdp_status (*spectrum)(const netdp_mixing *mixing, netdp_spectrum *spectrum,
                             netdp_error *error);
    /* A file that all write (joint.h), and the part first .. end-1 of `count` that is for this one.
     */
    netdp_status (*open)(const char *path, netdp_i_joint **file, netdp_error *error);
    netdp_status (*append)(netdp_i_joint *file, const char *text, size_t bytes, netdp_error *error);
    netdp_status (*commit)(netdp_i_joint **file, netdp_error *error);
    void (*drop)(netdp_i_joint *file);
    void (*part)(int64_t count, int64_t *first, int64_t *end);
    /* One process's failure becomes everyone's, with its text; nothing is shared after that. */
    netdp_status (*agree)(netdp_status status, netdp_error *error);
    /* Does this process print? */
    bool (*speaks)(void);
    /* The last call. */
    void (*end)(void);
} netdp_i_engine;

/*
 * In netdp: *engine is NULL, or this call does not return because netdp-mpi took over. In
 * netdp-mpi: the engine; standard output of those who do not speak is closed.
 */
netdp_status netdp_i_engine_begin(int argc, const char **argv, const netdp_i_engine **engine,
                                  netdp_error *error);

#endif
