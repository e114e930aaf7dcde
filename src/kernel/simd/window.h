/*
 * window.h - reading and asking for the pixels of a Winograd window (kernel/winograd.h), one vector
 * of channels at a time.
 */
#ifndef KERNEL_SIMD_WINDOW_H
#define KERNEL_SIMD_WINDOW_H

#include <stdbool.h>

#include "kernel/simd/vector.h"
#include "kernel/winograd.h"

/* A vector of channels, of which n are left. */
INLINE vec load_channels(const float *x, int64_t n)
{
    return n >= LANES ? vec_load(x) : vec_load_few(x, n, 0.0F);
}

/* The biases from channel c on, of which n are left. */
INLINE vec load_bias(const struct winograd_sources *s, int64_t c, int64_t n)
{
    return s->bias == NULL ? (vec){0} : load_channels(s->bias + c, n);
}

/* A vector of channels, of which n are left. */
INLINE void store_pixel(float *y, vec v, int64_t n, const bool add)
{
    if (add)
        v = load_channels(y, n) + v;
    if (n >= LANES)
        vec_store(y, v);
    else
        vec_store_few(y, v, n);
}

INLINE int64_t offset_of(const struct winograd_window *w, int64_t i, int64_t j)
{
    return (i - w->top) * w->row + (j - w->left) * w->pixel;
}

/* Row i of a window of size x size; zeros outside the image. */
INLINE void load_row(vec *d, const float *x, const struct winograd_window *w, const int size, int i,
                     int64_t channels)
{
    const bool inside = i >= w->top && i < w->bottom;

#pragma GCC unroll 9
    for (int j = 0; j < size; j++)
        d[j] = inside && j >= w->left && j < w->right
                   ? load_channels(x + offset_of(w, i, j), channels)
                   : (vec){0};
}

INLINE void load_whole_row(vec *d, const float *x, const struct winograd_window *w, const int size,
                           int i)
{
#pragma GCC unroll 9
    for (int j = 0; j < size; j++)
        d[j] = vec_load(x + i * w->row + j * w->pixel);
}

INLINE bool is_whole(const struct winograd_window *w, int size)
{
    return w->top == 0 && w->left == 0 && w->bottom == size && w->right == size;
}

/* Asks for what is to be read soon, of one vector of channels. */
INLINE void prefetch_read(const float *x, const struct winograd_window *w)
{
    const float *from = x + w->ahead.first;

    for (int64_t i = 0; i < w->ahead.rows; i++)
        for (int64_t j = 0; j < w->ahead.columns; j++)
            __builtin_prefetch(from + i * w->row + j * w->pixel);
}

/* The same for what will be written: until a line is here, its stores fill the queue. */
INLINE void prefetch_written(const float *y, const struct winograd_window *w)
{
    const float *to = y + w->ahead.first;

    for (int64_t i = 0; i < w->ahead.rows; i++)
        for (int64_t j = 0; j < w->ahead.columns; j++)
            __builtin_prefetch(to + i * w->row + j * w->pixel, 1);
}

#endif
