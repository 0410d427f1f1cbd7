/* environ */
#define _GNU_SOURCE
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

/*
 * libgomp and OpenBLAS read these before main, and before anything that this program can run but .preinit_array, where the
 * environment cannot be made longer yet: each line stands in for one that no library reads, until main gives that back.
 */
static struct stand_in {
    char line[32];
    const char *settled[2]; /* with one of these in the environment there is nothing to do */
    bool of_peers;          /* has a peer, which has one thread, use for it? */
    bool handed_on;         /* to programs that this one starts */
    char *stood_for;
} stand_ins[] = {
    {"OMP_WAIT_POLICY=passive", {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}, false, true, NULL},
    /* The library sets it, too (mixing/dense.c), when the threads are there already. */
    {"OPENBLAS_NUM_THREADS=1", {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"}, true, false, NULL},
};
enum { STAND_INS = sizeof stand_ins / sizeof *stand_ins };

static bool begins(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == '=';
}

static char **find(char **environment, const char *name)
{
    while (*environment != NULL && !begins(*environment, name))
        environment++;
    return *environment != NULL ? environment : NULL;
}

static void stand_in(int argc, char **argv, char **environment)
{
    static const char *const unread[] = {"_",       "OLDPWD", "SHLVL", "PWD",
                                         "LOGNAME", "USER",   "TERM",  "HOME"};
    const bool is_peer = argc > 1 && strcmp(argv[1], "peer") == 0;
    size_t next = 0;
    for (size_t k = 0; k < STAND_INS && environment != NULL; k++) {
        struct stand_in *one = &stand_ins[k];
        char **place = NULL;
        if ((is_peer && !one->of_peers) || find(environment, one->settled[0]) != NULL ||
            find(environment, one->settled[1]) != NULL)
            continue;
        while (place == NULL && next < sizeof unread / sizeof *unread)
            place = find(environment, unread[next++]);
        if (place == NULL)
            return;
        one->stood_for = *place;
        *place = one->line;
    }
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(int, char **, char **) = stand_in;

/* Whatever was made of the environment meanwhile has the same lines. */
static void give_places_back(void)
{
    for (size_t k = 0; k < STAND_INS; k++) {
        struct stand_in *one = &stand_ins[k];
        char **line = environ;
        while (one->stood_for != NULL && line != NULL && *line != NULL && *line != one->line)
            line++;
        if (one->stood_for == NULL || line == NULL || *line == NULL)
            continue;
        *line = one->stood_for;
        if (one->handed_on)
            (void)setenv(one->settled[0], strchr(one->line, '=') + 1, 0);
    }
}

void netdp_i_kernels_settle(char **argv, bool threads)
{
    char path[4096];
    give_places_back();
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
    give_places_back();
    omp_set_num_threads(1);
}
