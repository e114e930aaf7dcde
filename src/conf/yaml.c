/*
 * yaml.c - YAML to nodes, by the events of libfyaml.
 *
 * Events, not documents: an alias is refused when it is met, before anything could be expanded, and
 * nesting is counted on the way, so that no input costs more than its length. What libfyaml would
 * accept or describe badly (NUL, controls, bad UTF-8, tabs, long lines) is refused before it looks.
 *
 * Here: checks, events, positions. Not here: what the keys mean (field.c), writing (node_write.c).
 */
#include "conf/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/*
 * libfyaml holds all tokens for as long as a "[" among them may still turn out to be a key; limits
 * on the line and on brackets opened one after the other are what bound its memory.
 */
enum {
    BYTES_MAX = 1 << 20,
    LINE_MAX_BYTES = 1 << 16,
    NESTING_MAX = 32,
    OPENED_MAX = 256, /* more in a row can only be nesting, not part of a text */
    NODES_MAX = 100000,
    KEY_MAX_BYTES = 256,
};

static const char too_deep[] = "nested more than 32 deep";

struct position {
    int line, column; /* from 1 */
};

struct builder {
    const char *origin;
    struct node *root;
    struct node *open[NESTING_MAX]; /* the collections around the current event; borrowed */
    int depth;
    char *key; /* of the map open[depth-1], when its value comes next */
    struct position key_at, last;
    int64_t nodes;
    int documents;
    bool ended;
};

static enum status fail_at(const char *origin, struct position at, const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s:%d:%d: %s", origin, at.line, at.column, what);
}

/* ------------------------------------------------------------------ before libfyaml sees it */

/* What is wrong with a character, or NULL. */
static const char *character_fault(char c, size_t bytes)
{
    if (bytes == 0)
        return "this byte is not valid UTF-8";
    if (c == '\0')
        return "a NUL byte does not belong in a text file";
    if (((unsigned char)c < 0x20 && strchr("\t\n\r", c) == NULL) || c == 0x7F)
        return "a control character does not belong here; write it as \"\\xNN\"";
    return NULL;
}

static bool ends_line(const char *s, size_t left)
{
    return s[0] == '\n' || (s[0] == '\r' && (left == 1 || s[1] != '\n'));
}

/* Whether a tab stands before the first character of a line that is not empty. */
static bool has_tab_indent(const char *line, size_t left, int *column)
{
    *column = 0;
    for (size_t i = 0; i < left; i++) {
        if (line[i] == '\t' && *column == 0)
            *column = (int)i + 1;
        if (line[i] != ' ' && line[i] != '\t')
            return *column > 0 && line[i] != '\n' && line[i] != '\r';
    }
    return false;
}

static enum status check_line_start(const char *line, size_t left, struct position at,
                                    const char *origin)
{
    if (has_tab_indent(line, left, &at.column))
        return fail_at(origin, at, "a tab in the indentation; YAML wants spaces");
    return STATUS_OK;
}

/*
 * What libfyaml 0.7 cannot take: a tab after a colon within an explicit key ("? key") ends it
 * badly. Where such a key begins and ends is for a parser to say; so the tab is refused wherever a
 * '?' that may begin one stood before.
 */
static bool may_begin_key(const char *s, size_t left)
{
    return s[0] == '?' && (left == 1 || strchr(" \t\r\n", s[1]) != NULL);
}

static bool has_tab_after_colon(const char *s, size_t left)
{
    return left > 1 && s[0] == ':' && s[1] == '\t';
}

/* Brackets opened with nothing but space between them. */
struct opened {
    int count;
    struct position too_deep; /* of the first beyond NESTING_MAX */
};

static void count_opened(struct opened *o, char c, struct position at)
{
    if (c == '[' || c == '{') {
        o->count++;
        if (o->count == NESTING_MAX + 1)
            o->too_deep = at;
    } else if (c != ' ' && c != '\n' && c != '\r') {
        o->count = 0;
    }
}

static enum status check_characters(const char *content, size_t length, const char *origin)
{
    struct position at = {.line = 1, .column = 1};
    struct opened opened = {0};
    size_t line_start = 0, bytes = 0;
    bool has_explicit_key = false;

    for (size_t i = 0; i < length; i += bytes) {
        if (i == line_start)
            TRY(check_line_start(content + i, length - i, at, origin));
        bytes = text_utf8_step(content + i, length - i);
        const char *fault = character_fault(content[i], bytes);
        has_explicit_key = has_explicit_key || may_begin_key(content + i, length - i);
        if (fault == NULL && has_explicit_key && has_tab_after_colon(content + i, length - i))
            fault = "a tab after this colon; write a space";
        if (fault != NULL)
            return fail_at(origin, at, fault);
        if (i - line_start >= LINE_MAX_BYTES)
            return fail_at(origin, at, "this line is longer than 65536 bytes");
        count_opened(&opened, content[i], at);
        if (opened.count > OPENED_MAX)
            return fail_at(origin, opened.too_deep, too_deep);
        at.column++;
        if (ends_line(content + i, length - i)) {
            at = (struct position){.line = at.line + 1, .column = 1};
            line_start = i + 1;
        }
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------ events to nodes */

/* libfyaml counts from 0, and points behind the first quote, '&' or '*'. */
static struct position token_position(struct fy_token *token, struct position otherwise)
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
    return (struct position){mark->line + 1, mark->column + (step_back ? 0 : 1)};
}

static bool expects_key(const struct builder *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == NODE_MAP && b->key == NULL;
}

/* A node made here stands at its key, if it has one. */
static struct position place_of(const struct builder *b, struct position own)
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
        return fail_at(b->origin, token_position(anchor, b->last),
                       "anchors (&name) are not supported; write the value out");
    if (tag != NULL)
        return fail_at(b->origin, token_position(tag, b->last), "tags (!name) are not supported");
    if (++b->nodes > NODES_MAX)
        return fail_at(b->origin, b->last, "more than 100000 values in one file");
    return STATUS_OK;
}

static enum status start_collection(struct builder *b, struct fy_event *e, enum node_kind kind)
{
    TRY(refuse_decoration(b, e));
    if (expects_key(b))
        return fail_at(b->origin, b->last, "a key must be a single value, not a list or map");
    if (b->depth == NESTING_MAX)
        return fail_at(b->origin, b->last, too_deep);
    const struct position at = place_of(b, b->last);
    struct node *n = node_new(kind, b->origin, at.line, at.column);
    attach(b, n);
    b->open[b->depth++] = n;
    return STATUS_OK;
}

static enum status take_key(struct builder *b, const char *text, size_t length, bool is_bare)
{
    if (is_bare && length == 0)
        return fail_at(b->origin, b->last, "a key is missing before ':'");
    if (is_bare && length == 2 && memcmp(text, "<<", 2) == 0)
        return fail_at(b->origin, b->last, "merge keys (<<) are not supported");
    if (length > KEY_MAX_BYTES)
        return fail_at(b->origin, b->last, "a key longer than 256 bytes");
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
        return fail_at(b->origin, b->last, "this value cannot be read");
    if (memchr(text, '\0', length) != NULL)
        return fail_at(b->origin, b->last, "a NUL character does not belong in a value");
    if (!text_is_utf8(text, length))
        return fail_at(b->origin, b->last, "this value is not valid UTF-8");
    if (expects_key(b))
        return take_key(b, text, length, is_bare);

    const struct position at = place_of(b, b->last);
    struct node *n = node_new(NODE_SCALAR, b->origin, at.line, at.column);
    mem_free(n->text);
    n->text = mem_text_n(text, length);
    n->is_null = is_bare && is_null_text(n->text);
    if (n->is_null)
        n->text[0] = '\0';
    attach(b, n);
    return STATUS_OK;
}

/* ------------------------------------------------------------------ keys given twice */

struct key_ref {
    const char *key;
    int64_t index;
};

static char fold(char c)
{
    return (char)(c == '-' ? '_' : c);
}

/* By name, '-' as '_'; then in the order of the file. */
static int compare_keys(const void *left, const void *right)
{
    const struct key_ref *a = left, *b = right;
    size_t i = 0;

    while (a->key[i] != '\0' && fold(a->key[i]) == fold(b->key[i]))
        i++;
    const int order = (unsigned char)fold(a->key[i]) - (unsigned char)fold(b->key[i]);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* The first child whose key came before, or -1. Sorts, so that a huge map is no trap. */
static int64_t find_duplicate(const struct node *map)
{
    struct key_ref *refs = MEM_NEW_N(struct key_ref, map->count);
    int64_t found = -1;

    for (int64_t i = 0; i < map->count; i++)
        refs[i] = (struct key_ref){.key = map->keys[i], .index = i};
    if (map->count > 1)
        qsort(refs, (size_t)map->count, sizeof *refs, compare_keys);
    for (int64_t i = 1; i < map->count; i++) {
        const int64_t second = refs[i].index;
        if (text_same_name(refs[i - 1].key, refs[i].key) && (found < 0 || second < found))
            found = second;
    }
    mem_free(refs);
    return found;
}

static enum status end_collection(struct builder *b)
{
    const struct node *n = b->open[--b->depth];
    const int64_t twice = n->kind == NODE_MAP ? find_duplicate(n) : -1;

    if (twice < 0)
        return STATUS_OK;
    const struct node *first = node_find(n, n->keys[twice]);
    return node_fail(n->children[twice], "the key %s is given twice; first in line %d",
                     n->keys[twice], first->line);
}

static enum status start_document(struct builder *b)
{
    if (++b->documents > 1)
        return fail_at(b->origin, b->last, "a second document begins; a file holds one");
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
        return fail_at(b->origin, b->last, "aliases (*name) are not supported; write it out");
    case FYET_STREAM_END:
        b->ended = true;
        return STATUS_OK;
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_DOCUMENT_END:
        return STATUS_OK;
    }
    return fail_at(b->origin, b->last, "this is not understood");
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
        return fail_at(b->origin, b->last, "this is not YAML");
    const struct position at = {.line = error->line, .column = error->column};
    return fail_at(b->origin, error->line > 0 ? at : b->last, error->msg);
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
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    mem_free(b->key);
    return status;
}

enum status yaml_parse(const char *content, size_t length, const char *origin, struct node **root)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* some editors begin UTF-8 with it */
    struct builder b = {
        .origin = origin, .last = {.line = 1, .column = 1}
    };

    *root = NULL;
    if (length > BYTES_MAX)
        return FAIL(STATUS_BAD_INPUT, "%s: %zu bytes; a configuration has at most 1 MB (%d)",
                    origin, length, BYTES_MAX);
    if (length >= 3 && memcmp(content, mark, 3) == 0) {
        content += 3;
        length -= 3;
    }
    TRY(check_characters(content, length, origin));
    const enum status status = build(&b, content, length);
    if (status != STATUS_OK) {
        node_free(b.root);
        return status;
    }
    *root = b.root != NULL ? b.root : node_new(NODE_SCALAR, origin, 1, 1);
    return STATUS_OK;
}

enum status yaml_load(const char *path, struct node **root)
{
    struct text content = {0};

    *root = NULL;
    TRY(file_read(path, BYTES_MAX, &content));
    const enum status status = yaml_parse(text_get(&content), content.length, path, root);
    text_release(&content);
    return status;
}
