/*
 * node_duplicate.c - finds a key that a map has twice.
 *
 * Not here: all else about maps (node.c), and what is said of it (yaml.c).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "conf/node.h"

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

/* Sorts, so that a huge map is no trap. */
int64_t node_find_duplicate(const struct node *map)
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
