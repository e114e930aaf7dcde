/*
 * comparison_show.c - the comparison as the study's results, and these as text in columns.
 *
 * Not here: results as JSON and CSV (record/results.c).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "record/results_table.h"
#include "study/case_names.h"
#include "study/paired_show.h"
#include "study/published.h"
#include "study/tune.h"

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

/* Those of its case that were trained. */
static void fill_tuned(const struct study *tuning, const struct study_run *run,
                       struct results_case *c)
{
    fill_values(run->tuned, &c->tuned);
    c->tuned_loss = run->tuned_loss;
    for (int64_t i = 0; i < tuning->count; i++)
        if (tuning->runs[i].whole == NULL &&
            strcmp(tuning->runs[i].entry, run->tuned->entry) == 0) {
            char *name = file_join(TUNE_FOLDER, tuning->runs[i].name);

            rundir_names_add(&c->tuning_runs, name);
            mem_free(name);
        }
}

static void fill_case(const struct study *s, const struct comparison_row *row,
                      struct results_case *c)
{
    *c = (struct results_case){
        .run = row->run->entry,
        .seeds = row->seeds,
        .failed = row->failed,
        .not_run = row->waiting,
        .diverged = row->diverged,
        .stage = row->run->stage,
        .reason = row->reason,
    };
    fill_values(row->run, &c->values);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        c->numbers[n] = row->numbers[n];
    if (row->run->tuned != NULL)
        fill_tuned(s->tuning, row->run, c);
}

static void add_run(struct results *r, const struct study_run *run, const struct compared_run *of)
{
    struct results_run *out = &r->runs[r->run_count++];
    const bool is_part = of->is_part;
    const char *trained = is_part ? run->whole->name : run->name;
    char *run_dir = r->folder == NULL ? NULL : file_join(r->folder, trained);

    *out = (struct results_run){
        .name = run->name,
        .run = run->entry,
        .fold = run->fold,
        .seed = run->seed,
        .status = result_state_names[of->state],
        .reason = of->state == RESULT_FAILED && of->reason[0] != '\0' ? of->reason : NULL,
        .run_dir = results_keep(r, run_dir),
        .part_of = is_part ? trained : NULL,
        .as_of_round = of->as_of_round,
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
        .stages = t->study->stages,
        .is_by_validation = t->study->is_by_validation,
        .cases = MEM_NEW_N(struct results_case, t->count),
        .runs = MEM_NEW_N(struct results_run, t->study->count),
    };
    for (int64_t i = 0; i < t->count; i++)
        fill_case(t->study, &t->rows[i], &r->cases[r->case_count++]);
    for (int64_t i = 0; i < t->study->count; i++)
        if (comparison_shows(t, i))
            add_run(r, &t->study->runs[i], &t->results[i]);
    if (judged != NULL)
        published_judgements_results(judged, r);
}

/* --- the table for people --- */

static int64_t put_numbers(const struct results *t, struct text_table *g, int64_t column,
                           int number)
{
    if (!results_table_shows(t, number))
        return column;
    text_table_put(g, 0, column, results_table_heading(t, number));
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(g, i + 1, column, results_table_cell(&t->cases[i], number));
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
    if (results_repetitions(t) != NULL) {
        text_table_put(g, 0, column, mem_text(results_repetitions(t)));
        for (int64_t i = 0; i < t->case_count; i++)
            text_table_put(g, i + 1, column, text_format("%" PRId64, t->cases[i].seeds));
        column++;
    }
    return column;
}

/* The last stage of each case. */
static int64_t put_stages(const struct results *t, struct text_table *g, int64_t column)
{
    if (t->stages.count == 0)
        return column;
    text_table_put(g, 0, column, mem_text("stage"));
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(g, i + 1, column, text_format("%" PRId64, t->cases[i].stage));
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

static void add_table(const struct results *t, const struct paired_cases *p, struct text *out)
{
    struct text_table g =
        text_table_new(t->case_count + 1, case_names_columns(t) + 4 + RESULT_NUMBERS);
    int64_t column = put_best(p, &g, put_stages(t, &g, put_names(t, &g)));

    for (int n = 0; n < RESULT_NUMBERS; n++)
        column = put_numbers(t, &g, column, n);
    for (int64_t i = 0; i < t->case_count; i++)
        text_table_put(&g, i + 1, column, results_table_remark(&t->cases[i]));
    g.is_left[column] = true;
    text_table_write(&g, out);
    text_table_free(&g);
}

/* "stage 1: 9 cases, 1 epoch; stage 2: 3 cases, 3 epochs" */
static void add_stages(const struct results *t, struct text *out)
{
    for (int64_t stage = 1; stage <= t->stages.count; stage++) {
        const int64_t epochs = t->stages.epochs[stage - 1];
        int64_t cases = 0;

        for (int64_t i = 0; i < t->case_count; i++)
            cases += t->cases[i].stage >= stage ? 1 : 0;
        text_addf(out, "%sstage %" PRId64 ": %" PRId64 " case%s, %" PRId64 " epoch%s",
                  stage == 1 ? "" : "; ", stage, cases, cases == 1 ? "" : "s", epochs,
                  epochs == 1 ? "" : "s");
    }
    text_add(out, t->stages.count > 0 ? "\n" : "");
}

void comparison_text(const struct results *t, struct text *out)
{
    struct paired_cases p;

    paired_cases_init(&p, t);
    add_table(t, &p, out);
    add_stages(t, out);
    if (results_table_has_interval(t)) {
        results_table_explain_interval(t, out);
        text_add(out, "\n");
    }
    paired_cases_text(t, &p, out);
    paired_cases_release(&p);
}
