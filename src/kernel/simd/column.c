/*
 * column.c - rows of channels: sums over the rows, and affine maps by channel (BatchNorm, biases).
 *
 * Sums are in double and in the order of the rows. Four rows are taken at a time, still one after
 * the other, so that a sum is loaded and stored a quarter as often.
 */
#include "kernel/simd/functions.h"

INLINE void sums_of(double *sums, const float *x, int rows, int64_t channels)
{
    INDEPENDENT
    for (int64_t c = 0; c < channels; c++) {
        double s = sums[c];
        for (int r = 0; r < rows; r++)
            s += (double)x[r * channels + c];
        sums[c] = s;
    }
}

void KERNEL(column_sums)(double *sums, const float *x, int64_t rows, int64_t channels)
{
    int64_t r = 0;

    for (; r + 4 <= rows; r += 4)
        sums_of(sums, x + r * channels, 4, channels);
    for (; r < rows; r++)
        sums_of(sums, x + r * channels, 1, channels);
}

INLINE void squares_of(double *squares, const float *x, const float *mean, int rows,
                       int64_t channels)
{
    INDEPENDENT
    for (int64_t c = 0; c < channels; c++) {
        const double m = (double)mean[c];
        double s = squares[c];
        for (int r = 0; r < rows; r++) {
            const double d = (double)x[r * channels + c] - m;
            s += d * d;
        }
        squares[c] = s;
    }
}

void KERNEL(column_squares)(double *squares, const float *x, const float *mean, int64_t rows,
                            int64_t channels)
{
    int64_t r = 0;

    for (; r + 4 <= rows; r += 4)
        squares_of(squares, x + r * channels, mean, 4, channels);
    for (; r < rows; r++)
        squares_of(squares, x + r * channels, mean, 1, channels);
}

INLINE void products_of(double *products, const float *dy, const float *x, const float *mean,
                        int rows, int64_t channels)
{
    INDEPENDENT
    for (int64_t c = 0; c < channels; c++) {
        const double m = (double)mean[c];
        double s = products[c];
        for (int r = 0; r < rows; r++)
            s += (double)dy[r * channels + c] * ((double)x[r * channels + c] - m);
        products[c] = s;
    }
}

void KERNEL(column_products)(double *products, const float *dy, const float *x, const float *mean,
                             int64_t rows, int64_t channels)
{
    int64_t r = 0;

    for (; r + 4 <= rows; r += 4)
        products_of(products, dy + r * channels, x + r * channels, mean, 4, channels);
    for (; r < rows; r++)
        products_of(products, dy + r * channels, x + r * channels, mean, 1, channels);
}

void KERNEL(column_affine)(float *y, const float *x, const float *scale, const float *shift,
                           int64_t rows, int64_t channels)
{
    for (int64_t r = 0; r < rows; r++) {
        INDEPENDENT
        for (int64_t c = 0; c < channels; c++)
            y[r * channels + c] = x[r * channels + c] * scale[c] + shift[c];
    }
}

void KERNEL(column_affine2)(float *dx, const float *dy, const float *a, const float *x,
                            const float *b, const float *d, int64_t rows, int64_t channels)
{
    for (int64_t r = 0; r < rows; r++) {
        INDEPENDENT
        for (int64_t c = 0; c < channels; c++) {
            const float rest = b[c] * x[r * channels + c] + d[c];
            dx[r * channels + c] = a[c] * dy[r * channels + c] + rest;
        }
    }
}
