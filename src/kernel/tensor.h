/*
 * tensor.h - the layout of a state: what its flat vector holds and where, as a table with a row per
 * tensor; and who is called when a part of the gradient is finished.
 *
 * The flat vector is in the order that kernels want; files, golden vectors and initial values are
 * in canonical order (PyTorch's: out, in, ky, kx). tensor_to_canonical and tensor_from_canonical
 * are the only places that know both.
 */
#ifndef KERNEL_TENSOR_H
#define KERNEL_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum tensor_kind {
    TENSOR_WEIGHT,
    TENSOR_BIAS,
    TENSOR_NORM,   /* BatchNorm's gamma and beta */
    TENSOR_BUFFER, /* BatchNorm's running statistics: after the parameters, no gradient */
};

enum tensor_init {
    INIT_ZERO,
    INIT_ONE,
    INIT_UNIFORM, /* on [-bound, bound) */
    INIT_NORMAL,  /* mean 0, standard deviation bound */
};

struct tensor {
    char *name; /* "conv1.weight", unique in the model */
    enum tensor_kind kind;
    int rank;
    int64_t dims[4];       /* canonical */
    int64_t offset, count; /* in [parameters | buffers] */
    int64_t rows, columns; /* as a matrix: dims[0] x the rest; a vector is 1 x count */
    /*
     * columns of a panel matrix, 0: stored plainly in canonical order. A panel tensor is canonical
     * [out][channels][height][width], stored as panels of W[K][out], K = (y, x, channel).
     */
    int64_t panel_out, panel_height, panel_width, panel_channels;
    enum tensor_init init;
    double bound;
    double momentum; /* of a buffer: the weight of a new batch in the running statistic */
    bool is_grid;    /* its values belong to places of a map, and a sample moves those around it */
};

/*
 * All that an algorithm needs to know of a state [parameters | buffers]. It is borrowed from
 * whatever planned the state. A problem without a model has counts but no tensors.
 */
struct tensor_layout {
    int64_t param_count, state_count;
    int tensor_count;
    const struct tensor *tensors;     /* [tensor_count]: parameters, then buffers */
    int tracked_count;                /* of the numbers of batches in the running statistics */
    const char *const *tracked_names; /* [tracked_count]: what files call them */
};

/* Between the model's vector at `stored` (this tensor's first element) and canonical order. */
void tensor_to_canonical(const struct tensor *t, float *canonical, const float *stored);
void tensor_from_canonical(const struct tensor *t, float *stored, const float *canonical);

/* The same for whole vectors; count is param_count or state_count. */
void tensor_layout_to_canonical(const struct tensor_layout *l, float *canonical,
                                const float *stored, int64_t count);
void tensor_layout_from_canonical(const struct tensor_layout *l, float *stored,
                                  const float *canonical, int64_t count);

/*
 * A number for names, places and stored order of all tensors: vectors in stored order may be
 * exchanged between programs for which it is the same.
 */
uint64_t tensor_layout_id(const struct tensor_layout *l);

/* Whether a tensor is a grid. */
bool tensor_layout_has_grid(const struct tensor_layout *l);

/* Whether the buffers are running statistics, which a batch moves. */
bool tensor_layout_has_statistics(const struct tensor_layout *l);

/* buffers <- (1 - m) buffers + m raw, each by its own momentum m. Both begin at param_count. */
void tensor_layout_move_statistics(const struct tensor_layout *l, float *buffers, const float *raw);

/*
 * A running statistic after one more batch. The batch's own is a float, as it is when it has been
 * sent to a server that does this: the bits are the same there.
 */
static inline float tensor_move_statistic(double momentum, float running, float batch)
{
    return (float)((1.0 - momentum) * (double)running + momentum * (double)batch);
}

/*
 * Called with each finished range of the flat gradient, in backward order; together the ranges
 * cover it once. It may start or poll a sum, or update that range of the parameters; it never
 * blocks.
 */
struct gradient_hook {
    void (*finished)(void *context, int64_t offset, int64_t count);
    void *context;
};

#endif
