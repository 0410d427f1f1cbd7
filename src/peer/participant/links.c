/* A participant's links: hellos, pair keys, vectors and ledger heads, each way. */
#include "peer/participant/participant_base.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "peer/link/address.h"
#include "peer/link/door.h"
#include "peer/link/largest.h"

enum {
    HANDSHAKE = 5000,
    MET = 200 /* bytes that a head takes on the disk */
};

static const netdp_i_member *member_of(const netdp_i_participant *p, uint32_t index)
{
    return &p->package->member[index];
}

/* Counted and said, and nothing else comes of it. */
static void ignore(netdp_i_participant *p, netdp_i_refusal why, int32_t link)
{
    p->refused[why]++;
    netdp_i_participant_tell_of(p, link, "event=ignored reason=%s member=%s",
                                netdp_i_refusal_word(why),
                                netdp_i_participant_name(p, p->link[link].neighbour));
}

/* Whatever leaves may follow from a contribution that came: that it was shown is on the disk before. */
static bool say(netdp_i_participant *p, int32_t link, const uint8_t *bytes, size_t size)
{
    const netdp_status status = netdp_i_ledger_remember(p->ledger, p->error);
    if (status != NETDP_OK)
        netdp_i_participant_end(p, status);
    return p->transport != NULL && netdp_i_transport_send(p->transport, link, bytes, size);
}

/* ---- Pair keys ---- */

static void send_offer(netdp_i_participant *p, int32_t link, int32_t origin)
{
    netdp_i_key_frame key = {
        .phase = p->attempt.phase, .attempt = p->attempt.attempt, .origin = (uint32_t)origin};
    uint8_t bytes[NETDP_I_CONNECTION_FRAME];
    memcpy(key.key, p->offer[origin].key, sizeof key.key);
    memcpy(key.signature, p->offer[origin].signature, sizeof key.signature);
    (void)say(p, link, bytes, netdp_i_frame_key(&key, bytes));
}

/* Hands an offer on to all neighbours but the one it came from. */
static void spread_offer(netdp_i_participant *p, int32_t origin, int32_t from)
{
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (i != from && p->side[i].greeted)
            send_offer(p, i, origin);
}

/* What is signed is the origin's doing: its own link is refused, and who only hands it on is not to blame. */
static netdp_i_refusal blame_origin(netdp_i_participant *p, int32_t link, int32_t origin,
                                    netdp_i_refusal why)
{
    if (p->link[link].neighbour == origin)
        return why;
    p->refused[why]++;
    netdp_i_participant_tell_of(p, link, "event=refused reason=%s member=%s from=%s",
                                netdp_i_refusal_word(why), netdp_i_participant_name(p, origin),
                                netdp_i_participant_name(p, p->link[link].neighbour));
    return NETDP_I_REFUSE_NOTHING;
}

/* One that it has already comes by every way that there is; another one is a second. */
static netdp_i_refusal hear_again(netdp_i_participant *p, int32_t link, int32_t origin,
                                  const netdp_i_offer *offer)
{
    /* In test mode noise does not come from these keys, and each start makes one. */
    if (p->settings.test || memcmp(offer->key, p->offer[origin].key, sizeof offer->key) == 0)
        return NETDP_I_REFUSE_NOTHING;
    if (!netdp_i_offer_holds(offer, &p->attempt, (uint32_t)origin,
                             member_of(p, (uint32_t)origin)->key))
        return NETDP_I_REFUSE_BAD_SIGNATURE;
    return blame_origin(p, link, origin, NETDP_I_REFUSE_SECOND_KEY);
}

static netdp_i_refusal hear_key(netdp_i_participant *p, int32_t link, const netdp_i_key_frame *key)
{
    netdp_i_offer offer;
    memcpy(offer.key, key->key, sizeof offer.key);
    memcpy(offer.signature, key->signature, sizeof offer.signature);
    if (key->phase != p->attempt.phase || key->attempt != p->attempt.attempt)
        return NETDP_I_REFUSE_WRONG_ATTEMPT;
    if (p->offered[key->origin])
        return hear_again(p, link, (int32_t)key->origin, &offer);
    if (!netdp_i_offer_holds(&offer, &p->attempt, key->origin, member_of(p, key->origin)->key))
        return NETDP_I_REFUSE_BAD_SIGNATURE;
    if (!netdp_i_offer_is_key(&offer)) /* kept and handed on by nobody */
        return blame_origin(p, link, (int32_t)key->origin, NETDP_I_REFUSE_NO_PAIR_KEY);
    netdp_i_limit_return(&p->side[link].quota, NETDP_I_LIMIT_KEYS, 1);
    p->offer[key->origin] = offer;
    p->offered[key->origin] = true;
    p->moved = netdp_i_boot_seconds();
    spread_offer(p, (int32_t)key->origin, link);
    netdp_i_participant_advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

int32_t netdp_i_missing_partner(const netdp_i_participant *p)
{
    if (p->task.pairs == NULL)
        return -1;
    const int32_t *partner = netdp_graph_neighbours(p->task.pairs, p->task.self);
    for (int32_t i = 0; i < netdp_graph_degree(p->task.pairs, p->task.self); i++)
        if (!p->offered[partner[i]])
            return partner[i];
    return -1;
}

/* ---- Vectors ---- */

netdp_i_when netdp_i_when_of(const netdp_i_participant *p, int64_t round)
{
    return (netdp_i_when){(uint32_t)netdp_i_phase_of(&p->task.protocol, round), p->attempt.attempt,
                          (uint32_t)round};
}

/* The head of its ledger as a frame, signed once for all neighbours; its bytes. */
static size_t frame_head(netdp_i_participant *p, uint8_t *bytes)
{
    netdp_i_ledger_head head;
    netdp_i_ledger_head_of(p->ledger, &head);
    if (head.rows != p->shown.head.rows) {
        p->shown.head = head;
        netdp_i_head_sign(p->signer, &head, p->settings.test, p->shown.signature);
    }
    return netdp_i_frame_ledger(&p->shown, bytes);
}

/* Of a contribution with the head before it. */
static bool send_vector(netdp_i_participant *p, int32_t link, int64_t round)
{
    const uint8_t *bytes = netdp_i_books_frame(p, round);
    if (bytes == NULL || !netdp_linear_contributes(&p->task.protocol, round))
        return bytes != NULL && say(p, link, bytes, p->frame_bytes);
    const size_t head = frame_head(p, p->shown_frame);
    memcpy(p->shown_frame + head, bytes, p->frame_bytes);
    return say(p, link, p->shown_frame, head + p->frame_bytes);
}

void netdp_i_send_vectors(netdp_i_participant *p, int32_t link)
{
    netdp_i_side *s = &p->side[link];
    while (p->transport != NULL && s->greeted && s->send < p->task.protocol.rounds &&
           s->send <= s->most && s->send < netdp_i_participant_released(p) &&
           send_vector(p, link, s->send))
        s->send++;
}

void netdp_i_send_over(netdp_i_participant *p, int32_t link, int64_t round)
{
    uint8_t bytes[NETDP_I_CONNECTION_FRAME];
    const size_t size = netdp_i_frame_ack((uint32_t)p->task.self, netdp_i_when_of(p, round), bytes);
    (void)say(p, link, bytes, size);
}

void netdp_i_tell_those_ahead(netdp_i_participant *p)
{
    const int64_t now = netdp_i_rounds_now(p->rounds);
    for (int32_t i = 0; i < p->sides && p->transport != NULL; i++)
        if (p->side[i].greeted && p->side[i].send > now)
            netdp_i_send_over(p, i, now - 1);
}

/* The neighbour is at this round at least. */
static void let_ahead(netdp_i_participant *p, int32_t link, int64_t at)
{
    if (p->side[link].most < at + 1)
        p->side[link].most = at + 1;
    netdp_i_send_vectors(p, link);
}

bool netdp_i_known_to_all(const netdp_i_participant *p)
{
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].greeted)
            return false;
    return true;
}

/* Dropped before anything is computed of it: the round goes on without that edge. */
static void lose(netdp_i_participant *p, int32_t link, int64_t round)
{
    p->lost++;
    p->refused[NETDP_I_REFUSE_TOO_LARGE]++;
    netdp_i_participant_tell_of(p, link, "event=refused reason=%s member=%s round=%" PRId64,
                                netdp_i_refusal_word(NETDP_I_REFUSE_TOO_LARGE),
                                netdp_i_participant_name(p, p->link[link].neighbour), round);
}

static netdp_i_refusal hear_vector(netdp_i_participant *p, int32_t link,
                                   const netdp_i_message *message)
{
    netdp_i_side *s = &p->side[link];
    const netdp_i_refusal why = netdp_i_frame_place_check(
        message, (uint32_t)p->link[link].neighbour, netdp_i_when_of(p, s->next), 0);
    if (why == NETDP_I_REFUSE_REPLAYED) {
        ignore(p, why, link); /* dropped, and the link stays */
        return NETDP_I_REFUSE_NOTHING;
    }
    if (why != NETDP_I_REFUSE_NOTHING)
        return why;
    if (message->place.phase != netdp_i_when_of(p, s->next).phase)
        return NETDP_I_REFUSE_MALFORMED;
    netdp_i_frame_numbers(message, p->numbers);
    const bool within = netdp_i_is_within(p->numbers, p->task.width, p->task.largest);
    if (!netdp_i_rounds_hear(p->rounds, link, s->next, within ? p->numbers : NULL))
        return NETDP_I_REFUSE_OUT_OF_ORDER;
    netdp_i_limit_return(&s->quota, NETDP_I_LIMIT_FRAMES, 1);
    if (netdp_linear_contributes(&p->task.protocol, s->next)) { /* a head came before it */
        netdp_i_limit_return(&s->quota, NETDP_I_LIMIT_HEADS, 1);
        netdp_i_limit_return(&s->quota, NETDP_I_LIMIT_BYTES, MET);
    }
    if (!within)
        lose(p, link, s->next);
    s->next++;
    p->moved = netdp_i_boot_seconds();
    let_ahead(p, link, s->next - 1);
    netdp_i_participant_advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

/* ---- Hellos and frames ---- */

static netdp_status fill_hello(const netdp_i_participant *p, int32_t link, netdp_i_hello *hello)
{
    *hello = (netdp_i_hello){.index = (uint32_t)p->task.self,
                             .nodes = (uint32_t)p->package->members,
                             .test = p->settings.test,
                             .clock = time(NULL),
                             .at = netdp_i_when_of(p, p->side[link].next)};
    memcpy(hello->study, p->attempt.study, sizeof hello->study);
    netdp_i_ledger_head_of(p->ledger, &hello->ledger);
    return netdp_i_ledger_remembered(
        p->ledger, member_of(p, (uint32_t)p->link[link].neighbour)->key, &hello->yours, p->error);
}

static void link_up(void *context, int32_t link)
{
    netdp_i_participant *p = context;
    netdp_i_hello hello;
    uint8_t bytes[NETDP_I_CONNECTION_FRAME];
    p->side[link].greeted = p->side[link].spoke = false;
    const netdp_status status = fill_hello(p, link, &hello);
    if (status != NETDP_OK)
        netdp_i_participant_end(p, status);
    else
        (void)say(p, link, bytes, netdp_i_frame_hello(&hello, bytes));
}

static void link_down(void *context, int32_t link)
{
    netdp_i_participant *p = context;
    p->side[link].greeted = false;
    netdp_i_participant_tell_of(
        p, link, p->side[link].spoke ? "event=link-down member=%s" : "event=visit member=%s",
        netdp_i_participant_name(p, p->link[link].neighbour));
}

static void link_refused(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    netdp_i_participant *p = context;
    p->refused[why]++;
    if (link >= 0)
        p->side[link].spoke = true;
    netdp_i_participant_tell_of(
        p, link, "event=refused reason=%s member=%s from=%s", netdp_i_refusal_word(why),
        link >= 0 ? netdp_i_participant_name(p, p->link[link].neighbour) : "-", from);
}

static netdp_status fail_copy(netdp_i_participant *p, const char *name)
{
    return netdp_i_fail(p->error, NETDP_INVALID,
                        "ledger.db: %.100s says that it has seen a later ledger of this peer, "
                        "and shows this peer's signature of it: this folder is a copy from before; "
                        "bring the newest one back, and make no new ledger",
                        name);
}

/*
 * Does the ledger hold what the neighbour knows of it? A copy from before would let a contribution be
 * drawn a second time: with other noise, for all to compare. What this peer did not sign is nobody's
 * knowledge, and stops nobody.
 */
static netdp_status check_memory(netdp_i_participant *p, int32_t link,
                                 const netdp_i_shown_head *yours)
{
    bool held = false;
    TRY(netdp_i_ledger_holds(p->ledger, &yours->head, &held, p->error));
    if (held)
        return NETDP_OK;
    if (netdp_i_head_holds(yours, p->settings.test, netdp_i_signer_public(p->signer)))
        return fail_copy(p, netdp_i_participant_name(p, p->link[link].neighbour));
    ignore(p, NETDP_I_REFUSE_FALSE_HEAD, link);
    return NETDP_OK;
}

/* May the neighbour have heard all rounds before this one? A peer that was started again says anew what
 * came after its last contribution, but none that is not stored has left. */
static bool may_have(const netdp_i_participant *p, uint32_t round)
{
    if (round > (uint64_t)p->task.protocol.rounds)
        return false;
    for (int64_t t = p->spoken; t < round; t++)
        if (netdp_linear_contributes(&p->task.protocol, t))
            return false;
    return true;
}

/* Two clocks that are minutes apart stop nobody, but whose is wrong will not see the package's last day come. */
static void tell_clock(netdp_i_participant *p, int32_t link, int64_t theirs)
{
    const int64_t mine = time(NULL);
    const bool ahead = theirs > mine;
    const uint64_t apart =
        ahead ? (uint64_t)theirs - (uint64_t)mine : (uint64_t)mine - (uint64_t)theirs;
    if (apart >= NETDP_I_CLOCKS_APART)
        netdp_i_participant_tell_of(p, link, "event=clock member=%s %s=%" PRIu64,
                                    netdp_i_participant_name(p, p->link[link].neighbour),
                                    ahead ? "ahead" : "behind", apart);
}

/* *why: what their hello is refused for. */
static netdp_status judge_hello(netdp_i_participant *p, int32_t link, const netdp_i_hello *theirs,
                                netdp_i_refusal *why)
{
    netdp_i_hello mine;
    TRY(fill_hello(p, link, &mine));
    *why = netdp_i_hello_check(&mine, theirs, (uint32_t)p->link[link].neighbour);
    if (*why == NETDP_I_REFUSE_NOTHING && theirs->at.attempt != p->attempt.attempt)
        *why = NETDP_I_REFUSE_WRONG_ATTEMPT;
    /* Before anything is refused: a copy hears from who refuses it that it is one. */
    if (*why == NETDP_I_REFUSE_NOTHING || *why == NETDP_I_REFUSE_LEDGER_WENT_BACK)
        TRY(check_memory(p, link, &theirs->yours));
    if (*why == NETDP_I_REFUSE_NOTHING && !may_have(p, theirs->at.round))
        *why = NETDP_I_REFUSE_OUT_OF_ORDER;
    return NETDP_OK;
}

static netdp_i_refusal hear_hello(netdp_i_participant *p, int32_t link, const netdp_i_hello *theirs)
{
    const int32_t who = p->link[link].neighbour;
    netdp_i_side *s = &p->side[link];
    netdp_i_refusal why = NETDP_I_REFUSE_NOTHING;
    const netdp_status status = judge_hello(p, link, theirs, &why);
    if (status != NETDP_OK) {
        netdp_i_participant_end(p, status);
        return NETDP_I_REFUSE_NOTHING;
    }
    if (why != NETDP_I_REFUSE_NOTHING)
        return why;
    netdp_i_participant_tell_of(p, link, "event=link-up member=%s",
                                netdp_i_participant_name(p, who));
    tell_clock(p, link, theirs->clock);
    s->greeted = true;
    s->send = s->most = theirs->at.round; /* it is at the round before, or at this one */
    uint8_t head[NETDP_I_CONNECTION_FRAME];
    (void)say(p, link, head, frame_head(p, head)); /* this ledger goes on from what it knows */
    for (int32_t v = 0; v < p->package->members; v++)
        if (p->offered[v])
            send_offer(p, link, v);
    netdp_i_send_vectors(p, link);
    if (p->finished && p->transport != NULL)
        netdp_i_send_over(p, link, p->task.protocol.rounds - 1);
    netdp_i_participant_advance(p);
    return NETDP_I_REFUSE_NOTHING;
}

/* Its ledger goes on from what was known of it, and is remembered with the proof: at a hello's end, and
 * when a contribution follows. */
static netdp_i_refusal hear_ledger(netdp_i_participant *p, int32_t link,
                                   const netdp_i_shown_head *shown)
{
    bool back = false;
    const netdp_i_member *who = member_of(p, (uint32_t)p->link[link].neighbour);
    if (!netdp_i_head_holds(shown, p->settings.test, who->key))
        return NETDP_I_REFUSE_BAD_SIGNATURE;
    if (!netdp_i_participant_allows(p, link, NETDP_I_LIMIT_BYTES, MET))
        return NETDP_I_REFUSE_TOO_MUCH;
    const netdp_status status = netdp_i_ledger_meet(p->ledger, who->key, shown, &back, p->error);
    if (status != NETDP_OK)
        netdp_i_participant_end(p, status);
    return back ? NETDP_I_REFUSE_LEDGER_WENT_BACK : NETDP_I_REFUSE_NOTHING;
}

/* A round is over there once, and none is before this peer's vector of it has left or could be said again. */
static netdp_i_refusal hear_over(netdp_i_participant *p, int32_t link, int64_t round)
{
    netdp_i_side *s = &p->side[link];
    if (round >= p->task.protocol.rounds || !may_have(p, (uint32_t)(round + 1)))
        return NETDP_I_REFUSE_OUT_OF_ORDER;
    s->done = s->done || round + 1 == p->task.protocol.rounds;
    if (round >= s->acked) {
        netdp_i_limit_return(&s->quota, NETDP_I_LIMIT_FRAMES, 1);
        s->acked = round + 1;
    }
    let_ahead(p, link, round + 1);
    netdp_i_participant_leave(p);
    return NETDP_I_REFUSE_NOTHING;
}

static netdp_i_refusal hear_frame(void *context, int32_t link, const netdp_i_message *message,
                                  const uint8_t *bytes, size_t size)
{
    static const int taken[NETDP_I_FRAME_KINDS] = {
        [NETDP_I_FRAME_HELLO] = -1, /* one a connection */
        [NETDP_I_FRAME_KEY] = NETDP_I_LIMIT_KEYS,
        [NETDP_I_FRAME_LEDGER] = NETDP_I_LIMIT_HEADS,
        [NETDP_I_FRAME_VECTOR] = NETDP_I_LIMIT_FRAMES,
        [NETDP_I_FRAME_ACK] = NETDP_I_LIMIT_FRAMES,
        [NETDP_I_FRAME_GOODBYE] = NETDP_I_LIMIT_GOODBYES,
    };
    netdp_i_participant *p = context;
    (void)bytes, (void)size;
    p->side[link].spoke = true;
    if (taken[message->kind] >= 0 &&
        !netdp_i_participant_allows(p, link, (netdp_i_limit)taken[message->kind], 1))
        return NETDP_I_REFUSE_TOO_MUCH;
    switch (message->kind) {
    case NETDP_I_FRAME_HELLO:
        return hear_hello(p, link, &message->hello);
    case NETDP_I_FRAME_KEY:
        return hear_key(p, link, &message->key);
    case NETDP_I_FRAME_LEDGER:
        return hear_ledger(p, link, &message->ledger);
    case NETDP_I_FRAME_VECTOR:
        return hear_vector(p, link, message);
    case NETDP_I_FRAME_ACK:
        if (message->sender != (uint32_t)p->link[link].neighbour)
            return NETDP_I_REFUSE_WRONG_INDEX;
        if (message->place.attempt != p->attempt.attempt)
            return NETDP_I_REFUSE_WRONG_ATTEMPT;
        return hear_over(p, link, message->place.round);
    case NETDP_I_FRAME_GOODBYE:
        netdp_i_participant_tell_of(p, link, "event=goodbye reason=%s member=%s",
                                    netdp_i_refusal_word(message->why),
                                    netdp_i_participant_name(p, p->link[link].neighbour));
        return NETDP_I_REFUSE_NOTHING;
    case NETDP_I_FRAME_KINDS:
        break;
    }
    return NETDP_I_REFUSE_MALFORMED;
}

/* The same at both ends, and known to nobody else: of the secret that the two have by their keys. */
static void name_link(const netdp_i_participant *p, int32_t other, uint8_t token[32])
{
    const int32_t a = p->task.self < other ? p->task.self : other;
    const int32_t b = p->task.self < other ? other : p->task.self;
    crypto_generichash_state state;
    static const char purpose[] = "netdp relay 2";
    uint8_t secret[32];
    if (!netdp_i_knock_key(netdp_i_signer_secret(p->signer), p->package->member[other].key, secret))
        randombytes_buf(secret, sizeof secret); /* no key of the roster's: nobody is met there */
    crypto_generichash_init(&state, secret, sizeof secret, 32);
    crypto_generichash_update(&state, (const unsigned char *)purpose, sizeof purpose);
    crypto_generichash_update(&state, p->attempt.study, sizeof p->attempt.study);
    crypto_generichash_update(&state, p->package->member[a].key, 32);
    crypto_generichash_update(&state, p->package->member[b].key, 32);
    crypto_generichash_final(&state, token, 32);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(&state, sizeof state);
}

void netdp_i_links_place(const netdp_i_participant *p, int32_t neighbour, netdp_i_link *link)
{
    const char *address = p->settings.address[neighbour];
    const char *relay = address != NULL ? netdp_i_address_relay(address) : NULL;
    *link = (netdp_i_link){.neighbour = neighbour,
                           .dials = address != NULL,
                           .address = relay != NULL ? relay : address,
                           .relayed = relay != NULL};
    if (link->relayed)
        name_link(p, neighbour, link->token);
}

static bool link_begins(void *context, int32_t link)
{
    return netdp_i_participant_allows(context, link, NETDP_I_LIMIT_CONNECTIONS, 1);
}

netdp_status netdp_i_links_connect(netdp_i_participant *p)
{
    OWNED netdp_i_public *key = NETDP_I_NEW(netdp_i_public, p->package->members);
    if (key == NULL)
        return netdp_i_no_memory(p->error);
    for (int32_t v = 0; v < p->package->members; v++)
        memcpy(key[v], p->package->member[v].key, 32);
    const netdp_i_transport_plan plan = {
        .loop = &p->loop,
        .seed = netdp_i_signer_secret(p->signer),
        .nodes = p->package->members,
        .self = p->task.self,
        .key = key,
        .listen = p->settings.listen,
        .links = p->sides,
        .link = p->link,
        .width = (uint32_t)p->task.width,
        .patience = HANDSHAKE,
        .hooks = {p, link_up, hear_frame, link_down, link_refused, link_begins},
    };
    return netdp_i_transport_new(&plan, &p->transport, p->error);
}
