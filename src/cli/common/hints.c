#include "cli/common/hints.h"

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "graph/families.h"

#define OF_STUDIES "run audit reproduce"

/* `commands` NULL: of every other one; the first row that fits counts. */
static const struct {
    const char *option, *commands, *hint;
} instead[] = {
    {"epsilon", "calibrate", "the target is --target EPSILON --as dp:DELTA"},
    {"epsilon", "loss",
     "loss finds the epsilon of a noise, with --as dp:DELTA; netdp calibrate finds the noise"},
    {"epsilon", OF_STUDIES, "a key of the study: --set privacy.epsilon=2"},
    {"epsilon", "convert", "the guarantee to convert is an argument: netdp convert dp:1,1e-6"},
    {"eps", "calibrate", "the target is --target EPSILON --as dp:DELTA"},
    {"eps", "loss",
     "loss finds the epsilon of a noise, with --as dp:DELTA; netdp calibrate finds the noise"},
    {"delta", "loss calibrate", "delta belongs to the privacy measure: --as dp:1e-6"},
    {"delta", OF_STUDIES, "a key of the study: --set privacy.delta=1e-6"},
    {"delta", "convert", "delta belongs to the privacy measure: --to dp:1e-6"},
    {"noise", "calibrate", "calibrate finds the noise; netdp loss says what a noise gives"},
    {"noise", OF_STUDIES,
     "a study finds the noise that meets privacy.epsilon, or is given one as privacy.noise in its "
     "place"},
    {"sigma", "loss", "the noise is --noise SIGMA, in units of the sensitivity"},
    {"alpha", "loss calibrate", "the order belongs to the privacy measure: --as rdp:2"},
    {"order", "loss calibrate", "the order belongs to the privacy measure: --as rdp:2"},
    {"renyi", "loss calibrate", "a Renyi epsilon is --as rdp:2"},
    {"steps", "loss calibrate", "steps of a walk are its rounds: --rounds T"},
    {"iterations", "loss calibrate", "how long is --rounds T"},
    {"neighbors", "loss calibrate", "the view of the neighbours is --sees neighbours, the usual"},
    {"neighbours", "loss calibrate", "the view of the neighbours is --sees neighbours, the usual"},
    {"observer", "loss calibrate", "the observer is --to V"},
    {"victim", "loss calibrate", "whose privacy is asked for is --from U"},
    {"nodes", NULL, "the number of nodes is part of the family: --family \"ring 60\""},
    {"n", NULL, "the number of nodes is part of the family: --family \"ring 60\""},
    {"topology", NULL, "the network is --family \"ring 60\" or --graph FILE"},
    {"network", NULL, "the network is --family \"ring 60\" or --graph FILE"},
    {"family", OF_STUDIES, "a key of the study: --set \"graph.family=ring 60\""},
    {"graph", OF_STUDIES, "a key of the study: --set graph.file=FILE"},
    {"jobs", NULL, "the number of threads is --threads N"},
    {"verbose", NULL, "notes and progress go to standard error as they are"},
};

static bool is_word_of(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

const char *netdp_i_hint_option(const char *command, const char *name)
{
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        if (strcmp(instead[i].option, name) == 0 &&
            (instead[i].commands == NULL || is_word_of(instead[i].commands, command)))
            return instead[i].hint;
    return NULL;
}

/* What was given for --NAME, or NULL. */
static const char *given_text(const netdp_i_arguments *arguments, const char *name)
{
    if (!netdp_i_cli_given(arguments, name))
        return NULL;
    for (const netdp_i_option *row = arguments->options; row->kind != NETDP_I_END; row++)
        if (row->kind == NETDP_I_TEXT && strcmp(row->name, name) == 0)
            return *(const char *const *)row->into;
    return NULL;
}

static bool takes(const netdp_i_usage *usage, const char *name)
{
    for (const netdp_i_option *row = usage->options; row->kind != NETDP_I_END; row++)
        if (row->name != NULL && row->kind != NETDP_I_GROUP && strcmp(row->name, name) == 0)
            return true;
    return false;
}

netdp_status netdp_i_hint_stray(const netdp_i_usage *usage, const netdp_i_arguments *arguments,
                                const char *stray, netdp_error *error)
{
    const char *family = given_text(arguments, "family");
    const char *grammar = netdp_i_family_grammar(stray);
    netdp_i_shown shown = netdp_i_show_text(stray);
    REFUSE(family != NULL && netdp_i_family_grammar(family) != NULL,
           "'%s': one argument too many; a family is one text, in quotes: --family \"%s\"",
           shown.text, netdp_i_family_grammar(family));
    REFUSE(takes(usage, "family") && grammar != NULL,
           "'%s': one argument too many; a family is given as --family \"%s\"", shown.text,
           grammar);
    REFUSE(takes(usage, "graph") && access(stray, F_OK) == 0,
           "'%s': one argument too many; a file is given as --graph %s", shown.text, shown.text);
    return netdp_i_fail(error, NETDP_INVALID,
                        "'%s': one argument too many; options begin with --, see netdp %s --help",
                        shown.text, usage->command);
}
