/*
 * paired_show.c - the comparisons with the best case as text in columns.
 */
#include "study/paired_show.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/statistics.h"
#include "base/text_table.h"
#include "study/case_names.h"

static char *shown(int number, double value)
{
    struct text out = {0};

    text_add_fixed(&out, result_numbers[number].scale * value, result_numbers[number].digits);
    return text_take(&out);
}

static char *shown_interval(int number, const struct paired_case *c)
{
    char *low = shown(number, c->low), *high = shown(number, c->high);
    char *both = text_format("%s to %s", low, high);

    mem_free(low);
    mem_free(high);
    return both;
}

static char *shown_p(double p)
{
    return p < 1e-4 ? mem_text("<0.0001") : text_format("%.2g", p);
}

/* Of cases that are the same no number of seeds is enough. */
static char *shown_more(const struct paired_case *c)
{
    if (c->more_seeds < 0)
        return c->low == c->high ? mem_text("-")
                                 : text_format("over %d", (int)STATISTICS_MOST_NEEDED);
    return text_format("%" PRId64, c->more_seeds);
}

static void put_row(struct text_table *g, int64_t row, int64_t column, int number,
                    const struct paired_case *c)
{
    text_table_put(g, row, column++, text_format("%" PRId64, c->seeds));
    text_table_put(g, row, column++, shown(number, c->difference));
    text_table_put(g, row, column++, shown_interval(number, c));
    text_table_put(g, row, column++, shown_p(c->p_holm));
    text_table_put(g, row, column, shown_more(c));
}

static void add_table(const struct results *r, const struct paired_cases *p, int64_t count,
                      struct text *out)
{
    static const char *const headings[] = {"difference", "95 % interval", "p (Holm)"};
    enum { HEADINGS = sizeof headings / sizeof headings[0], COLUMNS = HEADINGS + 2 };
    const char *runs = results_repetitions(r);
    const int64_t names = case_names_columns(r);
    const struct paired_case *first = &p->items[1]; /* after the best */
    struct text_table g = text_table_new(count + 1, names + COLUMNS);
    int64_t *cases = MEM_NEW_N(int64_t, count);

    for (int64_t i = 0; i < count; i++)
        cases[i] = first[i].index;
    case_names_put(r, cases, count, &g);
    text_table_put(&g, 0, names, mem_text(runs));
    for (int i = 0; i < HEADINGS; i++)
        text_table_put(&g, 0, names + 1 + i, mem_text(headings[i]));
    text_table_put(&g, 0, names + 1 + HEADINGS, text_format("more %s needed", runs));
    for (int64_t i = 0; i < count; i++)
        put_row(&g, i + 1, names, p->number, &first[i]);
    text_table_write(&g, out);
    text_table_free(&g);
    mem_free(cases);
}

void paired_cases_text(const struct results *r, const struct paired_cases *p, struct text *out)
{
    const int64_t count = p->compared < PAIRED_SHOW_ROWS ? p->compared : PAIRED_SHOW_ROWS;

    if (count == 0)
        return;

    const char *heading = result_numbers[p->number].heading;
    char *best = case_names_text(r, p->items[0].index);

    text_addf(out, "*: best %s, and cases that are not distinguishable from it\n\n", heading);
    text_addf(out, "compared with the best (%s) over %s, %s, paired t test:\n", best,
              results_repetitions(r), heading);
    mem_free(best);
    add_table(r, p, count, out);
    if (p->compared > count)
        text_addf(out, "%" PRId64 " more cases are left out; their difference is larger\n",
                  p->compared - count);
}
