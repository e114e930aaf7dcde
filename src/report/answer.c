/*
 * answer.c - the tables at the top of a report.
 */
#include "report/answer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "record/results_table.h"

/* --- the cases --- */

/* Of a target that nobody asked for, the time is enough; and the table must fit on a screen. */
static bool shows(const struct subject *s, int number)
{
    const bool is_target = number >= RESULT_TARGET_ROUNDS && number <= RESULT_TARGET_BYTES;

    return results_table_shows(&s->results, number) && number != RESULT_SAMPLES_PER_S &&
           !(s->has_chosen_target && is_target && number != RESULT_TARGET_SECONDS);
}

static bool has_seeds(const struct results *r)
{
    return r->run_count > r->case_count;
}

static bool has_speedup(const struct subject *s)
{
    bool found = false;

    for (int64_t i = 0; i < s->results.case_count; i++)
        found = found || isfinite(s->cases[i].speedup);
    return found;
}

static bool has_entries(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->case_count; i++)
        found = found || r->cases[i].run != NULL;
    return found;
}

static void add_columns(const struct subject *s, const struct results_keys *keys, struct table *t)
{
    const struct results *r = &s->results;

    if (has_entries(r) || keys->count == 0)
        table_column(t, mem_text("run"), false);
    for (int64_t k = 0; k < keys->count; k++)
        table_column(t, mem_text(keys->names[k]), false);
    if (has_seeds(r))
        table_column(t, mem_text("seeds"), true);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (shows(s, n))
            table_column(t, results_table_heading(r, n), true);
    if (has_speedup(s))
        table_column(t, mem_text("speed-up"), true);
    table_column(t, mem_text("state"), false);
}

/* "finished", "1 of 3 failed: ...", "2 of 3 diverged", or that of a run that goes on. */
static char *state_text(const struct subject *s, int64_t number)
{
    const struct results_case *c = &s->results.cases[number];
    const int64_t all = c->seeds + c->failed + c->not_run;
    char *remark = results_table_remark(c);

    if (remark != NULL && !(c->not_run > 0))
        return remark;
    mem_free(remark);
    if (c->diverged > 0)
        return text_format("%" PRId64 " of %" PRId64 " no better than guessing", c->diverged, all);
    if (c->seeds > 0 && c->not_run == 0)
        return mem_text("finished");
    for (int64_t i = 0; i < s->results.run_count; i++)
        if (s->runs[i].case_number == number && strcmp(s->results.runs[i].status, "finished") != 0)
            return mem_text(s->results.runs[i].status);
    return mem_text("not run");
}

static void add_case(const struct subject *s, const struct results_keys *keys, int64_t number,
                     struct table *t)
{
    const struct results *r = &s->results;
    const struct results_case *c = &r->cases[number];

    if (has_entries(r) || keys->count == 0)
        table_put(t, mem_text(c->run != NULL ? c->run : s->cases[number].name));
    for (int64_t k = 0; k < keys->count; k++) {
        const char *value = results_find_value(&c->values, keys->names[k]);
        double sorted = (double)NAN;

        if (value != NULL && !text_to_double(value, &sorted))
            sorted = (double)NAN;
        table_put_number(t, value == NULL ? NULL : mem_text(value), sorted);
    }
    if (has_seeds(r))
        table_put_number(t, text_format("%" PRId64, c->seeds), (double)c->seeds);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (shows(s, n))
            table_put_number(t, results_table_cell(c, n), c->numbers[n].mean);
    if (has_speedup(s))
        table_put_number(t,
                         isfinite(s->cases[number].speedup)
                             ? text_format("%.2f", s->cases[number].speedup)
                             : NULL,
                         s->cases[number].speedup);
    table_put(t, state_text(s, number));
}

void answer_cases(const struct subject *s, struct table *t)
{
    struct results_keys keys = results_find_keys(&s->results);

    *t = (struct table){.id = "cases"};
    add_columns(s, &keys, t);
    for (int64_t i = 0; i < s->results.case_count; i++) {
        table_row(t, TABLE_PLAIN);
        add_case(s, &keys, i, t);
    }
    mem_free(keys.names);
}

/* --- published --- */

static char *claim_range(const struct results_claim *c)
{
    if (isnan(c->low))
        return mem_text(c->number == NULL ? "-" : c->number);
    return c->low == c->high ? text_format("%.6g", c->low)
                             : text_format("%.6g - %.6g", c->low, c->high);
}

void answer_published(const struct subject *s, struct table *t)
{
    *t = (struct table){.id = "published"};
    table_column(t, mem_text("case"), false);
    table_column(t, mem_text("number"), false);
    table_column(t, mem_text("published"), true);
    table_column(t, mem_text("here"), true);
    table_column(t, mem_text("verdict"), false);
    for (int64_t i = 0; i < s->results.claim_count; i++) {
        const struct results_claim *c = &s->results.claims[i];

        table_row(t, TABLE_PLAIN);
        table_put(t, c->run == NULL ? NULL : mem_text(c->run));
        table_put(t, c->number == NULL ? NULL : mem_text(c->number));
        table_put_number(t, claim_range(c), c->low);
        table_put_number(t, isnan(c->measured) ? NULL : text_format("%.6g", c->measured),
                         c->measured);
        table_put(t, c->verdict == NULL ? NULL : mem_text(c->verdict));
    }
}

/* --- in words --- */

void answer_summary(const struct subject *s, struct text *out)
{
    const int64_t cases = s->results.case_count, runs = s->results.run_count;

    if (runs == 1)
        text_addf(out, "One run: %s.", s->results.runs[0].status);
    else
        text_addf(out, "%" PRId64 " run%s of %" PRId64 " case%s.", runs, runs == 1 ? "" : "s",
                  cases, cases == 1 ? "" : "s");
}

void answer_comparisons(const struct subject *s, struct table *t)
{
    (void)s;
    *t = (struct table){.id = "comparisons"};
}
