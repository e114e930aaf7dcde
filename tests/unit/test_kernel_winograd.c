/*
 * test_kernel_winograd.c - the transforms of F(4x4,3x3) against their matrices in double, and the
 * products at one point against loops in double. The matrices are those of the paper (Lavin and
 * Gray, 2015, section 4.3), not taken from the kernels.
 */
#include "test_window.h"

static const double BT[6][6] = {
    {4, 0,  -5, 0,  1, 0},
    {0, -4, -4, 1,  1, 0},
    {0, 4,  -4, -1, 1, 0},
    {0, -2, -1, 2,  1, 0},
    {0, 2,  -1, -2, 1, 0},
    {0, 4,  0,  -5, 0, 1},
};
static const double G[6][3] = {
    {1.0 / 4,  0,         0       },
    {-1.0 / 6, -1.0 / 6,  -1.0 / 6},
    {-1.0 / 6, 1.0 / 6,   -1.0 / 6},
    {1.0 / 24, 1.0 / 12,  1.0 / 6 },
    {1.0 / 24, -1.0 / 12, 1.0 / 6 },
    {0,        0,         1       },
};
static const double AT[4][6] = {
    {1, 1, 1,  1, 1,  0},
    {0, 1, -1, 2, -2, 0},
    {0, 1, 1,  4, 4,  0},
    {0, 1, -1, 8, -8, 1},
};

/* M x M^T, M of `rows` x `columns` given by its element (i, j) at m[i * down + j * across]. */
struct matrix {
    const double *m;
    int rows, columns, down, across;
};

static const struct matrix input_matrix = {&BT[0][0], 6, 6, 6, 1};
static const struct matrix output_matrix = {&AT[0][0], 4, 6, 6, 1};
static const struct matrix output_gradient_matrix = {&AT[0][0], 6, 4, 1, 6};
static const struct matrix weight_matrix = {&G[0][0], 6, 3, 3, 1};
static const struct matrix weight_gradient_matrix = {&G[0][0], 3, 6, 1, 3};

/* Element (i, j) of M x M^T; *size gets the sum of absolute terms. */
static double transformed(const struct matrix *a, const double x[36], int i, int j, double *size)
{
    double sum = 0.0;

    *size = 0.0;
    for (int p = 0; p < a->columns; p++)
        for (int q = 0; q < a->columns; q++) {
            const double term = a->m[i * a->down + p * a->across] * x[p * a->columns + q] *
                                a->m[j * a->down + q * a->across];
            sum += term;
            *size += fabs(term);
        }
    return sum;
}

static bool agrees(const struct matrix *a, const double x[36], int point, float actual,
                   double added)
{
    double size;
    const double expected = transformed(a, x, point / a->rows, point % a->rows, &size) + added;

    return fabs((double)actual - expected) <= 2e-6 * (size + fabs(added));
}

enum { PANELS = 3, TILES = 5 };

static const int64_t widths[] = {1, 4, 7, 8, 15, 16, 17, 24, 31, 33, 48};
static const struct {
    int64_t begin, end;
} spans[] = {
    {0, 6},
    {1, 6},
    {2, 5},
    {0, 3},
    {1, 2},
};
enum { WIDTHS = sizeof widths / sizeof widths[0], SPANS = 5 };

/* The window with rows span a and columns span b, cut to size. */
static struct winograd_window window(int a, int b, int64_t size, int64_t channels)
{
    return (struct winograd_window){
        .row = (size + 3) * channels,
        .pixel = channels,
        .top = spans[a].begin,
        .bottom = spans[a].end < size ? spans[a].end : size,
        .left = spans[b].begin,
        .right = spans[b].end < size ? spans[b].end : size,
    };
}

/* One channel of a window of size x size, zeros outside the image. */
static void read_channel(double x[36], const float *image, const struct winograd_window *w,
                         int size, int64_t c)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            x[i * size + j] = is_inside(w, i, j) ? (double)image[pixel(w, i, j) + c] : 0.0;
}

typedef void to_points(float *v, const struct winograd_strides *s, const float *x,
                       const struct winograd_window *w, int64_t channels);

static void check_to_points(to_points *transform, const struct matrix *a,
                            const struct winograd_window *w, int64_t channels)
{
    const struct winograd_strides s = {.point = PANELS * TILES * PANEL + 16,
                                       .panel = TILES * PANEL};
    const int64_t size = 36 * s.point;
    float *image = numbers_new(reach(w), 1), *v = guarded_new(size);
    bool right = true;

    transform(v + PANEL, &s, image, w, channels); /* tile 1 */
    for (int64_t c = 0; c < channels; c++) {
        double x[36];
        read_channel(x, image, w, a->columns, c);
        for (int p = 0; p < 36; p++)
            right = right &&
                    agrees(a, x, p, v[p * s.point + c / PANEL * s.panel + PANEL + c % PANEL], 0.0);
    }
    EXPECT(right);
    /* The other tiles stay as they are. */
    for (int64_t i = 0; i < size; i++)
        right = right && (i % s.point % s.panel / PANEL == 1 || v[i] == GUARD);
    EXPECT(right);
    EXPECT(guards_stand(v, size));
    mem_free(image);
    mem_free(v);
}

static void test_tiles_become_points_by_the_matrices_of_the_paper(void)
{
    FOR_EACH_KERNEL(k)
    for (int n = 0; n < WIDTHS; n++)
        for (int a = 0; a < SPANS; a++)
            for (int b = 0; b < SPANS; b++) {
                const struct winograd_window patch = window(a, b, 6, widths[n]);
                const struct winograd_window tile = window(a, b, 4, widths[n]);
                check_to_points(k->winograd_input, &input_matrix, &patch, widths[n]);
                check_to_points(k->winograd_output_gradient, &output_gradient_matrix, &tile,
                                widths[n]);
            }
}

static void check_output(const struct kernel *k, const struct winograd_window *w, const float *bias,
                         int64_t channels)
{
    const int64_t point = TILES * PANEL, size = reach(w);
    float *m = numbers_new(36 * point, 2), *y = guarded_new(size);
    const struct winograd_sources s = {.m = m, .point = point, .bias = bias};
    bool right = true;

    k->winograd_output(y, w, &s, channels);
    EXPECT(adds_to_what_is_there(k->winograd_output, w, &s, channels));
    for (int64_t c = 0; c < channels; c++) {
        double x[36];
        for (int p = 0; p < 36; p++)
            x[p] = (double)m[p * point + c];
        for (int i = 0; i < 16; i++)
            if (is_inside(w, i / 4, i % 4)) {
                float *at = &y[pixel(w, i / 4, i % 4) + c];
                right = right &&
                        agrees(&output_matrix, x, i, *at, bias == NULL ? 0.0 : (double)bias[c]);
                *at = GUARD;
            }
    }
    EXPECT(right);
    /* What is not of the tile is as before. */
    for (int64_t i = 0; i < size + GUARDS; i++)
        right = right && y[i] == GUARD;
    EXPECT(right);
    mem_free(m);
    mem_free(y);
}

static void test_points_become_the_pixels_inside_and_no_others(void)
{
    float *bias = numbers_new(PANEL, 3);

    FOR_EACH_KERNEL(k)
    for (int64_t channels = 1; channels <= PANEL; channels++)
        for (int a = 0; a < SPANS; a++)
            for (int b = 0; b < SPANS; b++) {
                struct winograd_window w = window(a, b, 4, channels + 3);
                check_output(k, &w, (a + b) % 2 == 0 ? bias : NULL, channels);
            }
    mem_free(bias);
}

/* The first of the largest in a window of the tile, with NaN as the largest of all. */
static int largest_in(const float tile[16], int pool, int first)
{
    int best = first;

    for (int s = 1; s < pool * pool; s++) {
        const int at = first + s / pool * 4 + s % pool;
        if (tile[at] > tile[best] || isnan(tile[at]))
            best = at;
    }
    return best;
}

/* One channel of a pooled tile: values and places, which are set to the guard once checked. */
static bool pooled_agrees(float *y, int32_t *where, const struct winograd_pooling *p,
                          const float tile[16])
{
    const int pool = (int)p->pool, side = 4 / pool;
    bool right = true;

    for (int i = 0; i < side * side; i++) {
        const int64_t at = i / side * p->row + i % side * p->pixel;
        const int first = i / side * pool * 4 + i % side * pool;
        const int best = largest_in(tile, pool, first);
        const int slot = (best / 4 - first / 4) * pool + best % 4 - first % 4;
        const int64_t offset = p->origin + best / 4 * p->origin_row + best % 4 * p->origin_pixel;
        if (i / side >= p->rows || i % side >= p->columns)
            continue;
        if (p->relu && tile[best] <= 0.0F)
            right = right && y[at] == 0.0F && where[at] == INT32_MIN;
        else
            right = right && memcmp(&y[at], &tile[best], sizeof *y) == 0 &&
                    where[at] == (offset << CONVPOOL_SLOT_BITS | slot);
        y[at] = GUARD;
        where[at] = -1;
    }
    return right;
}

/* What is pooled is what winograd_output makes of the same points. */
static void check_pool(const struct kernel *k, const struct winograd_pooling *p, int64_t channels)
{
    const struct winograd_window all = {.row = 4 * PANEL, .pixel = PANEL, .bottom = 4, .right = 4};
    const int64_t point = TILES * PANEL, size = 2 * p->row;
    float *m = numbers_new(36 * point, 2), *bias = numbers_new(PANEL, 3), *y = guarded_new(size);
    float *tiles = zeros_new(16 * PANEL), *again = guarded_new(size);
    int32_t *where = MEM_NEW_N(int32_t, size);
    const struct winograd_sources s = {.m = m, .point = point, .bias = bias};
    bool right = true;

    m[3] = NAN; /* channel 3 of the first point, which every output of it is made from */
    memset(where, 0xff, (size_t)size * sizeof *where);
    k->winograd_output(tiles, &all, &s, channels);
    k->winograd_pool(y, where, p, m, point, bias, channels);
    k->winograd_pool(again, NULL, p, m, point, bias, channels);
    EXPECT(memcmp(y, again, (size_t)(size + GUARDS) * sizeof *y) == 0);
    for (int64_t c = 0; c < channels; c++) {
        float tile[16];
        for (int i = 0; i < 16; i++)
            tile[i] = tiles[i * PANEL + c];
        right = right && pooled_agrees(y + c, where + c, p, tile);
    }
    for (int64_t i = 0; i < size; i++)
        right = right && y[i] == GUARD && where[i] == -1;
    EXPECT(right && guards_stand(y, size));
    mem_free(m);
    mem_free(bias);
    mem_free(y);
    mem_free(tiles);
    mem_free(again);
    mem_free(where);
}

static void test_pooled_tiles_are_the_largest_of_their_windows(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t channels = 1; channels <= PANEL; channels++)
        for (int i = 0; i < 16; i++) {
            const struct winograd_pooling p = {
                .pool = i < 8 ? 2 : 4,
                .rows = 1 + i % 2,
                .columns = 1 + i / 2 % 2,
                .row = 3 * (channels + 1),
                .pixel = channels + 1,
                .origin = 77,
                .origin_row = 100,
                .origin_pixel = 9,
                .relu = i / 4 % 2 == 1,
            };
            check_pool(k, &p, channels);
        }
}

static void check_weights(const struct kernel *k, int64_t rows, bool rotated)
{
    const int64_t point = rows * PANEL + 16, tap = (rows + 1) * PANEL, size = 36 * point;
    float *w = numbers_new(9 * tap, 4), *u = guarded_new(size);
    bool right = true;

    k->winograd_weights(u, point, rotated ? w + 8 * tap : w, rotated ? -tap : tap, rows);
    for (int64_t i = 0; i < rows * PANEL; i++) {
        double x[36];
        for (int t = 0; t < 9; t++)
            x[t] = (double)w[(rotated ? 8 - t : t) * tap + i];
        for (int p = 0; p < 36; p++)
            right = right && agrees(&weight_matrix, x, p, u[p * point + i], 0.0);
    }
    for (int p = 0; p < 36; p++)
        for (int64_t i = rows * PANEL; i < point; i++)
            right = right && u[p * point + i] == GUARD;
    EXPECT(right);
    EXPECT(guards_stand(u, size));
    mem_free(w);
    mem_free(u);
}

static void test_weights_become_points_by_the_matrix_of_the_paper(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t rows = 1; rows <= 5; rows++) {
        check_weights(k, rows, false);
        check_weights(k, rows, true);
    }
}

static void check_weight_gradient(const struct kernel *k, int64_t rows, int64_t width, bool add)
{
    const int64_t point = rows * PANEL, tap = rows * width, size = 9 * tap;
    float *du = numbers_new(36 * point, 5), *dw = guarded_new(size);
    float *before = numbers_new(size, 6);
    bool right = true;

    memcpy(dw, before, (size_t)size * sizeof *dw);
    k->winograd_weight_gradient(dw, tap, du, point, rows, width, add);
    for (int64_t i = 0; i < rows * width; i++) {
        double x[36];
        for (int p = 0; p < 36; p++)
            x[p] = (double)du[p * point + i / width * PANEL + i % width];
        for (int t = 0; t < 9; t++)
            right = right && agrees(&weight_gradient_matrix, x, t, dw[t * tap + i],
                                    add ? (double)before[t * tap + i] : 0.0);
    }
    EXPECT(right);
    EXPECT(guards_stand(dw, size));
    mem_free(du);
    mem_free(dw);
    mem_free(before);
}

static void test_points_become_gradients_by_the_weights(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t width = 1; width <= PANEL; width++)
        for (int64_t rows = 1; rows <= 4; rows++) {
            check_weight_gradient(k, rows, width, false);
            check_weight_gradient(k, rows, width, true);
        }
}

static void check_product(const struct kernel *k, int64_t tiles, int64_t channels, bool add)
{
    const int64_t panel = (tiles + 2) * PANEL, size = tiles * PANEL;
    float *v = numbers_new(PANELS * panel, 7), *u = numbers_new(channels * PANEL, 8);
    float *before = numbers_new(size, 9), *m = guarded_new(size);
    bool right = true;

    memcpy(m, before, (size_t)size * sizeof *m);
    k->winograd_product(m, v, panel, u, tiles, channels, add);
    for (int64_t i = 0; i < size; i++) {
        double sum = add ? (double)before[i] : 0.0, terms = fabs(sum);
        for (int64_t c = 0; c < channels; c++) {
            const double term = (double)v[c / PANEL * panel + i / PANEL * PANEL + c % PANEL] *
                                (double)u[c * PANEL + i % PANEL];
            sum += term;
            terms += fabs(term);
        }
        right = right && fabs((double)m[i] - sum) <= 1e-6 * terms;
    }
    EXPECT(right);
    EXPECT(guards_stand(m, size));
    mem_free(v);
    mem_free(u);
    mem_free(before);
    mem_free(m);
}

static void test_the_product_at_a_point_is_that_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t tiles = 1; tiles <= 20; tiles++)
        for (int n = 0; n < WIDTHS; n++) {
            check_product(k, tiles, widths[n], false);
            check_product(k, tiles, widths[n], true);
        }
}

static void check_gradient(const struct kernel *k, int64_t tiles, int64_t rows, bool add)
{
    const int64_t size = rows * PANEL;
    float *v = numbers_new(tiles * PANEL, 10), *d = numbers_new(tiles * PANEL, 11);
    float *before = numbers_new(size, 12), *du = guarded_new(size);
    bool right = true;

    memcpy(du, before, (size_t)size * sizeof *du);
    k->winograd_gradient(du, v, d, tiles, rows, add);
    for (int64_t i = 0; i < size; i++) {
        double sum = add ? (double)before[i] : 0.0, terms = fabs(sum);
        for (int64_t t = 0; t < tiles; t++) {
            const double term = (double)v[t * PANEL + i / PANEL] * (double)d[t * PANEL + i % PANEL];
            sum += term;
            terms += fabs(term);
        }
        right = right && fabs((double)du[i] - sum) <= 1e-6 * terms;
    }
    EXPECT(right);
    EXPECT(guards_stand(du, size));
    mem_free(v);
    mem_free(d);
    mem_free(before);
    mem_free(du);
}

static void test_the_sum_over_tiles_is_that_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t tiles = 1; tiles <= 33; tiles++)
        for (int64_t rows = 1; rows <= PANEL; rows++) {
            check_gradient(k, tiles, rows, false);
            check_gradient(k, tiles, rows, true);
        }
}

static void test_a_tile_has_the_same_bits_wherever_it_stands(void)
{
    enum { MANY = 23, CHANNELS = 21 };
    FOR_EACH_KERNEL(k)
    {
        float *v = numbers_new(2 * MANY * PANEL, 12), *u = numbers_new(CHANNELS * PANEL, 13);
        float all[MANY * PANEL], one[PANEL];
        k->winograd_product(all, v, MANY * PANEL, u, MANY, CHANNELS, false);
        for (int64_t i = 0; i < MANY; i++) {
            k->winograd_product(one, v + i * PANEL, MANY * PANEL, u, 1, CHANNELS, false);
            EXPECT(same_bits(one, all + i * PANEL, PANEL));
        }
        mem_free(v);
        mem_free(u);
    }
}

TEST_MAIN(TEST(test_tiles_become_points_by_the_matrices_of_the_paper),
          TEST(test_points_become_the_pixels_inside_and_no_others),
          TEST(test_pooled_tiles_are_the_largest_of_their_windows),
          TEST(test_weights_become_points_by_the_matrix_of_the_paper),
          TEST(test_points_become_gradients_by_the_weights),
          TEST(test_the_product_at_a_point_is_that_of_a_loop_in_double),
          TEST(test_the_sum_over_tiles_is_that_of_a_loop_in_double),
          TEST(test_a_tile_has_the_same_bits_wherever_it_stands))
