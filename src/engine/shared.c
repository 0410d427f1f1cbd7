#define _GNU_SOURCE
#include "engine/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/together.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

/* An array of what is shared; of those who read it *at is set. */
typedef struct piece {
    void *at;      /* where its pointer stands */
    int64_t bytes; /* 0: NULL */
} piece;

/* Where a process has it: the file of its descriptors that the others of its machine open. */
typedef struct place {
    int64_t process, file, bytes;
} place;

enum { MOST_PIECES = 7, ALIGNED = 64 };

bool netdp_i_shared_makes(void)
{
    return netdp_i_processes_here().makes;
}

static int64_t room_of(const piece *pieces, int count)
{
    int64_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += (pieces[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return bytes;
}

static netdp_status cannot_share(const char *what, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "--engine mpi: cannot %s the memory that the processes of a machine share: "
                        "%s; give it room, and start them as one user, in one container",
                        what, strerror(errno));
}

/* Memory of a file without a name; no mount says how large it may be. */
static netdp_status make_room(place *p, char **memory, netdp_error *error)
{
    p->process = getpid();
    p->file = memfd_create("netdp", MFD_CLOEXEC);
    if (p->file < 0 || ftruncate((int)p->file, p->bytes) != 0)
        return cannot_share("make", error);
    *memory = mmap(NULL, (size_t)p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)p->file, 0);
    return *memory == MAP_FAILED ? cannot_share("make", error) : NETDP_OK;
}

static netdp_status open_room(const place *p, char **memory, netdp_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)p->process, (long long)p->file);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return cannot_share("open", error);
    *memory = mmap(NULL, (size_t)p->bytes, PROT_READ, MAP_SHARED, file, 0);
    const netdp_status status = *memory == MAP_FAILED ? cannot_share("open", error) : NETDP_OK;
    close(file);
    return status;
}

/* The arrays to where the others see them; those of this process alone are freed. */
static void move_in(const piece *pieces, int count, char *memory)
{
    for (int i = 0; i < count; i++) {
        if (pieces[i].bytes > 0) {
            void *own;
            memcpy(&own, pieces[i].at, sizeof own);
            memcpy(memory, own, (size_t)pieces[i].bytes);
            memcpy(pieces[i].at, &memory, sizeof memory);
            netdp_i_free(own);
        }
        memory += (pieces[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
}

static void look_at(const piece *pieces, int count, char *memory)
{
    for (int i = 0; i < count; i++) {
        if (pieces[i].bytes > 0)
            memcpy(pieces[i].at, &memory, sizeof memory);
        memory += (pieces[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
}

/* A place for all of them, and they in it. */
static netdp_status share_room(piece *pieces, int count, place *p, bool *lent, netdp_error *error)
{
    const bool makes = netdp_i_shared_makes();
    int64_t sizes[MOST_PIECES];
    char *memory = NULL;
    for (int i = 0; i < count; i++)
        sizes[i] = pieces[i].bytes;
    *lent = false;
    TRY(netdp_i_agree(makes ? make_room(p, &memory, error) : NETDP_OK, error));
    *lent = true;
    if (makes)
        move_in(pieces, count, memory);
    netdp_i_tell_near(p, sizeof *p);
    netdp_i_tell_near(sizes, count * (int64_t)sizeof *sizes);
    for (int i = 0; i < count; i++)
        pieces[i].bytes = sizes[i];
    TRY(netdp_i_agree(makes ? NETDP_OK : open_room(p, &memory, error), error));
    if (!makes)
        look_at(pieces, count, memory);
    return NETDP_OK;
}

/* All pieces; their sizes are known where they were made. *lent: they are no longer this process's to free. */
static netdp_status share(piece *pieces, int count, bool *lent, netdp_error *error)
{
    const bool makes = netdp_i_shared_makes();
    place p = {.file = -1, .bytes = makes ? room_of(pieces, count) : 0};
    const netdp_status status = share_room(pieces, count, &p, lent, error);
    if (makes && p.file >= 0)
        close((int)p.file);
    return status;
}

static int64_t text_bytes(const char *text)
{
    return text != NULL ? (int64_t)strlen(text) + 1 : 0;
}

netdp_status netdp_i_share_graph(netdp_status made, netdp_graph **graph, netdp_error *error)
{
    const bool makes = netdp_i_shared_makes();
    OWNED_BY(netdp_graph_free) netdp_graph *g = *graph;
    *graph = NULL;
    if (!makes && (g = NETDP_I_NEW(netdp_graph, 1)) == NULL)
        made = netdp_i_no_memory(error);
    TRY(netdp_i_agree(made, error));
    netdp_graph told = *g;
    netdp_i_tell_near(&told, sizeof told);
    if (!makes)
        *g = (netdp_graph){.nodes = told.nodes, .drawn = told.drawn};
    const int64_t n = g->nodes, ends = makes ? g->start[n] : 0;
    piece pieces[] = {
        {&g->start, (n + 1) * (int64_t)sizeof *g->start},
        {&g->neighbour, ends * (int64_t)sizeof *g->neighbour},
        {&g->weight, g->weight != NULL ? ends * (int64_t)sizeof *g->weight : 0},
        {&g->name, g->name != NULL ? n * (int64_t)sizeof *g->name : 0},
        {&g->name_text, g->name_text != NULL ? g->name_bytes : 0},
        {&g->origin, text_bytes(g->origin)},
        {&g->position, g->position != NULL ? 2 * n * (int64_t)sizeof *g->position : 0},
    };
    TRY(share(pieces, sizeof pieces / sizeof *pieces, &g->lent, error));
    *graph = GIVE(g);
    return NETDP_OK;
}

netdp_status netdp_i_share_mixing(netdp_status made, const netdp_graph *graph,
                                  netdp_mixing **mixing, netdp_error *error)
{
    const bool makes = netdp_i_shared_makes();
    OWNED_BY(netdp_mixing_free) netdp_mixing *m = *mixing;
    *mixing = NULL;
    if (!makes && (m = NETDP_I_NEW(netdp_mixing, 1)) == NULL)
        made = netdp_i_no_memory(error);
    TRY(netdp_i_agree(made, error));
    netdp_mixing told = *m;
    netdp_i_tell_near(&told, sizeof told);
    if (!makes) {
        *m = told;
        m->graph = graph;
        m->name = NULL;
        m->start = NULL;
        m->column = NULL;
        m->weight = NULL;
    }
    const int64_t n = m->nodes, entries = makes ? m->start[n] : 0;
    piece pieces[] = {
        {&m->name, text_bytes(m->name)},
        {&m->start, (n + 1) * (int64_t)sizeof *m->start},
        {&m->column, entries * (int64_t)sizeof *m->column},
        {&m->weight, entries * (int64_t)sizeof *m->weight},
    };
    TRY(share(pieces, sizeof pieces / sizeof *pieces, &m->lent, error));
    *mixing = GIVE(m);
    return NETDP_OK;
}
