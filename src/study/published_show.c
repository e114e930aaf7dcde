/*
 * published_show.c - published figures next to measured ones, as text and for results.json.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/text_table.h"
#include "study/published.h"

enum { NAME, WHAT, PUBLISHED, MEASURED, VERDICT, COLUMNS };

static const int digits[CLAIM_KINDS] = {
    [CLAIM_ACCURACY] = 2, [CLAIM_LOSS] = 4, [CLAIM_SECONDS] = 1};

static char *range_text(const struct claim *c)
{
    if (c->kind == CLAIM_DIVERGES)
        return mem_text("diverges");
    if (c->low == c->high)
        return text_format("%.*f", digits[c->kind], c->low);
    return text_format("%.*f - %.*f", digits[c->kind], c->low, digits[c->kind], c->high);
}

static char *measured_text(const struct judgement *j)
{
    const int64_t all = j->row->seeds + j->row->failed;

    if (j->claim->kind == CLAIM_DIVERGES && j->row->diverged > 0)
        return all == 1 ? mem_text("diverged")
                        : text_format("%" PRId64 " of %" PRId64, j->row->diverged, all);
    if (j->claim->kind == CLAIM_DIVERGES && !isnan(j->measured))
        return text_format("%.2f %%", 100 * j->measured);
    if (isnan(j->measured))
        return mem_text(j->claim->kind == CLAIM_ROUNDS_TO_97 && j->row->seeds > 0 ? "never" : "-");
    return text_format("%.*f", digits[j->claim->kind], j->measured);
}

/* The entry, and the values that vary. */
static char *row_name(const struct comparison_row *row)
{
    struct text name = {0};

    text_add(&name, row->run->entry == NULL ? "" : row->run->entry);
    for (int64_t i = 0; i < row->run->values.count; i++)
        text_addf(&name, "%s%s=%s", name.length == 0 ? "" : " ", row->run->values.items[i].key,
                  row->run->values.items[i].text);
    if (name.length == 0)
        text_add(&name, "run"); /* one row, whose runs differ in the seed at most */
    return text_take(&name);
}

static void put_line(struct text_table *g, int64_t line, const struct judgement *j)
{
    text_table_put(g, line, NAME, row_name(j->row));
    text_table_put(g, line, WHAT, mem_text(published_claim_name(j->claim)));
    text_table_put(g, line, PUBLISHED, range_text(j->claim));
    text_table_put(g, line, MEASURED, measured_text(j));
    text_table_put(g, line, VERDICT, mem_text(verdict_names[j->verdict]));
}

static void add_summary(const struct judgements *j, struct text *out)
{
    const int64_t *n = j->by_verdict;

    text_addf(out, "%" PRId64 " better, %" PRId64 " reached, %" PRId64 " worse", n[VERDICT_BETTER],
              n[VERDICT_REACHED], n[VERDICT_WORSE]);
    if (n[VERDICT_FAILED] > 0)
        text_addf(out, ", %" PRId64 " of failed runs", n[VERDICT_FAILED]);
    if (n[VERDICT_NOT_RUN] > 0)
        text_addf(out, ", %" PRId64 " of runs that were not made", n[VERDICT_NOT_RUN]);
    text_add(out, "; within 1 point of accuracy, or 10 % of another number, is reached\n");
}

void published_judgements_text(const struct judgements *j, struct text *out)
{
    static const char *const headings[COLUMNS] = {"run", "", "published", "measured", "verdict"};
    struct text_table g = text_table_new(j->count + 1, COLUMNS);

    if (j->count > 0) {
        for (int c = 0; c < COLUMNS; c++)
            text_table_put(&g, 0, c, mem_text(headings[c]));
        for (int64_t i = 0; i < j->count; i++)
            put_line(&g, i + 1, &j->items[i]);
        g.is_left[NAME] = g.is_left[WHAT] = g.is_left[VERDICT] = true;
        text_add(out, "\n");
        text_table_write(&g, out);
        add_summary(j, out);
    }
    if (j->idle > 0)
        text_addf(out, "%" PRId64 " published number%s about no run of this table\n", j->idle,
                  j->idle == 1 ? " is" : "s are");
    text_table_free(&g);
}

void published_judgements_results(const struct judgements *j, struct results *r)
{
    r->claims = MEM_NEW_N(struct results_claim, j->count);
    for (int64_t i = 0; i < j->count; i++) {
        const struct judgement *one = &j->items[i];
        const bool is_number = one->claim->kind != CLAIM_DIVERGES;
        char *name = row_name(one->row);

        r->claims[r->claim_count++] = (struct results_claim){
            .run = results_keep(r, name),
            .number = published_claim_name(one->claim),
            .low = is_number ? one->claim->low : (double)NAN,
            .high = is_number ? one->claim->high : (double)NAN,
            .measured = one->measured,
            .verdict = verdict_names[one->verdict],
        };
        mem_free(name);
    }
}
