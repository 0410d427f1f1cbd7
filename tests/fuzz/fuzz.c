#define _GNU_SOURCE
#include "fuzz.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

void fuzz_broken(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* Threads would hide from a fuzzer what an input leads to. */
__attribute__((constructor)) static void one_thread(void)
{
    omp_set_num_threads(1);
}

bool fuzz_ok(netdp_status status, const netdp_error *error)
{
    if (status == NETDP_OK)
        return true;
    const size_t length = strnlen(error->text, sizeof error->text);
    FUZZ_HOLDS(status == error->status);
    FUZZ_HOLDS(length > 0 && length < sizeof error->text);
    for (size_t i = 0; i < length; i++)
        FUZZ_HOLDS((unsigned char)error->text[i] >= ' ' && error->text[i] != 0x7F);
    return false;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("input", 0);
        FUZZ_HOLDS(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    FUZZ_HOLDS(ftruncate(file, 0) == 0);
    FUZZ_HOLDS(pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_HOLDS(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static char folder[64];

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s: could not be removed\n", folder);
}

/* In memory where there is such a place: files are written and synced all the time. */
const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/netdp-fuzz-XXXXXX"
                                                     : "/tmp/netdp-fuzz-XXXXXX");
        FUZZ_HOLDS(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_path(char path[256], const char *file)
{
    snprintf(path, 256, "%s/%s", fuzz_folder(), file);
}

void fuzz_put(const char *file, const void *data, size_t size)
{
    char path[256];
    fuzz_path(path, file);
    FILE *stream = fopen(path, "wb");
    FUZZ_HOLDS(stream != NULL);
    FUZZ_HOLDS(fwrite(data, 1, size, stream) == size);
    FUZZ_HOLDS(fclose(stream) == 0);
}

void fuzz_remove(const char *file)
{
    char path[256];
    fuzz_path(path, file);
    unlink(path);
}

char *fuzz_get(const char *file, size_t *size)
{
    char path[256];
    fuzz_path(path, file);
    FILE *stream = fopen(path, "rb");
    FUZZ_HOLDS(stream != NULL);
    FUZZ_HOLDS(fseek(stream, 0, SEEK_END) == 0);
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *text = malloc(*size + 1);
    FUZZ_HOLDS(text != NULL && fread(text, 1, *size, stream) == *size);
    text[*size] = '\0';
    fclose(stream);
    return text;
}

static bool has_neighbour(const netdp_graph *graph, int32_t u, int32_t v)
{
    const int32_t *neighbour = netdp_graph_neighbours(graph, u);
    int32_t low = 0, high = netdp_graph_degree(graph, u);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (neighbour[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < netdp_graph_degree(graph, u) && neighbour[low] == v;
}

void fuzz_check_graph(const netdp_graph *graph)
{
    const int32_t nodes = netdp_graph_nodes(graph);
    int64_t ends = 0;
    FUZZ_HOLDS(nodes > 0);
    for (int32_t u = 0; u < nodes; u++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, u);
        const int32_t degree = netdp_graph_degree(graph, u);
        for (int32_t i = 0; i < degree; i++) {
            FUZZ_HOLDS(neighbour[i] >= 0 && neighbour[i] < nodes && neighbour[i] != u);
            FUZZ_HOLDS(i == 0 || neighbour[i - 1] < neighbour[i]);
            FUZZ_HOLDS(has_neighbour(graph, neighbour[i], u));
        }
        ends += degree;
    }
    FUZZ_HOLDS(ends == 2 * netdp_graph_edges(graph));
    for (int32_t u = 0; u < nodes && nodes <= 64; u++) {
        const char *name = netdp_graph_name(graph, u);
        int32_t found = -1;
        netdp_error error;
        FUZZ_HOLDS(name == NULL || netdp_graph_find(graph, name, &found, &error) == NETDP_OK);
        FUZZ_HOLDS(name == NULL || found == u);
    }
}
