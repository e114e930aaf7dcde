/*
 * landscape_between.c - see landscape_between.h.
 */
#include "study/landscape_between.h"

#include <string.h>

#include "base/mem.h"
#include "study/landscape_losses.h"
#include "train/saved_model.h"

/* One measurement at work. */
struct between_work {
    const struct landscape_request *request;
    struct barriers *result;
    struct saved_model first; /* data, network and loss */
    int64_t params;
    float *models; /* [model_count][params], canonical */
    int64_t *ends; /* [pair_count][2] */
};

static void add_model(struct between_work *w, const struct saved_model *m, int64_t at)
{
    const struct tensor_layout *layout = &m->build->layout;
    float *model = w->models + at * w->params;

    memcpy(model, m->state, (size_t)w->params * sizeof *model);
    tensor_layout_to_canonical(layout, model, m->state, layout->param_count);
}

static enum status read_model(struct between_work *w, int64_t at)
{
    const char *path = w->request->runs->paths[at], *first = w->request->runs->paths[0];
    struct saved_model m;
    enum status s = STATUS_OK;

    TRY(saved_model_open(&m, path, w->request->over));
    if (tensor_layout_id(&m.build->layout) != tensor_layout_id(&w->first.build->layout) ||
        m.build->layout.param_count != w->params)
        s = FAIL(STATUS_BAD_INPUT, "%s: another network than that of %s", path, first);
    else
        add_model(w, &m, at);
    saved_model_close(&m);
    return s;
}

static enum status read_models(struct between_work *w)
{
    const struct rundir_list *runs = w->request->runs;

    if (runs->count < 2)
        return FAIL(STATUS_BAD_INPUT, "--between: a line needs two runs, and there is one");
    TRY(landscape_check_data(runs));
    TRY(saved_model_open(&w->first, runs->paths[0], w->request->over));
    w->params = w->first.build->layout.param_count;
    w->models = MEM_NEW_N(float, runs->count * w->params);
    add_model(w, &w->first, 0);
    for (int64_t i = 1; i < runs->count; i++)
        TRY(read_model(w, i));
    return STATUS_OK;
}

/* Room for the result, and the ends of each line. */
static void prepare(struct between_work *w)
{
    struct barriers *b = w->result;
    const int64_t n = w->request->runs->count;
    int64_t at = 0;

    b->model_count = n;
    b->pair_count = n * (n - 1) / 2;
    b->points = w->request->grid;
    b->names = landscape_run_names(w->request->runs);
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
