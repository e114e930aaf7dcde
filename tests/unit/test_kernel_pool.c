/*
 * test_kernel_pool.c - pooling against plain loops: padding, overlap, ties and NaN.
 */
#include "test_kernel.h"

static struct pool_shape shape_of(int64_t height, int64_t width, int64_t channels, int64_t kernel,
                                  int64_t stride, int64_t pad)
{
    return (struct pool_shape){
        .height = height,
        .width = width,
        .channels = channels,
        .out_height = (height + 2 * pad - kernel) / stride + 1,
        .out_width = (width + 2 * pad - kernel) / stride + 1,
        .kernel = kernel,
        .stride = stride,
        .pad = pad,
    };
}

static int64_t inputs_of(const struct pool_shape *s)
{
    return s->height * s->width * s->channels;
}

static int64_t outputs_of(const struct pool_shape *s)
{
    return s->out_height * s->out_width * s->channels;
}

/* The tap'th input that output o sees, row by row; -1 where it is padding. */
static int64_t tap_of(const struct pool_shape *s, int64_t o, int64_t tap)
{
    const int64_t c = o % s->channels, pixel = o / s->channels;
    const int64_t y = pixel / s->out_width * s->stride - s->pad + tap / s->kernel;
    const int64_t x = pixel % s->out_width * s->stride - s->pad + tap % s->kernel;

    if (y < 0 || y >= s->height || x < 0 || x >= s->width)
        return -1;
    return (y * s->width + x) * s->channels + c;
}

static void for_each_shape(const struct kernel *k,
                           void (*visit)(const struct kernel *, const struct pool_shape *))
{
    static const int64_t forms[][3] = {
        {2, 2, 0},
        {3, 2, 1},
        {3, 1, 1},
        {2, 1, 0},
        {4, 4, 0},
        {2, 3, 1}
    };
    static const int64_t sizes[][2] = {
        {4, 4},
        {5, 7},
        {8, 6},
        {9, 9}
    };
    static const int64_t channels[] = {1, 3, 4, 6, 8, 13, 16, 20};

    for (int f = 0; f < 6; f++)
        for (int z = 0; z < 4; z++)
            for (int c = 0; c < 8; c++) {
                const struct pool_shape s = shape_of(sizes[z][0], sizes[z][1], channels[c],
                                                     forms[f][0], forms[f][1], forms[f][2]);
                visit(k, &s);
            }
}

static void check_max(const struct kernel *k, const struct pool_shape *s)
{
    const int64_t in = inputs_of(s), out = outputs_of(s);
    float *x = numbers_new(in, 1), *y = guarded_new(out), *dy = numbers_new(out, 2);
    float *dx = guarded_new(in);
    double *expected = MEM_NEW_N(double, in);
    int32_t *where = MEM_NEW_N(int32_t, out);

    for (int64_t i = 0; i < in; i++)
        x[i] = roundf(x[i] * 4.0F) - 10.0F; /* many ties, all below the 0 of a padding */
    k->max_pool(y, where, x, s);
    k->max_pool_back(dx, dy, where, s);
    for (int64_t o = 0; o < out; o++) {
        int64_t best = -1;
        for (int64_t tap = 0; tap < s->kernel * s->kernel; tap++) {
            const int64_t at = tap_of(s, o, tap);
            if (at >= 0 && (best < 0 || x[at] > x[best]))
                best = at;
        }
        EXPECT_INT(where[o], best);
        EXPECT(y[o] == x[best]);
        expected[best] += (double)dy[o];
    }
    for (int64_t i = 0; i < in; i++)
        EXPECT_NEAR((double)dx[i], expected[i], 1e-6);
    EXPECT(guards_stand(y, out) && guards_stand(dx, in));
    mem_free(x);
    mem_free(y);
    mem_free(dy);
    mem_free(dx);
    mem_free(expected);
    mem_free(where);
}

static void test_the_maximum_is_the_first_of_its_window_and_never_padding(void)
{
    FOR_EACH_KERNEL(k)
    for_each_shape(k, check_max);
}

static void check_average(const struct kernel *k, const struct pool_shape *s)
{
    const int64_t in = inputs_of(s), out = outputs_of(s), area = s->kernel * s->kernel;
    float *x = numbers_new(in, 1), *y = guarded_new(out), *dy = numbers_new(out, 2);
    float *dx = guarded_new(in);
    double *expected = MEM_NEW_N(double, in);

    k->avg_pool(y, x, s);
    k->avg_pool_back(dx, dy, s);
    for (int64_t o = 0; o < out; o++) {
        double sum = 0.0;
        for (int64_t tap = 0; tap < area; tap++) {
            const int64_t at = tap_of(s, o, tap);
            if (at >= 0) {
                sum += (double)x[at];
                expected[at] += (double)dy[o] / (double)area;
            }
        }
        EXPECT_NEAR((double)y[o], sum / (double)area, 1e-6);
    }
    for (int64_t i = 0; i < in; i++)
        EXPECT_NEAR((double)dx[i], expected[i], 1e-6);
    EXPECT(guards_stand(y, out) && guards_stand(dx, in));
    mem_free(x);
    mem_free(y);
    mem_free(dy);
    mem_free(dx);
    mem_free(expected);
}

static void test_the_average_counts_padding_as_zeros(void)
{
    FOR_EACH_KERNEL(k)
    for_each_shape(k, check_average);
}

static void test_nan_is_the_maximum_of_its_window_and_of_no_other(void)
{
    const struct pool_shape s = shape_of(4, 4, 5, 2, 2, 0);
    float y[20];
    int32_t where[20];

    FOR_EACH_KERNEL(k)
    for (int64_t bad = 0; bad < 80; bad++) {
        float *x = numbers_new(80, 3);
        x[bad] = NAN;
        k->max_pool(y, where, x, &s);
        for (int64_t o = 0; o < 20; o++)
            EXPECT((isnan(y[o]) != 0) == (where[o] == bad));
        EXPECT(where[((bad / 40) * 2 + bad / 5 % 4 / 2) * 5 + bad % 5] == bad);
        mem_free(x);
    }
}

static void test_a_window_of_minus_infinity_has_its_first_element(void)
{
    const struct pool_shape s = shape_of(3, 3, 2, 3, 2, 1);
    float x[18], y[8];
    int32_t where[8];

    for (int i = 0; i < 18; i++)
        x[i] = -INFINITY;
    FOR_EACH_KERNEL(k)
    {
        k->max_pool(y, where, x, &s);
        EXPECT(y[0] == -INFINITY && y[7] == -INFINITY);
        EXPECT_INT(where[0], 0);
        EXPECT_INT(where[1], 1);
        EXPECT_INT(where[7], (1 * 3 + 1) * 2 + 1); /* the last window begins at (1, 1) */
    }
}

TEST_MAIN(TEST(test_the_maximum_is_the_first_of_its_window_and_never_padding),
          TEST(test_the_average_counts_padding_as_zeros),
          TEST(test_nan_is_the_maximum_of_its_window_and_of_no_other),
          TEST(test_a_window_of_minus_infinity_has_its_first_element))
