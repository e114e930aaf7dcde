/*
 * node.c - trees of configuration: making, finding, laying one over another, naming places.
 *
 * Here: the tree. Not here: reading YAML (yaml.c), writing it (node_write.c).
 */
#include "conf/node.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct node *node_new(enum node_kind kind, const char *origin, int line, int column)
{
    struct node *n = MEM_NEW(struct node);

    *n = (struct node){
        .kind = kind,
        .text = kind == NODE_SCALAR ? mem_text("") : NULL,
        .is_null = kind == NODE_SCALAR,
        .origin = mem_text(origin),
        .line = line,
        .column = column,
    };
    return n;
}

struct node *node_new_scalar(const char *text, const char *origin, int line, int column)
{
    struct node *n = MEM_NEW(struct node);

    *n = (struct node){
        .kind = NODE_SCALAR,
        .text = mem_text(text),
        .origin = mem_text(origin),
        .line = line,
        .column = column,
    };
    return n;
}

bool node_is_null(const struct node *n)
{
    return n == NULL || (n->kind == NODE_SCALAR && n->is_null);
}

struct node *node_copy(const struct node *n)
{
    struct node *copy = node_new(n->kind, n->origin, n->line, n->column);

    copy->written = n->written == NULL ? NULL : mem_text(n->written);
    if (n->kind == NODE_SCALAR) {
        mem_free(copy->text);
        copy->text = mem_text(n->text);
        copy->is_null = n->is_null;
    }
    for (int64_t i = 0; i < n->count; i++) {
        if (n->kind == NODE_MAP)
            node_put_new(copy, n->keys[i], node_copy(n->children[i]));
        else
            node_add(copy, node_copy(n->children[i]));
    }
    return copy;
}

void node_free(struct node *n)
{
    if (n == NULL)
        return;
    for (int64_t i = 0; i < n->count; i++) {
        if (n->keys != NULL)
            mem_free(n->keys[i]);
        node_free(n->children[i]);
    }
    mem_free(n->keys);
    mem_free(n->children);
    mem_free(n->text);
    mem_free(n->origin);
    mem_free(n->written);
    mem_free(n);
}

void node_note_paths(struct node *n, const char *path)
{
    mem_free(n->written);
    n->written = mem_text(path);
    for (int64_t i = 0; i < n->count; i++) {
        char *below = n->kind == NODE_MAP ? text_format("%s.%s", path, n->keys[i]) : mem_text(path);

        node_note_paths(n->children[i], below);
        mem_free(below);
    }
}

/*
 * Room for one more child. The arrays double when the count reaches a power of two, so they hold at
 * least that many at any time and need no capacity beside the count.
 */
static void grow(struct node *n)
{
    const int64_t room = n->count == 0 ? 1 : 2 * n->count;

    if ((n->count & (n->count - 1)) == 0) {
        n->children = mem_resize(n->children, n->count, room, sizeof(void *));
        if (n->kind == NODE_MAP)
            n->keys = mem_resize(n->keys, n->count, room, sizeof(void *));
    }
    CHECK(n->children != NULL);
}

void node_add(struct node *list, struct node *child)
{
    CHECK(list->kind == NODE_LIST && child != NULL);
    grow(list);
    list->children[list->count++] = child;
}

void node_put_new(struct node *map, const char *key, struct node *child)
{
    CHECK(map->kind == NODE_MAP && child != NULL);
    grow(map);
    map->keys[map->count] = mem_text(key);
    map->children[map->count++] = child;
}

/* Where a map holds the child of a key, or NULL. */
static struct node **slot_of(const struct node *map, const char *key)
{
    for (int64_t i = 0; i < map->count; i++) {
        if (text_same_name(map->keys[i], key))
            return &map->children[i];
    }
    return NULL;
}

void node_put(struct node *map, const char *key, struct node *child)
{
    CHECK(map->kind == NODE_MAP && child != NULL);
    struct node **slot = slot_of(map, key);

    if (slot == NULL) {
        node_put_new(map, key, child);
        return;
    }
    node_free(*slot);
    *slot = child;
}

void node_remove(struct node *map, const char *key)
{
    CHECK(map->kind == NODE_MAP);
    struct node **slot = slot_of(map, key);

    if (slot == NULL)
        return;
    const int64_t at = slot - map->children;
    mem_free(map->keys[at]);
    node_free(*slot);
    map->count--;
    for (int64_t i = at; i < map->count; i++) {
        map->keys[i] = map->keys[i + 1];
        map->children[i] = map->children[i + 1];
    }
}

struct node *node_find(const struct node *map, const char *key)
{
    if (map == NULL || map->kind != NODE_MAP)
        return NULL;
    struct node **slot = slot_of(map, key);
    return slot == NULL ? NULL : *slot;
}

struct node *node_find_path(const struct node *root, const char *path)
{
    const char *dot = strchr(path, '.');

    if (dot == NULL)
        return node_find(root, path);
    char *head = mem_text_n(path, (size_t)(dot - path));
    struct node *next = node_find(root, head);
    mem_free(head);
    return next == NULL ? NULL : node_find_path(next, dot + 1);
}

/* The child of a key as a map, made when it is none: of a scalar with it as `name`, else empty. */
static struct node *make_map(struct node *parent, const char *key)
{
    struct node *old = node_find(parent, key);

    if (old != NULL && old->kind == NODE_MAP)
        return old;
    struct node *map = old == NULL ? node_new(NODE_MAP, parent->origin, 0, 0)
                                   : node_new(NODE_MAP, old->origin, old->line, old->column);
    if (old != NULL && old->kind == NODE_SCALAR && !old->is_null)
        node_put_new(map, "name", node_copy(old));
    node_put(parent, key, map);
    return map;
}

void node_put_path(struct node *root, const char *path, struct node *child)
{
    const char *dot = strchr(path, '.');

    if (dot == NULL) {
        struct node *old = node_find(root, path);
        if (old != NULL && old->kind == NODE_MAP && child->kind == NODE_SCALAR)
            node_put(old, "name", child);
        else
            node_put(root, path, child);
        return;
    }
    char *head = mem_text_n(path, (size_t)(dot - path));
    struct node *map = make_map(root, head);
    mem_free(head);
    node_put_path(map, dot + 1, child);
}

void node_overlay(struct node *base, const struct node *over)
{
    CHECK(base->kind == NODE_MAP && over->kind == NODE_MAP);
    for (int64_t i = 0; i < over->count; i++) {
        const struct node *child = over->children[i];

        if (child->kind != NODE_MAP) {
            node_put(base, over->keys[i], node_copy(child));
            continue;
        }
        struct node *old = node_find(base, over->keys[i]);
        if (old == NULL || node_is_null(old) || old->kind == NODE_LIST)
            node_put(base, over->keys[i], node_copy(child));
        else
            node_overlay(make_map(base, over->keys[i]), child);
    }
}

void node_where(const struct node *n, struct text *out)
{
    text_add(out, n->origin);
    if (n->line > 0)
        text_addf(out, ":%d:%d", n->line, n->column);
}

static enum status fail_v(const struct node *n, const char *key_path, const char *format,
                          va_list arguments) __attribute__((format(printf, 3, 0)));

static enum status fail_v(const struct node *n, const char *key_path, const char *format,
                          va_list arguments)
{
    struct text message = {0};

    if (n != NULL) {
        node_where(n, &message);
        text_add(&message, ": ");
    }
    if (key_path[0] != '\0')
        text_addf(&message, "%s: ", key_path);
    text_addv(&message, format, arguments);
    const enum status status = FAIL(STATUS_BAD_INPUT, "%s", text_get(&message));
    text_release(&message);
    return status;
}

enum status node_fail(const struct node *n, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const enum status status = fail_v(n, "", format, arguments);
    va_end(arguments);
    return status;
}

static bool is_from_flag(const struct node *n)
{
    return n != NULL && n->line == 0 && strncmp(n->origin, "--", 2) == 0;
}

enum status node_fail_key(const struct node *n, const char *path, const char *key,
                          const char *format, ...)
{
    struct text key_path = {0};
    va_list arguments;

    if (n != NULL && n->written != NULL) {
        text_add(&key_path, n->written);
    } else if (!is_from_flag(n)) {
        text_add(&key_path, path == NULL ? "" : path);
        if (key_path.length > 0 && key != NULL)
            text_add(&key_path, ".");
        text_add(&key_path, key == NULL ? "" : key);
    }
    va_start(arguments, format);
    const enum status status = fail_v(n, text_get(&key_path), format, arguments);
    va_end(arguments);
    text_release(&key_path);
    return status;
}
