#include "study/flatten.h"

#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"
#include "base/memory.h"

typedef struct made {
    char *text;
    size_t used, room;
    bool failed;
} made;

static void add(made *to, const char *text, size_t length)
{
    if (to->used + length + 1 > to->room) {
        const size_t room = 2 * (to->used + length + 1);
        char *grown = netdp_i_grow(to->text, (int64_t)room, 1);
        to->failed = to->failed || grown == NULL;
        if (grown == NULL)
            return;
        to->text = grown;
        to->room = room;
    }
    memcpy(to->text + to->used, text, length);
    to->used += length;
    to->text[to->used] = '\0';
}

static const char *scalar(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

/* "a: 10, b: 12"; false where a part of it is no name and number. */
static bool spell(yaml_document_t *document, const yaml_node_t *mapping, made *to)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = scalar(yaml_document_get_node(document, pair->key));
        const char *rows = scalar(yaml_document_get_node(document, pair->value));
        if (name == NULL || rows == NULL || strchr(name, ',') != NULL)
            return false;
        if (to->used > 0)
            add(to, ", ", 2);
        add(to, name, strlen(name));
        add(to, ": ", 2);
        add(to, rows, strlen(rows));
    }
    return to->used > 0 && !to->failed;
}

/* Whether any was found, and each of them as a text in its place. */
static bool flatten(yaml_document_t *document, bool *failed)
{
    bool any = false;
    const int count = (int)(document->nodes.top - document->nodes.start);
    for (int i = 1; i <= count; i++) {
        const yaml_node_t *owner = yaml_document_get_node(document, i);
        const int64_t pairs = owner->type == YAML_MAPPING_NODE
                                  ? owner->data.mapping.pairs.top - owner->data.mapping.pairs.start
                                  : 0;
        for (int64_t k = 0; k < pairs; k++) {
            owner = yaml_document_get_node(document, i); /* a new node may have moved them */
            const yaml_node_pair_t pair = owner->data.mapping.pairs.start[k];
            const char *key = scalar(yaml_document_get_node(document, pair.key));
            const yaml_node_t *value = yaml_document_get_node(document, pair.value);
            made text = {0};
            if (key != NULL && strcmp(key, "rows") == 0 && value->type == YAML_MAPPING_NODE &&
                spell(document, value, &text)) {
                const int flat =
                    yaml_document_add_scalar(document, NULL, (yaml_char_t *)text.text,
                                             (int)text.used, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
                *failed = *failed || flat == 0;
                yaml_document_get_node(document, i)->data.mapping.pairs.start[k].value =
                    flat != 0 ? flat : pair.value;
                any = true;
            }
            *failed = *failed || text.failed;
            netdp_i_free(text.text);
        }
    }
    return any;
}

static int keep(void *context, unsigned char *bytes, size_t count)
{
    made *to = context;
    add(to, (const char *)bytes, count);
    return !to->failed;
}

/* Takes the document. */
static bool write(yaml_document_t *document, made *to)
{
    yaml_emitter_t emitter;
    if (!yaml_emitter_initialize(&emitter)) {
        yaml_document_delete(document);
        return false;
    }
    yaml_emitter_set_output(&emitter, keep, to);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    const bool written = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, document) &&
                         yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    return written;
}

netdp_status netdp_i_study_flatten(const char *bytes, int64_t count, char **flat, int64_t *length,
                                   netdp_error *error)
{
    yaml_parser_t parser;
    yaml_document_t document;
    made text = {0};
    bool failed = false, any = false;
    *flat = NULL;
    if (strstr(bytes, "rows") == NULL)
        return NETDP_OK;
    if (!yaml_parser_initialize(&parser))
        return netdp_i_no_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, (size_t)count);
    if (yaml_parser_load(&parser, &document)) {
        any = yaml_document_get_root_node(&document) != NULL && flatten(&document, &failed);
        if (any && !failed)
            failed = !write(&document, &text);
        else
            yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    if (failed) {
        netdp_i_free(text.text);
        return netdp_i_no_memory(error);
    }
    *flat = text.text;
    if (text.text != NULL)
        *length = (int64_t)text.used;
    return NETDP_OK;
}
