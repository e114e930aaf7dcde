/*
 * test_kernel_sparse.c - products with panel matrices where ReLU has left many zeros: against loops
 * in double, and bit for bit against the same sums with none passed by.
 */
#include "test_panel.h"

/* What ReLU leaves: zeros in more than half of the places, some of them in whole rows. */
static void clear_some(float *x, int64_t n, int64_t row)
{
    const struct rng r = rng_make(1, RNG_TEST, 9);

    for (int64_t i = 0; i < n; i++)
        if (rng_uniform(&r, (uint64_t)i, 0) < 0.6 || i / row % 11 == 3)
            x[i] = rng_uniform(&r, (uint64_t)i, 1) < 0.5 ? 0.0F : -0.0F;
}

static void problem_init_sparse(struct problem *p, int i)
{
    static const int64_t inputs[] = {16, 64, 84, 130, 256}, columns[] = {64, 70, 147, 256, 48};
    static const int64_t counts[] = {24, 31, 50};
    const int64_t run = inputs[i % 5];
    const struct panel_rows a = {
        .runs = 1, .run = run, .row_stride = run + i % 2 * 3, .count = counts[i % 3]};

    problem_init(p, a, columns[i / 5 % 5], i % 2 * 5);
    clear_some(p->data, rows_span(&a), a.row_stride);
}

enum { SPARSE_PROBLEMS = 75 };

/* Zeros are passed by where there are many rows, and not in a row alone. */
static void test_zeros_on_the_left_change_no_bits(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < SPARSE_PROBLEMS; i++) {
            struct problem p;
            problem_init_sparse(&p, i);
            check_product(k, &p);
            check_rows_alone(k, &p);
            problem_release(&p);
        }
    }
}

static void test_what_is_no_number_is_not_passed_by(void)
{
    FOR_EACH_KERNEL(k)
    {
        struct problem p;
        problem_init_sparse(&p, 1);
        p.data[5 * p.a.row_stride + 7] = NAN;
        float *c = guarded_new(p.a.count * p.ldc);
        k->panel_product(c, p.ldc, &p.a, p.w, p.bias, p.columns);
        for (int64_t n = 0; n < p.columns; n++)
            EXPECT(isnan(c[5 * p.ldc + n]) && !isnan(c[4 * p.ldc + n]));
        mem_free(c);
        problem_release(&p);
    }
}

/* Set, with zeros passed by, and added to zeros in two parts, which passes none by. */
static void check_sparse_gradient(const struct kernel *k, const struct problem *p, const float *dc)
{
    const int64_t size = p->inputs * p->columns, panels = (p->columns + PANEL - 1) / PANEL;
    float *set = guarded_new(size), *zeros = zeros_new(size), *added = zeros_new(size);
    struct panel_rows part = p->a;

    k->panel_gradient_set(set, &p->a, dc, p->ldc, p->columns, 0, panels);
    EXPECT(is_gradient(p, set, zeros, dc));
    EXPECT(guards_stand(set, size));
    for (int64_t i = 0; i < p->a.count; i += 16) {
        part.data = p->data + i * part.row_stride;
        part.count = p->a.count - i < 16 ? p->a.count - i : 16;
        k->panel_gradient(added, &part, dc + i * p->ldc, p->ldc, p->columns, 0, panels);
    }
    EXPECT(same_bits(set, added, size));
    mem_free(set);
    mem_free(zeros);
    mem_free(added);
}

static void test_zeros_on_the_right_of_a_gradient_change_no_bits(void)
{
    static const int64_t inputs[] = {128, 130, 300}, counts[] = {24, 32, 33, 64, 65};

    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 15; i++) {
            const int64_t run = inputs[i % 3], count = counts[i / 3], columns = i % 2 ? 40 : 16;
            const struct panel_rows a = {
                .runs = 1, .run = run, .row_stride = run + i % 4, .count = count};
            struct problem p;
            problem_init(&p, a, columns, i % 2 * 3);
            float *dc = numbers_new(count * p.ldc, 4);
            clear_some(dc, count * p.ldc, p.ldc);
            check_sparse_gradient(k, &p, dc);
            mem_free(dc);
            problem_release(&p);
        }
    }
}

TEST_MAIN(TEST(test_zeros_on_the_left_change_no_bits),
          TEST(test_what_is_no_number_is_not_passed_by),
          TEST(test_zeros_on_the_right_of_a_gradient_change_no_bits))
