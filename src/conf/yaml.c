/*
 * yaml.c - YAML to nodes, by the events of libfyaml.
 *
 * Events, not documents: an alias is refused when it is met, before anything could be expanded, and
 * nesting is counted on the way, so that no input costs more than its length.
 *
 * Here: events, positions, documents. Not here: what is refused before libfyaml looks
 * (yaml_check.c), what the keys mean (field.c), writing (node_write.c).
 */
#include "conf/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml_check.h"

enum {
    NODES_MAX = 100000,
    KEY_MAX_BYTES = 256,
    ROOM_BYTES = 1 << 16,
};

struct builder {
    const char *origin;
    struct node *root;
    struct node *open[YAML_NESTING_MAX]; /* the collections around the current event; borrowed */
    int depth;
    char *key; /* of the map open[depth-1], when its value comes next */
    struct yaml_position key_at, last;
    int64_t nodes;
    int documents;
    struct node *before; /* list of the documents before this one; NULL: there may be only one */
    bool ended;
};

/* ------------------------------------------------------------------ events to nodes */

/* libfyaml counts from 0, and points behind the first quote, '&' or '*'. */
static struct yaml_position token_position(struct fy_token *token, struct yaml_position otherwise)
{
    const struct fy_mark *mark = token == NULL ? NULL : fy_token_start_mark(token);

    if (mark == NULL)
        return otherwise;
    const enum fy_token_type type = fy_token_get_type(token);
    const enum fy_scalar_style style = fy_token_scalar_style(token);
    const bool is_behind =
        type == FYTT_ALIAS || type == FYTT_ANCHOR ||
        (type == FYTT_SCALAR && (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED));
    const bool step_back = is_behind && mark->column > 0;
    return (struct yaml_position){mark->line + 1, mark->column + (step_back ? 0 : 1)};
}

static bool expects_key(const struct builder *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == NODE_MAP && b->key == NULL;
}

/* A node made here stands at its key, if it has one. */
static struct yaml_position place_of(const struct builder *b, struct yaml_position own)
{
    return b->key != NULL ? b->key_at : own;
}

static void attach(struct builder *b, struct node *n)
{
    if (b->depth == 0) {
        b->root = n;
        return;
    }
    struct node *parent = b->open[b->depth - 1];
    if (parent->kind == NODE_LIST) {
        node_add(parent, n);
        return;
    }
    node_put_new(parent, b->key, n);
    mem_free(b->key);
    b->key = NULL;
}

static enum status refuse_decoration(struct builder *b, struct fy_event *e)
{
    struct fy_token *anchor = fy_event_get_anchor_token(e), *tag = fy_event_get_tag_token(e);

    if (anchor != NULL)
        return yaml_fail_at(b->origin, token_position(anchor, b->last),
                            "anchors (&name) are not supported; write the value out");
    if (tag != NULL)
        return yaml_fail_at(b->origin, token_position(tag, b->last),
                            "tags (!name) are not supported");
    if (++b->nodes > NODES_MAX)
        return yaml_fail_at(b->origin, b->last, "more than 100000 values in one file");
    return STATUS_OK;
}

static enum status start_collection(struct builder *b, struct fy_event *e, enum node_kind kind)
{
    TRY(refuse_decoration(b, e));
    if (expects_key(b))
        return yaml_fail_at(b->origin, b->last, "a key must be a single value, not a list or map");
    if (b->depth == YAML_NESTING_MAX)
        return yaml_fail_at(b->origin, b->last, YAML_TOO_DEEP);
    const struct yaml_position at = place_of(b, b->last);
    struct node *n = node_new(kind, b->origin, at.line, at.column);
    attach(b, n);
    b->open[b->depth++] = n;
    return STATUS_OK;
}

static enum status take_key(struct builder *b, const char *text, size_t length, bool is_bare)
{
    if (is_bare && length == 0)
        return yaml_fail_at(b->origin, b->last, "a key is missing before ':'");
    if (is_bare && length == 2 && memcmp(text, "<<", 2) == 0)
        return yaml_fail_at(b->origin, b->last, "merge keys (<<) are not supported");
    if (length > KEY_MAX_BYTES)
        return yaml_fail_at(b->origin, b->last, "a key longer than 256 bytes");
    b->key = mem_text_n(text, length);
    b->key_at = b->last;
    return STATUS_OK;
}

static bool is_null_text(const char *text)
{
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

static enum status take_scalar(struct builder *b, struct fy_event *e)
{
    struct fy_token *token = e->scalar.value;
    const bool is_bare = token == NULL || fy_token_scalar_style(token) == FYSS_PLAIN;
    size_t length = 0;
    const char *text = token == NULL ? "" : fy_token_get_text(token, &length);

    TRY(refuse_decoration(b, e));
    if (text == NULL)
        return yaml_fail_at(b->origin, b->last, "this value cannot be read");
    if (memchr(text, '\0', length) != NULL)
        return yaml_fail_at(b->origin, b->last, "a NUL character does not belong in a value");
    if (!text_is_utf8(text, length))
        return yaml_fail_at(b->origin, b->last, "this value is not valid UTF-8");
    if (expects_key(b))
        return take_key(b, text, length, is_bare);

    const struct yaml_position at = place_of(b, b->last);
    struct node *n = node_new(NODE_SCALAR, b->origin, at.line, at.column);
    mem_free(n->text);
    n->text = mem_text_n(text, length);
    n->is_null = is_bare && is_null_text(n->text);
    if (n->is_null)
        n->text[0] = '\0';
    attach(b, n);
    return STATUS_OK;
}

static enum status refuse_duplicate(const struct node *map)
{
    const int64_t twice = node_find_duplicate(map);

    if (twice < 0)
        return STATUS_OK;
    const struct node *first = node_find(map, map->keys[twice]);
    return node_fail(map->children[twice], "the key %s is given twice; first in line %d",
                     map->keys[twice], first->line);
}

static enum status end_collection(struct builder *b)
{
    const struct node *n = b->open[--b->depth];

    return n->kind == NODE_MAP ? refuse_duplicate(n) : STATUS_OK;
}

static enum status start_document(struct builder *b)
{
    if (++b->documents == 1)
        return STATUS_OK;
    if (b->before == NULL)
        return yaml_fail_at(b->origin, b->last, "a second document begins; a file holds one");
    if (b->root != NULL)
        node_add(b->before, b->root);
    b->root = NULL;
    return STATUS_OK;
}

static enum status take_event(struct builder *b, struct fy_event *e)
{
    b->last = token_position(fy_event_get_token(e), b->last);
    switch (e->type) {
    case FYET_DOCUMENT_START:
        return start_document(b);
    case FYET_MAPPING_START:
        return start_collection(b, e, NODE_MAP);
    case FYET_SEQUENCE_START:
        return start_collection(b, e, NODE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return end_collection(b);
    case FYET_SCALAR:
        return take_scalar(b, e);
    case FYET_ALIAS:
        return yaml_fail_at(b->origin, b->last, "aliases (*name) are not supported; write it out");
    case FYET_STREAM_END:
        b->ended = true;
        return STATUS_OK;
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_DOCUMENT_END:
        return STATUS_OK;
    }
    return yaml_fail_at(b->origin, b->last, "syntax error");
}

/* ------------------------------------------------------------------ the parser around it */

static enum status take_events(struct builder *b, struct fy_parser *parser)
{
    enum status status = STATUS_OK;

    while (status == STATUS_OK && !b->ended) {
        struct fy_event *e = fy_parser_parse(parser);
        if (e == NULL)
            break;
        status = take_event(b, e);
        fy_parser_event_free(parser, e);
    }
    return status;
}

/* What libfyaml found wrong. */
static enum status parser_failure(const struct builder *b, struct fy_diag *diag)
{
    void *iterator = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);

    if (error == NULL)
        return yaml_fail_at(b->origin, b->last, "this is not YAML");
    const struct yaml_position at = {.line = error->line, .column = error->column};
    return yaml_fail_at(b->origin, error->line > 0 ? at : b->last, error->msg);
}

/* libfyaml prints nothing: its errors are collected, and what else it may say ends here. */
static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static struct fy_diag *make_diag(void)
{
    struct fy_diag_cfg config;

    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = swallow;
    config.colorize = false;
    struct fy_diag *diag = fy_diag_create(&config);
    if (diag != NULL)
        fy_diag_set_collect_errors(diag, true);
    return diag;
}

static enum status build(struct builder *b, const char *content, size_t length)
{
    mem_free(mem_alloc(ROOM_BYTES, 1)); /* libfyaml 0.7 forgets to check its block of an input */
    errno = 0;

    struct fy_diag *diag = make_diag();
    const struct fy_parse_cfg config = {
        .search_path = "",
        .flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2,
        .diag = diag,
    };
    struct fy_parser *parser = diag == NULL ? NULL : fy_parser_create(&config);
    enum status status = STATUS_OK;

    if (parser == NULL || fy_parser_set_string(parser, content, length) != 0)
        status = FAIL(STATUS_IO, "%s: the YAML reader cannot start", b->origin);
    else
        status = take_events(b, parser);
    if (status == STATUS_OK && (!b->ended || fy_parser_get_stream_error(parser)))
        status = parser_failure(b, diag);
    mem_check_library(); /* or lack of memory would look like a mistake in the file */
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    mem_free(b->key);
    return status;
}

static enum status parse(struct builder *b, const char *content, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* some editors begin UTF-8 with it */

    b->last = (struct yaml_position){.line = 1, .column = 1};
    if (length > YAML_BYTES_MAX)
        return FAIL(STATUS_BAD_INPUT, "%s: %zu bytes; a configuration has at most 1 MB (%d)",
                    b->origin, length, YAML_BYTES_MAX);
    if (length >= 3 && memcmp(content, mark, 3) == 0) {
        content += 3;
        length -= 3;
    }
    TRY(yaml_check_characters(content, length, b->origin));
    return build(b, content, length);
}

/* What the caller gets of the one document. */
static enum status finish(struct builder *b, enum status status, struct node **root)
{
    if (status != STATUS_OK) {
        node_free(b->root);
        *root = NULL;
        return status;
    }
    *root = b->root != NULL ? b->root : node_new(NODE_SCALAR, b->origin, 1, 1);
    return STATUS_OK;
}

enum status yaml_parse(const char *content, size_t length, const char *origin, struct node **root)
{
    struct builder b = {.origin = origin};

    return finish(&b, parse(&b, content, length), root);
}

/* ------------------------------------------------------------------ several documents */

static enum status refuse_all_but_maps(const struct node *documents)
{
    for (int64_t i = 0; i < documents->count; i++)
        if (!node_is_null(documents->children[i]) && documents->children[i]->kind != NODE_MAP)
            return node_fail(documents->children[i],
                             "every document in a file must be a map of keys");
    return STATUS_OK;
}

/* The maps of a list become one; what was in them is moved. */
static struct node *unite(const struct node *documents, const char *origin)
{
    struct node *all = NULL;

    for (int64_t i = 0; i < documents->count; i++) {
        struct node *d = documents->children[i];

        if (d->kind != NODE_MAP)
            continue;
        if (all == NULL)
            all = node_new(NODE_MAP, origin, d->line, d->column);
        for (int64_t k = 0; k < d->count; k++) {
            node_put_new(all, d->keys[k], d->children[k]);
            mem_free(d->keys[k]);
        }
        d->count = 0;
    }
    return all;
}

static enum status refuse_repeated(const struct node *all)
{
    const int64_t twice = node_find_duplicate(all);

    if (twice < 0)
        return STATUS_OK;
    return node_fail(all->children[twice],
                     "only one document of a file may have the key %s, which is already in line "
                     "%d; use one file per experiment",
                     all->keys[twice], node_find(all, all->keys[twice])->line);
}

static enum status merge(struct builder *b)
{
    if (b->before->count == 0)
        return STATUS_OK;
    if (b->root != NULL)
        node_add(b->before, b->root);
    b->root = NULL;
    TRY(refuse_all_but_maps(b->before));
    b->root = unite(b->before, b->origin);
    return b->root == NULL ? STATUS_OK : refuse_repeated(b->root);
}

enum status yaml_parse_merged(const char *content, size_t length, const char *origin,
                              struct node **root)
{
    struct builder b = {.origin = origin, .before = node_new(NODE_LIST, origin, 1, 1)};
    enum status s = parse(&b, content, length);

    if (s == STATUS_OK)
        s = merge(&b);
    node_free(b.before);
    return finish(&b, s, root);
}

enum status yaml_load(const char *path, struct node **root)
{
    struct text content = {0};

    *root = NULL;
    TRY(file_read(path, YAML_BYTES_MAX, &content));
    const enum status status = yaml_parse(text_get(&content), content.length, path, root);
    text_release(&content);
    return status;
}
