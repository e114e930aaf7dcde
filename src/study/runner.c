/*
 * runner.c - the runs of a study, one after the other, in one folder.
 */
#include "study/runner.h"

#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/temporary.h"
#include "comm/world.h"
#include "record/rundir.h"
#include "study/broadcast.h"
#include "study/comparison.h"
#include "study/match_folders.h"
#include "study/resume_decision.h"
#include "study/settings.h"
#include "study/upgrade_folder.h"
#include "train/run.h"

struct runner {
    const struct study *study;
    const struct runner_request *request;
    struct runner_outcome *outcome;
    struct lock lock;             /* on the folder; of the process that decides, as is the next */
    struct match_folders matches; /* the folders of earlier calls */
    const char *decisions;        /* [study->count], enum resume_decision */
    enum status first_failure;
    int64_t wanted, number; /* runs that were asked for, and the number of the current one */
    bool reports;           /* of several processes, the one that prints and writes the table */
};

static char *folder_of(const struct runner *w, int64_t run)
{
    return file_join(w->outcome->folder, w->study->runs[run].name);
}

/* --- the folder, and what is to be done in it --- */

bool runner_is_study_folder(const char *folder)
{
    return file_exists_in(folder, "results.json");
}

/* The folder of one run becomes that of the study, if the run is one of the study's. */
static enum status upgrade_if_single(struct runner *w, const char *out)
{
    bool found = false;

    if (runner_is_study_folder(out) || !upgrade_folder_is_single_run(out))
        return STATUS_OK;
    TRY(lock_take(&w->lock, out));
    enum status s = upgrade_folder(w->study, out, &found);
    lock_release(&w->lock);
    if (s == STATUS_OK && !found)
        s = FAIL(STATUS_BAD_INPUT,
                 "%s: holds one run, whose settings are none of this experiment's; take another "
                 "--out",
                 out);
    return s;
}

/* Two processes may find that there is no such folder: the first to lock it gets it. */
static enum status open_given(struct runner *w, const char *out)
{
    TRY(upgrade_if_single(w, out));
    if (!runner_is_study_folder(out))
        TRY(rundir_make(out, w->study->name, &w->outcome->folder));
    else
        w->outcome->folder = mem_text(out);
    TRY(lock_take(&w->lock, out));
    rundir_sweep(out);
    return runner_is_study_folder(out) ? STATUS_OK : rundir_check(out);
}

static enum status open_folder(struct runner *w)
{
    if (!w->study->output.write)
        return temporary_make(&w->outcome->folder);
    if (w->request->out != NULL)
        return open_given(w, w->request->out);
    TRY(rundir_make_in(w->study->output.dir, w->study->name, &w->outcome->folder));
    return lock_take(&w->lock, w->outcome->folder);
}

/* A run that was not asked for cannot fail the check. */
static enum resume_decision decide_left_out(enum status s, enum resume_decision decision)
{
    return s == STATUS_OK && (decision == RESUME_SKIP || decision == RESUME_DIVERGED) ? RESUME_KEEP
                                                                                      : RESUME_OMIT;
}

static enum status decide_run(const struct runner *w, int64_t run, enum resume_decision *decision)
{
    const struct study_run *c = &w->study->runs[run];
    const char *name = match_folders_name(&w->matches, run);
    enum status s = STATUS_OK;

    *decision = RESUME_BEGIN;
    if (name != NULL) {
        char *path = file_join(w->outcome->folder, name);
        s = resume_decision_make(c, path, decision);
        mem_free(path);
    }
    if (!c->is_left_out)
        return s;
    *decision = decide_left_out(s, *decision);
    return STATUS_OK;
}

/* A row of the table does not mix runs of another length with runs as the file has them now; where
 * it has only the former, they count. */
static void keep_old_rows(const struct runner *w, struct text *decisions)
{
    bool *is_current = MEM_NEW_N(bool, w->study->case_count);

    for (int64_t i = 0; i < w->study->count; i++)
        if (decisions->data[i] != RESUME_OMIT)
            is_current[w->study->runs[i].case_number] = true;
    for (int64_t i = 0; i < w->study->count; i++)
        if (decisions->data[i] == RESUME_OMIT && match_folders_name(&w->matches, i) != NULL &&
            !is_current[w->study->runs[i].case_number])
            decisions->data[i] = RESUME_KEEP;
    mem_free(is_current);
}

static enum status decide_runs(const struct runner *w, struct text *decisions)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        enum resume_decision decision;

        TRY(decide_run(w, i, &decision));
        const char letter = (char)decision;
        text_add_n(decisions, &letter, 1);
    }
    keep_old_rows(w, decisions);
    return STATUS_OK;
}

/* effective.yaml, which marks the folder as a run's, goes first: a kill leaves no half of a run. */
static enum status remove_run(const struct runner *w, int64_t run)
{
    char *folder = folder_of(w, run);
    struct lock lock = {0};
    enum status s = lock_take(&lock, folder);

    lock_release(&lock);
    if (s == STATUS_OK)
        s = file_remove_in(folder, "effective.yaml");
    if (s == STATUS_OK) {
        temporary_remove(folder);
        log_warning("%s begins anew: what it computes depends on how long it is",
                    w->study->runs[run].name);
    }
    mem_free(folder);
    return s;
}

static enum status remove_restarted(const struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++)
        if (w->decisions[i] == RESUME_RESTART)
            TRY(remove_run(w, i));
    return STATUS_OK;
}

/* --- results --- */

static bool is_wanted(const struct runner *w, int64_t run)
{
    return w->decisions[run] != RESUME_KEEP && w->decisions[run] != RESUME_OMIT;
}

/* Whether this call runs it. */
static bool is_due(const struct runner *w, int64_t run)
{
    return is_wanted(w, run) && w->decisions[run] != RESUME_SKIP &&
           w->decisions[run] != RESUME_DIVERGED;
}

/* Removes what a process that was killed left half-written in the folder of a run that is not run
 * again, unless another process works there. */
static void sweep_run(const char *folder)
{
    struct lock lock = {0};

    if (file_is_folder(folder) && lock_take(&lock, folder) == STATUS_OK) {
        rundir_sweep(folder);
        lock_release(&lock);
    }
}

/* The results of the runs that this call does not run. */
static enum status read_results(struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        char *folder = folder_of(w, i);
        enum status s = STATUS_OK;

        compared_run_clear(&w->outcome->results[i]);
        if (!is_due(w, i) && w->decisions[i] != RESUME_OMIT) {
            sweep_run(folder);
            s = compared_run_read(folder, &w->outcome->results[i]);
        }
        mem_free(folder);
        TRY(s);
    }
    return STATUS_OK;
}

static enum status write_results(const struct runner *w)
{
    struct comparison table;
    struct results results;
    struct text json = {0}, csv = {0};

    comparison_init(&table, w->study, w->outcome->results);
    comparison_results(&table, w->outcome->folder, NULL, &results);
    results_add_json(&results, &json);
    results_add_csv(&results, &csv);
    results_release(&results);
    comparison_release(&table);
    enum status s = file_write_in(w->outcome->folder, "results.json", text_get(&json));
    if (s == STATUS_OK)
        s = file_write_in(w->outcome->folder, "results.csv", text_get(&csv));
    text_release(&json);
    text_release(&csv);
    return s;
}

/* results.json comes first: it marks the folder as a study's that can be continued. */
static enum status write_description(struct runner *w)
{
    struct text effective = {0};

    TRY(read_results(w));
    TRY(write_results(w));
    if (w->request->given != NULL)
        TRY(file_write_in(w->outcome->folder, "experiment.yaml", w->request->given));
    node_write(w->study->root, &effective);
    const enum status s = file_write_in(w->outcome->folder, "effective.yaml", text_get(&effective));
    text_release(&effective);
    return s;
}

/*
 * One letter per run, and then the folder. What an earlier call left is checked before anything is
 * written: a folder with other runs stays as it is.
 */
static enum status decide_all(void *context, struct text *decision)
{
    struct runner *w = context;

    TRY(open_folder(w));
    TRY(match_folders_find(&w->matches, w->study, w->outcome->folder));
    TRY(decide_runs(w, decision));
    TRY(match_folders_rename(&w->matches, w->study, w->outcome->folder));
    match_folders_warn(&w->matches, w->outcome->folder);
    w->decisions = text_get(decision);
    TRY(remove_restarted(w));
    TRY(write_description(w));
    text_add(decision, w->outcome->folder);
    return STATUS_OK;
}

/* --- one run --- */

/* The request for run_train, and what it borrows. */
struct run_order {
    struct run_request request;
    char *yaml;        /* every setting */
    struct node *over; /* what may change when it is resumed; else NULL */
};

static enum status run_order_init(struct run_order *o, const struct runner *w, int64_t run,
                                  const char *folder)
{
    const struct study_run *c = &w->study->runs[run];

    TRY(settings_yaml(c, &o->yaml));
    o->request = (struct run_request){
        .root = c->root,
        .given = o->yaml,
        .out = folder,
        .save = w->request->save,
        .is_temporary = !w->study->output.write,
        .flat = true,
        .argc = w->request->argc,
        .argv = w->request->argv,
    };
    if (w->decisions[run] != RESUME_CONTINUE)
        return STATUS_OK;
    TRY(settings_changes(c, &o->over));
    o->request.root = o->over;
    o->request.out = NULL;
    o->request.resume = folder;
    o->request.restarts = true; /* a study with --no-save can be resumed too */
    return w->reports ? file_write_in(folder, "experiment.yaml", o->yaml) : STATUS_OK;
}

static void run_order_release(struct run_order *o)
{
    mem_free(o->yaml);
    node_free(o->over);
}

/* A run that failed before its first round has not written its result. */
static enum status write_missing_result(const struct run_outcome *o, enum status s)
{
    /* NULL: another process leads, or the run never began */
    if (o->run_dir == NULL || file_exists_in(o->run_dir, "result.json"))
        return STATUS_OK;
    return result_json_write(o, s);
}

/* Trains and writes result.json; returns the status of the training. */
static enum status run_one(const struct runner *w, int64_t run, const char *folder)
{
    struct run_order order = {0};
    struct run_outcome outcome = {0};
    enum status s = run_order_init(&order, w, run, folder);

    if (s == STATUS_OK) {
        s = run_train(&order.request, &outcome);
        const enum status written = write_missing_result(&outcome, s);
        s = s == STATUS_OK ? written : s;
    }
    run_outcome_release(&outcome);
    run_order_release(&order);
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

static enum status run_and_read(struct runner *w, int64_t run)
{
    char *folder = folder_of(w, run);
    enum status s = w->reports ? file_remove_in(folder, "result.json") : STATUS_OK;

    w->number++;
    if (w->reports)
        log_info("run %lld of %lld: %s", (long long)w->number, (long long)w->wanted,
                 w->study->runs[run].name);
    if (s == STATUS_OK)
        s = run_one(w, run, folder);
    log_close_file();
    if (s == STATUS_OK && w->reports)
        s = compared_run_read(folder, &w->outcome->results[run]);
    if (s != STATUS_OK && s != STATUS_INTERRUPTED) {
        report_failure(w, run, s);
        w->outcome->results[run].state = RESULT_FAILED;
        w->outcome->results[run].diverged = s == STATUS_DIVERGED;
        s = STATUS_OK;
    }
    mem_free(folder);
    return s;
}

/* --- all --- */

static enum status fail_interrupted(const struct runner *w)
{
    if (!w->study->output.write)
        return FAIL(STATUS_INTERRUPTED, "stopped; output.write is false, so nothing stays of it");
    return FAIL(STATUS_INTERRUPTED, "stopped; go on with: muster run --resume %s",
                w->outcome->folder);
}

static enum status run_all(struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        if (!is_due(w, i))
            continue;
        const enum status s = signals_stop_requested() ? STATUS_INTERRUPTED : run_and_read(w, i);
        if (w->reports)
            TRY(write_results(w));
        if (s == STATUS_INTERRUPTED)
            return fail_interrupted(w);
        TRY(s);
    }
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
        log_warning("%s diverged before and is not run again; remove its folder for that",
                    w->study->runs[run].name);
}

static void count_runs(struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        w->outcome->skipped += w->decisions[i] == RESUME_SKIP ? 1 : 0;
        w->wanted += is_wanted(w, i) ? 1 : 0;
        if (w->decisions[i] == RESUME_DIVERGED)
            count_diverged(w, i);
    }
    w->number = w->outcome->skipped + w->outcome->failed;
    if (w->reports && w->outcome->skipped > 0)
        log_info("%lld of %lld runs had finished before", (long long)w->outcome->skipped,
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

enum status runner_run(const struct study *s, const struct runner_request *q,
                       struct runner_outcome *outcome)
{
    struct runner w = {.study = s, .request = q, .outcome = outcome, .reports = world_reports()};
    struct text decision = {0};

    *outcome = (struct runner_outcome){.results = MEM_NEW_N(struct compared_run, s->count)};
    enum status status = broadcast_decision(decide_all, &w, &decision);
    if (status == STATUS_OK) {
        outcome->has_begun = true;
        w.decisions = text_get(&decision);
        mem_free(outcome->folder);
        outcome->folder = mem_text(w.decisions + s->count);
        count_runs(&w);
        status = run_all(&w);
    }
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
