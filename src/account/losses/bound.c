/* The table of bounds: of which protocols each is, whether it holds, and where it comes from. */
#include <netdp/walk.h>

#include <string.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "base/try.h"
#include "protocol/word.h"

static const netdp_bound_info bounds[] = {
    {NETDP_BOUND_EXACT, "exact", "Kalman filter; sums: increments", true, .averaging = true,
     .tally = true, .summary = "the least upper bound: what the observer's whole view tells"},
    {NETDP_BOUND_UPPER, "upper", "least of the sound ones", true, .averaging = true, .stream = true,
     .learn = true,
     .summary = "streams: abs-sum, spectral, dual, contributions; learning: phase-release"},
    {NETDP_BOUND_ABS_SUM, "abs-sum", "triangle inequality", true, .stream = true,
     .summary = "sum of the absolute entries of M"},
    {NETDP_BOUND_SPECTRAL, "spectral", "norm of M", true, .stream = true,
     .summary =
         "contributions times M's largest eigenvalue, the last sum apart where that is less"},
    {NETDP_BOUND_DUAL, "dual", "vector relaxation of MAX-CUT", true, .stream = true,
     .summary = "sum y with diag(y) - M positive semidefinite"},
    {NETDP_BOUND_LOWER, "lower", "best sign pattern found", false, .stream = true,
     .summary = "a lower bound: the truth is at least this; no guarantee"},
    {NETDP_BOUND_PHASE_RELEASE, "phase-release", "docs/proofs/shift.md", true, .learn = true,
     .summary = "every dithered state seen at the end of each phase; phases compose"},
    {NETDP_BOUND_LINEAR, "linear", "paper D, and later work", false, .learn = true,
     .summary = "assumes contributions do not react to the state; not certified (errata 13)"},
    {NETDP_BOUND_EVERYTHING, "everything", "local differential privacy", true, .averaging = true,
     .stream = true, .learn = true,
     .summary = "as if the observer saw every message of every node"},
    {NETDP_BOUND_PUBLISHED, "published", "paper C, Theorems 1, 6", false, .averaging = true,
     .learn = true, .summary = "uncapped; phases add up; can be far too small (errata 1, 15)"},
    {NETDP_BOUND_PUBLISHED_CODE, "published-code", "paper C, its figures", false, .averaging = true,
     .summary = "the same sum from t = 1, at most 1, as the authors' code has it (errata 1)"},
    {NETDP_BOUND_STREAM_PUBLISHED, "published", "paper D, (3.2), Section 3.4", false,
     .stream = true,
     .summary = "spectral of a view without the last sum, or a pattern's value there (errata 29)"},
    {NETDP_BOUND_EXCURSION, "excursion", "docs/proofs/excursion.md", true, .walk = true,
     .summary = "the whole walk; contributions between two visits are seen together"},
    {NETDP_BOUND_EXCURSION_MIXTURE, "excursion-mixture", "docs/proofs/excursion.md", true,
     .walk = true,
     .summary = "the same at a delta, cap inside: the mean over paths of Gaussian guarantees"},
    {NETDP_BOUND_EXCURSION_CONTRACTING, "excursion-contracting", "docs/proofs/excursion.md", true,
     .walk = true,
     .summary = "both, where every step contracts (strong convexity): what is old counts less"},
    {NETDP_BOUND_EXCURSION_LINEAR, "excursion-linear", "docs/proofs/excursion.md", false,
     .sound_of_sums = true, .walk = true, .tally = true,
     .summary = "sound for sums only (running means with 1/t steps too); all else: excursion"},
    {NETDP_BOUND_SHUFFLED, "shuffled", "amplification by shuffling", true, .tally = true,
     .summary = "histograms on the ring: increments between two visits, shuffled (--shuffle)"},
    {NETDP_BOUND_LOCAL, "local", "local differential privacy", true, .walk = true, .tally = true,
     .summary = "as if every contribution were seen at once: the cap, or every step"},
    {NETDP_BOUND_FIRST_PASSAGE, "first-passage", "amplification by iteration", false,
     .sound_once = true, .walk = true,
     .summary = "one contribution, times the cap or T/n; sound with --cap 1 only (errata 11)"},
    {NETDP_BOUND_LEAST, "least", "least of the sound ones", true, .walk = true, .tally = true,
     .summary = "of each pair the least of excursions, local and, with --cap 1, first-passage"},
    {NETDP_BOUND_GIVEN_PATH, "given-path", "docs/proofs/excursion.md", true, .walk = true,
     .summary = "of a path that is public: contributions between two visits, hidden at best"},
    {NETDP_BOUND_WALK_PUBLISHED, "published", "paper A, Lemma 2", false, .walk = true,
     .summary = "one contribution's sum, times the cap or T/n; can be too small (errata 11)"},
    {NETDP_BOUND_PUBLISHED_LOG, "published-log", "paper A, Theorem 3", false, .walk = true,
     .summary = "its closed form with ln T for the harmonic number (errata 3, 11)"},
    {NETDP_BOUND_WALK_CODE, "published-code", "paper A, its figures", false, .walk = true,
     .summary = "published-log outside of sigma^2 >= 2 alpha (alpha - 1) too, as the code has it"},
    {NETDP_BOUND_PUBLISHED_KNOWN, "published-known", "paper A, Appendix B.1", false, .walk = true,
     .summary = "known senders: the largest over the observer's neighbours (errata 11, 12)"},
    {0},
};

const netdp_bound_info *netdp_bounds(void)
{
    return bounds;
}

const netdp_bound_info *netdp_i_bound_row(netdp_bound bound)
{
    const netdp_bound_info *info = bounds;
    while (info->name != NULL && info->bound != bound)
        info++;
    return info->name != NULL ? info : NULL;
}

netdp_status netdp_bound_parse(const char *name, netdp_bound *bound, netdp_error *error)
{
    NETDP_I_GIVEN(error, name && bound);
    if (strcmp(name, "auto") == 0) {
        *bound = NETDP_BOUND_AUTO;
        return NETDP_OK;
    }
    for (const netdp_bound_info *known = bounds; known->name != NULL; known++) {
        if (strcmp(known->name, name) == 0) {
            *bound = known->bound;
            return NETDP_OK;
        }
    }
    return netdp_i_fail(
        error, NETDP_INVALID,
        "bound: '%.40s' is not known; netdp loss --bound list shows those that apply", name);
}

/* One release and then only mixing; contributions that do not react; contributions that do. */
static bool applies(const netdp_bound_info *info, const netdp_linear *protocol)
{
    if (protocol->every == 0)
        return info->averaging;
    if (!protocol->reacts)
        return info->stream;
    /* gossip-sgd has no phase at whose end a dithered state replaces the state. */
    const bool phases = !protocol->steady;
    return info->learn &&
           (phases || (info->bound != NETDP_BOUND_PHASE_RELEASE &&
                       info->bound != NETDP_BOUND_PUBLISHED && info->bound != NETDP_BOUND_UPPER));
}

static netdp_bound usual(const netdp_linear *protocol)
{
    if (protocol->every == 0)
        return NETDP_BOUND_EXACT;
    if (!protocol->reacts)
        return NETDP_BOUND_UPPER;
    return protocol->steady || !netdp_mixing_is_symmetric(protocol->mixing)
               ? NETDP_BOUND_EVERYTHING
               : NETDP_BOUND_PHASE_RELEASE;
}

netdp_status netdp_bound_choose(const netdp_linear *protocol, netdp_bound bound,
                                const netdp_bound_info **chosen, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && (protocol->every == 0 || protocol->mixing) && chosen);
    netdp_bound wanted = bound == NETDP_BOUND_AUTO ? usual(protocol) : bound;
    if (bound == NETDP_BOUND_PUBLISHED && protocol->every > 0 && !protocol->reacts)
        wanted = NETDP_BOUND_STREAM_PUBLISHED; /* its name means another formula here */
    TRY(netdp_i_check_choice("bound", (int64_t)wanted, NETDP_BOUND_STREAM_PUBLISHED, error));
    const netdp_bound_info *info = netdp_i_bound_row(wanted);
    if (!applies(info, protocol))
        return netdp_i_fail(error, NETDP_INVALID, "bound: %s does not apply to %s; %s", info->name,
                            protocol->every == 0 ? "averaging"
                            : !protocol->reacts  ? "streams"
                            : protocol->steady   ? "gossip-sgd, which reacts to hidden states"
                                                 : "learning, which reacts to hidden states",
                            protocol->every == 0 ? "use exact"
                            : !protocol->reacts  ? "use lower or upper"
                            : protocol->steady
                                ? "use everything, or muffliato-sgd with inner rounds"
                                : "use phase-release");
    *chosen = info;
    return NETDP_OK;
}

netdp_status netdp_certify_parse(const char *text, netdp_certify *certify, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && certify);
    static const netdp_i_word words[] = {{"auto", NETDP_CERTIFY_AUTO},
                                         {"yes", NETDP_CERTIFY_YES},
                                         {"no", NETDP_CERTIFY_NO},
                                         {NULL, 0}};
    int value = 0;
    TRY(netdp_i_word_parse(words, "certify", text, &value, error));
    *certify = (netdp_certify)value;
    return NETDP_OK;
}
