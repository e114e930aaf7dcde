/*
 * test_kernel_column.c - sums over rows of channels, and BatchNorm's maps, against naive loops in
 * double, for every instruction set.
 *
 * Blocks of 16 rows are summed in float: of numbers below 2 that is an error of at most
 * 16 * 15 / 2 * 2^-24 * 2 per block, and of numbers below 4 (products) twice that.
 */
#include <math.h>

#include "test_kernel.h"

static const int64_t channel_counts[] = {1, 3, 6, 8, 16, 17, 64, 259, 600};
static const int64_t row_counts[] = {0, 1, 2, 4, 5, 15, 16, 17, 37};
enum {
    CHANNEL_COUNTS = sizeof channel_counts / sizeof channel_counts[0],
    ROW_COUNTS = sizeof row_counts / sizeof row_counts[0],
    BLOCK = 16,
};

static const double BLOCK_ERROR = 120 * 2.0 / 16777216;

static double sums_error(int64_t rows)
{
    return BLOCK_ERROR * (double)((rows + BLOCK - 1) / BLOCK);
}

/* --- sums and moments --- */

static void check_moments(const struct kernel *k, int64_t rows, int64_t channels)
{
    float *x = numbers_new(rows * channels + 1, 9), *center = numbers_new(channels, 11);
    double *sums = MEM_NEW_N(double, 3 * channels);

    for (int64_t c = 0; c < 3 * channels; c++)
        sums[c] = 1.0; /* sums are added to what is there */
    k->column_sums(sums, x, rows, channels);
    k->column_moments(sums + channels, sums + 2 * channels, x, center, rows, channels);
    for (int64_t c = 0; c < channels; c++) {
        double sum = 1.0, moments[2] = {1.0, 1.0};
        for (int64_t r = 0; r < rows; r++) {
            const double d = (double)x[r * channels + c] - (double)center[c];
            sum += (double)x[r * channels + c];
            moments[0] += d;
            moments[1] += d * d;
        }
        EXPECT_NEAR(sums[c], sum, sums_error(rows));
        EXPECT_NEAR(sums[channels + c], moments[0], sums_error(rows));
        EXPECT_NEAR(sums[2 * channels + c], moments[1], 2 * sums_error(rows));
    }
    mem_free(x);
    mem_free(center);
    mem_free(sums);
}

static void test_sums_and_moments_are_those_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for (int r = 0; r < ROW_COUNTS; r++)
        for (int c = 0; c < CHANNEL_COUNTS; c++)
            check_moments(k, row_counts[r], channel_counts[c]);
}

static void test_sums_cut_after_blocks_have_the_bits_of_one_call(void)
{
    enum { ROWS = 71, CHANNELS = 10 };
    float *x = numbers_new((int64_t)ROWS * CHANNELS, 9), *mean = numbers_new(CHANNELS, 11);

    FOR_EACH_KERNEL(k)
    for (int64_t cut = BLOCK; cut < ROWS; cut += BLOCK) {
        double whole[2][CHANNELS] = {{0}}, parts[2][CHANNELS] = {{0}};
        k->column_moments(whole[0], whole[1], x, mean, ROWS, CHANNELS);
        k->column_moments(parts[0], parts[1], x, mean, cut, CHANNELS);
        k->column_moments(parts[0], parts[1], x + cut * CHANNELS, mean, ROWS - cut, CHANNELS);
        EXPECT(memcmp(whole, parts, sizeof whole) == 0);
    }
    mem_free(x);
    mem_free(mean);
}

/* A channel's bits do not depend on the channels beside it. */
static void test_a_channel_has_the_same_bits_alone(void)
{
    enum { ROWS = 37, CHANNELS = 29 };
    float *x = numbers_new((int64_t)ROWS * CHANNELS, 9), *center = numbers_new(CHANNELS, 11);

    FOR_EACH_KERNEL(k)
    {
        double all[2][CHANNELS] = {{0}};
        k->column_moments(all[0], all[1], x, center, ROWS, CHANNELS);
        for (int64_t c = 0; c < CHANNELS; c++) {
            float one[ROWS];
            double sum = 0.0, square = 0.0;
            for (int64_t r = 0; r < ROWS; r++)
                one[r] = x[r * CHANNELS + c];
            k->column_moments(&sum, &square, one, center + c, ROWS, 1);
            EXPECT(sum == all[0][c] && square == all[1][c]);
        }
    }
    mem_free(x);
    mem_free(center);
}

/* --- BatchNorm --- */

/* All that the maps read: n elements each, and the vectors of channels. */
struct norm_case {
    int64_t rows, channels, n;
    float *x, *dy, *y, *other;
    float *scale, *shift, *mean, *scale_x, *rest;
};

static struct norm_case case_new(int64_t rows, int64_t channels)
{
    const int64_t n = rows * channels;

    return (struct norm_case){
        .rows = rows,
        .channels = channels,
        .n = n,
        .x = numbers_new(n + 1, 9),
        .dy = numbers_new(n + 1, 10),
        .y = numbers_new(n + 1, 11),
        .other = numbers_new(n + 1, 12),
        .scale = numbers_new(channels, 13),
        .shift = numbers_new(channels, 14),
        .mean = numbers_new(channels, 15),
        .scale_x = numbers_new(channels, 16),
        .rest = numbers_new(channels, 17),
    };
}

static void case_release(struct norm_case *c)
{
    float *const all[] = {c->x,     c->dy,   c->y,       c->other, c->scale,
                          c->shift, c->mean, c->scale_x, c->rest};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mem_free(all[i]);
}

static void check_map(const struct kernel *k, const struct norm_case *t, bool adds, bool relu)
{
    const struct norm_map map = {t->scale, t->shift, adds ? t->other : NULL, relu};
    float *y = guarded_new(t->n), *same = numbers_copy(t->x, t->n + 1);

    k->norm_map(y, t->x, &map, t->rows, t->channels);
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t c = i % t->channels;
        double z = (double)t->x[i] * (double)t->scale[c] + (double)t->shift[c];
        z += adds ? (double)t->other[i] : 0.0;
        EXPECT_NEAR((double)y[i], relu ? fmax(z, 0.0) : z, 5e-7);
    }
    EXPECT(guards_stand(y, t->n));
    k->norm_map(same, same, &map, t->rows, t->channels);
    EXPECT(same_bits(same, y, t->n));
    mem_free(y);
    mem_free(same);
}

/* Does the ReLU pass on element i? The map's own float decides, as in forward. */
static bool passes(const struct kernel *k, const struct norm_case *t, enum norm_mask mask,
                   int64_t i)
{
    const int64_t c = i % t->channels;
    const struct norm_map map = {t->scale + c, t->shift + c, NULL, false};
    float z = 0.0F;

    if (mask == NORM_MASK_NONE)
        return true;
    if (mask == NORM_MASK_OUTPUT)
        return t->y[i] > 0.0F;
    k->norm_map(&z, t->x + i, &map, 1, 1);
    return z > 0.0F;
}

static void check_gradient(const struct kernel *k, const struct norm_case *t, enum norm_mask mask)
{
    const struct norm_gradient g = {
        .mask = mask,
        .dy = t->dy,
        .x = t->x,
        .y = mask == NORM_MASK_OUTPUT ? t->y : NULL,
        .scale = t->scale,
        .shift = t->shift,
        .mean = t->mean,
        .scale_x = t->scale_x,
        .rest = t->rest,
    };
    struct norm_gradient keeping = g;
    float *dx = guarded_new(t->n), *dz = guarded_new(t->n);
    double *sums = MEM_NEW_N(double, 2 * t->channels), *again = MEM_NEW_N(double, 2 * t->channels);
    double *expected = MEM_NEW_N(double, 2 * t->channels);

    keeping.dz = dz;
    k->norm_sums(sums, sums + t->channels, &g, t->rows, t->channels);
    k->norm_sums(again, again + t->channels, &keeping, t->rows, t->channels);
    k->norm_back(dx, &g, t->rows, t->channels);
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t c = i % t->channels;
        const double slope = passes(k, t, mask, i) ? (double)t->dy[i] : 0.0;
        EXPECT((double)dz[i] == slope);
        expected[c] += slope;
        expected[t->channels + c] += slope * ((double)t->x[i] - (double)t->mean[c]);
        EXPECT_NEAR((double)dx[i],
                    (double)t->scale[c] * slope + (double)t->scale_x[c] * (double)t->x[i] +
                        (double)t->rest[c],
                    5e-7);
    }
    for (int64_t c = 0; c < 2 * t->channels; c++) {
        EXPECT_NEAR(sums[c], expected[c], sums_error(t->rows));
        EXPECT(sums[c] == again[c]);
    }
    EXPECT(guards_stand(dx, t->n) && guards_stand(dz, t->n));
    mem_free(dx);
    mem_free(dz);
    mem_free(sums);
    mem_free(again);
    mem_free(expected);
}

static void test_norm_is_that_of_a_loop_in_double_with_and_without_sum_and_relu(void)
{
    FOR_EACH_KERNEL(k)
    for (int r = 0; r < ROW_COUNTS; r++)
        for (int c = 0; c < CHANNEL_COUNTS; c++) {
            struct norm_case t = case_new(row_counts[r], channel_counts[c]);
            for (int kind = 0; kind < 4; kind++)
                check_map(k, &t, (kind & 1) != 0, (kind & 2) != 0);
            check_gradient(k, &t, NORM_MASK_NONE);
            check_gradient(k, &t, NORM_MASK_INPUT);
            check_gradient(k, &t, NORM_MASK_OUTPUT);
            case_release(&t);
        }
}

TEST_MAIN(TEST(test_sums_and_moments_are_those_of_a_loop_in_double),
          TEST(test_sums_cut_after_blocks_have_the_bits_of_one_call),
          TEST(test_a_channel_has_the_same_bits_alone),
          TEST(test_norm_is_that_of_a_loop_in_double_with_and_without_sum_and_relu))
