/*
 * test_panel.h - what the tests of products with panel matrices share: problems, and whether their
 * answers are those of a loop in double.
 */
#ifndef TESTS_UNIT_TEST_PANEL_H
#define TESTS_UNIT_TEST_PANEL_H

#include "test_kernel.h"

/* A left operand with its data, and a matrix [K][columns] with its output. */
struct problem {
    struct panel_rows a;
    int64_t inputs, columns, ldc;
    float *data, *w, *bias;
};

static inline int64_t rows_span(const struct panel_rows *a)
{
    return (a->count - 1) * a->row_stride + (a->runs - 1) * a->run_stride + a->run;
}

static inline void problem_init(struct problem *p, struct panel_rows a, int64_t columns,
                                int64_t gap)
{
    *p = (struct problem){
        .a = a, .inputs = a.runs * a.run, .columns = columns, .ldc = columns + gap};
    p->data = numbers_new(rows_span(&a), 1);
    p->a.data = p->data;
    p->w = numbers_new(p->inputs * columns, 2);
    p->bias = numbers_new(columns, 3);
}

static inline void problem_release(struct problem *p)
{
    mem_free(p->data);
    mem_free(p->w);
    mem_free(p->bias);
    *p = (struct problem){0};
}

static inline double element(const struct panel_rows *a, int64_t i, int64_t k)
{
    return (double)a->data[i * a->row_stride + k / a->run * a->run_stride + k % a->run];
}

/* Whether c is the product, with guards in the gaps. Sums in float: error grows with the terms. */
static inline bool is_product(const struct problem *p, const float *c, const float *bias)
{
    for (int64_t i = 0; i < p->a.count; i++) {
        for (int64_t n = 0; n < p->columns; n++) {
            double sum = bias == NULL ? 0.0 : (double)bias[n], size = fabs(sum);
            for (int64_t k = 0; k < p->inputs; k++) {
                const double term =
                    element(&p->a, i, k) * (double)p->w[panel_index(k, n, p->inputs, p->columns)];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs((double)c[i * p->ldc + n] - sum) <= 1e-6 * size))
                return false;
        }
        for (int64_t n = p->columns; n < p->ldc && i + 1 < p->a.count; n++)
            if (c[i * p->ldc + n] != GUARD)
                return false;
    }
    return true;
}

static inline void check_product(const struct kernel *k, const struct problem *p)
{
    const int64_t size = (p->a.count - 1) * p->ldc + p->columns;
    const float *biases[] = {p->bias, NULL};

    for (int b = 0; b < 2; b++) {
        float *c = guarded_new(size);
        k->panel_product(c, p->ldc, &p->a, p->w, biases[b], p->columns);
        EXPECT(is_product(p, c, biases[b]));
        EXPECT(guards_stand(c, size));
        mem_free(c);
    }
}

static inline bool is_gradient(const struct problem *p, const float *dw, const float *before,
                               const float *dc)
{
    for (int64_t k = 0; k < p->inputs; k++)
        for (int64_t n = 0; n < p->columns; n++) {
            const int64_t at = panel_index(k, n, p->inputs, p->columns);
            double sum = (double)before[at], size = fabs(sum);
            for (int64_t i = 0; i < p->a.count; i++) {
                const double term = element(&p->a, i, k) * (double)dc[i * p->ldc + n];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs((double)dw[at] - sum) <= 1e-6 * size))
                return false;
        }
    return true;
}

static inline void check_rows_alone(const struct kernel *k, const struct problem *p)
{
    const int64_t size = (p->a.count - 1) * p->ldc + p->columns;
    float *c = guarded_new(size), *row = guarded_new(p->columns);

    k->panel_product(c, p->ldc, &p->a, p->w, p->bias, p->columns);
    for (int64_t i = 0; i < p->a.count; i++) {
        struct panel_rows one = p->a;
        one.data += i * one.row_stride;
        one.count = 1;
        k->panel_product(row, p->columns, &one, p->w, p->bias, p->columns);
        EXPECT(same_bits(row, c + i * p->ldc, p->columns));
    }
    mem_free(c);
    mem_free(row);
}

#endif
