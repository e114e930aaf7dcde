/*
 * kernel.h - arithmetic on float arrays, as one table of functions per instruction set.
 *
 * The files under kernel/simd/ are compiled once per ISA (names get its suffix) and fill one
 * struct kernel each; kernel_get() answers the best that this machine runs, or the one that
 * MUSTER_ISA names. Kernels return nothing, allocate nothing, know no threads: a caller splits the
 * work. Outputs come first. Nothing here calls libm; exp, log, tanh and sin are ours (simd/math.h),
 * so that bits depend on the ISA alone. An element gets the same operations in the same order
 * wherever it stands in a tile or vector.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "kernel/convpool.h"
#include "kernel/few.h"
#include "kernel/panel.h"
#include "kernel/winograd.h"

/* Geometry of 2-D pooling over a channel-last image. */
struct pool_shape {
    int64_t height, width, channels; /* of the input */
    int64_t out_height, out_width;
    int64_t kernel, stride, pad;
};

/* What BatchNorm does to its input, and what is joined to it: y = x scale + shift + other, ReLU. */
struct norm_map {
    const float *scale, *shift; /* [channels] */
    const float *other;         /* [rows][channels]; NULL: nothing is added */
    bool relu;
};

/* Where the ReLU behind BatchNorm has cut: dz is dy, and 0 where ... */
enum norm_mask {
    NORM_MASK_NONE,   /* nowhere: there is no ReLU */
    NORM_MASK_INPUT,  /* ... x scale + shift <= 0: the output need not be read */
    NORM_MASK_OUTPUT, /* ... y <= 0 */
};

struct norm_gradient {
    enum norm_mask mask;
    const float *dy, *x, *y;     /* [rows][channels]; y for NORM_MASK_OUTPUT only */
    const float *scale, *shift;  /* [channels], of the forward map */
    const float *mean;           /* [channels], for the sums */
    float *dz;                   /* [rows][channels], may be dy; NULL: not wanted */
    const float *scale_x, *rest; /* [channels], for dx */
};

struct adam_rates {
    float lr, epsilon;
    double beta1, beta2;            /* as double, for 1 - beta: a float's lacks half its digits */
    float correction1, correction2; /* 1 - beta^t */
    float weight_decay;             /* L2: added to the gradient (Adam) */
    float shrink; /* x is first multiplied by this (AdamW: 1 - lr*wd); 1 for Adam */
};

struct sgd_rates {
    float lr, momentum, weight_decay;
    bool nesterov;
    bool first; /* the velocity starts as the first gradient */
};

struct lars_rates {
    float step, momentum, weight_decay; /* step: the learning rate of this tensor */
};

/* What streams: `from` is read; from is copied to `to`; or both are read and `to` is written. */
enum stream_mix { STREAM_READ, STREAM_COPY, STREAM_UPDATE };

/* Which words of the generator (base/rng.h) a sample's units get, and what becomes of them. */
struct dropout_stream {
    uint32_t key[2], stream;
    uint64_t index;   /* the sample's number */
    uint32_t draw;    /* of the first unit; each draw serves four units */
    uint32_t dropped; /* words below this drop their unit */
    bool drops_all;   /* every unit is dropped: 2^32 is no 32-bit number */
    float kept;       /* factor of the others */
};

/* A dense layer with few inputs and what is behind it: relu(sin(scale (x w + b))). */
struct dense_sine {
    const float *x; /* [rows][inputs] */
    int64_t rows, inputs, columns;
    const float *weights, *bias; /* in panels; NULL: no bias */
    float scale;
    bool relu; /* or without */
};

enum { DENSE_SINE_INPUTS = 16 }; /* at most */

/* Backward through it, for some of its columns: that is how threads share it. */
struct dense_sine_back {
    const float *dy, *y; /* [rows][columns]; y is read with ReLU only */
    float *dz;           /* gets the gradient by x w + b, may be dy; NULL: nobody needs it */
    float *dw;           /* in panels: += the gradient by the weights */
    double *sums;        /* += the sums of dz over the rows */
    bool sets;           /* dw = instead of dw += */
    int64_t first, last; /* columns from the first of a panel to before `last` */
};

/* Weights of bytes are multiples of 2^-RESIZE_BITS, none is negative, and the sum of those of a
 * result is about 1. */
enum { RESIZE_BITS = 32 - 8 - 2 };

/* How a row of results is made of a row of RGB pixels: each of `count` pixels from its start on. */
struct resize_taps {
    int64_t results;
    int64_t pixels;         /* of the row; nothing behind it is read */
    int64_t count, apart;   /* weights of a result, and from those of one to those of the next */
    const int32_t *starts;  /* [results] */
    const int32_t *weights; /* [results][apart] */
};

/* Rows of bytes, one behind the other, that become one. */
struct resize_rows {
    const int32_t *weights; /* [count] */
    int64_t count, bytes;
};

struct kernel {
    const char *isa; /* "avx512", "avx2", "sse2", "portable" */

    /* --- products with panel matrices (panel.h) --- */

    /* c[i][n] = bias[n] + sum_k a[i][k] w[k][n]; ldc between rows of c; bias may be NULL. */
    void (*panel_product)(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                          const float *bias, int64_t columns);

    /*
     * dw[k][n] += sum_i a[i][k] dc[i][n], for the panels first_panel .. last_panel-1 of dw[K][N]
     * only: that is how threads share it. Sums run over i in order, on top of what dw holds. Of dc,
     * what lies between its rows may be read too, and does not matter.
     */
    void (*panel_gradient)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                           int64_t columns, int64_t first_panel, int64_t last_panel);

    /* The same with dw = instead of dw +=: as if dw were cleared before. */
    void (*panel_gradient_set)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                               int64_t columns, int64_t first_panel, int64_t last_panel);

    /* wt = W^T in panels: from W[K][N] to WT[N][K]. Then dA = dC WT is a panel_product. */
    void (*panel_transpose)(float *wt, const float *w, int64_t rows, int64_t columns);

    /* Only the panels first_panel .. last_panel-1 of WT; wt is where the first of them begins. */
    void (*panel_transpose_part)(float *wt, const float *w, int64_t rows, int64_t columns,
                                 int64_t first_panel, int64_t last_panel);

    /* --- convolutions of few input channels (few.h) --- */

    int64_t few_group; /* channels whose weights lie together, a multiple of PANEL */
    /* c[i * out_step + n] = bias[n] + the sum over the taps of window i, in their order. */
    void (*few_product)(float *c, const struct few_windows *windows, const struct few_weights *w);
    /*
     * dw[k][n] += the sum over windows of a[k] dc[n], in order, on top of what dw holds. The panels
     * of dw begin `apart` floats apart. sums, NULL if nobody needs it, += the sums of dc's columns:
     * in float those of up to 32 windows of a line, in order, and of all these, and that to the
     * double.
     */
    void (*few_gradient)(float *dw, int64_t apart, double *sums, const struct few_inputs *a,
                         const struct few_output *dc);

    /* --- Winograd F(4x4,3x3) (winograd.h); one tile of one image in the transforms --- */

    /* v = B^T x B: from a patch of 6x6 pixels to 36 points. */
    void (*winograd_input)(float *v, const struct winograd_strides *s, const float *x,
                           const struct winograd_window *w, int64_t channels);
    /* d = A dy A^T: from a tile of 4x4 pixels to 36 points. */
    void (*winograd_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                     const struct winograd_window *w, int64_t channels);
    /* y = A^T m A + bias for one panel of `channels`; bias may be NULL. Writes the window only. */
    void (*winograd_output)(float *y, const struct winograd_window *w,
                            const struct winograd_sources *s, int64_t channels);
    /* The same with max pooling and ReLU after it; `where` as in convpool, or NULL. */
    void (*winograd_pool)(float *y, int32_t *where, const struct winograd_pooling *p,
                          const float *m, int64_t point, const float *bias, int64_t channels);
    /* u = G w G^T for rows of 16; taps lie `tap` apart, negative: from the last one back. */
    void (*winograd_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows);
    /* dw = G^T du G, added to dw if asked; rows of du have 16 columns, those of dw `width`. */
    void (*winograd_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                     int64_t rows, int64_t width, bool add);
    /* At one point: m[tiles][16] = v u, added to m if asked; v has its panels `panel` apart. */
    void (*winograd_product)(float *m, const float *v, int64_t panel, const float *u, int64_t tiles,
                             int64_t channels, bool add);
    /* At one point: du[rows][16] = the sum of v[tile][row] d[tile][16] over tiles, added to du if
     * asked; rows <= 16. */
    void (*winograd_gradient)(float *du, const float *v, const float *d, int64_t tiles,
                              int64_t rows, bool add);

    /* --- the same with stride 2: 81 points of a tile, 36 of the weights --- */

    /* From a patch of 9x9 pixels. */
    void (*strided_input)(float *v, const struct winograd_strides *s, const float *x,
                          const struct winograd_window *w, int64_t channels);
    /* From a tile of 4x4 pixels, for the gradient by the weights. */
    void (*strided_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                    const struct winograd_window *w, int64_t channels);
    /* From 5x5 pixels, for the gradient by the input; the weights are the rotated ones. */
    void (*strided_gradient)(float *v, const struct winograd_strides *s, const float *dy,
                             const struct winograd_window *w, int64_t channels);
    /* To a tile of 4x4 pixels. */
    void (*strided_output)(float *y, const struct winograd_window *w,
                           const struct winograd_sources *s, int64_t channels);
    /* To the 8x8 pixels that meet no other than the 5x5 above; the first are of the middle tap. */
    void (*strided_input_gradient)(float *dx, const struct winograd_window *w,
                                   const struct winograd_sources *s, int64_t channels);
    void (*strided_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows);
    void (*strided_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                    int64_t rows, int64_t width, bool add);

    /* --- element by element; n elements; in and out may be the same array --- */
    void (*relu)(float *y, const float *x, int64_t n);
    void (*relu_back)(float *dx, const float *dy, const float *y, int64_t n); /* where y > 0 */
    void (*tanh)(float *y, const float *x, int64_t n);
    void (*tanh_back)(float *dx, const float *dy, const float *y, int64_t n);
    void (*sigmoid)(float *y, const float *x, int64_t n);
    void (*sigmoid_back)(float *dx, const float *dy, const float *y, int64_t n);
    void (*sine)(float *y, const float *x, float scale, int64_t n); /* sin(scale*x) */
    void (*sine_back)(float *dx, const float *dy, const float *x, float scale, int64_t n);
    void (*dense_sine)(float *y, const struct dense_sine *d);
    void (*dense_sine_back)(const struct dense_sine *d, const struct dense_sine_back *b);
    void (*exp)(float *y, const float *x, int64_t n);
    void (*log)(float *y, const float *x, int64_t n);
    void (*add)(float *y, const float *a, const float *b, int64_t n);       /* y = a + b */
    void (*multiply)(float *y, const float *a, const float *b, int64_t n);  /* y = a * b */
    void (*bytes)(float *y, const uint8_t *x, float a, float b, int64_t n); /* y = a x + b */
    void (*axpy)(float *y, float a, const float *x, int64_t n);             /* y += a x */
    void (*scale)(float *y, float a, int64_t n);                            /* y *= a */
    double (*dot)(const float *x, const float *y, int64_t n); /* in double, fixed order */
    double (*sum_abs)(const float *x, int64_t n);
    float (*max_abs)(const float *x, int64_t n); /* NaN if any is NaN */

    /* --- rows of `channels`, channel-last --- */
    /* Sums are in double, of blocks of 16 rows that are added in float, in order. */
    void (*column_sums)(double *sums, const float *x, int64_t rows, int64_t channels); /* += */
    /* sums[c] += sum over rows of d = x - center[c], squares[c] += sum of d^2 */
    void (*column_moments)(double *sums, double *squares, const float *x, const float *center,
                           int64_t rows, int64_t channels);

    /* --- BatchNorm, rows of `channels` --- */
    /* y = x scale + shift, + other, ReLU; y may be x or other */
    void (*norm_map)(float *y, const float *x, const struct norm_map *m, int64_t rows,
                     int64_t channels);
    /* sums += sum over rows of dz, products += sum of dz (x - mean); sets dz if it is not NULL */
    void (*norm_sums)(double *sums, double *products, const struct norm_gradient *g, int64_t rows,
                      int64_t channels);
    /* dx = scale dz + scale_x x + rest, once the sums are known; dx may be dy */
    void (*norm_back)(float *dx, const struct norm_gradient *g, int64_t rows, int64_t channels);

    /* --- pooling, one image, channel-last --- */
    /* where[] gets the offset of the maximum in the input image (first one wins, as PyTorch) */
    void (*max_pool)(float *y, int32_t *where, const float *x, const struct pool_shape *s);
    void (*max_pool_back)(float *dx, const float *dy, const int32_t *where,
                          const struct pool_shape *s); /* dx is set, not added to */
    void (*avg_pool)(float *y, const float *x,
                     const struct pool_shape *s); /* pad counts as zeros */
    void (*avg_pool_back)(float *dx, const float *dy, const struct pool_shape *s);

    /* --- convolution, max pooling and ReLU in one; one image (convpool.h) --- */
    /*
     * x has its border; w is what convpool_weights wrote; bias may be NULL; strip has room for
     * convpool_strip() floats. where, NULL if nobody needs it, gets (offset << 6 | slot) of
     * the winner: its window in the image and its number below the output, row by row (the first of
     * equals wins, NaN wins over all); INT32_MIN where ReLU lets no gradient pass.
     */
    void (*convpool)(float *y, int32_t *where, const float *x, const float *w, const float *bias,
                     float *strip, const struct convpool_shape *s);
    /* Panels of weights whose columns are padded with zeros to whole vectors; their points, in
     * pairs. */
    void (*convpool_weights)(float *padded, const float *w, const struct convpool_shape *s);
    /* Whether two rows are computed faster at once, which convpool_can_pair says is possible. */
    bool (*convpool_pairs_pay)(const struct convpool_shape *s);
    /* Appends the patches of one image's rows. */
    void (*patch_list)(struct patch_lists *l, const struct patch_rows *rows);
    /*
     * dw[outputs][kernel][patch_room(run)] += the gradient by the weights, each output's patches in
     * order; what is added between the runs does not matter. Uses the lists by output.
     */
    void (*patch_gradient)(float *dw, const float *images, const struct patch_lists *l);
    /* For each sum: to[offset + ...] += the sum of its patches of `from`, made in order. */
    void (*patch_sums)(float *to, const float *from, const struct patch_shape *s,
                       const struct patch_sum *sums, int64_t count, const struct patches *patches);

    /* --- dropout: mask gets 0 or the factor of each unit; y = mask * x, y may be x --- */
    void (*dropout)(float *y, float *mask, const float *x, const struct dropout_stream *s,
                    int64_t n);

    /* --- resizing of bytes (data/resize.h); results are rounded --- */
    void (*resize_columns)(uint8_t *out, const uint8_t *in, const struct resize_taps *t);
    void (*resize_rows)(uint8_t *out, const uint8_t *in, const struct resize_rows *r);

    /* --- losses --- */
    /*
     * Per sample: losses[i] = -log softmax(z[i])[label]; dz = (softmax - onehot) * scale.
     * dz may be NULL (evaluation).
     */
    void (*softmax_nll)(float *losses, float *dz, const float *z, const int32_t *labels, int64_t n,
                        int64_t classes, float scale);

    /* --- optimisers: one pass over memory --- */
    void (*sgd)(float *x, float *velocity, const float *g, const struct sgd_rates *r, int64_t n);
    void (*adam)(float *x, float *m, float *s, const float *g, const struct adam_rates *r,
                 int64_t n);
    /* velocity <- momentum velocity + step (g + weight_decay x);  x <- x - velocity */
    void (*lars)(float *x, float *velocity, const float *g, const struct lars_rates *r, int64_t n);
    /* Adam's means, without its step; of r only the betas count. */
    void (*adam_means)(float *m, float *s, const float *g, const struct adam_rates *r, int64_t n);
    /* u = corrected m / (root of corrected s + epsilon) + weight_decay x */
    void (*lamb_direction)(float *u, const float *m, const float *s, const float *x,
                           const struct adam_rates *r, int64_t n);

    /* --- what the core can do at best, for benchmarks --- */
    /* Multiply-adds in registers; answers how many operations those were (a multiply-add is 2). */
    double (*fma_peak)(float *result, int64_t iterations);
    /* Goes once through arrays of n floats, which may be one; answers the sum if it only reads. */
    float (*stream_peak)(float *to, const float *from, int64_t n, enum stream_mix mix);
};

/* The table for this machine. The choice is made once, at the first call. */
const struct kernel *kernel_get(void);

/* A table by name, or NULL when this machine cannot run it. */
const struct kernel *kernel_find(const char *isa);

/* Those that this machine runs, best first; ends with NULL. */
const struct kernel *const *kernel_all(void);

/* Checks MUSTER_ISA before anything computes: a wrong name is a BAD_INPUT that lists the right
 * ones. */
enum status kernel_init(void);

/*
 * Processes of one run must compute alike: they agree on the lowest of their levels (0 is the table
 * that every machine runs), and each takes that table before anything is computed.
 */
int kernel_level(void);
void kernel_lower(int level);

#endif
