/*
 * test_graph_motion.c - nodes that move: which graph a round has, what every algorithm makes of it,
 * and nodes that are alone.
 */
#include "quadratic_case.h"
#include "topology_case.h"

enum { NODES = 4, SIZE = 37 };

/* Four nodes with a radius of 1: a path; two pairs; one pair and two that are alone. */
static struct position sets[3][NODES] = {
    {{0, 0}, {1, 0}, {2, 0}, {3, 0}},
    {{0, 0}, {1, 0}, {5, 0}, {5, 1}},
    {{9, 9}, {1, 0}, {1, 1}, {7, 0}},
};

static const char *const set_graphs[3] = {
    "{name: disk, radius: 1, positions: \"0 0, 1 0, 2 0, 3 0\"}",
    "{name: disk, radius: 1, positions: \"0 0, 1 0, 5 0, 5 1\"}",
    "{name: disk, radius: 1, positions: \"9 9, 1 0, 1 1, 7 0\"}",
};

static enum status moving(const char *section, const struct graph_motion *m, struct topology **t)
{
    struct topology_choice c;

    *t = NULL;
    TRY(case_read(section, &c));
    const enum status s = topology_new(
        &(struct topology_request){
            .type = &c.type, .options = &c.options, .nodes = NODES, .seed = 1, .motion = m},
        t);
    topology_choice_release(&c);
    return s;
}

static void expect_set(const struct topology *t, int64_t round, int set)
{
    double now[NODES * NODES], expected[NODES * NODES];
    struct topology *still;

    EXPECT_OK(case_topology(set_graphs[set], NODES, 1, &still));
    topology_matrix(t, round, now);
    topology_matrix(still, 0, expected);
    if (!EXPECT(memcmp(now, expected, sizeof now) == 0))
        printf("# round %d has not the graph of set %d\n", (int)round, set);
    EXPECT(topology_whole_graph(t, round)->positions[0].x == sets[set][0].x);
    topology_free(still);
}

/* As a problem gives it: the table is by rounds, and begins again. */
static void test_a_table_says_which_positions_a_round_has(void)
{
    static const int order[] = {0, 0, 2, 1, 1};
    int32_t table[5] = {0, 0, 2, 1, 1};
    const struct graph_motion m = {
        .positions = sets[0], .sets = 3, .set_of_step = table, .steps = 5, .step_rounds = 1};
    struct topology *t;

    EXPECT_OK(moving("{name: disk, radius: 1}", &m, &t));
    EXPECT(topology_moves(t) && topology_changes(t) && topology_is_doubly_stochastic(t));
    EXPECT_INT(topology_period(t), 5);
    for (int64_t round = 0; round < 13; round++) {
        expect_set(t, round, order[round % 5]);
        EXPECT(topology_moves_in(t, round) ==
               (round > 0 && order[round % 5] != order[(round + 4) % 5]));
    }
    topology_free(t);
}

static const char by_options[] =
    "{name: disk, radius: 1, move_every: 3, positions: "
    "\"0 0, 1 0, 2 0, 3 0;  0 0, 1 0, 5 0, 5 1;  9 9, 1 0, 1 1, 7 0\"}";

static void test_the_options_of_disk_move_nodes_too(void)
{
    struct topology *t;

    EXPECT_OK(case_topology(by_options, NODES, 1, &t));
    EXPECT(topology_moves(t));
    EXPECT_INT(topology_period(t), 9);
    for (int64_t round = 0; round < 20; round++)
        expect_set(t, round, (int)(round / 3 % 3));
    topology_free(t);
    EXPECT_OK(case_topology("{name: disk, positions: \"0 0, 1 1, 2 2, 3 3\", move_every: 7}", NODES,
                            1, &t));
    EXPECT(!topology_moves(t) && !topology_changes(t));
    EXPECT_INT(topology_period(t), 1);
    topology_free(t);
}

static void test_motion_that_makes_no_sense_is_rejected(void)
{
    int32_t table[1] = {0};
    const struct graph_motion m = {
        .positions = sets[0], .sets = 1, .set_of_step = table, .steps = 1, .step_rounds = 1};
    struct topology *t;

    EXPECT_FAILS(moving("cycle", &m, &t), STATUS_BAD_INPUT,
                 "graph.name: cycle does not depend on positions");
    EXPECT_FAILS(moving("{name: disk, schedule: star}", &m, &t), STATUS_BAD_INPUT,
                 "graph.schedule: cannot be used if nodes move");
    EXPECT_FAILS(case_topology("{name: disk, move_every: 2}", 4, 1, &t), STATUS_BAD_INPUT,
                 "graph.move_every: nodes can only move to given positions");
    EXPECT_FAILS(
        case_topology("{name: disk, move_every: 2, positions: \"0 0, 1 1, 2 2\"}", 2, 1, &t),
        STATUS_BAD_INPUT, "3 positions for 2 nodes that move");
    EXPECT_FAILS(case_topology("{name: disk, positions: \"0 0, 1 1, 2 2, 3 3\"}", 2, 1, &t),
                 STATUS_BAD_INPUT, "4 positions for 2 nodes; each node needs one");
}

/* --- algorithms --- */

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    struct rounds r = quadratic_rounds(q, t, algorithm, "{name: sgd, lr: 0.05}");

    r.rounds = 600;
    return r;
}

static const char *const algorithms[] = {
    "dsgd",
    "{name: dsgd, form: atc}",
    "{name: dsgd, form: cta}",
    "dsgt",
    "extra",
    "exact-diffusion",
    "{name: next, mu: 0}",
    "{name: cadmm, primal_optimizer: sgd}",
    "{name: cadmm, primal_optimizer: sgd, exchange: confirmed}",
    "{name: dinno, primal_optimizer: sgd, exchange: stale}",
    "prox-pda",
    "{name: choco, compressor: none, gamma: 0.5}",
    "sgp",
    "ad-psgd",
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

/* Nodes 0 and 3 have no neighbour, 1 and 2 have each other. */
static void expect_alone(struct quadratic *q, const char *graph, const char *algorithm)
{
    struct topology *t;

    EXPECT_OK(case_topology(graph, NODES, 1, &t));
    struct rounds r = run_of(q, t, algorithm);

    if (rounds_run(&r, NULL))
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < SIZE; j++) {
                const double x = (double)r.states[i][j], own = q->b[i * SIZE + j];

                if (!EXPECT(isfinite(x) && (i % 3 != 0 || fabs(x - own) < 1e-4)))
                    printf("# %s, node %d: %g, own optimum %g\n", algorithm, i, x, own);
            }
    rounds_release(&r);
    topology_free(t);
}

static void test_a_node_without_neighbours_finds_its_own_optimum(void)
{
    static const char *const rules[] = {"metropolis", "uniform", "laplacian", "fastest"};
    struct quadratic q;

    quadratic_make(&q, SIZE, NODES);
    for (int a = 0; a < ALGORITHMS; a++)
        expect_alone(&q, set_graphs[2], algorithms[a]);
    for (int i = 0; i < 4; i++) {
        char *lonely = text_format("{name: disk, radius: 1, weights: %s, positions: "
                                   "\"9 9, 1 0, 1 1, 7 0\"}",
                                   rules[i]);
        char *empty = text_format("{name: disk, radius: 0, weights: %s}", rules[i]);

        expect_alone(&q, lonely, "dsgd");
        expect_alone(&q, empty, "dsgd");
        mem_free(lonely);
        mem_free(empty);
    }
    quadratic_release(&q);
}

/* No single graph links all of the nodes: 0 - 1 and 2 - 3, then 1 - 2. */
static const char meetings[] = "{name: disk, radius: 1, move_every: 2, positions: "
                               "\"0 0, 1 0, 5 0, 6 0;  0 0, 4 0, 5 0, 9 0\"}";

static void test_nodes_that_meet_in_turn_reach_the_optimum_of_all(void)
{
    static const struct {
        const char *algorithm, *optimizer;
        double error; /* of biased ones: less than the 1 by which own optima differ */
    } cases[] = {
        {"dsgt",                                 "{name: sgd, lr: 0.05}", 1e-5},
        {"{name: next, mu: 0}",                  "{name: sgd, lr: 0.05}", 1e-5},
        {"{name: cadmm, primal_optimizer: sgd}", "{name: sgd, lr: 0.05}", 1e-5},
        {"dsgd",                                 "{name: sgd, lr: 0.01}", 0.2 },
        {"sgp",                                  "{name: sgd, lr: 0.01}", 0.2 },
    };
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(meetings, NODES, 1, &t));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rounds r = run_of(&q, t, cases[i].algorithm);

        r.optimizer = cases[i].optimizer;
        r.rounds = 3000;
        if (rounds_run(&r, NULL) && !EXPECT(distance_to_optimum(&r, &q) < cases[i].error))
            printf("# %s: %g\n", cases[i].algorithm, distance_to_optimum(&r, &q));
        rounds_release(&r);
    }
    topology_free(t);
    quadratic_release(&q);
}

static void test_a_resumed_run_meets_the_same_graphs(void)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(by_options, NODES, 1, &t));
    for (int64_t stop = 31; stop < 37; stop++) {
        struct rounds whole = run_of(&q, t, "dsgd"), part = run_of(&q, t, "dsgd");

        whole.rounds = part.rounds = 60;
        expect_resumed(&whole, &part, stop);
        rounds_release(&whole);
        rounds_release(&part);
    }
    topology_free(t);
    quadratic_release(&q);
}

static void test_ad_psgd_rejects_nodes_that_move(void)
{
    struct quadratic q;
    struct topology *t;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(meetings, NODES, 1, &t));
    struct rounds r = run_of(&q, t, "ad-psgd");

    expect_end(&r, STATUS_BAD_INPUT, "graph: nodes that move must be in the same round");
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_a_table_says_which_positions_a_round_has),
          TEST(test_the_options_of_disk_move_nodes_too),
          TEST(test_motion_that_makes_no_sense_is_rejected),
          TEST(test_a_node_without_neighbours_finds_its_own_optimum),
          TEST(test_nodes_that_meet_in_turn_reach_the_optimum_of_all),
          TEST(test_a_resumed_run_meets_the_same_graphs),
          TEST(test_ad_psgd_rejects_nodes_that_move))
