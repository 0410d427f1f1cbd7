#include "peer/draws.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "noise/normal.h"
#include "protocol/pairing.h"
#include "simulate/gossip.h"

/* ---- Test mode: the simulator's draws, added in its order ---- */

static netdp_run_seed seed_of(const netdp_i_noise_source *d)
{
    return (netdp_run_seed){d->settings->seed, d->settings->repeat};
}

/* A value with a number that is none counts as 0: that nothing left, or that this peer said why, would tell of
 * the data beside the mechanism. */
static void finite_or_nothing(const netdp_i_task *task)
{
    bool finite = true;
    for (int32_t j = 0; j < task->width; j++)
        finite = finite && isfinite(task->value[j]);
    for (int32_t j = 0; j < task->width && !finite; j++)
        task->value[j] = 0;
}

static bool contribute_seeded(void *context, int64_t round, double *message)
{
    netdp_i_noise_source *d = context;
    const netdp_i_task *task = d->task;
    if (task->learner.rows != NULL)
        netdp_i_learner_descend(&task->learner, netdp_i_phase_of(&task->protocol, round), message,
                                task->value);
    if (task->learner.rows == NULL)
        finite_or_nothing(task);
    for (int32_t j = 0; j < task->width && task->learner.rows == NULL; j++)
        message[j] += task->value[j];
    if (task->scale > 0)
        netdp_i_node_noise(message, task->self, task->width, task->scale, seed_of(d), round, 0);
    if (!netdp_pairing_is(&task->protocol.noise.pairing))
        return true;
    const double shared = task->scale * task->protocol.noise.pairing.kappa;
    const int32_t *partner = netdp_graph_neighbours(task->pairs, task->self);
    int64_t *first = NETDP_I_NEW(int64_t, netdp_graph_nodes(task->pairs));
    if (first == NULL || netdp_i_pairing_first(task->pairs, first, d->error) != NETDP_OK) {
        netdp_i_free(first);
        return false;
    }
    for (int32_t i = 0; i < netdp_graph_degree(task->pairs, task->self); i++)
        netdp_i_pair_noise(message, netdp_i_pairing_number(task->pairs, first, task->self, i),
                           task->width, task->self < partner[i] ? shared : -shared, seed_of(d),
                           round);
    netdp_i_free(first);
    return true;
}

static bool dither_seeded(void *context, int64_t round, int slot, double deviation, double *message)
{
    const netdp_i_noise_source *d = context;
    netdp_i_node_noise(message, d->task->self, d->task->width, deviation, seed_of(d), round, slot);
    return true;
}

/* ---- Real noise ---- */

/* Streams give their noise again: they are zeroed when it is drawn; the secrets of pairs, of which the streams of all
 * phases come, live as long as the key. */
struct netdp_i_drawn {
    netdp_i_secure own;
    double *noised; /* [width] */
    int32_t partners;
    netdp_i_partner_noise *partner;       /* [partners] */
    unsigned char (*secret)[NETDP_I_KEY]; /* [partners] */
};

void netdp_i_draws_forget(netdp_i_noise_source *d)
{
    if (d->drawn == NULL)
        return;
    sodium_free(d->drawn->noised);
    sodium_free(d->drawn->partner);
    sodium_free(d->drawn->secret);
    sodium_free(d->drawn);
    d->drawn = NULL;
}

static bool agree(netdp_i_noise_source *d)
{
    const int32_t *partner =
        d->drawn->partners > 0 ? netdp_graph_neighbours(d->task->pairs, d->task->self) : NULL;
    for (int32_t i = 0; i < d->drawn->partners; i++)
        if (!netdp_i_pair_secret(d->ephemeral, &d->offer[partner[i]], d->drawn->secret[i])) {
            netdp_i_fail(d->error, NETDP_INVALID,
                         "member %d sent a pair key that is none; nothing was contributed",
                         (int)partner[i]);
            return false;
        }
    return true;
}

/* The first time: memory, and the secrets of the pairs. */
static bool prepare(netdp_i_noise_source *d)
{
    const netdp_i_task *task = d->task;
    const bool pairs = netdp_pairing_is(&task->protocol.noise.pairing);
    if (d->drawn != NULL)
        return true;
    struct netdp_i_drawn *made = sodium_malloc(sizeof *made);
    if (made == NULL) {
        (void)netdp_i_no_memory(d->error);
        return false;
    }
    *made =
        (struct netdp_i_drawn){.partners = pairs ? netdp_graph_degree(task->pairs, task->self) : 0};
    const size_t room = made->partners > 0 ? (size_t)made->partners : 1;
    made->noised = sodium_allocarray((size_t)task->width, sizeof *made->noised);
    made->partner = sodium_allocarray(room, sizeof *made->partner);
    made->secret = sodium_allocarray(room, sizeof *made->secret);
    d->drawn = made;
    const bool whole = made->noised != NULL && made->partner != NULL && made->secret != NULL;
    if (!whole)
        (void)netdp_i_no_memory(d->error);
    if (whole && agree(d))
        return true;
    netdp_i_draws_forget(d);
    return false;
}

/* The noise of this attempt's phase for task->value, into drawn->noised. */
static bool draw(netdp_i_noise_source *d)
{
    const netdp_i_task *task = d->task;
    struct netdp_i_drawn *drawn = d->drawn;
    const int32_t *partner =
        drawn->partners > 0 ? netdp_graph_neighbours(task->pairs, task->self) : NULL;
    netdp_i_noising noising = {.reach = task->reach,
                               .scale = task->scale,
                               .kappa = task->protocol.noise.pairing.kappa,
                               .partners = drawn->partners,
                               .partner = drawn->partner,
                               .own = &drawn->own};
    netdp_i_own_stream(d->ephemeral, &d->attempt, task->value, task->width, &drawn->own);
    for (int32_t i = 0; i < drawn->partners; i++) {
        drawn->partner[i].adds = task->self < partner[i];
        netdp_i_pair_stream(d->ephemeral, &d->attempt, (uint32_t)task->self, (uint32_t)partner[i],
                            &d->offer[partner[i]], drawn->secret[i], &drawn->partner[i].stream);
    }
    const netdp_status status =
        netdp_i_contribution_make(&noising, task->value, task->width, drawn->noised, d->error);
    netdp_i_secure_end(&drawn->own);
    for (int32_t i = 0; i < drawn->partners; i++)
        netdp_i_secure_end(&drawn->partner[i].stream);
    return status == NETDP_OK;
}

static bool contribute_truly(void *context, int64_t round, double *message)
{
    netdp_i_noise_source *d = context;
    const netdp_i_task *task = d->task;
    d->attempt.phase = (uint32_t)netdp_i_phase_of(&task->protocol, round);
    if (task->learner.rows != NULL) { /* of the state, which everybody may know, this is private: */
        netdp_i_learner_value(&task->learner, d->attempt.phase, message, task->value);
        netdp_i_learner_shrink(&task->learner, task->width, message);
    }
    finite_or_nothing(task);
    const bool made = prepare(d) && draw(d);
    for (int32_t j = 0; made && j < task->width; j++)
        message[j] += d->drawn->noised[j];
    if (d->drawn != NULL)
        sodium_memzero(d->drawn->noised, (size_t)task->width * sizeof *d->drawn->noised);
    return made;
}

/*
 * A dither is drawn again after a restart, and must be the same: its stream comes from this member's
 * secret and the dither's place. The guarantee, of every message seen, rests on contributions alone.
 */
static bool dither_truly(void *context, int64_t round, int slot, double deviation, double *message)
{
    const netdp_i_noise_source *d = context;
    const uint64_t place[2] = {(uint64_t)round, (uint64_t)slot};
    static const char purpose[] = "netdp peer dither";
    unsigned char key[NETDP_I_SECURE_KEY];
    netdp_i_secure stream;
    crypto_generichash_state state;
    crypto_generichash_init(&state, netdp_i_signer_secret(d->signer), 32, sizeof key);
    crypto_generichash_update(&state, (const unsigned char *)purpose, sizeof purpose);
    crypto_generichash_update(&state, d->attempt.study, sizeof d->attempt.study);
    crypto_generichash_update(&state, (const unsigned char *)&d->attempt.attempt,
                              sizeof d->attempt.attempt);
    crypto_generichash_update(&state, (const unsigned char *)place, sizeof place);
    crypto_generichash_final(&state, key, sizeof key);
    netdp_i_secure_of(key, &stream);
    for (int32_t j = 0; j < d->task->width; j++) {
        double normal;
        netdp_i_secure_normals(&stream, &normal, 1);
        message[j] += deviation * normal;
    }
    netdp_i_secure_end(&stream);
    sodium_memzero(key, sizeof key);
    sodium_memzero(&state, sizeof state);
    return true;
}

netdp_i_draws netdp_i_draws_of(netdp_i_noise_source *drawing)
{
    return drawing->settings->test ? (netdp_i_draws){contribute_seeded, dither_seeded, drawing}
                                   : (netdp_i_draws){contribute_truly, dither_truly, drawing};
}
