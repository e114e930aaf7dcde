/*
 * pickle_machine.h - the machine that a pickle is a program for: its place in the file, its stack
 * and its memo.
 *
 * Private to the reader of pickles: pickle.c (the run, memory and questions), pickle_opcodes.c (the
 * table of opcodes), pickle_strings.c (numbers and strings), pickle_calls.c (NumPy's and PyTorch's
 * functions).
 */
#ifndef FORMAT_PICKLE_MACHINE_H
#define FORMAT_PICKLE_MACHINE_H

#include "format/pickle.h"

struct pickle_stack {
    struct pickle_value **items;
    int64_t count, capacity;
};

struct pickle_machine {
    struct pickle *p;
    size_t at;        /* in the file */
    size_t opcode_at; /* of the running opcode */
    struct pickle_stack stack, memo;
    int64_t *marks; /* how high the stack was */
    int64_t mark_count, mark_capacity;
    bool is_done;
};

/* An opcode: its name, and what it does, with a number of its own; NULL: it is not supported. */
struct pickle_opcode {
    const char *name;
    enum status (*run)(struct pickle_machine *m, int argument);
    int argument;
};

/* NULL: there is no such opcode. */
const struct pickle_opcode *pickle_opcode_find(uint8_t byte);

/* A message that begins with the file and the offset of the opcode. */
enum status pickle_fail(const struct pickle_machine *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Zeroed memory that lives as long as the pickle. */
void *pickle_alloc(struct pickle *p, size_t bytes);
struct pickle_value *pickle_new(struct pickle_machine *m, enum pickle_kind kind);
void pickle_push(struct pickle_machine *m, struct pickle_value *v);
enum status pickle_push_new(struct pickle_machine *m, struct pickle_value v);

/* The value on top; fails where there is none since the last mark. */
enum status pickle_pop(struct pickle_machine *m, struct pickle_value **v);

/* `bytes` bytes from the file; a line without its end. */
enum status pickle_read(struct pickle_machine *m, size_t bytes, const uint8_t **data);
enum status pickle_read_line(struct pickle_machine *m, struct pickle_bytes *line);

/* An unsigned integer, the lowest byte first. */
enum status pickle_read_uint(struct pickle_machine *m, int bytes, uint64_t *value);

/* At the end of a list, a tuple or a dict. */
void pickle_list_add(struct pickle_machine *m, struct pickle_value *list, struct pickle_value *v);

/* --- pickle_strings.c: opcodes that push numbers, bytes and text --- */

/* argument: bytes of the number or of the length; 0: a line of text */
enum status pickle_op_int(struct pickle_machine *m, int argument);
enum status pickle_op_long(struct pickle_machine *m, int argument);
enum status pickle_op_float(struct pickle_machine *m, int argument);
enum status pickle_op_bytes(struct pickle_machine *m, int argument);
enum status pickle_op_text(struct pickle_machine *m, int argument);

/* The characters of a UTF-8 text, which must be below 256, as bytes. */
enum status pickle_encode_latin1(struct pickle_machine *m, const struct pickle_value *text,
                                 struct pickle_value **bytes);

/* --- pickle_calls.c --- */

enum status pickle_push_name(struct pickle_machine *m, struct pickle_bytes module,
                             struct pickle_bytes name);
enum status pickle_call(struct pickle_machine *m, const struct pickle_value *callee,
                        const struct pickle_value *arguments);
enum status pickle_build(struct pickle_machine *m, struct pickle_value *v,
                         const struct pickle_value *state);
enum status pickle_push_persistent(struct pickle_machine *m, const struct pickle_value *id);

#endif
