/*
 * test_window.h - where the pixels of a Winograd window are, for the tests of its transforms.
 */
#ifndef TESTS_UNIT_TEST_WINDOW_H
#define TESTS_UNIT_TEST_WINDOW_H

#include "test_kernel.h"

static inline int64_t pixel(const struct winograd_window *w, int64_t i, int64_t j)
{
    return (i - w->top) * w->row + (j - w->left) * w->pixel;
}

/* Floats of the image from the window's first pixel to its last. */
static inline int64_t reach(const struct winograd_window *w)
{
    return pixel(w, w->bottom - 1, w->right - 1) + w->pixel;
}

typedef void from_points(float *y, const struct winograd_window *w,
                         const struct winograd_sources *s, int64_t channels);

/* What is set in one image is added to every number of another, and nothing else is touched. */
static inline bool adds_to_what_is_there(from_points *transform, const struct winograd_window *w,
                                         const struct winograd_sources *s, int64_t channels)
{
    const int64_t size = reach(w);
    float *set = zeros_new(size), *sum = guarded_new(size);
    struct winograd_sources adding = *s;
    bool right = true;

    adding.add = true;
    transform(set, w, s, channels);
    transform(sum, w, &adding, channels);
    for (int64_t i = 0; i < size; i++)
        right = right && sum[i] == GUARD + set[i];
    right = right && guards_stand(sum, size);
    mem_free(set);
    mem_free(sum);
    return right;
}

static inline bool is_inside(const struct winograd_window *w, int64_t i, int64_t j)
{
    return i >= w->top && i < w->bottom && j >= w->left && j < w->right;
}

#endif
