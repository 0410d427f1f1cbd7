#include "graph/prepare.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* From `at` on is still to be read: there is always room for it as it stands, and a NUL. */
struct rewriting {
    const char *at, *end;
    char *made, *out; /* from the first byte written, and where the next one goes */
    int64_t room;
    bool full; /* no memory for what should have been written */
};

static netdp_status begin(struct rewriting *r, const char *text, int64_t bytes, netdp_error *error)
{
    const int64_t room = bytes < INT64_MAX / 4 ? bytes + bytes / 2 + 16 : 0;
    char *made = room > 0 ? NETDP_I_NEW(char, room) : NULL;
    if (made == NULL)
        return netdp_i_no_memory(error);
    *r = (struct rewriting){
        .at = text, .end = text + bytes, .made = made, .out = made, .room = room};
    return NETDP_OK;
}

static netdp_status finish(struct rewriting *r, char **made, int64_t *made_bytes,
                           netdp_error *error)
{
    if (r->full)
        return netdp_i_no_memory(error);
    *r->out = '\0';
    *made_bytes = r->out - r->made;
    *made = GIVE(r->made);
    return NETDP_OK;
}

static void clear(struct rewriting *r)
{
    netdp_i_free(r->made);
}

static void copy_to(struct rewriting *r, const char *end)
{
    size_t length = (size_t)(end - r->at);
    memcpy(r->out, r->at, length);
    r->out += length;
    r->at = end;
}

/* `text` in place of what stands before `end`. */
static void replace_to(struct rewriting *r, const char *end, const char *text)
{
    size_t length = strlen(text);
    r->at = end;
    const int64_t used = r->out - r->made, needed = used + (int64_t)length + (r->end - end) + 1;
    if (needed > r->room) {
        const int64_t room = needed + needed / 2;
        char *grown = netdp_i_grow(r->made, room, 1);
        r->full = r->full || grown == NULL;
        if (grown == NULL)
            return;
        r->made = grown;
        r->out = grown + used;
        r->room = room;
    }
    memcpy(r->out, text, length);
    r->out += length;
}

static bool starts(const char *at, const char *end, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(end - at) >= length && strncmp(at, with, length) == 0;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* The end of a NaN as strtod knows it, or `at` where there is none. */
static const char *skip_nan(const char *at, const char *end)
{
    const char *p = at;
    if (p < end && (*p == '+' || *p == '-'))
        p++;
    if (end - p < 3 || strncasecmp(p, "nan", 3) != 0)
        return at;
    p += 3;
    if (p == end || *p != '(')
        return p;
    const char *close = memchr(p, ')', (size_t)(end - p));
    return close == NULL ? p : close + 1;
}

/* ---- GML ---- */

/* UTF-8 of a code point that may stand in a name, at most 4 bytes and a NUL; false: none. */
static bool encode(unsigned long code, char *utf8)
{
    size_t used = 0;
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return false;
    if (code < 0x80) {
        utf8[used++] = (char)code;
    } else {
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned lead[4] = {0, 0xC0, 0xE0, 0xF0};
        utf8[used++] = (char)(lead[more] | code >> (6 * more));
        while (more-- > 0)
            utf8[used++] = (char)(0x80 | (code >> (6 * more) & 0x3F));
    }
    utf8[used] = '\0';
    return true;
}

/* At "&#233;" or "&#xE9;": the character. What is not one stays as it is. */
static void rewrite_reference(struct rewriting *r)
{
    bool hexadecimal = starts(r->at, r->end, "&#x");
    const char *digits = r->at + (hexadecimal ? 3 : 2);
    const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    size_t length = strspn(digits, allowed);
    char utf8[5];
    if (length == 0 || length > 8 || digits[length] != ';' ||
        !encode(strtoul(digits, NULL, hexadecimal ? 16 : 10), utf8)) {
        copy_to(r, r->at + 2);
        return;
    }
    /* These two would end the string or begin another reference; igraph knows their names. */
    if (utf8[0] == '"')
        replace_to(r, digits + length + 1, "&quot;");
    else if (utf8[0] == '&')
        replace_to(r, digits + length + 1, "&amp;");
    else
        replace_to(r, digits + length + 1, utf8);
}

static void rewrite_string(struct rewriting *r)
{
    copy_to(r, r->at + 1);
    while (r->at < r->end && *r->at != '"') {
        if (starts(r->at, r->end, "&#"))
            rewrite_reference(r);
        else
            copy_to(r, r->at + 1);
    }
    if (r->at < r->end)
        copy_to(r, r->at + 1);
}

/* The key is given back. */
static netdp_i_token rewrite_key(struct rewriting *r)
{
    const char *begin = r->at;
    while (r->at < r->end && (is_letter(*r->at) || (*r->at >= '0' && *r->at <= '9')))
        copy_to(r, r->at + 1);
    const netdp_i_token key = {begin, r->at - begin};
    if (key.length != 6 || strncmp(begin, "weight", 6) != 0)
        return key;
    while (r->at < r->end && is_blank(*r->at))
        copy_to(r, r->at + 1);
    const char *after = skip_nan(r->at, r->end);
    if (after > r->at)
        replace_to(r, after, "-1");
    return key;
}

netdp_status netdp_i_prepare_gml(const char *text, int64_t bytes, netdp_i_collection *collection,
                                 char **made, int64_t *made_bytes, netdp_error *error)
{
    CLEARED(clear) struct rewriting r = {0};
    netdp_i_token key = {text, 0};
    int depth = 0, edge = -1; /* within how many brackets; -1: no edge's */
    TRY(begin(&r, text, bytes, error));
    while (!r.full && r.at < r.end) {
        if (*r.at == '"') {
            rewrite_string(&r);
        } else if (*r.at == '#') {
            const char *newline = memchr(r.at, '\n', (size_t)(r.end - r.at));
            r.at = newline != NULL ? newline : r.end;
        } else if (is_letter(*r.at)) {
            key = rewrite_key(&r);
            if (depth == edge)
                netdp_i_collect_attribute(collection, key);
        } else {
            depth += (*r.at == '[') - (*r.at == ']');
            if (*r.at == '[' && key.length == 4 && strncmp(key.text, "edge", 4) == 0)
                edge = depth;
            else if (depth < edge)
                edge = -1;
            copy_to(&r, r.at + 1);
        }
    }
    return finish(&r, made, made_bytes, error);
}

/* ---- GraphML ---- */

/* Past the tag that begins at `at`, quoted values and all. */
static const char *end_of_tag(const char *at, const char *end)
{
    char quote = '\0';
    for (const char *p = at; p < end; p++) {
        if (quote != '\0')
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '>')
            return p + 1;
    }
    return end;
}

/* Past the next `what`; the text has no NUL but the one at its end. */
static const char *after_text(const char *at, const char *end, const char *what)
{
    const char *found = strstr(at, what);
    return found != NULL ? found + strlen(what) : end;
}

/* The quoted value of an attribute of the tag, quotes included; NULL: none. */
static const char *find_value(const char *tag, const char *end, const char *name)
{
    size_t length = strlen(name);
    char quote = '\0';
    for (const char *p = tag; p < end; p++) {
        if (quote != '\0') {
            quote = *p == quote ? '\0' : quote;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else if (is_blank(*p) && starts(p + 1, end, name)) {
            const char *q = p + 1 + length;
            while (q < end && is_blank(*q))
                q++;
            if (q == end || *q++ != '=')
                continue;
            while (q < end && is_blank(*q))
                q++;
            if (q < end && (*q == '"' || *q == '\''))
                return q;
        }
    }
    return NULL;
}

static bool value_is(const char *value, const char *end, const char *word)
{
    size_t length = strlen(word);
    return value != NULL && starts(value + 1, end, word) && value + 1 + length < end &&
           value[1 + length] == *value;
}

/* Where in a GraphML file the rewriting is. */
struct place {
    const char *begin;
    netdp_i_collection *collection;
    bool in_edge;
    int weights, graphs;
    netdp_i_token weight_id[NETDP_I_MOST_WEIGHTS];
};

/* The quoted value without its quotes, of length 0 where there is none. */
static netdp_i_token inside(const char *value, const char *end)
{
    const char *close = value == NULL ? NULL : memchr(value + 1, *value, (size_t)(end - value - 1));
    return close == NULL ? (netdp_i_token){end, 0} : (netdp_i_token){value + 1, close - value - 1};
}

/* The tag is a <key ...>; the `weights`-th that is a weight gets the number into its name. */
static void rewrite_key_tag(struct rewriting *r, const char *after, struct place *place)
{
    const char *target = find_value(r->at, after, "for");
    const char *name = find_value(r->at, after, "attr.name");
    const netdp_i_token id = inside(find_value(r->at, after, "id"), after);
    bool weight = value_is(name, after, "weight"), all = value_is(target, after, "all");
    if (target == NULL) { /* the same as "all" */
        copy_to(r, r->at + strcspn(r->at, " \t\r\n/>"));
        replace_to(r, r->at, weight ? " for=\"edge\"" : " for=\"node\"");
    }
    if (all && target < name) {
        copy_to(r, target + 1);
        replace_to(r, target + 4, weight ? "edge" : "node");
    }
    const bool mine = weight && (target == NULL || all || value_is(target, after, "edge"));
    const int count = place->weights += mine;
    if (mine && count <= NETDP_I_MOST_WEIGHTS)
        place->weight_id[count - 1] = id;
    if (mine && count > 1 && count <= NETDP_I_MOST_WEIGHTS) {
        char number[] = " 0";
        number[1] = (char)('0' + count);
        copy_to(r, name + 7);
        replace_to(r, r->at, number);
    }
    if (all && target > name) {
        copy_to(r, target + 1);
        replace_to(r, target + 4, weight ? "edge" : "node");
    }
    copy_to(r, after);
}

/* Inside <edge>, at <data ...>: which of a weight are none to be noted. */
static void note_data(const char *tag, const char *after, struct place *place)
{
    const netdp_i_token key = inside(find_value(tag, after, "key"), after);
    for (int k = 0; k < place->weights && k < NETDP_I_MOST_WEIGHTS; k++)
        if (key.length == place->weight_id[k].length &&
            memcmp(key.text, place->weight_id[k].text, (size_t)key.length) == 0)
            return;
    netdp_i_collect_left_out(place->collection, key); /* its id, whatever that is called */
}

/* Inside <edge>, behind <data ...>. */
static void rewrite_data(struct rewriting *r)
{
    while (r->at < r->end && is_blank(*r->at))
        copy_to(r, r->at + 1);
    const char *after = skip_nan(r->at, r->end), *p = after;
    while (p < r->end && is_blank(*p))
        p++;
    if (after > r->at && p < r->end && *p == '<')
        replace_to(r, after, "-1");
}

static netdp_status fail_at(const struct rewriting *r, const struct place *place, const char *what,
                            netdp_error *error)
{
    int64_t line = 1;
    for (const char *p = place->begin; p < r->at; p++)
        line += *p == '\n';
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": %s", place->collection->path, line,
                        what);
}

/* What igraph leaves out without a word. */
static netdp_status check_element(const struct rewriting *r, struct place *place, const char *name,
                                  size_t length, netdp_error *error)
{
    if (length == 9 && strncmp(name, "hyperedge", 9) == 0)
        return fail_at(r, place,
                       "a hyperedge, which joins any number of nodes; write an edge for each pair",
                       error);
    if (length == 5 && strncmp(name, "graph", 5) == 0 && ++place->graphs > 1)
        return fail_at(r, place,
                       "another graph, beside the first or inside a node (a group); give one graph "
                       "without groups",
                       error);
    return NETDP_OK;
}

/* At '<'. */
static netdp_status rewrite_tag(struct rewriting *r, struct place *place, netdp_error *error)
{
    const char *at = r->at, *end = r->end;
    if (starts(at, end, "<!ENTITY"))
        return fail_at(r, place, "an entity declaration; write the file without it", error);
    const char *past = NULL;
    if (starts(at, end, "<!--"))
        past = after_text(at + 4, end, "-->");
    else if (starts(at, end, "<![CDATA["))
        past = after_text(at, end, "]]>");
    else if (starts(at, end, "<?"))
        past = after_text(at, end, "?>");
    else if (starts(at, end, "<!"))
        past = at + 2; /* on into a <!DOCTYPE: it may declare entities */
    if (past != NULL) {
        copy_to(r, past);
        return NETDP_OK;
    }
    const char *after = end_of_tag(at, end), *name = at + 1;
    bool closing = name < after && *name == '/';
    name += closing;
    const char *stop = name;
    while (stop < after && !is_blank(*stop) && *stop != '/' && *stop != '>') {
        if (*stop++ == ':')
            name = stop; /* behind a namespace */
    }
    size_t length = (size_t)(stop - name);
    TRY(closing ? NETDP_OK : check_element(r, place, name, length, error));
    if (length == 4 && strncmp(name, "edge", 4) == 0)
        place->in_edge = !closing && !(after - at > 2 && after[-2] == '/');
    if (!closing && length == 3 && strncmp(name, "key", 3) == 0) {
        rewrite_key_tag(r, after, place);
        return NETDP_OK;
    }
    const bool data = place->in_edge && !closing && length == 4 && strncmp(name, "data", 4) == 0;
    if (data)
        note_data(at, after, place);
    copy_to(r, after);
    if (data)
        rewrite_data(r);
    return NETDP_OK;
}

netdp_status netdp_i_prepare_graphml(const char *text, int64_t bytes,
                                     netdp_i_collection *collection, char **made,
                                     int64_t *made_bytes, netdp_error *error)
{
    CLEARED(clear) struct rewriting r = {0};
    struct place place = {.begin = text, .collection = collection};
    TRY(begin(&r, text, bytes, error));
    while (!r.full && r.at < r.end) {
        const char *tag = memchr(r.at, '<', (size_t)(r.end - r.at));
        copy_to(&r, tag != NULL ? tag : r.end);
        if (tag != NULL)
            TRY(rewrite_tag(&r, &place, error));
    }
    if (place.weights > NETDP_I_MOST_WEIGHTS)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: %d keys for weights; give the edges one key 'weight'",
                            collection->path, place.weights);
    return finish(&r, made, made_bytes, error);
}
