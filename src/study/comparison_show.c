/*
 * comparison_show.c - the comparison as the study's results, and these as text in columns.
 *
 * Not here: results as JSON and CSV (record/results.c).
 */
#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "study/case_names.h"
#include "study/paired_show.h"
#include "study/published.h"

/* --- the results --- */

static void fill_values(const struct study_run *run, struct results_values *v)
{
    v->items = MEM_NEW_N(struct results_value, run->values.count);
    for (int64_t i = 0; i < run->values.count; i++)
        v->items[v->count++] = (struct results_value){
            .key = run->values.items[i].key,
            .text = run->values.items[i].text,
        };
}

static void fill_case(const struct comparison_row *row, struct results_case *c)
{
    *c = (struct results_case){
        .run = row->run->entry,
        .seeds = row->seeds,
        .failed = row->failed,
        .not_run = row->waiting,
        .diverged = row->diverged,
        .reason = row->reason,
    };
    fill_values(row->run, &c->values);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        c->numbers[n] = row->numbers[n];
}

static void add_run(struct results *r, const struct study_run *run, const struct compared_run *of)
{
    struct results_run *out = &r->runs[r->run_count++];
    char *run_dir = r->folder == NULL ? NULL : file_join(r->folder, run->name);

    *out = (struct results_run){
        .name = run->name,
        .run = run->entry,
        .seed = run->seed,
        .status = result_state_names[of->state],
        .reason = of->state == RESULT_FAILED && of->reason[0] != '\0' ? of->reason : NULL,
        .run_dir = results_keep(r, run_dir),
    };
    fill_values(run, &out->values);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        out->numbers[n] = of->numbers[n];
    mem_free(run_dir);
}

void comparison_results(const struct comparison *t, const char *folder,
                        const struct judgements *judged, struct results *r)
{
    *r = (struct results){
        .name = t->study->name,
        .folder = folder,
        .milestones = t->study->milestones,
        .cases = MEM_NEW_N(struct results_case, t->count),
        .runs = MEM_NEW_N(struct results_run, t->study->count),
    };
    for (int64_t i = 0; i < t->count; i++)
        fill_case(&t->rows[i], &r->cases[r->case_count++]);
    for (int64_t i = 0; i < t->study->count; i++)
        if (comparison_shows(t, i))
            add_run(r, &t->study->runs[i], &t->results[i]);
    if (judged != NULL)
        published_judgements_results(judged, r);
}

/* --- the table for people --- */

#define PLUS_MINUS "\xC2\xB1"

static bool has_seeds(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->run_count; i++)
        found = found || r->runs[i].seed != NULL;
    return found;
}

static bool is_target(int number)
{
    return number >= RESULT_TARGET_ROUNDS && number <= RESULT_TARGET_BYTES;
}

/* A target that no run reaches is shown, too. */
static bool is_shown(const struct results *t, int number)
{
    bool found = results_have(t, number) && (is_target(number) || number == RESULT_AT_USED);

    if (number == RESULT_AT_LOSS && is_shown(t, RESULT_AT_ACCURACY))
        return false;
    for (int64_t i = 0; i < t->case_count && result_numbers[number].heading != NULL; i++)
        found = found || !isnan(t->cases[i].numbers[number].mean);
    return found;
}

/* 1500000 as 1.5M. */
static void add_short(struct text *out, double value)
{
    static const struct {
        double from;
        const char *suffix;
    } suffixes[] = {
        {1e9, "G"},
        {1e6, "M"},
        {1e4, "k"},
    };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (value >= suffixes[i].from) {
            const double unit = suffixes[i].from == 1e4 ? 1e3 : suffixes[i].from;

            text_addf(out, "%.4g%s", value / unit, suffixes[i].suffix);
            return;
        }
    text_addf(out, "%.4g", value);
}

/* "% at bytes:1.5M", "rounds to 90 %"; mem_free. */
static char *heading(const struct results *t, int number)
{
    const char *what = result_numbers[number].heading;
    const struct milestones *m = &t->milestones;
    struct text out = {0};

    text_add(&out, what);
    if (number == RESULT_AT_ACCURACY || number == RESULT_AT_LOSS) {
        text_addf(&out, " at %s:", amount_unit_name(m->at.unit));
        add_short(&out, m->at.value);
    } else if (is_target(number) && m->target_kind == TARGET_ACCURACY) {
        text_addf(&out, " to %.4g %%", 100 * m->target);
    } else if (is_target(number)) {
        text_addf(&out, " to loss %.4g", m->target);
    }
    return text_take(&out);
}

static void add_value(struct text *out, int number, double value)
{
    const struct result_number_name *n = &result_numbers[number];

    if (number == RESULT_AT_USED)
        add_short(out, value);
    else if (n->digits < 0)
        text_addf(out, "%.*g", -n->digits, n->scale * value);
    else
        text_add_fixed(out, n->scale * value, n->digits);
}

/* All seeds may agree. */
static bool has_interval(const struct mean_deviation *m)
{
    return m->half_width > 0;
}

/* What only some of the seeds came to is the mean of these. */
static char *shown(const struct results_case *c, int number)
{
    const struct mean_deviation *m = &c->numbers[number];
    struct text out = {0};

    if (isnan(m->mean))
        return mem_text(is_target(number) && c->seeds > 0 ? "not reached" : "-");
    add_value(&out, number, m->mean);
    if (has_interval(m)) {
        text_add(&out, " " PLUS_MINUS " ");
        add_value(&out, number, m->half_width);
    }
    if (number >= RESULT_AT_ACCURACY && number <= RESULT_TARGET_BYTES && m->count < c->seeds)
        text_addf(&out, " (%" PRId64 " of %" PRId64 ")", m->count, c->seeds);
    return text_take(&out);
}

/* "failed: killed by signal 9 (perhaps out of memory)", "1 of 3 failed: ..." */
static char *failed_remark(const struct results_case *c, int64_t all)
{
    struct text out = {0};

    if (all > 1)
        text_addf(&out, "%" PRId64 " of %" PRId64 " ", c->failed, all);
    text_addf(&out, "failed%s%s", c->reason == NULL ? "" : ": ",
              c->reason == NULL ? "" : c->reason);
    return text_take(&out);
}

static char *remark(const struct results_case *c)
{
    const int64_t all = c->seeds + c->failed + c->not_run;

    if (c->failed > 0)
        return failed_remark(c, all);
    return c->not_run == all ? mem_text("not run") : NULL;
}

static int64_t put_numbers(const struct results *t, struct text_table *g, int64_t column,
                           int number)
{
    if (!is_shown(t, number))
        return column;
    text_table_put(g, 0, column, heading(t, number));
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(g, i + 1, column, shown(&t->cases[i], number));
    return column + 1;
}

static int64_t put_names(const struct results *t, struct text_table *g)
{
    int64_t *all = MEM_NEW_N(int64_t, t->case_count);
    int64_t column = case_names_columns(t);

    for (int64_t i = 0; i < t->case_count; i++)
        all[i] = i;
    case_names_put(t, all, t->case_count, g);
    mem_free(all);
    if (!has_seeds(t))
        return column;
    text_table_put(g, 0, column, mem_text("seeds"));
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(g, i + 1, column, text_format("%" PRId64, t->cases[i].seeds));
    return column + 1;
}

/* Stars at the best case and at those that are not distinguishable from it. */
static int64_t put_best(const struct paired_cases *p, struct text_table *g, int64_t column)
{
    if (p->compared == 0)
        return column;
    text_table_put(g, 0, column, mem_text("best"));
    for (int64_t i = 0; i < p->count; i++)
        if (p->items[i].is_best || p->items[i].is_tied)
            text_table_put(g, p->items[i].index + 1, column, mem_text("*"));
    return column + 1;
}

static bool shows_interval(const struct results *t)
{
    bool found = false;

    for (int n = 0; n < RESULT_NUMBERS; n++) {
        if (!is_shown(t, n))
            continue;
        for (int64_t i = 0; i < t->case_count; i++)
            found = found || has_interval(&t->cases[i].numbers[n]);
    }
    return found;
}

static void add_table(const struct results *t, const struct paired_cases *p, struct text *out)
{
    struct text_table g =
        text_table_new(t->case_count + 1, case_names_columns(t) + 3 + RESULT_NUMBERS);
    int64_t column = put_best(p, &g, put_names(t, &g));

    for (int n = 0; n < RESULT_NUMBERS; n++)
        column = put_numbers(t, &g, column, n);
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(&g, i + 1, column, remark(&t->cases[i]));
    g.is_left[column] = true;
    text_table_write(&g, out);
    text_table_free(&g);
}

void comparison_text(const struct results *t, struct text *out)
{
    struct paired_cases p;

    paired_cases_init(&p, t);
    add_table(t, &p, out);
    if (shows_interval(t))
        text_add(out, PLUS_MINUS ": 95 % confidence interval of the mean over seeds\n");
    paired_cases_text(t, &p, out);
    paired_cases_release(&p);
}
