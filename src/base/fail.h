/* Filling a netdp_error in one expression: return netdp_i_fail(error, NETDP_INVALID, "..."). */
#ifndef NETDP_I_FAIL_H
#define NETDP_I_FAIL_H

#include <stdint.h>
#include <netdp/status.h>

/*
 * Writes the text, cut to the error's room, and returns `status`. Unprintable bytes come out as
 * \xNN: an argument may be whatever a user typed.
 */
netdp_status netdp_i_fail(netdp_error *error, netdp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

netdp_status netdp_i_no_memory(netdp_error *error);

/* Ends a function where what was given is wrong: REFUSE(count < 1, "--draws: must be 1 or more"). */
#define REFUSE(wrong, ...)                                                                         \
    do {                                                                                           \
        if (wrong)                                                                                 \
            return netdp_i_fail(error, NETDP_INVALID, __VA_ARGS__);                                \
    } while (0)

/* And where there was no memory for a pointer, which may be set here. */
#define NEED(pointer)                                                                              \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return netdp_i_no_memory(error);                                                       \
    } while (0)

/* Ends a public function where a pointer that its caller must give is NULL: NETDP_I_GIVEN(error, a && b);
 * or where the thread's arithmetic is such that no bound would hold. */
#define NETDP_I_GIVEN(error, pointers)                                                             \
    do {                                                                                           \
        if (!(pointers))                                                                           \
            return netdp_i_not_given(error, __func__);                                             \
        if (!netdp_i_arithmetic_usual())                                                           \
            return netdp_i_arithmetic(error);                                                      \
    } while (0)

/* Does this thread round to nearest, and keep numbers below the smallest normal one? */
bool netdp_i_arithmetic_usual(void);

/* NETDP_ENVIRONMENT: it does not. */
netdp_status netdp_i_arithmetic(netdp_error *error);

/* NETDP_INVALID: what a function of that name asks for is NULL. */
netdp_status netdp_i_not_given(netdp_error *error, const char *function);

/* NETDP_INVALID unless the number, of an enum that a caller set, is one of 0 to `most`. */
netdp_status netdp_i_check_choice(const char *what, int64_t number, int64_t most,
                                  netdp_error *error);

/* Puts "where: " before the text of a failure that is passed on; returns `status` unchanged. */
netdp_status netdp_i_within(netdp_error *error, netdp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
