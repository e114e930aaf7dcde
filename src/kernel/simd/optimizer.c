/*
 * optimizer.c - one step of SGD, Adam and LARS, in one pass over memory, and the two passes of
 * LAMB.
 *
 * The order of operations is PyTorch's. Products and sums that could be contracted in two ways are
 * written with multiply_add_scalar, so that the remainder of a loop gets the bits of its body.
 */
#include <assert.h>

#include "kernel/simd/functions.h"

/* a b + c, in one rounding where the machine has it */
INLINE float multiply_add_scalar(float a, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

INLINE void sgd_plain(float *x, const float *g, const struct sgd_rates *r, int64_t n)
{
    const float lr = -r->lr, decay = r->weight_decay;

    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        x[i] = multiply_add_scalar(lr, multiply_add_scalar(decay, x[i], g[i]), x[i]);
}

INLINE void sgd_momentum(float *x, float *velocity, const float *g, const struct sgd_rates *r,
                         int64_t n)
{
    const float lr = -r->lr, decay = r->weight_decay, momentum = r->momentum;
    const bool first = r->first, nesterov = r->nesterov;

    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const float slope = multiply_add_scalar(decay, x[i], g[i]);
        const float v = first ? slope : multiply_add_scalar(momentum, velocity[i], slope);
        velocity[i] = v;
        x[i] =
            multiply_add_scalar(lr, nesterov ? multiply_add_scalar(momentum, v, slope) : v, x[i]);
    }
}

void KERNEL(sgd)(float *x, float *velocity, const float *g, const struct sgd_rates *r, int64_t n)
{
    if (r->momentum == 0.0F) {
        sgd_plain(x, g, r, n);
        return;
    }
    assert(velocity != NULL);
    sgd_momentum(x, velocity, g, r, n);
}

void KERNEL(adam)(float *x, float *m, float *s, const float *g, const struct adam_rates *r,
                  int64_t n)
{
    const float beta1 = (float)r->beta1, beta2 = (float)r->beta2;
    const float rest1 = (float)(1.0 - r->beta1), rest2 = (float)(1.0 - r->beta2);
    const float step = r->lr / r->correction1, root2 = __builtin_sqrtf(r->correction2);
    const float epsilon = r->epsilon, decay = r->weight_decay, shrink = r->shrink;

    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const float slope = multiply_add_scalar(decay, x[i], g[i]);
        m[i] = multiply_add_scalar(beta1, m[i], rest1 * slope);
        s[i] = multiply_add_scalar(beta2, s[i], rest2 * slope * slope);
        const float width = __builtin_sqrtf(s[i]) / root2 + epsilon;
        x[i] = x[i] * shrink - step * m[i] / width;
    }
}

void KERNEL(lars)(float *x, float *velocity, const float *g, const struct lars_rates *r, int64_t n)
{
    const float step = r->step, decay = r->weight_decay, momentum = r->momentum;

    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const float slope = multiply_add_scalar(decay, x[i], g[i]);
        velocity[i] = multiply_add_scalar(momentum, velocity[i], step * slope);
        x[i] -= velocity[i];
    }
}

void KERNEL(adam_means)(float *m, float *s, const float *g, const struct adam_rates *r, int64_t n)
{
    const float beta1 = (float)r->beta1, beta2 = (float)r->beta2;
    const float rest1 = (float)(1.0 - r->beta1), rest2 = (float)(1.0 - r->beta2);

    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        m[i] = multiply_add_scalar(beta1, m[i], rest1 * g[i]);
        s[i] = multiply_add_scalar(beta2, s[i], rest2 * g[i] * g[i]);
    }
}

void KERNEL(lamb_direction)(float *u, const float *m, const float *s, const float *x,
                            const struct adam_rates *r, int64_t n)
{
    const float correction1 = r->correction1, root2 = __builtin_sqrtf(r->correction2);
    const float epsilon = r->epsilon, decay = r->weight_decay;

    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const float width = __builtin_sqrtf(s[i]) / root2 + epsilon;
        u[i] = multiply_add_scalar(decay, x[i], m[i] / correction1 / width);
    }
}
