/* Memory: every allocation of the library goes through here, so that tests can make it fail. */
#ifndef NETDP_I_MEMORY_H
#define NETDP_I_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count * size zeroed bytes, or NULL (also where the product overflows). count 0 gives memory. */
void *netdp_i_new(int64_t count, size_t size) __attribute__((warn_unused_result, malloc));

/* Grow to count * size bytes, new bytes not zeroed; NULL leaves `memory` as it was. */
void *netdp_i_grow(void *memory, int64_t count, size_t size) __attribute__((warn_unused_result));

void netdp_i_free(void *memory);

/* The same of the pointer that stands at this address, of whatever type. */
void netdp_i_free_at(void *at);

/* A copy of the text, or NULL. */
char *netdp_i_copy_text(const char *text) __attribute__((warn_unused_result));

/* netdp_i_new typed: NEW(double, n) */
#define NETDP_I_NEW(type, count) ((type *)netdp_i_new((int64_t)(count), sizeof(type)))

/* Bytes that this process may take: of the machine, and what its group and its limits leave of it. */
double netdp_i_memory_limit(void);

/* Tests: let the k-th allocation from now on fail (k = 0: the next), k < 0: none. */
void netdp_i_memory_fail_at(int64_t k);

/* Tests: allocations made by the library and not yet freed. */
int64_t netdp_i_memory_live(void);

#endif
