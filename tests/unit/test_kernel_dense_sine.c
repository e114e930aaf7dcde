/*
 * test_kernel_dense_sine.c - dense, sine and ReLU in one, and its slope, with every instruction
 * set: against libm in double, and bit for bit against the kernels that it replaces.
 */
#include <math.h>

#include "test_kernel.h"

enum { ROWS = 5 };

struct rig {
    struct dense_sine d;
    float *x, *w, *b, *y, *dy, *dz;
    int64_t n; /* outputs of all rows */
};

static struct rig rig_new(int64_t inputs, int64_t columns, bool relu, bool bias)
{
    struct rig r = {.n = ROWS * columns};

    r.x = numbers_new(ROWS * inputs, 1);
    r.w = numbers_new(inputs * columns, 2);
    r.b = numbers_new(columns, 3);
    r.dy = numbers_new(r.n, 4);
    r.y = guarded_new(r.n);
    r.dz = guarded_new(r.n);
    r.d = (struct dense_sine){r.x, ROWS, inputs, columns, r.w, bias ? r.b : NULL, 3.0F, relu};
    return r;
}

static void rig_free(struct rig *r)
{
    mem_free(r->x);
    mem_free(r->w);
    mem_free(r->b);
    mem_free(r->dy);
    mem_free(r->y);
    mem_free(r->dz);
}

static void check_values(const struct rig *r)
{
    const struct dense_sine *d = &r->d;

    for (int64_t i = 0; i < r->n; i++) {
        const int64_t row = i / d->columns, c = i % d->columns;
        double z = d->bias == NULL ? 0.0 : (double)d->bias[c];
        for (int64_t k = 0; k < d->inputs; k++)
            z += (double)r->x[row * d->inputs + k] *
                 (double)r->w[panel_index(k, c, d->inputs, d->columns)];
        const double y = sin(3.0 * z), slope = (double)r->dy[i] * 3.0 * cos(3.0 * z);
        const bool cut = d->relu && r->y[i] <= 0.0F;
        EXPECT_NEAR((double)r->y[i], d->relu ? fmax(y, 0.0) : y, 1e-5);
        EXPECT_NEAR((double)r->dz[i], cut ? 0.0 : slope, 1e-4);
    }
    EXPECT(guards_stand(r->y, r->n));
    EXPECT(guards_stand(r->dz, r->n));
}

/* Product, sine and ReLU one after the other. */
static void check_bits(const struct rig *r, const struct kernel *k)
{
    const struct dense_sine *d = &r->d;
    const struct panel_rows a = {r->x, ROWS, d->inputs, 1, 0, d->inputs};
    float *z = zeros_new(r->n), *y = zeros_new(r->n);

    k->panel_product(z, d->columns, &a, r->w, d->bias, d->columns);
    k->sine(y, z, d->scale, r->n);
    if (d->relu)
        k->relu(y, y, r->n);
    EXPECT(same_bits(r->y, y, r->n));
    k->sine_back(z, r->dy, z, d->scale, r->n);
    if (d->relu)
        k->relu_back(z, z, y, r->n);
    EXPECT(same_bits(r->dz, z, r->n));
    mem_free(z);
    mem_free(y);
}

static void test_all_at_once_is_one_after_the_other(void)
{
    static const int64_t shapes[][2] = {
        {2,  256},
        {1,  16 },
        {3,  37 },
        {16, 5  },
        {2,  8  },
        {7,  27 }
    };

    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 24; i++) {
            struct rig r = rig_new(shapes[i / 4][0], shapes[i / 4][1], i % 2 == 0, i / 2 % 2 == 0);
            k->dense_sine(r.y, &r.d);
            k->dense_sine_back(r.dz, r.dy, r.d.relu ? r.y : NULL, &r.d);
            check_values(&r);
            check_bits(&r, k);
            rig_free(&r);
        }
    }
}

TEST_MAIN(TEST(test_all_at_once_is_one_after_the_other))
