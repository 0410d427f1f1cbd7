/* Functions that are compiled for several processors, of which the loader takes one. */
#ifndef NETDP_I_CLONES_H
#define NETDP_I_CLONES_H

/* The loader chooses before main: clang's thread sanitizer, which is not ready by then, has the one for all. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NETDP_I_CLONES(...)
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define NETDP_I_CLONES(...)
#endif
#ifndef NETDP_I_CLONES
#define NETDP_I_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#endif

#endif
