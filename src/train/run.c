/*
 * run.c - reads the experiment, makes or finds the run directory, builds, runs the loop.
 */
#include "train/run.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "train/resume.h"

/* The folders of one run: <experiment>/ and <experiment>/<run>/. */
struct folders {
    char *experiment, *run;
};

static void folders_release(struct folders *f)
{
    mem_free(f->experiment);
    mem_free(f->run);
    *f = (struct folders){0};
}

static enum status write_text(const char *folder, const char *name, const char *content)
{
    char *path = file_join(folder, name);
    const enum status s = file_write_text(path, content);

    mem_free(path);
    return s;
}

static enum status write_node(const char *folder, const char *name, const struct node *n)
{
    struct text yaml = {0};

    node_write(n, &yaml);
    const enum status s = write_text(folder, name, text_get(&yaml));
    text_release(&yaml);
    return s;
}

static enum status write_effective(const struct experiment *e, const char *folder)
{
    struct node *root = experiment_dump(e);
    const enum status s = write_node(folder, "effective.yaml", root);

    node_free(root);
    return s;
}

static enum status start_log(const char *folder)
{
    char *path = file_join(folder, "log.txt");
    const enum status s = log_open_file(path);

    mem_free(path);
    return s;
}

/* --- a new run --- */

static enum status make_folders(const struct run_request *r, const struct build *b,
                                struct folders *f)
{
    const struct experiment *e = b->experiment;

    TRY(rundir_make(r->out, e->top.name, &f->experiment));
    TRY(rundir_make_run(f->experiment, e->top.name, &f->run));
    TRY(start_log(f->experiment));
    if (r->given != NULL)
        TRY(write_text(f->experiment, "experiment.yaml", r->given));
    else
        TRY(write_node(f->experiment, "experiment.yaml", r->root));
    TRY(write_effective(e, f->experiment));
    return rundir_write_environment(f->experiment, &(struct rundir_environment){
                                                       .isa = kernel_get()->isa,
                                                       .threads = team_size(b->team),
                                                       .argc = r->argc,
                                                       .argv = r->argv,
                                                   });
}

/* --- an old run --- */

static enum status load_old(const struct run_request *r, struct folders *f, struct node **root)
{
    TRY(rundir_find(r->resume, &f->run, &f->experiment));
    TRY(resume_check_changes(r->root));

    char *path = file_join(f->experiment, "effective.yaml");
    const enum status s = yaml_load(path, root);
    mem_free(path);
    TRY(s);
    if ((*root)->kind != NODE_MAP)
        return node_fail(*root, "this is not the effective.yaml of a run");
    node_overlay(*root, r->root);
    return STATUS_OK;
}

/* A schedule that knows the end is another one when the end moves. */
static void tell_new_length(const struct build *b, const struct loop_place *place)
{
    if (loop_rounds(b) > place->round &&
        strcmp(b->experiment->schedule.entry->name, "constant") != 0)
        log_info("the schedule %s now reaches to round %lld", b->experiment->schedule.entry->name,
                 (long long)loop_rounds(b));
}

/* The old run's folders, swept; its effective.yaml is written anew only when all is well. */
static enum status reopen(const struct folders *f, struct build *b, struct loop_place *place)
{
    char *checkpoints = file_join(f->run, "checkpoints");

    rundir_sweep(f->experiment);
    rundir_sweep(f->run);
    rundir_sweep(checkpoints);
    mem_free(checkpoints);
    TRY(start_log(f->experiment));
    TRY(resume_load(b, f->run, place));
    if (place->round > loop_rounds(b))
        return FAIL(STATUS_BAD_INPUT,
                    "this run has done %lld rounds; --epochs and --max-steps ask for only %lld",
                    (long long)place->round, (long long)loop_rounds(b));
    tell_new_length(b, place);
    return write_effective(b->experiment, f->experiment);
}

/* --- both --- */

static void describe(const struct build *b, struct run_outcome *o)
{
    const struct experiment *e = b->experiment;

    o->name = mem_text(e->top.name);
    o->model = mem_text(e->model_name);
    o->dataset = mem_text(e->dataset.entry->name);
    o->optimizer = mem_text(e->optimizer.entry->name);
    o->param_count = b->model->param_count;
    o->threads = team_size(b->team);
}

static void say_start(const struct build *b, const char *run_dir)
{
    const struct experiment *e = b->experiment;

    log_info("training %s (%lld parameters) on %lld samples of %s with %s, batches of %lld, "
             "%lld epochs, %d thread%s, %s",
             e->model_name, (long long)b->model->param_count, (long long)b->split.train_count,
             e->dataset.entry->name, e->optimizer.entry->name, (long long)e->train.batch_size,
             (long long)e->train.epochs, team_size(b->team), team_size(b->team) == 1 ? "" : "s",
             kernel_get()->isa);
    log_info("run directory: %s", run_dir);
}

static enum status run_built(const struct run_request *r, struct build *b, struct folders *f,
                             struct run_outcome *o)
{
    const bool is_new = r->resume == NULL;
    struct loop_place place = loop_place_start();

    TRY(is_new ? make_folders(r, b, f) : reopen(f, b, &place));
    o->run_dir = mem_text(f->run);
    say_start(b, f->run);
    signals_catch();

    const struct loop_files files = {
        .run_dir = f->run,
        .save = r->save,
        .from = is_new ? NULL : &place,
    };
    return loop_run(b, &files, &o->report);
}

static enum status run_read(const struct run_request *r, const struct node *root, struct folders *f,
                            struct run_outcome *o)
{
    struct experiment e;
    struct build *b = NULL;

    TRY(experiment_read(&e, root));
    enum status s = build_new(&e, &b);
    if (s == STATUS_OK) {
        describe(b, o);
        s = run_built(r, b, f, o);
    }
    build_free(b);
    experiment_release(&e);
    return s;
}

enum status run_experiment(const struct run_request *request, struct run_outcome *outcome)
{
    struct folders folders = {0};
    struct node *old = NULL;
    enum status s = STATUS_OK;

    *outcome = (struct run_outcome){0};
    if (request->resume != NULL)
        s = load_old(request, &folders, &old);
    if (s == STATUS_OK)
        s = run_read(request, old != NULL ? old : request->root, &folders, outcome);
    node_free(old);
    folders_release(&folders);
    return s; /* the log stays open: the caller still has a message to write */
}

void run_outcome_release(struct run_outcome *o)
{
    mem_free(o->run_dir);
    mem_free(o->name);
    mem_free(o->model);
    mem_free(o->dataset);
    mem_free(o->optimizer);
    *o = (struct run_outcome){0};
}
