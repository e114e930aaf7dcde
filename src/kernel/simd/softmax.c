/*
 * softmax.c - cross-entropy of logits and its gradient, a sample at a time.
 *
 *     loss = log sum_j exp(z_j - max) - (z_label - max)
 */
#include <assert.h>

#include "kernel/simd/functions.h"
#include "kernel/simd/math.h"

/* NaN is never the maximum; it reaches the sum through its own exponential. */
INLINE float row_max(const float *z, int64_t classes)
{
    vec most = vec_all(-__builtin_inff());
    int64_t j = 0;

    for (; j + LANES <= classes; j += LANES) {
        const vec v = vec_load(z + j);
        most = vec_select(v > most, v, most);
    }
    if (j < classes) {
        const vec v = vec_load_few(z + j, classes - j, -__builtin_inff());
        most = vec_select(v > most, v, most);
    }
    float result = most[0];
    for (int lane = 1; lane < LANES; lane++)
        result = most[lane] > result ? most[lane] : result;
    return result;
}

INLINE float lane_sum(vec v)
{
    float sum = v[0];

    for (int lane = 1; lane < LANES; lane++)
        sum += v[lane];
    return sum;
}

/* The sum of exp(z - max), each of which goes to e unless that is NULL. */
INLINE float row_exp(float *e, const float *z, float max, int64_t classes)
{
    vec sum = vec_all(0.0F);
    int64_t j = 0;

    for (; j + LANES <= classes; j += LANES) {
        const vec v = vec_exp(vec_load(z + j) - max);
        sum += v;
        if (e != NULL)
            vec_store(e + j, v);
    }
    if (j < classes) {
        const vec v = vec_exp(vec_load_few(z + j, classes - j, -__builtin_inff()) - max);
        sum += v;
        if (e != NULL)
            vec_store_few(e + j, v, classes - j);
    }
    return lane_sum(sum);
}

void KERNEL(softmax_nll)(float *losses, float *dz, const float *z, const int32_t *labels, int64_t n,
                         int64_t classes, float scale)
{
    for (int64_t i = 0; i < n; i++) {
        const float *row = z + i * classes;
        float *slope = dz == NULL ? NULL : dz + i * classes;

        assert(labels[i] >= 0 && labels[i] < classes);
        const float max = row_max(row, classes);
        const float logit = row[labels[i]] - max;
        const float sum = row_exp(slope, row, max, classes);

        losses[i] = vec_log(vec_all(sum))[0] - logit;
        if (slope != NULL) {
            KERNEL(scale)(slope, scale / sum, classes);
            slope[labels[i]] -= scale;
        }
    }
}
