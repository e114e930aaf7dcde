/*
 * worker_models.c - see worker_models.h.
 */
#include "train/worker_models.h"

#include <string.h>

#include "base/mem.h"
#include "record/checkpoint_files.h"
#include "train/checkpoint.h"

enum status worker_models_fail_same(const struct build *b, const char *run_dir)
{
    if (b->workers == 1)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has one worker and so one model, but a line needs two; name several runs, "
                    "or a run whose workers have models of their own",
                    run_dir);
    return FAIL(STATUS_BAD_INPUT,
                "%s: %s leaves all %d workers with the same model; lines between workers need an "
                "algorithm that keeps their own models, such as solo or dsgd",
                run_dir, b->algo->entry.name, b->workers);
}

/* While asynchronous workers run, a checkpoint has the run model and their counters only. */
static enum status check_states(const struct build *b, const char *checkpoint)
{
    struct safetensors file;
    enum status s = STATUS_OK;

    TRY(safetensors_load(&file, checkpoint));
    for (int rank = 0; rank < b->workers && s == STATUS_OK; rank++) {
        char *name = text_format("worker.%d", rank);

        if (safetensors_find(&file, name) == NULL)
            s = FAIL(STATUS_BAD_INPUT,
                     "%s: has only the mean of the workers' models; resume the run: it saves their "
                     "own at its end",
                     checkpoint);
        mem_free(name);
    }
    safetensors_release(&file);
    return s;
}

enum status worker_models_find(const struct build *b, const char *run_dir, char **checkpoint)
{
    struct rundir_names files = {0};
    enum status s = STATUS_OK;

    if (b->workers == 1 || !algo_models_differ(b->algo))
        return worker_models_fail_same(b, run_dir);
    checkpoint_files_list(run_dir, &files);
    if (files.count == 0)
        s = FAIL(STATUS_BAD_INPUT,
                 "%s: has no checkpoint, which would have the workers' own models; its "
                 "model.safetensors has only their mean; train it again",
                 run_dir);
    else
        s = check_states(b, files.items[0]);
    if (s == STATUS_OK)
        *checkpoint = mem_text(files.items[0]);
    rundir_names_release(&files);
    return s;
}

enum status worker_models_load(const struct build *b, const char *checkpoint, int rank,
                               float *state)
{
    struct worker_memory *a = worker_memory_new(b, rank);
    struct counters counters = counters_start();
    const enum status s = checkpoint_restore(a, &counters, checkpoint);

    if (s == STATUS_OK)
        memcpy(state, a->state, (size_t)b->layout.state_count * sizeof *state);
    worker_memory_free(a);
    return s;
}
