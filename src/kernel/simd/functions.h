/*
 * functions.h - the functions of one instruction set, as the files of simd/ define and table.c
 * lists them. What each does is said once, beside its member in kernel.h.
 */
#ifndef KERNEL_SIMD_FUNCTIONS_H
#define KERNEL_SIMD_FUNCTIONS_H

#include "kernel/kernel.h"
#include "kernel/simd/vector.h"

/* panel.c */
void KERNEL(panel_product)(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                           const float *bias, int64_t columns);
void KERNEL(panel_gradient)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                            int64_t columns, int64_t first_panel, int64_t last_panel);
void KERNEL(panel_transpose)(float *wt, const float *w, int64_t rows, int64_t columns);

/* elementwise.c */
void KERNEL(relu)(float *y, const float *x, int64_t n);
void KERNEL(relu_back)(float *dx, const float *dy, const float *y, int64_t n);
void KERNEL(tanh)(float *y, const float *x, int64_t n);
void KERNEL(tanh_back)(float *dx, const float *dy, const float *y, int64_t n);
void KERNEL(sigmoid)(float *y, const float *x, int64_t n);
void KERNEL(sigmoid_back)(float *dx, const float *dy, const float *y, int64_t n);
void KERNEL(sine)(float *y, const float *x, float scale, int64_t n);
void KERNEL(sine_back)(float *dx, const float *dy, const float *x, float scale, int64_t n);
void KERNEL(exp)(float *y, const float *x, int64_t n);
void KERNEL(log)(float *y, const float *x, int64_t n);
void KERNEL(add)(float *y, const float *a, const float *b, int64_t n);
void KERNEL(multiply)(float *y, const float *a, const float *b, int64_t n);
void KERNEL(axpy)(float *y, float a, const float *x, int64_t n);
void KERNEL(scale)(float *y, float a, int64_t n);

/* reduce.c */
double KERNEL(dot)(const float *x, const float *y, int64_t n);
double KERNEL(sum_abs)(const float *x, int64_t n);
float KERNEL(max_abs)(const float *x, int64_t n);

/* column.c */
void KERNEL(column_sums)(double *sums, const float *x, int64_t rows, int64_t channels);
void KERNEL(column_squares)(double *squares, const float *x, const float *mean, int64_t rows,
                            int64_t channels);
void KERNEL(column_products)(double *products, const float *dy, const float *x, const float *mean,
                             int64_t rows, int64_t channels);
void KERNEL(column_affine)(float *y, const float *x, const float *scale, const float *shift,
                           int64_t rows, int64_t channels);
void KERNEL(column_affine2)(float *dx, const float *dy, const float *a, const float *x,
                            const float *b, const float *d, int64_t rows, int64_t channels);

/* pool.c */
void KERNEL(max_pool)(float *y, int32_t *where, const float *x, const struct pool_shape *s);
void KERNEL(max_pool_back)(float *dx, const float *dy, const int32_t *where,
                           const struct pool_shape *s);
void KERNEL(avg_pool)(float *y, const float *x, const struct pool_shape *s);
void KERNEL(avg_pool_back)(float *dx, const float *dy, const struct pool_shape *s);

/* softmax.c */
void KERNEL(softmax_nll)(float *losses, float *dz, const float *z, const int32_t *labels, int64_t n,
                         int64_t classes, float scale);

/* optimizer.c */
void KERNEL(sgd)(float *x, float *velocity, const float *g, const struct sgd_rates *r, int64_t n);
void KERNEL(adam)(float *x, float *m, float *s, const float *g, const struct adam_rates *r,
                  int64_t n);

#endif
