/*
 * The places of rows: how many there are and whose is public, declared or counted; what stands at one
 * is private. A place without a row, or whose row has an empty cell, contributes nothing and still counts.
 */
#ifndef NETDP_I_LEARN_PLACES_H
#define NETDP_I_LEARN_PLACES_H

#include <netdp/learn.h>

/* Rows of a table, and what is said of them. */
typedef struct netdp_i_placing {
    int64_t rows;
    const bool *empty;    /* [rows]: contributes nothing */
    char *const *owner;   /* [rows]; NULL: rows are dealt, by the caller */
    const char *column;   /* of the owners */
    const char *cuts;     /* as netdp_i_owners_deal; NULL: none */
    const char *declared; /* netdp_preparation.rows; NULL: as many places as rows */
    const netdp_graph *graph;
} netdp_i_placing;

typedef struct netdp_i_places {
    int64_t count;
    int64_t *row; /* [count]: which row of the table, -1: nothing stands there */
    int32_t *
        node; /* [count]: whose, node by node and a node's in the table's order; NULL: to be dealt */
    int64_t beyond; /* rows behind the last declared place: they contribute nothing */
    int64_t absent; /* places that are declared and have no row */
} netdp_i_places;

/* NETDP_INVALID where the declaration cannot be read, an owner is none of the declared ones, or a node has no place. */
netdp_status netdp_i_places_fill(const netdp_i_placing *how, netdp_i_places *places,
                                 netdp_error *error);

/* Fine on zeroed ones; leaves them zeroed. */
void netdp_i_places_clear(netdp_i_places *places);

#endif
