/*
 * layer.h - what a layer is: a const table per kind (struct layer_ops), an instance in a model's
 * plan (struct layer), and what it sees of one pass over a batch (struct layer_pass).
 *
 * Activations are [batch][height][width][channels]. A layer never allocates: it declares in `plan`
 * what it keeps from forward to backward and what scratch it needs.
 */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include "base/rng.h"
#include "base/team.h"
#include "conf/registry.h"
#include "kernel/kernel.h"
#include "kernel/tensor.h"
#include "nn/shape.h"

enum { LAYER_INPUTS_MAX = 2, LAYER_TENSORS_MAX = 4 };

/* What a fused layer does beside its own kind's work (fuse.c); all zero: nothing. */
struct fusion {
    bool relu;
    int64_t pool; /* conv2d: width and stride of the max pooling behind it; 0: none */
    float sine;   /* dense: sin(sine * x) before the ReLU; 0: none */
};

struct layer {
    const struct layer_ops *ops;
    const struct layer_ops *kind; /* what the net says; ops differ where layers are fused */
    struct fusion fusion;
    void *options; /* borrowed from the model's net; read-only */
    char *name;    /* "conv1", unique in the model */
    int index;     /* position in the plan; also its dropout stream */

    bool is_exact; /* asked for: no method whose errors exceed those of a plain sum */

    int input_count;
    int inputs[LAYER_INPUTS_MAX]; /* index of the layer that makes it; -1: the model's input */
    struct shape in[LAYER_INPUTS_MAX], out;

    /* filled by ops->plan */
    int tensor_count;                         /* parameters first, then buffers */
    struct tensor tensors[LAYER_TENSORS_MAX]; /* offsets are the model's, filled after plan */
    int64_t saved_per_sample, saved_fixed;    /* floats kept from forward to backward */
    int64_t scratch_per_thread, scratch_shared_per_sample,
        scratch_shared_fixed; /* floats, for one call */
    int tracked_count;        /* of batches_tracked: 1 for a BatchNorm */
    const void *method;       /* conv2d: how it computes (layers/conv.h) */
    bool adds_input;          /* backward can add to din[0] what it computes */
    int64_t flops;            /* of forward, per sample: a multiply-add is 2 */

    int64_t flops_backward; /* filled by the model: by the weights, and by the input if wanted */
};

enum pass_mode { PASS_TRAIN, PASS_EVAL };

/* What a layer sees of one pass. Pointers are the layer's own parts already. */
struct layer_pass {
    const struct layer *layer;
    const struct kernel *kernel;
    struct team *team;
    int64_t batch;
    enum pass_mode mode;

    const float *in[LAYER_INPUTS_MAX];
    float *out;
    const float *dout;            /* backward */
    float *din[LAYER_INPUTS_MAX]; /* backward; NULL: nobody needs it; set, unless adds_input */
    bool adds_input;              /* din[0] is added to; only for layers that can */
    float *saved, *saved_fixed;   /* [batch][saved_per_sample], [saved_fixed] */
    float *scratch_shared;
    float *scratch; /* [threads][scratch_per_thread] */

    const float *tensors[LAYER_TENSORS_MAX]; /* parameters and buffers, read */
    float *buffers[LAYER_TENSORS_MAX];   /* the same buffers for writing; NULL unless they are to be
                                            updated */
    float *gradients[LAYER_TENSORS_MAX]; /* backward; set, not added to, unless `adds` */
    bool adds; /* the pass goes on with a batch: saved_fixed and gradients are those of the piece
                  before */
    int64_t *batches_tracked; /* NULL unless they are to be updated */
    bool raw_statistics; /* buffers get the batch's own statistics, and are not moved by them */

    /* what dropout depends on */
    uint64_t seed;
    int64_t epoch;
    const int64_t *samples; /* [batch] numbers of the samples; NULL: 0, 1, 2, ... */
};

enum layer_flags {
    LAYER_NEEDS_INPUT = 1,  /* backward reads in[] */
    LAYER_NEEDS_OUTPUT = 2, /* backward reads out */
    LAYER_IN_PLACE = 4,     /* out may be in[0], din[0] may be dout */
    LAYER_IDENTITY = 8,     /* out IS in[0]: no work (flatten) */
    LAYER_ADDS = 16, /* heeds `adds`; a batch in pieces of whole slices has the bits of one pass */
};

/*
 * Adding a layer: its file with one of these, its line in list.h, and a line with shapes in
 * tests/conform/layer_cases.h. tests/conform/test_layers.c fails without that line; it checks the
 * gradient against finite differences of the layer's own forward, and bits against threads, batches
 * and repetition. The values of forward need a test of their own: a closed form, or tests/golden.
 *
 * Without LAYER_IN_PLACE in, out, dout and din are different memory during a call: all of din may
 * be written before in and dout are read again. backward is not called for a layer without tensors
 * whose inputs' gradients nobody needs, so that din[0] of a layer with one input and no tensors is
 * never NULL.
 */
struct layer_ops {
    struct entry entry;
    int flags;
    int input_count; /* 1, or 2 for add */
    /* From options and in[] to out, tensors, saved, scratch, flops. Errors name the sizes. */
    enum status (*plan)(struct layer *l);
    void (*forward)(const struct layer_pass *p);
    void (*backward)(const struct layer_pass *p);
};

extern const struct registry layer_registry;

/* Slices of 8 samples in a batch: sums over samples are cut so, whatever the threads. */
enum { SLICE = 8 };
static inline int64_t layer_slices(int64_t batch)
{
    return (batch + SLICE - 1) / SLICE;
}

#endif
