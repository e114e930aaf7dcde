/*
 * dc_asgd.c - the arithmetic of delay compensation (dc_asgd.h).
 */
#include "algo/parts/dc_asgd.h"

#include <math.h>

static const float mean_square_floor = 1e-7F; /* of the paper */

void dc_asgd_observe(float *restrict ms, const float *restrict g, double decay, int64_t count)
{
    const float kept = (float)decay;
    const float fresh = (float)(1.0 - decay);

    for (int64_t i = 0; i < count; i++)
        ms[i] = kept * ms[i] + fresh * (g[i] * g[i]);
}

void dc_asgd_constant(float *restrict g, const struct dc_asgd_move *move)
{
    const float *restrict now = move->now;
    const float *restrict backup = move->backup;
    const float lambda = move->lambda;

    for (int64_t i = 0; i < move->count; i++)
        g[i] += lambda * g[i] * (g[i] * (now[i] - backup[i]));
}

void dc_asgd_adaptive(float *restrict g, const float *restrict ms, const struct dc_asgd_move *move)
{
    const float *restrict now = move->now;
    const float *restrict backup = move->backup;
    const float lambda = move->lambda;

    for (int64_t i = 0; i < move->count; i++) {
        const float own = lambda / sqrtf(ms[i] + mean_square_floor);

        g[i] += own * g[i] * (g[i] * (now[i] - backup[i]));
    }
}
