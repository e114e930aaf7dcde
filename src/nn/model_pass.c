/*
 * model_pass.c - passes over a model: forward, and backward with finished ranges of the gradient
 * handed out as they come.
 *
 * A value that several layers read (the input of a residual block) gets its gradient from each of
 * them: the last reader, which comes first in backward, writes it; the others write to room of
 * their own, which is then added. The order is the plan's, so the bits are always the same.
 *
 * Not here: what lies where (model_memory.c).
 */
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "nn/model_memory.h"

enum {
    PIECE_FLOATS = 131072, /* 512 KB: half of a second-level cache */
    PIECE_UNIT = 48,       /* samples: whole tiles and whole slices */
};

static float *block_at(const struct workspace *w, int64_t per_sample)
{
    return w->blocks + per_sample * w->max_batch;
}

static const float *value_of(const struct model *m, const struct workspace *w, int value)
{
    return block_at(w, value < 0 ? m->memory->input : m->memory->layers[value].out);
}

/* What layer i sees of the pass, without the gradients. */
static struct layer_pass layer_view(const struct model *m, const struct model_pass *p, int i,
                                    enum pass_mode mode)
{
    const struct layer *l = &m->layers[i];
    const struct layer_memory *memory = &m->memory->layers[i];
    const struct workspace *w = p->work;
    const bool updates = mode == PASS_TRAIN && p->update_state != NULL;
    struct layer_pass view = {
        .layer = l,
        .kernel = kernel_get(),
        .team = p->team,
        .batch = p->batch,
        .mode = mode,
        .out = block_at(w, memory->out),
        .saved = block_at(w, memory->saved),
        .saved_fixed = w->fixed + memory->saved_fixed,
        .scratch_shared = w->scratch_shared,
        .scratch = w->scratch,
        .batches_tracked =
            updates && l->tracked_count > 0 ? p->batches_tracked + memory->tracked : NULL,
        .seed = p->seed,
        .epoch = p->epoch,
        .samples = p->samples,
        .adds = p->adds,
        .raw_statistics = p->raw_statistics,
    };

    for (int s = 0; s < l->input_count; s++)
        view.in[s] = value_of(m, w, l->inputs[s]);
    for (int t = 0; t < l->tensor_count; t++) {
        view.tensors[t] = p->state + l->tensors[t].offset;
        if (updates && l->tensors[t].kind == TENSOR_BUFFER)
            view.buffers[t] = p->update_state + l->tensors[t].offset;
    }
    return view;
}

int64_t model_piece(const struct model *m)
{
    const int64_t fitting = PIECE_FLOATS / m->memory->per_sample / PIECE_UNIT * PIECE_UNIT;

    for (int i = 0; i < m->layer_count; i++)
        if (m->layers[i].tensor_count > 0 && (m->layers[i].ops->flags & LAYER_ADDS) == 0)
            return INT64_MAX;
    return fitting > PIECE_UNIT ? fitting : PIECE_UNIT;
}

static void check_pass(const struct model *m, const struct model_pass *p)
{
    CHECK(p->work->model == m);
    CHECK(p->batch >= 1 && p->batch <= p->work->max_batch);
    CHECK(team_size(p->team) <= p->work->threads);
    CHECK(p->update_state == NULL || p->batches_tracked != NULL || m->tracked_count == 0);
}

/* Books the time since *last under `spent`, and begins anew. */
static void add_time(double *spent, double *last)
{
    const double now = clock_seconds();

    *spent += now - *last;
    *last = now;
}

const float *model_forward(const struct model *m, const struct model_pass *p, enum pass_mode mode)
{
    double last = p->timer == NULL ? 0.0 : clock_seconds();

    check_pass(m, p);
    for (int i = 0; i < m->layer_count; i++) {
        const struct layer_pass view = layer_view(m, p, i, mode);
        if ((m->layers[i].ops->flags & LAYER_IDENTITY) == 0)
            m->layers[i].ops->forward(&view);
        if (p->timer != NULL)
            add_time(&p->timer->forward[i], &last);
    }
    if (p->timer != NULL)
        p->timer->forward_end = last;
    return value_of(m, p->work, m->layer_count - 1);
}

/* --- backward --- */

struct backward {
    const struct model *model;
    const struct model_pass *pass;
    const float *doutput;
    float *gradient, *din;
};

/* Where layer i's part of the gradient by its input s goes; NULL: nobody needs it. */
static float *din_of(const struct backward *b, int i, int s)
{
    const struct input_memory *in = &b->model->memory->layers[i].inputs[s];

    if (!in->is_wanted && b->din == NULL)
        return NULL;
    if (b->model->layers[i].inputs[s] < 0 && !in->is_added)
        return b->din;
    return block_at(b->pass->work, in->din);
}

static void add_part(void *context, int thread, int threads)
{
    const struct layer_pass *v = context; /* in[0] is added to out */
    const int64_t size = shape_size(v->layer->in[0]);
    int64_t begin, end;

    team_part(v->batch, thread, threads, &begin, &end);
    v->kernel->add(v->out + begin * size, v->out + begin * size, v->in[0] + begin * size,
                   (end - begin) * size);
}

/* Adds what layer i wrote aside for its input s to the gradient by that input. */
static void add_aside(const struct backward *b, const struct layer_pass *view, int s)
{
    const struct model *m = b->model;
    const int value = view->layer->inputs[s];
    struct layer_pass sum = *view;

    sum.in[0] = view->din[s];
    sum.out = value < 0 ? b->din : block_at(b->pass->work, m->memory->layers[value].gradient);
    team_run(view->team, add_part, &sum);
}

static void run_layer(const struct backward *b, const struct layer_pass *view, int i)
{
    const struct layer *l = view->layer;
    const size_t bytes = (size_t)(view->batch * shape_size(l->out)) * sizeof(float);
    bool is_needed = l->tensor_count > 0;

    for (int s = 0; s < l->input_count; s++)
        is_needed = is_needed || view->din[s] != NULL;
    if (!is_needed)
        return;
    if ((l->ops->flags & LAYER_IDENTITY) == 0)
        l->ops->backward(view);
    else if (view->din[0] != NULL && view->din[0] != view->dout)
        memcpy(view->din[0], view->dout, bytes);
    for (int s = 0; s < l->input_count; s++)
        if (view->din[s] != NULL && b->model->memory->layers[i].inputs[s].is_added)
            add_aside(b, view, s);
}

/* A layer's parameters lie side by side: one range. */
static void report_finished(const struct layer *l, const struct gradient_hook *hook)
{
    int64_t count = 0;

    for (int t = 0; t < l->tensor_count; t++)
        if (l->tensors[t].kind != TENSOR_BUFFER)
            count += l->tensors[t].count;
    if (hook != NULL && count > 0)
        hook->finished(hook->context, l->tensors[0].offset, count);
}

void model_backward(const struct model *m, const struct model_pass *p, const float *doutput,
                    float *gradient, const struct gradient_hook *hook, float *din)
{
    const struct backward b = {m, p, doutput, gradient, din};
    double last = 0.0;

    check_pass(m, p);
    if (p->timer != NULL) {
        last = p->timer->forward_end;
        add_time(&p->timer->between, &last);
    }
    for (int i = m->layer_count - 1; i >= 0; i--) {
        const struct layer *l = &m->layers[i];
        struct layer_pass view = layer_view(m, p, i, PASS_TRAIN);
        const bool is_last = i == m->layer_count - 1;
        view.dout = is_last ? doutput : block_at(p->work, m->memory->layers[i].gradient);
        for (int s = 0; s < l->input_count; s++)
            view.din[s] = din_of(&b, i, s);
        view.adds_input = m->memory->layers[i].inputs[0].adds;
        for (int t = 0; t < l->tensor_count; t++)
            if (l->tensors[t].kind != TENSOR_BUFFER)
                view.gradients[t] = gradient + l->tensors[t].offset;
        run_layer(&b, &view, i);
        if (p->timer != NULL)
            add_time(&p->timer->backward[i], &last);
        report_finished(l, hook);
    }
}
