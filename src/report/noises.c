#include "report/noises.h"

#include <stdbool.h>
#include <string.h>

static const char gaussian[] = "in units of the sensitivity";

/* Of one variant. Folders that older versions left have no `mechanism`. */
static const char *words_of(const json_t *summary, const json_t *variant)
{
    const char *own = json_string_value(json_object_get(variant, "protocol"));
    const char *mechanism = json_string_value(json_object_get(variant, "mechanism"));
    const char *protocol =
        own != NULL ? own : json_string_value(json_object_get(summary, "protocol"));
    const bool central =
        strcmp(json_string_value(json_object_get(variant, "name")), "central") == 0;
    if (!central && protocol != NULL && strstr(protocol, "-histogram") != NULL)
        return "the probability of a random answer";
    return mechanism != NULL && strcmp(mechanism, "laplace") == 0
               ? "the scale of Laplace noise, in units of the sensitivity"
               : gaussian;
}

void netdp_i_noises_print(FILE *out, const json_t *summary)
{
    const json_t *variants = json_object_get(summary, "variants");
    /* The second is the baseline of the study's own protocol. */
    const char *most = words_of(summary, json_array_get(variants, 1));
    size_t i;
    json_t *variant;
    fprintf(out, "noise is %s.\n", most);
    json_array_foreach ((json_t *)variants, i, variant) {
        const char *words = words_of(summary, variant);
        if (strcmp(words, most) != 0)
            fprintf(out, "%s: noise is %s%s.\n",
                    json_string_value(json_object_get(variant, "name")),
                    words == gaussian ? "sigma " : "", words);
    }
}
