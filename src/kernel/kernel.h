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
#include "kernel/panel.h"

/* Geometry of 2-D pooling over a channel-last image. */
struct pool_shape {
    int64_t height, width, channels; /* of the input */
    int64_t out_height, out_width;
    int64_t kernel, stride, pad;
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

struct kernel {
    const char *isa; /* "avx2", "sse2", "portable" */

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

    /* wt = W^T in panels: from W[K][N] to WT[N][K]. Then dA = dC WT is a panel_product. */
    void (*panel_transpose)(float *wt, const float *w, int64_t rows, int64_t columns);

    /* --- element by element; n elements; in and out may be the same array --- */
    void (*relu)(float *y, const float *x, int64_t n);
    void (*relu_back)(float *dx, const float *dy, const float *y, int64_t n); /* where y > 0 */
    void (*tanh)(float *y, const float *x, int64_t n);
    void (*tanh_back)(float *dx, const float *dy, const float *y, int64_t n);
    void (*sigmoid)(float *y, const float *x, int64_t n);
    void (*sigmoid_back)(float *dx, const float *dy, const float *y, int64_t n);
    void (*sine)(float *y, const float *x, float scale, int64_t n); /* sin(scale*x) */
    void (*sine_back)(float *dx, const float *dy, const float *x, float scale, int64_t n);
    void (*exp)(float *y, const float *x, int64_t n);
    void (*log)(float *y, const float *x, int64_t n);
    void (*add)(float *y, const float *a, const float *b, int64_t n);      /* y = a + b */
    void (*multiply)(float *y, const float *a, const float *b, int64_t n); /* y = a * b */
    void (*axpy)(float *y, float a, const float *x, int64_t n);            /* y += a x */
    void (*scale)(float *y, float a, int64_t n);                           /* y *= a */
    double (*dot)(const float *x, const float *y, int64_t n); /* in double, fixed order */
    double (*sum_abs)(const float *x, int64_t n);
    float (*max_abs)(const float *x, int64_t n); /* NaN if any is NaN */

    /* --- rows of `channels`, channel-last --- */
    void (*column_sums)(double *sums, const float *x, int64_t rows, int64_t channels); /* += */
    /* squares[c] += sum over rows of (x - mean[c])^2 */
    void (*column_squares)(double *squares, const float *x, const float *mean, int64_t rows,
                           int64_t channels);
    /* products[c] += sum over rows of dy * (x - mean[c]) */
    void (*column_products)(double *products, const float *dy, const float *x, const float *mean,
                            int64_t rows, int64_t channels);
    /* y = x * scale[c] + shift[c] */
    void (*column_affine)(float *y, const float *x, const float *scale, const float *shift,
                          int64_t rows, int64_t channels);
    /* dx = a[c]*dy + b[c]*x + d[c]: BatchNorm's backward once its sums are known */
    void (*column_affine2)(float *dx, const float *dy, const float *a, const float *x,
                           const float *b, const float *d, int64_t rows, int64_t channels);

    /* --- pooling, one image, channel-last --- */
    /* where[] gets the offset of the maximum in the input image (first one wins, as PyTorch) */
    void (*max_pool)(float *y, int32_t *where, const float *x, const struct pool_shape *s);
    void (*max_pool_back)(float *dx, const float *dy, const int32_t *where,
                          const struct pool_shape *s); /* dx is set, not added to */
    void (*avg_pool)(float *y, const float *x,
                     const struct pool_shape *s); /* pad counts as zeros */
    void (*avg_pool_back)(float *dx, const float *dy, const struct pool_shape *s);

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

#endif
