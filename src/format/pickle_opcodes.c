/*
 * pickle_opcodes.c - the opcodes of pickles: those that data files use, and the names of all
 * others.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/pickle_machine.h"

enum { PROTOCOL_MAX = 5, LINE_NUMBER_MAX = 20 };

/* --- the pickle as a whole --- */

static enum status op_protocol(struct pickle_machine *m, int argument)
{
    uint64_t protocol = 0;

    TRY(pickle_read_uint(m, argument, &protocol));
    if (protocol > PROTOCOL_MAX)
        return pickle_fail(m, "the pickle has protocol %d; 0 to %d are supported", (int)protocol,
                           PROTOCOL_MAX);
    return STATUS_OK;
}

/* A frame says how much a reader of a stream may read at once. */
static enum status op_frame(struct pickle_machine *m, int argument)
{
    uint64_t bytes = 0;

    TRY(pickle_read_uint(m, argument, &bytes));
    if (bytes > m->p->bytes - m->at)
        return pickle_fail(m, "the pickle is truncated: a frame has %llu bytes, and %zu are left",
                           (unsigned long long)bytes, m->p->bytes - m->at);
    return STATUS_OK;
}

static enum status op_stop(struct pickle_machine *m, int argument)
{
    (void)argument;
    m->is_done = true;
    return STATUS_OK;
}

/* --- constants and containers --- */

static enum status op_none(struct pickle_machine *m, int argument)
{
    (void)argument;
    return pickle_push_new(m, (struct pickle_value){.kind = PICKLE_NONE});
}

static enum status op_bool(struct pickle_machine *m, int argument)
{
    return pickle_push_new(m, (struct pickle_value){.kind = PICKLE_BOOL, .boolean = argument != 0});
}

/* argument: enum pickle_kind */
static enum status op_empty(struct pickle_machine *m, int argument)
{
    return pickle_push_new(m, (struct pickle_value){.kind = (enum pickle_kind)argument});
}

static enum status op_mark(struct pickle_machine *m, int argument)
{
    (void)argument;
    if (m->mark_count == m->mark_capacity) {
        const int64_t capacity = 2 * m->mark_capacity + 16;

        m->marks = mem_resize(m->marks, m->mark_capacity, capacity, sizeof *m->marks);
        m->mark_capacity = capacity;
    }
    m->marks[m->mark_count++] = m->stack.count;
    return STATUS_OK;
}

/* Takes the values since the last mark from the stack, where they are valid until the next push. */
static enum status pop_mark(struct pickle_machine *m, struct pickle_value ***items, int64_t *count)
{
    if (m->mark_count == 0)
        return pickle_fail(m, "the pickle has no mark where it needs one");

    const int64_t begin = m->marks[--m->mark_count];

    *items = m->stack.items + begin;
    *count = m->stack.count - begin;
    m->stack.count = begin;
    return STATUS_OK;
}

static enum status add_items(struct pickle_machine *m, struct pickle_value *list,
                             struct pickle_value **items, int64_t count)
{
    if (list->kind == PICKLE_DICT && count % 2 != 0)
        return pickle_fail(m, "a dict has a key without a value");
    for (int64_t i = 0; i < count; i++)
        pickle_list_add(m, list, items[i]);
    return STATUS_OK;
}

static enum status op_from_mark(struct pickle_machine *m, int argument)
{
    struct pickle_value **items = NULL, *list = pickle_new(m, (enum pickle_kind)argument);
    int64_t count = 0;

    TRY(pop_mark(m, &items, &count));
    TRY(add_items(m, list, items, count));
    pickle_push(m, list);
    return STATUS_OK;
}

/* argument: how many values */
static enum status op_tuple(struct pickle_machine *m, int argument)
{
    struct pickle_value *items[3], *tuple = pickle_new(m, PICKLE_TUPLE);

    for (int i = argument - 1; i >= 0; i--)
        TRY(pickle_pop(m, &items[i]));
    TRY(add_items(m, tuple, items, argument));
    pickle_push(m, tuple);
    return STATUS_OK;
}

/* The list or dict on top of the stack gets the items. */
static enum status add_to_top(struct pickle_machine *m, enum pickle_kind kind,
                              struct pickle_value **items, int64_t count)
{
    struct pickle_value *list = NULL;

    TRY(pickle_pop(m, &list));
    m->stack.count++; /* it stays there */
    if (list->kind != kind)
        return pickle_fail(m, "the pickle adds to %s as if it were %s",
                           pickle_kind_name(list->kind), pickle_kind_name(kind));
    return add_items(m, list, items, count);
}

static enum status op_append(struct pickle_machine *m, int argument)
{
    struct pickle_value *item = NULL;

    (void)argument;
    TRY(pickle_pop(m, &item));
    return add_to_top(m, PICKLE_LIST, &item, 1);
}

static enum status op_set_item(struct pickle_machine *m, int argument)
{
    struct pickle_value *items[2];

    (void)argument;
    TRY(pickle_pop(m, &items[1]));
    TRY(pickle_pop(m, &items[0]));
    return add_to_top(m, PICKLE_DICT, items, 2);
}

/* argument: list or dict */
static enum status op_add_from_mark(struct pickle_machine *m, int argument)
{
    struct pickle_value **items = NULL;
    int64_t count = 0;

    TRY(pop_mark(m, &items, &count));
    return add_to_top(m, (enum pickle_kind)argument, items, count);
}

/* --- the memo --- */

/* argument: bytes of the number; 0: a line */
static enum status read_memo_number(struct pickle_machine *m, int argument, uint64_t *number)
{
    struct pickle_bytes line = {0};
    char digits[LINE_NUMBER_MAX + 1] = {0};
    int64_t value = -1;

    if (argument > 0)
        return pickle_read_uint(m, argument, number);
    TRY(pickle_read_line(m, &line));
    if (line.bytes <= LINE_NUMBER_MAX)
        memcpy(digits, line.data, line.bytes);
    if (!text_to_int(digits, &value) || value < 0)
        return pickle_fail(m, "the number of a memo entry must be a whole number");
    *number = (uint64_t)value;
    return STATUS_OK;
}

/* Writers count from 0, so that an entry has a number below the size of the file. */
static enum status put_memo(struct pickle_machine *m, uint64_t number)
{
    struct pickle_stack *memo = &m->memo;
    struct pickle_value *v = NULL;

    if (number >= m->p->bytes)
        return pickle_fail(m, "memo entry %llu is beyond what a file of %zu bytes can have",
                           (unsigned long long)number, m->p->bytes);
    TRY(pickle_pop(m, &v));
    m->stack.count++; /* it stays there */
    if ((int64_t)number >= memo->capacity) {
        const int64_t capacity = 2 * (int64_t)number + 16;

        memo->items = mem_resize(memo->items, memo->capacity, capacity, sizeof(void *));
        memo->capacity = capacity;
    }
    for (; memo->count <= (int64_t)number; memo->count++)
        memo->items[memo->count] = NULL;
    memo->items[number] = v;
    return STATUS_OK;
}

static enum status op_put(struct pickle_machine *m, int argument)
{
    uint64_t number = 0;

    TRY(read_memo_number(m, argument, &number));
    return put_memo(m, number);
}

static enum status op_memoize(struct pickle_machine *m, int argument)
{
    (void)argument;
    return put_memo(m, (uint64_t)m->memo.count);
}

static enum status op_get(struct pickle_machine *m, int argument)
{
    uint64_t number = 0;

    TRY(read_memo_number(m, argument, &number));
    if (number >= (uint64_t)m->memo.count || m->memo.items[number] == NULL)
        return pickle_fail(m, "there is no memo entry %llu", (unsigned long long)number);
    pickle_push(m, m->memo.items[number]);
    return STATUS_OK;
}

/* --- functions and classes --- */

static enum status op_global(struct pickle_machine *m, int argument)
{
    struct pickle_bytes module = {0}, name = {0};

    (void)argument;
    TRY(pickle_read_line(m, &module));
    TRY(pickle_read_line(m, &name));
    return pickle_push_name(m, module, name);
}

static enum status op_stack_global(struct pickle_machine *m, int argument)
{
    struct pickle_value *module = NULL, *name = NULL;

    (void)argument;
    TRY(pickle_pop(m, &name));
    TRY(pickle_pop(m, &module));
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return pickle_fail(m, "the name of a function or class must be text");
    return pickle_push_name(m, module->bytes, name->bytes);
}

static enum status op_reduce(struct pickle_machine *m, int argument)
{
    struct pickle_value *callee = NULL, *arguments = NULL;

    (void)argument;
    TRY(pickle_pop(m, &arguments));
    TRY(pickle_pop(m, &callee));
    return pickle_call(m, callee, arguments);
}

static enum status op_build(struct pickle_machine *m, int argument)
{
    struct pickle_value *state = NULL, *v = NULL;

    (void)argument;
    TRY(pickle_pop(m, &state));
    TRY(pickle_pop(m, &v));
    m->stack.count++; /* it stays there */
    return pickle_build(m, v, state);
}

static enum status op_persistent(struct pickle_machine *m, int argument)
{
    struct pickle_value *id = NULL;

    (void)argument;
    TRY(pickle_pop(m, &id));
    return pickle_push_persistent(m, id);
}

/* In the order of Python's pickle.py. */
static const struct pickle_opcode opcodes[256] = {
    ['('] = {"MARK",             op_mark,          0           },
    ['.'] = {"STOP",             op_stop,          0           },
    ['0'] = {"POP",              NULL,             0           },
    ['1'] = {"POP_MARK",         NULL,             0           },
    ['2'] = {"DUP",              NULL,             0           },
    ['F'] = {"FLOAT",            pickle_op_float,  0           },
    ['I'] = {"INT",              pickle_op_int,    0           },
    ['J'] = {"BININT",           pickle_op_int,    4           },
    ['K'] = {"BININT1",          pickle_op_int,    1           },
    ['L'] = {"LONG",             pickle_op_int,    0           },
    ['M'] = {"BININT2",          pickle_op_int,    2           },
    ['N'] = {"NONE",             op_none,          0           },
    ['P'] = {"PERSID",           NULL,             0           },
    ['Q'] = {"BINPERSID",        op_persistent,    0           },
    ['R'] = {"REDUCE",           op_reduce,        0           },
    ['S'] = {"STRING",           pickle_op_bytes,  0           },
    ['T'] = {"BINSTRING",        pickle_op_bytes,  4           },
    ['U'] = {"SHORT_BINSTRING",  pickle_op_bytes,  1           },
    ['V'] = {"UNICODE",          pickle_op_text,   0           },
    ['X'] = {"BINUNICODE",       pickle_op_text,   4           },
    ['a'] = {"APPEND",           op_append,        0           },
    ['b'] = {"BUILD",            op_build,         0           },
    ['c'] = {"GLOBAL",           op_global,        0           },
    ['d'] = {"DICT",             op_from_mark,     PICKLE_DICT },
    ['}'] = {"EMPTY_DICT",       op_empty,         PICKLE_DICT },
    ['e'] = {"APPENDS",          op_add_from_mark, PICKLE_LIST },
    ['g'] = {"GET",              op_get,           0           },
    ['h'] = {"BINGET",           op_get,           1           },
    ['i'] = {"INST",             NULL,             0           },
    ['j'] = {"LONG_BINGET",      op_get,           4           },
    ['l'] = {"LIST",             op_from_mark,     PICKLE_LIST },
    [']'] = {"EMPTY_LIST",       op_empty,         PICKLE_LIST },
    ['o'] = {"OBJ",              NULL,             0           },
    ['p'] = {"PUT",              op_put,           0           },
    ['q'] = {"BINPUT",           op_put,           1           },
    ['r'] = {"LONG_BINPUT",      op_put,           4           },
    ['s'] = {"SETITEM",          op_set_item,      0           },
    ['t'] = {"TUPLE",            op_from_mark,     PICKLE_TUPLE},
    [')'] = {"EMPTY_TUPLE",      op_empty,         PICKLE_TUPLE},
    ['u'] = {"SETITEMS",         op_add_from_mark, PICKLE_DICT },
    ['G'] = {"BINFLOAT",         pickle_op_float,  8           },
    [0x80] = {"PROTO",            op_protocol,      1           },
    [0x81] = {"NEWOBJ",           op_reduce,        0           },
    [0x82] = {"EXT1",             NULL,             0           },
    [0x83] = {"EXT2",             NULL,             0           },
    [0x84] = {"EXT4",             NULL,             0           },
    [0x85] = {"TUPLE1",           op_tuple,         1           },
    [0x86] = {"TUPLE2",           op_tuple,         2           },
    [0x87] = {"TUPLE3",           op_tuple,         3           },
    [0x88] = {"NEWTRUE",          op_bool,          1           },
    [0x89] = {"NEWFALSE",         op_bool,          0           },
    [0x8a] = {"LONG1",            pickle_op_long,   1           },
    [0x8b] = {"LONG4",            pickle_op_long,   4           },
    ['B'] = {"BINBYTES",         pickle_op_bytes,  4           },
    ['C'] = {"SHORT_BINBYTES",   pickle_op_bytes,  1           },
    [0x8c] = {"SHORT_BINUNICODE", pickle_op_text,   1           },
    [0x8d] = {"BINUNICODE8",      pickle_op_text,   8           },
    [0x8e] = {"BINBYTES8",        pickle_op_bytes,  8           },
    [0x8f] = {"EMPTY_SET",        NULL,             0           },
    [0x90] = {"ADDITEMS",         NULL,             0           },
    [0x91] = {"FROZENSET",        NULL,             0           },
    [0x92] = {"NEWOBJ_EX",        NULL,             0           },
    [0x93] = {"STACK_GLOBAL",     op_stack_global,  0           },
    [0x94] = {"MEMOIZE",          op_memoize,       0           },
    [0x95] = {"FRAME",            op_frame,         8           },
    [0x96] = {"BYTEARRAY8",       pickle_op_bytes,  8           },
    [0x97] = {"NEXT_BUFFER",      NULL,             0           },
    [0x98] = {"READONLY_BUFFER",  NULL,             0           },
};

const struct pickle_opcode *pickle_opcode_find(uint8_t byte)
{
    return opcodes[byte].name == NULL ? NULL : &opcodes[byte];
}
