#include "cli/common/kernels.h"

#include <cblas.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char *netdp_i_kernels_better(const char *core, netdp_i_instructions here)
{
    /* Cores without AVX that OpenBLAS runs on what it does not know, and those with AVX alone. */
    static const char *const old[] = {
        "Generic", "Katmai",       "Coppermine", "Northwood", "Prescott", "Banias",
        "Core2",   "Penryn",       "Dunnington", "Nehalem",   "Atom",     "Athlon",
        "Opteron", "Opteron_SSE3", "Barcelona",  "Bobcat",    "Nano",     "Unknown"};
    static const char *const middle[] = {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"};
    int level = 2;
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcasecmp(core, old[i]) == 0)
            level = 0;
    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++)
        if (strcasecmp(core, middle[i]) == 0)
            level = 1;
    if (level < 2 && here.avx512)
        return "SkylakeX";
    if (level < 2 && here.avx2)
        return "Haswell";
    return level < 1 && here.avx ? "Sandybridge" : NULL;
}

/* As far as the operating system keeps their registers. */
static netdp_i_instructions look(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return (netdp_i_instructions){
        .avx = __builtin_cpu_supports("avx"),
        .avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
        .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl"),
    };
#else
    return (netdp_i_instructions){false, false, false};
#endif
}

/* True: it was not there, and is now. */
static bool set(const char *name, const char *value)
{
    return getenv(name) == NULL && setenv(name, value, 0) == 0;
}

void netdp_i_kernels_settle(char **argv, bool threads)
{
    char path[4096];
    const char *better = strstr(openblas_get_config(), "DYNAMIC_ARCH") != NULL
                             ? netdp_i_kernels_better(openblas_get_corename(), look())
                             : NULL;
    /* GOMP_SPINCOUNT says how long to wait, too. */
    bool again = threads && getenv("GOMP_SPINCOUNT") == NULL && set("OMP_WAIT_POLICY", "passive");
    if (better != NULL)
        again = set("OPENBLAS_CORETYPE", better) || again;
    if (!again)
        return;
    /* By its own name, which ps shows. */
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    execv(path, argv);
}

void netdp_i_kernels_alone(void)
{
    omp_set_num_threads(1);
}
