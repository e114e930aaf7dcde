/*
 * conv_rig.h - what the tests of convolutions share: a network of a few layers with all it needs to
 * run forward and backward on noise, and how far two results are apart.
 */
#ifndef TESTS_UNIT_CONV_RIG_H
#define TESTS_UNIT_CONV_RIG_H

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "conf/yaml.h"
#include "nn/model_memory.h"
#include "test.h"

enum { RIG_BATCH = 5 };

struct rig {
    struct model *model;
    struct workspace *work;
    struct team *team;
    float *state, *gradient, *din, *dout;
};

/* Between -1 and 1. */
static inline float *noise_new(int64_t n, uint32_t stream)
{
    const struct rng r = rng_make(11, RNG_TEST, stream);
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(2.0 * rng_uniform(&r, (uint64_t)i, 0) - 1.0);
    return x;
}

/* The network of a YAML list of layers. */
static inline struct model *model_of_layers(const char *layers, struct shape in,
                                            const struct model_options *options)
{
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layers, strlen(layers), "case", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new_with("case", net, in, options, &m));
    node_free(list);
    return m;
}

/* The model is the rig's from here on. The input is noise of stream 3. */
static inline void rig_init(struct rig *r, struct model *m, int threads)
{
    const int64_t inputs = RIG_BATCH * shape_size(m->in);
    float *x = noise_new(inputs, 3);

    *r = (struct rig){.model = m, .team = team_new(threads)};
    r->work = workspace_new(m, RIG_BATCH, threads);
    /* Nobody may read what nobody has written: all NaN. */
    memset(r->work->blocks, 0xff, (size_t)workspace_bytes(m, RIG_BATCH, threads));
    r->state = noise_new(m->state_count, 1);
    r->gradient = MEM_NEW_N(float, m->param_count);
    r->din = MEM_NEW_N(float, inputs);
    r->dout = noise_new(RIG_BATCH * shape_size(m->out), 2);
    memcpy(workspace_input(r->work), x, (size_t)inputs * sizeof *x);
    mem_free(x);
}

static inline void rig_release(struct rig *r)
{
    workspace_free(r->work);
    team_free(r->team);
    model_free(r->model);
    mem_free(r->state);
    mem_free(r->gradient);
    mem_free(r->din);
    mem_free(r->dout);
}

/* Forward and backward; answers the output. */
static inline const float *rig_run(struct rig *r)
{
    const struct model_pass pass = {
        .team = r->team, .work = r->work, .batch = RIG_BATCH, .state = r->state};
    const float *out = model_forward(r->model, &pass, PASS_TRAIN);

    model_backward(r->model, &pass, r->dout, r->gradient, NULL, r->din);
    return out;
}

/* The largest difference, relative to the largest entry. */
static inline double largest_error(const float *a, const float *b, int64_t n)
{
    double error = 0.0, largest = 0.0;

    for (int64_t i = 0; i < n; i++) {
        const double e = fabs((double)a[i] - (double)b[i]);
        if (!(e <= error))
            error = e;
        largest = fmax(largest, fabs((double)b[i]));
    }
    return error / largest;
}

#endif
