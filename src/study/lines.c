#include "study/lines.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

enum { DEEPEST = 8 };

typedef struct level {
    bool list;
    bool value_next; /* of a mapping: the key is read */
    int32_t owner;   /* the entry that holds this mapping or list */
    int32_t last;    /* the entry for the key or list entry read last */
    int32_t entries; /* of a list */
} level;

typedef struct walk {
    const char *path;
    netdp_i_lines *lines;
    int depth; /* levels in use */
    level level[DEEPEST];
    int documents;
} walk;

static netdp_status fail_line(const walk *at, int64_t line, const char *what, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID, "%.300s:%lld: %s", at->path, (long long)line, what);
}

static netdp_status add(walk *at, const char *key, int64_t line, netdp_error *error)
{
    netdp_i_lines *lines = at->lines;
    level *in = &at->level[at->depth - 1];
    if (lines->count == lines->room) {
        int32_t room = lines->room == 0 ? 64 : 2 * lines->room;
        netdp_i_line *grown = netdp_i_grow(lines->at, room, sizeof *grown);
        NEED(grown);
        lines->at = grown;
        lines->room = room;
    }
    in->last = lines->count++;
    netdp_i_line *entry = &lines->at[in->last];
    entry->parent = in->owner;
    entry->line = line;
    snprintf(entry->key, sizeof entry->key, "%s", key);
    return NETDP_OK;
}

/* A scalar, mapping or list begins: `text` is the scalar, or NULL. */
static netdp_status begin(walk *at, const char *text, int64_t line, netdp_error *error)
{
    if (at->depth == 0)
        return NETDP_OK;
    level *in = &at->level[at->depth - 1];
    if (in->list) {
        char number[16];
        snprintf(number, sizeof number, "%d", ++in->entries);
        return add(at, number, line, error);
    }
    bool is_key = !in->value_next;
    in->value_next = is_key;
    if (!is_key)
        return NETDP_OK;
    if (text == NULL)
        return fail_line(at, line, "a key must be a word, not a list or mapping", error);
    return add(at, text, line, error);
}

static netdp_status descend(walk *at, bool list, int64_t line, netdp_error *error)
{
    if (at->depth == 0 && list)
        return fail_line(at, line,
                         "a study is made of keys such as graph: and privacy:, not a list", error);
    TRY(begin(at, NULL, line, error));
    if (at->depth == DEEPEST)
        return fail_line(at, line, "nested deeper than any study; check brackets and indentation",
                         error);
    int32_t owner = at->depth == 0 ? -1 : at->level[at->depth - 1].last;
    at->level[at->depth++] = (level){.list = list, .owner = owner};
    return NETDP_OK;
}

static netdp_status scalar(walk *at, const yaml_event_t *event, int64_t line, netdp_error *error)
{
    const char *text = (const char *)event->data.scalar.value;
    if (memchr(text, '\0', event->data.scalar.length) != NULL)
        return fail_line(at, line, "a text holds a NUL; remove \\0 from it", error);
    if (at->depth == 0)
        return fail_line(at, line, "a study is made of keys such as graph: and privacy:", error);
    return begin(at, text, line, error);
}

static netdp_status step(walk *at, const yaml_event_t *event, netdp_error *error)
{
    int64_t line = (int64_t)event->start_mark.line + 1;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (at->documents++ > 0)
            return fail_line(at, line, "a second document begins; a study is one, remove the rest",
                             error);
        return NETDP_OK;
    case YAML_ALIAS_EVENT:
        return fail_line(at, line, "an alias (*name); write the value itself", error);
    case YAML_SCALAR_EVENT:
        return scalar(at, event, line, error);
    case YAML_SEQUENCE_START_EVENT:
        return descend(at, true, line, error);
    case YAML_MAPPING_START_EVENT:
        return descend(at, false, line, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        at->depth--;
        return NETDP_OK;
    default:
        return NETDP_OK;
    }
}

static netdp_status fail_parser(const walk *at, const yaml_parser_t *parser, const char *text,
                                int64_t bytes, netdp_error *error)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return netdp_i_no_memory(error);
    int64_t line = (int64_t)parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR) {
        /* The reader knows only how many bytes came before. */
        line = 1;
        for (int64_t i = 0; i < (int64_t)parser->problem_offset && i < bytes; i++)
            line += text[i] == '\n';
    }
    const char *problem = parser->problem != NULL ? parser->problem : "it cannot be read";
    return netdp_i_fail(error, NETDP_INVALID,
                        "%.300s:%lld: not YAML: %s; check quotes, brackets and indentation",
                        at->path, (long long)line, netdp_i_show_text(problem).text);
}

netdp_status netdp_i_lines_read(const char *path, const char *text, int64_t bytes,
                                netdp_i_lines *lines, netdp_error *error)
{
    walk at = {.path = path, .lines = lines};
    CLEARED(yaml_parser_delete) yaml_parser_t parser = {0};
    if (!yaml_parser_initialize(&parser))
        return netdp_i_no_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, (size_t)bytes);
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event))
            return fail_parser(&at, &parser, text, bytes, error);
        ended = event.type == YAML_STREAM_END_EVENT;
        const netdp_status status = step(&at, &event, error);
        yaml_event_delete(&event);
        TRY(status);
    }
    REFUSE(at.documents == 0,
           "%.300s: is empty; a study has graph, data, task, protocol and privacy", path);
    return NETDP_OK;
}

void netdp_i_lines_free(netdp_i_lines *lines)
{
    netdp_i_free(lines->at);
    *lines = (netdp_i_lines){0};
}

int32_t netdp_i_lines_find(const netdp_i_lines *lines, const char *name)
{
    int32_t owner = -1;
    for (;;) {
        size_t length = strcspn(name, ".");
        int32_t found = -1;
        for (int32_t i = lines->count - 1; i > owner && found < 0; i--) {
            const netdp_i_line *entry = &lines->at[i];
            if (entry->parent == owner && strncmp(entry->key, name, length) == 0 &&
                entry->key[length] == '\0')
                found = i;
        }
        if (found < 0)
            return owner;
        owner = found;
        if (name[length] == '\0')
            return owner;
        name += length + 1;
    }
}

int64_t netdp_i_lines_of(const netdp_i_lines *lines, const char *name)
{
    int32_t found = netdp_i_lines_find(lines, name);
    return found >= 0 ? lines->at[found].line : 0;
}
