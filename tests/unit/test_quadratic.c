/*
 * test_quadratic.c - the problem with a known optimum: its gradient, its optimum, its draws.
 */
#include <math.h>

#include "base/mem.h"
#include "problem/quadratic.h"
#include "test.h"

enum { N = 21, WORKERS = 5 };

static const struct quadratic_options options = {
    .size = N, .workers = WORKERS, .seed = 7, .spread = 1, .noise = 0.5, .samples = 4};

/* The mean over the workers of f_i, from its definition. */
static double mean_loss(const struct quadratic *q, const double *x)
{
    double sum = 0;

    for (int i = 0; i < q->options.workers; i++)
        for (int j = 0; j < N; j++) {
            const double off = x[j] - q->b[i * N + j];
            sum += q->a[i * N + j] * off * off / 2;
        }
    return sum / q->options.workers;
}

static void test_curvatures_are_in_range_and_differ_between_workers(void)
{
    struct quadratic q;

    quadratic_init(&q, &options);
    for (int i = 0; i < WORKERS * N; i++)
        EXPECT(q.a[i] >= 0.5 && q.a[i] < 2);
    for (int i = 1; i < WORKERS; i++) {
        EXPECT(memcmp(q.a, q.a + i * N, N * sizeof *q.a) != 0);
        EXPECT(memcmp(q.b, q.b + i * N, N * sizeof *q.b) != 0);
    }
    quadratic_release(&q);
}

static void test_without_spread_all_workers_have_the_same_minimum(void)
{
    struct quadratic_options o = options;
    struct quadratic q;

    o.spread = 0;
    quadratic_init(&q, &o);
    for (int i = 0; i < WORKERS; i++)
        for (int j = 0; j < N; j++)
            EXPECT_NEAR(quadratic_optimum(&q)[j], q.b[i * N + j], 1e-14); /* a few roundings */
    quadratic_release(&q);
}

static void test_the_mean_loss_is_smallest_at_the_optimum(void)
{
    struct quadratic q;
    double x[N];

    quadratic_init(&q, &options);
    memcpy(x, quadratic_optimum(&q), sizeof x);
    const double least = mean_loss(&q, x);
    for (int j = 0; j < N; j++)
        for (int side = -1; side <= 1; side += 2) {
            x[j] += side * 1e-3;
            EXPECT(mean_loss(&q, x) > least);
            x[j] = quadratic_optimum(&q)[j];
        }
    quadratic_release(&q);
}

static void test_an_evaluation_is_the_mean_loss_less_its_minimum(void)
{
    struct quadratic q;
    struct evaluation e = {0};
    double at[N];
    float x[N];

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 2);
    for (int j = 0; j < N; j++) {
        x[j] = (float)(0.25 * j - 1);
        at[j] = (double)x[j];
    }
    EXPECT_OK(problem_evaluate(p, x, PART_TEST, &e));
    EXPECT_INT(e.samples, WORKERS);
    const double expected = mean_loss(&q, at) - mean_loss(&q, quadratic_optimum(&q));
    EXPECT_NEAR(e.loss, expected, 1e-12 * expected); /* double rounding of about 100 terms */
    problem_free(p);
    quadratic_release(&q);
}

/* f is quadratic, so central differences are exact but for the rounding of x and the loss. */
static void test_the_gradient_is_that_of_the_loss_with_its_noise(void)
{
    struct quadratic q;
    struct batch_result r;
    float x[N];
    float g[N];
    float other[N];

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 3);
    for (int j = 0; j < N; j++)
        x[j] = (float)(j % 5) - 2;
    problem_draw(p);
    problem_gradient(p, x, g, &r);
    for (int j = 0; j < N; j++) {
        const float here = x[j];
        x[j] = here + 0.5F;
        problem_gradient(p, x, other, &r);
        const double above = r.loss_sum;
        x[j] = here - 0.5F;
        problem_gradient(p, x, other, &r);
        EXPECT_NEAR((double)g[j], above - r.loss_sum, 1e-6); /* g is rounded to float */
        x[j] = here;
    }
    problem_free(p);
    quadratic_release(&q);
}

static void test_the_gradient_is_divided_by_the_global_batch(void)
{
    struct quadratic q;
    struct batch_result r;
    float x[N] = {0};
    float alone[N];
    float shared[N];

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 1);
    problem_draw(p);
    EXPECT_INT(p->batch_size, 1);
    EXPECT_INT(p->batch_total, WORKERS);
    problem_gradient(p, x, alone, &r);
    EXPECT_INT(r.samples, 1);
    p->global_batch = 4; /* a power of two: the division is exact */
    problem_gradient(p, x, shared, &r);
    for (int j = 0; j < N; j++)
        EXPECT_NEAR((double)shared[j] * 4, (double)alone[j], 0);
    problem_free(p);
    quadratic_release(&q);
}

static void test_a_batch_is_a_function_of_epoch_and_number(void)
{
    struct quadratic q;
    struct batch_result r;
    float x[N] = {0};
    float g[8][N];
    float again[N];

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 0);
    EXPECT_INT(p->batches_per_epoch, 4);
    for (int k = 0; k < 8; k++) {
        problem_draw(p);
        problem_gradient(p, x, g[k], &r);
    }
    EXPECT(memcmp(g[0], g[4], sizeof g[0]) != 0); /* another epoch has other noise */
    problem_seek(p, 1, 2);
    problem_draw(p);
    problem_gradient(p, x, again, &r);
    EXPECT(memcmp(again, g[6], sizeof again) == 0);
    problem_gradient(p, x, again, &r); /* the same batch once more */
    EXPECT(memcmp(again, g[6], sizeof again) == 0);
    problem_free(p);
    quadratic_release(&q);
}

/* Seven samples in batches of three: the last batch of an epoch has one. */
static void test_a_batch_is_the_mean_of_its_samples(void)
{
    struct quadratic_options o = options;
    struct quadratic one, three;
    struct batch_result r;
    float x[N] = {0}, single[14][N], g[N];

    o.samples = 7;
    quadratic_init(&one, &o);
    o.batch = 3;
    quadratic_init(&three, &o);
    struct problem *by_one = quadratic_new(&one, 2), *by_three = quadratic_new(&three, 2);
    for (int k = 0; k < 14; k++) {
        problem_draw(by_one);
        problem_gradient(by_one, x, single[k], &r);
    }
    EXPECT_INT(by_three->batches_per_epoch, 3);
    for (int k = 0; k < 6; k++) {
        const int first = k / 3 * 7 + k % 3 * 3, count = k % 3 == 2 ? 1 : 3;

        problem_draw(by_three);
        EXPECT_INT(by_three->batch_size, count);
        EXPECT_INT(by_three->batch_total, WORKERS * count);
        problem_gradient(by_three, x, g, &r);
        for (int j = 0; j < N; j++) {
            double mean = 0;

            for (int i = 0; i < count; i++)
                mean += (double)single[first + i][j] / count;
            EXPECT_NEAR((double)g[j], mean, 1e-6); /* gradients below 4 are rounded to float */
        }
    }
    problem_free(by_one);
    problem_free(by_three);
    quadratic_release(&one);
    quadratic_release(&three);
}

static void test_the_distance_to_the_optimum_is_euclidean(void)
{
    struct quadratic q;
    struct evaluation e = {0};
    float x[N];
    double squares = 0;

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 0);
    for (int j = 0; j < N; j++) {
        x[j] = (float)j;
        const double off = (double)x[j] - quadratic_optimum(&q)[j];
        squares += off * off;
    }
    EXPECT_OK(problem_evaluate(p, x, PART_TEST, &e));
    EXPECT_NEAR(problem_value(p, &e, "distance_to_optimum"), sqrt(squares), 1e-12);
    problem_free(p);
    quadratic_release(&q);
}

/* 4000 draws of deviation 0.5: the mean of N * 4000 is within 5 standard errors, 0.0087. */
static void test_the_noise_has_mean_zero_and_the_given_deviation(void)
{
    enum { DRAWS = 4000 };
    struct quadratic q;
    struct batch_result r;
    float x[N];
    float g[N];
    double sum = 0;
    double squares = 0;

    quadratic_init(&q, &options);
    struct problem *p = quadratic_new(&q, 4);
    for (int j = 0; j < N; j++)
        x[j] = (float)q.b[4 * N + j]; /* where the exact gradient is zero, but for rounding */
    for (int k = 0; k < DRAWS; k++) {
        problem_draw(p);
        problem_gradient(p, x, g, &r);
        for (int j = 0; j < N; j++) {
            sum += (double)g[j];
            squares += (double)g[j] * (double)g[j];
        }
    }
    EXPECT_NEAR(sum / (N * DRAWS), 0, 5 * 0.5 / sqrt((double)N * DRAWS));
    /* the variance 0.25 of k normal draws has the standard error 0.25 sqrt(2 / k) */
    EXPECT_NEAR(squares / (N * DRAWS), 0.25, 5 * 0.25 * sqrt(2.0 / ((double)N * DRAWS)));
    problem_free(p);
    quadratic_release(&q);
}

static void test_more_workers_leave_the_functions_of_the_first_alone(void)
{
    struct quadratic_options one = options;
    struct quadratic few;
    struct quadratic many;

    one.workers = 1;
    quadratic_init(&few, &one);
    quadratic_init(&many, &options);
    EXPECT(memcmp(few.a, many.a, N * sizeof *few.a) == 0);
    EXPECT(memcmp(few.b, many.b, N * sizeof *few.b) == 0);
    quadratic_release(&few);
    quadratic_release(&many);
}

TEST_MAIN(TEST(test_curvatures_are_in_range_and_differ_between_workers),
          TEST(test_without_spread_all_workers_have_the_same_minimum),
          TEST(test_the_mean_loss_is_smallest_at_the_optimum),
          TEST(test_an_evaluation_is_the_mean_loss_less_its_minimum),
          TEST(test_the_gradient_is_that_of_the_loss_with_its_noise),
          TEST(test_the_gradient_is_divided_by_the_global_batch),
          TEST(test_a_batch_is_a_function_of_epoch_and_number),
          TEST(test_a_batch_is_the_mean_of_its_samples),
          TEST(test_the_distance_to_the_optimum_is_euclidean),
          TEST(test_the_noise_has_mean_zero_and_the_given_deviation),
          TEST(test_more_workers_leave_the_functions_of_the_first_alone))
