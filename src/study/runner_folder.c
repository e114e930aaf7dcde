/*
 * runner_folder.c - the folder of a study: opened or continued, what is to be done in it, and the
 * table that it holds.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "record/rundir.h"
#include "study/comparison.h"
#include "study/epoch_cases.h"
#include "study/input_paths.h"
#include "study/resume_decision.h"
#include "study/runner_internal.h"
#include "study/upgrade_folder.h"

char *runner_folder_of(const struct runner *w, int64_t run)
{
    const struct study_run *c = &w->study->runs[run];
    const bool is_part = w->decisions != NULL && w->decisions[run] == RESUME_PART;

    return file_join(w->outcome->folder, is_part ? c->whole->name : c->name);
}

/* --- what is to be done --- */

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
                 "%s: contains a run that is not part of this experiment; choose another --out",
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

/* A run that has been trained itself counts so. One that was not asked for counts if the longer run
 * does. */
static void find_parts(const struct study *s, struct text *decisions)
{
    for (int64_t i = 0; i < s->count; i++) {
        const struct study_run *whole = s->runs[i].whole;
        char *own = &decisions->data[i];

        if (whole != NULL && *own != RESUME_SKIP && *own != RESUME_DIVERGED &&
            *own != RESUME_KEEP && decisions->data[whole - s->runs] != RESUME_OMIT)
            *own = RESUME_PART;
    }
}

static enum status decide_runs(const struct runner *w, struct text *decisions)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        enum resume_decision decision;

        TRY(decide_run(w, i, &decision));
        const char letter = (char)decision;
        text_add_n(decisions, &letter, 1);
    }
    find_parts(w->study, decisions);
    keep_old_rows(w, decisions);
    return STATUS_OK;
}

/* effective.yaml, which marks the folder as a run's, goes first: a kill leaves no half of a run. */
static enum status remove_run(const struct runner *w, int64_t run)
{
    char *folder = runner_folder_of(w, run);
    struct lock lock = {0};
    enum status s = lock_take(&lock, folder);

    lock_release(&lock);
    if (s == STATUS_OK)
        s = file_remove_in(folder, "effective.yaml");
    if (s == STATUS_OK) {
        temporary_remove(folder);
        log_warning("restarting %s from scratch: what it computes depends on the length of the run",
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

bool runner_is_wanted(const struct runner *w, int64_t run)
{
    return w->decisions[run] != RESUME_KEEP && w->decisions[run] != RESUME_OMIT &&
           w->decisions[run] != RESUME_PART;
}

bool runner_is_due(const struct runner *w, int64_t run)
{
    return runner_is_wanted(w, run) && w->decisions[run] != RESUME_SKIP &&
           w->decisions[run] != RESUME_DIVERGED;
}

int64_t runner_count_due(const struct runner *w)
{
    int64_t due = 0;

    for (int64_t i = 0; i < w->study->count; i++)
        due += runner_is_due(w, i) ? 1 : 0;
    return due;
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

enum status runner_read_result(const struct runner *w, int64_t run)
{
    struct compared_run *result = &w->outcome->results[run];
    char *folder = runner_folder_of(w, run);
    enum status s = STATUS_OK;

    if (w->decisions[run] == RESUME_PART) {
        s = epoch_cases_read(&w->study->runs[run], folder, &w->study->milestones, result);
    } else {
        s = compared_run_read(folder, result);
        compared_run_find(folder, &w->study->milestones, result);
    }
    mem_free(folder);
    return s;
}

/* Of a run that this call does not run. */
static enum status read_known(struct runner *w, int64_t run)
{
    char *folder = runner_folder_of(w, run);

    sweep_run(folder);
    mem_free(folder);

    enum status s = runner_read_result(w, run);

    if (s != STATUS_OK && w->decisions[run] == RESUME_KEEP)
        s = STATUS_OK; /* it was not asked for: its row is empty */
    if (s == STATUS_OK && w->outcome->results[run].state == RESULT_FINISHED)
        s = runner_write_series(w, run);
    if (s == STATUS_OK && w->outcome->results[run].state == RESULT_FINISHED)
        s = runner_write_models(w, run);
    return s;
}

/* The results of the runs that this call does not run, nor a longer run that has them. */
static enum status read_results(struct runner *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        const bool is_part = w->decisions[i] == RESUME_PART;
        const int64_t trained = is_part ? w->study->runs[i].whole - w->study->runs : i;

        compared_run_clear(&w->outcome->results[i]);
        w->outcome->results[i].is_part = is_part;
        if (!runner_is_due(w, trained) && w->decisions[i] != RESUME_OMIT)
            TRY(read_known(w, i));
    }
    return STATUS_OK;
}

enum status runner_write_results(const struct runner *w)
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
static enum status write_description(const struct runner *w)
{
    struct text effective = {0};

    TRY(runner_write_results(w));
    if (w->request->given != NULL)
        TRY(file_write_in(w->outcome->folder, "experiment.yaml", w->request->given));
    struct node *root = node_copy(w->study->root);
    input_paths_make_absolute(root);
    node_write(root, &effective);
    node_free(root);
    const enum status s = file_write_in(w->outcome->folder, "effective.yaml", text_get(&effective));
    text_release(&effective);
    return s;
}

enum status runner_open(void *runner, struct text *folder)
{
    struct runner *w = runner;

    TRY(open_folder(w));
    text_add(folder, w->outcome->folder);
    if (runner_is_study_folder(w->outcome->folder))
        return STATUS_OK;
    for (int64_t i = 0; i < w->study->count; i++)
        compared_run_clear(&w->outcome->results[i]);
    return write_description(w);
}

/*
 * One letter per run, and then the folder. What an earlier call left is checked before anything is
 * written: a folder with other runs stays as it is.
 */
enum status runner_decide(void *runner, struct text *decision)
{
    struct runner *w = runner;

    if (w->outcome->folder == NULL)
        TRY(open_folder(w));
    TRY(match_folders_find(&w->matches, w->study, w->outcome->folder));
    TRY(decide_runs(w, decision));
    TRY(match_folders_rename(&w->matches, w->study, w->outcome->folder));
    match_folders_warn(&w->matches, w->outcome->folder);
    w->decisions = text_get(decision);
    TRY(remove_restarted(w));
    TRY(read_results(w));
    TRY(write_description(w));
    text_add(decision, w->outcome->folder);
    return STATUS_OK;
}
