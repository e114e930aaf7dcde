/*
 * test_kernel_dense_sine.c - dense, sine and ReLU in one, and backward through it, with every
 * instruction set: against sums and libm in double.
 */
#include <math.h>
#include <string.h>

#include "test_kernel.h"

enum { ROWS = 21 }; /* some blocks of eight, and a rest */

#define SCALE 3.0

struct rig {
    struct dense_sine d;
    struct dense_sine_back b;
    float *x, *w, *bias, *y, *dy, *dz, *dw;
    double *sums;
    int64_t n; /* outputs of all rows */
};

static struct rig rig_new(int64_t inputs, int64_t columns, bool relu, bool bias)
{
    struct rig r = {.n = ROWS * columns};

    r.x = numbers_new(ROWS * inputs, 1);
    r.w = numbers_new(inputs * columns, 2);
    r.bias = numbers_new(columns, 3);
    r.dy = numbers_new(r.n, 4);
    r.dw = guarded_new(inputs * columns);
    r.sums = MEM_NEW_N(double, columns);
    r.y = guarded_new(r.n);
    r.dz = guarded_new(r.n);
    r.d = (struct dense_sine){r.x,          ROWS, inputs, columns, r.w, bias ? r.bias : NULL,
                              (float)SCALE, relu};
    r.b = (struct dense_sine_back){
        .dy = r.dy,
        .y = relu ? r.y : NULL,
        .dz = r.dz,
        .dw = r.dw,
        .sums = r.sums,
        .sets = true,
        .last = columns,
    };
    return r;
}

static void rig_free(struct rig *r)
{
    mem_free(r->x);
    mem_free(r->w);
    mem_free(r->bias);
    mem_free(r->dy);
    mem_free(r->y);
    mem_free(r->dz);
    mem_free(r->dw);
    mem_free(r->sums);
}

/* (x w + b) of one output. */
static double sum_of(const struct rig *r, int64_t row, int64_t c)
{
    const struct dense_sine *d = &r->d;
    double z = d->bias == NULL ? 0.0 : (double)d->bias[c];

    for (int64_t k = 0; k < d->inputs; k++)
        z += (double)r->x[row * d->inputs + k] *
             (double)r->w[panel_index(k, c, d->inputs, d->columns)];
    return z;
}

static double slope_of(const struct rig *r, int64_t row, int64_t c)
{
    const int64_t i = row * r->d.columns + c;
    const bool cut = r->d.relu && r->y[i] <= 0.0F;

    return cut ? 0.0 : (double)r->dy[i] * SCALE * cos(SCALE * sum_of(r, row, c));
}

static void check_outputs(const struct rig *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t row = i / r->d.columns, c = i % r->d.columns;
        const double y = sin(SCALE * sum_of(r, row, c));
        EXPECT_NEAR((double)r->y[i], r->d.relu ? fmax(y, 0.0) : y, 1e-5);
        EXPECT_NEAR((double)r->dz[i], slope_of(r, row, c), 1e-4);
    }
    EXPECT(guards_stand(r->y, r->n));
    EXPECT(guards_stand(r->dz, r->n));
}

static void check_gradients(const struct rig *r)
{
    const int64_t inputs = r->d.inputs, columns = r->d.columns;

    for (int64_t c = 0; c < columns; c++) {
        double sum = 0;
        for (int64_t i = 0; i < ROWS; i++)
            sum += slope_of(r, i, c);
        EXPECT_NEAR(r->sums[c], sum, 1e-4 * ROWS);
        for (int64_t k = 0; k < inputs; k++) {
            double dw = 0;
            for (int64_t i = 0; i < ROWS; i++)
                dw += (double)r->x[i * inputs + k] * slope_of(r, i, c);
            EXPECT_NEAR((double)r->dw[panel_index(k, c, inputs, columns)], dw, 1e-4 * ROWS);
        }
    }
    EXPECT(guards_stand(r->dw, inputs * columns));
}

static const int64_t shapes[][2] = {
    {2,  256},
    {1,  16 },
    {3,  37 },
    {16, 5  },
    {2,  8  },
    {2,  41 },
    {7,  27 }
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* With and without ReLU and bias. */
static struct rig rig_of_case(int i)
{
    return rig_new(shapes[i / 4][0], shapes[i / 4][1], i % 2 == 0, i / 2 % 2 == 0);
}

static void test_forward_and_backward(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 4 * SHAPES; i++) {
            struct rig r = rig_of_case(i);
            k->dense_sine(r.y, &r.d);
            k->dense_sine_back(&r.d, &r.b);
            check_outputs(&r);
            check_gradients(&r);
            rig_free(&r);
        }
    }
}

/* Sixteen rows, then the others on top, panel by panel and without keeping the slopes. */
static void run_in_parts(const struct rig *r, const struct kernel *k)
{
    for (int64_t row = 0; row < ROWS; row += 16) {
        const int64_t at = row * r->d.columns;
        struct dense_sine d = r->d;
        struct dense_sine_back b = r->b;
        d.x += row * d.inputs;
        d.rows = row == 0 ? 16 : ROWS - 16;
        b.dy += at;
        b.y = b.y == NULL ? NULL : b.y + at;
        b.dz = NULL;
        b.sets = row == 0;
        for (b.first = 0; b.first < d.columns; b.first += PANEL) {
            b.last = b.first + panel_width(d.columns, b.first);
            k->dense_sine_back(&d, &b);
        }
    }
}

static void test_parts_have_the_bits_of_the_whole(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 4 * SHAPES; i++) {
            struct rig whole = rig_of_case(i), parts = rig_of_case(i);
            const int64_t columns = whole.d.columns;
            k->dense_sine(whole.y, &whole.d);
            k->dense_sine_back(&whole.d, &whole.b);
            k->dense_sine(parts.y, &parts.d);
            run_in_parts(&parts, k);
            EXPECT(same_bits(parts.dw, whole.dw, whole.d.inputs * columns));
            EXPECT(memcmp(parts.sums, whole.sums, (size_t)columns * sizeof(double)) == 0);
            rig_free(&whole);
            rig_free(&parts);
        }
    }
}

/* A column has the same bits whether it stands in a whole vector or in what is left. */
static void test_bits_do_not_depend_on_the_columns(void)
{
    enum { COLUMNS = 3 };

    FOR_EACH_KERNEL(k)
    {
        struct rig many = rig_new(2, 16, true, true), few = rig_new(2, COLUMNS, true, true);
        for (int64_t c = 0; c < COLUMNS; c++) {
            few.bias[c] = many.bias[c];
            for (int64_t i = 0; i < 2; i++)
                few.w[i * COLUMNS + c] = many.w[i * 16 + c];
            for (int64_t i = 0; i < ROWS; i++)
                few.dy[i * COLUMNS + c] = many.dy[i * 16 + c];
        }
        k->dense_sine(many.y, &many.d);
        k->dense_sine(few.y, &few.d);
        k->dense_sine_back(&many.d, &many.b);
        k->dense_sine_back(&few.d, &few.b);
        for (int64_t i = 0; i < ROWS; i++) {
            EXPECT(same_bits(few.y + i * COLUMNS, many.y + i * 16, COLUMNS));
            EXPECT(same_bits(few.dz + i * COLUMNS, many.dz + i * 16, COLUMNS));
        }
        for (int64_t i = 0; i < 2; i++)
            EXPECT(same_bits(few.dw + i * COLUMNS, many.dw + i * 16, COLUMNS));
        rig_free(&many);
        rig_free(&few);
    }
}

/* What cannot be told is at least a sine; what is no number stays none. */
static void test_large_sums(void)
{
    FOR_EACH_KERNEL(k)
    {
        static const float sizes[] = {1e6F, 1e7F, 3e7F, 1e9F, 1e30F};
        struct rig r = rig_new(2, 37, false, true);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (int64_t i = 0; i < 2 * ROWS; i++)
                r.x[i] = sizes[s] * (i % 2 == 0 ? 1.0F : -0.7F);
            k->dense_sine(r.y, &r.d);
            k->dense_sine_back(&r.d, &r.b);
            for (int64_t i = 0; i < r.n; i++)
                EXPECT(fabsf(r.y[i]) <= 1.000001F && fabsf(r.dz[i]) <= 3.000001F * fabsf(r.dy[i]));
        }
        r.x[0] = INFINITY;
        r.x[2] = NAN;
        k->dense_sine(r.y, &r.d);
        k->dense_sine_back(&r.d, &r.b);
        for (int64_t i = 0; i < 2 * 37; i++)
            EXPECT(isnan(r.y[i]) && isnan(r.dz[i]));
        rig_free(&r);
    }
}

TEST_MAIN(TEST(test_forward_and_backward), TEST(test_parts_have_the_bits_of_the_whole),
          TEST(test_bits_do_not_depend_on_the_columns), TEST(test_large_sums))
