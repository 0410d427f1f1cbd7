#include "graph/head.h"

#include <netdp/graph.h>

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { LONGEST = 32 };

/* Pairs of words for the two ends, once case, blanks and marks are gone and the endings below are cut off. */
static const struct {
    const char *source, *target;
} ends[] = {
    {"source", "target"},     {"source", "destination"},
    {"source", "dest"},       {"source", "sink"},
    {"src", "dst"},           {"src", "dest"},
    {"src", "tgt"},           {"src", "target"},
    {"from", "to"},           {"origin", "destination"},
    {"orig", "dest"},         {"sender", "receiver"},
    {"sender", "recipient"},  {"ego", "alter"},
    {"start", "end"},         {"tail", "head"},
    {"head", "tail"},         {"parent", "child"},
    {"follower", "followee"}, {"follower", "followed"},
    {"caller", "callee"},     {"citing", "cited"},
    {"truster", "trustee"},   {"rater", "ratee"},
    {"row", "column"},        {"row", "col"},
    {"node1", "node2"},       {"nodea", "nodeb"},
    {"nodei", "nodej"},       {"node", "neighbor"},
    {"node", "neighbour"},    {"id1", "id2"},
    {"ida", "idb"},           {"vertex1", "vertex2"},
};
/* Cut off from both words: "FromNodeId", "source_id", "Source Node". */
static const char *const endings[] = {"nodeid", "vertexid", "userid", "node", "vertex", "name",
                                      "label",  "index",    "idx",    "ids",  "id"};
static const char *const weights[] = {"weight", "weights", "w", "edgeweight"};

/* Letters and digits alone, small; false: it is too long for a known word, or has none. */
static bool fold(netdp_i_token token, char word[LONGEST])
{
    int length = 0;
    for (int64_t i = 0; i < token.length; i++) {
        const unsigned char byte = (unsigned char)token.text[i];
        if (byte < 0x80 && strchr(" _-.:/()[]", byte) != NULL)
            continue;
        if (length == LONGEST - 1)
            return false;
        word[length++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 'a' - 'A' : byte);
    }
    word[length] = '\0';
    return length > 0;
}

/* Does the word say this end, as it is or without an ending? */
static bool says(const char *word, const char *end)
{
    const size_t length = strlen(end);
    if (strncmp(word, end, length) != 0)
        return false;
    if (word[length] == '\0')
        return true;
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (strcmp(word + length, endings[k]) == 0)
            return true;
    return false;
}

/* The one place of the words that says it; -1: none, -2: several. */
static int find(char (*word)[LONGEST], int count, const char *end)
{
    int found = -1;
    for (int i = 0; i < count; i++)
        if (says(word[i], end))
            found = found == -1 ? i : -2;
    return found;
}

/* "user1" and "user2", "u" and "v": the same but for a last letter of a known pair. */
static bool is_pair(const char *a, const char *b)
{
    static const char last[][2] = {{'1', '2'}, {'0', '1'}, {'a', 'b'},
                                   {'i', 'j'}, {'u', 'v'}, {'x', 'y'}};
    const size_t length = strlen(a);
    if (length == 0 || strlen(b) != length || strncmp(a, b, length - 1) != 0)
        return false;
    for (size_t k = 0; k < sizeof last / sizeof *last; k++)
        if (a[length - 1] == last[k][0] && b[length - 1] == last[k][1])
            return length > 1 || k > 1;
    return false;
}

bool netdp_i_numeral(netdp_i_token token, double *value)
{
    char text[64], *end;
    if (token.length == 0 || token.length >= (int64_t)sizeof text)
        return false;
    for (int64_t i = 0; i < token.length; i++)
        if (memchr("0123456789.+-eE", token.text[i], 15) == NULL)
            return false;
    memcpy(text, token.text, (size_t)token.length);
    text[token.length] = '\0';
    *value = strtod(text, &end);
    return *end == '\0' && end > text;
}

netdp_i_head netdp_i_head_read(const netdp_i_token *token, int count, int column[3])
{
    char word[64][LONGEST];
    column[0] = column[1] = column[2] = -1;
    if (count < 2 || count > 64)
        return NETDP_I_NO_HEAD;
    for (int i = 0; i < count; i++) {
        double value;
        if (netdp_i_numeral(token[i], &value))
            return NETDP_I_NO_HEAD;
        if (!fold(token[i], word[i]))
            word[i][0] = '\0';
    }
    netdp_i_head head = NETDP_I_MAYBE_HEAD;
    for (size_t k = 0; k < sizeof ends / sizeof *ends && head == NETDP_I_MAYBE_HEAD; k++) {
        column[0] = find(word, count, ends[k].source);
        column[1] = find(word, count, ends[k].target);
        if (column[0] >= 0 && column[1] >= 0 && column[0] != column[1])
            head = NETDP_I_HEAD;
    }
    for (int k = 0; k < count * count && head == NETDP_I_MAYBE_HEAD; k++) {
        const int i = k / count, j = k % count;
        if (!is_pair(word[i], word[j]))
            continue;
        column[0] = i;
        column[1] = j;
        head = NETDP_I_WEAK_HEAD;
    }
    if (head == NETDP_I_MAYBE_HEAD) {
        column[0] = column[1] = -1;
        return head;
    }
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
        for (int i = 0; i < count && column[2] < 0; i++)
            if (strcmp(word[i], weights[k]) == 0)
                column[2] = i;
    return head;
}

netdp_status netdp_graph_columns(const char *const *name, int32_t count, int32_t column[3],
                                 netdp_error *error)
{
    NETDP_I_GIVEN(error, name && column && count >= 0);
    netdp_i_token word[64];
    int found[3] = {-1, -1, -1};
    const int few = count > 64 ? 0 : (int)count;
    for (int i = 0; i < few; i++) {
        NETDP_I_GIVEN(error, name[i]);
        word[i] = (netdp_i_token){name[i], (int64_t)strlen(name[i])};
    }
    const netdp_i_head head = netdp_i_head_read(word, few, found);
    /* "a" and "b", "x" and "y" name columns of any kind. */
    const bool letters = head == NETDP_I_WEAK_HEAD && word[found[0]].length == 1 &&
                         memchr("aAxX", word[found[0]].text[0], 4) != NULL;
    const bool known = (head == NETDP_I_HEAD || head == NETDP_I_WEAK_HEAD) && !letters;
    for (int k = 0; k < 3; k++)
        column[k] = known ? found[k] : -1;
    return NETDP_OK;
}
