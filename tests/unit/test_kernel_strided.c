/*
 * test_kernel_strided.c - Winograd's transforms for stride 2. What counts is what they make
 * together: points of an image times points of the weights give the convolution, its gradient by
 * the input and that by the weights, as plain loops in double have them. Everything but the points
 * is guarded.
 */
#include "test_window.h"

enum { TILES = 3, PANELS = 3, TAPS = 9, TILE = 4, PATCH = 9, GRADIENT = 5, INPUTS = 8 };

static const double TOLERANCE = 5e-6; /* of the sum of absolute terms, which points enlarge */

static const int64_t widths[] = {1, 7, 8, 15, 16, 17, 31, 33, 48};
static const struct {
    int64_t begin, end;
} spans[] = {
    {0, 9},
    {1, 9},
    {2, 5},
    {0, 3},
    {3, 4},
};
enum { WIDTHS = sizeof widths / sizeof widths[0], SPANS = 5 };

/* --- windows --- */

/* The window with rows span a and columns span b, cut to size. */
static struct winograd_window window(int a, int b, int64_t size, int64_t channels)
{
    return (struct winograd_window){
        .row = (size + 2) * channels,
        .pixel = channels,
        .top = spans[a].begin,
        .bottom = spans[a].end < size ? spans[a].end : size,
        .left = spans[b].begin,
        .right = spans[b].end < size ? spans[b].end : size,
    };
}

/* A value of channel c; zero outside the image. */
static double value(const float *x, const struct winograd_window *w, int64_t i, int64_t j,
                    int64_t c)
{
    return is_inside(w, i, j) ? (double)x[pixel(w, i, j) + c] : 0.0;
}

/* --- points --- */

typedef void to_points(float *v, const struct winograd_strides *s, const float *x,
                       const struct winograd_window *w, int64_t channels);

static const struct winograd_strides strides = {.point = PANELS * TILES * PANEL + 16,
                                                .panel = TILES * PANEL};

/* Tile 1 of the transformed image. The other tiles stay as they are. */
static float *points_new(to_points *transform, const float *x, const struct winograd_window *w,
                         int64_t channels)
{
    const int64_t size = STRIDED_POINTS * strides.point;
    float *v = guarded_new(size);
    bool right = true;

    transform(v + PANEL, &strides, x, w, channels);
    for (int64_t i = 0; i < size; i++)
        right = right && (i % strides.point % strides.panel / PANEL == 1 || v[i] == GUARD);
    EXPECT(right && guards_stand(v, size));
    return v;
}

static float point_of(const float *v, int64_t point, int64_t c)
{
    return v[point * strides.point + c / PANEL * strides.panel + PANEL + c % PANEL];
}

/* Weights of one row: [point][16] from [tap][16], rotated or not. */
static float *weights_new(const struct kernel *k, const float *w, bool rotated)
{
    const int64_t size = WINOGRAD_POINTS * PANEL;
    float *u = guarded_new(size);

    k->strided_weights(u, PANEL, rotated ? w + (TAPS - 1) * PANEL : w, rotated ? -PANEL : PANEL, 1);
    EXPECT(guards_stand(u, size));
    return u;
}

/* m[point][16] of input channel c and 16 outputs. */
static float *products_new(const float *v, const float *u, int64_t c)
{
    float *m = MEM_NEW_N(float, STRIDED_POINTS *PANEL);

    for (int64_t x = 0; x < WINOGRAD_POINTS; x++) {
        const struct winograd_share s = winograd_share(STRIDED_POINTS, x);
        for (int64_t i = s.first; i < s.first + s.count; i++)
            for (int64_t n = 0; n < PANEL; n++)
                m[i * PANEL + n] = point_of(v, i, c) * u[x * PANEL + n];
    }
    return m;
}

static void test_every_point_of_a_tile_has_one_of_the_weights(void)
{
    int64_t next = 0;
    bool seen[STRIDED_POINTS] = {false};

    for (int64_t x = 0; x < WINOGRAD_POINTS; x++) {
        const struct winograd_share s = winograd_share(STRIDED_POINTS, x);
        EXPECT_INT(s.first, next);
        next += s.count;
    }
    EXPECT_INT(next, STRIDED_POINTS);
    for (int64_t i = 0; i < STRIDED_SIDE; i++)
        for (int64_t j = 0; j < STRIDED_SIDE; j++) {
            const int64_t x = (i < 5 ? i : 5) * WINOGRAD_SIDE + (j < 5 ? j : 5);
            const struct winograd_share s = winograd_share(STRIDED_POINTS, x);
            const int64_t point = strided_point(i, j);
            EXPECT(point >= s.first && point < s.first + s.count && !seen[point]);
            seen[point] = true;
        }
}

/* --- the convolution --- */

/* Output (y, x) of channels c and n; *size gets the sum of absolute terms. */
static double convolved(const float *x, const struct winograd_window *in, const float *w, int64_t i,
                        int64_t j, int64_t c, int64_t n, double *size)
{
    double sum = 0.0;

    for (int64_t t = 0; t < TAPS; t++) {
        const double term =
            value(x, in, 2 * i + t / 3, 2 * j + t % 3, c) * (double)w[t * PANEL + n];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* Checks and clears what lies inside; the rest must be guards. */
struct expected {
    const float *x, *w;
    const struct winograd_window *in;
    int64_t channel;
};

static bool outputs_agree(float *y, const struct winograd_window *out, const struct expected *e,
                          const float *bias, int64_t channels)
{
    bool right = true;

    for (int64_t i = 0; i < TILE * TILE; i++)
        for (int64_t n = 0; n < channels && is_inside(out, i / TILE, i % TILE); n++) {
            float *at = &y[pixel(out, i / TILE, i % TILE) + n];
            double size = 1.0;
            double sum = convolved(e->x, e->in, e->w, i / TILE, i % TILE, e->channel, n, &size) +
                         (bias == NULL ? 0.0 : (double)bias[n]);
            right = right && fabs((double)*at - sum) <= TOLERANCE * size;
            *at = GUARD;
        }
    return right;
}

static bool all_guards(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n + GUARDS; i++)
        if (x[i] != GUARD)
            return false;
    return true;
}

static void check_forward(const struct kernel *k, const struct winograd_window *in,
                          const struct winograd_window *out, int64_t channels)
{
    float *x = numbers_new(reach(in), 1), *w = numbers_new(TAPS * PANEL, 2);
    float *v = points_new(k->strided_input, x, in, channels), *u = weights_new(k, w, false);
    float *bias = numbers_new(PANEL, 3), *y = guarded_new(reach(out));
    bool right = true;

    for (int64_t c = 0; c < channels; c++) {
        const struct expected e = {x, w, in, c};
        const float *b = c % 2 == 0 ? bias : NULL;
        float *m = products_new(v, u, c);
        const struct winograd_sources s = {.m = m, .point = PANEL, .bias = b};
        k->strided_output(y, out, &s, out->pixel - 1);
        right = right && outputs_agree(y, out, &e, b, out->pixel - 1);
        mem_free(m);
    }
    EXPECT(right && all_guards(y, reach(out)));
    mem_free(x);
    mem_free(w);
    mem_free(v);
    mem_free(u);
    mem_free(bias);
    mem_free(y);
}

static void test_products_of_points_become_the_convolution(void)
{
    FOR_EACH_KERNEL(k)
    for (int n = 0; n < WIDTHS; n++)
        for (int a = 0; a < SPANS; a++)
            for (int b = 0; b < SPANS; b++) {
                const struct winograd_window in = window(a, b, PATCH, widths[n]);
                const struct winograd_window out = window(b, a, TILE, 2 + widths[n] % PANEL);
                check_forward(k, &in, &out, widths[n]);
            }
}

/* --- by the input --- */

/* Pixel (i, j) of the tile: an even one lies under the middle tap of output i/2, an odd one under
 * the last tap of output i/2 and the first one of the next. */
static double input_gradient(const float *dy, const struct winograd_window *in, const float *w,
                             int64_t i, int64_t j, int64_t c, int64_t n, double *size)
{
    double sum = 0.0;

    for (int64_t y = 0; y < GRADIENT; y++)
        for (int64_t x = 0; x < GRADIENT; x++) {
            const int64_t ky = i + 1 - 2 * y, kx = j + 1 - 2 * x;
            double term;
            if (ky < 0 || ky > 2 || kx < 0 || kx > 2)
                continue;
            term = value(dy, in, y, x, c) * (double)w[(ky * 3 + kx) * PANEL + n];
            sum += term;
            *size += fabs(term);
        }
    return sum;
}

static bool inputs_agree(float *dx, const struct winograd_window *out, const struct expected *e,
                         int64_t channels)
{
    bool right = true;

    for (int64_t i = 0; i < INPUTS * INPUTS; i++)
        for (int64_t n = 0; n < channels && is_inside(out, i / INPUTS, i % INPUTS); n++) {
            float *at = &dx[pixel(out, i / INPUTS, i % INPUTS) + n];
            double size = 1.0;
            const double sum =
                input_gradient(e->x, e->in, e->w, i / INPUTS, i % INPUTS, e->channel, n, &size);
            right = right && fabs((double)*at - sum) <= TOLERANCE * size;
            *at = GUARD;
        }
    return right;
}

static void check_input_gradient(const struct kernel *k, const struct winograd_window *in,
                                 const struct winograd_window *out, int64_t channels)
{
    float *dy = numbers_new(reach(in), 4), *w = numbers_new(TAPS * PANEL, 5);
    float *v = points_new(k->strided_gradient, dy, in, channels), *u = weights_new(k, w, true);
    float *dx = guarded_new(reach(out));
    bool right = true;

    for (int64_t c = 0; c < channels; c++) {
        const struct expected e = {dy, w, in, c};
        float *m = products_new(v, u, c);
        const struct winograd_sources s = {.m = m, .point = PANEL};
        k->strided_input_gradient(dx, out, &s, out->pixel - 1);
        right = right && inputs_agree(dx, out, &e, out->pixel - 1) &&
                adds_to_what_is_there(k->strided_input_gradient, out, &s, out->pixel - 1);
        mem_free(m);
    }
    EXPECT(right && all_guards(dx, reach(out)));
    mem_free(dy);
    mem_free(w);
    mem_free(v);
    mem_free(u);
    mem_free(dx);
}

static void test_products_of_points_become_the_gradient_by_the_input(void)
{
    FOR_EACH_KERNEL(k)
    for (int n = 0; n < WIDTHS; n++)
        for (int a = 0; a < SPANS; a++)
            for (int b = 0; b < SPANS; b++) {
                const struct winograd_window in = window(a, b, GRADIENT, widths[n]);
                const struct winograd_window out = window(b, a, INPUTS, 2 + widths[n] % PANEL);
                check_input_gradient(k, &in, &out, widths[n]);
            }
}

/* --- by the weights --- */

/* By tap t from input channel c to output channel n. */
static double weight_gradient(const float *x, const struct winograd_window *in, const float *dy,
                              const struct winograd_window *out, int64_t t, int64_t c, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < TILE; i++)
        for (int64_t j = 0; j < TILE; j++)
            sum += value(x, in, 2 * i + t / 3, 2 * j + t % 3, c) * value(dy, out, i, j, n);
    return sum;
}

/* Sums over one tile, of one input and as many outputs. */
static void sum_points(float *du, const float *v, const float *d, int64_t c, int64_t outputs)
{
    for (int64_t x = 0; x < WINOGRAD_POINTS; x++) {
        const struct winograd_share s = winograd_share(STRIDED_POINTS, x);
        for (int64_t n = 0; n < outputs; n++) {
            double sum = 0.0;
            for (int64_t i = s.first; i < s.first + s.count; i++)
                sum += (double)point_of(v, i, c) * (double)point_of(d, i, n);
            du[x * PANEL + n] = (float)sum;
        }
    }
}

static void check_weight_gradient(const struct kernel *k, const struct winograd_window *in,
                                  const struct winograd_window *out, int64_t outputs, bool add)
{
    const int64_t channels = in->pixel, size = TAPS * outputs;
    float *x = numbers_new(reach(in), 6), *dy = numbers_new(reach(out), 7);
    float *v = points_new(k->strided_input, x, in, channels);
    float *d = points_new(k->strided_output_gradient, dy, out, outputs);
    float *before = numbers_new(size, 8), *dw = guarded_new(size);
    bool right = true;

    for (int64_t c = 0; c < channels; c++) {
        float du[WINOGRAD_POINTS * PANEL] = {0};
        memcpy(dw, before, (size_t)size * sizeof *dw);
        sum_points(du, v, d, c, outputs);
        k->strided_weight_gradient(dw, outputs, du, PANEL, 1, outputs, add);
        for (int64_t i = 0; i < size; i++) {
            const double sum = weight_gradient(x, in, dy, out, i / outputs, c, i % outputs);
            right = right && fabs((double)dw[i] - sum - (add ? (double)before[i] : 0.0)) <= 1e-4;
        }
    }
    EXPECT(right && guards_stand(dw, size));
    mem_free(x);
    mem_free(dy);
    mem_free(v);
    mem_free(d);
    mem_free(before);
    mem_free(dw);
}

static void test_sums_at_points_become_the_gradient_by_the_weights(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t outputs = 1; outputs <= PANEL; outputs++)
        for (int a = 0; a < SPANS; a++) {
            const struct winograd_window in = window(a, (a + 1) % SPANS, PATCH, 17);
            const struct winograd_window out = window((a + 2) % SPANS, a, TILE, outputs + 3);
            check_weight_gradient(k, &in, &out, outputs, a % 2 == 1);
        }
}

TEST_MAIN(TEST(test_every_point_of_a_tile_has_one_of_the_weights),
          TEST(test_products_of_points_become_the_convolution),
          TEST(test_products_of_points_become_the_gradient_by_the_input),
          TEST(test_sums_at_points_become_the_gradient_by_the_weights))
