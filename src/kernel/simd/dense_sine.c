/*
 * dense_sine.c - a dense layer with few inputs, the sine behind it and perhaps ReLU, in registers:
 * the product has so few terms that storing it would take longer than making it. The operations and
 * their order are those of panel_product(), sine() and relu(): the same bits.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/math.h"

/* Columns c .. c + n - 1 of one row of x w + b, n <= LANES; the others are anything. */
INLINE vec sum_inputs(const struct dense_sine *d, const float *x, int64_t c, int64_t n)
{
    const int64_t first = c / PANEL * PANEL, width = panel_width(d->columns, first);
    const float *w = d->weights + first * d->inputs + (c - first);
    vec sum = vec_all(0.0F);

    if (n == LANES) {
        if (d->bias != NULL)
            sum = vec_load(d->bias + c);
        for (int64_t k = 0; k < d->inputs; k++)
            sum += x[k] * vec_load(w + k * width);
        return sum;
    }
    if (d->bias != NULL)
        sum = vec_load_few(d->bias + c, n, 0.0F);
    for (int64_t k = 0; k < d->inputs; k++)
        sum += x[k] * vec_load_few(w + k * width, n, 0.0F);
    return sum;
}

INLINE vec output_of(const struct dense_sine *d, vec sum)
{
    const vec y = vec_sin(d->scale * sum), zero = vec_all(0.0F);

    return d->relu ? vec_select(y < zero, zero, y) : y;
}

void KERNEL(dense_sine)(float *y, const struct dense_sine *d)
{
    for (int64_t i = 0; i < d->rows; i++, y += d->columns) {
        const float *x = d->x + i * d->inputs;
        int64_t c = 0;
        for (; c + LANES <= d->columns; c += LANES)
            vec_store(y + c, output_of(d, sum_inputs(d, x, c, LANES)));
        const int64_t n = d->columns - c;
        if (n > 0)
            vec_store_few(y + c, output_of(d, sum_inputs(d, x, c, n)), n);
    }
}

/* d/dz sin(scale z) = scale cos(scale z) */
INLINE vec slope_of(const struct dense_sine *d, vec dy, vec sum)
{
    return dy * (d->scale * vec_cos(d->scale * sum));
}

/* Where ReLU let y pass. */
INLINE vec passed(vec slope, vec y)
{
    const vec zero = vec_all(0.0F);

    return vec_select(y <= zero, zero, slope);
}

void KERNEL(dense_sine_back)(float *dz, const float *dy, const float *y, const struct dense_sine *d)
{
    for (int64_t i = 0; i < d->rows; i++) {
        const float *x = d->x + i * d->inputs;
        int64_t c = 0, at = i * d->columns;
        for (; c + LANES <= d->columns; c += LANES, at += LANES) {
            const vec slope = slope_of(d, vec_load(dy + at), sum_inputs(d, x, c, LANES));
            vec_store(dz + at, d->relu ? passed(slope, vec_load(y + at)) : slope);
        }
        const int64_t n = d->columns - c;
        if (n == 0)
            continue;
        vec slope = slope_of(d, vec_load_few(dy + at, n, 0.0F), sum_inputs(d, x, c, n));
        if (d->relu)
            slope = passed(slope, vec_load_few(y + at, n, 0.0F));
        vec_store_few(dz + at, slope, n);
    }
}
