/*
 * check.c - all cells of a study, looked at before anything is computed.
 */
#include <string.h>

#include "base/mem.h"
#include "study/study.h"
#include "train/run.h"

/* What a graph depends on, as text: drawing the same one again would find nothing new. */
static char *text_of_graph(const struct study_cell *c)
{
    static const char *const paths[] = {"graph", "seed", "transport.workers", "algorithm.name"};
    struct text key = {0};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const struct node *n = node_find_path(c->root, paths[i]);

        text_addf(&key, "%s:", paths[i]);
        if (n != NULL)
            node_write(n, &key);
    }
    return text_take(&key);
}

static bool has(char *const *keys, int64_t count, const char *key)
{
    for (int64_t i = 0; i < count; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static enum status say_which(const struct study_cell *c, enum status s)
{
    char *message = mem_text(status_message());

    s = FAIL(s, "%s (run %s)", message, c->name);
    mem_free(message);
    return s;
}

enum status study_check(const struct study *s)
{
    char **keys = MEM_NEW_N(char *, s->count);
    enum status status = STATUS_OK;
    int64_t count = 0;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++) {
        if (s->cells[i].is_left_out)
            continue;
        char *key = text_of_graph(&s->cells[i]);
        const bool is_new = !has(keys, count, key);

        if (is_new)
            keys[count++] = key;
        else
            mem_free(key);
        status = run_check(s->cells[i].root, is_new);
        if (status != STATUS_OK && !s->is_single)
            status = say_which(&s->cells[i], status);
    }
    for (int64_t i = 0; i < count; i++)
        mem_free(keys[i]);
    mem_free(keys);
    return status;
}
