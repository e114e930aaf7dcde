/*
 * compensation.c - the arithmetic of delay compensation (compensation.h).
 */
#include "algo/compensation.h"

#include <math.h>

static const float mean_square_floor = 1e-7F; /* of the paper */

void compensation_observe(float *restrict ms, const float *restrict g, double decay, int64_t count)
{
    const float kept = (float)decay;
    const float fresh = (float)(1.0 - decay);

    for (int64_t i = 0; i < count; i++)
        ms[i] = kept * ms[i] + fresh * (g[i] * g[i]);
}

void compensation_constant(float *restrict g, const struct compensation_move *move)
{
    const float *restrict now = move->now;
    const float *restrict backup = move->backup;
    const float lambda = move->lambda;

    for (int64_t i = 0; i < move->count; i++)
        g[i] += lambda * g[i] * (g[i] * (now[i] - backup[i]));
}

void compensation_adaptive(float *restrict g, const float *restrict ms,
                           const struct compensation_move *move)
{
    const float *restrict now = move->now;
    const float *restrict backup = move->backup;
    const float lambda = move->lambda;

    for (int64_t i = 0; i < move->count; i++) {
        const float own = lambda / sqrtf(ms[i] + mean_square_floor);

        g[i] += own * g[i] * (g[i] * (now[i] - backup[i]));
    }
}
