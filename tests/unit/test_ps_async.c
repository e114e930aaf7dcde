/*
 * test_ps_async.c - the asynchronous server against the same computed by hand in double, with
 * pushes that arrive in a scripted order; and its bounds on staleness.
 *
 * A script is a list of workers: update i is made with a gradient of worker script[i]. A worker
 * holds its gradient back until the server has made the updates before it.
 */
#include <sched.h>
#include <stdatomic.h>

#include "algo/parts/ps.h"
#include "base/clock.h"
#include "ps_case.h"

enum { SCRIPT_MAX = 32 };

struct script {
    int order[SCRIPT_MAX];
    int count;
    atomic_int turn;
    struct problem_ops ops;               /* pull's, with a gradient that waits */
    int64_t drawn_before[PS_WORKERS_MAX]; /* batches of an earlier run */

    /* Noted after each update. */
    int64_t samples[SCRIPT_MAX], gradients[SCRIPT_MAX];
    int64_t staleness[SCRIPT_MAX];
};

/* The position of the worker's gradient number `nth`; the script's end if there is none. */
static int position_of(const struct script *s, int rank, int64_t nth)
{
    for (int i = 0; i < s->count; i++)
        if (s->order[i] == rank && nth-- == 0)
            return i;
    return s->count;
}

static enum status waiting_gradient(struct problem *base, float *state, float *gradient,
                                    struct batch_result *result)
{
    const struct pull *p = (const struct pull *)base;
    struct script *s = p->run->context;
    const int mine = position_of(s, p->rank, p->batch - s->drawn_before[p->rank]);

    const double limit = clock_seconds() + 5; /* an impossible script fails instead of hanging */

    TRY(pull_gradient(base, state, gradient, result));
    while (atomic_load(&s->turn) < mine && clock_seconds() < limit)
        sched_yield();
    return STATUS_OK;
}

static struct problem *waiting_new(struct ps_run *r, int rank)
{
    struct script *s = r->context;
    struct problem *p = pull_new(r, rank);

    p->ops = &s->ops;
    problem_seek(p, 0, s->drawn_before[rank]);
    return p;
}

static void note_update(struct ps_endpoint *a)
{
    struct script *s = a->run->context;
    const int i = atomic_load(&s->turn);
    int64_t sum = 0;

    for (int p = 0; p < a->run->workers; p++)
        sum += a->worker.clients[p].staleness_sum;
    for (int k = 0; k < i; k++)
        sum -= s->staleness[k];
    s->staleness[i] = sum;
    s->samples[i] = a->worker.result.batch.samples;
    s->gradients[i] = a->worker.result.gradients;
    atomic_store(&s->turn, i + 1);
}

/* "0112": one digit for each update. */
static struct ps_run scripted(struct script *s, const char *order, const char *algorithm)
{
    s->count = (int)strlen(order);
    for (int i = 0; i < s->count; i++)
        s->order[i] = order[i] - '0';
    atomic_init(&s->turn, 0);
    s->ops = pull_ops;
    s->ops.gradient = waiting_gradient;
    return (struct ps_run){
        .algorithm = algorithm,
        .optimizer = "{name: sgd, lr: 0.1}",
        .workers = 3,
        .rounds = s->count,
        .sizes = {1, 2, 3, 1},
        .problem = waiting_new,
        .after = note_update,
        .context = s,
    };
}

/* --- the same by hand --- */

enum rule { RULE_NONE, RULE_CONSTANT, RULE_ADAPTIVE };

struct by_hand {
    enum rule rule;
    double lambda, decay, lr, momentum;
    bool per_worker, inverse;
    double x[PULL_SIZE], velocity[PULL_SIZE];
    double backup[PS_WORKERS_MAX][PULL_SIZE], ms[PS_WORKERS_MAX][PULL_SIZE];
    int64_t given[PS_WORKERS_MAX], batch[PS_WORKERS_MAX];
};

static double hand_gradient(const struct by_hand *h, const struct ps_run *r, int p, int64_t j)
{
    const int64_t size = pull_batch_size(r, p, h->batch[p]);
    double sum = 0;

    if (j == PULL_SIZE - 1)
        return 0;
    for (int64_t s = 0; s < size; s++)
        sum += (double)pull_curvature(j) *
               (h->backup[p][j] - (double)pull_number(p, h->batch[p], s, j));
    return sum / (double)size;
}

static void hand_update(struct by_hand *h, const struct ps_run *r, int p, int64_t version)
{
    const int64_t staleness = version - h->given[p];
    double *ms = h->ms[h->per_worker ? p : 0];
    const double lr = h->inverse ? h->lr / (double)(1 + staleness) : h->lr;

    for (int64_t j = 0; j < PULL_SIZE; j++) {
        double g = hand_gradient(h, r, p, j), lambda = h->lambda;

        ms[j] = h->decay * ms[j] + (1 - h->decay) * g * g;
        if (h->rule == RULE_ADAPTIVE)
            lambda /= sqrt(ms[j] + 1e-7);
        if (h->rule != RULE_NONE)
            g += lambda * g * g * (h->x[j] - h->backup[p][j]);
        h->velocity[j] = version == 0 ? g : h->momentum * h->velocity[j] + g;
        h->x[j] -= lr * h->velocity[j];
    }
    h->batch[p]++;
    h->given[p] = version + 1;
    memcpy(h->backup[p], h->x, sizeof h->x);
}

/* Runs the script both ways, without a bound. */
static void expect_by_hand(const char *order, const char *algorithm, struct by_hand *h)
{
    struct script s = {0};
    struct ps_run r = scripted(&s, order, algorithm);
    float start[PULL_SIZE];

    if (h->momentum > 0)
        r.optimizer = "{name: sgd, lr: 0.1, momentum: 0.5}";
    h->lr = 0.1;
    pull_start(start);
    for (int64_t j = 0; j < PULL_SIZE; j++)
        h->x[j] = (double)start[j];
    for (int p = 0; p < r.workers; p++)
        memcpy(h->backup[p], h->x, sizeof h->x);
    for (int i = 0; i < s.count; i++)
        hand_update(h, &r, s.order[i], i);

    EXPECT_OK(ps_run(&r));
    for (int64_t j = 0; j < PULL_SIZE; j++) /* a few dozen roundings of floats about 1 */
        EXPECT_NEAR(r.state[j], h->x[j], 3e-6);
    mem_free(r.state);
}

static const char *const mixed = "012210011122220010212";

static void test_gradients_are_applied_as_they_arrive(void)
{
    expect_by_hand(mixed, "{name: ps-async}", &(struct by_hand){0});
    expect_by_hand(mixed, "{name: ps-async}", &(struct by_hand){.momentum = 0.5});
}

static void test_constant_compensation_is_the_formula(void)
{
    expect_by_hand(mixed, "{name: ps-async, compensation: constant}",
                   &(struct by_hand){.rule = RULE_CONSTANT, .lambda = 0.04});
    expect_by_hand(mixed, "{name: ps-async, compensation: constant, lambda: 1.5}",
                   &(struct by_hand){.rule = RULE_CONSTANT, .lambda = 1.5, .momentum = 0.5});
}

static void test_adaptive_compensation_is_the_formula(void)
{
    expect_by_hand(mixed, "{name: ps-async, compensation: adaptive}",
                   &(struct by_hand){.rule = RULE_ADAPTIVE, .lambda = 2, .decay = 0.95});
    expect_by_hand(
        mixed, "{name: ps-async, compensation: adaptive, lambda: 0.5, ms_decay: 0}",
        &(struct by_hand){.rule = RULE_ADAPTIVE, .lambda = 0.5, .decay = 0, .momentum = 0.5});
}

static void test_a_mean_square_for_each_worker_is_another_one(void)
{
    expect_by_hand(
        mixed, "{name: ps-async, compensation: adaptive, lambda: 0.3, ms_per_worker: true}",
        &(struct by_hand){.rule = RULE_ADAPTIVE, .lambda = 0.3, .decay = 0.95, .per_worker = true});
}

static void test_stale_gradients_may_have_a_lower_rate(void)
{
    expect_by_hand(mixed, "{name: ps-async, staleness_lr: inverse}",
                   &(struct by_hand){.inverse = true});
    expect_by_hand(mixed, "{name: ps-async, staleness_lr: inverse, compensation: constant}",
                   &(struct by_hand){.inverse = true, .rule = RULE_CONSTANT, .lambda = 0.04});
}

/* Without compensation and with it the results differ by far more than rounding. */
static void test_compensation_does_something(void)
{
    struct by_hand none = {0}, some = {.rule = RULE_CONSTANT, .lambda = 1.5};
    double most = 0;

    expect_by_hand(mixed, "{name: ps-async}", &none);
    expect_by_hand(mixed, "{name: ps-async, compensation: constant, lambda: 1.5}", &some);
    for (int64_t j = 0; j < PULL_SIZE; j++)
        most = fmax(most, fabs(none.x[j] - some.x[j]));
    EXPECT(most > 1e-3);
}

/* --- staleness --- */

static void expect_staleness(const char *order, const char *algorithm, const char *digits)
{
    struct script s = {0};
    struct ps_run r = scripted(&s, order, algorithm);

    EXPECT_OK(ps_run(&r));
    for (int i = 0; i < s.count; i++)
        if (s.staleness[i] != digits[i] - '0') {
            EXPECT_INT(s.staleness[i], digits[i] - '0');
            printf("# at update %d of %s\n", i, algorithm);
        }
    EXPECT_INT(r.numbers[PS_VERSION], s.count);
    mem_free(r.state);
}

static void test_staleness_is_the_number_of_updates_in_between(void)
{
    expect_staleness("01212200", "{name: ps-async}", "01211050");
}

/* Worker 1 is at clock 2 when the others are at 0, and may not start its third iteration. It gets
 * its model when both others have come, so its third gradient is not stale, as it is without a
 * bound. */
static void test_a_worker_that_is_too_far_ahead_waits_for_the_slowest(void)
{
    expect_staleness("1102102", "{name: ps-async}", "0023222");
    expect_staleness("1102102", "{name: ps-async, staleness: 2}", "0023222");
    expect_staleness("1102102", "{name: ps-async, staleness: 1}", "0023022");
}

/* Worker 1 leaves after one round and worker 0 after two. Worker 2 then goes on to its fifth, of
 * which a bound would keep it if it waited for their clocks. */
static void test_no_worker_waits_for_one_that_has_left(void)
{
    static const int64_t rounds[] = {2, 1, 5};
    static const char *const algorithms[] = {"{name: ps-async}", "{name: ps-async, staleness: 1}"};
    static const int64_t staleness[] = {0, 1, 2, 1, 1, 0, 0, 0};

    for (int k = 0; k < 2; k++) {
        struct script s = {0};
        struct ps_run r = scripted(&s, "10202222", algorithms[k]);

        r.client_rounds = rounds;
        EXPECT_OK(ps_run(&r));
        for (int i = 0; i < s.count; i++)
            EXPECT_INT(s.staleness[i], staleness[i]);
        for (int p = 0; p < 3; p++)
            EXPECT_INT(r.clients[p].updates, rounds[p]);
        EXPECT_INT(r.numbers[PS_DISCARDED], 0);
        mem_free(r.state);
    }
}

static void test_records_tell_each_workers_part(void)
{
    struct script s = {0};
    struct ps_run r = scripted(&s, "11111111111111111110", "{name: ps-async}");
    int64_t samples = 0;

    EXPECT_OK(ps_run(&r));
    EXPECT_INT(r.clients[1].updates, 19);
    EXPECT_INT(r.clients[1].staleness[0], 19);
    EXPECT_INT(r.clients[1].staleness_sum, 0);
    EXPECT_INT(r.clients[0].updates, 1);
    EXPECT_INT(r.clients[0].staleness_max, 19);
    EXPECT_INT(r.clients[0].staleness_sum, 19);
    EXPECT_INT(r.clients[0].staleness[15], 1); /* all above 14 */
    EXPECT_INT(r.clients[2].updates, 0);
    EXPECT_INT(r.numbers[PS_DISCARDED], 2); /* workers 1 and 2 still computed; 0 was last */
    for (int64_t k = 0; k < 19; k++)
        samples += pull_batch_size(&r, 1, k);
    EXPECT_INT(r.clients[1].samples, samples);
    EXPECT_INT(s.samples[19], pull_batch_size(&r, 0, 0));
    EXPECT_INT(s.gradients[19], 1);
    EXPECT_INT(r.samples, samples + pull_batch_size(&r, 0, 0));
    EXPECT_NEAR(r.loss_sum, r.clients[0].loss_sum + r.clients[1].loss_sum, 1e-9);
    mem_free(r.state);
}

static void test_empty_batches_are_no_updates(void)
{
    struct ps_run r = {
        .algorithm = "{name: ps-async, staleness: 2, compensation: adaptive}",
        .optimizer = "{name: sgd, lr: 0.1}",
        .workers = 2,
        .rounds = 40,
        .sizes = {2, 0, 3, 0},
    };

    EXPECT_OK(ps_run(&r));
    EXPECT_INT(r.clients[0].updates + r.clients[1].updates, 40);
    EXPECT_INT(r.gradients, 40);
    EXPECT(r.clients[0].empty > 0 && r.clients[1].empty > 0);
    mem_free(r.state);
}

/* --- bounds, with real delays --- */

struct spread {
    int64_t most;
};

static void note_spread(struct ps_endpoint *a)
{
    struct spread *s = a->run->context;
    int64_t first = a->worker.clients[0].updates, last = first;

    for (int p = 1; p < a->run->workers; p++) {
        const int64_t clock = a->worker.clients[p].updates;

        first = clock > first ? clock : first;
        last = clock < last ? clock : last;
    }
    s->most = first - last > s->most ? first - last : s->most;
}

static int64_t spread_with(const char *algorithm, int64_t rounds, int64_t *most_stale)
{
    struct spread s = {0};
    struct ps_run r = {
        .algorithm = algorithm,
        .optimizer = "{name: sgd, lr: 0.01}",
        .workers = 3,
        .rounds = rounds,
        .sizes = {1, 2, 1, 2},
        .slow_worker = "2:5ms",
        .after = note_spread,
        .context = &s,
    };

    EXPECT_OK(ps_run(&r));
    *most_stale = 0;
    for (int p = 0; p < 3; p++)
        if (r.clients[p].staleness_max > *most_stale)
            *most_stale = r.clients[p].staleness_max;
    mem_free(r.state);
    return s.most;
}

/* A worker starts at most s ahead of the slowest, and so ends at most s + 1 ahead. While it
 * computes, each other one passes from s behind to s + 1 ahead at most: 2s + 1 updates. */
static void test_bounded_staleness_bounds_clocks_and_staleness(void)
{
    int64_t stale = 0;

    for (int64_t s = 1; s <= 3; s++) {
        char algorithm[64];

        snprintf(algorithm, sizeof algorithm, "{name: ps-async, staleness: %lld}", (long long)s);
        EXPECT_INT(spread_with(algorithm, 60, &stale), s + 1); /* reached: one is slow */
        EXPECT(stale >= 1 && stale <= (3 - 1) * (2 * s + 1));
    }
    EXPECT(spread_with("{name: ps-async}", 60, &stale) > 3 + 1);
}

/* --- stopping and going on --- */

/* Three updates of one run and four of a second are seven of one, when the server gets its numbers
 * back: clocks too, or worker 1 would begin at once and its gradient be stale. */
static void test_a_resumed_server_keeps_its_version_and_clocks(void)
{
    struct script first =
                      {
                          0
    },
                  second = {.drawn_before = {0, 2, 0}};
    struct ps_run a = scripted(&first, "11", "{name: ps-async, staleness: 1}");
    struct ps_run b = scripted(&second, "0210", "{name: ps-async, staleness: 1}");

    EXPECT_OK(ps_run(&a));
    EXPECT_INT(a.numbers[PS_VERSION], 2);
    EXPECT_INT(a.numbers[PS_DISCARDED], 2);
    memcpy(b.numbers, a.numbers, sizeof b.numbers);
    b.is_resumed = true;
    b.state = a.state;
    EXPECT_OK(ps_run(&b));
    EXPECT_INT(b.numbers[PS_VERSION], 6);
    EXPECT_INT(second.staleness[0], 0);
    EXPECT_INT(second.staleness[1], 1);
    EXPECT_INT(second.staleness[2], 0); /* held until 0 and 2 had come */
    EXPECT_INT(second.staleness[3], 2);
    mem_free(b.state);
}

static void test_one_worker_that_stops_and_goes_on_is_one_that_never_stopped(void)
{
    static const char *const algorithm = "{name: ps-async, compensation: adaptive}";
    struct script none = {0}, first = {0}, second = {.drawn_before = {5}};
    struct ps_run whole = scripted(&none, "000000000", algorithm);
    struct ps_run a = scripted(&first, "00000", algorithm);
    struct ps_run b = scripted(&second, "0000", algorithm);

    whole.workers = a.workers = b.workers = 1;
    EXPECT_OK(ps_run(&whole));
    EXPECT_OK(ps_run(&a));
    memcpy(b.numbers, a.numbers, sizeof b.numbers);
    b.is_resumed = true;
    b.state = a.state;
    EXPECT_OK(ps_run(&b));
    EXPECT(ps_same_bits(&whole, &b));
    EXPECT_INT(b.numbers[PS_VERSION], 9);
    mem_free(whole.state);
    mem_free(b.state);
}

TEST_MAIN(TEST(test_gradients_are_applied_as_they_arrive),
          TEST(test_constant_compensation_is_the_formula),
          TEST(test_adaptive_compensation_is_the_formula),
          TEST(test_a_mean_square_for_each_worker_is_another_one),
          TEST(test_stale_gradients_may_have_a_lower_rate), TEST(test_compensation_does_something),
          TEST(test_staleness_is_the_number_of_updates_in_between),
          TEST(test_a_worker_that_is_too_far_ahead_waits_for_the_slowest),
          TEST(test_no_worker_waits_for_one_that_has_left),
          TEST(test_records_tell_each_workers_part), TEST(test_empty_batches_are_no_updates),
          TEST(test_bounded_staleness_bounds_clocks_and_staleness),
          TEST(test_a_resumed_server_keeps_its_version_and_clocks),
          TEST(test_one_worker_that_stops_and_goes_on_is_one_that_never_stopped))
