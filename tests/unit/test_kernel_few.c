/*
 * test_kernel_few.c - the kernels of convolutions with few channels against loops in double, and
 * the promise that bits do not depend on where an element stands in a tile.
 */
#include "test_kernel.h"

/* --- forward --- */

enum { IMAGE = 4000, TAPS_MOST = 200 };

/* Windows on noise, and weights whose groups are filled up. */
struct problem {
    struct few_windows windows;
    struct few_weights w;
    float *image, *weights, *bias;
    struct few_tap taps[TAPS_MOST];
};

static int64_t padded(const struct kernel *k, int64_t columns)
{
    return (columns + k->few_group - 1) / k->few_group * k->few_group;
}

static float *weight(const struct problem *p, int64_t tap, int64_t n)
{
    const int64_t group = p->w.group;

    return &p->weights[n / group * group * p->w.taps + tap * group + n % group];
}

/*
 * Taps in runs of 7 inputs, every run 90 behind the last. The first window begins at -10. The
 * kernel has one tap more, which lies outside.
 */
static void problem_init(struct problem *p, const struct kernel *k, int64_t taps, int64_t columns)
{
    p->image = numbers_new(IMAGE, 1);
    p->weights = numbers_new((taps + 1) * padded(k, columns), 2);
    p->bias = numbers_new(padded(k, columns), 3);
    for (int64_t tap = 0; tap < taps; tap++)
        p->taps[tap] = (struct few_tap){
            .x = (int32_t)(10 + tap / 7 * 90 + tap % 7),
            .w = (int32_t)(tap * k->few_group),
        };
    p->w = (struct few_weights){p->weights, p->bias, columns, k->few_group, taps + 1};
    p->windows = (struct few_windows){
        .image = p->image,
        .first = -10,
        .step = 3,
        .lines = 1,
        .line = 53,
        .taps = p->taps,
        .tap_count = taps,
    };
}

static void problem_release(struct problem *p)
{
    mem_free(p->image);
    mem_free(p->weights);
    mem_free(p->bias);
}

static bool is_product(const struct problem *p, const float *c)
{
    const struct few_windows *s = &p->windows;

    for (int64_t i = 0; i < s->lines * s->count; i++)
        for (int64_t n = 0; n < p->w.columns; n++) {
            const int64_t line = i / s->count, window = i % s->count;
            const float *x = p->image + s->first + line * s->line + window * s->step;
            double sum = (double)p->bias[n], size = fabs(sum);
            for (int64_t k = 0; k < s->tap_count; k++) {
                const double term = (double)x[s->taps[k].x] * (double)*weight(p, k, n);
                sum += term;
                size += fabs(term);
            }
            if (!(fabs((double)c[line * s->out_line + window * s->out_step + n] - sum) <=
                  1e-6 * size))
                return false;
        }
    return true;
}

/* As a whole, and each window alone: the same bits. */
static void check_product(const struct kernel *k, struct problem *p)
{
    const struct few_windows *all = &p->windows;
    const int64_t columns = p->w.columns, step = all->out_step;
    const int64_t size = (all->lines - 1) * all->out_line + (all->count - 1) * step + columns;
    float *c = guarded_new(size), *row = guarded_new(columns);

    k->few_product(c, all, &p->w);
    EXPECT(is_product(p, c));
    EXPECT(guards_stand(c, size));
    for (int64_t i = 0; i < all->lines * all->count; i++) {
        const int64_t line = i / all->count, window = i % all->count;
        const int64_t at = line * all->out_line + window * step;
        struct few_windows one = *all;
        one.first += line * one.line + window * one.step;
        one.count = one.lines = 1;
        k->few_product(row, &one, &p->w);
        EXPECT(same_bits(row, c + at, columns));
        EXPECT(at + columns == size || step == columns || c[at + columns] == GUARD);
        EXPECT(guards_stand(row, columns));
    }
    mem_free(c);
    mem_free(row);
}

static const int64_t widths[] = {1, 3, 6, 8, 9, 15, 16, 17, 20, 32, 47, 48, 64, 65, 80, 96, 130};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static void test_the_product_is_that_of_a_loop_in_double_in_any_tile(void)
{
    static const int64_t taps[] = {0, 1, 4, 18, 27, 75, 147};
    enum { LISTS = sizeof taps / sizeof taps[0] };
    struct problem p;

    FOR_EACH_KERNEL(k)
    for (int t = 0; t < LISTS; t++)
        for (int n = 0; n < WIDTHS; n++) {
            problem_init(&p, k, taps[t], widths[n]);
            p.windows.step = 1 + n % 6;
            for (int64_t count = 1; count <= 14; count++) {
                p.windows.count = count;
                p.windows.out_step = widths[n] + (count % 2 == 0 ? 5 : 0);
                p.windows.lines = 1 + (count + t) % 3;
                p.windows.out_line = count * p.windows.out_step + n % 2 * 7;
                check_product(k, &p);
            }
            problem_release(&p);
        }
}

/* The first columns of a matrix, alone: the same bits as beside others. */
static void test_a_column_has_the_same_bits_beside_any_number_of_others(void)
{
    const int64_t taps = 27, total = 80, count = 5;
    struct problem all, few;

    FOR_EACH_KERNEL(k)
    {
        float *expected = guarded_new(count * total);
        problem_init(&all, k, taps, total);
        all.windows.count = count;
        all.windows.out_step = total;
        k->few_product(expected, &all.windows, &all.w);
        for (int64_t columns = 1; columns < total; columns++) {
            float *c = guarded_new(count * columns);
            problem_init(&few, k, taps, columns);
            few.windows.count = count;
            few.windows.out_step = columns;
            for (int64_t i = 0; i < taps * columns; i++)
                *weight(&few, i / columns, i % columns) = *weight(&all, i / columns, i % columns);
            k->few_product(c, &few.windows, &few.w);
            for (int64_t i = 0; i < count; i++)
                EXPECT(same_bits(c + i * columns, expected + i * total, columns));
            problem_release(&few);
            mem_free(c);
        }
        mem_free(expected);
        problem_release(&all);
    }
}

/* --- by the weights --- */

enum { GROUP = FEW_PANELS * PANEL };

/* A matrix dw[rows][columns] of which the inputs from `first` on get a gradient. */
struct gradient_case {
    struct few_inputs a;
    int64_t rows, first, columns;
};

static bool is_gradient(const struct gradient_case *g, const float *dw, const float *before,
                        const float *dc)
{
    for (int64_t k = 0; k < g->rows; k++)
        for (int64_t n = 0; n < g->columns; n++) {
            const int64_t at = panel_index(k, n, g->rows, g->columns), input = k - g->first;
            double sum = (double)before[at], size = fabs(sum);
            for (int64_t i = 0; i < g->a.lines * g->a.count && input >= 0 && input < g->a.run;
                 i++) {
                const int64_t x = i / g->a.count * g->a.line + i % g->a.count * g->a.step + input;
                const double term = (double)g->a.x[x] * (double)dc[i * (g->columns + 3) + n];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs((double)dw[at] - sum) <= 1e-6 * size))
                return false;
        }
    return true;
}

static bool are_sums(const double *sums, const float *dc, const struct gradient_case *g)
{
    for (int64_t n = 0; n < g->columns; n++) {
        double sum = 2.0, size = 2.0;
        for (int64_t i = 0; i < g->a.lines * g->a.count; i++) {
            sum += (double)dc[i * (g->columns + 3) + n];
            size += fabs((double)dc[i * (g->columns + 3) + n]);
        }
        if (!(fabs(sums[n] - sum) <= 1e-6 * size))
            return false;
    }
    return sums[g->columns] == 2.0;
}

static void add_gradient(const struct kernel *k, const struct gradient_case *g, float *dw,
                         double *sums, const float *dc)
{
    const struct few_output o = {dc, g->columns + 3, g->columns, dc, 5};
    const int64_t at = panel_index(g->first, 0, g->rows, g->columns);
    const int64_t next =
        g->columns > PANEL ? panel_index(g->first, PANEL, g->rows, g->columns) : at;

    k->few_gradient(dw + at, next - at, sums, &g->a, &o);
}

/* In one call and line by line: the same bits in dw. */
static void check_gradient(const struct kernel *k, const struct gradient_case *g)
{
    const int64_t size = g->rows * g->columns, outputs = g->a.lines * g->a.count * (g->columns + 3);
    float *dc = numbers_new(outputs, 4), *before = numbers_new(size, 5);
    float *dw = guarded_new(size), *lines = guarded_new(size);
    double sums[GROUP + 1];
    struct gradient_case one = *g;

    memcpy(dw, before, (size_t)size * sizeof *dw);
    memcpy(lines, before, (size_t)size * sizeof *dw);
    for (int n = 0; n <= GROUP; n++)
        sums[n] = 2.0;
    add_gradient(k, g, dw, sums, dc);
    EXPECT(is_gradient(g, dw, before, dc));
    EXPECT(are_sums(sums, dc, g));
    EXPECT(guards_stand(dw, size));
    one.a.lines = 1;
    for (int64_t line = 0; line < g->a.lines; line++, one.a.x += g->a.line)
        add_gradient(k, &one, lines, NULL, dc + line * g->a.count * (g->columns + 3));
    EXPECT(same_bits(dw, lines, size + GUARDS));
    mem_free(dc);
    mem_free(before);
    mem_free(dw);
    mem_free(lines);
}

static void test_the_gradient_is_that_of_a_loop_in_double_and_the_same_line_by_line(void)
{
    static const int64_t runs[] = {0, 1, 2, 3, 5, 6, 9, 10, 12, 13, 15, 21, 28};
    enum { RUNS = sizeof runs / sizeof runs[0] };
    float *x = numbers_new(IMAGE, 1);

    FOR_EACH_KERNEL(k)
    for (int r = 0; r < RUNS; r++)
        for (int n = 0; n < WIDTHS && widths[n] <= GROUP; n++)
            for (int64_t lines = 1; lines <= 3; lines++) {
                const struct gradient_case g = {
                    .a = {x, lines, 230, 1 + (r + n) % 11, 1 + n % 6, runs[r]},
                    .rows = 2 * runs[r] + 2,
                    .first = runs[r] + 1,
                    .columns = widths[n],
                };
                check_gradient(k, &g);
            }
    mem_free(x);
}

/* A panel's sums must not depend on whether it has a partner. */
static void test_a_panel_has_the_same_bits_alone_and_in_a_pair(void)
{
    const int64_t count = 37, run = 9;
    float *x = numbers_new(IMAGE, 1), *dc = numbers_new(count * (GROUP + 3), 4);
    const struct few_inputs a = {x, 1, 0, count, 3, run};

    FOR_EACH_KERNEL(k)
    {
        float *pair = zeros_new(run * GROUP), *alone = zeros_new(run * GROUP);
        double pair_sums[GROUP] = {0}, alone_sums[GROUP] = {0};
        const struct few_output both = {dc, GROUP + 3, GROUP, dc, 0};
        k->few_gradient(pair, run * PANEL, pair_sums, &a, &both);
        for (int64_t n = 0; n < GROUP; n += PANEL) {
            const struct few_output one = {dc + n, GROUP + 3, PANEL, dc, 0};
            k->few_gradient(alone + n * run, 0, alone_sums + n, &a, &one);
        }
        EXPECT(same_bits(pair, alone, run * GROUP));
        EXPECT(memcmp(pair_sums, alone_sums, sizeof pair_sums) == 0);
        mem_free(pair);
        mem_free(alone);
    }
    mem_free(x);
    mem_free(dc);
}

TEST_MAIN(TEST(test_the_product_is_that_of_a_loop_in_double_in_any_tile),
          TEST(test_a_column_has_the_same_bits_beside_any_number_of_others),
          TEST(test_the_gradient_is_that_of_a_loop_in_double_and_the_same_line_by_line),
          TEST(test_a_panel_has_the_same_bits_alone_and_in_a_pair))
