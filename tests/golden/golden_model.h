/*
 * golden_model.h - a model with golden parameters, ready to compute on one batch.
 */
#ifndef TESTS_GOLDEN_MODEL_H
#define TESTS_GOLDEN_MODEL_H

#include "golden/golden.h"
#include "nn/model.h"

struct golden_model {
    struct model *model;
    struct team *team;
    struct workspace *work;
    int64_t batch;
    float *state, *gradient;
    int64_t *batches_tracked;
};

static inline bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Weights on +-sqrt(3/fan_in), biases and beta on +-0.1, gamma on 1 +- 0.1. */
static inline void golden_fill_tensor(float *state, const struct tensor *t, const char *name,
                                      int index)
{
    struct golden_range range = {.scale = 0.1};
    char *stream = text_format("%s/parameter/%d", name, index);
    float *canonical = MEM_NEW_N(float, t->count);

    if (t->rank > 1)
        range.scale = sqrt(3.0 / (double)(t->count / t->dims[0]));
    else if (t->kind == TENSOR_NORM && ends_with(t->name, "weight"))
        range.shift = 1;
    golden_fill(canonical, t->count, stream, range);
    tensor_from_canonical(t, state + t->offset, canonical);
    mem_free(canonical);
    mem_free(stream);
}

/* Takes the model. */
static inline void golden_model_init(struct golden_model *m, struct model *model, const char *name,
                                     int64_t batch)
{
    *m = (struct golden_model){
        .model = model,
        .team = team_new(1),
        .work = workspace_new(model, batch, 1),
        .batch = batch,
        .state = MEM_NEW_N(float, model->state_count),
        .gradient = MEM_NEW_N(float, model->param_count),
        .batches_tracked = MEM_NEW_N(int64_t, model->tracked_count),
    };
    model_initialize(model, m->state, 1);
    for (int i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].kind != TENSOR_BUFFER)
            golden_fill_tensor(m->state, &model->tensors[i], name, i);
    }
}

static inline void golden_model_release(struct golden_model *m)
{
    workspace_free(m->work);
    team_free(m->team);
    mem_free(m->state);
    mem_free(m->gradient);
    mem_free(m->batches_tracked);
    model_free(m->model);
    *m = (struct golden_model){0};
}

static inline struct model_pass golden_pass(struct golden_model *m)
{
    return (struct model_pass){
        .team = m->team,
        .work = m->work,
        .batch = m->batch,
        .state = m->state,
        .update_state = m->state,
        .batches_tracked = m->batches_tracked,
    };
}

/* A tensor of a vector laid out as the state, in canonical order; mem_free. */
static inline float *golden_canonical(const struct tensor *t, const float *vector)
{
    float *canonical = MEM_NEW_N(float, t->count);

    tensor_to_canonical(t, canonical, vector + t->offset);
    return canonical;
}

#endif
