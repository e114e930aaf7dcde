/*
 * folders.c - the folders of one run, made or found again.
 */
#include "train/folders.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/rundir.h"

static enum status write_node(const char *folder, const char *name, const struct node *n)
{
    struct text yaml = {0};

    node_write(n, &yaml);
    const enum status s = file_write_in(folder, name, text_get(&yaml));
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

/* Of what a killed process left half-written. */
static void sweep(const struct folders *f)
{
    char *checkpoints = file_join(f->run, "checkpoints");

    rundir_sweep(f->experiment);
    rundir_sweep(f->run);
    rundir_sweep(checkpoints);
    mem_free(checkpoints);
}

/* --- a new run --- */

static enum status save_partition(const struct folders *f, const struct build *b)
{
    char *path = file_join(f->run, "partition.txt");
    const enum status s = partition_save(&b->partition, path);

    mem_free(path);
    return s;
}

static enum status open_folders(struct folders *f, const struct run_request *q, const char *name)
{
    if (q->flat) {
        TRY(rundir_make_flat(q->out));
        f->experiment = mem_text(q->out);
        f->run = mem_text(q->out);
        TRY(lock_take(&f->lock, f->experiment));
        sweep(f);
        return STATUS_OK;
    }
    TRY(rundir_make(q->out, name, &f->experiment));
    TRY(lock_take(&f->lock, f->experiment));
    if (q->out != NULL) /* another process may have been here since it was looked at */
        TRY(rundir_check(q->out));
    return rundir_make_run(f->experiment, name, &f->run);
}

enum status folders_make(struct folders *f, const struct run_request *q, const struct build *b,
                         const char *transport)
{
    TRY(open_folders(f, q, b->experiment->top.name));
    TRY(start_log(f->experiment));
    if (q->given != NULL)
        TRY(file_write_in(f->experiment, "experiment.yaml", q->given));
    else
        TRY(write_node(f->experiment, "experiment.yaml", q->root));
    if (b->workers > 1)
        TRY(save_partition(f, b));
    TRY(rundir_write_environment(f->experiment, &(struct rundir_environment){
                                                    .isa = kernel_get()->isa,
                                                    .threads = b->threads,
                                                    .workers = b->workers,
                                                    .transport = transport,
                                                    .partition_hash = partition_hash(&b->partition),
                                                    .argc = q->argc,
                                                    .argv = q->argv,
                                                }));
    return write_effective(b->experiment, f->experiment);
}

/* --- an old run --- */

enum status folders_reopen(struct folders *f)
{
    TRY(lock_take(&f->lock, f->experiment));
    sweep(f);
    return start_log(f->experiment);
}

enum status folders_go_on(const struct folders *f, const struct experiment *e)
{
    TRY(file_remove_in(f->run, "result.json"));
    return write_effective(e, f->experiment);
}

void folders_release(struct folders *f)
{
    lock_release(&f->lock);
    mem_free(f->experiment);
    mem_free(f->run);
    *f = (struct folders){0};
}
