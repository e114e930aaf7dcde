/*
 * elementwise.c - activations and simple arithmetic, element by element.
 *
 * Plain loops where the compiler vectorises them; each has at most one way to contract a product
 * and a sum, so that the remainder of a loop gets the bits of its body. Functions of math.h are
 * mapped over whole vectors, the last one padded.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/math.h"

void KERNEL(relu)(float *y, const float *x, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] < 0.0F ? 0.0F : x[i]; /* NaN stays NaN */
}

void KERNEL(relu_back)(float *dx, const float *dy, const float *y, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        dx[i] = y[i] <= 0.0F ? 0.0F : dy[i];
}

void KERNEL(tanh_back)(float *dx, const float *dy, const float *y, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        dx[i] = dy[i] * (1.0F - y[i] * y[i]);
}

void KERNEL(sigmoid_back)(float *dx, const float *dy, const float *y, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        dx[i] = dy[i] * (y[i] * (1.0F - y[i]));
}

void KERNEL(add)(float *y, const float *a, const float *b, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

void KERNEL(multiply)(float *y, const float *a, const float *b, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i] * b[i];
}

void KERNEL(bytes)(float *y, const uint8_t *x, float a, float b, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        y[i] = a * (float)x[i] + b;
}

void KERNEL(axpy)(float *y, float a, const float *x, int64_t n)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

void KERNEL(scale)(float *y, float a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] *= a;
}

/* y[i] = function(x[i]); the last vector is filled up with 1, where all functions are harmless. */
INLINE void map(float *y, const float *x, int64_t n, vec (*function)(vec))
{
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        vec_store(y + i, function(vec_load(x + i)));
    if (i < n)
        vec_store_few(y + i, function(vec_load_few(x + i, n - i, 1.0F)), n - i);
}

void KERNEL(tanh)(float *y, const float *x, int64_t n)
{
    map(y, x, n, vec_tanh);
}

void KERNEL(sigmoid)(float *y, const float *x, int64_t n)
{
    map(y, x, n, vec_sigmoid);
}

void KERNEL(exp)(float *y, const float *x, int64_t n)
{
    map(y, x, n, vec_exp);
}

void KERNEL(log)(float *y, const float *x, int64_t n)
{
    map(y, x, n, vec_log);
}

void KERNEL(sine)(float *y, const float *x, float scale, int64_t n)
{
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        vec_store(y + i, vec_sin(scale * vec_load(x + i)));
    if (i < n)
        vec_store_few(y + i, vec_sin(scale * vec_load_few(x + i, n - i, 0.0F)), n - i);
}

/* d/dx sin(scale x) = scale cos(scale x) */
INLINE vec sine_slope(vec dy, vec x, float scale)
{
    return dy * (scale * vec_cos(scale * x));
}

void KERNEL(sine_back)(float *dx, const float *dy, const float *x, float scale, int64_t n)
{
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        vec_store(dx + i, sine_slope(vec_load(dy + i), vec_load(x + i), scale));
    if (i < n) {
        const vec y = vec_load_few(dy + i, n - i, 0.0F);
        vec_store_few(dx + i, sine_slope(y, vec_load_few(x + i, n - i, 0.0F), scale), n - i);
    }
}
