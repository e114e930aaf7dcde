/*
 * test_evaluation_blocks.c - an evaluation has the same bits however its blocks are cut, computed
 * and shared.
 */
#include <math.h>

#include "comm/world.h"
#include "problem_case.h"
#include "train/loop/evaluation_blocks.h"

enum { COUNT = 300, CELLS = CASE_CLASSES * CASE_CLASSES }; /* four blocks and a smaller one */

static const char net[] = "[flatten, {dense: {out: 5}}, tanh, {dense: {out: 3}}]";

static struct evaluation evaluate(struct problem *p, const float *state, int64_t *confusion)
{
    struct evaluation e = {.confusion = confusion};

    EXPECT_OK(problem_evaluate(p, state, PART_TRAIN, &e));
    return e;
}

static bool same_values(const struct evaluation *a, const struct evaluation *b)
{
    return a->samples == b->samples && memcmp(a->values, b->values, sizeof a->values) == 0;
}

/* At equal outputs every loss is log 3, and class 0 is the answer. */
static void test_values_are_means_over_the_samples(void)
{
    struct problem_case c;
    int64_t zeros = 0;

    problem_case_init(&c, net, COUNT, 8);
    memset(c.state, 0, (size_t)c.model->state_count * sizeof *c.state);
    struct problem *p = supervised_new(&c.setup);
    for (int64_t i = 0; i < COUNT; i++)
        zeros += c.dataset.train.labels[i] == 0;
    const struct evaluation e = evaluate(p, c.state, NULL);
    EXPECT_INT(e.samples, COUNT);
    EXPECT_NEAR(e.loss, log(3), 1e-6); /* losses are floats */
    EXPECT_NEAR(problem_value(p, &e, "accuracy"), (double)zeros / COUNT, 0);
    EXPECT_NEAR(problem_value(p, &e, "accuracy5"), 1, 0);
    EXPECT(isnan(problem_value(p, &e, "distance_to_optimum")));
    problem_free(p);
    problem_case_release(&c);
}

static void test_the_batch_and_the_threads_change_no_bit(void)
{
    static const int64_t batches[] = {1, 7, 64, 100, COUNT};
    struct evaluation first = {0};

    for (int i = 0; i < 5; i++) {
        struct problem_case c;

        problem_case_init(&c, net, COUNT, batches[i]);
        compute_pool_free(c.pool);
        c.pool = c.setup.pool = compute_pool_new(c.model, &c.dataset, batches[i], 1 + i % 3);
        struct problem *p = supervised_new(&c.setup);
        const struct evaluation e = evaluate(p, c.state, NULL);
        if (i == 0)
            first = e;
        EXPECT(same_values(&e, &first));
        EXPECT(e.loss > 0);
        problem_free(p);
        problem_case_release(&c);
    }
}

static void test_any_cut_has_the_sums_of_the_whole(void)
{
    struct problem_case c;
    double whole[5][3], cut[5][3];

    problem_case_init(&c, net, COUNT, 8);
    struct problem *p = supervised_new(&c.setup);
    EXPECT_INT(problem_block_count(p, PART_TRAIN), 5);
    EXPECT_OK(problem_evaluate_blocks(p, c.state, PART_TRAIN,
                                      &(struct evaluation_blocks){.count = 5, .sums = whole[0]}));
    for (int at = 1; at < 5; at++) {
        EXPECT_OK(problem_evaluate_blocks(
            p, c.state, PART_TRAIN, &(struct evaluation_blocks){.count = at, .sums = cut[0]}));
        EXPECT_OK(problem_evaluate_blocks(
            p, c.state, PART_TRAIN,
            &(struct evaluation_blocks){.first = at, .count = 5 - at, .sums = cut[at]}));
        EXPECT(memcmp(whole, cut, sizeof whole) == 0);
    }
    problem_free(p);
    problem_case_release(&c);
}

/* --- shared by workers --- */

struct shared_case {
    struct problem_case *c;
    const struct evaluation *expected;
};

static enum status share_body(void *context, struct transport *t)
{
    const struct shared_case *s = context;
    struct problem *p = supervised_new(&s->c->setup);
    int64_t confusion[CELLS] = {0};
    struct evaluation e = {.confusion = confusion};
    const struct evaluation_request request = {p, s->c->state, PART_TRAIN, false};
    const enum status status = evaluation_blocks_share(t, &request, &e);

    EXPECT(same_values(&e, s->expected));
    EXPECT(memcmp(confusion, s->expected->confusion, sizeof confusion) == 0);
    problem_free(p);
    return status;
}

static void test_workers_that_share_the_blocks_all_get_the_bits_of_one(void)
{
    static const int counts[] = {1, 2, 3, 7}; /* of seven workers two have no block */
    int64_t confusion[CELLS] = {0};
    struct problem_case c;

    problem_case_init(&c, net, COUNT, 8);
    struct problem *p = supervised_new(&c.setup);
    const struct evaluation expected = evaluate(p, c.state, confusion);
    int64_t all = 0;
    for (int i = 0; i < CELLS; i++)
        all += confusion[i];
    EXPECT_INT(all, COUNT);
    for (int i = 0; i < 4; i++) {
        struct shared_case s = {&c, &expected};
        struct world *w = NULL;

        if (EXPECT_OK(world_open(
                &(struct world_request){.transport = "threads", .workers = counts[i]}, &w)))
            EXPECT_OK(world_run(w, share_body, &s));
        world_close(w);
    }
    problem_free(p);
    problem_case_release(&c);
}

TEST_MAIN(TEST(test_values_are_means_over_the_samples),
          TEST(test_the_batch_and_the_threads_change_no_bit),
          TEST(test_any_cut_has_the_sums_of_the_whole),
          TEST(test_workers_that_share_the_blocks_all_get_the_bits_of_one))
