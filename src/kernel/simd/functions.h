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
void KERNEL(panel_gradient_set)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                                int64_t columns, int64_t first_panel, int64_t last_panel);
void KERNEL(panel_transpose)(float *wt, const float *w, int64_t rows, int64_t columns);
void KERNEL(panel_transpose_part)(float *wt, const float *w, int64_t rows, int64_t columns,
                                  int64_t first_panel, int64_t last_panel);

/* few.c */
void KERNEL(few_product)(float *c, const struct few_windows *windows, const struct few_weights *w);
void KERNEL(few_gradient)(float *dw, int64_t apart, double *sums, const struct few_inputs *a,
                          const struct few_output *dc);

/* winograd.c */
void KERNEL(winograd_input)(float *v, const struct winograd_strides *s, const float *x,
                            const struct winograd_window *w, int64_t channels);
void KERNEL(winograd_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                      const struct winograd_window *w, int64_t channels);
void KERNEL(winograd_output)(float *y, const struct winograd_window *w,
                             const struct winograd_sources *s, int64_t channels);
void KERNEL(winograd_pool)(float *y, int32_t *where, const struct winograd_pooling *p,
                           const float *m, int64_t point, const float *bias, int64_t channels);

/* winograd_strided.c */
void KERNEL(strided_input)(float *v, const struct winograd_strides *s, const float *x,
                           const struct winograd_window *w, int64_t channels);
void KERNEL(strided_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                     const struct winograd_window *w, int64_t channels);
void KERNEL(strided_gradient)(float *v, const struct winograd_strides *s, const float *dy,
                              const struct winograd_window *w, int64_t channels);
void KERNEL(strided_output)(float *y, const struct winograd_window *w,
                            const struct winograd_sources *s, int64_t channels);
void KERNEL(strided_input_gradient)(float *dx, const struct winograd_window *w,
                                    const struct winograd_sources *s, int64_t channels);

/* winograd_weights.c */
void KERNEL(winograd_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows);
void KERNEL(strided_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows);
void KERNEL(winograd_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                      int64_t rows, int64_t width, bool add);
void KERNEL(strided_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                     int64_t rows, int64_t width, bool add);

/* winograd_product.c */
void KERNEL(winograd_product)(float *m, const float *v, int64_t panel, const float *u,
                              int64_t tiles, int64_t channels, bool add);
void KERNEL(winograd_gradient)(float *du, const float *v, const float *d, int64_t tiles,
                               int64_t rows, bool add);

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
void KERNEL(bytes)(float *y, const uint8_t *x, float a, float b, int64_t n);
void KERNEL(axpy)(float *y, float a, const float *x, int64_t n);
void KERNEL(scale)(float *y, float a, int64_t n);

/* reduce.c */
double KERNEL(dot)(const float *x, const float *y, int64_t n);
double KERNEL(sum_abs)(const float *x, int64_t n);
float KERNEL(max_abs)(const float *x, int64_t n);

/* column.c */
void KERNEL(column_sums)(double *sums, const float *x, int64_t rows, int64_t channels);
void KERNEL(column_moments)(double *sums, double *squares, const float *x, const float *center,
                            int64_t rows, int64_t channels);
void KERNEL(norm_map)(float *y, const float *x, const struct norm_map *m, int64_t rows,
                      int64_t channels);
void KERNEL(norm_sums)(double *sums, double *products, const struct norm_gradient *g, int64_t rows,
                       int64_t channels);
void KERNEL(norm_back)(float *dx, const struct norm_gradient *g, int64_t rows, int64_t channels);

/* pool.c */
void KERNEL(max_pool)(float *y, int32_t *where, const float *x, const struct pool_shape *s);
void KERNEL(max_pool_back)(float *dx, const float *dy, const int32_t *where,
                           const struct pool_shape *s);
void KERNEL(avg_pool)(float *y, const float *x, const struct pool_shape *s);
void KERNEL(avg_pool_back)(float *dx, const float *dy, const struct pool_shape *s);

/* convpool.c */
void KERNEL(convpool)(float *y, int32_t *where, const float *x, const float *w, const float *bias,
                      float *strip, const struct convpool_shape *s);
void KERNEL(convpool_weights)(float *padded, const float *w, const struct convpool_shape *s);

/* convpool_few.c: convpool() where there are few output channels, and whether that is faster */
struct convpool_few {
    const float *weights, *bias; /* [kernel * run][columns]; NULL: no bias */
    int64_t columns;
    float *room; /* convpool_strip() floats */
};
bool KERNEL(convpool_few_pays)(const struct convpool_shape *s, int64_t columns);
void KERNEL(convpool_few)(float *y, int32_t *where, const float *x, const struct convpool_few *few,
                          const struct convpool_shape *s);

/* convpool_pairs.c */
struct convpool_pair {
    const float *weights; /* of a panel, by convpool_pair_weights */
    const float *bias;    /* [width] */
    int64_t width;        /* lanes: a multiple of LANES */
    float *room;          /* for the points of six rows */
};
void KERNEL(convpool_pair)(float *strip, const float *x, const struct convpool_pair *pair,
                           const struct convpool_shape *s);
bool KERNEL(convpool_pairs_pay)(const struct convpool_shape *s);
/* A panel's weights, `columns` of them padded to `width`, become points. */
void KERNEL(convpool_pair_weights)(float *u, const float *w, int64_t run, int64_t columns,
                                   int64_t width);

/* patches.c */
void KERNEL(patch_list)(struct patch_lists *l, const struct patch_rows *rows);
void KERNEL(patch_sums)(float *to, const float *from, const struct patch_shape *s,
                        const struct patch_sum *sums, int64_t count, const struct patches *patches);

/* patch_gradient.c */
void KERNEL(patch_gradient)(float *dw, const float *images, const struct patch_lists *l);

/* dense_sine.c */
void KERNEL(dense_sine)(float *y, const struct dense_sine *d);
void KERNEL(dense_sine_back)(const struct dense_sine *d, const struct dense_sine_back *b);

/* dropout.c */
void KERNEL(dropout)(float *y, float *mask, const float *x, const struct dropout_stream *s,
                     int64_t n);

/* resize.c */
void KERNEL(resize_columns)(uint8_t *out, const uint8_t *in, const struct resize_taps *t);
void KERNEL(resize_rows)(uint8_t *out, const uint8_t *in, const struct resize_rows *r);

/* softmax.c */
void KERNEL(softmax_nll)(float *losses, float *dz, const float *z, const int32_t *labels, int64_t n,
                         int64_t classes, float scale);

/* optimizer.c */
void KERNEL(sgd)(float *x, float *velocity, const float *g, const struct sgd_rates *r, int64_t n);
void KERNEL(adam)(float *x, float *m, float *s, const float *g, const struct adam_rates *r,
                  int64_t n);
void KERNEL(lars)(float *x, float *velocity, const float *g, const struct lars_rates *r, int64_t n);
void KERNEL(adam_means)(float *m, float *s, const float *g, const struct adam_rates *r, int64_t n);
void KERNEL(lamb_direction)(float *u, const float *m, const float *s, const float *x,
                            const struct adam_rates *r, int64_t n);

/* peak.c */
double KERNEL(fma_peak)(float *result, int64_t iterations);
float KERNEL(stream_peak)(float *to, const float *from, int64_t n, enum stream_mix mix);

#endif
