/*
 * landscape.c - from runs to a landscape: snapshots, plane, grid, losses, files.
 *
 * Not here: the plane (landscape_plane.c), the losses (landscape_losses.c), the files
 * (record/landscape.c), the page (report/landscape_page.c).
 */
#include "study/landscape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/crc.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/record.h"
#include "study/landscape_losses.h"
#include "study/landscape_plane.h"
#include "train/saved_model.h"

const char *const landscape_direction_names[] = {"pca", "random", "filter", NULL};

/* Around the paths, on each side: a share of their width. */
static const double MARGIN = 0.5;

/* One landscape at work. */
struct landscape_work {
    const struct landscape_request *request;
    struct landscape *result;
    struct saved_model model; /* of the first run: data, network and loss, but no weights */
    struct landscape_states states;
    struct landscape_plane plane;
    struct landscape_job job;
};

/* --- snapshots --- */

static enum status add_snapshots(struct landscape_work *w, const struct snapshot_file *f,
                                 struct landscape_run *run)
{
    struct landscape *l = w->result;
    struct landscape_states *s = &w->states;
    float *values = MEM_NEW_N(float, f->state_count);
    enum status status = STATUS_OK;

    s->values = mem_resize(s->values, s->count * s->params, (s->count + f->count) * s->params,
                           sizeof *s->values);
    l->points = mem_resize(l->points, l->point_count, l->point_count + f->count, sizeof *l->points);
    run->first = l->point_count;
    for (int64_t i = 0; i < f->count && status == STATUS_OK; i++) {
        struct landscape_point *p = &l->points[l->point_count];

        *p = (struct landscape_point){0};
        status = snapshot_file_read(f, i, &p->time, values);
        memcpy(s->values + s->count * s->params, values, (size_t)s->params * sizeof *values);
        s->count++;
        l->point_count++;
        run->count++;
    }
    mem_free(values);
    return status;
}

/* A finished run has snapshots from its start to its end. */
static void warn_of_missing(const struct landscape *l, const char *path,
                            const struct landscape_run *run)
{
    const int64_t first = l->points[run->first].time.round;
    const int64_t last = l->points[run->first + run->count - 1].time.round;
    struct run_result r;

    if (result_read(path, &r) != STATUS_OK)
        return;
    if (text_equal(r.status, record_state_names[RECORD_FINISHED]) && (first > 0 || last < r.rounds))
        log_warning("%s/snapshots.bin: snapshots are missing: it has rounds %" PRId64 " to %" PRId64
                    " of 0 to %" PRId64,
                    path, first, last, r.rounds);
    result_release(&r);
}

/* The first run decides what the others must have. */
static enum status read_run(struct landscape_work *w, const char *path, uint32_t *tensors,
                            struct landscape_run *run)
{
    struct snapshot_file f;

    TRY(snapshot_file_open(&f, path));
    enum status s = STATUS_OK;
    if (w->states.count == 0) {
        *tensors = f.tensors;
        w->states.params = f.param_count;
    }
    if (f.count == 0)
        s = FAIL(STATUS_BAD_INPUT, "%s: has no snapshots yet", f.records.path);
    else if (f.tensors != *tensors || f.param_count != w->states.params)
        s = FAIL(STATUS_BAD_INPUT, "%s: another network than that of %s", path,
                 w->request->runs->paths[0]);
    else
        s = add_snapshots(w, &f, run);
    if (s == STATUS_OK)
        warn_of_missing(w->result, path, run);
    snapshot_file_release(&f);
    return s;
}

/* mem_free; NULL: it is not known. */
static char *data_name(const char *path)
{
    struct record r;
    char *name = NULL;

    if (record_open_brief(path, &r) != STATUS_OK)
        return NULL;
    const struct node *node = r.config == NULL ? NULL : node_find_path(r.config, "data.name");
    if (node != NULL && node->kind == NODE_SCALAR)
        name = mem_text(node->text);
    record_release(&r);
    return name;
}

enum status landscape_check_data(const struct rundir_list *runs)
{
    char *first = data_name(runs->paths[0]);
    enum status s = STATUS_OK;

    for (int64_t i = 1; i < runs->count && s == STATUS_OK; i++) {
        char *other = data_name(runs->paths[i]);

        if (first != NULL && other != NULL && strcmp(first, other) != 0)
            s = FAIL(STATUS_BAD_INPUT,
                     "%s was trained on %s, but %s on %s: no loss is that of both", runs->paths[i],
                     other, runs->paths[0], first);
        mem_free(other);
    }
    mem_free(first);
    return s;
}

/* The last part of a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Where two runs have the same name, all are shown by their paths. */
static bool names_differ(const struct rundir_list *runs)
{
    for (int64_t i = 0; i < runs->count; i++)
        for (int64_t j = 0; j < i; j++)
            if (strcmp(base_name(runs->paths[i]), base_name(runs->paths[j])) == 0)
                return false;
    return true;
}

char **landscape_run_names(const struct rundir_list *runs)
{
    const bool is_short = names_differ(runs);
    char **names = MEM_NEW_N(char *, runs->count);

    for (int64_t i = 0; i < runs->count; i++)
        names[i] = mem_text(is_short ? base_name(runs->paths[i]) : runs->paths[i]);
    return names;
}

static void set_names(struct landscape_work *w)
{
    const struct landscape_request *q = w->request;
    char **names = q->names == NULL ? landscape_run_names(q->runs) : NULL;

    for (int64_t i = 0; i < q->runs->count; i++)
        w->result->runs[i].name = names == NULL ? mem_text(q->names[i]) : names[i];
    mem_free(names);
}

static char *title_of(const struct landscape_request *q, const char *first)
{
    if (q->subject == NULL && q->runs->count > 1)
        return text_format("Loss landscape of %" PRId64 " runs", q->runs->count);
    return text_format("Loss landscape of %s", q->subject != NULL ? q->subject : first);
}

static enum status read_runs(struct landscape_work *w)
{
    const struct rundir_list *runs = w->request->runs;
    struct landscape *l = w->result;
    uint32_t tensors = 0;

    TRY(landscape_check_data(runs));
    l->runs = MEM_NEW_N(struct landscape_run, runs->count);
    l->run_count = runs->count;
    set_names(w);
    for (int64_t i = 0; i < runs->count; i++)
        TRY(read_run(w, runs->paths[i], &tensors, &l->runs[i]));
    l->title = title_of(w->request, l->runs[0].name);
    return STATUS_OK;
}

/* --- states --- */

/* First the grid, then the snapshots, then their projections. */
static void set_parameters(const void *context, int64_t i, float *canonical)
{
    const struct landscape_work *w = context;
    const struct landscape *l = w->result;
    const int64_t cells = l->grid * l->grid, params = w->states.params, at = i - cells;
    double x = 0, y = 0;

    if (at >= 0 && at < l->point_count) {
        memcpy(canonical, w->states.values + at * params, (size_t)params * sizeof *canonical);
        return;
    }
    x = at < 0 ? l->x[i % l->grid] : l->points[at - l->point_count].x;
    y = at < 0 ? l->y[i / l->grid] : l->points[at - l->point_count].y;
    for (int64_t k = 0; k < params; k++)
        canonical[k] = (float)(w->plane.origin[k] + x * w->plane.direction[0][k] +
                               y * w->plane.direction[1][k]);
}

/* --- model and samples --- */

static enum status open_model(struct landscape_work *w)
{
    TRY(saved_model_open_network(&w->model, w->request->runs->paths[0], w->request->over));

    const struct tensor_layout *layout = &w->model.build->layout;

    if (layout->param_count != w->states.params)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: its snapshots have %" PRId64 " parameters, its model %" PRId64,
                    w->request->runs->paths[0], w->states.params, layout->param_count);
    if (tensor_layout_has_statistics(layout))
        w->result->recalibrated = LANDSCAPE_CALIBRATION_BATCHES;
    w->job = (struct landscape_job){
        .build = w->model.build,
        .set_parameters = set_parameters,
        .context = w,
    };
    return landscape_choose_samples(&w->job, w->request->samples, &w->result->data);
}

/* --- plane and grid --- */

static enum status make_plane(struct landscape_work *w)
{
    const struct landscape_request *q = w->request;

    if (q->directions == DIRECTIONS_PCA)
        TRY(landscape_plane_pca(&w->states, &w->plane));
    else
        landscape_plane_random(&w->states, &w->model.build->layout,
                               q->directions == DIRECTIONS_FILTER ? SCALE_FILTERS : SCALE_WHOLE,
                               q->seed, &w->plane);
    landscape_plane_project(&w->plane, &w->states, w->result->points);
    memcpy(w->result->explained, w->plane.explained, sizeof w->plane.explained);
    return STATUS_OK;
}

static void set_axis(double *axis, int64_t grid, double low, double high)
{
    for (int64_t i = 0; i < grid; i++)
        axis[i] = low + (high - low) * (double)i / (double)(grid - 1);
}

/* Around all paths; of random directions, as far as the weights are long. */
static void make_grid(struct landscape_work *w)
{
    struct landscape *l = w->result;
    double low[2] = {(double)INFINITY, (double)INFINITY}, high[2] = {-low[0], -low[1]};

    l->grid = w->request->grid;
    l->x = MEM_NEW_N(double, l->grid);
    l->y = MEM_NEW_N(double, l->grid);
    l->losses = MEM_NEW_N(double, l->grid * l->grid);
    for (int64_t i = 0; i < l->point_count; i++) {
        const double at[2] = {l->points[i].x, l->points[i].y};

        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        const double margin = MARGIN * (high[k] - low[k]);
        const bool is_pca = w->request->directions == DIRECTIONS_PCA;

        set_axis(k == 0 ? l->x : l->y, l->grid, is_pca ? low[k] - margin : -1,
                 is_pca ? high[k] + margin : 1);
    }
}

/* All that the losses depend on. */
static void set_key(struct landscape_work *w)
{
    const struct landscape_request *q = w->request;
    const uint32_t values =
        crc32c(0, w->states.values,
               (size_t)(w->states.count * w->states.params) * sizeof *w->states.values);

    w->result->directions = mem_text(landscape_direction_names[q->directions]);
    w->result->key =
        text_format("1 %s grid %" PRId64 " seed %" PRIu64 " %s blocks %" PRId64
                    " snapshots %" PRId64 " %08x %s",
                    w->result->directions, q->grid, q->seed, problem_part_name(w->job.part),
                    w->job.blocks, w->states.count, (unsigned)values, w->model.build->data);
}

/* --- losses --- */

static enum status measure(struct landscape_work *w)
{
    struct landscape *l = w->result;
    const int64_t cells = l->grid * l->grid;
    double *losses = MEM_NEW_N(double, w->job.count);
    const enum status s = landscape_losses(&w->job, losses);

    memcpy(l->losses, losses, (size_t)cells * sizeof *losses);
    for (int64_t i = 0; i < l->point_count; i++) {
        l->points[i].loss = losses[cells + i];
        l->points[i].plane_loss = losses[cells + l->point_count + i];
    }
    mem_free(losses);
    return s;
}

/* What an earlier call measured before it was stopped is not measured again. */
static enum status measure_rest(struct landscape_work *w)
{
    const struct landscape *l = w->result;
    struct partial_losses partial;

    w->job.count = l->grid * l->grid + 2 * l->point_count;
    if (w->request->measures_again)
        TRY(partial_losses_remove(w->request->folder));
    TRY(partial_losses_open(&partial, w->request->folder, l->key, w->job.count));
    w->job.partial = &partial;
    const enum status s = measure(w);
    w->job.partial = NULL;
    partial_losses_close(&partial);
    return s;
}

static enum status make(struct landscape_work *w, bool *reused)
{
    const char *folder = w->request->folder;

    TRY(read_runs(w));
    TRY(open_model(w));
    TRY(make_plane(w));
    make_grid(w);
    set_key(w);
    *reused = !w->request->measures_again && landscape_reuse(w->result, folder);
    if (!*reused) {
        TRY(measure_rest(w));
        TRY(landscape_write(w->result, folder));
    }
    return partial_losses_remove(folder);
}

enum status landscape_make(const struct landscape_request *q, struct landscape *l, bool *reused)
{
    struct landscape_work w = {.request = q, .result = l};

    *l = (struct landscape){0};
    const enum status s = make(&w, reused);
    landscape_plane_release(&w.plane);
    mem_free(w.states.values);
    saved_model_close(&w.model);
    if (s != STATUS_OK)
        landscape_release(l);
    return s;
}
