/*
 * test_graph_algos.c - dsgd, dsgt and cadmm on graphs: against their rules written out in double,
 * against known optima, and their limits: one node, nodes without neighbours, complete graphs.
 */
#include "graph_case.h"

#define PLAIN "{name: sgd, lr: 0.1}"

/* --- against the rules --- */

static void step_by_hand(struct by_hand *h, const struct quadratic *q, double lr)
{
    for (int i = 0; i < q->options.workers; i++)
        for (int j = 0; j < SIZE; j++)
            h->x[i][j] -= lr * gradient_by_hand(q, i, j, h->x[i][j]);
}

/* Gauss-Seidel: node i sees the rows that are mixed already. */
static void mix_in_place_by_hand(const struct topology *t, double (*x)[SIZE], double (*y)[SIZE],
                                 double alpha)
{
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;

            for (int k = 0; k < t->nodes; k++)
                sum += t->w[i][k] * (x[k][j] - (y == NULL ? 0 : alpha * y[k][j]));
            x[i][j] = sum;
        }
}

static void dsgd_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q,
                         const char *form)
{
    if (strcmp(form, "awc") == 0) {
        for (int i = 0; i < t->nodes; i++)
            for (int j = 0; j < SIZE; j++)
                h->g[i][j] = gradient_by_hand(q, i, j, h->x[i][j]);
        mix_by_hand(t, h->x);
        for (int i = 0; i < t->nodes; i++)
            for (int j = 0; j < SIZE; j++)
                h->x[i][j] -= 0.1 * h->g[i][j];
    } else if (strcmp(form, "atc") == 0) {
        step_by_hand(h, q, 0.1);
        mix_by_hand(t, h->x);
    } else {
        mix_by_hand(t, h->x);
        step_by_hand(h, q, 0.1);
    }
}

/* Values are below 10, 20 rounds of float: 20 * 10 * 6e-8 and some room. */
static void expect_dsgd(const char *algorithm, const char *form)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};

    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, algorithm, PLAIN);
    for (int k = 0; k < r.rounds; k++)
        dsgd_by_hand(&h, &t, &q, form);
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_dsgd_is_its_rule_in_all_forms(void)
{
    expect_dsgd("dsgd", "awc");
    expect_dsgd("{name: dsgd, form: atc}", "atc");
    expect_dsgd("{name: dsgd, form: cta}", "cta");
}

static void test_dsgd_shrinks_its_step_before_every_round(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};
    double alpha = 0.3;

    graph_quadratic(&q, NODES);
    struct rounds r =
        quadratic_rounds(&q, &t, "{name: dsgd, form: cta, alpha: 0.3, mu: 0.5}", PLAIN);
    for (int k = 0; k < r.rounds; k++) {
        alpha *= 1 - 0.5 * alpha;
        mix_by_hand(&t, h.x);
        step_by_hand(&h, &q, alpha);
    }
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_dsgd_in_place_sees_what_lower_nodes_have_mixed(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};

    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, "{name: dsgd, form: cta, in_place: true}", PLAIN);
    for (int k = 0; k < r.rounds; k++) {
        mix_in_place_by_hand(&t, h.x, NULL, 0);
        step_by_hand(&h, &q, 0.1);
    }
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

static void follow_by_hand(struct by_hand *h, const struct quadratic *q, int i)
{
    for (int j = 0; j < SIZE; j++) {
        const double g = gradient_by_hand(q, i, j, h->x[i][j]);
        h->y[i][j] += g - h->g[i][j];
        h->g[i][j] = g;
    }
}

static void dsgt_by_hand(struct by_hand *h, const struct topology *t, const struct quadratic *q)
{
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++)
            h->x[i][j] -= 0.1 * h->y[i][j];
    mix_by_hand(t, h->x);
    mix_by_hand(t, h->y);
    for (int i = 0; i < t->nodes; i++)
        follow_by_hand(h, q, i);
}

/* As the study did it: all states node by node, then every node's y with its gradient at once. */
static void dsgt_in_place_by_hand(struct by_hand *h, const struct topology *t,
                                  const struct quadratic *q)
{
    mix_in_place_by_hand(t, h->x, h->y, 0.1);
    for (int i = 0; i < t->nodes; i++) {
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;

            for (int k = 0; k < t->nodes; k++)
                sum += t->w[i][k] * h->y[k][j];
            h->y[i][j] = sum;
        }
        follow_by_hand(h, q, i);
    }
}

static void expect_dsgt(const char *algorithm, bool init, bool in_place)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};

    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, algorithm, PLAIN);
    for (int i = 0; init && i < NODES; i++)
        follow_by_hand(&h, &q, i);
    for (int k = 0; k < r.rounds; k++)
        if (in_place)
            dsgt_in_place_by_hand(&h, &t, &q);
        else
            dsgt_by_hand(&h, &t, &q);
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_dsgt_is_its_rule(void)
{
    expect_dsgt("dsgt", true, false);
    expect_dsgt("{name: dsgt, alpha: 0.1, init_grads: false}", false, false);
    expect_dsgt("{name: dsgt, in_place: true}", true, true);
}

/* The rule of a case, and Adam's memory of every node; moves at rate 0.05, three steps a round. */
struct cadmm_by_hand {
    bool adam, persistent;
    double m[NODES][SIZE], s[NODES][SIZE];
    int64_t steps;
};

static double primal_step_by_hand(struct cadmm_by_hand *c, int i, int j, int64_t step, double g)
{
    double *m = &c->m[i][j], *s = &c->s[i][j];

    if (!c->adam)
        return 0.05 * g;
    *m = 0.9 * *m + 0.1 * g;
    *s = 0.999 * *s + 0.001 * g * g;
    return 0.05 * (*m / (1 - pow(0.9, (double)step))) /
           (sqrt(*s / (1 - pow(0.999, (double)step))) + 1e-8);
}

/* y is the dual. */
static void cadmm_round_by_hand(struct by_hand *h, struct cadmm_by_hand *c,
                                const struct topology *t, const struct quadratic *q, double rho)
{
    double old[NODES][SIZE];

    memcpy(old, h->x, sizeof old);
    if (!c->persistent) {
        memset(c->m, 0, sizeof c->m);
        memset(c->s, 0, sizeof c->s);
        c->steps = 0;
    }
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double left = old[t->in[i][0]][j], right = old[t->in[i][1]][j], x = old[i][j];

            h->y[i][j] += rho * (2 * x - left - right);
            for (int step = 1; step <= 3; step++) {
                const double z = h->x[i][j];
                const double pull = 2 * rho * (2 * z - (x + left) / 2 - (x + right) / 2);
                const double g = gradient_by_hand(q, i, j, z) + h->y[i][j] + pull;
                h->x[i][j] -= primal_step_by_hand(c, i, j, c->steps + step, g);
            }
        }
    c->steps += 3;
}

/* The penalty grows before it is first used. */
static void expect_cadmm(const char *algorithm, bool adam, bool persistent)
{
    struct cadmm_by_hand *c = MEM_NEW(struct cadmm_by_hand);
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};
    double rho = 0.5;

    c->adam = adam;
    c->persistent = persistent;
    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, algorithm, PLAIN);
    r.rounds = adam ? 6 : 20; /* later Adam turns rounding near zero into steps */
    for (int k = 0; k < r.rounds; k++)
        cadmm_round_by_hand(&h, c, &t, &q, rho *= 1.01);
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    mem_free(c);
    quadratic_release(&q);
}

#define CADMM "rho_init: 0.5, rho_scaling: 1.01, primal_iterations: 3, primal_lr: 0.05"

static void test_cadmm_is_its_rule_around_midpoints(void)
{
    expect_cadmm("{name: cadmm, primal_optimizer: sgd, " CADMM "}", false, false);
    expect_cadmm("{name: dinno, primal_optimizer: sgd, " CADMM "}", false, false);
    expect_cadmm("{name: cadmm, " CADMM "}", true, false);
    expect_cadmm("{name: cadmm, persistent_primal_opt: true, " CADMM "}", true, true);
}

/* --- against the optimum --- */

static void test_dsgt_and_cadmm_reach_the_optimum_and_stay(void)
{
    expect_optimum("dsgt", "{name: sgd, lr: 0.1}", 300);
    expect_optimum("{name: cadmm, rho_init: 1, primal_iterations: 20, primal_optimizer: sgd, "
                   "primal_lr: 0.15}",
                   PLAIN, 200);
}

/* dsgd's fixed point on a ring, from the linear equations: x = W x - a A (x - b), by iteration. */
static void test_dsgd_with_a_constant_step_settles_beside_the_optimum(void)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};

    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, "dsgd", PLAIN);
    r.rounds = 400;
    for (int k = 0; k < 4000; k++)
        dsgd_by_hand(&h, &t, &q, "awc");
    if (rounds_run(&r, NULL)) {
        EXPECT(distance_to_optimum(&r, &q) > 1e-2);
        expect_by_hand(&r, h.x, 1e-5);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_dsgd_on_a_complete_graph_is_sync(void)
{
    const struct topology t = complete_of(NODES);
    struct quadratic q;

    graph_quadratic(&q, NODES);
    struct rounds sync = quadratic_rounds(&q, NULL, "sync", PLAIN);
    struct rounds dsgd = quadratic_rounds(&q, &t, "{name: dsgd, form: atc}", PLAIN);
    if (rounds_run(&sync, NULL) && rounds_run(&dsgd, NULL))
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < SIZE; j++)
                EXPECT_NEAR((double)dsgd.states[i][j], (double)sync.states[0][j], 5e-6);
    rounds_release(&sync);
    rounds_release(&dsgd);
    quadratic_release(&q);
}

/* --- one node, and nodes without neighbours --- */

static void test_one_node_is_plain_sgd(void)
{
    expect_single("dsgd", 0, true);
    expect_single("{name: dsgd, form: atc}", 0, true);
    expect_single("{name: dsgd, form: cta}", 0, true);
    expect_single("dsgt", 1e-5, true);
}

/* Node 3 is cut off: it goes its own way. */
static void test_a_node_without_neighbours_steps_alone(void)
{
    static const char *const algorithms[] = {
        "dsgd", "{name: dsgd, form: atc}",
        "{name: cadmm, primal_optimizer: sgd, primal_iterations: 1}"};
    struct topology t = {.nodes = 4};
    struct quadratic q;

    t.w[0][1] = t.w[1][0] = t.w[1][2] = t.w[2][1] = t.w[1][1] = 1.0 / 3;
    t.w[0][0] = t.w[2][2] = 2.0 / 3;
    t.w[3][3] = 1;
    matrix_lists(&t);
    graph_quadratic(&q, 4);
    for (int i = 0; i < 3; i++) {
        struct rounds r = quadratic_rounds(&q, &t, algorithms[i], PLAIN);
        float x[SIZE] = {0};

        for (int k = 0; k < r.rounds; k++)
            for (int j = 0; j < SIZE; j++) {
                const double g = gradient_by_hand(&q, 3, j, (double)x[j]);
                x[j] -= 0.1F * (float)g;
            }
        if (rounds_run(&r, NULL))
            for (int j = 0; j < SIZE; j++)
                EXPECT_NEAR((double)r.states[3][j], (double)x[j], 1e-6);
        rounds_release(&r);
    }
    quadratic_release(&q);
}

/* --- what is refused or found --- */

/* Rows add up to 1 but columns do not: the mean moves. */
static void test_paranoia_finds_weights_that_move_the_mean(void)
{
    struct topology t = ring_of(4);

    t.w[0][0] -= 0.1;
    t.w[0][1] += 0.1;
    t.weights[0][0] += 0.1;
    expect_failure(&t, "dsgd", PLAIN, "mixing leaves the mean of all nodes where it is");
    expect_failure(&t, "dsgt", PLAIN, "mixing leaves the mean of all nodes where it is");
}

static void test_options_that_cannot_work_are_refused(void)
{
    const struct topology t = ring_of(4);

    expect_failure(&t, "{name: dsgd, mu: 0.1}", PLAIN, "algorithm.mu: 0.1 needs algorithm.alpha");
    expect_failure(&t, "{name: dsgd, in_place: true}", PLAIN, "needs form cta");
    expect_failure(&t, "cadmm", "{name: sgd, momentum: 0.9}", "without momentum");
    expect_failure(&t, "cadmm", "{name: sgd, weight_decay: 0.1}", "weight decay");
    expect_failure(&t, "{name: cadmm, lr_decay: log}", PLAIN, "primal_lr_end, both above 0");
}

static void test_a_graph_with_directions_is_refused_where_it_breaks_the_rule(void)
{
    struct topology t = {.nodes = 3};

    for (int i = 0; i < 3; i++)
        t.w[i][i] = t.w[i][(i + 1) % 3] = 0.5;
    matrix_lists(&t);
    expect_failure(&t, "cadmm", PLAIN, "is directed, but cadmm needs an undirected graph");
    t.w[0][0] = 0.25;
    expect_failure(&t, "dsgd", PLAIN, "so dsgd would not keep the mean");
}

TEST_MAIN(TEST(test_dsgd_is_its_rule_in_all_forms),
          TEST(test_dsgd_shrinks_its_step_before_every_round),
          TEST(test_dsgd_in_place_sees_what_lower_nodes_have_mixed), TEST(test_dsgt_is_its_rule),
          TEST(test_cadmm_is_its_rule_around_midpoints),
          TEST(test_dsgt_and_cadmm_reach_the_optimum_and_stay),
          TEST(test_dsgd_with_a_constant_step_settles_beside_the_optimum),
          TEST(test_dsgd_on_a_complete_graph_is_sync), TEST(test_one_node_is_plain_sgd),
          TEST(test_a_node_without_neighbours_steps_alone),
          TEST(test_paranoia_finds_weights_that_move_the_mean),
          TEST(test_options_that_cannot_work_are_refused),
          TEST(test_a_graph_with_directions_is_refused_where_it_breaks_the_rule))
