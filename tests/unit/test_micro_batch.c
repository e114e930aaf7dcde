/*
 * test_micro_batch.c - a batch that is computed in parts: the gradient of the whole batch, and what
 * BatchNorm makes of parts. The parts of a batch are what a problem with small batches draws one
 * after the other, because an epoch's order does not depend on the size of batches.
 *
 * Against PyTorch: golden/test_golden_micro_batch.c.
 */
#include "unit/problem_case.h"

enum { SAMPLES = 19, BATCH = 12, PART = 5 }; /* batches of 12 and 7; parts of 5, 5, 2 and 5, 2 */

static const char plain_net[] = "[{conv2d: {out: 5, kernel: 2, pad: 1}}, relu, {dropout: {p: 0.4}},"
                                " flatten, {dense: {out: 3}}]";
static const char dense_net[] =
    "[flatten, {dense: {out: 7}}, relu, {dropout: {p: 0.4}}, {dense: {out: 3}}]";
static const char norm_net[] =
    "[{conv2d: {out: 5, kernel: 2, pad: 1}}, batchnorm, relu, flatten, {dense: {out: 3}}]";
static const char flat_norm_net[] =
    "[flatten, {dense: {out: 6}}, batchnorm, relu, {dense: {out: 3}}]";

/* The problem in parts of at most so many samples; it owns its pool. */
static struct problem *problem_in_parts(struct problem_case *c, int64_t most, int threads)
{
    struct supervised_setup setup = c->setup;

    setup.pool = compute_pool_new(c->model, &c->dataset, setup.batch_size, threads);
    setup.owns_pool = true;
    compute_pool_limit(setup.pool, most);
    return supervised_new(&setup);
}

static float *copy_of(const float *x, int64_t count)
{
    float *copy = MEM_NEW_N(float, count);

    memcpy(copy, x, (size_t)count * sizeof *copy);
    return copy;
}

static double largest(const float *x, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    return most;
}

static void expect_near(const float *a, const float *b, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++)
        EXPECT_NEAR((double)a[i], (double)b[i], tolerance);
}

/* --- the gradient --- */

/* Both batches of the epoch, in parts and as a whole, at the same state. */
static void compare_to_whole(const char *net, int64_t most, int threads)
{
    struct problem_case c;

    problem_case_init(&c, net, SAMPLES, BATCH);
    struct problem *whole = supervised_new(&c.setup), *parts = problem_in_parts(&c, most, threads);
    float *sum = MEM_NEW_N(float, whole->param_count);

    for (int b = 0; b < 2; b++) {
        struct batch_result expected, result;

        problem_draw(whole);
        problem_draw(parts);
        EXPECT_INT(parts->batch_size, b == 0 ? BATCH : SAMPLES - BATCH);
        EXPECT_OK(problem_gradient(whole, c.state, c.gradient, &expected));
        EXPECT_OK(problem_gradient(parts, c.state, sum, &result));
        EXPECT_INT(result.samples, expected.samples);
        EXPECT_INT(result.correct, expected.correct);
        EXPECT_NEAR(result.loss_sum, expected.loss_sum, 1e-6 * expected.loss_sum);
        /* of the largest entry: roundings of sums of at most 12 x 9 floats */
        expect_near(sum, c.gradient, whole->param_count,
                    1e-6 * largest(c.gradient, whole->param_count));
    }
    mem_free(sum);
    problem_free(parts);
    problem_free(whole);
    problem_case_release(&c);
}

static void test_the_gradient_is_that_of_the_whole_batch(void)
{
    static const int64_t most[] = {1, 2, PART, BATCH - 1};

    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        for (int threads = 1; threads <= 3; threads++) {
            compare_to_whole(plain_net, most[i], threads);
            compare_to_whole(dense_net, most[i], threads);
        }
}

static void test_parts_as_large_as_the_batch_change_no_bit(void)
{
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, norm_net, SAMPLES, BATCH);
    struct problem *whole = supervised_new(&c.setup);
    float *other = MEM_NEW_N(float, whole->param_count);

    for (int64_t most = BATCH; most < 3 * BATCH; most += BATCH) {
        struct problem *parts = problem_in_parts(&c, most, 1);

        problem_seek(whole, 0, 0);
        problem_draw(whole);
        problem_draw(parts);
        EXPECT_OK(problem_gradient(whole, c.state, c.gradient, &result));
        EXPECT_OK(problem_gradient(parts, c.state, other, &result));
        EXPECT(memcmp(other, c.gradient, (size_t)whole->param_count * sizeof *other) == 0);
        problem_free(parts);
    }
    mem_free(other);
    problem_free(whole);
    problem_case_release(&c);
}

static void test_any_number_of_threads_gives_the_same_bits(void)
{
    static const char *const nets[] = {plain_net, dense_net, norm_net};

    for (int n = 0; n < 3; n++) {
        struct problem_case c;
        struct batch_result result;

        problem_case_init(&c, nets[n], SAMPLES, BATCH);
        float *other = MEM_NEW_N(float, c.model->param_count);
        for (int threads = 1; threads <= 4; threads++) {
            struct problem *p = problem_in_parts(&c, PART, threads);

            problem_draw(p);
            EXPECT_OK(problem_gradient(p, c.state, threads == 1 ? c.gradient : other, &result));
            if (threads > 1)
                EXPECT(memcmp(other, c.gradient, (size_t)p->param_count * sizeof *other) == 0);
            problem_free(p);
        }
        mem_free(other);
        problem_case_release(&c);
    }
}

/* The divisor of several workers' gradients is that of the round, not of the part. */
static void test_a_global_batch_divides_the_sum_over_all_parts(void)
{
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, plain_net, SAMPLES, BATCH);
    struct problem *p = problem_in_parts(&c, PART, 1);
    float *divided = MEM_NEW_N(float, p->param_count);

    problem_draw(p);
    EXPECT_OK(problem_gradient(p, c.state, c.gradient, &result));
    p->global_batch = 4 * BATCH;
    EXPECT_OK(problem_gradient(p, c.state, divided, &result));
    for (int64_t k = 0; k < p->param_count; k++)
        EXPECT_NEAR(4 * (double)divided[k], (double)c.gradient[k], 1e-6);
    mem_free(divided);
    problem_free(p);
    problem_case_release(&c);
}

/* --- who is told of finished ranges --- */

struct told {
    const float *gradient;
    float *copy; /* of the ranges, when they were told */
    int *times;
};

static void finished(void *context, int64_t offset, int64_t count)
{
    struct told *t = context;

    for (int64_t i = offset; i < offset + count; i++) {
        t->times[i]++;
        t->copy[i] = t->gradient[i];
    }
}

static void test_every_range_is_told_once_and_when_it_is_complete(void)
{
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, norm_net, SAMPLES, BATCH);
    struct problem *p = problem_in_parts(&c, PART, 2);
    struct told told = {
        .gradient = c.gradient,
        .copy = MEM_NEW_N(float, p->param_count),
        .times = MEM_NEW_N(int, p->param_count),
    };

    p->hook = &(struct gradient_hook){.finished = finished, .context = &told};
    problem_draw(p);
    EXPECT_OK(problem_gradient(p, c.state, c.gradient, &result));
    for (int64_t i = 0; i < p->param_count; i++)
        EXPECT_INT(told.times[i], 1);
    EXPECT(memcmp(told.copy, c.gradient, (size_t)p->param_count * sizeof *told.copy) == 0);
    mem_free(told.copy);
    mem_free(told.times);
    problem_free(p);
    problem_case_release(&c);
}

/* --- statistics --- */

/* The gradients of a batch's parts, by samples, from a problem whose batches are the parts. The
 * first batch has two parts of PART here, so that both problems cut the epoch alike. */
static void test_batchnorm_sees_a_part_as_a_batch(void)
{
    enum { WHOLE = 2 * PART };
    struct problem_case c, small;
    struct batch_result result;
    double mean[256] = {0};

    problem_case_init(&c, norm_net, SAMPLES, WHOLE);
    problem_case_init(&small, norm_net, SAMPLES, PART);
    struct problem *parts = problem_in_parts(&c, PART, 1), *p = supervised_new(&small.setup);

    EXPECT(p->param_count <= 256);
    for (int i = 0; i < 2; i++) {
        problem_draw(p);
        EXPECT_OK(problem_gradient(p, small.state, small.gradient, &result));
        for (int64_t k = 0; k < p->param_count; k++)
            mean[k] += (double)small.gradient[k] / 2;
    }
    problem_draw(parts);
    EXPECT_OK(problem_gradient(parts, c.state, c.gradient, &result));
    for (int64_t k = 0; k < p->param_count; k++)
        EXPECT_NEAR((double)c.gradient[k], mean[k], 1e-6); /* floats of size 1 */
    EXPECT(memcmp(c.state, small.state, (size_t)p->state_count * sizeof *c.state) == 0);
    EXPECT_INT(c.batches_tracked[0], 2);

    float *after = copy_of(c.state, p->state_count);
    EXPECT_OK(problem_gradient(parts, c.state, c.gradient, &result)); /* the same batch again */
    EXPECT(memcmp(c.state, after, (size_t)p->state_count * sizeof *c.state) == 0);
    EXPECT_INT(c.batches_tracked[0], 2);
    mem_free(after);
    problem_free(parts);
    problem_free(p);
    problem_case_release(&c);
    problem_case_release(&small);
}

/* What a server gets of a batch of 12 in parts of 5, 5 and 2. */
static void test_raw_statistics_are_the_mean_of_the_parts(void)
{
    struct problem_case c, small;
    struct batch_result result;
    double sums[32] = {0};

    problem_case_init(&c, norm_net, BATCH, BATCH);
    problem_case_init(&small, norm_net, BATCH, PART); /* batches of 5, 5, 2 */
    struct problem *parts = problem_in_parts(&c, PART, 1), *p = supervised_new(&small.setup);
    const int64_t params = p->param_count, buffers = p->state_count - params;

    EXPECT(buffers <= 32);
    parts->raw_statistics = p->raw_statistics = true;
    for (int i = 0; i < 3; i++) {
        problem_draw(p);
        EXPECT_OK(problem_gradient(p, small.state, small.gradient, &result));
        for (int64_t k = 0; k < buffers; k++)
            sums[k] += (double)result.samples * (double)small.state[params + k];
    }
    problem_draw(parts);
    EXPECT_OK(problem_gradient(parts, c.state, c.gradient, &result));
    for (int64_t k = 0; k < buffers; k++)
        EXPECT_NEAR((double)c.state[params + k], sums[k] / BATCH, 1e-6); /* floats of size 1 */
    problem_free(parts);
    problem_free(p);
    problem_case_release(&c);
    problem_case_release(&small);
}

/* A sample alone has no variance: algorithms notice that the statistics are those they know. */
static void test_parts_without_a_variance_leave_statistics_alone(void)
{
    for (int raw = 0; raw < 2; raw++) {
        struct problem_case c;
        struct batch_result result;

        problem_case_init(&c, flat_norm_net, SAMPLES, 7);
        struct problem *p = problem_in_parts(&c, 1, 1);
        for (int64_t k = p->param_count; k < p->state_count; k++)
            c.state[k] = 0.1F + 0.07F * (float)(k - p->param_count);
        float *before = copy_of(c.state, p->state_count);
        p->raw_statistics = raw == 1;
        problem_draw(p);
        EXPECT_OK(problem_gradient(p, c.state, c.gradient, &result));
        EXPECT(memcmp(c.state, before, (size_t)p->state_count * sizeof *before) == 0);
        mem_free(before);
        problem_free(p);
        problem_case_release(&c);
    }
}

static void test_statistics_are_measured_again_in_parts(void)
{
    struct problem_case c, small;

    problem_case_init(&c, norm_net, 4 * PART, 2 * PART);
    problem_case_init(&small, norm_net, 4 * PART, PART);
    struct problem *parts = problem_in_parts(&c, PART, 1), *p = supervised_new(&small.setup);

    EXPECT_OK(problem_recalibrate(parts, c.state, 2));
    EXPECT_OK(problem_recalibrate(p, small.state, 4));
    EXPECT(memcmp(c.state, small.state, (size_t)p->state_count * sizeof *c.state) == 0);
    problem_free(parts);
    problem_free(p);
    problem_case_release(&c);
    problem_case_release(&small);
}

/* --- memory --- */

static void test_the_memory_of_a_context_falls_with_its_parts(void)
{
    struct problem_case c;

    problem_case_init(&c, norm_net, SAMPLES, BATCH);
    const struct compute_size whole = {.batch = 4096, .most = 4096, .threads = 1};
    const struct compute_size parts = {.batch = 4096, .most = 64, .threads = 1};
    const int64_t all = workspace_bytes(c.model, 4096, 1), some = workspace_bytes(c.model, 64, 1);
    const int64_t buffers = c.model->state_count - c.model->param_count;

    EXPECT(some < all / 8);
    EXPECT_INT(compute_context_bytes(c.model, &c.dataset, &whole) -
                   compute_context_bytes(c.model, &c.dataset, &parts),
               all - some - 4 * c.model->state_count - 8 * buffers);
    problem_case_release(&c);
}

TEST_MAIN(TEST(test_the_gradient_is_that_of_the_whole_batch),
          TEST(test_parts_as_large_as_the_batch_change_no_bit),
          TEST(test_any_number_of_threads_gives_the_same_bits),
          TEST(test_a_global_batch_divides_the_sum_over_all_parts),
          TEST(test_every_range_is_told_once_and_when_it_is_complete),
          TEST(test_batchnorm_sees_a_part_as_a_batch),
          TEST(test_raw_statistics_are_the_mean_of_the_parts),
          TEST(test_parts_without_a_variance_leave_statistics_alone),
          TEST(test_statistics_are_measured_again_in_parts),
          TEST(test_the_memory_of_a_context_falls_with_its_parts))
