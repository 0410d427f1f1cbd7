/* The table of a question's settings, and a text into the field of one. */
#include "question/settings.h"

#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "study/key.h"
#include "study/value.h"

#define AT(field) offsetof(netdp_i_question, field)

/* clang-format off */
const netdp_i_setting netdp_i_settings[] = {
    {"The protocol:", .reads = NETDP_I_READS_HEADING},
    {"protocol", NETDP_I_READS_TEXT, AT(protocol), 0, "NAME",
     "averaging, random-averaging, stream, gossip-sgd, async-gossip-sgd, muffliato-sgd, walk, weighted-walk, ring-sum, ring-histogram, complete-sum or complete-histogram",
     "averaging"},
    {"rounds", NETDP_I_READS_TEXT, AT(rounds), 0, "T|auto",
     "gossip rounds in all, a token's steps, or its passes of the ring; auto (averaging): ceil(gap^-1/2 ln(n max(1, V/noise^2))); random-averaging: gap^-1, of the mean of W_t",
     "required"},
    {"variance", NETDP_I_READS_KEY, AT(variance), 0, "V",
     "variance of the values in units of Delta^2, for --rounds auto",
     "protocol.variance"},
    {"dither", NETDP_I_READS_KEY, AT(settings.dither), 0, "TAU",
     "fresh noise on each later message, in units of the first noise; 0 leaves no certain guarantee",
     "privacy.dither"},
    {"dither-decay", NETDP_I_READS_KEY, AT(settings.dither_decay), 0, "P",
     "averaging: the dither of round t is TAU / t^P, P from 0 to 2",
     "privacy.dither_decay"},
    {"every", NETDP_I_READS_KEY, AT(settings.every), 0, "B",
     "stream: rounds from one contribution to the next",
     "protocol.every"},
    {"at-most", NETDP_I_READS_KEY, AT(settings.at_most), 0, "K",
     "stream: contributions that one node makes at most",
     "protocol.at_most"},
    {"inner", NETDP_I_READS_KEY, AT(settings.inner), 0, "K",
     "muffliato-sgd: gossip rounds of a phase",
     "protocol.inner"},
    {"end-dither", NETDP_I_READS_KEY, AT(settings.end_dither), 0, "TAU_E",
     "muffliato-sgd: noise on every state at the end of a phase, in units of the first noise",
     "privacy.end_dither"},
    {"accelerate", NETDP_I_READS_KEY, AT(settings.accelerate), 0, NULL,
     "Chebyshev gossip (averaging, muffliato-sgd)",
     "protocol.accelerate"},
    {"pair-graph", NETDP_I_READS_KEY, AT(pair_graph), 0, "edges|complete|ring|FILE",
     "gossip, ring-sum: who shares noise that cancels in the sum; edges: neighbours do; also regular K and k-out K; FILE -: standard input",
     "privacy.pair_graph"},
    {"pair-noise", NETDP_I_READS_KEY, AT(settings.pairing.noise), 0, "KAPPA",
     "gossip, ring-sum: that noise, of each pair and contribution, in units of the first noise",
     "privacy.pair_noise"},
    {"pair-seed", NETDP_I_READS_KEY, AT(pair_seed), 0, "N",
     "draws the pair graph, which is public",
     "privacy.pair_seed"},
    {"cycle", NETDP_I_READS_COUNT, AT(settings.cycle), NETDP_SETTING_QUIET, "B",
     "learning: cyclic participation: rows are partitioned into B batches, and a row is what is protected; it takes part in every B-th phase",
     "in all phases"},
    {"quiet", NETDP_I_READS_KEY, AT(quiet), 0, "fresh|optimal|FILE",
     "learning: noise correlated over phases so that models err least (netdp design); also banded:B and blt:M; or by the covariance in FILE, a line a phase",
     "privacy.quiet"},
    {"workload", NETDP_I_READS_TEXT, AT(workload), NETDP_SETTING_QUIET, "sums|gossip",
     "what correlated noise is designed for: the mean model, or all models as gossip mixes them",
     "sums"},
    {"dropout", NETDP_I_READS_KEY, AT(dropout), 0, "P|edges:P|late:P|revealed:P",
     "gossip: each node is away from a round with probability P, or each edge; late, of averaging: fails for good once its partners have added their halves; revealed: and they tell them; drawn with --seed before the run, and public",
     "protocol.dropout"},
    {"redraw", NETDP_I_READS_KEY, AT(redraw), 0, "never|round|phase|one-peer",
     "gossip: a graph of a random family is drawn again for every round, or for every phase of muffliato-sgd, with --seed, and public; one-peer: a hypercube, one neighbour a round",
     "protocol.redraw"},
    {"start", NETDP_I_READS_KEY, AT(start), 0, "uniform|observer|NODE",
     "walk: where the token starts; observer: at each observer in turn",
     "protocol.start"},
    {"burn-in", NETDP_I_READS_KEY, AT(settings.burn_in), 0, "B",
     "walk: moves before the first step, without contribution or noise",
     "protocol.burn_in"},
    {"path", NETDP_I_READS_KEY, AT(settings.path), 0, "hidden|public|tour|NAME",
     "walk: who knows where it goes; all but hidden are drawn before the run and public: by the law; tour: pass by pass over all nodes; also resting (a node that keeps the token rests) and non-backtracking",
     "protocol.path"},
    {"path-seed", NETDP_I_READS_KEY, AT(settings.path_seed), 0, "N",
     "draws a path that is public",
     "protocol.path_seed"},
    {"tokens", NETDP_I_READS_KEY, AT(tokens), 0, "M",
     "walk: independent tokens, each with a model of its own",
     "protocol.tokens"},
    {"cap", NETDP_I_READS_KEY, AT(settings.cap), 0, "N",
     "tokens: contributions of one node at most; above it adds noise (a walk: and takes the step of l2)",
     "protocol.cap"},
    {"contraction", NETDP_I_READS_NUMBER, AT(settings.contraction), NETDP_SETTING_TOKEN, "C",
     "walk: every step multiplies the distance of two models by C at most: max(1 - step l2, step beta - 1) of learning with l2 (a study finds it itself)",
     "none"},
    {"gamma", NETDP_I_READS_TEXT, AT(gamma), NETDP_SETTING_WEIGHTED, "THETA,LOW,HIGH",
     "weighted-walk: the Gamma mechanism released the law; adds its cost, for half of delta",
     "a public law"},
    {"mechanism", NETDP_I_READS_KEY, AT(settings.mechanism), 0, "NAME",
     "sums by a token: gaussian, laplace or discrete-gaussian noise",
     "protocol.mechanism"},
    {"schedule", NETDP_I_READS_KEY, AT(settings.schedule), 0, "every|once|spread",
     "ring-sum: noise in every hop, once every n-1 hops, or spread over the nodes",
     "protocol.schedule"},
    {"grid", NETDP_I_READS_KEY, AT(grid), 0, "N",
     "discrete-gaussian: grid steps in one sensitivity",
     "protocol.grid"},
    {"levels", NETDP_I_READS_COUNT, AT(levels), NETDP_SETTING_HISTOGRAM, "L",
     "histograms: how many values there are",
     "2"},
    {"flip", NETDP_I_READS_NUMBER, AT(settings.flip), NETDP_SETTING_HISTOGRAM, "GAMMA",
     "histograms: a contribution is a uniform value with this probability",
     "required"},
    {"shuffle", NETDP_I_READS_TEXT, AT(shuffle), NETDP_SETTING_HISTOGRAM, "NAME",
     "ring-histogram: least, erlingsson, feldman, clones, blanket or local",
     "least"},
    {"release", NETDP_I_READS_KEY, AT(settings.release), 0, "none|final",
     "tokens: everyone sees the final model, sum or histogram",
     "protocol.release"},
    {"pattern", NETDP_I_READS_TEXT, AT(pattern), NETDP_SETTING_VIEW, "ones|alternating|FILE",
     "one pattern of contributions instead of the worst, with --bound lower or linear; also cos:OMEGA; FILE -: standard input",
     "the worst"},
    {"What is protected:", .reads = NETDP_I_READS_HEADING},
    {"protects", NETDP_I_READS_KEY, AT(protects), NETDP_SETTING_VIEW, "node|row",
     "gossip: all that a node holds, or one row of it (with --cycle always); noise is in units of what that can change",
     "privacy.protects"},
    {"change", NETDP_I_READS_KEY, AT(change), NETDP_SETTING_VIEW, "replace|add-remove",
     "rows: another row in its place, or it counts or does not",
     "privacy.change"},
    {"batches", NETDP_I_READS_KEY, AT(batches), NETDP_SETTING_VIEW, "full|cyclic:B|poisson:Q",
     "learning: which rows take part in a phase: all; by turns, as --cycle B; each with probability Q, anew (--change add-remove)",
     "data.batches"},
    {"rows", NETDP_I_READS_TEXT, AT(rows), NETDP_SETTING_VIEW, "N,N,...|FILE",
     "rows that each node holds, which is public: a row of a larger node weighs less; FILE: one number a line",
     "alike"},
    {"Who learns about whom:", .reads = NETDP_I_READS_HEADING},
    {"from", NETDP_I_READS_TEXT, AT(from), 0, "all|U|U,U",
     "the nodes whose privacy is asked for",
     "all"},
    {"to", NETDP_I_READS_TEXT, AT(to), 0, "all|V|set:V,W",
     "the observers; set: nodes that collude",
     "all"},
    {"sees", NETDP_I_READS_KEY, AT(sees), 0, "neighbours|sum|everything",
     "what an observer sees: its neighbours' messages; only their (secure) sum; all messages",
     "privacy.sees"},
    {"own-noise", NETDP_I_READS_KEY, AT(own_noise), 0, "known|counts",
     "whether observers subtract the noise they drew themselves",
     "privacy.own_noise"},
    {"bound", NETDP_I_READS_TEXT, AT(bound), 0, "NAME|list",
     "which accountant; list shows them with source and soundness; auto: the least sound one",
     "auto"},
    {"certify", NETDP_I_READS_TEXT, AT(certify), NETDP_SETTING_VIEW, "auto|yes",
     "gossip: what a proof may take: minutes, or whatever it takes; else all messages count as seen",
     "auto"},
    {0},
};
/* clang-format on */
_Static_assert(sizeof netdp_i_settings / sizeof *netdp_i_settings == NETDP_I_SETTINGS + 1,
               "NETDP_I_SETTINGS: count them");

static bool is_dash(char c)
{
    return c == '-' || c == '_';
}

/* Is it the same name, be it spelled with - or _? */
static bool same_name(const char *a, const char *b)
{
    for (; *a != '\0' && (*a == *b || (is_dash(*a) && is_dash(*b))); b++)
        a++;
    return *a == *b;
}

const netdp_i_setting *netdp_i_setting_find(const char *name)
{
    for (const netdp_i_setting *row = netdp_i_settings; row->name != NULL; row++)
        if (row->reads != NETDP_I_READS_HEADING && same_name(name, row->name))
            return row;
    return NULL;
}

static const netdp_i_key *key_of(const netdp_i_setting *setting)
{
    return setting->reads == NETDP_I_READS_KEY ? &netdp_i_keys[netdp_i_key_find(setting->usual)]
                                               : NULL;
}

const char *netdp_i_setting_usual(const netdp_i_setting *setting)
{
    const netdp_i_key *key = key_of(setting);
    if (key == NULL || setting->value == NULL)
        return setting->usual;
    return key->fallback != NULL ? key->fallback : "none";
}

unsigned netdp_i_setting_takers(const netdp_i_setting *setting)
{
    const netdp_i_key *key = key_of(setting);
    return key != NULL && key->only != 0 ? key->only : setting->only;
}

bool netdp_i_setting_taken(const netdp_i_setting *setting, unsigned settings)
{
    const netdp_i_key *key = key_of(setting);
    return key != NULL && key->only != 0 ? netdp_i_key_taken(key, settings)
                                         : setting->only == 0 || (setting->only & settings) != 0;
}

static netdp_status read_key(const netdp_i_setting *setting, const char *text, void *into,
                             netdp_error *error)
{
    const netdp_i_key *key = key_of(setting);
    netdp_status status = netdp_i_value_read(key, text, into, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "--%s", setting->name);
    if (key->kind == NETDP_I_KEY_TEXT)
        *(const char **)into = text;
    return NETDP_OK;
}

netdp_status netdp_i_setting_read(const netdp_i_setting *setting, const char *text,
                                  netdp_i_question *question, netdp_error *error)
{
    void *into = (char *)question + setting->offset;
    switch (setting->reads) {
    case NETDP_I_READS_KEY:
        return read_key(setting, text, into, error);
    case NETDP_I_READS_NUMBER:
        if (netdp_i_read_finite(text, into))
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID, "--%s: '%s' is not a number such as 0.5 or 1e-6",
                            setting->name, netdp_i_show_text(text).text);
    case NETDP_I_READS_COUNT:
        if (netdp_i_read_whole(text, into))
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID, "--%s: '%s' is not a whole number", setting->name,
                            netdp_i_show_text(text).text);
    case NETDP_I_READS_TEXT:
        *(const char **)into = text;
        break;
    case NETDP_I_READS_HEADING:
        break;
    }
    return NETDP_OK;
}

bool netdp_i_question_given(const netdp_i_question *question, const char *name)
{
    for (size_t k = 0; k < question->given_count; k++)
        if (netdp_i_setting_find(question->given[k]) == netdp_i_setting_find(name))
            return true;
    return false;
}
