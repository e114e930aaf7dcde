/*
 * landscape_between.c - see landscape_between.h.
 */
#include "study/landscape_between.h"

#include <string.h>

#include "base/mem.h"
#include "study/landscape_losses.h"
#include "train/saved_model.h"
#include "train/worker_models.h"

/* One measurement at work. */
struct between_work {
    const struct landscape_request *request;
    struct barriers *result;
    struct saved_model first; /* data, network and loss */
    int64_t params;
    float *models; /* [model_count][params], canonical */
    int64_t *ends; /* [pair_count][2] */
};

/* --- models --- */

static void set_model(struct between_work *w, int64_t at, const float *state)
{
    const struct tensor_layout *layout = &w->first.build->layout;
    float *model = w->models + at * w->params;

    memcpy(model, state, (size_t)w->params * sizeof *model);
    tensor_layout_to_canonical(layout, model, state, layout->param_count);
}

static void make_room(struct between_work *w, int64_t models)
{
    w->params = w->first.build->layout.param_count;
    w->models = MEM_NEW_N(float, models * w->params);
    w->result->model_count = models;
}

static enum status read_run(struct between_work *w, int64_t at)
{
    const char *path = w->request->runs->paths[at], *first = w->request->runs->paths[0];
    struct saved_model m;
    enum status s = STATUS_OK;

    TRY(saved_model_open(&m, path, w->request->over));
    if (tensor_layout_id(&m.build->layout) != tensor_layout_id(&w->first.build->layout) ||
        m.build->layout.param_count != w->params)
        s = FAIL(STATUS_BAD_INPUT, "%s: another network than that of %s", path, first);
    else
        set_model(w, at, m.state);
    saved_model_close(&m);
    return s;
}

static enum status read_runs(struct between_work *w)
{
    const struct rundir_list *runs = w->request->runs;

    make_room(w, runs->count);
    w->result->names = landscape_run_names(runs);
    set_model(w, 0, w->first.state);
    for (int64_t i = 1; i < runs->count; i++)
        TRY(read_run(w, i));
    return STATUS_OK;
}

static bool models_are_same(const struct between_work *w)
{
    const size_t bytes = (size_t)w->params * sizeof *w->models;

    for (int64_t i = 1; i < w->result->model_count; i++)
        if (memcmp(w->models, w->models + i * w->params, bytes) != 0)
            return false;
    return true;
}

static enum status read_checkpoint(struct between_work *w, const char *checkpoint)
{
    const struct build *b = w->first.build;
    float *state = MEM_NEW_N(float, b->layout.state_count);
    enum status s = STATUS_OK;

    make_room(w, b->workers);
    w->result->names = MEM_NEW_N(char *, b->workers);
    for (int i = 0; i < b->workers && s == STATUS_OK; i++) {
        w->result->names[i] = text_format("%s %d", b->algo->needs_graph ? "node" : "worker", i);
        s = worker_models_load(b, checkpoint, i, state);
        set_model(w, i, state);
    }
    mem_free(state);
    return s;
}

static enum status read_workers(struct between_work *w)
{
    const struct build *b = w->first.build;
    const char *run = w->request->runs->paths[0];
    char *checkpoint = NULL;

    TRY(worker_models_find(b, run, &checkpoint));
    const enum status s = read_checkpoint(w, checkpoint);
    mem_free(checkpoint);
    TRY(s);
    return models_are_same(w) ? worker_models_fail_same(b, run) : STATUS_OK;
}

static enum status read_models(struct between_work *w)
{
    const struct rundir_list *runs = w->request->runs;

    TRY(landscape_check_data(runs));
    TRY(saved_model_open(&w->first, runs->paths[0], w->request->over));
    return runs->count == 1 ? read_workers(w) : read_runs(w);
}

/* --- lines --- */

/* Room for the result, and the ends of each line. */
static void prepare(struct between_work *w)
{
    struct barriers *b = w->result;
    const int64_t n = b->model_count;
    int64_t at = 0;

    b->pair_count = n * (n - 1) / 2;
    b->points = w->request->grid;
    b->losses = MEM_NEW_N(double, b->pair_count * b->points);
    b->matrix = MEM_NEW_N(double, n *n);
    w->ends = MEM_NEW_N(int64_t, 2 * b->pair_count);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            w->ends[at++] = i;
            w->ends[at++] = j;
        }
    if (tensor_layout_has_statistics(&w->first.build->layout))
        b->recalibrated = LANDSCAPE_CALIBRATION_BATCHES;
}

static void set_parameters(const void *context, int64_t i, float *canonical)
{
    const struct between_work *w = context;
    const int64_t points = w->result->points, pair = i / points;
    const double t = (double)(i % points) / (double)(points - 1);
    const float *a = w->models + w->ends[2 * pair] * w->params;
    const float *b = w->models + w->ends[2 * pair + 1] * w->params;

    for (int64_t k = 0; k < w->params; k++)
        canonical[k] = (float)((1 - t) * (double)a[k] + t * (double)b[k]);
}

static enum status measure(struct between_work *w)
{
    struct barriers *b = w->result;
    struct landscape_job job = {
        .build = w->first.build,
        .count = b->pair_count * b->points,
        .set_parameters = set_parameters,
        .context = w,
    };

    TRY(landscape_choose_samples(&job, w->request->samples, &b->data));
    TRY(landscape_losses(&job, b->losses));
    barriers_set_matrix(b);
    return barriers_write(b, w->request->folder);
}

enum status landscape_between(const struct landscape_request *q, struct barriers *b)
{
    struct between_work w = {.request = q, .result = b};

    *b = (struct barriers){0};
    enum status s = read_models(&w);
    if (s == STATUS_OK) {
        prepare(&w);
        s = measure(&w);
    }
    mem_free(w.models);
    mem_free(w.ends);
    saved_model_close(&w.first);
    if (s != STATUS_OK)
        barriers_release(b);
    return s;
}
