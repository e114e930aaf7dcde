/*
 * runner.c - the runs of a study, one after the other, in one folder.
 */
#include "study/runner.h"

#include <math.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/temporary.h"
#include "comm/world.h"
#include "study/broadcast.h"
#include "study/eta.h"
#include "study/resume_decision.h"
#include "study/run_in_folder.h"
#include "study/runner_internal.h"
#include "study/same_data.h"
#include "study/tune.h"

/* --- one run --- */

/* Trains and writes result.json; returns the status of the training. */
static enum status run_one(const struct runner *w, int64_t run)
{
    char *folder = runner_folder_of(w, run);
    struct run_outcome outcome;
    const struct folder_run how = {
        .folder = folder,
        .resumes = w->decisions[run] == RESUME_CONTINUE,
        .save = w->request->save,
        .is_temporary = !w->study->output.write,
        .argc = w->request->argc,
        .argv = w->request->argv,
    };
    const enum status s = run_in_folder(&w->study->runs[run], &how, &outcome);

    run_outcome_release(&outcome);
    mem_free(folder);
    return s;
}

static void report_failure(struct runner *w, int64_t run, enum status s)
{
    const char *why = status_message();

    w->first_failure = w->outcome->failed++ == 0 ? s : w->first_failure;
    if (w->reports)
        log_say(LOG_ERROR, "%s failed%s%s", w->study->runs[run].name, why[0] == '\0' ? "" : ": ",
                why);
}

enum status runner_begin_run(struct runner *w, int64_t run)
{
    w->number++;
    if (!w->reports)
        return STATUS_OK;
    log_info("run %lld of %lld: %s", (long long)w->number, (long long)w->all,
             w->study->runs[run].name);
    char *folder = runner_folder_of(w, run);
    const enum status s = file_remove_in(folder, "result.json");
    mem_free(folder);
    TRY(s);
    TRY(runner_remove_models(w, run));
    return runner_remove_series(w, run);
}

/* And of the runs that are read from it. */
static enum status read_result(struct runner *w, int64_t run)
{
    const struct study *s = w->study;

    TRY(runner_read_result(w, run));
    for (int64_t i = 0; i < s->count; i++)
        if (w->decisions[i] == RESUME_PART && s->runs[i].whole == &s->runs[run])
            TRY(runner_read_result(w, i));
    return STATUS_OK;
}

/* The files of the data may have changed since an earlier call. */
static void warn_of_other_data(const struct runner *w, int64_t run)
{
    const struct compared_run *results = w->outcome->results;
    const int64_t other = same_data_find_other(w->study, results, run);

    if (other >= 0)
        log_warning("%s and %s cannot be compared: the first was trained on data with %s, the "
                    "second with %s; train all runs on the same data, in a new folder",
                    w->study->runs[run].name, w->study->runs[other].name, results[run].data,
                    results[other].data);
}

enum status runner_end_run(struct runner *w, int64_t run, enum status s)
{
    struct compared_run *result = &w->outcome->results[run];

    if (s == STATUS_OK && w->reports)
        s = read_result(w, run);
    if (s == STATUS_OK && w->reports) {
        warn_of_other_data(w, run);
        TRY(runner_write_models(w, run));
        return runner_write_series(w, run);
    }
    if (s == STATUS_OK || s == STATUS_INTERRUPTED)
        return s;
    report_failure(w, run, s);
    char *why = mem_text(status_message());
    if (w->reports)
        (void)read_result(w, run); /* what there is of it, as later calls find it */
    result->state = RESULT_FAILED;
    result->diverged = s == STATUS_DIVERGED;
    compared_run_explain(result, why);
    mem_free(why);
    return STATUS_OK;
}

static enum status run_and_read(struct runner *w, int64_t run)
{
    enum status s = runner_begin_run(w, run);

    if (s == STATUS_OK)
        s = run_one(w, run);
    log_close_file();
    return runner_end_run(w, run, s);
}

/* --- all --- */

enum status runner_fail_interrupted(const struct runner *w)
{
    if (!w->study->output.write)
        return FAIL(STATUS_INTERRUPTED, "stopped; nothing was saved (output.write: false)");
    return FAIL(STATUS_INTERRUPTED, "stopped; resume with: muster run --resume %s",
                w->request->part_of != NULL ? w->request->part_of : w->outcome->folder);
}

/* For the progress line of the current run: its place, and how long all will take if runs take as
 * long as those before. */
struct turn {
    const struct runner *w;
    int64_t due, done;
    double started_at, run_started_at;
};

static void add_place(const void *context, struct text *line)
{
    const struct turn *t = context;
    const double now = clock_seconds();
    const double mean = (t->run_started_at - t->started_at) / (double)t->done;
    const struct eta_run current = {.now = fmin((now - t->run_started_at) / mean, 0.99)};
    const double left = eta_seconds(&(struct eta){
        .runs = t->due,
        .done = t->done,
        .seconds = now - t->started_at,
        .running = &current,
        .count = t->done > 0 ? 1 : 0, /* the first one may be as long as it likes */
    });
    char words[32];

    text_addf(line, "run %lld of %lld", (long long)t->w->number, (long long)t->w->all);
    clock_duration(words, sizeof words, left);
    if (!isnan(left))
        text_addf(line, ", about %s left in all", words);
    text_add(line, "  ");
}

static enum status run_each(struct runner *w, struct turn *t)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        if (!runner_is_due(w, i))
            continue;
        t->run_started_at = clock_seconds();
        const enum status s = signals_stop_requested() ? STATUS_INTERRUPTED : run_and_read(w, i);
        if (w->reports)
            TRY(runner_write_results(w));
        if (s == STATUS_INTERRUPTED)
            return runner_fail_interrupted(w);
        TRY(s);
        t->done++;
    }
    return STATUS_OK;
}

static enum status run_in_turn(struct runner *w)
{
    struct turn t = {.w = w, .due = runner_count_due(w), .started_at = clock_seconds()};

    if (w->all > 1)
        log_set_progress_prefix(add_place, &t);
    const enum status s = run_each(w, &t);
    log_set_progress_prefix(NULL, NULL);
    return s;
}

static enum status run_all(struct runner *w)
{
    TRY(w->request->jobs > 1 ? runner_run_jobs(w) : run_in_turn(w));
    if (w->outcome->failed > 0)
        return FAIL(w->first_failure, "%lld of %lld runs failed", (long long)w->outcome->failed,
                    (long long)w->wanted);
    return STATUS_OK;
}

/* A run that diverged before counts as failed, although it is not run again. */
static void count_diverged(struct runner *w, int64_t run)
{
    w->outcome->failed++;
    w->first_failure = STATUS_DIVERGED;
    if (w->reports)
        log_warning("skipping %s, which diverged before; remove its folder to run it again",
                    w->study->runs[run].name);
}

static void count_runs(struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        w->outcome->skipped += w->decisions[i] == RESUME_SKIP ? 1 : 0;
        w->wanted += runner_is_wanted(w, i) ? 1 : 0;
        if (w->decisions[i] == RESUME_DIVERGED)
            count_diverged(w, i);
    }
    w->number = w->before + w->outcome->skipped + w->outcome->failed;
    w->all = w->before + w->wanted + w->request->others;
    if (w->reports && w->outcome->skipped > 0)
        log_info("%lld of %lld runs had already finished", (long long)w->outcome->skipped,
                 (long long)w->wanted);
}

/* Nothing stays of it but the results in memory. */
static void remove_folder(struct runner *w)
{
    if (w->outcome->folder != NULL && w->reports)
        temporary_remove(w->outcome->folder);
    mem_free(w->outcome->folder);
    w->outcome->folder = NULL;
}

/* The settings of runs must be known before it is decided what is to be done with them. */
static enum status tune(struct runner *w, struct study *s, int64_t *failed)
{
    struct text folder = {0};

    if (s->tuning == NULL)
        return STATUS_OK;

    enum status status = broadcast_decision(runner_open, w, &folder);

    if (status == STATUS_OK) {
        mem_free(w->outcome->folder);
        w->outcome->folder = mem_text(text_get(&folder));
        status = tune_run(s, w->request, w->outcome->folder, failed);
        w->before = tune_count(s);
    }
    text_release(&folder);
    return status;
}

static enum status fail_untuned(int64_t failed)
{
    return FAIL(STATUS_DIVERGED, "%lld case%s could not be tuned", (long long)failed,
                failed == 1 ? "" : "s");
}

enum status runner_run(struct study *s, const struct runner_request *q,
                       struct runner_outcome *outcome)
{
    struct runner w = {.study = s, .request = q, .outcome = outcome, .reports = world_reports()};
    struct text decision = {0};
    int64_t untuned = 0;

    *outcome = (struct runner_outcome){.results = MEM_NEW_N(struct compared_run, s->count)};
    signals_catch(w.reports); /* before the first file is written, not with the first run */
    enum status status = tune(&w, s, &untuned);
    if (status == STATUS_OK)
        status = broadcast_decision(runner_decide, &w, &decision);
    if (status == STATUS_OK) {
        outcome->has_begun = true;
        w.decisions = text_get(&decision);
        mem_free(outcome->folder);
        outcome->folder = mem_text(w.decisions + s->count);
        count_runs(&w);
        status = run_all(&w);
    }
    if (status == STATUS_OK && untuned > 0)
        status = fail_untuned(untuned);
    if (status != STATUS_OK && !w.reports)
        status = FAIL(status, "%s", ""); /* one of several processes prints it */
    if (!s->output.write)
        remove_folder(&w);
    match_folders_release(&w.matches);
    lock_release(&w.lock);
    text_release(&decision);
    return status;
}

void runner_outcome_release(struct runner_outcome *o)
{
    mem_free(o->folder);
    mem_free(o->results);
    *o = (struct runner_outcome){0};
}
