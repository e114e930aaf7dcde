/*
 * test_certainty.c - ramen and udon: what they equal, where they end if nodes see different places,
 * what they check, and which networks they accept.
 */
#include "algo/parts/certainty.h"
#include "quadratic_case.h"
#include "topology_case.h"

enum { SIZE = 37, GRID = 30, NODES = 4 };

#define OPTIONS   ", primal_optimizer: sgd, primal_iterations: 3, rho_init: 0.3, rho_scaling: 1.001"
#define DINNO     "{name: dinno" OPTIONS "}"
#define RAMEN     "{name: ramen" OPTIONS "}"
#define UDON      "{name: udon" OPTIONS "}"
#define CONFIRMED ", exchange: confirmed}"

#define ONE_WAY "{name: complete, drop_direction: one-way, drop_links: 0.5}"

/* With `parts`, node i sees the grid's values but for those of k % NODES = i. */
static void make_quadratic(struct quadratic *q, bool parts)
{
    quadratic_make(q, SIZE, NODES);
    for (int i = 0; parts && i < NODES; i++)
        for (int k = i; k < GRID; k += NODES)
            q->a[i * SIZE + k] = 0;
}

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    struct rounds r = quadratic_rounds(q, t, algorithm, "{name: sgd, lr: 0.1}");

    r.rounds = 60;
    r.grid_count = GRID;
    return r;
}

/* --- equal counts --- */

static double largest_difference(const struct rounds *a, const struct rounds *b)
{
    double largest = 0;

    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < SIZE; k++)
            largest = fmax(largest, fabs((double)a->states[i][k] - (double)b->states[i][k]));
    return largest;
}

static double apart(const char *a, const char *b, const char *graph, bool parts)
{
    struct quadratic q;
    struct topology *t;
    double found = INFINITY;

    make_quadratic(&q, parts);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds one = run_of(&q, t, a), other = run_of(&q, t, b);

    if (rounds_run(&one, NULL) && rounds_run(&other, NULL))
        found = largest_difference(&one, &other);
    rounds_release(&one);
    rounds_release(&other);
    topology_free(t);
    quadratic_release(&q);
    return found;
}

/* Every coordinate has a gradient in every step. */
static void test_with_equal_counts_ramen_is_dinno_to_the_bit(void)
{
    EXPECT(apart(RAMEN, DINNO, "complete", false) == 0);
    EXPECT(apart(RAMEN, DINNO, "{name: cycle, drop_links: 0.3}", false) == 0);
    EXPECT(apart(RAMEN, DINNO, ONE_WAY, false) == 0);
    EXPECT(apart("{name: ramen" CONFIRMED, "{name: dinno" CONFIRMED, ONE_WAY, false) == 0);
    EXPECT(apart("{name: ramen, persistent_primal_opt: true}",
                 "{name: dinno, persistent_primal_opt: true}", "cycle", false) == 0);
    EXPECT(apart(RAMEN, DINNO, "complete", true) > 1e-3);
}

/* It adds up three duals in every round, which rounds in another order: by 6e-8 of values up to 3.
 */
static void test_udon_is_ramen_within_rounding_if_links_deliver(void)
{
    EXPECT(apart(UDON, DINNO, "complete", false) < 2e-6);
    EXPECT(apart(UDON, RAMEN, "complete", true) < 2e-6);
    EXPECT(apart(UDON, RAMEN, "{name: complete, drop_links: 0.3}", true) > 1e-3);
}

/* --- the end --- */

/* Different ones at every node, in place of those that are counted. */
static void give_counts(struct worker *w)
{
    for (int k = 0; k < GRID; k++)
        w->vectors[admm_vector_count(w->options)][k] =
            (float)(5 + (7 * k + 11 * worker_rank(w)) % 16);
}

static double distance(const char *algorithm, const char *graph)
{
    struct quadratic q;
    struct topology *t;
    double found = INFINITY;

    make_quadratic(&q, false);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds r = run_of(&q, t, algorithm);

    r.rounds = 6000;
    r.before_round = give_counts;
    if (rounds_run(&r, NULL))
        found = distance_to_optimum(&r, &q);
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
    return found;
}

static void expect_distance(const char *algorithm, const char *graph, double low, double high)
{
    const double found = distance(algorithm, graph);

    if (!EXPECT(found >= low && found <= high))
        printf("# %s on %s: %g\n", algorithm, graph, found);
}

#define STEPS "primal_optimizer: sgd, primal_iterations: 3"

static void test_nodes_with_different_counts_end_at_the_optimum(void)
{
    expect_distance("{name: ramen, " STEPS "}", "cycle", 0, 1e-5);
    expect_distance("{name: udon, " STEPS "}", "cycle", 0, 1e-5);
    expect_distance("{name: ramen, " STEPS "}", "{name: complete, drop_links: 0.5}", 0, 1e-5);
}

static void test_one_way_losses_need_a_confirmed_exchange(void)
{
    expect_distance("{name: ramen, " STEPS "}", ONE_WAY, 0.02, 10);
    expect_distance("{name: ramen, " STEPS CONFIRMED, ONE_WAY, 0, 1e-5);
}

/* A link that is not heard takes its price with it. */
static void test_udon_does_not_come_to_rest_if_links_fail(void)
{
    expect_distance("{name: udon, " STEPS "}", "{name: complete, drop_links: 0.5}", 0.02, 1e3);
    expect_distance("{name: udon, " STEPS CONFIRMED, ONE_WAY, 0.02, 1e3);
}

/* --- weights of one link --- */

static void test_weights_are_opposite_at_the_two_ends_of_a_link(void)
{
    enum { COUNT = 5 };
    const float x[] = {1, 2, 2, 4, 5, 6}, y[] = {0.3F, 3, 4, 2, 7, 9};
    float mine[] = {0, 10, 3, 0, 20}, theirs[] = {0, 10, 9, 1, 3};
    const struct tensor tensors[] = {
        {.offset = 0,     .count = 1     },
        { .offset = 1, .count = COUNT, .is_grid = true}
    };
    const struct tensor_layout layout = {.param_count = 6, .tensor_count = 2, .tensors = tensors};
    float one[6], other[6], weights[6] = {0}, unused[6] = {0};
    struct certainty c;

    certainty_init(&c, &layout, mine);
    EXPECT_INT(c.count, COUNT);
    certainty_weigh(&c, &(struct certainty_link){x, y, mine, theirs}, 6, one, weights);
    certainty_weigh(&c, &(struct certainty_link){y, x, theirs, mine}, 6, other, unused);
    for (int i = 0; i < 6; i++)
        EXPECT(one[i] == -other[i]);
    EXPECT(weights[0] == 1.0F);
    EXPECT_NEAR((double)weights[1], 1e-3, 1e-9); /* least: 0 of 0 to 23 */
    EXPECT_NEAR((double)weights[5], 1e-3 + 0.999 * 20 / 23, 1e-6);
    EXPECT_NEAR((double)one[2], 2.0 * (double)weights[2], 1e-6); /* equal counts: w (4 - 2) */
    certainty_release(&c);
}

static void test_counts_are_of_gradients_that_are_not_zero(void)
{
    const struct tensor tensors[] = {
        {.offset = 1, .count = 2, .is_grid = true},
        {.offset = 4, .count = 2, .is_grid = true}
    };
    const struct tensor_layout layout = {.param_count = 6, .tensor_count = 2, .tensors = tensors};
    const float gradients[2][6] = {
        {1, 1, 0, 1, -0.0F,  -2},
        {1, 0, 0, 1, 1e-30F, 3 }
    };
    float counts[4] = {0};
    struct certainty c;

    certainty_init(&c, &layout, counts);
    for (int i = 0; i < 2; i++)
        certainty_add_step(&c, gradients[i]);
    EXPECT(counts[0] == 1.0F && counts[1] == 0.0F && counts[2] == 1.0F && counts[3] == 2.0F);
    certainty_release(&c);
}

/* --- checkpoints, checks --- */

static void expect_resumed_over_losses(const char *algorithm)
{
    struct quadratic q;
    struct topology *t;

    make_quadratic(&q, true);
    EXPECT_OK(case_topology(ONE_WAY, NODES, 4, &t));
    struct rounds whole = run_of(&q, t, algorithm), part = run_of(&q, t, algorithm);

    expect_resumed(&whole, &part, 23);
    rounds_release(&whole);
    rounds_release(&part);
    topology_free(t);
    quadratic_release(&q);
}

static void test_counts_and_duals_survive_a_resume(void)
{
    expect_resumed_over_losses(RAMEN);
    expect_resumed_over_losses(UDON);
}

/* The dual of ramen's node 1; of udon, that of its link to node 0. */
static void break_dual(struct worker *w)
{
    const int place = w->algo->is_for_fixed_graphs ? admm_vector_count(w->options) + 1 : ADMM_DUAL;

    if (worker_rank(w) == 1 && w->round == 20)
        w->vectors[place][2] += 0.01F;
}

static void expect_checked(const char *algorithm, const char *graph, enum status expected)
{
    struct quadratic q;
    struct topology *t;

    make_quadratic(&q, true);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds r = run_of(&q, t, algorithm);

    r.before_round = break_dual;
    expect_end(&r, expected, "round 20: the duals of all nodes add up to zero, but");
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

static void test_duals_must_add_up_to_zero(void)
{
    expect_checked(RAMEN, "complete", STATUS_DIVERGED);
    expect_checked(UDON, "complete", STATUS_DIVERGED);
    expect_checked("{name: ramen, primal_optimizer: sgd" CONFIRMED, ONE_WAY, STATUS_DIVERGED);
    expect_checked(RAMEN, ONE_WAY, STATUS_OK);
}

static void test_a_network_without_a_grid_is_rejected(void)
{
    static const char *const names[] = {RAMEN, UDON};

    for (int i = 0; i < 2; i++) {
        struct quadratic q;
        struct topology *t;

        make_quadratic(&q, false);
        EXPECT_OK(case_topology("complete", NODES, 4, &t));
        struct rounds r = run_of(&q, t, names[i]);

        r.grid_count = 0;
        expect_end(&r, STATUS_BAD_INPUT, "needs a network with a grid of features");
        rounds_release(&r);
        topology_free(t);
        quadratic_release(&q);
    }
}

TEST_MAIN(TEST(test_with_equal_counts_ramen_is_dinno_to_the_bit),
          TEST(test_udon_is_ramen_within_rounding_if_links_deliver),
          TEST(test_nodes_with_different_counts_end_at_the_optimum),
          TEST(test_one_way_losses_need_a_confirmed_exchange),
          TEST(test_udon_does_not_come_to_rest_if_links_fail),
          TEST(test_weights_are_opposite_at_the_two_ends_of_a_link),
          TEST(test_counts_are_of_gradients_that_are_not_zero),
          TEST(test_counts_and_duals_survive_a_resume), TEST(test_duals_must_add_up_to_zero),
          TEST(test_a_network_without_a_grid_is_rejected))
