/*
 * class_names.c - see class_names.h.
 */
#include "data/class_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Whole numbers by value, and before all words. "1" and "01" are two words of one value. */
static int compare(const char *a, const char *b)
{
    int64_t x = 0, y = 0;
    const bool a_is_number = text_to_int(a, &x), b_is_number = text_to_int(b, &y);

    if (a_is_number != b_is_number)
        return a_is_number ? -1 : 1;
    if (a_is_number && x != y)
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

static int compare_places(const void *a, const void *b)
{
    return compare(*(char *const *)a, *(char *const *)b);
}

void class_names_init(struct class_names *c, char *const *words, int64_t count)
{
    char **sorted = MEM_NEW_N(char *, count);

    *c = (struct class_names){0};
    memcpy(sorted, words, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_places);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(sorted[i], sorted[i - 1]) == 0)
            continue;
        c->count++;
        c->names = mem_grow(c->names, c->count, sizeof *c->names);
        c->names[c->count - 1] = mem_text(sorted[i]);
    }
    mem_free(sorted);
}

void class_names_release(struct class_names *c)
{
    for (int64_t i = 0; i < c->count; i++)
        mem_free(c->names[i]);
    mem_free(c->names);
    *c = (struct class_names){0};
}

int32_t class_names_find(const struct class_names *c, const char *word)
{
    int64_t low = 0, high = c->count;

    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const int order = compare(word, c->names[middle]);

        if (order == 0)
            return (int32_t)middle;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return -1;
}
