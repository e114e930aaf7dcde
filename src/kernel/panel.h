/*
 * panel.h - how weight matrices lie in memory: panels of 16 columns.
 *
 * A matrix W[K][N] (K inputs, N outputs) is stored as ceil(N/16) panels; panel p holds its columns
 * 16p .. 16p+w-1 as [K][w], w = 16 or, for the last panel, what is left. So the matrix takes
 * exactly K*N floats, in an order that depends on its shape alone, never on the ISA or the threads.
 *
 * Dense layers and convolutions share the form: a convolution's K is (ky, kx, channel), the last
 * fastest, which in channel-last images makes each kernel row one contiguous run of kw*channels
 * floats.
 */
#ifndef KERNEL_PANEL_H
#define KERNEL_PANEL_H

#include <stdint.h>

enum { PANEL = 16 };

/* Columns of the panel that begins at column `first` of `columns`. */
static inline int64_t panel_width(int64_t columns, int64_t first)
{
    return columns - first < PANEL ? columns - first : PANEL;
}

/* Where element (k, n) of W[K][N] lies. */
static inline int64_t panel_index(int64_t k, int64_t n, int64_t rows, int64_t columns)
{
    const int64_t first = n / PANEL * PANEL;
    return first * rows + k * panel_width(columns, first) + (n - first);
}

/*
 * The left operand of a panel product, never copied: `count` rows, row i made of `runs` runs of
 * `run` consecutive floats; run r of row i begins at data + i * row_stride + r * run_stride. K =
 * runs * run.
 *
 * A dense layer:    runs = 1, run = inputs, row_stride = inputs.
 * A convolution, one row of outputs of one (padded) image: runs = kh, run = kw * channels,
 *                   row_stride = stride * channels, run_stride = padded width * channels.
 */
struct panel_rows {
    const float *data;
    int64_t count, row_stride;
    int64_t runs, run_stride, run;
};

#endif
