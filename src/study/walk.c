/*
 * walk.c - the cells of a study, one after the other, in one folder.
 */
#include "study/walk.h"

#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/temporary.h"
#include "comm/world.h"
#include "metrics/rundir.h"
#include "study/adopt.h"
#include "study/share.h"
#include "study/single.h"
#include "study/table.h"
#include "train/run.h"

struct walk {
    const struct study *study;
    const struct study_request *request;
    struct study_outcome *outcome;
    struct lock lock;         /* on the folder; of the process that decides, as is the next */
    struct adoption adoption; /* which runs of earlier calls are whose */
    const char *steps;        /* [study->count], enum study_step */
    enum status first_failure;
    int64_t wanted, number; /* cells that are not left out, and the one of them that runs */
    bool tells;             /* of several processes, the one that talks and writes the table */
};

static char *folder_of(const struct walk *w, int64_t cell)
{
    return file_join(w->outcome->folder, w->study->cells[cell].name);
}

/* --- the folder, and what is to be done in it --- */

bool study_is_folder(const char *folder)
{
    return file_exists_in(folder, "results.json");
}

/* A folder of one run becomes that of the study, if the run is one of it. */
static enum status take_over(struct walk *w, const char *out)
{
    bool found = false;

    if (study_is_folder(out) || !single_is_folder(out))
        return STATUS_OK;
    TRY(lock_take(&w->lock, out));
    enum status s = single_take_over(w->study, out, &found);
    lock_release(&w->lock);
    if (s == STATUS_OK && !found)
        s = FAIL(STATUS_BAD_INPUT,
                 "%s: holds one run, whose settings are none of this experiment's; take another "
                 "--out",
                 out);
    return s;
}

/* Two processes may find that there is no such folder: who locks it first has it. */
static enum status open_given(struct walk *w, const char *out)
{
    TRY(take_over(w, out));
    if (!study_is_folder(out))
        TRY(rundir_make(out, w->study->name, &w->outcome->folder));
    else
        w->outcome->folder = mem_text(out);
    TRY(lock_take(&w->lock, out));
    rundir_sweep(out);
    return study_is_folder(out) ? STATUS_OK : rundir_check(out);
}

static enum status open_folder(struct walk *w)
{
    if (!w->study->output.write)
        return temporary_make(&w->outcome->folder);
    if (w->request->out != NULL)
        return open_given(w, w->request->out);
    TRY(rundir_make_in(w->study->output.dir, w->study->name, &w->outcome->folder));
    return lock_take(&w->lock, w->outcome->folder);
}

/* What was not asked for is not refused either. */
static enum study_step left_out(enum status s, enum study_step step)
{
    return s == STATUS_OK && (step == STUDY_SKIP || step == STUDY_LOST) ? STUDY_LEAVE : STUDY_OMIT;
}

static enum status find_step(const struct walk *w, int64_t cell, enum study_step *step)
{
    const struct study_cell *c = &w->study->cells[cell];
    const char *name = adoption_name(&w->adoption, cell);
    enum status s = STATUS_OK;

    *step = STUDY_BEGIN;
    if (name != NULL) {
        char *path = file_join(w->outcome->folder, name);
        s = study_state(c, path, step);
        mem_free(path);
    }
    if (!c->is_left_out)
        return s;
    *step = left_out(s, *step);
    return STATUS_OK;
}

/* A row of the table has no runs of another length beside those that are as the file has them now;
 * where it has no others, they count. */
static void keep_old_rows(const struct walk *w, struct text *steps)
{
    bool *is_current = MEM_NEW_N(bool, w->study->combinations);

    for (int64_t i = 0; i < w->study->count; i++)
        if (steps->data[i] != STUDY_OMIT)
            is_current[w->study->cells[i].combination] = true;
    for (int64_t i = 0; i < w->study->count; i++)
        if (steps->data[i] == STUDY_OMIT && adoption_name(&w->adoption, i) != NULL &&
            !is_current[w->study->cells[i].combination])
            steps->data[i] = STUDY_LEAVE;
    mem_free(is_current);
}

static enum status find_steps(const struct walk *w, struct text *steps)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        enum study_step step;

        TRY(find_step(w, i, &step));
        const char letter = (char)step;
        text_add_n(steps, &letter, 1);
    }
    keep_old_rows(w, steps);
    return STATUS_OK;
}

/* What is counted on to say what a folder holds goes first, so that a kill leaves no half of it. */
static enum status forget_run(const struct walk *w, int64_t cell)
{
    char *folder = folder_of(w, cell);
    struct lock lock = {0};
    enum status s = lock_take(&lock, folder);

    lock_release(&lock);
    if (s == STATUS_OK)
        s = file_remove_in(folder, "effective.yaml");
    if (s == STATUS_OK) {
        temporary_remove(folder);
        log_warning("%s begins anew: what it computes depends on how long it is",
                    w->study->cells[cell].name);
    }
    mem_free(folder);
    return s;
}

static enum status forget_runs(const struct walk *w)
{
    for (int64_t i = 0; i < w->study->count; i++)
        if (w->steps[i] == STUDY_ANEW)
            TRY(forget_run(w, i));
    return STATUS_OK;
}

/* --- results --- */

static bool is_wanted(const struct walk *w, int64_t cell)
{
    return w->steps[cell] != STUDY_LEAVE && w->steps[cell] != STUDY_OMIT;
}

/* Whether a cell is to be run by this call. */
static bool is_due(const struct walk *w, int64_t cell)
{
    return is_wanted(w, cell) && w->steps[cell] != STUDY_SKIP && w->steps[cell] != STUDY_LOST;
}

/* What there is of the cells that are not run. */
static enum status read_results(struct walk *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        char *folder = folder_of(w, i);
        enum status s = STATUS_OK;

        study_result_clear(&w->outcome->results[i]);
        if (!is_due(w, i) && w->steps[i] != STUDY_OMIT)
            s = study_result_read(folder, &w->outcome->results[i]);
        mem_free(folder);
        TRY(s);
    }
    return STATUS_OK;
}

static enum status write_results(const struct walk *w)
{
    struct study_table table;
    struct text json = {0}, csv = {0};

    study_table_init(&table, w->study, w->outcome->results);
    study_table_json(&table, w->outcome->folder, NULL, &json);
    study_table_csv(&table, &csv);
    study_table_release(&table);
    enum status s = file_write_in(w->outcome->folder, "results.json", text_get(&json));
    if (s == STATUS_OK)
        s = file_write_in(w->outcome->folder, "results.csv", text_get(&csv));
    text_release(&json);
    text_release(&csv);
    return s;
}

/* results.json comes first: by it the folder is known as one to go on in. */
static enum status describe(struct walk *w)
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
 * One letter per cell, and then the folder. What an earlier call left is judged before anything is
 * written: a folder with runs of another kind stays as it is.
 */
static enum status decide(void *context, struct text *decision)
{
    struct walk *w = context;

    TRY(open_folder(w));
    TRY(adoption_find(&w->adoption, w->study, w->outcome->folder));
    TRY(find_steps(w, decision));
    TRY(adoption_move(&w->adoption, w->study, w->outcome->folder));
    adoption_tell(&w->adoption, w->outcome->folder);
    w->steps = text_get(decision);
    TRY(forget_runs(w));
    TRY(describe(w));
    text_add(decision, w->outcome->folder);
    return STATUS_OK;
}

/* --- one cell --- */

/* What a cell hands to run_experiment, and owns of it. */
struct order {
    struct run_request request;
    char *yaml;        /* every setting */
    struct node *over; /* what may be different when it goes on; else NULL */
};

static enum status order_init(struct order *o, const struct walk *w, int64_t cell,
                              const char *folder)
{
    const struct study_cell *c = &w->study->cells[cell];

    TRY(study_settings(c, &o->yaml));
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
    if (w->steps[cell] != STUDY_GO_ON)
        return STATUS_OK;
    TRY(study_changes(c, &o->over));
    o->request.root = o->over;
    o->request.out = NULL;
    o->request.resume = folder;
    o->request.restarts = true; /* an experiment with --no-save goes on too */
    return w->tells ? file_write_in(folder, "experiment.yaml", o->yaml) : STATUS_OK;
}

static void order_release(struct order *o)
{
    mem_free(o->yaml);
    node_free(o->over);
}

static enum status write_result(const struct run_outcome *o, enum status s)
{
    struct text json = {0};

    if (o->run_dir == NULL)
        return STATUS_OK; /* another process leads, or the run never began */
    run_outcome_json(o, s, &json);
    const enum status written = file_write_in(o->run_dir, "result.json", text_get(&json));
    text_release(&json);
    return written;
}

/* Runs a cell and leaves its result.json; its status is that of the run. */
static enum status run_cell(const struct walk *w, int64_t cell, const char *folder)
{
    struct order order = {0};
    struct run_outcome outcome = {0};
    enum status s = order_init(&order, w, cell, folder);

    if (s == STATUS_OK) {
        s = run_experiment(&order.request, &outcome);
        const enum status written = write_result(&outcome, s);
        s = s == STATUS_OK ? written : s;
    }
    run_outcome_release(&outcome);
    order_release(&order);
    return s;
}

static void tell_failure(struct walk *w, int64_t cell, enum status s)
{
    const char *why = status_message();

    w->first_failure = w->outcome->failed++ == 0 ? s : w->first_failure;
    if (w->tells)
        log_say(LOG_ERROR, "%s failed%s%s", w->study->cells[cell].name, why[0] == '\0' ? "" : ": ",
                why);
}

static enum status do_cell(struct walk *w, int64_t cell)
{
    char *folder = folder_of(w, cell);
    enum status s = w->tells ? file_remove_in(folder, "result.json") : STATUS_OK;

    w->number++;
    if (w->tells)
        log_info("run %lld of %lld: %s", (long long)w->number, (long long)w->wanted,
                 w->study->cells[cell].name);
    if (s == STATUS_OK)
        s = run_cell(w, cell, folder);
    log_close_file();
    if (s == STATUS_OK && w->tells)
        s = study_result_read(folder, &w->outcome->results[cell]);
    if (s != STATUS_OK && s != STATUS_INTERRUPTED) {
        tell_failure(w, cell, s);
        w->outcome->results[cell].state = STUDY_FAILED;
        w->outcome->results[cell].diverged = s == STATUS_DIVERGED;
        s = STATUS_OK;
    }
    mem_free(folder);
    return s;
}

/* --- all --- */

static enum status stop(const struct walk *w)
{
    if (!w->study->output.write)
        return FAIL(STATUS_INTERRUPTED, "stopped; output.write is false, so nothing stays of it");
    return FAIL(STATUS_INTERRUPTED, "stopped; go on with: muster run --resume %s",
                w->outcome->folder);
}

static enum status do_all(struct walk *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        if (!is_due(w, i))
            continue;
        const enum status s = signals_stop_requested() ? STATUS_INTERRUPTED : do_cell(w, i);
        if (w->tells)
            TRY(write_results(w));
        if (s == STATUS_INTERRUPTED)
            return stop(w);
        TRY(s);
    }
    if (w->outcome->failed > 0)
        return FAIL(w->first_failure, "%lld of %lld runs failed", (long long)w->outcome->failed,
                    (long long)w->wanted);
    return STATUS_OK;
}

/* A run that diverged before is one of those that fail, also where it is not run again. */
static void count_lost(struct walk *w, int64_t cell)
{
    w->outcome->failed++;
    w->first_failure = STATUS_DIVERGED;
    if (w->tells)
        log_warning("%s diverged before and is not run again; remove its folder for that",
                    w->study->cells[cell].name);
}

static void count_cells(struct walk *w)
{
    for (int64_t i = 0; i < w->study->count; i++) {
        w->outcome->skipped += w->steps[i] == STUDY_SKIP ? 1 : 0;
        w->wanted += is_wanted(w, i) ? 1 : 0;
        if (w->steps[i] == STUDY_LOST)
            count_lost(w, i);
    }
    w->number = w->outcome->skipped + w->outcome->failed;
    if (w->tells && w->outcome->skipped > 0)
        log_info("%lld of %lld runs had finished before", (long long)w->outcome->skipped,
                 (long long)w->wanted);
}

/* Nothing stays of it but the results in memory. */
static void forget_folder(struct walk *w)
{
    if (w->outcome->folder != NULL && w->tells)
        temporary_remove(w->outcome->folder);
    mem_free(w->outcome->folder);
    w->outcome->folder = NULL;
}

enum status study_run(const struct study *s, const struct study_request *q,
                      struct study_outcome *outcome)
{
    struct walk w = {.study = s, .request = q, .outcome = outcome, .tells = world_tells()};
    struct text decision = {0};

    *outcome = (struct study_outcome){.results = MEM_NEW_N(struct study_result, s->count)};
    enum status status = study_share(decide, &w, &decision);
    if (status == STATUS_OK) {
        outcome->has_begun = true;
        w.steps = text_get(&decision);
        mem_free(outcome->folder);
        outcome->folder = mem_text(w.steps + s->count);
        count_cells(&w);
        status = do_all(&w);
    }
    if (status != STATUS_OK && !w.tells)
        status = FAIL(status, "%s", ""); /* one of several processes tells it */
    if (!s->output.write)
        forget_folder(&w);
    adoption_release(&w.adoption);
    lock_release(&w.lock);
    text_release(&decision);
    return status;
}

void study_outcome_release(struct study_outcome *o)
{
    mem_free(o->folder);
    mem_free(o->results);
    *o = (struct study_outcome){0};
}
