/*
 * test_solo.c - workers that never talk: each is a run of its own.
 */
#include "optim/optim.h"
#include "problem/quadratic.h"
#include "rounds.h"

enum { N = 37, WORKERS = 3 };

/* Worker 2 has three batches, all others have data for ever. */
static struct problem *problem_of(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, worker == 2 ? 3 : INT64_MAX);
}

struct part {
    struct quadratic *q;
    int worker;
};

/* The problem of one worker of many, for a run that has one worker only. */
static struct problem *part_problem(void *context, int worker)
{
    const struct part *p = context;

    (void)worker;
    return problem_of(p->q, p->worker);
}

static struct rounds case_of(const char *algorithm, int workers)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = "{name: sgd, lr: 0.05, momentum: 0.9}",
        .workers = workers,
        .rounds = 20,
        .param_count = N,
        .state_count = N + 1,
        .seed = 1,
    };
}

static void expect_part(struct quadratic *q, int worker, const float *state)
{
    struct part part = {.q = q, .worker = worker};
    struct rounds alone = case_of("single", 1);

    alone.problem = part_problem;
    alone.context = &part;
    if (rounds_run(&alone, NULL))
        EXPECT(rounds_same_bits(state, alone.states[0], N + 1));
    rounds_release(&alone);
}

static void test_solo_is_single_on_every_part(void)
{
    struct quadratic q;

    quadratic_init(&q, &(struct quadratic_options){
                           .size = N, .workers = WORKERS, .seed = 3, .spread = 1, .noise = 0.3});
    struct rounds solo = case_of("solo", WORKERS);
    solo.problem = problem_of;
    solo.context = &q;
    if (rounds_run(&solo, NULL))
        for (int i = 0; i < WORKERS; i++) {
            expect_part(&q, i, solo.states[i]);
            EXPECT(i == 0 || !rounds_same_bits(solo.states[i], solo.states[0], N));
        }
    rounds_release(&solo);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_solo_is_single_on_every_part))
