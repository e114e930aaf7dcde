/*
 * test_ad_psgd.c - pairwise averaging while everybody computes: what it keeps, where it settles,
 * who waits for whom, and how it ends.
 */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "graph_case.h"

enum { AHEAD = 2, EXCHANGES = 0, MISSED = 1, NUMBERS = 2 };

/* --- problems with a pace --- */

/* What the workers of a run share: their functions, and how far each is. */
struct pace {
    struct quadratic *q;
    int64_t until;            /* batches with data; then empty ones */
    int slow;                 /* who sleeps in every gradient; -1: nobody */
    int64_t breaks_at;        /* the batch whose loss is no number, of the worker `breaks` */
    int breaks;               /* -1: nobody */
    bool is_bound;            /* nobody is more than AHEAD batches ahead of the slowest */
    atomic_long draws[NODES]; /* of each worker */
    long others;              /* the fewest draws of another, when the slow one drew its fifth */
};

struct paced_problem {
    struct problem base; /* first */
    struct problem *inner;
    struct pace *pace;
    int worker;
};

static long slowest(struct pace *p, int except)
{
    long least = LONG_MAX;

    for (int i = 0; i < p->q->options.workers; i++)
        if (i != except && atomic_load(&p->draws[i]) < least)
            least = atomic_load(&p->draws[i]);
    return least;
}

static void paced_draw(struct problem *problem)
{
    struct paced_problem *own = (struct paced_problem *)problem;
    struct pace *p = own->pace;
    const long drawn = atomic_fetch_add(&p->draws[own->worker], 1) + 1;

    if (own->worker == p->slow && drawn == 5)
        p->others = slowest(p, p->slow);
    problem_draw(own->inner);
    problem->batch_size = own->inner->batch_size;
    problem->batch_total = own->inner->batch_total;
    while (p->is_bound && drawn > slowest(p, -1) + AHEAD && drawn > AHEAD)
        sched_yield();
}

static enum status paced_gradient(struct problem *problem, float *state, float *gradient,
                                  struct batch_result *result)
{
    struct paced_problem *own = (struct paced_problem *)problem;
    struct pace *p = own->pace;

    if (own->worker == p->slow)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    own->inner->global_batch = problem->global_batch;
    TRY(problem_gradient(own->inner, state, gradient, result));
    if (own->worker == p->breaks && atomic_load(&p->draws[own->worker]) >= p->breaks_at)
        result->loss_sum = (double)NAN;
    return STATUS_OK;
}

static void paced_free(struct problem *problem)
{
    problem_free(((struct paced_problem *)problem)->inner);
    mem_free(problem);
}

static struct problem *paced_problem(void *context, int worker)
{
    static const struct problem_ops ops = {
        .entry = {.name = "quadratic with a pace"},
        .draw = paced_draw,
        .gradient = paced_gradient,
        .free = paced_free,
    };
    struct paced_problem *p = MEM_NEW(struct paced_problem);
    struct pace *pace = context;

    p->inner = rounds_problem_new(quadratic_new(pace->q, worker), worker, pace->until);
    p->base = *p->inner;
    p->base.ops = &ops;
    p->pace = pace;
    p->worker = worker;
    return &p->base;
}

static struct pace pace_of(struct quadratic *q)
{
    return (struct pace){.q = q, .until = INT64_MAX, .slow = -1, .breaks = -1, .is_bound = true};
}

/* One more float than the quadratic has, a buffer. All may compute at once: who keeps to the pace
 * holds its slot. */
static struct rounds paced_rounds(struct pace *p, const struct topology *t, const char *optimizer)
{
    struct rounds r = quadratic_rounds(p->q, t, "ad-psgd", optimizer);

    r.state_count = SIZE + 1;
    r.problem = paced_problem;
    r.context = p;
    r.slots = r.workers;
    return r;
}

/* --- averaging --- */

static double sum_of(float *const *states, int j)
{
    double sum = 0;

    for (int i = 0; i < NODES; i++)
        sum += (double)states[i][j];
    return sum;
}

/* Values are around 1: each of 2 * NODES * rounds means is rounded by at most 6e-8 of that. */
static void expect_mean(const struct topology *t, int64_t rounds)
{
    float starts[NODES][SIZE + 1];
    struct quadratic q;

    graph_quadratic(&q, NODES);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, t, "{name: sgd, lr: 0.1}");

    pace.until = 0;
    r.rounds = rounds;
    r.starts = &starts[0][0];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j <= SIZE; j++)
            starts[i][j] = (float)((i * 7 + j * 3) % 11) / 5 - 1;
    if (rounds_run(&r, NULL))
        for (int j = 0; j <= SIZE; j++) {
            double before = 0;

            for (int i = 0; i < NODES; i++) {
                before += (double)starts[i][j];
                EXPECT_NEAR((double)r.states[i][j], (double)r.states[0][j], 1e-3);
            }
            EXPECT_NEAR(sum_of(r.states, j), before, 2 * NODES * (double)rounds * 6e-8);
        }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_averaging_alone_keeps_the_mean_and_brings_all_together(void)
{
    const struct topology ring = ring_of(NODES), complete = complete_of(NODES);

    expect_mean(&ring, 150);
    expect_mean(&complete, 30);
}

static void test_statistics_that_stay_local_are_not_averaged(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;

    graph_quadratic(&q, NODES);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, &t, "{name: sgd, lr: 0.1}");
    r.statistics = STATISTICS_LOCAL;
    if (rounds_run(&r, NULL))
        for (int i = 0; i < NODES; i++) /* each gradient raises it by i + 1 */
            EXPECT_NEAR((double)r.states[i][SIZE], (double)r.rounds * (i + 1), 0);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_every_average_costs_two_models_and_every_refusal_one(void)
{
    const int64_t model = (SIZE + 1) * (int64_t)sizeof(float);
    const struct topology t = complete_of(NODES);
    struct quadratic q;
    int64_t exchanges = 0, missed = 0;

    graph_quadratic(&q, NODES);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, &t, "{name: sgd, lr: 0.1}");
    if (rounds_run(&r, NULL)) {
        for (int i = 0; i < NODES; i++) {
            exchanges += r.numbers[i * NUMBERS + EXCHANGES];
            missed += r.numbers[i * NUMBERS + MISSED];
        }
        EXPECT_INT(exchanges + missed, NODES * r.rounds);
        EXPECT(exchanges > NODES * r.rounds / 2);
        EXPECT_INT(r.bytes % model, 0);
        EXPECT(r.bytes >= 2 * model * exchanges);
        EXPECT(r.bytes <= 2 * model * exchanges + 4 * model * NODES * r.rounds);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- where it settles --- */

/*
 * In a round every node asks once and is asked once on average, and an exchange takes half of the
 * difference: on a ring the mean motion is x <- x - (1/2) L x - lr a (x - b), with L the graph's
 * Laplacian. How far its fixed point, found by Gauss-Seidel, is from the optimum.
 */
static double expected_bias(const struct quadratic *q, double lr)
{
    double largest = 0;

    for (int j = 0; j < SIZE; j++) {
        double x[NODES] = {0};

        for (int sweep = 0; sweep < 20000; sweep++)
            for (int i = 0; i < NODES; i++) {
                const double a = lr * q->a[i * SIZE + j];
                const double near = x[(i + 1) % NODES] + x[(i + NODES - 1) % NODES];
                x[i] = (0.5 * near + a * q->b[i * SIZE + j]) / (1 + a);
            }
        for (int i = 0; i < NODES; i++)
            largest = fmax(largest, fabs(x[i] - quadratic_optimum(q)[j]));
    }
    return largest;
}

static double settled_distance(struct quadratic *q, const char *optimizer, int64_t rounds)
{
    const struct topology t = ring_of(NODES);
    struct pace pace = pace_of(q);
    struct rounds r = paced_rounds(&pace, &t, optimizer);
    double distance = (double)INFINITY;

    r.rounds = rounds;
    if (rounds_run(&r, NULL))
        distance = distance_to_optimum(&r, q);
    rounds_release(&r);
    return distance;
}

/* Who meets whom is random, which is of the order of the bias too. */
static void test_different_nodes_settle_beside_the_optimum_by_the_bias_of_the_mean_motion(void)
{
    struct quadratic q;

    graph_quadratic(&q, NODES);
    const double coarse = settled_distance(&q, "{name: sgd, lr: 0.05}", 400);
    const double fine = settled_distance(&q, "{name: sgd, lr: 0.005}", 2500);

    if (!EXPECT(coarse < 3 * expected_bias(&q, 0.05)) || !EXPECT(coarse > 0.01) ||
        !EXPECT(fine < 3 * expected_bias(&q, 0.005)) || !EXPECT(fine < 0.5 * coarse))
        printf("# %g and %g; expected %g and %g\n", coarse, fine, expected_bias(&q, 0.05),
               expected_bias(&q, 0.005));
    quadratic_release(&q);
}

/* --- limits --- */

static void test_one_node_is_plain_sgd_to_the_bit(void)
{
    expect_single("ad-psgd", 0, true);
}

struct part {
    struct quadratic *q;
    int worker;
};

static struct problem *part_problem(void *context, int worker)
{
    const struct part *p = context;

    (void)worker;
    return quadratic_new(p->q, p->worker);
}

static void test_a_node_without_neighbours_is_plain_sgd_to_the_bit(void)
{
    struct topology t = {.nodes = 3};
    struct quadratic q;
    struct part part = {.q = &q, .worker = 1};

    t.w[0][0] = t.w[0][2] = t.w[2][0] = t.w[2][2] = 0.5;
    t.w[1][1] = 1;
    matrix_lists(&t);
    graph_quadratic(&q, 3);
    struct rounds all = quadratic_rounds(&q, &t, "ad-psgd", "{name: adam, lr: 0.05}");
    struct rounds alone = quadratic_rounds(&q, NULL, "single", "{name: adam, lr: 0.05}");

    alone.workers = 1;
    alone.problem = part_problem;
    alone.context = &part;
    if (rounds_run(&all, NULL) && rounds_run(&alone, NULL)) {
        EXPECT(rounds_same_bits(all.states[1], alone.states[0], SIZE));
        EXPECT(!rounds_same_bits(all.states[0], alone.states[0], SIZE));
        EXPECT_INT(all.numbers[1 * NUMBERS + EXCHANGES], 0);
    }
    rounds_release(&all);
    rounds_release(&alone);
    quadratic_release(&q);
}

/* Two that ask each other at the same time, again and again. */
static void test_two_nodes_that_always_cross_do_not_block_each_other(void)
{
    struct topology t = complete_of(2);
    struct quadratic q;

    graph_quadratic(&q, 2);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, &t, "{name: sgd, lr: 0.01}");
    r.rounds = 3000;
    if (rounds_run(&r, NULL))
        EXPECT(r.numbers[EXCHANGES] + r.numbers[NUMBERS + EXCHANGES] > r.rounds);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_nobody_waits_for_a_slow_node(void)
{
    struct topology t = complete_of(4);
    struct quadratic q;

    graph_quadratic(&q, 4);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, &t, "{name: sgd, lr: 0.01}");
    pace.is_bound = false;
    pace.slow = 1;
    r.rounds = 30;
    if (rounds_run(&r, NULL))
        EXPECT(pace.others > 10); /* in step they would be at 5 */
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_an_error_in_one_worker_ends_all(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    enum status s = STATUS_OK;

    graph_quadratic(&q, NODES);
    struct pace pace = pace_of(&q);
    struct rounds r = paced_rounds(&pace, &t, "{name: sgd, lr: 0.01}");
    pace.is_bound = false;
    pace.breaks = 3;
    pace.breaks_at = 20;
    r.rounds = 100000;
    if (rounds_run(&r, &s)) {
        EXPECT_INT(s, STATUS_DIVERGED);
        EXPECT_HAS(status_message(), "the loss is nan");
    }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_directed_graphs_are_refused(void)
{
    struct topology t = {.nodes = 3};

    for (int i = 0; i < 3; i++)
        t.w[i][i] = t.w[(i + 1) % 3][i] = 0.5;
    matrix_lists(&t);
    expect_failure(&t, "ad-psgd", "{name: sgd, lr: 0.01}",
                   "is directed, but ad-psgd needs an undirected graph");
}

TEST_MAIN(TEST(test_averaging_alone_keeps_the_mean_and_brings_all_together),
          TEST(test_statistics_that_stay_local_are_not_averaged),
          TEST(test_every_average_costs_two_models_and_every_refusal_one),
          TEST(test_different_nodes_settle_beside_the_optimum_by_the_bias_of_the_mean_motion),
          TEST(test_one_node_is_plain_sgd_to_the_bit),
          TEST(test_a_node_without_neighbours_is_plain_sgd_to_the_bit),
          TEST(test_two_nodes_that_always_cross_do_not_block_each_other),
          TEST(test_nobody_waits_for_a_slow_node), TEST(test_an_error_in_one_worker_ends_all),
          TEST(test_directed_graphs_are_refused))
