/*
 * published_show.c - published figures beside measured ones, for people and as JSON.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "study/grid.h"
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

/* The run, and what is different about it. */
static char *row_name(const struct study_row *row)
{
    struct text name = {0};

    text_add(&name, row->cell->run == NULL ? "" : row->cell->run);
    for (int64_t i = 0; i < row->cell->values.count; i++)
        text_addf(&name, "%s%s=%s", name.length == 0 ? "" : " ", row->cell->values.items[i].key,
                  row->cell->values.items[i].text);
    if (name.length == 0)
        text_add(&name, "run"); /* one row, whose cells differ in the seed at most */
    return text_take(&name);
}

static void put_line(struct grid *g, int64_t line, const struct judgement *j)
{
    grid_put(g, line, NAME, row_name(j->row));
    grid_put(g, line, WHAT, mem_text(claim_name(j->claim)));
    grid_put(g, line, PUBLISHED, range_text(j->claim));
    grid_put(g, line, MEASURED, measured_text(j));
    grid_put(g, line, VERDICT, mem_text(verdict_names[j->verdict]));
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

void judgements_text(const struct judgements *j, struct text *out)
{
    static const char *const headings[COLUMNS] = {"run", "", "published", "measured", "verdict"};
    struct grid g = grid_new(j->count + 1, COLUMNS);

    if (j->count > 0) {
        for (int c = 0; c < COLUMNS; c++)
            grid_put(&g, 0, c, mem_text(headings[c]));
        for (int64_t i = 0; i < j->count; i++)
            put_line(&g, i + 1, &j->items[i]);
        g.is_left[NAME] = g.is_left[WHAT] = g.is_left[VERDICT] = true;
        text_add(out, "\n");
        grid_write(&g, out);
        add_summary(j, out);
    }
    if (j->idle > 0)
        text_addf(out, "%" PRId64 " published number%s about no run of this table\n", j->idle,
                  j->idle == 1 ? " is" : "s are");
    grid_free(&g);
}

void judgements_json(const struct judgements *j, struct json *out)
{
    json_open_list(out, "published");
    for (int64_t i = 0; i < j->count; i++) {
        const struct judgement *one = &j->items[i];
        char *name = row_name(one->row);

        json_open_map(out, NULL);
        json_text(out, "run", name);
        json_text(out, "number", claim_name(one->claim));
        if (one->claim->kind != CLAIM_DIVERGES) {
            json_number(out, "low", one->claim->low);
            json_number(out, "high", one->claim->high);
        }
        json_number(out, "measured", one->measured);
        json_text(out, "verdict", verdict_names[one->verdict]);
        json_close_map(out);
        mem_free(name);
    }
    json_close_list(out);
}
