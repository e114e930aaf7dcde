/*
 * test_exchange.c - cadmm where messages get lost: which models it uses (exchange), where it ends,
 * and why.
 */
#include "quadratic_case.h"
#include "topology_case.h"

enum { SIZE = 7, NODES = 3, P = 0 };

#define CADMM(exchange) "{name: cadmm, primal_optimizer: sgd, primal_iterations: 5" exchange "}"
#define AS_RECEIVED     CADMM("")
#define CONFIRMED       CADMM(", exchange: confirmed")
#define STALE           CADMM(", exchange: stale")

#define ONE_WAY "drop_direction: one-way, drop_links: "

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    struct rounds r = quadratic_rounds(q, t, algorithm, "{name: sgd, lr: 0.1}");

    r.rounds = 200;
    return r;
}

/* Of node i's coordinate j from the optimum. */
static double error_of(const struct rounds *r, const struct quadratic *q, int i, int j)
{
    return (double)r->states[i][j] - quadratic_optimum(q)[j];
}

static double consensus_distance(const struct rounds *r)
{
    double largest = 0;

    for (int i = 1; i < NODES; i++)
        for (int j = 0; j < SIZE; j++)
            largest = fmax(largest, fabs((double)r->states[i][j] - (double)r->states[0][j]));
    return largest;
}

/* At 10 % delivery a link is confirmed in one round of a hundred. */
static void test_confirmed_exchange_reaches_the_optimum_at_any_rate(void)
{
    static const char *const graphs[] = {
        "{name: complete, " ONE_WAY "0.1}",
        "{name: complete, " ONE_WAY "0.5}",
        "{name: complete, " ONE_WAY "0.9}",
        "{name: complete, " ONE_WAY "0.9, burst_length: 30}",
    };
    struct quadratic q;

    quadratic_make(&q, SIZE, NODES);
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        struct topology *t;

        EXPECT_OK(case_topology(graphs[i], NODES, 4, &t));
        struct rounds r = run_of(&q, t, CONFIRMED);

        r.rounds = 12000;
        if (rounds_run(&r, NULL) && !EXPECT(distance_to_optimum(&r, &q) < 1e-5))
            printf("# %s: %g\n", graphs[i], distance_to_optimum(&r, &q));
        rounds_release(&r);
        topology_free(t);
    }
    quadratic_release(&q);
}

/* Consensus at x with sum a_i (x - b_i) + sum p_i = 0: away from the optimum by -sum p_i / sum a_i.
 */
static void expect_bias(const char *algorithm, const char *graph)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds r = run_of(&q, t, algorithm);

    r.rounds = 12000;
    if (rounds_run(&r, NULL)) {
        EXPECT(consensus_distance(&r) < 1e-5);
        if (!EXPECT(distance_to_optimum(&r, &q) > 0.02))
            printf("# %s: %g\n", algorithm, distance_to_optimum(&r, &q));
        for (int j = 0; j < SIZE; j++) {
            double duals = 0;

            for (int i = 0; i < NODES; i++)
                duals += (double)r.kept[i].vectors[P][j];
            EXPECT_NEAR(error_of(&r, &q, 0, j), -duals / (NODES * q.mean_a[j]), 1e-5);
        }
    }
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

static void test_one_way_losses_move_the_optimum_by_the_sum_of_the_duals(void)
{
    expect_bias(AS_RECEIVED, "{name: complete, " ONE_WAY "0.1}");
    expect_bias(AS_RECEIVED, "{name: complete, " ONE_WAY "0.5}");
    expect_bias(AS_RECEIVED, "{name: complete, " ONE_WAY "0.9}");
    expect_bias(STALE, "{name: complete, " ONE_WAY "0.1}");
    expect_bias(STALE, "{name: complete, " ONE_WAY "0.5}");
    expect_bias(STALE, "{name: complete, " ONE_WAY "0.9}");
}

/* --- the same bits --- */

static void expect_same(const char *a, const char *b, const char *graph, bool is_same)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds one = run_of(&q, t, a), other = run_of(&q, t, b);

    if (rounds_run(&one, NULL) && rounds_run(&other, NULL))
        EXPECT(has_same_states(&one, &other) == is_same);
    rounds_release(&one);
    rounds_release(&other);
    topology_free(t);
    quadratic_release(&q);
}

static void test_without_one_way_losses_every_exchange_is_the_same(void)
{
    expect_same(AS_RECEIVED, CONFIRMED, "complete", true);
    expect_same(AS_RECEIVED, STALE, "complete", true);
    expect_same(AS_RECEIVED, STALE, "{name: path, schedule: \"star,complete\"}", true);
    expect_same(AS_RECEIVED, CONFIRMED, "{name: complete, drop_links: 0.5}", true);
    expect_same(AS_RECEIVED, STALE, "{name: complete, drop_links: 0.5}", false);
    expect_same(AS_RECEIVED, CONFIRMED, "{name: complete, " ONE_WAY "0.5}", false);
}

/* A model that never came is not used: every node ends at its own optimum. */
static void test_a_neighbour_that_was_never_heard_is_left_out(void)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology("{name: complete, drop_links: 1}", NODES, 4, &t));
    struct rounds r = run_of(&q, t, STALE);

    if (rounds_run(&r, NULL))
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < SIZE; j++)
                EXPECT_NEAR((double)r.states[i][j], q.b[i * SIZE + j], 1e-4);
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

/* The old models are among the vectors that a checkpoint has. */
static void test_stale_models_survive_a_resume(void)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology("{name: complete, " ONE_WAY "0.8, burst_length: 20}", NODES, 4, &t));
    struct rounds whole = run_of(&q, t, STALE), part = run_of(&q, t, STALE);

    expect_resumed(&whole, &part, 57);
    rounds_release(&whole);
    rounds_release(&part);
    topology_free(t);
    quadratic_release(&q);
}

/* --- what is checked --- */

static void break_dual(struct worker *w)
{
    if (worker_rank(w) == 1 && w->round == 20)
        w->vectors[P][2] += 0.01F;
}

static void expect_checked(const char *algorithm, enum status expected)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology("{name: complete, " ONE_WAY "0.5}", NODES, 4, &t));
    struct rounds r = run_of(&q, t, algorithm);

    r.before_round = break_dual;
    expect_end(&r, expected, "round 20: the duals of all nodes add up to zero, but");
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

static void test_duals_must_add_up_to_zero_where_exchanges_are_confirmed(void)
{
    expect_checked(CONFIRMED, STATUS_DIVERGED);
    expect_checked(AS_RECEIVED, STATUS_OK);
    expect_checked(STALE, STATUS_OK);
}

TEST_MAIN(TEST(test_confirmed_exchange_reaches_the_optimum_at_any_rate),
          TEST(test_one_way_losses_move_the_optimum_by_the_sum_of_the_duals),
          TEST(test_without_one_way_losses_every_exchange_is_the_same),
          TEST(test_a_neighbour_that_was_never_heard_is_left_out),
          TEST(test_stale_models_survive_a_resume),
          TEST(test_duals_must_add_up_to_zero_where_exchanges_are_confirmed))
