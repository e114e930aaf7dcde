/*
 * test_density_metrics.c - how well walls are found: precision, recall, overlap and the map.
 */
#include "unit/problem_case.h"

enum { WALL_COUNT = 150 }; /* three blocks, the last of them partial */

/* The network answers the mean of its input; targets are 1 for every fourth sample. */
static void fill_walls(struct samples *s, uint32_t stream)
{
    const struct rng r = rng_make(9, RNG_TEST, stream);

    mem_free(s->values);
    mem_free(s->labels);
    *s = (struct samples){
        .count = WALL_COUNT,
        .values = MEM_NEW_N(float, WALL_COUNT *CASE_SIZE),
        .targets = MEM_NEW_N(float, WALL_COUNT),
    };
    for (int64_t i = 0; i < WALL_COUNT; i++) {
        s->targets[i] = i % 4 == 0;
        for (int k = 0; k < CASE_SIZE; k++)
            s->values[i * CASE_SIZE + k] = (float)rng_uniform(&r, (uint64_t)i, 0);
    }
}

static void walls_init(struct problem_case *c)
{
    problem_case_init(c, "[flatten, {dense: {out: 1}}]", 20, 16);
    fill_walls(&c->dataset.train, 0);
    fill_walls(&c->dataset.test, 1);
    fill_walls(&c->dataset.map, 2);
    c->dataset.classes = 0;
    c->dataset.target_size = 1;
    c->dataset.is_density = true;
    compute_pool_free(c->pool);
    c->pool = compute_pool_new(c->model, &c->dataset, 16, 1);
    c->setup.pool = c->pool;
    c->setup.loss = (const struct loss_ops *)registry_find(&loss_registry, "l1");
    for (int64_t i = 0; i < c->model->state_count; i++)
        c->state[i] = 0;
    tensor_from_canonical(&c->model->tensors[0], c->state + c->model->tensors[0].offset,
                          (const float[CASE_SIZE]){0.25F, 0.25F, 0.25F, 0.25F});
}

static void walls_release(struct problem_case *c)
{
    mem_free(c->dataset.train.targets);
    mem_free(c->dataset.test.targets);
    mem_free(c->dataset.map.targets);
    mem_free(c->dataset.map.values);
    problem_case_release(c);
}

static void expect_walls(struct problem *p, const float *state, enum problem_part part,
                         const struct samples *s)
{
    double found = 0, answered = 0, walls = 0, either = 0, error = 0;
    struct evaluation e = {0};

    for (int64_t i = 0; i < WALL_COUNT; i++) {
        const bool answer = s->values[i * CASE_SIZE] >= 0.5F, wall = i % 4 == 0;

        found += answer && wall;
        answered += answer;
        walls += wall;
        either += answer || wall;
        error += fabs((double)s->values[i * CASE_SIZE] - wall);
    }
    EXPECT_OK(problem_evaluate(p, state, part, &e));
    EXPECT_INT(e.samples, WALL_COUNT);
    EXPECT_NEAR(problem_value(p, &e, "precision"), found / answered, 1e-12);
    EXPECT_NEAR(problem_value(p, &e, "recall"), found / walls, 1e-12);
    EXPECT_NEAR(problem_value(p, &e, "iou"), found / either, 1e-12);
    EXPECT_NEAR(problem_value(p, &e, "error"), error / WALL_COUNT, 1e-6);
    EXPECT_NEAR(e.loss, error / WALL_COUNT, 1e-6); /* which l1 is too */
}

static void test_walls_have_precision_recall_and_overlap(void)
{
    struct problem_case c;

    walls_init(&c);
    struct problem *p = supervised_new(&c.setup);
    expect_walls(p, c.state, PART_TEST, &c.dataset.test);
    expect_walls(p, c.state, PART_MAP, &c.dataset.map);

    memset(c.state, 0, (size_t)c.model->state_count * sizeof *c.state); /* answers no wall */
    struct evaluation e = {0};
    EXPECT_OK(problem_evaluate(p, c.state, PART_TEST, &e));
    EXPECT_NEAR(problem_value(p, &e, "precision"), 0, 0);
    EXPECT_NEAR(problem_value(p, &e, "iou"), 0, 0);
    problem_free(p);
    walls_release(&c);
}

TEST_MAIN(TEST(test_walls_have_precision_recall_and_overlap))
