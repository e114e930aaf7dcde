/*
 * test_single.c - one worker with an optimiser that evaluates a batch several times: each of these
 * gradients is counted and held up.
 */
#include "problem/quadratic.h"
#include "rounds.h"

enum { N = 12, ROUNDS = 5 };

/* What before_round has and sees, which gets the worker alone. */
static struct {
    struct delays delays;
    double delayed;
    int64_t steps, gradients;
} seen;

/* The buffer behind the parameters counts gradients (rounds_problem.h). */
static void look_and_delay(struct worker *w)
{
    w->delays = &seen.delays;
    seen.delayed = w->delayed;
    seen.steps = w->steps;
    seen.gradients = (int64_t)w->state[N];
}

static struct problem *problem_of(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, INT64_MAX);
}

static void run_with(const char *optimizer, const char *delay)
{
    struct quadratic q;
    struct rounds r = {
        .algorithm = "single",
        .optimizer = optimizer,
        .workers = 1,
        .rounds = ROUNDS,
        .param_count = N,
        .state_count = N + 1,
        .problem = problem_of,
        .context = &q,
        .before_round = look_and_delay,
        .seed = 1,
    };

    quadratic_init(&q, &(struct quadratic_options){.size = N, .workers = 1, .seed = 3, .noise = 1});
    EXPECT_OK(delays_init(&seen.delays, delay, NULL, 1));
    EXPECT(rounds_run(&r, NULL));
    delays_release(&seen.delays);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_a_delay_holds_up_every_gradient_of_lbfgs(void)
{
    run_with("{name: lbfgs, max_iter: 3}", "1ms");
    EXPECT(seen.gradients > 2 * (ROUNDS - 1));
    EXPECT_INT(seen.steps, seen.gradients);
    EXPECT_NEAR(seen.delayed, 1e-3 * (double)seen.gradients, 1e-12);
}

static void test_a_delay_holds_up_the_trials_of_a_line_search(void)
{
    run_with("{name: lbfgs, max_iter: 2, lr: 30, line_search: strong_wolfe}", "1ms");
    EXPECT(seen.gradients > 2 * (ROUNDS - 1));
    EXPECT_INT(seen.steps, seen.gradients);
    EXPECT_NEAR(seen.delayed, 1e-3 * (double)seen.gradients, 1e-12);
}

static void test_a_delay_holds_up_the_one_gradient_of_sgd(void)
{
    run_with("{name: sgd}", "1ms");
    EXPECT_INT(seen.gradients, ROUNDS - 1);
    EXPECT_INT(seen.steps, ROUNDS - 1);
    EXPECT_NEAR(seen.delayed, 1e-3 * (ROUNDS - 1), 1e-12);
}

TEST_MAIN(TEST(test_a_delay_holds_up_every_gradient_of_lbfgs),
          TEST(test_a_delay_holds_up_the_trials_of_a_line_search),
          TEST(test_a_delay_holds_up_the_one_gradient_of_sgd))
