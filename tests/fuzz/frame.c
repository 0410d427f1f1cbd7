/*
 * A connection's bytes, from the first on: a hello and what follows, cut at every place. What was
 * read is written again to the same bytes, and what comes in pieces is what comes at once.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sanitizer/asan_interface.h>

#include "peer/link/frame.h"

enum { WIDTH = 3, NODES = 32 };

static size_t encode(const netdp_i_message *frame, uint8_t *bytes)
{
    double numbers[WIDTH];
    switch (frame->kind) {
    case NETDP_I_FRAME_HELLO:
        return netdp_i_frame_hello(&frame->hello, bytes);
    case NETDP_I_FRAME_VECTOR:
        netdp_i_frame_numbers(frame, numbers);
        for (int j = 0; j < WIDTH; j++)
            FUZZ_HOLDS(isfinite(numbers[j]));
        return netdp_i_frame_vector(frame->sender, frame->place, numbers, frame->width, bytes);
    case NETDP_I_FRAME_ACK:
        return netdp_i_frame_ack(frame->sender, frame->place, bytes);
    case NETDP_I_FRAME_GOODBYE:
        return netdp_i_frame_goodbye(frame->why, bytes);
    case NETDP_I_FRAME_KEY:
        return netdp_i_frame_key(&frame->key, bytes);
    case NETDP_I_FRAME_LEDGER:
        return netdp_i_frame_ledger(&frame->ledger, bytes);
    case NETDP_I_FRAME_KINDS:
        break;
    }
    return 0;
}

/* The hello of a participant who is at its third round, against whatever came. */
static void greet(const netdp_i_message *frame)
{
    const netdp_i_hello mine = {.index = 1, .nodes = NODES, .yours = {.head = {.rows = 2}}};
    const netdp_i_refusal refusal = netdp_i_hello_check(&mine, &frame->hello, 2);
    FUZZ_HOLDS(refusal != NETDP_I_REFUSE_NOTHING ||
               (frame->hello.index == 2 && frame->hello.nodes == NODES && !frame->hello.test &&
                frame->hello.ledger.rows >= 2));
}

static void place(const netdp_i_message *frame)
{
    const netdp_i_when next = {.round = 2};
    const netdp_i_refusal refusal = netdp_i_frame_place_check(frame, 2, next, 1);
    FUZZ_HOLDS(refusal != NETDP_I_REFUSE_NOTHING ||
               (frame->sender == 2 && frame->place.attempt == 0 && frame->place.round - 2 <= 1));
}

/*
 * Cut off anywhere, to the byte, it waits for the rest: of a copy, whose bytes behind the cut are
 * poisoned (an allocation for each cut took nine tenths of the time).
 */
static void cut_off(const uint8_t *data, size_t used, const netdp_i_frame_limits *limits)
{
    uint8_t *copy = malloc(used);
    FUZZ_HOLDS(copy != NULL);
    memcpy(copy, data, used);
    for (size_t cut = used; cut-- > 0;) {
        netdp_i_message part = {0};
        size_t none = 0;
        ASAN_POISON_MEMORY_REGION(copy + cut, used - cut);
        FUZZ_HOLDS(netdp_i_frame_decode(copy, cut, limits, &part, &none) == NETDP_I_REFUSE_NOTHING);
        FUZZ_HOLDS(none == 0 && part.kind == 0);
    }
    ASAN_UNPOISON_MEMORY_REGION(copy, used);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    netdp_i_frame_limits limits = {.nodes = NODES, .width = WIDTH};
    uint8_t again[256];
    while (size > 0) {
        netdp_i_message frame = {0};
        size_t used = 0;
        const netdp_i_refusal refusal = netdp_i_frame_decode(data, size, &limits, &frame, &used);
        FUZZ_HOLDS((unsigned)refusal < NETDP_I_REFUSALS_COUNT && used <= size);
        FUZZ_HOLDS(netdp_i_refusal_word(refusal)[0] != '?');
        if (refusal != NETDP_I_REFUSE_NOTHING || used == 0) {
            FUZZ_HOLDS(used == 0 && frame.kind == 0);
            break;
        }
        cut_off(data, used, &limits);
        FUZZ_HOLDS(used <= sizeof again && encode(&frame, again) == used);
        FUZZ_HOLDS(memcmp(again, data, used) == 0);
        if (frame.kind == NETDP_I_FRAME_HELLO) {
            limits.greeted = true;
            greet(&frame);
        } else if (frame.kind == NETDP_I_FRAME_VECTOR || frame.kind == NETDP_I_FRAME_ACK) {
            place(&frame);
        }
        data += used;
        size -= used;
    }
    return 0;
}
