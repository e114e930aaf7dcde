/*
 * test_graph_exact.c - extra, exact-diffusion, prox-pda, next and sgp: against their rules written
 * out in double, and against optima that are known.
 */
#include "graph_case.h"

#define PLAIN "{name: sgd, lr: 0.1}"

typedef void (*rule)(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                     int64_t round);

/* Values are below 10, 20 rounds of float: 20 * 10 * 6e-8 and some room. */
static void expect_rule(const char *algorithm, const struct topology *t, rule by_rule)
{
    struct quadratic q;
    struct by_hand *h = MEM_NEW(struct by_hand);

    graph_quadratic(&q, t->nodes);
    struct rounds r = quadratic_rounds(&q, t, algorithm, PLAIN);
    for (int64_t k = 0; k < r.rounds; k++)
        by_rule(h, t, &q, k);
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h->x, 2e-5);
    mem_free(h);
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- extra and exact diffusion, in the two-step forms of the papers --- */

/* y: x of the round before; g: the gradient there. */
static void extra_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                          int64_t round)
{
    double now[NODES][SIZE], mixed[NODES][SIZE], before[NODES][SIZE];

    memcpy(now, h->x, sizeof now);
    memcpy(mixed, h->x, sizeof mixed);
    memcpy(before, h->y, sizeof before);
    mix_by_hand(t, mixed);
    mix_by_hand(t, before);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double g = gradient_by_hand(q, i, j, now[i][j]);

            if (round == 0)
                h->x[i][j] = mixed[i][j] - 0.1 * g;
            else
                h->x[i][j] = now[i][j] + mixed[i][j] - (h->y[i][j] + before[i][j]) / 2 -
                             0.1 * (g - h->g[i][j]);
            h->g[i][j] = g;
        }
    memcpy(h->y, now, sizeof now);
}

/* y: psi of the round before. */
static void exact_diffusion_by_hand(struct by_hand *h, const struct topology *t,
                                    const struct quadratic *q, int64_t round)
{
    double phi[NODES][SIZE] = {{0}};

    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double psi = h->x[i][j] - 0.1 * gradient_by_hand(q, i, j, h->x[i][j]);
            phi[i][j] = round == 0 ? psi : psi + h->x[i][j] - h->y[i][j];
            h->y[i][j] = psi;
        }
    memcpy(h->x, phi, sizeof phi);
    mix_by_hand(t, h->x);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++)
            h->x[i][j] = (h->x[i][j] + phi[i][j]) / 2;
}

static void test_extra_and_exact_diffusion_are_their_two_step_rules(void)
{
    const struct topology t = ring_of(NODES);

    expect_rule("extra", &t, extra_by_hand);
    expect_rule("{name: extra, alpha: 0.1}", &t, extra_by_hand);
    expect_rule("exact-diffusion", &t, exact_diffusion_by_hand);
}

/* --- prox-pda; y is the dual --- */

static void prox_pda_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                             int64_t round)
{
    double old[NODES][SIZE];

    (void)round;
    memcpy(old, h->x, sizeof old);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double x = old[i][j];
            const double sum = 2 * x + old[t->in[i][0]][j] + old[t->in[i][1]][j];

            h->x[i][j] = (sum - (gradient_by_hand(q, i, j, x) + h->y[i][j]) / 2.5) / 4;
        }
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++)
            h->y[i][j] += 2.5 * (2 * h->x[i][j] - h->x[t->in[i][0]][j] - h->x[t->in[i][1]][j]);
}

static void test_prox_pda_is_its_rule(void)
{
    const struct topology t = ring_of(NODES);

    expect_rule("{name: prox-pda, beta: 2.5}", &t, prox_pda_by_hand);
    expect_rule("prox-pda", &t, prox_pda_by_hand); /* 1 / (4 * 0.1) */
}

/* --- next --- */

static double next_step_by_hand(double x, double y)
{
    double z = x - 0.1 * y;

    z = z > 0.02 ? z - 0.02 : z < -0.02 ? z + 0.02 : 0;
    return fmin(fmax(z, -0.5), 0.75);
}

static void next_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                         int64_t round)
{
    double a = 0.9;

    for (int64_t k = 0; k < round; k++)
        a *= 1 - 0.1 * a;
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            if (round == 0)
                h->y[i][j] = h->g[i][j] = gradient_by_hand(q, i, j, h->x[i][j]);
            h->x[i][j] += a * (next_step_by_hand(h->x[i][j], h->y[i][j]) - h->x[i][j]);
        }
    mix_by_hand(t, h->x);
    mix_by_hand(t, h->y);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double g = gradient_by_hand(q, i, j, h->x[i][j]);
            h->y[i][j] += g - h->g[i][j];
            h->g[i][j] = g;
        }
}

static void test_next_is_its_rule_with_l1_and_box(void)
{
    const struct topology t = ring_of(NODES);

    expect_rule("{name: next, a: 0.9, mu: 0.1, l1: 0.2, low: -0.5, high: 0.75}", &t, next_by_hand);
}

/* The optimum of mean_a (x - x*)^2 / 2 + l1 |x| within [low, high], coordinate by coordinate. */
static double regularized_optimum(const struct quadratic *q, int j)
{
    const double x = q->optimum[j], cut = 0.2 / q->mean_a[j];
    const double shrunk = x > cut ? x - cut : x < -cut ? x + cut : 0;

    return fmin(fmax(shrunk, -0.5), 0.75);
}

static void test_next_finds_the_optimum_with_l1_and_box(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    int zeros = 0, bounds = 0;

    graph_quadratic(&q, NODES);
    struct rounds r =
        quadratic_rounds(&q, &t, "{name: next, mu: 0, l1: 0.2, low: -0.5, high: 0.75}", PLAIN);
    r.rounds = 400;
    if (rounds_run(&r, NULL))
        for (int j = 0; j < SIZE; j++) {
            const double expected = regularized_optimum(&q, j);

            zeros += expected == 0;
            bounds += expected == -0.5 || expected == 0.75;
            for (int i = 0; i < NODES; i++)
                EXPECT_NEAR((double)r.states[i][j], expected, 1e-5);
        }
    EXPECT(zeros > 0 && bounds > 0 && zeros + bounds < SIZE);
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- sgp --- */

/* A cycle one way with a shortcut from node 0: columns add up to 1, rows do not. */
static struct topology directed(void)
{
    struct topology t = {.nodes = 5};

    for (int i = 0; i < 5; i++)
        t.w[i][i] = t.w[(i + 1) % 5][i] = 0.5;
    t.w[0][0] = t.w[1][0] = t.w[3][0] = 1.0 / 3;
    matrix_lists(&t);
    return t;
}

/* y[i][0] is the push-sum weight, and g is x: the state is x / y. */
static void sgp_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                        int64_t round)
{
    for (int i = 0; i < t->nodes; i++) {
        if (round == 0)
            h->y[i][0] = 1;
        for (int j = 0; j < SIZE; j++)
            h->g[i][j] -= 0.1 * gradient_by_hand(q, i, j, h->x[i][j]);
    }
    mix_by_hand(t, h->g);
    mix_by_hand(t, h->y);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++)
            h->x[i][j] = h->g[i][j] / h->y[i][0];
}

static void test_sgp_is_its_rule_on_a_directed_graph(void)
{
    const struct topology t = directed();

    expect_rule("sgp", &t, sgp_by_hand);
}

/* With steps that fall to zero it comes to the optimum of all, not of those that are heard most. */
static void test_sgp_on_a_directed_graph_averages_all_nodes_alike(void)
{
    const struct topology t = directed();
    struct quadratic q;

    graph_quadratic(&q, 5);
    struct rounds coarse = quadratic_rounds(&q, &t, "sgp", "{name: sgd, lr: 0.02}");
    struct rounds fine = quadratic_rounds(&q, &t, "sgp", "{name: sgd, lr: 0.002}");
    coarse.rounds = 600;
    fine.rounds = 6000;
    fine.paranoid = false;
    if (rounds_run(&coarse, NULL) && rounds_run(&fine, NULL)) {
        EXPECT(distance_to_optimum(&coarse, &q) > 1e-3);
        EXPECT(distance_to_optimum(&fine, &q) < 0.15 * distance_to_optimum(&coarse, &q));
    }
    rounds_release(&coarse);
    rounds_release(&fine);
    quadratic_release(&q);
}

/* --- optima and limits --- */

static void test_exact_algorithms_reach_the_optimum_and_stay(void)
{
    expect_optimum("extra", "{name: sgd, lr: 0.2}", 200);
    expect_optimum("exact-diffusion", "{name: sgd, lr: 0.2}", 200);
    expect_optimum("{name: prox-pda, beta: 2}", PLAIN, 300);
    expect_optimum("{name: next, mu: 0}", PLAIN, 300);
}

static void test_one_node_is_plain_sgd(void)
{
    expect_single("sgp", 0, true);
    expect_single("extra", 1e-5, false);
    expect_single("exact-diffusion", 1e-5, false);
    expect_single("prox-pda", 1e-5, false);
    expect_single("{name: next, mu: 0}", 1e-5, false);
}

static void test_what_cannot_work_is_refused(void)
{
    const struct topology t = directed();

    expect_failure(&t, "extra", PLAIN, "is directed, but extra needs an undirected graph");
    expect_failure(&t, "next", "{name: adam, lr: 0.01}", "not adam with these options");
    expect_failure(&t, "{name: next, low: 1, high: 0}", PLAIN, "algorithm.low: 1 is above high: 0");
}

TEST_MAIN(TEST(test_extra_and_exact_diffusion_are_their_two_step_rules),
          TEST(test_prox_pda_is_its_rule), TEST(test_next_is_its_rule_with_l1_and_box),
          TEST(test_next_finds_the_optimum_with_l1_and_box),
          TEST(test_sgp_is_its_rule_on_a_directed_graph),
          TEST(test_sgp_on_a_directed_graph_averages_all_nodes_alike),
          TEST(test_exact_algorithms_reach_the_optimum_and_stay), TEST(test_one_node_is_plain_sgd),
          TEST(test_what_cannot_work_is_refused))
