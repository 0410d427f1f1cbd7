/*
 * The attack on walks: the observers of a token in one dimension, step 1 and Delta 1.
 *
 * The victim contributes -1/2 in world 0 and 1/2 in world 1, all others 0. The path is known. Of a
 * piece of it that ends at a visit, with k contributions of the victim and L noise terms since the
 * observers sent the token on (or since it began), the token less what was sent is N(+-k/2,
 * L sigma^2): its log-likelihood ratio is k y / (L sigma^2), and those of pieces add. Where
 * maps contract the token, k is a sum of weights and L one of their squares. Nothing here
 * is taken from the accountants.
 */
#include <netdp/audit.h>

#include <math.h>
#include <string.h>

#include "audit/parties.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "simulate/walk.h"

enum {
    SHARE = 32, /* runs of each world between two looks at the progress */
    FAULTS = NETDP_FAULT_HALF_NOISE | NETDP_FAULT_NO_CLIP | NETDP_FAULT_CLIP_AFTER |
             NETDP_FAULT_REUSED_NOISE,
};

/* A row that is not clipped is as large as it takes: so many times the noise. */
#define EXTREME 8.0

/* Less than this part of a step is no less: its square is a number yet. */
#define LEAST 1e-140

/* One token, since the observers sent it on. */
typedef struct trail {
    double sent;          /* what is left of what it was then */
    double shift, noises; /* weights of the victim's contributions, and of noise terms that the
                             observers do not know: sums, */
    double spread;        /* and the latter's squares */
    double before;        /* of the step at hand: on arrival, */
    double given;         /* and the victim's contribution */
    double noise;         /* of step 0 */
    double score;
    /* reused noise, sums over pieces: shift and noises by the move, and by noises */
    double shift_move, noises_move, shift_noises, noises_noises;
} trail;

/* Contributions of a piece whose noise has one weight: so many of them in so many steps. */
typedef struct block {
    double given, steps;
    int64_t when; /* the first of them */
} block;

/* One thread's. */
typedef struct player {
    const struct attack *attack;
    double contribution; /* of the victim in the world at hand */
    trail *trail;        /* [tokens] */
    double *model;       /* [tokens] */
    int32_t *path;       /* [tokens][steps + 1], NULL without resets, like `when` and `blocks` */
    double *keeps; /* [tokens][steps]: by what a step multiplies distances, 0 to 1; NULL: by 1 */
    int64_t *when; /* [steps] contributions of a piece */
    block *blocks; /* [steps] scratch */
} player;

typedef struct attack {
    const netdp_walk_attack *asked;
    const netdp_token *token;
    netdp_tracing tracing;
    netdp_walking walking;
    bool *observer; /* [nodes] */
    double *values; /* [nodes] */
    player *player; /* [threads] */
    double *scores; /* [2][runs] */
} attack;

/* ---- what the observers see ---- */

static bool sees(const attack *a, int32_t node, int64_t step)
{
    return a->observer[node] || (a->token->release && step == a->token->steps);
}

static void restart(trail *each, double sent)
{
    each->sent = sent;
    each->shift = each->noises = each->spread = 0;
}

/* What a move tells where every noise term is the same unknown one. */
static void add_sums(trail *each, double shift, double noises, double move)
{
    each->shift_move += shift * move;
    each->noises_move += noises * move;
    each->shift_noises += shift * noises;
    each->noises_noises += noises * noises;
}

static void look(const attack *a, trail *each, double model)
{
    const double sigma = a->asked->noise, move = model - each->sent;
    if ((a->asked->faults & NETDP_FAULT_REUSED_NOISE) != 0)
        add_sums(each, each->shift, each->noises, move);
    else if (each->shift > 0 && move != 0) /* no 0/0 without noise */
        each->score += move / sigma * (each->shift / (each->spread * sigma));
}

/*
 * Reused noise: moves are (noises x) + (+-1/2 shift) with one unknown x. The residual squares of
 * the two worlds, x fitted, differ by twice this; no noise is left to hide them.
 */
static double score_of(const attack *a, const trail *each)
{
    const double sigma = a->asked->noise;
    if ((a->asked->faults & NETDP_FAULT_REUSED_NOISE) == 0 || each->noises_noises == 0)
        return each->score;
    const double fitted = each->noises_move / each->noises_noises;
    const double apart = each->shift_move - each->shift_noises * fitted;
    return apart != 0 ? apart / sigma / sigma : 0;
}

/* ---- what the nodes do ---- */

static void arrive(void *context, const netdp_i_stop *stop)
{
    player *p = context;
    trail *each = &p->trail[stop->token];
    each->before = stop->model[0];
    each->given = 0;
    if (sees(p->attack, stop->node, stop->step))
        look(p->attack, each, stop->model[0]);
}

static void contribute(void *context, const netdp_i_stop *stop, double *gradient)
{
    player *p = context;
    if (stop->node == p->attack->asked->victim)
        p->trail[stop->token].given =
            p->contribution * netdp_token_scale(p->attack->token, stop->node);
    gradient[0] = stop->node == p->attack->asked->victim ? -p->contribution : 0;
}

/* The model with what is broken, and what the victim's map keeps of it. */
static double altered(const player *p, trail *each, const netdp_i_stop *stop, double keeps)
{
    const unsigned faults = p->attack->asked->faults;
    double noise = stop->model[0] - each->before - each->given;
    if (stop->step == 0)
        each->noise = noise;
    if ((faults & NETDP_FAULT_REUSED_NOISE) != 0)
        noise = each->noise;
    double move = each->given + noise;
    if ((faults & NETDP_FAULT_CLIP_AFTER) != 0)
        move = fmin(fmax(move, -0.5), 0.5);
    return keeps * each->before + move;
}

static void send(void *context, const netdp_i_stop *stop)
{
    player *p = context;
    const attack *a = p->attack;
    trail *each = &p->trail[stop->token];
    const double keeps =
        p->keeps != NULL ? p->keeps[stop->token * a->token->steps + stop->step] : 1;
    if (keeps < 1 || (a->asked->faults & (NETDP_FAULT_REUSED_NOISE | NETDP_FAULT_CLIP_AFTER)) != 0)
        stop->model[0] = altered(p, each, stop, keeps);
    if (a->observer[stop->node]) {
        add_sums(each, 0, 1, stop->model[0] - each->before); /* its own noise */
        restart(each, stop->model[0]);
        return;
    }
    each->sent *= keeps;
    each->shift = keeps * each->shift + (each->given != 0);
    each->noises = keeps * each->noises + 1;
    each->spread = keeps * keeps * each->spread + 1;
}

/*
 * Contributions at when[0] < when[1] < ... before a visit at `end`. With weights w_t of the noise
 * that do not fall in time the visit tells (sum of w over contributions)^2 / sum w^2; most by the
 * isotonic regression of the steps' contributions. Where its weight grows the victim's map keeps
 * the ratio of what was before; at the first contribution nothing. Where every step contracts by a
 * factor, both count by what it leaves of them at the end.
 */
static void contract(double factor, block *blocks, const int64_t *when, int64_t count, int64_t end,
                     double *keeps)
{
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t until = i + 1 < count ? when[i + 1] : end;
        block next = {fmax(LEAST, pow(factor, (double)(end - 1 - when[i]))), 0, when[i]};
        for (int64_t t = when[i]; t < until; t++) {
            const double left = fmax(LEAST, pow(factor, (double)(end - 1 - t)));
            next.steps += left * left;
        }
        while (made > 0 &&
               blocks[made - 1].given * next.steps >= next.given * blocks[made - 1].steps) {
            made--;
            next = (block){blocks[made].given + next.given, blocks[made].steps + next.steps,
                           blocks[made].when};
        }
        blocks[made++] = next;
    }
    for (int64_t b = 0; b < made; b++)
        keeps[blocks[b].when] = b == 0 ? 0
                                       : factor * blocks[b - 1].given / blocks[b - 1].steps /
                                             (blocks[b].given / blocks[b].steps);
}

/* By what every step contracts. */
static double factor_of(const netdp_token *token)
{
    return token->contraction > 0 ? token->contraction : 1;
}

/* By what the steps of token k contract; given its path, so that it hurts the victim most. */
static void plan_contractions(player *p, int32_t k)
{
    const netdp_token *token = p->attack->token;
    double *keeps = p->keeps + k * token->steps;
    const double factor = factor_of(token);
    int64_t count = 0, given = 0;
    for (int64_t t = 0; t < token->steps; t++)
        keeps[t] = factor;
    if (p->path == NULL)
        return;
    const int32_t *path = p->path + k * (token->steps + 1);
    for (int64_t t = 0; t <= token->steps; t++) {
        if (sees(p->attack, path[t], t)) {
            contract(factor, p->blocks, p->when, count, t, keeps);
            count = 0;
        }
        if (t < token->steps && path[t] == p->attack->asked->victim &&
            (token->cap == 0 || given < token->cap) && !netdp_route_rests(token->route, k, t)) {
            p->when[count++] = t;
            given++;
        }
    }
}

/* ---- runs ---- */

static netdp_status play(const attack *a, player *p, int world, int64_t run, netdp_error *error)
{
    const netdp_i_walk_hooks hooks = {arrive, contribute, send, p};
    const netdp_run_seed seed = {a->asked->seed, 2 * (uint64_t)run + (uint64_t)world};
    double score = 0;
    p->contribution = world == 0 ? -0.5 : 0.5;
    if ((a->asked->faults & NETDP_FAULT_CLIP_AFTER) != 0)
        p->contribution *= 1 + 2 * EXTREME * a->asked->noise;
    if ((a->asked->faults & NETDP_FAULT_NO_CLIP) != 0)
        p->contribution *= 2;
    if (p->path != NULL) {
        netdp_walking still = a->walking; /* the path does not depend on the noise */
        still.noise = 0;
        TRY(netdp_simulate_walk(a->token, &still, seed, a->tracing, p->model, p->path, error));
    }
    for (int32_t k = 0; p->keeps != NULL && k < a->token->tokens; k++)
        plan_contractions(p, k);
    memset(p->trail, 0, (size_t)a->token->tokens * sizeof *p->trail);
    TRY(netdp_i_simulate_walk(a->token, &a->walking, seed, a->tracing, &hooks, p->model, NULL,
                              error));
    for (int32_t k = 0; k < a->token->tokens; k++)
        score += score_of(a, &p->trail[k]);
    a->scores[world * a->asked->runs + run] = score;
    return NETDP_OK;
}

static netdp_status play_share(void *context, int64_t index, int thread, netdp_error *error)
{
    const attack *a = context;
    const int64_t first = index * SHARE, left = a->asked->runs - first;
    for (int64_t i = 0; i < (left < SHARE ? left : SHARE); i++)
        for (int world = 0; world < 2; world++)
            TRY(play(a, &a->player[thread], world, first + i, error));
    return NETDP_OK;
}

static netdp_status check_attack(const netdp_walk_attack *asked, netdp_error *error)
{
    TRY(netdp_token_check(asked->token, error));
    TRY(netdp_i_check_parties(netdp_transition_rows(asked->token->law).nodes, asked->victim,
                              asked->count, asked->observers, error));
    if (!(asked->noise >= 0) || isinf(asked->noise) || asked->runs < 1 || asked->runs > INT32_MAX ||
        (asked->faults & ~(unsigned)FAULTS) != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "attack: the noise must be finite and not negative, runs 1 to 2^31 - "
                            "1, and faults ones that a walk can have (it has no dither)");
    if (asked->token->start == NETDP_START_OBSERVER ||
        (asked->token->burn_in + asked->token->steps) >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "attack: give a walk that can be simulated: from a node or uniform, of "
                            "fewer than 2^32 steps and burn-in together");
    return NETDP_OK;
}

static netdp_status attack_new(attack *a, netdp_error *error)
{
    const netdp_token *token = a->token;
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    a->observer = NETDP_I_NEW(bool, nodes);
    a->values = NETDP_I_NEW(double, nodes);
    a->scores = NETDP_I_NEW(double, 2 * a->asked->runs);
    a->player = NETDP_I_NEW(player, netdp_i_threads());
    if (a->observer == NULL || a->values == NULL || a->scores == NULL || a->player == NULL)
        return netdp_i_no_memory(error);
    for (int i = 0; i < netdp_i_threads(); i++) {
        player *p = &a->player[i];
        p->attack = a;
        p->trail = NETDP_I_NEW(trail, token->tokens);
        p->model = NETDP_I_NEW(double, token->tokens);
        if (p->trail == NULL || p->model == NULL)
            return netdp_i_no_memory(error);
        if (!a->asked->resets && factor_of(token) == 1)
            continue;
        p->keeps = NETDP_I_NEW(double, token->tokens * token->steps);
        if (!a->asked->resets && p->keeps != NULL)
            continue;
        p->path = NETDP_I_NEW(int32_t, token->tokens * (token->steps + 1));
        p->when = NETDP_I_NEW(int64_t, token->steps);
        p->blocks = NETDP_I_NEW(block, token->steps);
        if (p->path == NULL || p->keeps == NULL || p->when == NULL || p->blocks == NULL)
            return netdp_i_no_memory(error);
    }
    for (int32_t i = 0; i < a->asked->count; i++)
        a->observer[a->asked->observers[i]] = true;
    const bool half = (a->asked->faults & NETDP_FAULT_HALF_NOISE) != 0;
    a->walking = (netdp_walking){.values = a->values, .width = 1, .step = 1};
    a->walking.noise = half ? a->asked->noise / 2 : a->asked->noise;
    return NETDP_OK;
}

static void attack_clear(attack *a)
{
    for (int i = 0; a->player != NULL && i < netdp_i_threads(); i++) {
        netdp_i_free(a->player[i].trail);
        netdp_i_free(a->player[i].model);
        netdp_i_free(a->player[i].path);
        netdp_i_free(a->player[i].keeps);
        netdp_i_free(a->player[i].when);
        netdp_i_free(a->player[i].blocks);
    }
    netdp_i_free(a->observer);
    netdp_i_free(a->values);
    netdp_i_free(a->scores);
    netdp_i_free(a->player);
}

netdp_status netdp_attack_walk(const netdp_walk_attack *asked, const netdp_progress *progress,
                               double *scores, netdp_error *error)
{
    NETDP_I_GIVEN(error, asked && scores);
    CLEARED(attack_clear) attack a = {.asked = asked, .token = asked->token};
    TRY(check_attack(asked, error));
    a.tracing = (netdp_tracing){.every = 1, .progress = progress};
    TRY(attack_new(&a, error));
    TRY(netdp_i_for_each((asked->runs + SHARE - 1) / SHARE, play_share, &a, progress, "attack",
                         error));
    memcpy(scores, a.scores, 2 * (size_t)asked->runs * sizeof *scores);
    return NETDP_OK;
}
