/*
 * model.h - a model is an immutable plan: layers with shapes, a table of tensors, memory offsets.
 *
 * Three things are apart: the plan (here), the workspace (activations of one batch, owned by
 * whoever computes at the moment), and the state vector (owned by a worker): [parameters |
 * buffers], one allocation of model->state_count floats. The gradient is a vector of
 * model->param_count floats.
 */
#ifndef NN_MODEL_H
#define NN_MODEL_H

#include "base/team.h"
#include "nn/layer.h"
#include "nn/net.h"

/* How a net is planned, where that changes bits or speed and not what is computed. */
struct model_options {
    enum convolution {
        CONVOLUTION_AUTO,   /* Winograd where it pays: rounding errors of 1e-5 instead of 1e-6 */
        CONVOLUTION_DIRECT, /* exact to rounding */
    } convolution;
    bool no_fusion; /* every layer runs for itself */
};

struct model {
    char *name;
    struct model_options options;
    struct net *net; /* owned: the layers' options live there */
    struct shape in, out;
    int layer_count;
    struct layer *layers;
    int tensor_count;
    struct tensor *tensors; /* parameters in layer order, then buffers in layer order */
    int64_t param_count, state_count;
    int tracked_count;
    char **tracked_names;                  /* [tracked_count] "bn1.num_batches_tracked" */
    int64_t flops_forward, flops_training; /* per sample */
    struct model_memory *memory;           /* offsets of the workspace; private to nn */
};

/* Plans a net for an input shape; takes the net (frees it on failure too). */
enum status model_new(const char *name, struct net *net, struct shape in, struct model **model);
/* The same with options other than all zero; NULL: the defaults. */
enum status model_new_with(const char *name, struct net *net, struct shape in,
                           const struct model_options *options, struct model **model);
void model_free(struct model *m);

/* Borrowed from the model. */
struct tensor_layout model_layout(const struct model *m);

/*
 * How many grids of features (layers/grid.c) the model has over its input; and, if there are any,
 * their mean at a point of the input, of values that belong to the values of all grids in stored
 * order, one grid after the other: interpolated like the features.
 */
int model_input_grids(const struct model *m);
double model_grid_mean(const struct model *m, const float *values, const float *point);

/* Draws the initial values by canonical index; buffers get their start values. */
void model_initialize(const struct model *m, float *state, uint64_t seed);

/* Activations for batches of at most max_batch, for a team of this size. */
struct workspace;
struct workspace *workspace_new(const struct model *m, int64_t max_batch, int threads);
void workspace_free(struct workspace *w);
int64_t workspace_bytes(const struct model *m, int64_t max_batch, int threads);

/* Where the model's input for the next pass goes: [batch][in], to be filled by the caller. */
float *workspace_input(struct workspace *w);

/* Where the time of passes goes, for benchmarks: seconds, added up over the passes. */
struct model_timer {
    double *forward, *backward; /* [layer_count] */
    double between;             /* from the end of forward to the start of backward: the loss */
    double input;               /* filling the input: booked by whoever does it */
    double forward_end;         /* clock_seconds */
};

/* One pass: who computes, on what. */
struct model_pass {
    struct team *team;
    struct workspace *work;
    int64_t batch;
    const float *state;  /* [state_count] */
    float *update_state; /* where running statistics go (usually state itself); NULL: not updated */
    int64_t *batches_tracked; /* [tracked_count]; NULL with update_state NULL */
    bool raw_statistics;      /* update_state gets the batch's own statistics (see below) */
    uint64_t seed;            /* dropout */
    int64_t epoch;
    const int64_t *samples;
    bool adds;                 /* backward adds to the gradient of the piece before (model_piece) */
    struct model_timer *timer; /* NULL: nobody looks at the clock */
};

/*
 * A batch may be cut into pieces of this many samples, each with its own forward and backward
 * (`adds` from the second on): the gradient has the bits of the whole batch, and activations stay
 * in cache. INT64_MAX for models with layers that cannot do so.
 */
int64_t model_piece(const struct model *m);

/* Answers the output [batch][out], in the workspace. */
const float *model_forward(const struct model *m, const struct model_pass *p, enum pass_mode mode);

/*
 * After model_forward in PASS_TRAIN with the same pass: from the gradient of the loss by the output
 * (doutput, [batch][out]) to the whole flat gradient (set, not added to). hook may be NULL.
 * din, when not NULL, gets the gradient by the input (tests). Gradients take the room of
 * activations that are no longer needed, so each backward needs a forward of its own; input, output
 * and doutput stay as they are.
 */
void model_backward(const struct model *m, const struct model_pass *p, const float *doutput,
                    float *gradient, const struct gradient_hook *hook, float *din);

/*
 * BatchNorm's running statistics are the buffers state[param_count .. state_count). An ordinary
 * pass moves them. With raw_statistics it puts the batch's own there instead (mean, unbiased
 * variance), to be moved by whoever has the model; the bits are the same. Either way
 * batches_tracked go up by one, and a batch with one value per channel, which has no variance,
 * leaves buffers and count alone.
 */

/* The values that model_initialize gives them. */
void model_reset_statistics(const struct model *m, float *buffers);

/*
 * buffers <- sums / batches_tracked: the plain average over batches, whose raw statistics are added
 * up in sums[state_count - param_count]. The buffers of a BatchNorm that counted no batch stay.
 */
void model_average_statistics(const struct model *m, float *buffers, const double *sums,
                              const int64_t *batches_tracked);

/* The gradient buffer of the output, where a loss may write doutput without a copy. */
float *workspace_output_gradient(struct workspace *w);

/* Tensor by name, NULL if there is none. */
const struct tensor *model_find_tensor(const struct model *m, const char *name);

/* Whole vectors between stored and canonical order; count is param_count or state_count. */
void model_to_canonical(const struct model *m, float *canonical, const float *stored,
                        int64_t count);
void model_from_canonical(const struct model *m, float *stored, const float *canonical,
                          int64_t count);

#endif
