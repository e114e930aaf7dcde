/*
 * tensor.h - one row of a model's table of tensors: what the flat vector holds, and where.
 *
 * The flat vector is in the order that kernels want; files, golden vectors and initial values are
 * in canonical order (PyTorch's: out, in, ky, kx). tensor_to_canonical and tensor_from_canonical
 * are the only places that know both.
 */
#ifndef NN_TENSOR_H
#define NN_TENSOR_H

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
};

/* Between the model's vector at `stored` (this tensor's first element) and canonical order. */
void tensor_to_canonical(const struct tensor *t, float *canonical, const float *stored);
void tensor_from_canonical(const struct tensor *t, float *stored, const float *canonical);

#endif
