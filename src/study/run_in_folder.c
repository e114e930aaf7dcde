/*
 * run_in_folder.c - from the settings of a run to the request for run_train.
 */
#include "study/run_in_folder.h"

#include "base/file.h"
#include "base/mem.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "study/resume_decision.h"
#include "study/settings.h"

/* The request for run_train, and what it borrows. */
struct run_order {
    struct run_request request;
    char *yaml;        /* every setting */
    struct node *over; /* what may change when it is resumed; else NULL */
};

static enum status run_order_init(struct run_order *o, const struct study_run *run,
                                  const struct folder_run *how)
{
    TRY(settings_yaml(run, &o->yaml));
    o->request = (struct run_request){
        .root = run->root,
        .given = o->yaml,
        .out = how->folder,
        .save = how->save,
        .is_temporary = how->is_temporary,
        .flat = true,
        .argc = how->argc,
        .argv = how->argv,
    };
    if (!how->resumes)
        return STATUS_OK;
    TRY(settings_changes(run, &o->over));
    o->request.root = o->over;
    o->request.out = NULL;
    o->request.resume = how->folder;
    o->request.restarts = true; /* a study with --no-save can be resumed too */
    return world_reports() ? file_write_in(how->folder, "experiment.yaml", o->yaml) : STATUS_OK;
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

enum status run_in_folder(const struct study_run *run, const struct folder_run *how,
                          struct run_outcome *outcome)
{
    struct run_order order = {0};
    enum status s = run_order_init(&order, run, how);

    *outcome = (struct run_outcome){0};
    if (s == STATUS_OK) {
        s = run_train(&order.request, outcome);
        const enum status written = write_missing_result(outcome, s);
        s = s == STATUS_OK ? written : s;
    }
    run_order_release(&order);
    return s;
}

enum status run_in_folder_described(const struct folder_run *how, struct run_outcome *outcome)
{
    char *path = file_join(how->folder, "experiment.yaml");
    struct study_run run = {0};
    struct folder_run settled = *how;

    *outcome = (struct run_outcome){0};
    enum status s = yaml_load(path, &run.root);
    if (s == STATUS_OK && run.root->kind != NODE_MAP)
        s = node_fail(run.root, "this is not the experiment.yaml of a run");
    if (s == STATUS_OK) {
        settled.resumes = resume_decision_has_begun(how->folder);
        s = run_in_folder(&run, &settled, outcome);
    }
    node_free(run.root);
    mem_free(path);
    return s;
}

enum status run_in_folder_describe(const struct study_run *run, const char *folder)
{
    char *yaml = NULL;

    TRY(settings_yaml(run, &yaml));
    enum status s = file_make_folders(folder);
    if (s == STATUS_OK)
        s = file_write_in(folder, "experiment.yaml", yaml);
    mem_free(yaml);
    return s;
}
