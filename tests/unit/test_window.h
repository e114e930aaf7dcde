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

static inline bool is_inside(const struct winograd_window *w, int64_t i, int64_t j)
{
    return i >= w->top && i < w->bottom && j >= w->left && j < w->right;
}

#endif
