/*
 * test_kernel_convpool.c - convolution, pooling and ReLU in one against plain loops in double, with
 * every instruction set: values, places, ties and NaN; and the patches of its gradient.
 */
#include "test_kernel.h"

/* A shape and all that is computed for it. */
struct rig {
    struct convpool_shape s;
    int64_t height, k, outputs, image; /* of the convolution's input; all outputs */
    float *x, *w, *padded, *bias, *strip, *y;
    int32_t *where;
    double error; /* in units of a plain sum's */
};

static struct rig rig_new(int64_t side, int64_t channels, int64_t kernel, int64_t outputs,
                          int64_t pool)
{
    struct rig r = {
        .s =
            {
                .channels = channels,
                .outputs = outputs,
                .kernel = kernel,
                .row = side * channels,
                .pool = pool,
                .out_height = (side - kernel + 1) / pool,
                .out_width = (side - kernel + 1) / pool,
                .relu = true,
                },
        .height = side,
        .k = kernel * kernel * channels,
        .image = side * side * channels,
        .error = 1.0,
    };
    struct convpool_shape largest = r.s;

    largest.pairs = convpool_can_pair(&r.s);
    r.outputs = r.s.out_height * r.s.out_width * outputs;
    r.x = numbers_new(r.image, 1);
    r.w = numbers_new(r.k * outputs, 2);
    r.bias = numbers_new(outputs, 3);
    r.padded = zeros_new(convpool_weight_rows(&largest) * (outputs + PANEL));
    r.strip = zeros_new(convpool_strip(&largest));
    r.y = guarded_new(r.outputs);
    r.where = MEM_NEW_N(int32_t, r.outputs);
    return r;
}

static void rig_free(struct rig *r)
{
    mem_free(r->x);
    mem_free(r->w);
    mem_free(r->bias);
    mem_free(r->padded);
    mem_free(r->strip);
    mem_free(r->y);
    mem_free(r->where);
}

static void run(struct rig *r, const struct kernel *k)
{
    k->convpool_weights(r->padded, r->w, &r->s);
    k->convpool(r->y, r->where, r->x, r->padded, r->bias, r->strip, &r->s);
}

/* Offset of the window below slot `slot` of pooled position p. */
static int64_t window_of(const struct rig *r, int64_t p, int64_t slot)
{
    const int64_t y = p / r->s.out_width * r->s.pool + slot / r->s.pool;
    const int64_t x = p % r->s.out_width * r->s.pool + slot % r->s.pool;

    return y * r->s.row + x * r->s.channels;
}

static double convolve(const struct rig *r, int64_t window, int64_t n, double *size)
{
    const int64_t run = convpool_run(&r->s);
    double sum = (double)r->bias[n];

    *size = fabs(sum);
    for (int64_t i = 0; i < r->k; i++) {
        const double term = (double)r->x[window + i / run * r->s.row + i % run] *
                            (double)r->w[panel_index(i, n, r->k, r->s.outputs)];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* One output against the loops: its value, and a place whose value is the largest. */
static void check_output(const struct rig *r, int64_t p, int64_t n)
{
    const int64_t at = p * r->s.outputs + n, slots = r->s.pool * r->s.pool;
    double most = -INFINITY, size = 0, largest_size = 0, chosen = 0;
    const int64_t slot = r->where[at] & (CONVPOOL_SLOTS_MAX - 1);

    for (int64_t i = 0; i < slots; i++) {
        const double value = convolve(r, window_of(r, p, i), n, &size);
        most = fmax(most, value);
        largest_size = fmax(largest_size, size);
        if (i == slot)
            chosen = value;
    }
    const double tolerance = r->error * largest_size * (double)(r->k + 1) / 16777216.0;
    EXPECT_NEAR((double)r->y[at], r->s.relu ? fmax(most, 0.0) : most, tolerance);
    if (r->s.relu && r->y[at] <= 0.0F) {
        EXPECT(r->where[at] == INT32_MIN);
        return;
    }
    EXPECT(slot < slots);
    EXPECT_INT(r->where[at] >> CONVPOOL_SLOT_BITS, window_of(r, p, slot));
    EXPECT_NEAR(chosen, most, 2 * tolerance);
}

static const int64_t shapes[][5] = {
  /* side, channels, kernel, outputs, pool */
    {12, 1,  5, 6,  2},
    {32, 1,  5, 6,  2},
    {9,  1,  3, 16, 2},
    {14, 6,  5, 16, 2},
    {7,  3,  2, 3,  3},
    {9,  2,  3, 8,  2},
    {10, 5,  3, 9,  4},
    {11, 4,  1, 20, 5},
    {6,  13, 3, 37, 2},
    {18, 2,  3, 24, 2},
    {5,  1,  4, 1,  2},
    {31, 1,  2, 5,  3},
    {44, 3,  5, 8,  2},
    {25, 1,  3, 7,  2},
    {38, 1,  3, 3,  2},
    {16, 1,  7, 11, 2},
    {15, 1,  6, 9,  2},
    {20, 1,  8, 5,  2},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static struct rig rig_of(int i)
{
    const int64_t *f = shapes[i];

    return rig_new(f[0], f[1], f[2], f[3], f[4]);
}

static void test_outputs_and_places_are_those_of_plain_loops(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 2 * SHAPES; i++) {
            struct rig r = rig_of(i / 2);
            r.s.relu = i % 2 == 0;
            run(&r, k);
            for (int64_t o = 0; o < r.outputs; o++)
                check_output(&r, o / r.s.outputs, o % r.s.outputs);
            EXPECT(guards_stand(r.y, r.outputs));
            rig_free(&r);
        }
    }
}

/* Two rows at once, by Winograd: its weights are up to two thirds of the taps' sum, rows up to ten
 * times a pixel. */
static void test_rows_in_pairs_are_those_of_plain_loops(void)
{
    static const int64_t sides[] = {6, 7, 8, 14, 16, 19, 23, 28};
    static const int64_t outputs[] = {9, 16, 17, 24, 25, 50};

    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 48; i++) {
            struct rig r = rig_new(sides[i % 8], 1 + i % 7, 5, outputs[i / 8], 2);
            EXPECT(convpool_can_pair(&r.s));
            r.s.pairs = true;
            r.s.relu = i % 2 == 0;
            r.error = 4.0;
            run(&r, k);
            for (int64_t o = 0; o < r.outputs; o++)
                check_output(&r, o / r.s.outputs, o % r.s.outputs);
            EXPECT(guards_stand(r.y, r.outputs));
            rig_free(&r);
        }
    }
}

static void test_evaluation_without_places_has_the_same_bits(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < SHAPES; i++) {
            struct rig r = rig_of(i);
            run(&r, k);
            float *y = numbers_copy(r.y, r.outputs);
            k->convpool(r.y, NULL, r.x, r.padded, r.bias, r.strip, &r.s);
            EXPECT(same_bits(r.y, y, r.outputs));
            mem_free(y);
            rig_free(&r);
        }
    }
}

static void test_the_first_of_equals_wins(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < SHAPES; i++) {
            struct rig r = rig_of(i);
            for (int64_t j = 0; j < r.image; j++)
                r.x[j] = 0.5F;
            for (int64_t n = 0; n < r.s.outputs; n++)
                r.bias[n] = 100.0F; /* above zero */
            run(&r, k);
            for (int64_t o = 0; o < r.outputs; o++)
                EXPECT_INT(r.where[o], window_of(&r, o / r.s.outputs, 0) << CONVPOOL_SLOT_BITS);
            rig_free(&r);
        }
    }
}

static void test_nan_wins_and_passes_relu(void)
{
    FOR_EACH_KERNEL(k)
    {
        struct rig r = rig_new(6, 1, 3, 5, 2);
        r.x[5 * 6 + 5] = NAN; /* only the last window of the last position sees it */
        run(&r, k);
        for (int64_t o = 0; o < r.outputs; o++) {
            EXPECT(isnan(r.y[o]) == (o / 5 == 3));
            if (o / 5 == 3)
                EXPECT_INT(r.where[o], window_of(&r, 3, 3) << CONVPOOL_SLOT_BITS | 3);
        }
        rig_free(&r);
    }
}

/* --- patches --- */

struct lists {
    struct patch_lists l;
    struct patches by_window;
    float *dy;
};

static struct lists lists_new(const struct rig *r, const struct kernel *k)
{
    const int64_t outputs = r->s.outputs, windows = r->outputs / outputs * r->s.pool * r->s.pool;
    const int64_t room = r->outputs + PATCH_ALIGN;
    struct lists t = {.dy = numbers_new(r->outputs, 9)};

    for (int64_t i = 0; i < r->outputs; i += 3)
        t.dy[i] = 0.0F;
    for (int64_t n = 0; n < outputs; n++)
        t.dy[n] = 0.0F; /* a position without any */
    t.l = (struct patch_lists){
        .shape = &r->s,
        .weights = r->s.kernel * patch_room(convpool_run(&r->s)),
        .offsets = MEM_NEW_N(int32_t, room),
        .factors = MEM_NEW_N(float, room),
        .sums = MEM_NEW_N(float, outputs),
        .outputs = MEM_NEW_N(struct patch_sum, outputs),
        .output_offsets = MEM_NEW_N(int32_t, room),
        .output_factors = MEM_NEW_N(float, room),
        .windows = MEM_NEW_N(struct patch_sum, windows),
        .window_offsets = MEM_NEW_N(int32_t, windows * outputs),
        .window_factors = MEM_NEW_N(float, windows *outputs),
    };
    const struct patch_rows rows = {t.dy, r->where, 0, r->s.out_height, 0};

    k->patch_list(&t.l, &rows);
    t.by_window = (struct patches){t.l.window_offsets, t.l.window_factors, 1};
    return t;
}

static void lists_free(struct lists *t)
{
    mem_free(t->dy);
    mem_free(t->l.offsets);
    mem_free(t->l.factors);
    mem_free(t->l.sums);
    mem_free(t->l.outputs);
    mem_free(t->l.output_offsets);
    mem_free(t->l.output_factors);
    mem_free(t->l.windows);
    mem_free(t->l.window_offsets);
    mem_free(t->l.window_factors);
}

/* The gradient by weight i of output n, from the places. */
static double weight_gradient(const struct rig *r, const float *dy, int64_t i, int64_t n)
{
    const int64_t run = convpool_run(&r->s);
    double sum = 0;

    for (int64_t at = n; at < r->outputs; at += r->s.outputs)
        if (r->where[at] >= 0)
            sum +=
                (double)dy[at] *
                (double)r->x[(r->where[at] >> CONVPOOL_SLOT_BITS) + i / run * r->s.row + i % run];
    return sum;
}

static void check_weights(const struct rig *r, const struct lists *t, const struct kernel *k)
{
    const int64_t run = convpool_run(&r->s), room = patch_room(run);
    float *image = MEM_NEW_N(float, r->image + PATCH_ALIGN);
    float *dw = guarded_new(t->l.weights * r->s.outputs);

    memcpy(image, r->x, (size_t)r->image * sizeof *image);
    for (int64_t i = 0; i < t->l.weights * r->s.outputs; i++)
        dw[i] = 0.25F; /* it is added to */
    k->patch_gradient(dw, image, &t->l);
    for (int64_t n = 0; n < r->s.outputs; n++)
        for (int64_t i = 0; i < r->k; i++)
            EXPECT_NEAR((double)dw[n * t->l.weights + i / run * room + i % run],
                        0.25 + weight_gradient(r, t->dy, i, n), 1e-4);
    EXPECT(guards_stand(dw, t->l.weights * r->s.outputs));
    mem_free(dw);
    mem_free(image);
}

static void check_inputs(const struct rig *r, const struct lists *t, const struct kernel *k)
{
    const int64_t run = convpool_run(&r->s), room = patch_room(run);
    const struct patch_shape s = {r->s.kernel, run, r->s.row, room};
    float *patches = MEM_NEW_N(float, t->l.weights * r->s.outputs);
    float *dx = guarded_new(r->image + PATCH_ALIGN);
    double *expected = MEM_NEW_N(double, r->image);

    memset(dx, 0, (size_t)(r->image + PATCH_ALIGN) * sizeof *dx);
    for (int64_t j = 0; j < r->k * r->s.outputs; j++) {
        const int64_t n = j / r->k, i = j % r->k;
        patches[n * t->l.weights + i / run * room + i % run] =
            r->w[panel_index(i, n, r->k, r->s.outputs)];
    }
    for (int64_t at = 0; at < r->outputs; at++)
        for (int64_t i = 0; r->where[at] >= 0 && i < r->k; i++)
            expected[(r->where[at] >> CONVPOOL_SLOT_BITS) + i / run * r->s.row + i % run] +=
                (double)t->dy[at] *
                (double)r->w[panel_index(i, at % r->s.outputs, r->k, r->s.outputs)];
    k->patch_sums(dx, patches, &s, t->l.windows, t->l.window_count, &t->by_window);
    for (int64_t i = 0; i < r->image; i++)
        EXPECT_NEAR((double)dx[i], expected[i], 1e-4);
    EXPECT(guards_stand(dx, r->image + PATCH_ALIGN));
    mem_free(expected);
    mem_free(dx);
    mem_free(patches);
}

static void test_sums_of_patches_are_both_gradients(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < SHAPES; i++) {
            struct rig r = rig_of(i);
            run(&r, k);
            struct lists t = lists_new(&r, k);
            check_weights(&r, &t, k);
            check_inputs(&r, &t, k);
            for (int64_t n = 0; n < r.s.outputs; n++) {
                double sum = 0;
                for (int64_t at = n; at < r.outputs; at += r.s.outputs)
                    sum += r.where[at] < 0 ? 0.0 : (double)t.dy[at];
                EXPECT_NEAR((double)t.l.sums[n], sum, 1e-4);
            }
            lists_free(&t);
            rig_free(&r);
        }
    }
}

TEST_MAIN(TEST(test_outputs_and_places_are_those_of_plain_loops),
          TEST(test_rows_in_pairs_are_those_of_plain_loops),
          TEST(test_evaluation_without_places_has_the_same_bits),
          TEST(test_the_first_of_equals_wins), TEST(test_nan_wins_and_passes_relu),
          TEST(test_sums_of_patches_are_both_gradients))
