/*
 * test_kernel_panel.c - products with panel matrices against loops in double, and the promise that
 * bits do not depend on where an element stands.
 */
#include "test_panel.h"

/* Shapes: dense with and without a gap, convolutions of stride 1 and 2, single inputs. */
static const struct panel_rows shapes[] = {
    {.runs = 1, .run = 1,  .row_stride = 1,  .run_stride = 0  },
    {.runs = 1, .run = 7,  .row_stride = 10, .run_stride = 0  },
    {.runs = 1, .run = 84, .row_stride = 84, .run_stride = 0  },
    {.runs = 3, .run = 9,  .row_stride = 3,  .run_stride = 70 },
    {.runs = 5, .run = 5,  .row_stride = 1,  .run_stride = 32 },
    {.runs = 3, .run = 1,  .row_stride = 2,  .run_stride = 40 },
    {.runs = 2, .run = 20, .row_stride = 8,  .run_stride = 200},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const int64_t widths[] = {1, 2, 5, 8, 9, 10, 15, 16, 17, 24, 33, 84, 120};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* Calls visit for every shape, width and 1..20 rows, with and without gaps between rows of c. */
static void for_each_problem(const struct kernel *k,
                             void (*visit)(const struct kernel *k, const struct problem *p))
{
    for (int s = 0; s < SHAPES; s++)
        for (int n = 0; n < WIDTHS; n++)
            for (int64_t count = 1; count <= 20; count++) {
                struct panel_rows a = shapes[s];
                struct problem p;
                a.count = count;
                problem_init(&p, a, widths[n], count % 2 == 0 ? 3 : 0);
                visit(k, &p);
                problem_release(&p);
            }
}

static void test_the_product_is_that_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for_each_problem(k, check_product);
}

static void check_gradient(const struct kernel *k, const struct problem *p)
{
    const int64_t size = p->inputs * p->columns;
    const int64_t panels = (p->columns + PANEL - 1) / PANEL;
    float *dc = numbers_new((p->a.count - 1) * p->ldc + p->columns, 4);
    float *whole = guarded_new(size), *parts = guarded_new(size);

    memcpy(whole, p->w, (size_t)size * sizeof *whole);
    memcpy(parts, p->w, (size_t)size * sizeof *parts);
    k->panel_gradient(whole, &p->a, dc, p->ldc, p->columns, 0, panels);
    EXPECT(is_gradient(p, whole, p->w, dc));
    EXPECT(guards_stand(whole, size));

    for (int64_t first = panels - 1; first >= 0; first--)
        k->panel_gradient(parts, &p->a, dc, p->ldc, p->columns, first, first + 1);
    EXPECT(same_bits(whole, parts, size + GUARDS));

    memset(whole, 0, (size_t)size * sizeof *whole);
    k->panel_gradient(whole, &p->a, dc, p->ldc, p->columns, 0, panels);
    memset(parts, 0xff, (size_t)size * sizeof *parts); /* NaN: what is there does not matter */
    k->panel_gradient_set(parts, &p->a, dc, p->ldc, p->columns, 0, panels);
    EXPECT(same_bits(whole, parts, size + GUARDS));
    mem_free(dc);
    mem_free(whole);
    mem_free(parts);
}

static void test_the_gradient_is_that_of_a_loop_in_double_and_the_same_in_parts(void)
{
    FOR_EACH_KERNEL(k)
    for_each_problem(k, check_gradient);
}

static void test_a_gradient_of_one_panel_leaves_the_others_alone(void)
{
    const struct panel_rows a = {.count = 7, .runs = 1, .run = 9, .row_stride = 9};
    const int64_t columns = 33, panel = a.run * PANEL; /* panels of 16, 16 and 1 columns */
    struct problem p;

    problem_init(&p, a, columns, 0);
    FOR_EACH_KERNEL(k)
    {
        float *dc = numbers_new(a.count * columns, 4);
        float *dw = numbers_copy(p.w, a.run * columns);
        k->panel_gradient(dw, &p.a, dc, columns, columns, 1, 2);
        EXPECT(same_bits(dw, p.w, panel));
        EXPECT(!same_bits(dw + panel, p.w + panel, panel));
        EXPECT(same_bits(dw + 2 * panel, p.w + 2 * panel, a.run));
        mem_free(dc);
        mem_free(dw);
    }
    problem_release(&p);
}

/* Row i alone, as the only row of a product, must have the bits it has among others. */
static void test_a_row_has_the_same_bits_wherever_it_stands(void)
{
    FOR_EACH_KERNEL(k)
    for_each_problem(k, check_rows_alone);
}

/* The first `columns` columns of W[K][total], as a matrix of its own. */
static float *first_columns(const float *w, int64_t inputs, int64_t total, int64_t columns)
{
    float *part = zeros_new(inputs * columns);

    for (int64_t k = 0; k < inputs; k++)
        for (int64_t n = 0; n < columns; n++)
            part[panel_index(k, n, inputs, columns)] = w[panel_index(k, n, inputs, total)];
    return part;
}

static void test_a_column_has_the_same_bits_in_a_narrow_and_in_a_full_panel(void)
{
    const int64_t inputs = 45, count = 11, total = 48;
    const struct panel_rows a = {
        .count = count, .runs = 3, .run = 15, .row_stride = 3, .run_stride = 60};
    struct problem p;

    problem_init(&p, a, total, 0);
    FOR_EACH_KERNEL(k)
    {
        float *full = guarded_new(count * total), *dc = numbers_new(count * total, 4);
        float *full_dw = zeros_new(inputs * total);
        k->panel_product(full, total, &p.a, p.w, p.bias, total);
        k->panel_gradient(full_dw, &p.a, dc, total, total, 0, total / PANEL);
        for (int64_t columns = 1; columns < total; columns++) {
            float *w = first_columns(p.w, inputs, total, columns);
            float *dw = zeros_new(inputs * columns);
            float *expected = first_columns(full_dw, inputs, total, columns);
            float *c = guarded_new(count * columns);
            k->panel_product(c, columns, &p.a, w, p.bias, columns);
            for (int64_t i = 0; i < count; i++)
                EXPECT(same_bits(c + i * columns, full + i * total, columns));
            k->panel_gradient(dw, &p.a, dc, total, columns, 0, (columns + PANEL - 1) / PANEL);
            EXPECT(same_bits(dw, expected, inputs * columns));
            mem_free(w);
            mem_free(dw);
            mem_free(expected);
            mem_free(c);
        }
        mem_free(full);
        mem_free(dc);
        mem_free(full_dw);
    }
    problem_release(&p);
}

/* A dense row of 24 inputs read as 1 x 24, 2 x 12, 3 x 8, ... runs: one sum in one order. */
static void test_bits_do_not_depend_on_how_inputs_are_cut_in_runs(void)
{
    const int64_t inputs = 24, count = 9, columns = 21;
    const struct panel_rows a = {.count = count, .runs = 1, .run = inputs, .row_stride = inputs};
    struct problem p;

    problem_init(&p, a, columns, 0);
    FOR_EACH_KERNEL(k)
    {
        float *c = zeros_new(count * columns), *dw = numbers_copy(p.w, inputs * columns);
        k->panel_product(c, columns, &p.a, p.w, p.bias, columns);
        k->panel_gradient(dw, &p.a, c, columns, columns, 0, 2);
        for (int64_t runs = 2; runs <= inputs; runs++) {
            if (inputs % runs != 0)
                continue;
            struct panel_rows cut = p.a;
            cut.runs = runs;
            cut.run = cut.run_stride = inputs / runs;
            float *c2 = zeros_new(count * columns);
            float *dw2 = numbers_copy(p.w, inputs * columns);
            k->panel_product(c2, columns, &cut, p.w, p.bias, columns);
            k->panel_gradient(dw2, &cut, c, columns, columns, 0, 2);
            EXPECT(same_bits(c, c2, count * columns));
            EXPECT(same_bits(dw, dw2, inputs * columns));
            mem_free(c2);
            mem_free(dw2);
        }
        mem_free(c);
        mem_free(dw);
    }
    problem_release(&p);
}

static void test_a_gradient_over_rows_in_two_calls_has_the_bits_of_one(void)
{
    const int64_t inputs = 13, count = 20, columns = 26;
    const struct panel_rows a = {.count = count, .runs = 1, .run = inputs, .row_stride = inputs};
    struct problem p;

    problem_init(&p, a, columns, 0);
    FOR_EACH_KERNEL(k)
    for (int64_t cut = 1; cut < count; cut++) {
        float *dc = numbers_new(count * columns, 4);
        float *whole = numbers_copy(p.w, inputs * columns);
        float *twice = numbers_copy(p.w, inputs * columns);
        struct panel_rows first = p.a, second = p.a;
        first.count = cut;
        second.count = count - cut;
        second.data += cut * inputs;
        k->panel_gradient(whole, &p.a, dc, columns, columns, 0, 2);
        k->panel_gradient(twice, &first, dc, columns, columns, 0, 2);
        k->panel_gradient(twice, &second, dc + cut * columns, columns, columns, 0, 2);
        EXPECT(same_bits(whole, twice, inputs * columns));
        mem_free(dc);
        mem_free(whole);
        mem_free(twice);
    }
    problem_release(&p);
}

static void test_the_transpose_has_each_element_in_its_place(void)
{
    static const int64_t sizes[] = {1, 3, 15, 16, 17, 32, 50};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };

    FOR_EACH_KERNEL(k)
    for (int s = 0; s < SIZES * SIZES; s++) {
        const int64_t rows = sizes[s / SIZES], columns = sizes[s % SIZES];
        float *w = numbers_new(rows * columns, 5), *wt = guarded_new(rows * columns);
        bool all = true;
        k->panel_transpose(wt, w, rows, columns);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                all = all &&
                      wt[panel_index(j, i, columns, rows)] == w[panel_index(i, j, rows, columns)];
        EXPECT(all);
        EXPECT(guards_stand(wt, rows * columns));
        mem_free(w);
        mem_free(wt);
    }
}

static void test_a_part_of_the_transpose_is_that_of_the_whole(void)
{
    static const int64_t sizes[][2] = {
        {50, 33},
        {64, 16},
        {17, 5 }
    };

    FOR_EACH_KERNEL(k)
    for (int s = 0; s < 3; s++) {
        const int64_t rows = sizes[s][0], columns = sizes[s][1];
        const int64_t panels = (rows + PANEL - 1) / PANEL;
        float *w = numbers_new(rows * columns, 5), *whole = zeros_new(rows * columns);
        k->panel_transpose(whole, w, rows, columns);
        for (int64_t cut = 0; cut < panels; cut++) {
            const int64_t first = cut * PANEL * columns, count = rows * columns - first;
            const int64_t one = panel_width(rows, cut * PANEL) * columns;
            float *rest = guarded_new(count), *panel = guarded_new(one);
            k->panel_transpose_part(rest, w, rows, columns, cut, panels);
            k->panel_transpose_part(panel, w, rows, columns, cut, cut + 1);
            EXPECT(same_bits(rest, whole + first, count) && guards_stand(rest, count));
            EXPECT(same_bits(panel, whole + first, one) && guards_stand(panel, one));
            mem_free(rest);
            mem_free(panel);
        }
        mem_free(w);
        mem_free(whole);
    }
}

/* What lies in the next row is loaded with a narrow panel, and must not leak into its columns. */
static void test_infinity_in_one_row_of_dc_stays_in_its_columns(void)
{
    const struct panel_rows a = {.count = 4, .runs = 1, .run = 3, .row_stride = 3};
    const int64_t columns = 18;
    struct problem p;

    problem_init(&p, a, columns, 0);
    FOR_EACH_KERNEL(k)
    {
        float *dc = numbers_new(a.count * columns, 4), *dw = zeros_new(a.run * columns);
        dc[2 * columns] = INFINITY; /* column 0 of row 2 lies behind column 17 of row 1 */
        k->panel_gradient(dw, &p.a, dc, columns, columns, 0, 2);
        for (int64_t i = 0; i < a.run; i++)
            for (int64_t n = 0; n < columns; n++)
                EXPECT((isfinite(dw[panel_index(i, n, a.run, columns)]) != 0) == (n != 0));
        mem_free(dc);
        mem_free(dw);
    }
    problem_release(&p);
}

TEST_MAIN(TEST(test_the_product_is_that_of_a_loop_in_double),
          TEST(test_the_gradient_is_that_of_a_loop_in_double_and_the_same_in_parts),
          TEST(test_a_gradient_of_one_panel_leaves_the_others_alone),
          TEST(test_a_row_has_the_same_bits_wherever_it_stands),
          TEST(test_a_column_has_the_same_bits_in_a_narrow_and_in_a_full_panel),
          TEST(test_bits_do_not_depend_on_how_inputs_are_cut_in_runs),
          TEST(test_a_gradient_over_rows_in_two_calls_has_the_bits_of_one),
          TEST(test_the_transpose_has_each_element_in_its_place),
          TEST(test_a_part_of_the_transpose_is_that_of_the_whole),
          TEST(test_infinity_in_one_row_of_dc_stays_in_its_columns))
