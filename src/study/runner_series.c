/*
 * runner_series.c - what runs measured, in files for torch.load next to the runs (output.results).
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/evaluation_series.h"
#include "study/resume_decision.h"
#include "study/runner_internal.h"

/* mem_free; NULL: none is asked for */
static char *series_path(const struct runner *w, int64_t run)
{
    const struct study_output *o = &w->study->output;
    char *name = NULL;

    if (!o->write || o->results == OUTPUT_RESULTS_NONE || w->decisions[run] == RESUME_PART)
        return NULL;
    if (o->results == OUTPUT_RESULTS_NAMED)
        name = text_format("%s_results.pt", w->study->runs[run].name);
    else
        name = text_format("%lld_results.pt", (long long)run);
    char *path = file_join(w->outcome->folder, name);
    mem_free(name);
    return path;
}

static enum status write_series(const char *folder, const char *path)
{
    struct evaluation_series series;

    /* Not evaluated, or damaged: that is no reason to stop the others. */
    if (evaluation_series_read(&series, folder) != STATUS_OK) {
        log_warning("%s; so there is no %s", status_message(), path);
        return file_remove(path);
    }
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
        s = write_series(folder, path);
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
