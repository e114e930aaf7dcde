/*
 * text.h - a string that grows, and small questions about strings.
 *
 * Invariant: data is NULL (then length and capacity are 0) or a NUL-terminated string of `length`
 * bytes. A zeroed struct is an empty text.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t length, capacity;
};

void text_add(struct text *t, const char *string);
void text_add_n(struct text *t, const char *bytes, size_t length);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *t, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Makes room for `extra` more bytes behind data + length, for who writes there itself. */
void text_reserve(struct text *t, size_t extra);

/* Never NULL: "" for an empty text. */
const char *text_get(const struct text *t);

/* Gives the string to the caller (mem_free) and leaves the text empty. */
char *text_take(struct text *t);
void text_clear(struct text *t); /* empties, keeps the room */
void text_release(struct text *t);

/* A new string by format, to be freed by mem_free. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Either may be NULL; two NULLs are equal. */
bool text_equal(const char *a, const char *b);

/* Equal when '-' and '_' count as the same letter. */
bool text_same_name(const char *a, const char *b);

/* The same, and in small or capital letters. */
bool text_same_word(const char *a, const char *b);

/*
 * The candidate nearest to `word` by edit distance ('-' and '_' the same), or NULL when none is
 * near enough to be worth suggesting. candidates ends with NULL.
 */
const char *text_nearest(const char *word, const char *const *candidates);

/* The whole string as a number; false when it is not exactly one (also for NaN). */
bool text_to_int(const char *string, int64_t *value);
bool text_to_double(const char *string, double *value); /* accepts inf, refuses nan */

void text_add_int(struct text *t, int64_t value);

/* The shortest decimal that reads back as the same double ("0.1", "1e-05", "3"). */
void text_add_double(struct text *t, double value);

/* With so many digits behind the point, for people; a number too long to be read so, such as the
 * loss of a run on its way to infinity, as 1.235e+30. */
void text_add_fixed(struct text *t, double value, int digits);
char *text_fixed(double value, int digits); /* mem_free */

/* A field of a CSV file: quoted where a comma, a quote or the end of a line stands in it. */
void text_add_csv(struct text *t, const char *value);

/* A number that depends on the text alone, the same everywhere (FNV-1a of 64 bits). */
uint64_t text_hash(const char *string);

/* How many letters of UTF-8 it has: "ä" is one letter of two bytes. */
int text_letters(const char *string);

/* The length in bytes of the UTF-8 character at the beginning, 0 when there is none. */
size_t text_utf8_step(const char *bytes, size_t length);
bool text_is_utf8(const char *bytes, size_t length);

#endif
