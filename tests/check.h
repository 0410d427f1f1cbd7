/* cmocka with the headers that it needs before it, and comparisons of doubles that say more. */
#ifndef NETDP_TESTS_CHECK_H
#define NETDP_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include <netdp/status.h>

/* Sanitizers make a program ten times slower: statistical tests take fewer runs there. */
#if defined(__SANITIZE_ADDRESS__)
#define LIGHT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIGHT 1
#endif
#endif
#ifndef LIGHT
#define LIGHT 0
#endif

/* |got - want| <= absolute + relative * |want|; equal infinities are close. */
#define assert_close(got, want, absolute, relative)                                                \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(got_ == want_ || fabs(got_ - want_) <= (absolute) + (relative)*fabs(want_)))         \
            fail_msg("%s = %.17g, want %.17g (difference %.3g)", #got, got_, want_, got_ - want_); \
    } while (0)

/* A call that must succeed; shows its error where it does not. `error` must be in scope. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != NETDP_OK)                                                                    \
            fail_msg("%s: %s", #call, error.text);                                                 \
    } while (0)

/* A call that must fail with `want` and say something on one line. */
#define assert_fails(call, want)                                                                   \
    do {                                                                                           \
        error.text[0] = '\0';                                                                      \
        assert_int_equal((call), (want));                                                          \
        assert_true(error.text[0] != '\0');                                                        \
        assert_null(strchr(error.text, '\n'));                                                     \
    } while (0)

#endif
