/*
 * dense_sine.c - a dense layer with few inputs, the sine behind it and perhaps ReLU, in registers:
 * the product has so few terms that storing it would take longer than making it. Backward makes it
 * again, and adds the slopes to the sums of dW and of the biases while they are there.
 *
 * Some columns are done for all rows, so that their weights are registers. These are multiplied by
 * scale / pi first: sums are half turns then, and what is left of one is exact by a subtraction.
 * Each column's sums are its own, over the rows in order, however the columns are shared.
 */
#include <assert.h>

#include "kernel/simd/functions.h"
#include "kernel/simd/math.h"

enum {
    BLOCK = 8, /* rows whose slopes are added in float */
    AHEAD = 4, /* rows that are asked for before they are read: they lie far apart */
};

/* LANES columns, or the n < LANES that are left. */
struct columns {
    int64_t first, n;
    vec bias, w[DENSE_SINE_INPUTS]; /* in half turns */
};

INLINE vec load_lanes(const float *from, int64_t n)
{
    return n == LANES ? vec_load(from) : vec_load_few(from, n, 0.0F);
}

INLINE void store_lanes(float *to, vec v, int64_t n)
{
    if (n == LANES)
        vec_store(to, v);
    else
        vec_store_few(to, v, n);
}

/* Where the weight of input 0 and column c lies; that of the next input is *step further. */
INLINE int64_t weight_offset(const struct dense_sine *d, int64_t c, int64_t *step)
{
    const int64_t first = c / PANEL * PANEL;

    *step = panel_width(d->columns, first);
    return first * d->inputs + (c - first);
}

INLINE struct columns columns_of(const struct dense_sine *d, int64_t first, int64_t n,
                                 const int64_t inputs)
{
    const float half_turns = d->scale * 0.318309886183790672F;
    struct columns c = {.first = first, .n = n};
    int64_t step;
    const float *w = d->weights + weight_offset(d, first, &step);

    if (d->bias != NULL)
        c.bias = half_turns * load_lanes(d->bias + first, n);
    for (int64_t k = 0; k < inputs; k++)
        c.w[k] = half_turns * load_lanes(w + k * step, n);
    return c;
}

/* What is left of some half turns, in -1/2 .. 1/2, and the sign bit that an odd number of them
 * brings. The rest of 2^22 and more cannot be told: it is large, or NaN. */
struct angle {
    vec rest;
    uvec sign;
};

INLINE struct angle angle_of(const struct columns *c, const float *x, const int64_t inputs)
{
    vec turns = c->bias;

#pragma GCC unroll 4
    for (int64_t k = 0; k < inputs; k++)
        turns += x[k] * c->w[k];
    const vec shifted = turns + ROUNDER;

    return (struct angle){.rest = turns - (shifted - ROUNDER), .sign = (uvec)shifted << 31};
}

/* v, but 0 where the square of the rest is larger than any can be; NaN stays. */
INLINE vec if_told(vec v, vec square)
{
    return vec_select(square > 0.25F, vec_all(0.0F), v);
}

/* sin(pi rest): minimax, 3e-9 */
INLINE vec sine_of(struct angle a)
{
    const vec z = a.rest * a.rest;
    vec p = vec_all(0.0772201303998F);

    p = p * z - 0.598045174906F;
    p = p * z + 2.55003137742F;
    p = p * z - 5.16770687893F;
    p = p * z + 3.14159258004F;
    return if_told((vec)((uvec)(p * a.rest) ^ a.sign), z);
}

/* scale cos(pi rest): minimax, 5e-8 of the scale */
INLINE vec cosine_of(struct angle a, float scale)
{
    const vec z = a.rest * a.rest;
    vec p = vec_all(scale * 0.219696802028F);

    p = p * z - scale * 1.33188016289F;
    p = p * z + scale * 4.0584119144F;
    p = p * z - scale * 4.93479285869F;
    p = p * z + scale * 0.999999953467F;
    return if_told((vec)((uvec)p ^ a.sign), z);
}

/* --- forward --- */

/* `inputs` is d->inputs, as a constant where it may be one. */
INLINE void sine_columns(float *y, const struct dense_sine *d, int64_t first, int64_t n,
                         const int64_t inputs)
{
    const struct columns c = columns_of(d, first, n, inputs);
    const vec zero = vec_all(0.0F);
    const int64_t rows = d->rows, step = d->columns;
    const float *x = d->x;
    const bool relu = d->relu;

    y += first;
    for (int64_t i = 0; i < rows; i++) {
        const vec v = sine_of(angle_of(&c, x + i * inputs, inputs));
        store_lanes(y + i * step, relu ? vec_select(v < zero, zero, v) : v, n);
    }
}

INLINE void sine_all(float *y, const struct dense_sine *d, const int64_t inputs)
{
    int64_t c = 0;

    for (; c + LANES <= d->columns; c += LANES)
        sine_columns(y, d, c, LANES, inputs);
    if (c < d->columns)
        sine_columns(y, d, c, d->columns - c, inputs);
}

void KERNEL(dense_sine)(float *y, const struct dense_sine *d)
{
    assert(d->inputs <= DENSE_SINE_INPUTS);
    if (d->inputs == 2) /* points in a plane: what such a layer is mostly for */
        sine_all(y, d, 2);
    else
        sine_all(y, d, d->inputs);
}

/* --- backward --- */

enum { HALF = LANES / 2 };

typedef double doubles __attribute__((vector_size(LANES * 4)));
typedef float half_memory __attribute__((vector_size(LANES * 2), aligned(4), may_alias));

/* Of some columns: what is added up over the rows. */
struct sums {
    vec slopes;     /* of a block */
    doubles all[2]; /* of all blocks */
    vec dw[DENSE_SINE_INPUTS];
};

INLINE void end_block(struct sums *s)
{
    float f[LANES];

    vec_store(f, s->slopes);
    for (int h = 0; h < 2; h++)
        s->all[h] += __builtin_convertvector(*(const half_memory *)(f + h * HALF), doubles);
    s->slopes = vec_all(0.0F);
}

INLINE void add_sums(double *to, const struct sums *s, int64_t n)
{
    for (int64_t l = 0; l < n; l++)
        to[l] += s->all[l / HALF][l % HALF];
}

/* Where ReLU let y pass. */
INLINE vec passed(vec slope, vec y)
{
    const vec zero = vec_all(0.0F);

    return vec_select(y <= zero, zero, slope);
}

/* Adds `rows` rows, the first of which are at x, dy and so on. */
INLINE void back_block(struct sums *s, const struct columns *c, const struct dense_sine *d,
                       struct dense_sine_back b, const float *x, int64_t rows, const int64_t inputs)
{
    const int64_t step = d->columns;
    const float scale = d->scale;

    for (int64_t i = 0; i < rows; i++, x += inputs) {
        vec dz = load_lanes(b.dy + i * step, c->n) * cosine_of(angle_of(c, x, inputs), scale);
        __builtin_prefetch(b.dy + (i + AHEAD) * step);
        if (b.y != NULL) {
            dz = passed(dz, load_lanes(b.y + i * step, c->n));
            __builtin_prefetch(b.y + (i + AHEAD) * step);
        }
        if (b.dz != NULL)
            store_lanes(b.dz + i * step, dz, c->n);
        s->slopes += dz;
#pragma GCC unroll 4
        for (int64_t k = 0; k < inputs; k++)
            s->dw[k] += x[k] * dz;
    }
    end_block(s);
}

/* b, with the arrays of rows and columns beginning at an offset. */
INLINE struct dense_sine_back back_at(const struct dense_sine_back *b, bool relu, int64_t offset)
{
    struct dense_sine_back at = *b;

    at.dy += offset;
    at.y = relu ? b->y + offset : NULL;
    at.dz += b->dz != NULL ? offset : 0;
    return at;
}

INLINE void back_columns(const struct dense_sine *d, const struct dense_sine_back *b, int64_t first,
                         int64_t n, const int64_t inputs)
{
    const struct columns c = columns_of(d, first, n, inputs);
    struct sums s;
    int64_t step;
    float *dw = b->dw + weight_offset(d, first, &step);

    s.slopes = vec_all(0.0F);
    s.all[0] = s.all[1] = (doubles){0};
    for (int64_t k = 0; k < inputs; k++)
        s.dw[k] = b->sets ? vec_all(0.0F) : load_lanes(dw + k * step, n);
    for (int64_t i = 0; i < d->rows; i += BLOCK)
        back_block(&s, &c, d, back_at(b, d->relu, i * d->columns + first), d->x + i * inputs,
                   i + BLOCK < d->rows ? BLOCK : d->rows - i, inputs);
    add_sums(b->sums + first, &s, n);
    for (int64_t k = 0; k < inputs; k++)
        store_lanes(dw + k * step, s.dw[k], n);
}

INLINE void back_all(const struct dense_sine *d, const struct dense_sine_back *b,
                     const int64_t inputs)
{
    int64_t c = b->first;

    for (; c + LANES <= b->last; c += LANES)
        back_columns(d, b, c, LANES, inputs);
    if (c < b->last)
        back_columns(d, b, c, b->last - c, inputs);
}

void KERNEL(dense_sine_back)(const struct dense_sine *d, const struct dense_sine_back *b)
{
    assert(d->inputs <= DENSE_SINE_INPUTS && b->first % PANEL == 0 && b->last <= d->columns);
    if (d->inputs == 2)
        back_all(d, b, 2);
    else
        back_all(d, b, d->inputs);
}
