/*
 * same_data.c - see same_data.h. The files of a data set may change between two calls.
 */
#include "study/same_data.h"

#include <string.h>

#include "base/mem.h"

/* The section `data` without the folder; mem_free */
static char *data_settings(const struct study_run *run)
{
    const struct node *data = node_find(run->root, "data");
    struct node *copy = data == NULL ? node_new(NODE_MAP, "study", 0, 0) : node_copy(data);
    struct text yaml = {0};

    if (copy->kind == NODE_MAP)
        node_remove(copy, "dir");
    node_write(copy, &yaml);
    node_free(copy);
    return text_take(&yaml);
}

static bool asks_for_same(const struct study_run *a, const struct study_run *b)
{
    char *left = data_settings(a), *right = data_settings(b);
    const bool is_same = strcmp(left, right) == 0;

    mem_free(left);
    mem_free(right);
    return is_same;
}

int64_t same_data_find_other(const struct study *s, const struct compared_run *results, int64_t run)
{
    const char *mine = results[run].data;

    for (int64_t i = 0; i < s->count && mine[0] != '\0'; i++)
        if (results[i].data[0] != '\0' && strcmp(results[i].data, mine) != 0 &&
            asks_for_same(&s->runs[i], &s->runs[run]))
            return i;
    return -1;
}
