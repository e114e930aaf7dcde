/*
 * muster_conv.c - a network of one convolution with bias, pass by pass.
 *
 * Passes: forward; backward_weights (the gradient by weights and bias); backward (that and the
 * gradient by the input, which one call of a layer makes together).
 */
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "conv_serve.h"
#include "nn/layer_options.h"
#include "nn/model.h"

struct conv_peer {
    struct model *model;
    struct team *team;
    struct workspace *work;
    float *state, *gradient, *doutput, *din;
    int64_t batch;
};

static void fill(float *x, int64_t n)
{
    uint32_t state = 1;

    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U;
        x[i] = (float)(state >> 8) * 0x1p-23F - 1.0F;
    }
}

struct conv_peer *conv_peer_new(const struct conv *c)
{
    struct conv_peer *p = MEM_NEW(struct conv_peer);
    const struct shape in = {.height = c->side, .width = c->side, .channels = c->channels};
    struct net *net = net_new();
    struct conv2d_options *o = net_add(net, "conv2d", NULL);

    *o = (struct conv2d_options){
        .out = c->filters, .kernel = c->kernel, .stride = c->stride, .pad = c->pad, .bias = true};
    CHECK(model_new("conv", net, in, &p->model) == STATUS_OK);
    p->batch = c->batch;
    p->team = team_new(1);
    p->work = workspace_new(p->model, c->batch, 1);
    p->state = MEM_NEW_N(float, p->model->state_count);
    p->gradient = MEM_NEW_N(float, p->model->param_count);
    p->doutput = MEM_NEW_N(float, c->batch *shape_size(p->model->out));
    p->din = MEM_NEW_N(float, c->batch *shape_size(in));
    model_initialize(p->model, p->state, 1);
    fill(workspace_input(p->work), c->batch * shape_size(in));
    fill(p->doutput, c->batch * shape_size(p->model->out));
    return p;
}

void conv_peer_free(struct conv_peer *p)
{
    if (p == NULL)
        return;
    workspace_free(p->work);
    team_free(p->team);
    model_free(p->model);
    mem_free(p->state);
    mem_free(p->gradient);
    mem_free(p->doutput);
    mem_free(p->din);
    mem_free(p);
}

double conv_peer_run(struct conv_peer *p, const char *pass)
{
    const struct model_pass view = {
        .team = p->team, .work = p->work, .batch = p->batch, .state = p->state};
    const double start = clock_seconds();

    model_forward(p->model, &view, PASS_TRAIN);
    const double half = clock_seconds();
    if (strcmp(pass, "forward") == 0)
        return half - start;
    if (strcmp(pass, "backward") == 0)
        model_backward(p->model, &view, p->doutput, p->gradient, NULL, p->din);
    else if (strcmp(pass, "backward_weights") == 0)
        model_backward(p->model, &view, p->doutput, p->gradient, NULL, NULL);
    else
        return -1;
    return clock_seconds() - half;
}
