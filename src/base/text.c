/*
 * text.c - the growing string, names that nearly match, and numbers to and from text.
 */
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/decimal.h"
#include "base/mem.h"

void text_reserve(struct text *t, size_t extra)
{
    const size_t needed = t->length + extra + 1;

    CHECK(needed > extra);
    if (needed <= t->capacity)
        return;

    size_t capacity = t->capacity < 32 ? 64 : t->capacity + t->capacity / 2;

    if (capacity < needed)
        capacity = needed;
    t->data = mem_resize(t->data, (int64_t)t->capacity, (int64_t)capacity, 1);
    t->capacity = capacity;
    t->data[t->length] = '\0';
}

void text_add_n(struct text *t, const char *bytes, size_t length)
{
    CHECK(bytes != NULL || length == 0);
    text_reserve(t, length);
    if (length > 0)
        memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_add(struct text *t, const char *string)
{
    CHECK(string != NULL);
    text_add_n(t, string, strlen(string));
}

void text_addv(struct text *t, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);

    const int length = vsnprintf(NULL, 0, format, arguments);

    CHECK(length >= 0);
    text_reserve(t, (size_t)length);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    t->length += (size_t)length;
    va_end(again);
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_addv(t, format, arguments);
    va_end(arguments);
}

const char *text_get(const struct text *t)
{
    return t->data == NULL ? "" : t->data;
}

char *text_take(struct text *t)
{
    text_reserve(t, 0);

    char *taken = t->data;

    *t = (struct text){0};
    return taken;
}

void text_clear(struct text *t)
{
    t->length = 0;
    if (t->data != NULL)
        t->data[0] = '\0';
}

void text_release(struct text *t)
{
    mem_free(t->data);
    *t = (struct text){0};
}

char *text_format(const char *format, ...)
{
    struct text t = {0};
    va_list arguments;

    va_start(arguments, format);
    text_addv(&t, format, arguments);
    va_end(arguments);
    return text_take(&t);
}

static char name_letter(char c)
{
    if (c == '-')
        return '_';
    return c;
}

bool text_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool text_same_name(const char *a, const char *b)
{
    while (*a != '\0' && name_letter(*a) == name_letter(*b)) {
        a++;
        b++;
    }
    return name_letter(*a) == name_letter(*b);
}

enum { NAME_MAX_LENGTH = 80 }; /* longer words get no suggestion */

static int smallest(int a, int b, int c)
{
    const int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* In a misspelt name capital letters are not what is wrong. */
static char near_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : name_letter(c);
}

bool text_same_word(const char *a, const char *b)
{
    while (*a != '\0' && near_letter(*a) == near_letter(*b)) {
        a++;
        b++;
    }
    return near_letter(*a) == near_letter(*b);
}

/* Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
static int edit_distance(const char *a, int n_a, const char *b, int n_b)
{
    int rows[3][NAME_MAX_LENGTH + 1];

    for (int j = 0; j <= n_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n_a; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            const char ca = near_letter(a[i - 1]), cb = near_letter(b[j - 1]);

            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == near_letter(b[j - 2]) && near_letter(a[i - 2]) == cb)
                row[j] = smallest(row[j], row[j], above2[j - 2] + 1);
        }
    }
    return rows[n_a % 3][n_b];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    int best = length < 6 ? 2 : (int)(length / 3) + 1; /* what is found must be nearer */

    if (length > NAME_MAX_LENGTH)
        return NULL;
    for (; *candidates != NULL; candidates++) {
        const size_t n = strlen(*candidates);

        if (n > NAME_MAX_LENGTH)
            continue;

        const int distance = edit_distance(word, (int)length, *candidates, (int)n);

        /* A word of which no letter remains is not a misspelling. */
        if (distance < best && (size_t)distance < length) {
            best = distance;
            nearest = *candidates;
        }
    }
    return nearest;
}

bool text_to_int(const char *string, int64_t *value)
{
    const char *first = string + (*string == '-' || *string == '+');
    char *end = NULL;

    if (*first < '0' || *first > '9')
        return false;
    errno = 0;

    const long long number = strtoll(string, &end, 10);

    if (errno != 0 || *end != '\0')
        return false;
    *value = number;
    return true;
}

bool text_to_double(const char *string, double *value)
{
    const char *first = string + (*string == '-' || *string == '+');
    const bool is_decimal = (*first >= '0' && *first <= '9') || *first == '.';
    char *end = NULL;

    /* strtod also takes leading space and hexadecimal, which nobody means. */
    if (is_decimal ? strpbrk(first, "xX") != NULL : *first != 'i' && *first != 'I')
        return false;

    const double number = strtod(string, &end);

    if (end == string || *end != '\0' || isnan(number) || (is_decimal && isinf(number)))
        return false;
    *value = number;
    return true;
}

void text_add_int(struct text *t, int64_t value)
{
    char digits[24];
    int at = (int)sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        digits[--at] = '-';
    text_add_n(t, digits + at, sizeof digits - (size_t)at);
}

void text_add_double(struct text *t, double value)
{
    char digits[DECIMAL_BYTES];

    if (decimal_write(value, digits)) {
        text_add(t, digits);
        return;
    }
    if (isnan(value)) {
        text_add(t, "nan");
        return;
    }
    if (isinf(value)) {
        text_add(t, value < 0 ? "-inf" : "inf");
        return;
    }
    /* 15 digits survive any normal double and %g drops the zeros; subnormals have fewer. */
    for (int n = fabs(value) < DBL_MIN ? 1 : 15; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_add(t, digits);
}

void text_add_fixed(struct text *t, double value, int digits)
{
    const double limit = digits == 0 ? 1e12 : 1e6; /* counts are read to the last digit */

    if (fabs(value) < limit || !isfinite(value))
        text_addf(t, "%.*f", digits, value);
    else
        text_addf(t, "%.4g", value);
}

char *text_fixed(double value, int digits)
{
    struct text t = {0};

    text_add_fixed(&t, value, digits);
    return text_take(&t);
}

/* What the first byte promises, 0 when no character begins with it. */
static size_t utf8_length(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if ((first & 0xe0) == 0xc0)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return (first & 0xf8) == 0xf0 ? 4 : 0;
}

void text_add_csv(struct text *t, const char *value)
{
    if (strpbrk(value, ",\"\n\r") == NULL) {
        text_add(t, value);
        return;
    }
    text_add(t, "\"");
    for (; *value != '\0'; value++)
        text_addf(t, *value == '"' ? "\"%c" : "%c", *value);
    text_add(t, "\"");
}

uint64_t text_hash(const char *string)
{
    uint64_t hash = 0xcbf29ce484222325U;

    for (; *string != '\0'; string++)
        hash = (hash ^ (uint8_t)*string) * 0x100000001b3U;
    return hash;
}

int text_letters(const char *string)
{
    int count = 0;

    for (; *string != '\0'; string++)
        count += ((uint8_t)*string & 0xc0) != 0x80;
    return count;
}

size_t text_utf8_step(const char *bytes, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* against overlong forms */
    const size_t n = length == 0 ? 0 : utf8_length((uint8_t)bytes[0]);

    if (n > length)
        return 0;
    if (n <= 1)
        return n;

    uint32_t point = (uint8_t)bytes[0] & (0xffU >> (n + 1));

    for (size_t i = 1; i < n; i++) {
        const uint8_t next = (uint8_t)bytes[i];

        if ((next & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (next & 0x3f);
    }

    const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;

    return point < least[n] || point > 0x10ffff || is_surrogate ? 0 : n;
}

bool text_is_utf8(const char *bytes, size_t length)
{
    while (length > 0) {
        const size_t n = text_utf8_step(bytes, length);

        if (n == 0)
            return false;
        bytes += n;
        length -= n;
    }
    return true;
}
