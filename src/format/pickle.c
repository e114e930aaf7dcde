/*
 * pickle.c - runs the program that a pickle is, within limits.
 *
 * Every opcode takes at least one byte of the file and makes at most one value; what it allocates
 * is counted. A container is filled after it is known, so that depth and size can be judged only at
 * the end.
 */
#include "format/pickle.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/pickle_machine.h"

/*
 * An honest pickle needs up to 80 bytes of memory per byte of the file, in lists of values of one
 * byte each. Values that are used in several places make the tree larger than the file.
 */
enum {
    MEMORY_LEAST = 1 << 16,
    MEMORY_RATIO = 160,
    EXPANDED_RATIO = 64,
    CHUNK_LEAST = 1 << 12,
    CHUNK_MOST = 1 << 20,
    BEING_VISITED = 255
};

/* --- memory --- */

struct pickle_chunk {
    struct pickle_chunk *next;
    size_t used, room;
    uint8_t *data;
};

static struct pickle_chunk *new_chunk(struct pickle *p, size_t least)
{
    size_t room = p->chunks == NULL ? CHUNK_LEAST : 2 * p->chunks->room;
    struct pickle_chunk *c = MEM_NEW(struct pickle_chunk);

    room = room < CHUNK_MOST ? room : CHUNK_MOST;
    room = room > least ? room : least;
    *c =
        (struct pickle_chunk){.next = p->chunks, .room = room, .data = mem_alloc((int64_t)room, 1)};
    p->chunks = c;
    return c;
}

void *pickle_alloc(struct pickle *p, size_t bytes)
{
    const size_t rounded = (bytes + 7) / 8 * 8;
    struct pickle_chunk *c = p->chunks;

    if (c == NULL || rounded > c->room - c->used)
        c = new_chunk(p, rounded);

    void *block = c->data + c->used;

    c->used += rounded;
    p->used += rounded;
    return block;
}

struct pickle_value *pickle_new(struct pickle_machine *m, enum pickle_kind kind)
{
    struct pickle_value *v = pickle_alloc(m->p, sizeof *v);

    v->kind = kind;
    v->offset = m->opcode_at;
    return v;
}

void pickle_list_add(struct pickle_machine *m, struct pickle_value *list, struct pickle_value *v)
{
    const int64_t count = list->list.count;

    if (count == list->list.capacity) {
        const int64_t capacity = count == 0 ? 4 : 2 * count;
        struct pickle_value **items = pickle_alloc(m->p, (size_t)capacity * sizeof(void *));

        if (count > 0)
            memcpy(items, list->list.items, (size_t)count * sizeof(void *));
        list->list.items = items;
        list->list.capacity = capacity;
    }
    list->list.items[list->list.count++] = v;
}

/* --- the stack --- */

void pickle_push(struct pickle_machine *m, struct pickle_value *v)
{
    struct pickle_stack *s = &m->stack;

    if (s->count == s->capacity) {
        const int64_t capacity = 2 * s->capacity + 16;

        s->items = mem_resize(s->items, s->capacity, capacity, sizeof(void *));
        s->capacity = capacity;
    }
    s->items[s->count++] = v;
}

enum status pickle_push_new(struct pickle_machine *m, struct pickle_value v)
{
    struct pickle_value *copy = pickle_alloc(m->p, sizeof *copy);

    *copy = v;
    copy->offset = m->opcode_at;
    pickle_push(m, copy);
    return STATUS_OK;
}

enum status pickle_pop(struct pickle_machine *m, struct pickle_value **v)
{
    const int64_t least = m->mark_count == 0 ? 0 : m->marks[m->mark_count - 1];

    if (m->stack.count <= least)
        return pickle_fail(m, "the pickle takes a value from an empty stack");
    *v = m->stack.items[--m->stack.count];
    return STATUS_OK;
}

/* --- the file --- */

enum status pickle_fail(const struct pickle_machine *m, const char *format, ...)
{
    va_list arguments;
    struct text message = {0};

    va_start(arguments, format);
    text_addv(&message, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < message.length; i++) { /* names are any bytes of the file */
        if (message.data[i] < ' ' || message.data[i] > '~')
            message.data[i] = '?';
    }

    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: offset %zu: %s", m->p->name, m->opcode_at, text_get(&message));

    text_release(&message);
    return s;
}

enum status pickle_read(struct pickle_machine *m, size_t bytes, const uint8_t **data)
{
    if (bytes > m->p->bytes - m->at)
        return pickle_fail(m,
                           "the pickle is truncated: %zu bytes are needed here, and %zu are left",
                           bytes, m->p->bytes - m->at);
    *data = m->p->file + m->at;
    m->at += bytes;
    return STATUS_OK;
}

enum status pickle_read_line(struct pickle_machine *m, struct pickle_bytes *line)
{
    const uint8_t *begin = m->p->file + m->at;
    const uint8_t *end = m->at < m->p->bytes ? memchr(begin, '\n', m->p->bytes - m->at) : NULL;

    if (end == NULL)
        return pickle_fail(m, "the pickle is truncated in a line of text");
    *line = (struct pickle_bytes){.data = begin, .bytes = (size_t)(end - begin)};
    m->at += line->bytes + 1;
    return STATUS_OK;
}

enum status pickle_read_uint(struct pickle_machine *m, int bytes, uint64_t *value)
{
    const uint8_t *data = NULL;

    TRY(pickle_read(m, (size_t)bytes, &data));
    *value = 0;
    for (int i = 0; i < bytes; i++)
        *value |= (uint64_t)data[i] << (8 * i);
    return STATUS_OK;
}

/* --- the run --- */

static enum status check_memory(const struct pickle_machine *m)
{
    if (m->p->used > MEMORY_LEAST + MEMORY_RATIO * m->p->bytes)
        return pickle_fail(m, "the pickle needs more than %d times the %zu bytes of its file",
                           MEMORY_RATIO, m->p->bytes);
    return STATUS_OK;
}

static enum status run_opcode(struct pickle_machine *m)
{
    const uint8_t *byte = NULL;

    m->opcode_at = m->at;
    TRY(pickle_read(m, 1, &byte));

    const struct pickle_opcode *o = pickle_opcode_find(*byte);

    if (o == NULL)
        return pickle_fail(m, "0x%02x is not an opcode of a pickle", *byte);
    if (o->run == NULL)
        return pickle_fail(m, "the opcode %s (0x%02x) is not supported", o->name, *byte);
    TRY(o->run(m, o->argument));
    return check_memory(m);
}

static enum status run_program(struct pickle_machine *m, struct pickle_value **root)
{
    while (!m->is_done)
        TRY(run_opcode(m));
    TRY(pickle_pop(m, root));
    if (m->stack.count > 0 || m->mark_count > 0)
        return pickle_fail(m, "the pickle ends with %lld values more than one",
                           (long long)(m->stack.count + m->mark_count));
    return STATUS_OK;
}

/* --- the result --- */

static enum status check_leaf(struct pickle_machine *m, const struct pickle_value *v)
{
    m->opcode_at = v->offset;
    if (v->kind == PICKLE_NAME)
        return pickle_fail(m, "%s is not called; a pickle of data has values only",
                           pickle_kind_name(v->kind));
    if (v->kind == PICKLE_ARRAY && v->array->data == NULL)
        return pickle_fail(m, "the array has no contents");
    return STATUS_OK;
}

static enum status fail_expanded(struct pickle_machine *m, const struct pickle_value *v)
{
    m->opcode_at = v->offset;
    return pickle_fail(m, "a value contains others again and again, more than %lld of them",
                       (long long)v->expanded);
}

/* Finds the height and the size of the tree below v; `depth` values are above it. */
static enum status check_tree(struct pickle_machine *m, struct pickle_value *v, int depth)
{
    const bool is_list =
        v->kind == PICKLE_LIST || v->kind == PICKLE_TUPLE || v->kind == PICKLE_DICT;

    if (v->height == BEING_VISITED || depth + v->height >= PICKLE_DEPTH_MAX) {
        m->opcode_at = v->offset;
        return pickle_fail(m, "values contain themselves, or nest more than %d deep",
                           PICKLE_DEPTH_MAX);
    }
    if (v->height > 0)
        return STATUS_OK;
    if (!is_list)
        return check_leaf(m, v);

    int height = 0;

    v->height = BEING_VISITED;
    v->expanded = 1;
    for (int64_t i = 0; i < v->list.count; i++) {
        struct pickle_value *item = v->list.items[i];

        TRY(check_tree(m, item, depth + 1));
        v->expanded += item->expanded + 1;
        height = item->height > height ? item->height : height;
        if (v->expanded / EXPANDED_RATIO > (int64_t)m->p->bytes)
            return fail_expanded(m, v);
    }
    v->height = (uint8_t)(height + 1);
    return STATUS_OK;
}

static enum status decode(struct pickle_machine *m)
{
    struct pickle_value *root = NULL;

    TRY(run_program(m, &root));
    TRY(check_tree(m, root, 0));
    m->p->root = root;
    m->p->end = m->at;
    return STATUS_OK;
}

enum status pickle_decode(struct pickle *p, const struct pickle_source *source)
{
    struct pickle_machine m = {.p = p, .at = source->begin};

    CHECK(source->begin <= source->bytes);
    *p = (struct pickle){
        .name = mem_text(source->name), .file = source->file, .bytes = source->bytes};

    const enum status s = decode(&m);

    mem_free(m.stack.items);
    mem_free(m.memo.items);
    mem_free(m.marks);
    if (s != STATUS_OK)
        pickle_release(p);
    return s;
}

void pickle_release(struct pickle *p)
{
    while (p->chunks != NULL) {
        struct pickle_chunk *next = p->chunks->next;

        mem_free(p->chunks->data);
        mem_free(p->chunks);
        p->chunks = next;
    }
    mem_free(p->name);
    *p = (struct pickle){0};
}
