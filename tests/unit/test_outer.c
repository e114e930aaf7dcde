/*
 * test_outer.c - local SGD with an outer optimiser: what it equals, and where it ends. That it
 * makes the steps of DiLoCo and SlowMo is in tests/golden/test_golden_outer.c.
 */
#include "algo/parts/outer_step.h"
#include "base/rng.h"
#include "problem/quadratic.h"
#include "rounds.h"

enum { N = 37, WORKERS = 5 }; /* N is no multiple of any vector width */

static struct problem *plain_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

/* Worker 2 has three batches, worker 1 none. */
static struct problem *uneven_problem(void *context, int worker)
{
    const int64_t until = worker == 1 ? 0 : worker == 2 ? 3 : INT64_MAX;

    return rounds_problem_new(quadratic_new(context, worker), worker, until);
}

static struct rounds case_for(struct quadratic *q, const char *algorithm, const char *optimizer)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = q->options.workers,
        .rounds = 22, /* not a multiple of the periods below */
        .rounds_per_epoch = 5,
        .param_count = N,
        .state_count = N,
        .problem = plain_problem,
        .context = q,
        .seed = 1,
        .paranoid = true,
    };
}

static void make_quadratic(struct quadratic *q, int workers, double spread, double noise)
{
    quadratic_init(q,
                   &(struct quadratic_options){
                       .size = N, .workers = workers, .seed = 3, .spread = spread, .noise = noise});
}

/* --- what it equals --- */

/* Two runs of noisy quadratics of their own end with the same bits. */
static void expect_same(struct rounds *a, struct rounds *b)
{
    if (rounds_run(a, NULL) && rounds_run(b, NULL)) {
        for (int w = 0; w < a->workers; w++)
            if (!EXPECT(rounds_same_bits(a->states[w], b->states[w], a->state_count)))
                printf("# that was worker %d of %s\n", w, a->algorithm);
        EXPECT(fabs((double)a->states[0][0]) > 1e-3); /* it has moved */
        EXPECT_INT(a->bytes, b->bytes);
    }
    rounds_release(a);
    rounds_release(b);
}

static const char *const optimizers[] = {
    "{name: sgd, lr: 0.1}",
    "{name: sgd, lr: 0.03, momentum: 0.9}",
    "{name: adam, lr: 0.05}",
};

/* The options of local SGD, without and with an outer optimiser that takes the whole step. */
static void expect_plain(const char *options, struct problem *(*problem)(void *, int))
{
    for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
        char plain[128], outer[256];
        struct quadratic q;

        make_quadratic(&q, WORKERS, 1, 0.3);
        snprintf(plain, sizeof plain, "{name: local-sgd, %s}", options);
        snprintf(outer, sizeof outer, "{name: local-sgd, %s, outer: {name: sgd, lr: 1}}", options);
        struct rounds a = case_for(&q, outer, optimizers[i]);
        struct rounds b = case_for(&q, plain, optimizers[i]);
        a.problem = b.problem = problem;
        a.state_count = b.state_count = problem == plain_problem ? N : N + 1;
        expect_same(&a, &b);
        quadratic_release(&q);
    }
}

static void test_outer_sgd_of_rate_one_is_plain_local_sgd_to_the_bit(void)
{
    expect_plain("period: 4", plain_problem);
    expect_plain("period: 1", plain_problem);
    expect_plain("period: 4, post_local: 2", plain_problem);
    expect_plain("period: 4, optimizer_state: average", plain_problem);
    expect_plain("period: 4, optimizer_state: reset", plain_problem);
    expect_plain("period: 4", uneven_problem);
}

/* Values of all sizes: from 2^-20 to 2^20, of both signs. */
static float any_float(uint64_t index)
{
    const struct rng r = rng_make(9, RNG_TEST, 0);
    const double size = ldexp(1 + rng_uniform(&r, index, 0), (int)rng_below(&r, index, 1, 41) - 20);

    return (float)(rng_below(&r, index, 2, 2) == 0 ? -size : size);
}

static void test_a_whole_step_reaches_a_mean_of_any_size_to_the_bit(void)
{
    enum { COUNT = 40000 };
    struct choice outer = {0}, constant = {0};
    struct scratch_pool *pool = scratch_pool_new(
        &(struct scratch_pool_setup){.count = COUNT, .workers = 1, .cores = 1, .poisons = true});
    float *shared = MEM_NEW_N(float, COUNT), *state = MEM_NEW_N(float, COUNT);
    float *mean = MEM_NEW_N(float, COUNT);
    struct optim o;

    EXPECT_OK(rounds_choose(&outer, &optim_registry, "{name: sgd, lr: 1}"));
    EXPECT_OK(rounds_choose(&constant, &schedule_registry, "constant"));
    optim_init(&o, &outer, &(struct tensor_layout){.param_count = COUNT, .state_count = COUNT});
    for (int i = 0; i < COUNT; i++) {
        shared[i] = i % 11 == 0 ? 0 : any_float((uint64_t)(2 * i));
        mean[i] = state[i] = i % 13 == 0 ? 0 : any_float((uint64_t)(2 * i + 1));
    }
    struct worker w = {.outer = &o, .state = state, .scratch = {.pool = pool}};
    outer_step(&w, shared, &constant);
    EXPECT(rounds_same_bits(state, mean, COUNT));
    EXPECT(rounds_same_bits(shared, mean, COUNT));
    scratch_release(&w.scratch);
    scratch_pool_free(pool);
    optim_release(&o);
    choice_release(&outer);
    choice_release(&constant);
    mem_free(shared);
    mem_free(state);
    mem_free(mean);
}

/* SlowMo's momentum is in units of the learning rate, which matters only if that changes. */
static void test_slowmo_at_a_constant_rate_is_outer_momentum_to_the_bit(void)
{
    static const char plain[] =
        "{name: local-sgd, period: 4, outer: {name: sgd, lr: 0.9, momentum: 0.6}}";
    static const char scaled[] = "{name: local-sgd, period: 4, outer_scale: lr, "
                                 "outer: {name: sgd, lr: 0.9, momentum: 0.6}}";
    struct quadratic q;

    make_quadratic(&q, WORKERS, 1, 0.3);
    struct rounds a = case_for(&q, scaled, optimizers[0]), b = case_for(&q, plain, optimizers[0]);
    expect_same(&a, &b);
    quadratic_release(&q);
}

/* With one worker theta goes a share of the way to where the worker went, and it starts again from
 * there: Lookahead. */
static void test_one_worker_with_an_outer_rate_is_lookahead(void)
{
    enum { PERIOD = 4 };
    struct quadratic q;
    double slow[N] = {0}, fast[N] = {0};

    make_quadratic(&q, 1, 1, 0);
    struct rounds r = case_for(&q, "{name: local-sgd, period: 4, outer: {name: sgd, lr: 0.5}}",
                               "{name: sgd, lr: 0.1}");
    r.rounds = 5 * PERIOD;
    for (int k = 1; k <= r.rounds; k++)
        for (int j = 0; j < N; j++) {
            fast[j] -= 0.1 * q.a[j] * (fast[j] - q.b[j]);
            if (k % PERIOD == 0)
                fast[j] = slow[j] += 0.5 * (fast[j] - slow[j]);
        }
    if (rounds_run(&r, NULL))
        for (int j = 0; j < N; j++) /* values below 10, 20 rounds of float */
            EXPECT_NEAR((double)r.states[0][j], slow[j], 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- where it ends --- */

/* The point where local SGD ends: the mean of b weighted by 1 - (1 - lr a)^H. */
static double local_sgd_limit(const struct quadratic *q, int j, int period)
{
    double weights = 0, sum = 0;

    for (int i = 0; i < q->options.workers; i++) {
        const double weight = 1 - pow(1 - 0.1 * q->a[i * N + j], period);

        weights += weight;
        sum += weight * q->b[i * N + j];
    }
    return sum / weights;
}

/* An outer optimiser changes the way and not the end: D is zero where local SGD rests. */
static void expect_local_sgd_limit(const char *outer)
{
    enum { PERIOD = 10 };
    char algorithm[200];
    struct quadratic q;
    double apart = 0, bias = 0;

    make_quadratic(&q, 8, 1, 0);
    snprintf(algorithm, sizeof algorithm, "{name: local-sgd, period: %d, %s}", PERIOD, outer);
    struct rounds r = case_for(&q, algorithm, "{name: sgd, lr: 0.1}");
    r.rounds = 300 * PERIOD;
    if (rounds_run(&r, NULL))
        for (int j = 0; j < N; j++) {
            const double limit = local_sgd_limit(&q, j, PERIOD);
            const double off = fabs((double)r.states[0][j] - limit);

            apart = !(off <= apart) ? off : apart; /* also NaN */
            bias = fmax(bias, fabs(limit - quadratic_optimum(&q)[j]));
        }
    EXPECT(bias > 0.05);
    if (!EXPECT(apart < 1e-5)) /* float, values below 10 */
        printf("# %s: %g from the limit of local SGD\n", outer, apart);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_outer_optimizers_end_where_local_sgd_ends(void)
{
    expect_local_sgd_limit("outer: none");
    expect_local_sgd_limit("outer: {name: sgd, lr: 0.7, momentum: 0.9, nesterov: true}");
    expect_local_sgd_limit("outer: {name: sgd, lr: 1, momentum: 0.7}, outer_scale: lr");
    expect_local_sgd_limit("outer: {name: sgd, lr: 0.3}");
}

/* --- the shared model --- */

/* Between two averages workers differ, and the shared model is that of the last average. */
static void test_the_run_model_between_averages_is_the_shared_one(void)
{
    struct quadratic q;

    make_quadratic(&q, WORKERS, 1, 0.3);
    struct rounds whole = case_for(&q, "{name: local-sgd, period: 8, outer: {name: sgd, lr: 0.7}}",
                                   "{name: sgd, lr: 0.1}");
    struct rounds part = whole;
    whole.rounds = 8;
    part.rounds = 16;
    part.stop_at = 11;
    if (rounds_run(&whole, NULL) && rounds_run(&part, NULL))
        for (int i = 0; i < WORKERS; i++) {
            const struct worker w = {.algo = rounds_algo(&part),
                                     .options = part.chosen.options,
                                     .vectors = part.kept[i].vectors};
            const float *named = algo_run_model_vector(&w);

            if (EXPECT(named != NULL))
                EXPECT(rounds_same_bits(named, whole.states[0], N));
            EXPECT(!rounds_same_bits(part.states[i], whole.states[0], N));
        }
    rounds_release(&whole);
    rounds_release(&part);
    quadratic_release(&q);
}

/* --- what is refused --- */

static void expect_refused(const char *algorithm, const char *message)
{
    struct quadratic q;
    enum status s = STATUS_OK;

    make_quadratic(&q, 2, 1, 0);
    struct rounds r = case_for(&q, algorithm, "sgd");
    rounds_run(&r, &s);
    EXPECT_FAILS(s, STATUS_BAD_INPUT, message);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_options_that_would_do_nothing_are_refused(void)
{
    expect_refused("{name: local-sgd, outer: lbfgs}", "algorithm.outer.name: lbfgs");
    expect_refused("{name: local-sgd, outer_scale: lr}",
                   "algorithm.outer_scale: there is no outer optimizer");
    expect_refused("{name: local-sgd, outer_schedule: cosine}",
                   "algorithm.outer_schedule: there is no outer optimizer");
    expect_refused("{name: local-sgd, outer: adam, outer_scale: lr}",
                   "algorithm.outer_scale: lr is a rule for the momentum of outer sgd");
}

TEST_MAIN(TEST(test_outer_sgd_of_rate_one_is_plain_local_sgd_to_the_bit),
          TEST(test_a_whole_step_reaches_a_mean_of_any_size_to_the_bit),
          TEST(test_slowmo_at_a_constant_rate_is_outer_momentum_to_the_bit),
          TEST(test_one_worker_with_an_outer_rate_is_lookahead),
          TEST(test_outer_optimizers_end_where_local_sgd_ends),
          TEST(test_the_run_model_between_averages_is_the_shared_one),
          TEST(test_options_that_would_do_nothing_are_refused))
