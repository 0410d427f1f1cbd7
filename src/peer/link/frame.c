#include "peer/link/frame.h"

#include <math.h>
#include <string.h>

static const uint8_t magic[8] = "netdp\0\0\3";

enum {
    PLACE = 12,
    HEAD = 8 + 32,
    LEDGER = HEAD + 64,
    HELLO = 8 + 32 + 4 + 4 + 4 + PLACE + 8 + HEAD + LEDGER,
    VECTOR = PLACE + 4 + 4, /* and the numbers */
    ACK = PLACE + 4,
    GOODBYE = 4,
    KEY = 4 + 4 + 4 + 32 + 64,
};

/* ---- Numbers, little endian whatever the machine ---- */

static void put(uint8_t **at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *(*at)++ = (uint8_t)(number >> (8 * i));
}

static uint64_t take(const uint8_t **at, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++)
        number |= (uint64_t) * (*at)++ << (8 * i);
    return number;
}

static uint32_t take32(const uint8_t **at)
{
    return (uint32_t)take(at, 4);
}

static void put_bytes(uint8_t **at, const uint8_t *bytes, size_t size)
{
    memcpy(*at, bytes, size);
    *at += size;
}

static void take_bytes(const uint8_t **at, uint8_t *bytes, size_t size)
{
    memcpy(bytes, *at, size);
    *at += size;
}

static void put_place(uint8_t **at, netdp_i_when place)
{
    put(at, place.phase, 4);
    put(at, place.attempt, 4);
    put(at, place.round, 4);
}

static netdp_i_when take_place(const uint8_t **at)
{
    netdp_i_when place;
    place.phase = take32(at);
    place.attempt = take32(at);
    place.round = take32(at);
    return place;
}

static void put_head(uint8_t **at, const netdp_i_ledger_head *head)
{
    put(at, head->rows, 8);
    put_bytes(at, head->digest, sizeof head->digest);
}

static void take_head(const uint8_t **at, netdp_i_ledger_head *head)
{
    head->rows = take(at, 8);
    take_bytes(at, head->digest, sizeof head->digest);
}

static void put_shown(uint8_t **at, const netdp_i_shown_head *shown)
{
    put_head(at, &shown->head);
    put_bytes(at, shown->signature, sizeof shown->signature);
}

static void take_shown(const uint8_t **at, netdp_i_shown_head *shown)
{
    take_head(at, &shown->head);
    take_bytes(at, shown->signature, sizeof shown->signature);
}

size_t netdp_i_frame_size(netdp_i_frame_kind kind, uint32_t width)
{
    switch (kind) {
    case NETDP_I_FRAME_HELLO:
        return NETDP_I_FRAME_HEAD + HELLO;
    case NETDP_I_FRAME_VECTOR:
        return NETDP_I_FRAME_HEAD + VECTOR + 8 * (size_t)width;
    case NETDP_I_FRAME_ACK:
        return NETDP_I_FRAME_HEAD + ACK;
    case NETDP_I_FRAME_GOODBYE:
        return NETDP_I_FRAME_HEAD + GOODBYE;
    case NETDP_I_FRAME_KEY:
        return NETDP_I_FRAME_HEAD + KEY;
    case NETDP_I_FRAME_LEDGER:
        return NETDP_I_FRAME_HEAD + LEDGER;
    case NETDP_I_FRAME_KINDS:
        break;
    }
    return 0;
}

/* ---- To bytes ---- */

static uint8_t *begin(netdp_i_frame_kind kind, uint32_t width, uint8_t *bytes)
{
    put(&bytes, netdp_i_frame_size(kind, width), 4);
    put(&bytes, NETDP_I_FRAME_VERSION, 2);
    put(&bytes, kind, 1);
    put(&bytes, 0, 1);
    return bytes;
}

size_t netdp_i_frame_hello(const netdp_i_hello *hello, uint8_t *bytes)
{
    uint8_t *at = begin(NETDP_I_FRAME_HELLO, 0, bytes);
    put_bytes(&at, magic, sizeof magic);
    put_bytes(&at, hello->study, sizeof hello->study);
    put(&at, hello->index, 4);
    put(&at, hello->nodes, 4);
    put(&at, hello->test, 4);
    put_place(&at, hello->at);
    put(&at, (uint64_t)hello->clock, 8);
    put_head(&at, &hello->ledger);
    put_shown(&at, &hello->yours);
    return (size_t)(at - bytes);
}

size_t netdp_i_frame_vector(uint32_t sender, netdp_i_when place, const double *numbers,
                            uint32_t width, uint8_t *bytes)
{
    for (uint32_t j = 0; j < width; j++)
        if (!isfinite(numbers[j]))
            return 0;
    uint8_t *at = begin(NETDP_I_FRAME_VECTOR, width, bytes);
    put_place(&at, place);
    put(&at, sender, 4);
    put(&at, width, 4);
    for (uint32_t j = 0; j < width; j++) {
        uint64_t bits;
        memcpy(&bits, &numbers[j], sizeof bits);
        put(&at, bits, 8);
    }
    return (size_t)(at - bytes);
}

size_t netdp_i_frame_ack(uint32_t sender, netdp_i_when place, uint8_t *bytes)
{
    uint8_t *at = begin(NETDP_I_FRAME_ACK, 0, bytes);
    put_place(&at, place);
    put(&at, sender, 4);
    return (size_t)(at - bytes);
}

size_t netdp_i_frame_goodbye(netdp_i_refusal why, uint8_t *bytes)
{
    uint8_t *at = begin(NETDP_I_FRAME_GOODBYE, 0, bytes);
    put(&at, why, 4);
    return (size_t)(at - bytes);
}

size_t netdp_i_frame_key(const netdp_i_key_frame *key, uint8_t *bytes)
{
    uint8_t *at = begin(NETDP_I_FRAME_KEY, 0, bytes);
    put(&at, key->phase, 4);
    put(&at, key->attempt, 4);
    put(&at, key->origin, 4);
    put_bytes(&at, key->key, sizeof key->key);
    put_bytes(&at, key->signature, sizeof key->signature);
    return (size_t)(at - bytes);
}

size_t netdp_i_frame_ledger(const netdp_i_shown_head *shown, uint8_t *bytes)
{
    uint8_t *at = begin(NETDP_I_FRAME_LEDGER, 0, bytes);
    put_shown(&at, shown);
    return (size_t)(at - bytes);
}

/* ---- From bytes: the whole body is there ---- */

static netdp_i_refusal take_hello(const uint8_t *at, const netdp_i_frame_limits *limits,
                                  netdp_i_hello *hello)
{
    if (memcmp(at, magic, sizeof magic) != 0)
        return NETDP_I_REFUSE_MALFORMED;
    at += sizeof magic;
    take_bytes(&at, hello->study, sizeof hello->study);
    hello->index = take32(&at);
    hello->nodes = take32(&at);
    const uint32_t flags = take32(&at);
    hello->test = flags & 1;
    hello->at = take_place(&at);
    hello->clock = (int64_t)take(&at, 8);
    take_head(&at, &hello->ledger);
    take_shown(&at, &hello->yours);
    /* Another study may have other nodes: wrong-digest says so, if its numbers fit together. */
    (void)limits;
    return flags > 1 || hello->index >= hello->nodes ? NETDP_I_REFUSE_MALFORMED
                                                     : NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal take_vector(const uint8_t *at, const netdp_i_frame_limits *limits,
                                   netdp_i_message *frame)
{
    frame->place = take_place(&at);
    frame->sender = take32(&at);
    frame->width = take32(&at);
    frame->raw = at;
    if (frame->sender >= limits->nodes || frame->width != limits->width)
        return NETDP_I_REFUSE_MALFORMED;
    /* Exponents of all ones are NaN and infinity. */
    for (uint32_t j = 0; j < frame->width; j++) {
        const uint64_t bits = take(&at, 8);
        if ((bits >> 52 & 0x7FF) == 0x7FF)
            return NETDP_I_REFUSE_NOT_FINITE;
    }
    return NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal take_ack(const uint8_t *at, const netdp_i_frame_limits *limits,
                                netdp_i_message *frame)
{
    frame->place = take_place(&at);
    frame->sender = take32(&at);
    return frame->sender >= limits->nodes ? NETDP_I_REFUSE_MALFORMED : NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal take_goodbye(const uint8_t *at, netdp_i_message *frame)
{
    const uint32_t why = take32(&at);
    if (why >= NETDP_I_REFUSALS_COUNT)
        return NETDP_I_REFUSE_MALFORMED;
    frame->why = (netdp_i_refusal)why;
    return NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal take_key(const uint8_t *at, const netdp_i_frame_limits *limits,
                                netdp_i_key_frame *key)
{
    key->phase = take32(&at);
    key->attempt = take32(&at);
    key->origin = take32(&at);
    take_bytes(&at, key->key, sizeof key->key);
    take_bytes(&at, key->signature, sizeof key->signature);
    return key->origin >= limits->nodes ? NETDP_I_REFUSE_MALFORMED : NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal take_body(const uint8_t *body, const netdp_i_frame_limits *limits,
                                 netdp_i_message *frame)
{
    switch (frame->kind) {
    case NETDP_I_FRAME_HELLO:
        return take_hello(body, limits, &frame->hello);
    case NETDP_I_FRAME_VECTOR:
        return take_vector(body, limits, frame);
    case NETDP_I_FRAME_ACK:
        return take_ack(body, limits, frame);
    case NETDP_I_FRAME_GOODBYE:
        return take_goodbye(body, frame);
    case NETDP_I_FRAME_KEY:
        return take_key(body, limits, &frame->key);
    case NETDP_I_FRAME_LEDGER:
        take_shown(&body, &frame->ledger);
        return NETDP_I_REFUSE_NOTHING;
    case NETDP_I_FRAME_KINDS:
        break;
    }
    return NETDP_I_REFUSE_MALFORMED;
}

netdp_i_refusal netdp_i_frame_decode(const uint8_t *bytes, size_t size,
                                     const netdp_i_frame_limits *limits, netdp_i_message *frame,
                                     size_t *used)
{
    const uint8_t *at = bytes;
    *used = 0;
    if (size < NETDP_I_FRAME_HEAD)
        return NETDP_I_REFUSE_NOTHING;
    const size_t length = take32(&at);
    const uint32_t version = (uint32_t)take(&at, 2), kind = (uint32_t)take(&at, 1);
    if (version != NETDP_I_FRAME_VERSION)
        return NETDP_I_REFUSE_WRONG_VERSION;
    if (kind == 0 || kind >= NETDP_I_FRAME_KINDS || *at != 0)
        return NETDP_I_REFUSE_MALFORMED;
    netdp_i_message made = {.kind = (netdp_i_frame_kind)kind};
    /* The length is wrong before its bytes have come: nobody waits for them. */
    const size_t right = netdp_i_frame_size(made.kind, limits->width);
    if (length != right)
        return length > right ? NETDP_I_REFUSE_OVERSIZED : NETDP_I_REFUSE_MALFORMED;
    const bool hello = made.kind == NETDP_I_FRAME_HELLO;
    if (limits->greeted ? hello : !hello && made.kind != NETDP_I_FRAME_GOODBYE)
        return NETDP_I_REFUSE_NO_HELLO;
    if (size < length)
        return NETDP_I_REFUSE_NOTHING;
    const netdp_i_refusal refusal = take_body(bytes + NETDP_I_FRAME_HEAD, limits, &made);
    if (refusal != NETDP_I_REFUSE_NOTHING)
        return refusal;
    *frame = made;
    *used = length;
    return NETDP_I_REFUSE_NOTHING;
}

void netdp_i_frame_numbers(const netdp_i_message *frame, double *numbers)
{
    const uint8_t *at = frame->raw;
    for (uint32_t j = 0; j < frame->width; j++) {
        const uint64_t bits = take(&at, 8);
        memcpy(&numbers[j], &bits, sizeof bits);
    }
}

/* ---- What is said of them ---- */

netdp_i_refusal netdp_i_hello_check(const netdp_i_hello *mine, const netdp_i_hello *theirs,
                                    uint32_t expected)
{
    const netdp_i_ledger_head *seen = &mine->yours.head;
    if (memcmp(mine->study, theirs->study, sizeof mine->study) != 0 || mine->nodes != theirs->nodes)
        return NETDP_I_REFUSE_WRONG_DIGEST;
    if (theirs->index != expected)
        return NETDP_I_REFUSE_WRONG_INDEX;
    if (mine->test != theirs->test)
        return NETDP_I_REFUSE_WRONG_MODE;
    if (theirs->ledger.rows < seen->rows ||
        (theirs->ledger.rows == seen->rows && seen->rows > 0 &&
         memcmp(theirs->ledger.digest, seen->digest, sizeof seen->digest) != 0))
        return NETDP_I_REFUSE_LEDGER_WENT_BACK;
    return NETDP_I_REFUSE_NOTHING;
}

netdp_i_refusal netdp_i_frame_place_check(const netdp_i_message *frame, uint32_t sender,
                                          netdp_i_when next, uint32_t ahead)
{
    if (frame->sender != sender)
        return NETDP_I_REFUSE_WRONG_INDEX;
    if (frame->place.attempt != next.attempt)
        return NETDP_I_REFUSE_WRONG_ATTEMPT;
    if (frame->place.round < next.round)
        return NETDP_I_REFUSE_REPLAYED;
    if (frame->place.round - next.round > ahead)
        return NETDP_I_REFUSE_OUT_OF_ORDER;
    return NETDP_I_REFUSE_NOTHING;
}
