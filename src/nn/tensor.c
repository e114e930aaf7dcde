/*
 * tensor.c - between the order that kernels want and the canonical one.
 *
 * A panel tensor is canonical [out][channels][height][width] and stored as panels of W[K][out] with
 * K = (y, x, channel), the channel fastest (kernel/panel.h). Both orders hold the same values.
 */
#include "nn/tensor.h"

#include <string.h>

#include "kernel/panel.h"

/* The canonical place of element (k, n) of W[K][out]. */
static int64_t canonical_index(const struct tensor *t, int64_t k, int64_t n)
{
    const int64_t channel = k % t->panel_channels, position = k / t->panel_channels;

    return (n * t->panel_channels + channel) * t->panel_height * t->panel_width + position;
}

static int64_t panel_rows_of(const struct tensor *t)
{
    return t->panel_height * t->panel_width * t->panel_channels;
}

void tensor_to_canonical(const struct tensor *t, float *canonical, const float *stored)
{
    const int64_t rows = panel_rows_of(t);

    if (t->panel_out == 0) {
        memcpy(canonical, stored, (size_t)t->count * sizeof *canonical);
        return;
    }
    for (int64_t n = 0; n < t->panel_out; n++)
        for (int64_t k = 0; k < rows; k++)
            canonical[canonical_index(t, k, n)] = stored[panel_index(k, n, rows, t->panel_out)];
}

void tensor_from_canonical(const struct tensor *t, float *stored, const float *canonical)
{
    const int64_t rows = panel_rows_of(t);

    if (t->panel_out == 0) {
        memcpy(stored, canonical, (size_t)t->count * sizeof *stored);
        return;
    }
    for (int64_t n = 0; n < t->panel_out; n++)
        for (int64_t k = 0; k < rows; k++)
            stored[panel_index(k, n, rows, t->panel_out)] = canonical[canonical_index(t, k, n)];
}
