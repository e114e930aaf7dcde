/*
 * test_work.c - what algorithms report of their computations (transport_work): every gradient, and
 * the steps and sums that are their own. A transport of virtual time has nothing else to go by.
 *
 * The transport is threads with one function more, which keeps what each endpoint reports.
 */
#include "algorithm_case.h"
#include "base/check.h"

enum { ENDPOINTS_MAX = 2 * WORKERS, REPORTS_MAX = 1000 };

/* What the problem is said to cost: nothing else has these bytes. */
static const struct problem_cost gradient_cost = {.flops = 1000, .bytes = 77};

struct report_log {
    struct work reports[REPORTS_MAX];
    int count;
    int64_t gradients; /* that were computed */
};
static struct report_log logs[ENDPOINTS_MAX];

/* --- the transport and the problem --- */

static struct transport_ops recording_ops;
static struct problem_ops counting_ops;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct report_log *own_log;
static enum status (*plain_gradient)(struct problem *p, float *state, float *gradient,
                                     struct batch_result *result);

static enum status record(struct transport *t, const struct work *w)
{
    struct report_log *log = &logs[t->rank];

    CHECK(log->count < REPORTS_MAX);
    log->reports[log->count++] = *w;
    return STATUS_OK;
}

static void record_work(struct transport *t)
{
    CHECK(t->rank < ENDPOINTS_MAX);
    own_log = &logs[t->rank];
    pthread_mutex_lock(&making);
    if (recording_ops.work == NULL) {
        recording_ops = *t->ops;
        recording_ops.work = record;
    }
    pthread_mutex_unlock(&making);
    t->ops = &recording_ops;
}

static enum status counted_gradient(struct problem *p, float *state, float *gradient,
                                    struct batch_result *result)
{
    own_log->gradients++;
    return plain_gradient(p, state, gradient, result);
}

static struct problem *counting_problem(void *context, int worker)
{
    struct problem *p = quadratic_new(context, worker);

    pthread_mutex_lock(&making);
    if (counting_ops.gradient == NULL) {
        plain_gradient = p->ops->gradient;
        counting_ops = *p->ops;
        counting_ops.gradient = counted_gradient;
    }
    pthread_mutex_unlock(&making);
    p->ops = &counting_ops;
    p->cost = gradient_cost;
    return p;
}

/* --- what was reported --- */

static int count_reports(int endpoint, double flops, double bytes)
{
    int count = 0;

    for (int i = 0; i < logs[endpoint].count; i++)
        count +=
            logs[endpoint].reports[i].flops == flops && logs[endpoint].reports[i].bytes == bytes;
    return count;
}

/* So many operations for each parameter, and so many vectors of them read or written. */
static int count_vectors(int endpoint, int operations, int vectors)
{
    return count_reports(endpoint, operations * (double)SIZE, vectors * 4.0 * SIZE);
}

static int count_gradients(int endpoint)
{
    return count_reports(endpoint, gradient_cost.flops, gradient_cost.bytes);
}

/* A step of SGD without momentum: x - a g. */
static int count_updates(int endpoint)
{
    return count_vectors(endpoint, 2, 3);
}

static void run_case(const char *section, const char *optimizer, int workers, int64_t rounds)
{
    struct choice chosen = {0};
    struct subject s;

    if (!EXPECT_OK(rounds_choose(&chosen, &algo_registry, section)))
        return;
    subject_init(&s, (const struct algo_ops *)chosen.entry, workers,
                 &(struct quadratic_options){.spread = 1});
    choice_release(&chosen);
    memset(logs, 0, sizeof logs);

    struct rounds r = rounds_of(&s, optimizer, rounds);

    r.algorithm = section;
    r.rounds = rounds;
    r.paranoid = false;
    r.problem = counting_problem;
    r.before_run = record_work;
    if (rounds_run(&r, NULL))
        for (int i = 0; i < s.workers; i++)
            EXPECT_INT(count_gradients(i), logs[i].gradients);
    rounds_release(&r);
    subject_release(&s);
}

static const char plain_sgd[] = "{name: sgd, lr: 0.05}";

/* --- one algorithm at a time --- */

static void test_a_round_of_sync_is_a_gradient_and_an_update(void)
{
    run_case("sync", plain_sgd, 3, 5);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(count_gradients(i), 5);
        EXPECT_INT(count_updates(i), 5);
        EXPECT_INT(logs[i].count, 10);
    }
}

static void test_an_update_with_momentum_is_more_than_one_without(void)
{
    run_case("single", "{name: sgd, lr: 0.05, momentum: 0.9}", 1, 5);
    EXPECT_INT(count_gradients(0), 5);
    EXPECT_INT(count_vectors(0, 6, 5), 5);
    EXPECT_INT(logs[0].count, 10);
}

static void test_lbfgs_reports_every_evaluation_and_its_direction(void)
{
    run_case("single", "{name: lbfgs, lr: 1}", 1, 3);
    EXPECT(count_gradients(0) > 3);
    EXPECT_INT(logs[0].count, count_gradients(0) + 3);
}

static void test_the_server_of_ps_sync_reports_its_sum_and_its_step(void)
{
    run_case("ps-sync", plain_sgd, 4, 5);
    for (int i = 0; i < 4; i++)
        EXPECT_INT(logs[i].count, 5); /* gradients: run_case has counted them */
    EXPECT_INT(count_vectors(4, 1, 3), 3 * 5);
    EXPECT_INT(count_updates(4), 5);
    EXPECT_INT(logs[4].count, 4 * 5);
}

static void test_the_server_of_ps_async_reports_a_step_for_each_gradient(void)
{
    run_case("ps-async", plain_sgd, 3, 12);
    EXPECT_INT(count_updates(3), 12);
    EXPECT_INT(logs[3].count, 12);
    run_case("{name: ps-async, compensation: constant}", plain_sgd, 3, 12);
    EXPECT_INT(count_updates(3), 12);
    EXPECT_INT(logs[3].count, 24);
}

/* On a cycle each has two neighbours. */
static void test_mixing_reports_its_sums(void)
{
    run_case("dsgd", plain_sgd, 5, 4);
    for (int i = 0; i < 5; i++) {
        EXPECT_INT(count_gradients(i), 4);
        EXPECT_INT(count_vectors(i, 2 * 3, 2 * 4), 4); /* a sum over neighbours */
        EXPECT_INT(count_vectors(i, 2, 3), 2 * 4);     /* added to the state; and the update */
        EXPECT_INT(logs[i].count, 4 * 4);
    }
}

static void test_compressed_mixing_reports_what_is_encoded_and_decoded(void)
{
    run_case("{name: choco, compressor: none, gamma: 0.5}", plain_sgd, 5, 4);
    for (int i = 0; i < 5; i++) {
        EXPECT_INT(count_gradients(i), 4);
        /* Its own message is encoded and decoded twice, and that of two neighbours decoded. */
        EXPECT_INT(count_vectors(i, 1, 2), (3 + 2) * 4);
        EXPECT_INT(count_vectors(i, 3, 4), 2 * 4);
        EXPECT_INT(count_vectors(i, 2, 3), 2 * 4);
        EXPECT_INT(logs[i].count, (1 + 5 + 2 + 2) * 4);
    }
}

/* Each exchange is averaged on both sides: by those who ask, and by who answers. */
static void test_ad_psgd_reports_averages_of_both_nodes(void)
{
    int averages = 0;

    run_case("ad-psgd", plain_sgd, 4, 10);
    for (int i = 0; i < 4; i++) {
        EXPECT_INT(count_gradients(i), 10);
        EXPECT_INT(count_updates(i), 10);
    }
    for (int i = 0; i < 8; i++)
        averages += count_vectors(i, 2, 4);
    EXPECT(averages > 0 && averages % 2 == 0);
    EXPECT(averages <= 2 * 4 * 10);
}

static void test_an_average_of_local_sgd_is_reported_when_it_is_made(void)
{
    run_case("{name: local-sgd, period: 3}", plain_sgd, 3, 6);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(count_updates(i), 6);
        EXPECT_INT(count_vectors(i, 1, 2), 2);
        EXPECT_INT(logs[i].count, 6 + 6 + 2);
    }
}

/* --- virtual time --- */

/* An operation of a gradient takes a millisecond; nothing else takes time but sleeping. */
static double virtual_now, virtual_slept;

static double tell_virtual_now(struct transport *t)
{
    (void)t;
    return virtual_now;
}

static enum status work_virtually(struct transport *t, const struct work *w)
{
    (void)t;
    virtual_now += w->bytes == gradient_cost.bytes ? w->flops * 1e-3 : 0;
    return STATUS_OK;
}

static enum status sleep_virtually(struct transport *t, double seconds)
{
    (void)t;
    virtual_now += seconds;
    virtual_slept += seconds;
    return STATUS_OK;
}

static void use_virtual_time(struct transport *t)
{
    static struct transport_ops ops; /* one worker */

    ops = *t->ops;
    ops.work = work_virtually;
    ops.now = tell_virtual_now;
    ops.sleep = sleep_virtually;
    t->ops = &ops;
    own_log = &logs[t->rank];
}

static struct delays slow_delays;

static void slow_down(struct worker *w)
{
    w->delays = &slow_delays;
}

/* A gradient is 1000 operations, so a second, and the worker takes three times as long. */
static void test_a_slow_worker_is_slower_by_its_factor_in_virtual_time(void)
{
    struct quadratic q;
    struct rounds r = {
        .algorithm = "single",
        .optimizer = plain_sgd,
        .workers = 1,
        .rounds = 4,
        .param_count = SIZE,
        .state_count = SIZE,
        .problem = counting_problem,
        .context = &q,
        .before_run = use_virtual_time,
        .before_round = slow_down,
    };

    quadratic_init(&q, &(struct quadratic_options){.size = SIZE, .workers = 1, .seed = 3});
    EXPECT_OK(delays_init(&slow_delays, NULL, "0:3", 1));
    EXPECT(rounds_run(&r, NULL));
    EXPECT_NEAR(virtual_slept, 4 * 2.0, 1e-9);
    EXPECT_NEAR(virtual_now, 4 * 3.0, 1e-9);
    delays_release(&slow_delays);
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- every algorithm --- */

/* run_case counts the gradients; a step is whatever moves the parameters with them. */
static void expect_reports(const struct algo_ops *algo)
{
    char section[SECTION_MAX];
    int64_t gradients = 0, others = 0;

    subject_section(section, sizeof section, algo);
    run_case(section, plain_sgd, WORKERS, 4);
    for (int i = 0; i < ENDPOINTS_MAX; i++) {
        gradients += logs[i].gradients;
        others += logs[i].count - count_gradients(i);
    }
    EXPECT(gradients >= 4);
    EXPECT(others >= 4);
}

static void test_every_algorithm_reports_its_gradients_and_its_steps(void)
{
    static char *no_names[] = {NULL};

    setting.names = no_names;
    with_algorithms(expect_reports);
}

TEST_MAIN(TEST(test_a_round_of_sync_is_a_gradient_and_an_update),
          TEST(test_an_update_with_momentum_is_more_than_one_without),
          TEST(test_lbfgs_reports_every_evaluation_and_its_direction),
          TEST(test_the_server_of_ps_sync_reports_its_sum_and_its_step),
          TEST(test_the_server_of_ps_async_reports_a_step_for_each_gradient),
          TEST(test_mixing_reports_its_sums),
          TEST(test_compressed_mixing_reports_what_is_encoded_and_decoded),
          TEST(test_ad_psgd_reports_averages_of_both_nodes),
          TEST(test_an_average_of_local_sgd_is_reported_when_it_is_made),
          TEST(test_a_slow_worker_is_slower_by_its_factor_in_virtual_time),
          TEST(test_every_algorithm_reports_its_gradients_and_its_steps))
