/*
 * What the targets share. Each is one function, LLVMFuzzerTestOneInput, over an entry point that
 * reads what comes from outside; replay.c calls it for the files of a corpus, libFuzzer for what it
 * makes of them.
 */
#ifndef NETDP_TESTS_FUZZ_H
#define NETDP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <netdp/graph.h>
#include <netdp/status.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with what does not hold. */
#define FUZZ_HOLDS(what)                                                                           \
    do {                                                                                           \
        if (!(what))                                                                               \
            fuzz_broken(__FILE__, __LINE__, #what);                                                \
    } while (0)
_Noreturn void fuzz_broken(const char *file, int line, const char *what);

/* A refusal says its status and one line. True: OK. */
bool fuzz_ok(netdp_status status, const netdp_error *error);

/* A file in memory that holds the input; one a process, by its path. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A NUL behind the input, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* A folder of this process alone, removed in the end, and the path of a file in it. */
const char *fuzz_folder(void);
void fuzz_path(char path[256], const char *file);
void fuzz_put(const char *file, const void *data, size_t size);
void fuzz_remove(const char *file);

/* The bytes of a file of the folder, to be freed. */
char *fuzz_get(const char *file, size_t *size);

/* Neighbours ascend, lie in range and are mutual; names differ and find their nodes. */
void fuzz_check_graph(const netdp_graph *graph);

#endif
