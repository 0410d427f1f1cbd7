#include "study/constants.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "question/question.h"

const char *const netdp_i_constants_kinds[] = {
    [NETDP_I_CONSTANTS_NONE] = "public",
    [NETDP_I_CONSTANTS_EXACT] = "exact",
    [NETDP_I_CONSTANTS_GAMMA] = "gamma",
    [NETDP_I_CONSTANTS_LAPLACE] = "laplace",
};
enum { KINDS = sizeof netdp_i_constants_kinds / sizeof *netdp_i_constants_kinds };

netdp_status netdp_i_constants_read(const char *text, netdp_i_constants *constants,
                                    netdp_error *error)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    double number[3] = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        const bool noised = kind >= NETDP_I_CONSTANTS_GAMMA;
        if (strlen(netdp_i_constants_kinds[kind]) != length ||
            memcmp(netdp_i_constants_kinds[kind], text, length) != 0)
            continue;
        if (noised != (colon != NULL))
            break;
        REFUSE(noised && (!netdp_i_read_three(colon + 1, number) ||
                          !(number[0] > 0 && number[0] <= 1e100) ||
                          !(number[1] > 0 && number[1] <= number[2] && number[2] <= 1e100)),
               "'%s': give %s:%s,LOW,HIGH with numbers above 0 and LOW at most HIGH",
               netdp_i_show_text(text).text, netdp_i_constants_kinds[kind],
               kind == NETDP_I_CONSTANTS_GAMMA ? "THETA" : "SCALE");
        *constants =
            (netdp_i_constants){(netdp_i_constants_kind)kind, number[0], number[1], number[2]};
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "'%s' is not known here; give public, exact, gamma:THETA,LOW,HIGH or "
                        "laplace:SCALE,LOW,HIGH",
                        netdp_i_show_text(text).text);
}

netdp_status netdp_i_constants_check(const netdp_i_reading *from, netdp_error *error)
{
    const netdp_study *study = from->study;
    netdp_i_constants constants;
    netdp_error why = {0};
    REFUSE_KEY(netdp_i_constants_read(study->protocol.law, &constants, &why) != NETDP_OK,
               "protocol.law", "%s", why.text);
    if (constants.kind == NETDP_I_CONSTANTS_NONE)
        return NETDP_OK;
    REFUSE_KEY(!netdp_i_study_learns(study), "protocol.law",
               "applies to tasks that learn: of a mean every node's constant is 1; leave it out");
    REFUSE_KEY(strcmp(study->mixing.weights, "metropolis") != 0, "mixing.weights",
               "protocol.law takes its place; leave it out");
    REFUSE_KEY(constants.kind == NETDP_I_CONSTANTS_EXACT && !isinf(study->privacy.epsilon),
               "protocol.law",
               "exact: the path tells the nodes' constants and no noise "
               "covers that; give epsilon: inf, or gamma:THETA,LOW,HIGH");
    return NETDP_OK;
}
