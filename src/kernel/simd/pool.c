/*
 * pool.c - 2-D pooling of one channel-last image.
 *
 * Lanes are channels: a vector of them is compared or added over the window in registers. What
 * lies outside the image is never read: for a maximum it does not exist, for an average it is 0.
 */
#include <assert.h>

#include "kernel/simd/functions.h"

/* What lies in the image of an output's window: rows top..bottom-1, columns left..right-1. */
struct window {
    int64_t top, bottom, left, right;
};

INLINE int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value < high ? value : high;
}

INLINE struct window window_at(const struct pool_shape *s, int64_t oy, int64_t ox)
{
    const int64_t y = oy * s->stride - s->pad, x = ox * s->stride - s->pad;

    return (struct window){
        .top = clamp(y, 0, s->height),
        .bottom = clamp(y + s->kernel, 0, s->height),
        .left = clamp(x, 0, s->width),
        .right = clamp(x + s->kernel, 0, s->width),
    };
}

INLINE int64_t image_size(const struct pool_shape *s)
{
    return s->height * s->width * s->channels;
}

/* A vector at x[at] of which n lanes count; the others are what follows in the image, or 0. */
INLINE vec load_lanes(const float *x, int64_t at, int64_t n, int64_t size)
{
    return at + LANES <= size ? vec_load(x + at) : vec_load_few(x + at, n, 0.0F);
}

/* n of the LANES channels from c on: the maximum over the window and its offset in the image. */
INLINE void max_of_window(vec *most, ivec *where, const float *x, const struct pool_shape *s,
                          const struct window *w, int64_t c, int64_t n)
{
    const int64_t size = image_size(s);
    const int64_t first = (w->top * s->width + w->left) * s->channels + c;
    vec best = load_lanes(x, first, n, size);
    ivec best_at = (int32_t)first - (ivec){0};

    for (int64_t y = w->top; y < w->bottom; y++)
        for (int64_t col = w->left; col < w->right; col++) {
            const int64_t at = (y * s->width + col) * s->channels + c;
            const vec v = load_lanes(x, at, n, size);
            const ivec better = (v > best) | vec_is_nan(v);
            best = vec_select(better, v, best);
            best_at = ivec_select(better, (int32_t)at - (ivec){0}, best_at);
        }
    *most = best;
    *where = best_at;
}

INLINE ivec lane_numbers(void)
{
    ivec numbers = {0};

    for (int lane = 0; lane < LANES; lane++)
        numbers[lane] = lane;
    return numbers;
}

void KERNEL(max_pool)(float *y, int32_t *where, const float *x, const struct pool_shape *s)
{
    const ivec lanes = lane_numbers();

    assert(image_size(s) <= INT32_MAX);
    for (int64_t o = 0; o < s->out_height * s->out_width; o++) {
        const struct window w = window_at(s, o / s->out_width, o % s->out_width);
        float *to = y + o * s->channels;
        int32_t *to_where = where + o * s->channels;

        assert(w.top < w.bottom && w.left < w.right);
        for (int64_t c = 0; c < s->channels; c += LANES) {
            const int64_t n = clamp(s->channels - c, 0, LANES);
            vec most;
            ivec at;
            max_of_window(&most, &at, x, s, &w, c, n);
            at += lanes;
            if (n == LANES) {
                vec_store(to + c, most);
                *(ivec_memory *)(to_where + c) = at;
            } else {
                vec_store_few(to + c, most, n);
                copy_few(to_where + c, &at, n & (LANES - 1));
            }
        }
    }
}

void KERNEL(max_pool_back)(float *dx, const float *dy, const int32_t *where,
                           const struct pool_shape *s)
{
    const int64_t outputs = s->out_height * s->out_width * s->channels;

    memset(dx, 0, (size_t)image_size(s) * sizeof *dx);
    for (int64_t o = 0; o < outputs; o++)
        dx[where[o]] += dy[o];
}

void KERNEL(avg_pool)(float *y, const float *x, const struct pool_shape *s)
{
    const int64_t size = image_size(s);
    const float area = (float)(s->kernel * s->kernel);

    for (int64_t o = 0; o < s->out_height * s->out_width; o++) {
        const struct window w = window_at(s, o / s->out_width, o % s->out_width);
        for (int64_t c = 0; c < s->channels; c += LANES) {
            const int64_t n = clamp(s->channels - c, 0, LANES);
            float *to = y + o * s->channels + c;
            vec sum = vec_all(0.0F);
            for (int64_t row = w.top; row < w.bottom; row++)
                for (int64_t col = w.left; col < w.right; col++)
                    sum += load_lanes(x, (row * s->width + col) * s->channels + c, n, size);
            if (n == LANES)
                vec_store(to, sum / area);
            else
                vec_store_few(to, sum / area, n);
        }
    }
}

void KERNEL(avg_pool_back)(float *dx, const float *dy, const struct pool_shape *s)
{
    const float area = (float)(s->kernel * s->kernel);

    memset(dx, 0, (size_t)image_size(s) * sizeof *dx);
    for (int64_t o = 0; o < s->out_height * s->out_width; o++) {
        const struct window w = window_at(s, o / s->out_width, o % s->out_width);
        for (int64_t row = w.top; row < w.bottom; row++)
            for (int64_t col = w.left; col < w.right; col++) {
                float *to = dx + (row * s->width + col) * s->channels;
                INDEPENDENT
                for (int64_t c = 0; c < s->channels; c++)
                    to[c] += dy[o * s->channels + c] / area;
            }
    }
}
