/*
 * case_names.c - the names of cases, as columns and as text.
 */
#include "study/case_names.h"

#include "base/mem.h"

static bool has_runs(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->case_count; i++)
        found = found || r->cases[i].run != NULL;
    return found;
}

int64_t case_names_columns(const struct results *r)
{
    struct results_keys keys = results_find_keys(r);

    mem_free(keys.names);
    return keys.count + (has_runs(r) ? 1 : 0);
}

void case_names_put(const struct results *r, const int64_t *cases, int64_t count,
                    struct text_table *g)
{
    struct results_keys keys = results_find_keys(r);
    int64_t column = 0;

    if (has_runs(r)) {
        text_table_put(g, 0, column, mem_text("run"));
        for (int64_t i = 0; i < count; i++)
            text_table_put(g, i + 1, column, mem_text(r->cases[cases[i]].run));
        g->is_left[column++] = true;
    }
    for (int64_t k = 0; k < keys.count; k++) {
        text_table_put(g, 0, column, mem_text(keys.names[k]));
        for (int64_t i = 0; i < count; i++) {
            const char *value = results_find_value(&r->cases[cases[i]].values, keys.names[k]);
            text_table_put(g, i + 1, column, mem_text(value == NULL ? "-" : value));
        }
        g->is_left[column++] = true;
    }
    mem_free(keys.names);
}

char *case_names_text(const struct results *r, int64_t index)
{
    const struct results_case *c = &r->cases[index];
    struct text out = {0};

    if (c->run != NULL)
        text_add(&out, c->run);
    for (int64_t i = 0; i < c->values.count; i++)
        text_addf(&out, "%s%s=%s", out.length > 0 ? ", " : "", c->values.items[i].key,
                  c->values.items[i].text);
    return text_take(&out);
}
