/*
 * test_local_sgd.c - algorithms whose workers step alone and average: psgd and local-sgd, beside
 * single and sync on the same quadratics.
 */
#include "optim/optim.h"
#include "problem/quadratic.h"
#include "rounds.h"
#include "unit/problem_case.h"

enum { N = 37, WORKERS_MAX = 8 }; /* N is no multiple of any vector width */

static struct problem *plain_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

/* Worker 2 has three batches, all others have data for ever. */
static struct problem *uneven_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, worker == 2 ? 3 : INT64_MAX);
}

static struct problem *buffer_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, INT64_MAX);
}

static void make_quadratic(struct quadratic *q, int workers, double noise)
{
    quadratic_init(q, &(struct quadratic_options){
                          .size = N, .workers = workers, .seed = 3, .spread = 1, .noise = noise});
}

static struct rounds case_for(struct quadratic *q, const char *algorithm, const char *optimizer)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = q->options.workers,
        .rounds = 20,
        .rounds_per_epoch = 5,
        .param_count = N,
        .state_count = N,
        .problem = plain_problem,
        .context = q,
        .seed = 1,
    };
}

/* The same rounds with the same problems but with a buffer behind the parameters. */
static struct rounds case_with_buffer(struct quadratic *q, const char *algorithm,
                                      struct problem *(*problem)(void *, int))
{
    struct rounds r = case_for(q, algorithm, "{name: sgd, lr: 0.1}");

    r.state_count = N + 1;
    r.problem = problem;
    return r;
}

/* --- one worker is plain SGD --- */

static const char *const optimizers[] = {
    "{name: sgd, lr: 0.1}",
    "{name: sgd, lr: 0.05, momentum: 0.9}",
    "{name: adam, lr: 0.05}",
};

static void expect_single(const char *algorithm)
{
    struct quadratic q;

    make_quadratic(&q, 1, 0.3);
    for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
        struct rounds plain = case_for(&q, "single", optimizers[i]);
        struct rounds other = case_for(&q, algorithm, optimizers[i]);

        if (rounds_run(&plain, NULL) && rounds_run(&other, NULL) &&
            !EXPECT(rounds_same_bits(plain.states[0], other.states[0], N)))
            printf("# that was %s with %s\n", algorithm, optimizers[i]);
        EXPECT(fabs((double)plain.states[0][0]) > 1e-3); /* it has moved */
        rounds_release(&plain);
        rounds_release(&other);
    }
    quadratic_release(&q);
}

static void test_one_worker_equals_plain_sgd_to_the_bit(void)
{
    expect_single("sync");
    expect_single("psgd");
    expect_single("{name: local-sgd, period: 1}");
    expect_single("{name: local-sgd, period: 4}");
    expect_single("{name: local-sgd, period: 4, post_local: 2}");
    expect_single("{name: local-sgd, period: 4, optimizer_state: average}");
}

/* --- several workers, against the rule written out --- */

/* What the rule is made of: x and momentum of every worker, in double. */
struct by_hand {
    double x[WORKERS_MAX][N], v[WORKERS_MAX][N];
    double lr, momentum;
};

static void step_by_hand(struct by_hand *h, const struct quadratic *q, int worker)
{
    for (int j = 0; j < N; j++) {
        const double g = q->a[worker * N + j] * (h->x[worker][j] - q->b[worker * N + j]);
        h->v[worker][j] = h->momentum * h->v[worker][j] + g;
        h->x[worker][j] -= h->lr * h->v[worker][j];
    }
}

static void average_by_hand(double (*x)[N], int workers)
{
    for (int j = 0; j < N; j++) {
        double sum = 0;

        for (int i = 0; i < workers; i++)
            sum += x[i][j];
        for (int i = 0; i < workers; i++)
            x[i][j] = sum / workers;
    }
}

/* Values are below 10, 20 rounds of float: 20 * 10 * 6e-8 and some room. */
static void expect_states(const struct rounds *r, double (*x)[N])
{
    for (int i = 0; i < r->workers; i++)
        for (int j = 0; j < N; j++)
            EXPECT_NEAR((double)r->states[i][j], x[i][j], 2e-5);
}

static void test_psgd_is_the_mean_of_runs_that_never_met(void)
{
    struct quadratic q;
    struct by_hand h = {.lr = 0.1};

    make_quadratic(&q, 3, 0);
    struct rounds r = case_for(&q, "psgd", "{name: sgd, lr: 0.1}");
    for (int k = 0; k < r.rounds; k++)
        for (int i = 0; i < 3; i++)
            step_by_hand(&h, &q, i);
    average_by_hand(h.x, 3);
    if (rounds_run(&r, NULL))
        expect_states(&r, h.x);
    for (int i = 1; i < 3; i++)
        EXPECT(rounds_same_bits(r.states[0], r.states[i], N));
    rounds_release(&r);
    quadratic_release(&q);
}

enum memory { MEMORY_LOCAL, MEMORY_AVERAGE, MEMORY_RESET };

static void expect_local_sgd(const char *algorithm, int64_t period, int64_t post_local,
                             enum memory memory)
{
    struct quadratic q;
    struct by_hand h = {.lr = 0.02, .momentum = 0.9};

    make_quadratic(&q, 3, 0);
    struct rounds r = case_for(&q, algorithm, "{name: sgd, lr: 0.02, momentum: 0.9}");
    for (int64_t k = 0; k < r.rounds; k++) {
        for (int i = 0; i < 3; i++)
            step_by_hand(&h, &q, i);
        if (k >= post_local && (k + 1) % period != 0 && k + 1 < r.rounds)
            continue;
        average_by_hand(h.x, 3);
        if (memory == MEMORY_AVERAGE)
            average_by_hand(h.v, 3);
        if (memory == MEMORY_RESET)
            memset(h.v, 0, sizeof h.v);
    }
    if (rounds_run(&r, NULL))
        expect_states(&r, h.x);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_local_sgd_averages_every_period_and_at_the_end(void)
{
    expect_local_sgd("{name: local-sgd, period: 6}", 6, 0, MEMORY_LOCAL);
    expect_local_sgd("{name: local-sgd}", 16, 0, MEMORY_LOCAL);
}

/* Epochs have 5 rounds here: those before round 10 end with an average. */
static void test_post_local_sgd_averages_every_round_before_its_epoch(void)
{
    expect_local_sgd("{name: local-sgd, period: 4, post_local: 2}", 4, 10, MEMORY_LOCAL);
}

static void test_momentum_is_kept_averaged_or_forgotten_as_asked(void)
{
    expect_local_sgd("{name: local-sgd, period: 4, optimizer_state: local}", 4, 0, MEMORY_LOCAL);
    expect_local_sgd("{name: local-sgd, period: 4, optimizer_state: average}", 4, 0,
                     MEMORY_AVERAGE);
    expect_local_sgd("{name: local-sgd, period: 4, optimizer_state: reset}", 4, 0, MEMORY_RESET);
}

/* The mean of SGD steps is the step along the mean of gradients. */
static void test_local_sgd_of_period_one_is_sync_within_rounding(void)
{
    struct quadratic q;

    make_quadratic(&q, 5, 0.3);
    struct rounds local = case_for(&q, "{name: local-sgd, period: 1}", "{name: sgd, lr: 0.1}");
    struct rounds sync = case_for(&q, "sync", "{name: sgd, lr: 0.1}");
    if (rounds_run(&local, NULL) && rounds_run(&sync, NULL))
        for (int j = 0; j < N; j++) /* values below 10, 20 rounds, 5 addends of 6e-8 each */
            EXPECT_NEAR((double)local.states[0][j], (double)sync.states[0][j], 2e-5);
    rounds_release(&local);
    rounds_release(&sync);
    quadratic_release(&q);
}

/* Equal workers average to themselves; a count of steps that is off would change Adam's steps. */
static void test_averaging_adam_between_equal_workers_changes_nothing(void)
{
    const struct quadratic_options options = {.size = N, .workers = 1, .seed = 3};
    struct quadratic q;

    quadratic_init(&q, &options);
    struct rounds alone = case_for(&q, "single", "{name: adam, lr: 0.05}");
    quadratic_release(&q);

    struct quadratic twins;
    quadratic_init(&twins, &(struct quadratic_options){.size = N, .workers = 2, .seed = 3});
    memcpy(twins.a + N, twins.a, N * sizeof *twins.a);
    memcpy(twins.b + N, twins.b, N * sizeof *twins.b);
    alone.context = &twins;
    struct rounds both = case_for(&twins, "{name: local-sgd, period: 3, optimizer_state: average}",
                                  "{name: adam, lr: 0.05}");
    if (rounds_run(&alone, NULL) && rounds_run(&both, NULL)) /* halving and doubling are exact */
        EXPECT(rounds_same_bits(alone.states[0], both.states[1], N));
    rounds_release(&alone);
    rounds_release(&both);
    quadratic_release(&twins);
}

/* --- workers without data --- */

/* Of workers 0, 1 and 2 the last has three batches: it counts in the first average only. */
static void test_a_worker_that_made_no_step_has_weight_zero_and_gets_the_mean(void)
{
    struct quadratic q;
    struct by_hand h = {.lr = 0.1};

    make_quadratic(&q, 3, 0);
    struct rounds r = case_with_buffer(&q, "{name: local-sgd, period: 5}", uneven_problem);
    r.rounds = 10;
    for (int k = 0; k < r.rounds; k++) {
        for (int i = 0; i < 3; i++)
            if (i < 2 || k < 3)
                step_by_hand(&h, &q, i);
        if (k == 4)
            average_by_hand(h.x, 3);
    }
    average_by_hand(h.x, 2);
    memcpy(h.x[2], h.x[0], sizeof h.x[2]);
    if (rounds_run(&r, NULL))
        expect_states(&r, h.x);
    rounds_release(&r);
    quadratic_release(&q);
}

static struct problem *latecomer_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, worker == 0 ? 0 : INT64_MAX);
}

/* Worker 0 has nothing at all, hence no momentum of its own when the others average theirs. */
static void test_a_worker_that_never_had_data_hangs_nobody(void)
{
    static const char *const states[] = {"local", "average", "reset"};
    struct quadratic q;

    make_quadratic(&q, 3, 0);
    for (int i = 0; i < 3; i++) {
        char algorithm[80];

        snprintf(algorithm, sizeof algorithm, "{name: local-sgd, period: 3, optimizer_state: %s}",
                 states[i]);
        struct rounds r = case_with_buffer(&q, algorithm, latecomer_problem);
        r.optimizer = i == 1 ? "{name: adam, lr: 0.05}" : "{name: sgd, lr: 0.02, momentum: 0.9}";
        if (rounds_run(&r, NULL)) {
            EXPECT(rounds_same_bits(r.states[0], r.states[1], N));
            EXPECT(fabs((double)r.states[0][0]) > 1e-3);
        }
        rounds_release(&r);
    }
    quadratic_release(&q);
}

/* --- statistics --- */

/* Each of 20 gradients raises worker i's buffer by i + 1: 20, 40, 60, and 40 in the mean. */
static void expect_buffers(const char *algorithm, enum statistics statistics, const float *expected)
{
    struct quadratic q;

    make_quadratic(&q, 3, 0);
    struct rounds r = case_with_buffer(&q, algorithm, buffer_problem);
    r.statistics = statistics;
    if (rounds_run(&r, NULL))
        for (int i = 0; i < 3; i++) {
            EXPECT_NEAR((double)r.states[i][N], (double)expected[i], 1e-4); /* floats of 40 */
            EXPECT(rounds_same_bits(r.states[0], r.states[i], N));
        }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_statistics_are_averaged_unless_they_stay_local(void)
{
    static const float mean[] = {40, 40, 40};
    static const float own[] = {20, 40, 60};

    expect_buffers("psgd", STATISTICS_AVERAGE, mean);
    expect_buffers("psgd", STATISTICS_LOCAL, own);
    expect_buffers("psgd", STATISTICS_RECALIBRATE, own);
    expect_buffers("{name: local-sgd, period: 4}", STATISTICS_AVERAGE, mean);
    expect_buffers("{name: local-sgd, period: 4}", STATISTICS_LOCAL, own);
}

/* --- where it converges to --- */

static double excess_after(const char *algorithm, double spread)
{
    struct quadratic q;

    quadratic_init(
        &q, &(struct quadratic_options){.size = N, .workers = 8, .seed = 3, .spread = spread});
    struct rounds r = case_for(&q, algorithm, "{name: sgd, lr: 0.1}");
    r.rounds = 640;
    const double excess =
        rounds_run(&r, NULL) ? quadratic_excess(&q, r.states[0]) : (double)INFINITY;
    rounds_release(&r);
    quadratic_release(&q);
    return excess;
}

/*
 * With different functions local SGD settles beside the optimum, the further the longer the period.
 * The limit is known: the mean of b weighted by 1 - (1 - lr a)^H instead of by a.
 */
static void test_local_sgd_has_a_bias_that_shrinks_with_the_period(void)
{
    const double h16 = excess_after("{name: local-sgd, period: 16}", 1);
    const double h4 = excess_after("{name: local-sgd, period: 4}", 1);
    const double h1 = excess_after("{name: local-sgd, period: 1}", 1);

    EXPECT(h16 > 0.01);
    EXPECT(h4 < h16 / 3 && h4 > 1e-4);
    EXPECT(h1 < 1e-10); /* float: 37 squares of errors of 1e-6 */
}

static void test_the_bias_of_local_sgd_is_the_one_of_the_closed_form(void)
{
    enum { WORKERS = 8, PERIOD = 16 };
    struct quadratic q;

    quadratic_init(
        &q, &(struct quadratic_options){.size = N, .workers = WORKERS, .seed = 3, .spread = 1});
    struct rounds r = case_for(&q, "local-sgd", "{name: sgd, lr: 0.1}");
    r.rounds = 640;
    if (rounds_run(&r, NULL))
        for (int j = 0; j < N; j++) {
            double weights = 0;
            double sum = 0;

            for (int i = 0; i < WORKERS; i++) {
                const double weight = 1 - pow(1 - 0.1 * q.a[i * N + j], PERIOD);
                weights += weight;
                sum += weight * q.b[i * N + j];
            }
            EXPECT_NEAR((double)r.states[0][j], sum / weights, 1e-5); /* float, values below 10 */
        }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_without_heterogeneity_local_sgd_has_no_bias(void)
{
    EXPECT(excess_after("{name: local-sgd, period: 16}", 0) < 1e-10);
    EXPECT(excess_after("psgd", 0) < 1e-10);
}

/* --- the start --- */

static void test_starts_of_their_own_need_a_problem_that_draws_them(void)
{
    struct quadratic q;
    enum status s = STATUS_OK;

    make_quadratic(&q, 2, 0);
    struct rounds r = case_for(&q, "{name: psgd, common_start: false}", "sgd");
    rounds_run(&r, &s);
    EXPECT_FAILS(s, STATUS_BAD_INPUT, "common_start");
    rounds_release(&r);
    quadratic_release(&q);
}

static struct problem *network_of(void *context, int worker)
{
    struct supervised_setup setup = ((struct problem_case *)context)->setup;

    setup.worker = worker;
    return supervised_new(&setup);
}

/* How far the mean is from the run's weights when nobody learns: the length of the difference. */
static double distance_from_start(const char *algorithm, int workers)
{
    static const int64_t samples[] = {4, 4, 4};
    struct problem_case c;
    double squares = 0;

    problem_case_init(&c, "[flatten, {dense: {out: 3}}]", 12, 2);
    problem_case_deal(&c, samples, workers);
    struct rounds r = {
        .algorithm = algorithm,
        .optimizer = "{name: sgd, lr: 0}",
        .workers = workers,
        .rounds = 5,
        .param_count = c.model->param_count,
        .state_count = c.model->state_count,
        .problem = network_of,
        .context = &c,
        .start = c.state,
        .seed = 1,
    };
    if (rounds_run(&r, NULL))
        for (int64_t j = 0; j < r.param_count; j++)
            squares += pow((double)r.states[0][j] - (double)c.state[j], 2);
    rounds_release(&r);
    problem_case_release(&c);
    return sqrt(squares);
}

static void test_workers_begin_alike_unless_told_otherwise(void)
{
    EXPECT(distance_from_start("psgd", 3) < 1e-6); /* the rounding of a mean of equal values */
    /* 15 weights, uniform on +-0.5 (deviation 0.3): the mean of 3 is off by about 1 in all. */
    EXPECT(distance_from_start("{name: psgd, common_start: false}", 3) > 0.2);
    EXPECT_NEAR(distance_from_start("{name: psgd, common_start: false}", 1), 0, 0);
}

TEST_MAIN(TEST(test_one_worker_equals_plain_sgd_to_the_bit),
          TEST(test_psgd_is_the_mean_of_runs_that_never_met),
          TEST(test_local_sgd_averages_every_period_and_at_the_end),
          TEST(test_post_local_sgd_averages_every_round_before_its_epoch),
          TEST(test_momentum_is_kept_averaged_or_forgotten_as_asked),
          TEST(test_local_sgd_of_period_one_is_sync_within_rounding),
          TEST(test_averaging_adam_between_equal_workers_changes_nothing),
          TEST(test_a_worker_that_made_no_step_has_weight_zero_and_gets_the_mean),
          TEST(test_a_worker_that_never_had_data_hangs_nobody),
          TEST(test_statistics_are_averaged_unless_they_stay_local),
          TEST(test_local_sgd_has_a_bias_that_shrinks_with_the_period),
          TEST(test_the_bias_of_local_sgd_is_the_one_of_the_closed_form),
          TEST(test_without_heterogeneity_local_sgd_has_no_bias),
          TEST(test_starts_of_their_own_need_a_problem_that_draws_them),
          TEST(test_workers_begin_alike_unless_told_otherwise))
