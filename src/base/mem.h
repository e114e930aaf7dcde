/*
 * mem.h - memory. Every block is zeroed and aligned to 64 bytes; running out ends the program
 * with a message, so callers never test for NULL.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#define MEM_NEW(type)          ((type *)mem_alloc(1, sizeof(type)))
#define MEM_NEW_N(type, count) ((type *)mem_alloc((count), sizeof(type)))

/* count may be 0 (a valid block of no elements); negative or overflowing counts end the program. */
void *mem_alloc(int64_t count, size_t size);

/* Grows or shrinks a block of mem_alloc; what is added is NOT zeroed. NULL is a block of 0. */
void *mem_resize(void *block, int64_t old_count, int64_t new_count, size_t size);

/*
 * Room for `count` elements in a block that has room for count - 1 by an earlier call (NULL: 0). It
 * grows by doubling, so that a list may be made one element at a time. What is added is NOT zeroed.
 */
void *mem_grow(void *block, int64_t count, size_t size);

void mem_free(void *block);

/*
 * For libraries that allocate by themselves: ends the program when errno is ENOMEM, which malloc
 * has set where it failed. The caller sets errno to 0 before it calls the library.
 */
void mem_check_library(void);

/* A copy of a string or of its first `length` bytes, to be freed by mem_free. */
char *mem_text(const char *text);
char *mem_text_n(const char *text, size_t length);

#endif
