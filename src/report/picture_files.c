/*
 * picture_files.c - curves of every metric, scaling, and the figures of each run, a file each:
 *
 *     test_accuracy_round.svg    scaling.svg    <run>/confusion.svg
 */
#include "report/picture_files.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record.h"
#include "report/options_map.h"
#include "report/study_figures.h"

static enum status write_figure(const char *folder, const char *name, struct figure *f)
{
    char *file = text_format("%s.svg", name);
    const enum status s = file_write_in(folder, file, text_get(&f->svg));

    mem_free(file);
    figure_release(f);
    return s;
}

/* --- curves --- */

static enum status write_curve(const struct subject *s, const struct metric_table *tables,
                               const char *folder, const char *metric)
{
    static const enum curve_axis axes[] = {CURVE_ROUND, CURVE_EPOCH, CURVE_BYTES, CURVE_SECONDS};

    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        struct figure f = {0};

        if (!study_curve_figure(s, tables, metric, axes[i], &f))
            continue;
        char *name = text_format("%s_%s", metric, curve_axis_names[axes[i]]);
        char *safe = rundir_safe_name(name);
        const enum status status = write_figure(folder, safe, &f);
        mem_free(safe);
        mem_free(name);
        TRY(status);
    }
    return STATUS_OK;
}

/* The metrics that runs as a whole have. */
static void list_metrics(const struct metric_table *t, struct rundir_names *names)
{
    for (int64_t i = 0; i < t->series_count; i++) {
        bool is_new = t->series[i].worker == curve_worker_of_run(t);

        for (int64_t k = 0; k < names->count && is_new; k++)
            is_new = strcmp(names->items[k], t->series[i].name) != 0;
        if (is_new)
            rundir_names_add(names, t->series[i].name);
    }
}

static enum status write_curves(const struct subject *s, const char *folder)
{
    const int64_t runs = s->results.run_count;
    struct metric_table *tables = MEM_NEW_N(struct metric_table, runs);
    struct rundir_names metrics = {0};
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < runs; i++) {
        if (s->runs[i].dir != NULL && metric_table_read(s->runs[i].dir, &tables[i]) != STATUS_OK)
            damage_warn(s->damage, status_message()); /* what reads of it is drawn */
        metric_table_cut(&tables[i], s->results.runs[i].as_of_round);
        list_metrics(&tables[i], &metrics);
    }
    for (int64_t i = 0; i < metrics.count && status == STATUS_OK; i++)
        status = write_curve(s, tables, folder, metrics.items[i]);
    for (int64_t i = 0; i < runs; i++)
        metric_table_release(&tables[i]);
    mem_free(tables);
    rundir_names_release(&metrics);
    return status;
}

/* --- runs --- */

static enum status write_run_figures(const struct record *r, const char *folder)
{
    for (const struct run_figure *const *it = run_figure_all(); *it != NULL; it++) {
        struct figure f;

        if (!run_figure_draw(*it, r, &f))
            continue;
        enum status s = file_make_folders(folder);
        if (s == STATUS_OK)
            s = write_figure(folder, (*it)->name, &f);
        figure_release(&f);
        TRY(s);
    }
    return STATUS_OK;
}

/* Its name, with a number where an earlier run has the same; mem_free. */
static char *run_folder_name(const struct subject *s, int64_t run)
{
    char *name = rundir_safe_name(s->results.runs[run].name);
    int64_t before = 0;

    for (int64_t i = 0; i < run; i++)
        before += strcmp(s->results.runs[i].name, s->results.runs[run].name) == 0 ? 1 : 0;
    if (before == 0)
        return name;
    char *numbered = text_format("%s_%lld", name, (long long)before + 1);
    mem_free(name);
    return numbered;
}

static enum status write_runs(const struct subject *s, const char *folder)
{
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->results.run_count && status == STATUS_OK; i++) {
        char *name = run_folder_name(s, i);
        char *own = file_join(folder, name);
        struct record r;

        if (s->runs[i].dir != NULL && s->results.runs[i].part_of == NULL &&
            record_open(s->runs[i].dir, &r) == STATUS_OK) {
            status = write_run_figures(&r, own);
            record_release(&r);
        }
        mem_free(own);
        mem_free(name);
    }
    return status;
}

enum status picture_files_write(const struct subject *s, const char *out, char **written)
{
    struct figure f = {0};

    *written = out != NULL ? mem_text(out) : file_join(s->folder, "figures");
    TRY(file_make_folders(*written));
    if (study_scaling_figure(s, &f))
        TRY(write_figure(*written, "scaling", &f));
    if (options_map_figure(s, &f))
        TRY(write_figure(*written, "options", &f));
    TRY(write_curves(s, *written));
    return write_runs(s, *written);
}
