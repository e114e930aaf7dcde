/*
 * patch_gradient.c - the gradient by the weights of convolution, max pooling and ReLU, from lists
 * of patches (patches.c makes them).
 *
 * Where a run of a patch is one vector, all rows of several outputs are summed at once, patches
 * without a gradient too: leaving those out takes longer than adding them. Elsewhere each output's
 * patches that have one are put side by side first, and summed by patch_sums().
 *
 * Register budget: rows x outputs <= 30 sums of 32 registers, or 12 of 16, and one broadcast;
 * patches are operands in memory.
 */
#define LANES_MOST 8

#include "kernel/simd/functions.h"

#ifdef __AVX512VL__
enum { SUMS_MAX = 30 };
#else
enum { SUMS_MAX = 12 };
#endif
enum { ROWS_MAX = 7, OUTPUTS_MAX = 8 };

/* --- runs of one vector --- */

/* Sums of the outputs from `first` on. */
INLINE void sum_outputs(const int rows, const int outputs, float *dw, const float *images,
                        const struct patch_lists *l, int64_t first)
{
    const int64_t step = l->shape->outputs, row = l->shape->row;
    const int64_t to_row = patch_room(convpool_run(l->shape));
    const int32_t *offsets = l->offsets + first;
    const float *factors = l->factors + first;
    vec c[OUTPUTS_MAX][ROWS_MAX];

    for (int n = 0; n < outputs; n++)
        for (int r = 0; r < rows; r++)
            c[n][r] = vec_all(0.0F);
    for (int64_t i = 0; i < l->positions; i++, offsets += step, factors += step) {
#pragma GCC unroll 8
        for (int n = 0; n < outputs; n++) {
            const float *from = images + offsets[n];
            const float factor = factors[n];
#pragma GCC unroll 7
            for (int r = 0; r < rows; r++, from += row)
                c[n][r] += factor * vec_load(from);
        }
    }
#pragma GCC unroll 8
    for (int n = 0; n < outputs; n++) {
        float *to = dw + (first + n) * l->weights;
#pragma GCC unroll 7
        for (int r = 0; r < rows; r++, to += to_row)
            vec_store(to, vec_load(to) + c[n][r]);
    }
}

INLINE void sum_rows(const int rows, float *dw, const float *images, const struct patch_lists *l)
{
    const int fit = SUMS_MAX / rows, most = fit < OUTPUTS_MAX ? fit : OUTPUTS_MAX;
    const int64_t outputs = l->shape->outputs;
    int64_t n = 0;

    for (; n + most <= outputs; n += most)
        sum_outputs(rows, most, dw, images, l, n);
    for (; most > 2 && n + 2 <= outputs; n += 2)
        sum_outputs(rows, 2, dw, images, l, n);
    for (; n < outputs; n++)
        sum_outputs(rows, 1, dw, images, l, n);
}

#define ROWS_FUNCTION(r)                                                                    \
    static void sum_##r##_rows(float *dw, const float *images, const struct patch_lists *l) \
    {                                                                                       \
        sum_rows((r), dw, images, l);                                                       \
    }
ROWS_FUNCTION(1)
ROWS_FUNCTION(2)
ROWS_FUNCTION(3)
ROWS_FUNCTION(4)
ROWS_FUNCTION(5)
ROWS_FUNCTION(6)
ROWS_FUNCTION(7)

typedef void sum_function(float *dw, const float *images, const struct patch_lists *l);

static sum_function *const forms[ROWS_MAX + 1] = {
    NULL, sum_1_rows, sum_2_rows, sum_3_rows, sum_4_rows, sum_5_rows, sum_6_rows, sum_7_rows,
};

/* --- longer runs --- */

/* Those of one output that have a gradient, side by side. */
INLINE int64_t select_patches(int32_t *restrict to, float *restrict to_factors,
                              const int32_t *restrict offsets, const float *restrict factors,
                              int64_t step, int64_t n)
{
    int64_t count = 0;

#pragma GCC unroll 4
    for (int64_t i = 0; i < n; i++) {
        to[count] = offsets[i * step];
        to_factors[count] = factors[i * step];
        count += factors[i * step] != 0.0F;
    }
    return count;
}

static void sum_selected(float *dw, const float *images, const struct patch_lists *l)
{
    const struct convpool_shape *s = l->shape;
    const int64_t run = convpool_run(s), n = l->positions;
    const struct patches by_output = {l->output_offsets, l->output_factors, 1};
    const struct patch_shape shape = {s->kernel, run, patch_room(run), s->row};

    for (int64_t i = 0; i < s->outputs; i++)
        l->outputs[i] = (struct patch_sum){
            .offset = i * l->weights,
            .first = i * n,
            .count = select_patches(l->output_offsets + i * n, l->output_factors + i * n,
                                    l->offsets + i, l->factors + i, s->outputs, n),
        };
    KERNEL(patch_sums)(dw, images, &shape, l->outputs, s->outputs, &by_output);
}

void KERNEL(patch_gradient)(float *dw, const float *images, const struct patch_lists *l)
{
    const struct convpool_shape *s = l->shape;

    if (convpool_run(s) <= LANES && s->kernel <= ROWS_MAX)
        forms[s->kernel](dw, images, l);
    else
        sum_selected(dw, images, l);
}
