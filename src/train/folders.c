/*
 * folders.c - makes the folders of one run, or opens them again.
 */
#include "train/folders.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/rundir.h"
#include "train/config_paths.h"

static enum status write_node(const char *folder, const char *name, const struct node *n)
{
    struct text yaml = {0};

    node_write(n, &yaml);
    const enum status s = file_write_in(folder, name, text_get(&yaml));
    text_release(&yaml);
    return s;
}

static enum status write_effective(const struct run_config *config, const char *folder)
{
    struct node *root = run_config_dump(config);

    config_paths_make_absolute(
        root); /* so that the run can be repeated and resumed in any folder */
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

/* Of what a killed process left half-written. */
static void sweep(const struct folders *f)
{
    char *checkpoints = file_join(f->run, "checkpoints");

    rundir_sweep(f->top);
    rundir_sweep(f->run);
    rundir_sweep(checkpoints);
    mem_free(checkpoints);
}

/* --- a new run --- */

static enum status open_folders(struct folders *f, const struct run_request *q, const char *name)
{
    if (q->flat) {
        TRY(rundir_make_flat(q->out));
        f->top = mem_text(q->out);
        f->run = mem_text(q->out);
        TRY(lock_take(&f->lock, f->top));
        sweep(f);
        return STATUS_OK;
    }
    TRY(rundir_make(q->out, name, &f->top));
    TRY(lock_take(&f->lock, f->top));
    if (q->out != NULL) /* another process may have been here since it was looked at */
        TRY(rundir_check(q->out));
    return rundir_make_run(f->top, name, &f->run);
}

enum status folders_make(struct folders *f, const struct run_request *q, const struct build *b,
                         const char *transport)
{
    TRY(open_folders(f, q, b->config->top.name));
    TRY(start_log(f->top));
    if (q->given != NULL)
        TRY(file_write_in(f->top, "experiment.yaml", q->given));
    else
        TRY(write_node(f->top, "experiment.yaml", q->root));
    TRY(problem_write_files(b->plan, f->run));
    TRY(rundir_write_environment(f->top, &(struct rundir_environment){
                                             .isa = kernel_get()->isa,
                                             .threads = b->threads,
                                             .workers = b->workers,
                                             .transport = transport,
                                             .partition_hash = b->plan->partition_hash,
                                             .argc = q->argc,
                                             .argv = q->argv,
                                         }));
    return write_effective(b->config, f->top);
}

/* --- an old run --- */

enum status folders_reopen(struct folders *f)
{
    TRY(lock_take(&f->lock, f->top));
    sweep(f);
    return start_log(f->top);
}

enum status folders_go_on(const struct folders *f, const struct run_config *config)
{
    TRY(file_remove_in(f->run, "result.json"));
    return write_effective(config, f->top);
}

void folders_release(struct folders *f)
{
    lock_release(&f->lock);
    mem_free(f->top);
    mem_free(f->run);
    *f = (struct folders){0};
}
