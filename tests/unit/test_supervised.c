/*
 * test_supervised.c - gradients and evaluations of a worker's batches, and BatchNorm's statistics
 * apart from the passes.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "child.h"
#include "unit/problem_case.h"

static const char plain_net[] = "[flatten, {dense: {out: 5}}, relu, {dense: {out: 3}}]";
static const char dropout_net[] =
    "[flatten, {dense: {out: 16}}, {dropout: {p: 0.5}}, {dense: {out: 3}}]";
/* The first has the values of a whole image per channel and sample, the second one of each. */
static const char norm_net[] =
    "[{batchnorm: {momentum: 0.3}}, flatten, {batchnorm: {momentum: 0.1}}, {dense: {out: 3}}]";

static bool same(const float *a, const float *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static float *copy_of(const float *x, int64_t count)
{
    float *copy = MEM_NEW_N(float, count);

    memcpy(copy, x, (size_t)count * sizeof *x);
    return copy;
}

/* --- prediction --- */

/* nll of the predictions, from its definition, is the loss of an evaluation. */
static void test_predictions_are_what_an_evaluation_judges(void)
{
    struct problem_case c;
    struct evaluation e = {0};
    float outputs[CASE_TEST][CASE_CLASSES];
    double sum = 0;

    problem_case_init(&c, dropout_net, 20, 8);
    struct problem *p = supervised_new(&c.setup);
    const struct samples *test = &c.dataset.test;
    EXPECT_OK(
        problem_predict(p, c.state, &(struct prediction){CASE_TEST, test->values, outputs[0]}));
    for (int i = 0; i < CASE_TEST; i++) {
        double all = 0;

        for (int k = 0; k < CASE_CLASSES; k++)
            all += exp((double)outputs[i][k]);
        sum += log(all) - (double)outputs[i][test->labels[i]];
    }
    EXPECT_OK(problem_evaluate(p, c.state, PART_TEST, &e));
    EXPECT_NEAR(e.loss, sum / CASE_TEST, 1e-6); /* outputs and losses are floats */
    problem_free(p);
    problem_case_release(&c);
}

/* --- batches --- */

static void test_an_evaluation_leaves_the_drawn_batch_alone(void)
{
    struct problem_case c;
    struct batch_result before, after;
    struct evaluation e = {0};

    problem_case_init(&c, dropout_net, 20, 8);
    struct problem *p = supervised_new(&c.setup);
    problem_draw(p);
    problem_gradient(p, c.state, c.gradient, &before);
    float *first = copy_of(c.gradient, p->param_count);
    EXPECT_OK(problem_evaluate(p, c.state, PART_TEST, &e));
    EXPECT_INT(e.samples, CASE_TEST);
    EXPECT_INT(p->batch_size, 8);
    problem_gradient(p, c.state, c.gradient, &after);
    EXPECT(same(first, c.gradient, p->param_count));
    EXPECT(memcmp(&before, &after, sizeof before) == 0);
    mem_free(first);
    problem_free(p);
    problem_case_release(&c);
}

/* At equal weights of the outputs every sample's loss is log 3, by the definition of nll. */
static void test_losses_are_those_of_the_drawn_samples(void)
{
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, plain_net, 20, 8);
    memset(c.state, 0, (size_t)c.model->state_count * sizeof *c.state);
    struct problem *p = supervised_new(&c.setup);
    EXPECT_INT(p->batches_per_epoch, 3);
    for (int b = 0; b < 3; b++) {
        problem_draw(p);
        EXPECT_INT(p->batch_size, b < 2 ? 8 : 4);
        EXPECT_INT(p->batch_total, p->batch_size);
        problem_gradient(p, c.state, c.gradient, &result);
        EXPECT_INT(result.samples, p->batch_size);
        EXPECT_NEAR(result.loss_sum / (double)p->batch_size, log(3.0), 1e-6); /* floats */
    }
    problem_free(p);
    problem_case_release(&c);
}

enum { MANY = 12 };

static int compare_descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

/* The place of the label's output when they are sorted; no two are equal. */
static int64_t place_when_sorted(const float *outputs, int32_t label)
{
    float sorted[MANY];
    int64_t place = 0;

    memcpy(sorted, outputs, sizeof sorted);
    qsort(sorted, MANY, sizeof *sorted, compare_descending);
    while (sorted[place] > outputs[label])
        place++;
    return place;
}

static void test_correct_answers_are_those_of_the_sorted_predictions(void)
{
    static const char net[] = "[flatten, {dense: {out: 12}}]";
    struct problem_case c;
    struct batch_result result;
    float outputs[40][MANY];
    int64_t top1 = 0, top5 = 0;

    problem_case_init(&c, net, 40, 40);
    c.dataset.classes = MANY;
    for (int i = 0; i < 40; i++)
        c.dataset.train.labels[i] = i * 7 % MANY;
    struct problem *p = supervised_new(&c.setup);
    EXPECT_OK(
        problem_predict(p, c.state, &(struct prediction){40, c.dataset.train.values, outputs[0]}));
    for (int i = 0; i < 40; i++) {
        const int64_t place = place_when_sorted(outputs[i], c.dataset.train.labels[i]);

        top1 += place < 1;
        top5 += place < 5;
    }
    problem_draw(p);
    EXPECT_OK(problem_gradient(p, c.state, c.gradient, &result));
    EXPECT_INT(result.correct, top1);
    EXPECT_INT(result.correct5, top5);
    EXPECT(top1 > 0 && top1 < top5 && top5 < 40);
    problem_free(p);
    problem_case_release(&c);
}

/* The sum over workers of gradients divided by the total is the gradient of the mean. */
static void test_gradients_of_all_workers_add_up_to_that_of_their_samples(void)
{
    static const int64_t counts[] = {8, 5, 2};
    struct problem_case c;
    struct batch_result result;
    double sum[64] = {0};

    problem_case_init(&c, plain_net, 15, 15);
    struct problem *all = supervised_new(&c.setup);
    problem_case_deal(&c, counts, 3);
    for (c.setup.worker = 0; c.setup.worker < 3; c.setup.worker++) {
        struct problem *p = supervised_new(&c.setup);
        problem_draw(p);
        EXPECT_INT(p->batch_size, counts[c.setup.worker]);
        EXPECT_INT(p->batch_total, 15);
        p->global_batch = p->batch_total;
        problem_gradient(p, c.state, c.gradient, &result);
        for (int64_t k = 0; k < p->param_count; k++)
            sum[k] += (double)c.gradient[k];
        problem_free(p);
    }
    problem_draw(all);
    problem_gradient(all, c.state, c.gradient, &result);
    EXPECT(all->param_count <= 64);
    for (int64_t k = 0; k < all->param_count; k++)
        EXPECT_NEAR(sum[k], (double)c.gradient[k], 1e-6); /* floats of size 1 */
    problem_free(all);
    problem_case_release(&c);
}

static void test_a_worker_out_of_data_has_an_empty_batch_until_the_epoch_ends(void)
{
    static const int64_t counts[] = {12, 3};
    struct problem_case c;

    problem_case_init(&c, plain_net, 15, 4);
    problem_case_deal(&c, counts, 2);
    c.setup.worker = 1;
    c.setup.epoch_batches = partition_batches(&c.partition, 4);
    struct problem *p = supervised_new(&c.setup);
    EXPECT_INT(p->batches_per_epoch, 3);
    for (int b = 0; b < 6; b++) {
        problem_draw(p);
        EXPECT_INT(p->batch_size, b % 3 == 0 ? 3 : 0);
        EXPECT_INT(p->batch_total, partition_batch_total(&c.partition, 4, b % 3));
    }
    problem_free(p);
    problem_case_release(&c);
}

static void take_the_gradient_of_an_empty_batch(void)
{
    static const int64_t counts[] = {12, 3};
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, plain_net, 15, 4);
    problem_case_deal(&c, counts, 2);
    c.setup.worker = 1;
    c.setup.epoch_batches = 3;
    struct problem *p = supervised_new(&c.setup);
    problem_draw(p);
    problem_gradient(p, c.state, c.gradient, &result);
    problem_draw(p);
    problem_gradient(p, c.state, c.gradient, &result);
}

static void test_an_empty_batch_has_no_gradient(void)
{
    struct child child;

    child_run(&child, take_the_gradient_of_an_empty_batch);
    EXPECT(child.exit_code != 0);
    EXPECT_HAS(child.said.data, "batch_size");
    child_release(&child);
}

static void test_a_repeated_pass_has_another_dropout(void)
{
    static const int64_t counts[] = {1, 14};
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, dropout_net, 15, 4);
    problem_case_deal(&c, counts, 2);
    c.setup.epoch_batches = 4;
    c.setup.uneven = UNEVEN_REPEAT;
    struct problem *p = supervised_new(&c.setup);
    problem_draw(p);
    problem_gradient(p, c.state, c.gradient, &result);
    float *first = copy_of(c.gradient, p->param_count);
    problem_draw(p); /* the one sample again */
    EXPECT_INT(p->batch_size, 1);
    problem_gradient(p, c.state, c.gradient, &result);
    EXPECT(!same(first, c.gradient, p->param_count)); /* by chance once in 2^16 */
    problem_seek(p, 0, 0);
    EXPECT_INT(p->batch_size, 0);
    problem_draw(p);
    problem_gradient(p, c.state, c.gradient, &result);
    EXPECT(same(first, c.gradient, p->param_count));
    mem_free(first);
    problem_free(p);
    problem_case_release(&c);
}

static void test_a_timer_knows_the_time_of_gathering(void)
{
    struct problem_case c;
    struct batch_result result;
    double forward[8] = {0}, backward[8] = {0};

    problem_case_init(&c, plain_net, 20, 8);
    struct model_timer timer = {.forward = forward, .backward = backward};
    struct problem *p = supervised_new(&c.setup);
    p->timer = &timer;
    problem_draw(p);
    const double start = clock_seconds();
    for (int i = 0; i < 1000; i++)
        problem_gradient(p, c.state, c.gradient, &result);
    EXPECT(timer.input > 0.0 && timer.input < clock_seconds() - start);
    problem_free(p);
    problem_case_release(&c);
}

/* --- statistics --- */

static void step(float *state, const float *gradient, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        state[k] -= 0.1F * gradient[k];
}

/* The batches of 9 samples are of 4, 4 and 1: the last has no variance in the second BatchNorm. */
static void test_raw_statistics_that_are_moved_equal_the_ordinary_update(void)
{
    struct problem_case c;
    struct batch_result result;
    int64_t batches_tracked[2] = {0};

    problem_case_init(&c, norm_net, 9, 4);
    const int64_t params = c.model->param_count, states = c.model->state_count;
    const struct tensor_layout layout = model_layout(c.model);
    float *served = copy_of(c.state, states), *worker = copy_of(c.state, states);
    struct problem *ordinary = supervised_new(&c.setup);
    c.setup.batches_tracked = batches_tracked;
    struct problem *raw = supervised_new(&c.setup);
    raw->raw_statistics = true;
    EXPECT_INT(c.model->tracked_count, 2);
    for (int b = 0; b < 7; b++) {
        problem_draw(ordinary);
        problem_gradient(ordinary, c.state, c.gradient, &result);
        step(c.state, c.gradient, params);

        memcpy(worker, served, (size_t)states * sizeof *worker);
        problem_draw(raw);
        problem_gradient(raw, worker, c.gradient, &result);
        tensor_layout_move_statistics(&layout, served + params, worker + params);
        step(served, c.gradient, params);
        EXPECT(same(served, c.state, states));
        EXPECT(memcmp(batches_tracked, c.batches_tracked, sizeof batches_tracked) == 0);
    }
    EXPECT_INT(batches_tracked[0], 7);
    EXPECT_INT(batches_tracked[1], 5);
    mem_free(served);
    mem_free(worker);
    problem_free(ordinary);
    problem_free(raw);
    problem_case_release(&c);
}

/* Statistics by the definition, in double: of the image's one channel, and of each value of what
 * has been normalised by them. */
struct moments {
    double mean, variance; /* unbiased */
};

static struct moments moments_of(const double *x, int64_t count, int64_t stride)
{
    struct moments m = {0};

    for (int64_t i = 0; i < count; i++)
        m.mean += x[i * stride] / (double)count;
    for (int64_t i = 0; i < count; i++)
        m.variance += (x[i * stride] - m.mean) * (x[i * stride] - m.mean) / (double)(count - 1);
    return m;
}

/* Adds those of one batch; expected is as the buffers: mean, variance, 4 means, 4 variances. */
static void add_expected(const struct problem_case *c, const int64_t *numbers, int64_t size,
                         double *expected)
{
    double x[4 * CASE_SIZE];
    const double n = (double)(size * CASE_SIZE);

    for (int64_t i = 0; i < size * CASE_SIZE; i++)
        x[i] = (double)c->dataset.train.values[numbers[i / CASE_SIZE] * CASE_SIZE + i % CASE_SIZE];
    const struct moments whole = moments_of(x, size * CASE_SIZE, 1);
    const double inverse = 1.0 / sqrt(whole.variance * (n - 1.0) / n + 1e-5);

    expected[0] += whole.mean;
    expected[1] += whole.variance;
    for (int64_t i = 0; i < size * CASE_SIZE; i++)
        x[i] = (x[i] - whole.mean) * inverse;
    for (int64_t f = 0; f < CASE_SIZE && size > 1; f++) {
        const struct moments each = moments_of(x + f, size, CASE_SIZE);
        expected[2 + f] += each.mean;
        expected[2 + CASE_SIZE + f] += each.variance;
    }
}

/* The average over the first `batches` of `part`; those of one sample count for the first only. */
static void check_recalibrated(const struct problem_case *c, const float *buffers,
                               const struct sampler_part *part, int64_t batches)
{
    double expected[2 + 2 * CASE_SIZE] = {0};
    struct sampler s;
    int64_t size = 0, with_variance = 0;

    if (part != NULL)
        sampler_init_part(&s, *part, 4, 1);
    else
        sampler_init(&s, c->split.train, c->split.train_count, 4, 1);
    for (int64_t b = 0; b < batches; b++) {
        const int64_t *numbers = sampler_next(&s, &size);
        add_expected(c, numbers, size, expected);
        with_variance += size > 1;
    }
    for (int64_t k = 0; k < 2 + 2 * CASE_SIZE; k++) /* floats; values of size 1 */
        EXPECT_NEAR((double)buffers[k], expected[k] / (double)(k < 2 ? batches : with_variance),
                    2e-6);
    sampler_release(&s);
}

static void test_recalibrated_statistics_are_the_average_of_the_first_batches(void)
{
    static const int64_t counts[] = {3, 9, 9};
    const struct sampler_part part = {NULL, 1};
    struct problem_case c;

    problem_case_init(&c, norm_net, 21, 4);
    float *buffers = c.state + c.model->param_count;
    struct problem *whole = supervised_new(&c.setup);
    EXPECT_INT(c.model->state_count - c.model->param_count, 2 + 2 * CASE_SIZE);
    EXPECT_OK(problem_recalibrate(whole, c.state, 4));
    check_recalibrated(&c, buffers, NULL, 4);

    problem_case_deal(&c, counts, 3);
    c.setup.worker = part.worker;
    c.setup.epoch_batches = 1; /* its own batches all the same */
    struct problem *worker = supervised_new(&c.setup);
    struct sampler_part own = part;
    own.partition = &c.partition;
    EXPECT_OK(problem_recalibrate(worker, c.state, 2));
    check_recalibrated(&c, buffers, &own, 2);
    EXPECT_OK(problem_recalibrate(worker, c.state, 100)); /* there are three */
    check_recalibrated(&c, buffers, &own, 3);
    problem_free(whole);
    problem_free(worker);
    problem_case_release(&c);
}

static void test_recalibration_changes_the_statistics_alone(void)
{
    struct problem_case c;
    struct batch_result result;

    problem_case_init(&c, norm_net, 21, 4);
    struct problem *p = supervised_new(&c.setup), *other = supervised_new(&c.setup);
    float *state = copy_of(c.state, c.model->state_count);
    float *gradient = copy_of(c.gradient, c.model->param_count);
    for (int b = 0; b < 8; b++) { /* into the second epoch, where the order is another one */
        problem_draw(p);
        problem_draw(other);
    }
    EXPECT_OK(problem_recalibrate(p, c.state, 3));
    EXPECT(same(state, c.state, c.model->param_count));
    EXPECT_INT(c.batches_tracked[0], 0);
    EXPECT_INT(c.batches_tracked[1], 0);
    for (int b = 0; b < 2; b++) { /* training does not look at the running statistics */
        problem_gradient(p, c.state, c.gradient, &result);
        problem_gradient(other, state, gradient, &result);
        EXPECT(same(gradient, c.gradient, c.model->param_count));
        problem_draw(p);
        problem_draw(other);
    }
    mem_free(state);
    mem_free(gradient);
    problem_free(p);
    problem_free(other);
    problem_case_release(&c);
}

/* Of a single sample the first BatchNorm has four values, the second one for each of its own. */
static void test_a_norm_without_variance_keeps_the_initial_statistics(void)
{
    struct problem_case c;

    problem_case_init(&c, norm_net, 1, 4);
    float *buffers = c.state + c.model->param_count;
    for (int64_t k = 0; k < 2 + 2 * CASE_SIZE; k++)
        buffers[k] = 7.0F;
    struct problem *p = supervised_new(&c.setup);
    EXPECT_OK(problem_recalibrate(p, c.state, 1));
    for (int64_t f = 0; f < CASE_SIZE; f++) {
        EXPECT_NEAR((double)buffers[2 + f], 0.0, 0.0);
        EXPECT_NEAR((double)buffers[2 + CASE_SIZE + f], 1.0, 0.0);
    }
    EXPECT(buffers[0] < 7.0F && buffers[1] < 7.0F);
    problem_free(p);
    problem_case_release(&c);
}

static void test_a_model_without_statistics_is_left_alone(void)
{
    struct problem_case c;

    problem_case_init(&c, plain_net, 9, 4);
    float *state = copy_of(c.state, c.model->state_count);
    struct problem *p = supervised_new(&c.setup);
    EXPECT_OK(problem_recalibrate(p, c.state, 3));
    EXPECT(same(state, c.state, c.model->state_count));
    EXPECT_INT(compute_pool_made(c.pool), 0);
    mem_free(state);
    problem_free(p);
    problem_case_release(&c);
}

TEST_MAIN(TEST(test_predictions_are_what_an_evaluation_judges),
          TEST(test_an_evaluation_leaves_the_drawn_batch_alone),
          TEST(test_losses_are_those_of_the_drawn_samples),
          TEST(test_correct_answers_are_those_of_the_sorted_predictions),
          TEST(test_gradients_of_all_workers_add_up_to_that_of_their_samples),
          TEST(test_a_worker_out_of_data_has_an_empty_batch_until_the_epoch_ends),
          TEST(test_an_empty_batch_has_no_gradient), TEST(test_a_repeated_pass_has_another_dropout),
          TEST(test_a_timer_knows_the_time_of_gathering),
          TEST(test_raw_statistics_that_are_moved_equal_the_ordinary_update),
          TEST(test_recalibrated_statistics_are_the_average_of_the_first_batches),
          TEST(test_recalibration_changes_the_statistics_alone),
          TEST(test_a_norm_without_variance_keeps_the_initial_statistics),
          TEST(test_a_model_without_statistics_is_left_alone))
