/*
 * runner_series.c - what runs measured, in files for torch.load next to the runs (output.results).
 */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/evaluation_series.h"
#include "record/result.h"
#include "study/resume_decision.h"
#include "study/runner_internal.h"

char *runner_pt_path(const struct runner *w, int64_t run, const char *what)
{
    const bool is_numbered = w->study->output.results == OUTPUT_RESULTS_NUMBERED;
    char *name = is_numbered ? text_format("%lld_%s.pt", (long long)run, what)
                             : text_format("%s_%s.pt", w->study->runs[run].name, what);
    char *path = file_join(w->outcome->folder, name);

    mem_free(name);
    return path;
}

/* mem_free; NULL: none is asked for */
static char *series_path(const struct runner *w, int64_t run)
{
    const struct study_output *o = &w->study->output;

    if (!o->write || o->results == OUTPUT_RESULTS_NONE || w->decisions[run] == RESUME_PART)
        return NULL;
    return runner_pt_path(w, run, "results");
}

/* The number of batches; 0 where that of the samples is not known. */
static int64_t count_batches(const char *folder, int64_t batch)
{
    struct run_result result;
    int64_t batches = 0;

    if (result_read(folder, &result) == STATUS_OK && result.test_samples > 0)
        batches = (result.test_samples + batch - 1) / batch;
    result_release(&result);
    return batches;
}

static void sum_losses(struct evaluation_series *series, const char *folder, int64_t batch)
{
    const int64_t batches = batch == 0 ? 1 : count_batches(folder, batch);

    if (batches > 1)
        evaluation_series_scale(series, "validation_loss", (double)batches);
}

/* Whether a run is to make no maps. */
static bool has_no_maps(const struct study_run *run)
{
    const struct node *maps = node_find_path(run->root, "train.maps");

    return maps != NULL && maps->kind == NODE_SCALAR && strcmp(maps->text, "0") == 0;
}

/* A run without maps, such as an asynchronous one, has its other results. */
static void add_maps(struct evaluation_series *series, const char *folder, int which)
{
    if (which != OUTPUT_MAPS_NONE &&
        evaluation_series_read_maps(series, folder, which == OUTPUT_MAPS_LAST) != STATUS_OK)
        log_warning("%s; so its results have no maps", status_message());
}

static enum status write_series(const struct runner *w, int64_t run, const char *folder,
                                const char *path)
{
    const struct study_output *o = &w->study->output;
    struct evaluation_series series;

    /* Not evaluated, or damaged: that is no reason to stop the others. */
    if (evaluation_series_read(&series, folder) != STATUS_OK) {
        log_warning("%s; so there is no %s", status_message(), path);
        return file_remove(path);
    }
    sum_losses(&series, folder, o->results_batch);
    if (!has_no_maps(&w->study->runs[run]))
        add_maps(&series, folder, o->results_maps);
    const enum status s = evaluation_series_write_pt(&series, path);
    evaluation_series_release(&series);
    return s;
}

enum status runner_write_series(const struct runner *w, int64_t run)
{
    char *path = series_path(w, run);
    enum status s = STATUS_OK;

    if (path != NULL) {
        char *folder = runner_folder_of(w, run);
        s = write_series(w, run, folder, path);
        mem_free(folder);
    }
    mem_free(path);
    return s;
}

enum status runner_remove_series(const struct runner *w, int64_t run)
{
    char *path = series_path(w, run);
    const enum status s = path != NULL ? file_remove(path) : STATUS_OK;

    mem_free(path);
    return s;
}
