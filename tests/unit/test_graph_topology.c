/*
 * test_graph_topology.c - who talks to whom in a round: schedules, outages, and what all nodes
 * agree on.
 */
#include <pthread.h>

#include "unit/topology_case.h"

/* The mixing matrix is symmetric or has columns of 1, exactly, and agrees with the lists. */
static void expect_consistent(const struct topology *t, int64_t round)
{
    const int n = topology_nodes(t);
    double *w = MEM_NEW_N(double, (int64_t)n *n);
    const struct graph *g = topology_graph(t, round);
    struct neighbourhood own;

    topology_matrix(t, round, w);
    for (int i = 0; i < n; i++) {
        double row = 0, column = 0;

        topology_neighbourhood(t, round, i, &own);
        EXPECT_INT(own.in_count, graph_in_degree(g, i));
        EXPECT_INT(own.out_count, graph_out_degree(g, i));
        EXPECT(own.in_count <= topology_degree_max(t) && own.out_count <= topology_degree_max(t));
        for (int k = 0; k < own.in_count; k++)
            EXPECT_INT(own.in[k], g->in.ends[g->in.begins[i] + k]);
        for (int k = 0; k < own.out_count; k++)
            EXPECT_INT(own.out[k], g->out.ends[g->out.begins[i] + k]);
        for (int j = 0; j < n; j++) {
            row += w[i * n + j];
            column += w[j * n + i];
            EXPECT(topology_is_directed(t) || w[i * n + j] == w[j * n + i]);
            EXPECT(w[i * n + j] == 0 || i == j || case_has(g, j, i));
        }
        EXPECT(column == 1);
        EXPECT(topology_is_directed(t) || row == 1);
        EXPECT_NEAR(own.push, 1.0 / (1 + own.out_count), 1e-7);
        if (topology_is_directed(t))
            EXPECT(own.self == 1 - own.out_count * own.push);
    }
    mem_free(w);
}

static void test_lists_and_weights_agree_in_every_round(void)
{
    static const char *const sections[] = {
        "cycle",
        "{name: complete, drop_links: 0.4}",
        "{name: erdos_renyi, drop_nodes: 0.3, drop_links: 0.1, weights: fastest}",
        "exponential",
        "{name: exponential, drop_links: 0.3, drop_nodes: 0.1}",
        "{name: one_peer_exponential, drop_links: 0.5}",
        "{name: cycle, schedule: \"star, erdos_renyi:2\", switch_every: 2, weights: laplacian}",
        "{name: cycle, schedule: exponential}",
        "{name: disk, radius: 0.2}",
    };

    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        for (int nodes = 1; nodes <= 13; nodes += 6) {
            struct topology *t;

            if (EXPECT_OK(case_topology(sections[s], nodes, 4, &t))) {
                for (int64_t round = 0; round < 12; round++)
                    expect_consistent(t, round);
            }
            topology_free(t);
        }
    }
}

static void test_a_lone_node_keeps_its_value(void)
{
    struct topology *t;
    struct neighbourhood n;

    EXPECT_OK(case_topology("{name: disk, radius: 0}", 4, 1, &t));
    topology_neighbourhood(t, 0, 2, &n);
    EXPECT(n.in_count == 0 && n.out_count == 0 && n.self == 1 && n.push == 1);
    topology_free(t);
    EXPECT_OK(case_topology("cycle", 1, 1, &t));
    topology_neighbourhood(t, 5, 0, &n);
    EXPECT(n.in_count == 0 && n.self == 1);
    EXPECT_NEAR(topology_spectral_gap(t), 1, 0);
    topology_free(t);
}

static void test_the_complete_graph_averages_at_once(void)
{
    struct topology *t;
    struct neighbourhood n;

    EXPECT_OK(case_topology("complete", 10, 1, &t));
    topology_neighbourhood(t, 3, 7, &n);
    EXPECT_INT(n.in_count, 9);
    EXPECT_NEAR(n.self, 0.1, 1e-7);
    EXPECT_NEAR(n.weights[8], 0.1, 1e-8);
    EXPECT_NEAR(topology_spectral_gap(t), 1, 1e-6);
    EXPECT(!topology_changes(t) && !topology_is_directed(t) && topology_is_doubly_stochastic(t));
    topology_free(t);
}

/* p <- w p, both [n][n] */
static void multiply(const double *w, double *p, int n)
{
    double *out = MEM_NEW_N(double, (int64_t)n *n);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                out[i * n + j] += w[i * n + k] * p[k * n + j];
        }
    }
    memcpy(p, out, (size_t)n * (size_t)n * sizeof *p);
    mem_free(out);
}

/* The optimum of any sequence of matrices: the exact mean, after log2 N rounds from any start. */
static void test_one_peer_rounds_average_exactly_in_log2_of_the_nodes(void)
{
    for (int n = 2, rounds = 1; n <= 32; n *= 2, rounds++) {
        double *w = MEM_NEW_N(double, (int64_t)n *n), *p = MEM_NEW_N(double, (int64_t)n *n);
        struct topology *t;

        EXPECT_OK(case_topology("one_peer_exponential", n, 1, &t));
        EXPECT_INT(topology_period(t), rounds);
        EXPECT(topology_is_directed(t) && topology_is_doubly_stochastic(t));
        for (int64_t start = 0; start < 3; start++) {
            memset(p, 0, (size_t)n * (size_t)n * sizeof *p);
            for (int i = 0; i < n; i++)
                p[i * n + i] = 1;
            for (int k = 0; k < rounds; k++) {
                topology_matrix(t, start + k, w);
                multiply(w, p, n);
            }
            for (int i = 0; i < n * n; i++)
                EXPECT(p[i] == 1.0 / n);
        }
        topology_free(t);
        mem_free(w);
        mem_free(p);
    }
}

static void test_a_schedule_takes_each_graph_for_its_rounds_in_turn(void)
{
    struct topology *t;

    EXPECT_OK(
        case_topology("{name: cycle, schedule: \"star,complete\", switch_every: 3}", 8, 1, &t));
    EXPECT(topology_changes(t));
    EXPECT_INT(topology_period(t), 9);
    for (int64_t round = 0; round < 20; round++) {
        static const int64_t edges[] = {8, 7, 28};

        EXPECT_INT(graph_edge_count(topology_graph(t, round)), edges[round / 3 % 3]);
    }
    topology_free(t);
}

static void test_draws_of_a_schedule_differ_and_keep_the_options(void)
{
    struct topology *t;
    int differ = 0;

    EXPECT_OK(case_topology("{name: erdos_renyi, p: 0.9, schedule: erdos_renyi:3}", 12, 1, &t));
    EXPECT_INT(topology_period(t), 4);
    for (int64_t round = 0; round < 4; round++) {
        const struct graph *a = topology_graph(t, round), *b = topology_graph(t, round + 1);

        EXPECT(graph_edge_count(a) > 45); /* of 66, 59.4 at p = 0.9 and 19.8 at the default */
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 12; j++)
                differ += case_has(a, i, j) != case_has(b, i, j);
        }
    }
    EXPECT(differ > 10);
    topology_free(t);
    EXPECT_FAILS(case_topology("{name: cycle, schedule: \"star,rign\"}", 8, 1, &t),
                 STATUS_BAD_INPUT, "graph.schedule: there is no graph rign");
    EXPECT_FAILS(case_topology("{name: cycle, schedule: \"star:x\"}", 8, 1, &t), STATUS_BAD_INPUT,
                 "graph.schedule: \"x\" after star");
}

/* Of 45 links in 400 rounds, 18000 draws: the deviation of the mean is sqrt(.25 .75 / 18000) =
 * 0.0033. */
static void test_links_are_out_as_often_as_asked_and_their_weight_stays(void)
{
    struct topology *t, *whole;
    struct neighbourhood n, all;
    int64_t links = 0;

    EXPECT_OK(case_topology("{name: complete, drop_links: 0.25}", 10, 9, &t));
    EXPECT_OK(case_topology("complete", 10, 9, &whole));
    EXPECT(topology_changes(t) && topology_is_doubly_stochastic(t));
    for (int64_t round = 0; round < 400; round++)
        links += graph_edge_count(topology_graph(t, round));
    EXPECT_NEAR((double)links / 18000, 0.75, 4 * 0.0033);
    topology_neighbourhood(t, 1, 4, &n);
    topology_neighbourhood(whole, 1, 4, &all);
    for (int k = 0; k < n.in_count; k++)
        EXPECT_NEAR(n.weights[k], all.weights[0], 1e-7);
    EXPECT_NEAR(n.self, all.self + (all.in_count - n.in_count) * all.weights[0], 1e-6);
    topology_free(t);
    topology_free(whole);
}

static void test_a_node_that_is_out_has_no_links(void)
{
    struct topology *t;
    int alone = 0;

    EXPECT_OK(case_topology("{name: complete, drop_nodes: 0.3}", 10, 2, &t));
    for (int64_t round = 0; round < 300; round++) {
        const struct graph *g = topology_graph(t, round);
        int out = 0;

        for (int i = 0; i < 10; i++)
            out += graph_out_degree(g, i) == 0;
        for (int i = 0; i < 10; i++)
            EXPECT(graph_out_degree(g, i) == 0 || graph_out_degree(g, i) == 9 - out);
        alone += out;
    }
    /* Of 3000: the deviation of the mean is sqrt(.3 .7 / 3000) = 0.0084; a last one is never left.
     */
    EXPECT_NEAR(alone / 3000.0, 0.3, 4 * 0.0084);
    topology_free(t);
}

/* One-peer graphs of a round are pairs; only all of them together hang together. */
static void test_a_topology_is_connected_when_all_its_rounds_together_are(void)
{
    static const struct {
        const char *section;
        int nodes, from, to; /* to -1: connected */
    } cases[] = {
        {"cycle",                                                                 5, 0, -1},
        {"one_peer_exponential",                                                  8, 0, -1},
        {"{name: disk, radius: 1.1, positions: \"0 0, 1 0, 5 0, 6 0\"}",          4, 0, 2 },
        {"{name: disk, radius: 1, positions: \"0 0, 1 0, 5 0\", schedule: path}", 3, 0, -1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topology *t = NULL;
        int from = 0, to = -1;

        if (!EXPECT_OK(case_topology(cases[i].section, cases[i].nodes, 1, &t)))
            continue;
        EXPECT_INT(topology_is_connected(t, &from, &to), cases[i].to < 0);
        if (cases[i].to >= 0) {
            EXPECT_INT(from, cases[i].from);
            EXPECT_INT(to, cases[i].to);
        }
        topology_free(t);
    }
}

static void test_rounds_differ_and_repeat_with_the_seed(void)
{
    enum { N = 12 };
    double a[N * N], b[N * N], other[N * N], next[N * N];
    struct topology *t, *same, *third;

    EXPECT_OK(case_topology("{name: complete, drop_links: 0.5}", N, 7, &t));
    EXPECT_OK(case_topology("{name: complete, drop_links: 0.5}", N, 7, &same));
    EXPECT_OK(case_topology("{name: complete, drop_links: 0.5}", N, 8, &third));
    topology_matrix(t, 5, next);
    topology_matrix(t, 4, a);
    topology_matrix(same, 4, b);
    topology_matrix(third, 4, other);
    EXPECT(memcmp(a, b, sizeof a) == 0);
    EXPECT(memcmp(a, next, sizeof a) != 0 && memcmp(a, other, sizeof a) != 0);
    topology_free(t);
    topology_free(same);
    topology_free(third);
}

/* --- many nodes at once --- */

enum { MANY = 64, THREADS = 4, ROUNDS = 200 };

struct looker {
    const struct topology *topology;
    int first;
    double sums[MANY];
};

static void *look_around(void *context)
{
    struct looker *l = context;

    for (int64_t round = 0; round < ROUNDS; round++) {
        for (int i = l->first; i < MANY; i += THREADS) {
            struct neighbourhood n;

            topology_neighbourhood(l->topology, round, i, &n);
            for (int k = 0; k < n.in_count; k++)
                l->sums[i] +=
                    (double)(round + 1) * (1 + n.in[k]) * n.weights[k] * (1 + n.out_count);
        }
    }
    return NULL;
}

static void test_nodes_look_at_the_same_time_without_locks(void)
{
    static struct looker apart[THREADS], alone[THREADS];
    pthread_t threads[THREADS];
    struct topology *t;

    EXPECT_OK(case_topology("{name: torus, drop_links: 0.3, drop_nodes: 0.1}", MANY, 3, &t));
    for (int i = 0; i < THREADS; i++) {
        apart[i] = alone[i] = (struct looker){.topology = t, .first = i};
        look_around(&alone[i]);
    }
    for (int i = 0; i < THREADS; i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, look_around, &apart[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT(memcmp(apart[i].sums, alone[i].sums, sizeof apart[i].sums) == 0);
    }
    topology_free(t);
}

static void test_a_thousand_nodes_work(void)
{
    struct topology *t;
    struct neighbourhood n;

    EXPECT_OK(case_topology("{name: erdos_renyi, p: 0.02, drop_links: 0.1}", 1000, 1, &t));
    for (int i = 0; i < 1000; i++) {
        topology_neighbourhood(t, 7, i, &n);
        EXPECT(n.in_count <= topology_degree_max(t));
    }
    topology_free(t);
}

static void test_options_read_back_as_they_were_written(void)
{
    struct topology_choice c, back;
    struct node *section = node_new(NODE_MAP, "test", 0, 0);

    EXPECT_OK(case_read("{name: erdos-renyi, p: 0.4, weights: fastest, drop_links: 0.1, "
                        "schedule: \"star,cycle\", switch_every: 4}",
                        &c));
    topology_choice_dump(&c, section);
    EXPECT_OK(topology_choice_read(&back, section, NULL));
    EXPECT(back.type.entry == c.type.entry && back.options.weights == WEIGHTS_FASTEST);
    EXPECT_NEAR(back.options.drop_links, 0.1, 0);
    EXPECT_TEXT(back.options.schedule, "star,cycle");
    EXPECT_INT(back.options.switch_every, 4);
    topology_choice_release(&c);
    topology_choice_release(&back);
    topology_choice_release(&back);
    node_free(section);
    EXPECT_OK(topology_choice_read(&c, NULL, "cycle"));
    EXPECT_TEXT(c.type.entry->name, "cycle");
    topology_choice_release(&c);
    EXPECT_FAILS(case_read("{name: cycle, wieghts: uniform}", &c), STATUS_BAD_INPUT,
                 "graph.wieghts");
    EXPECT_FAILS(case_read("{name: cycle, drop_links: 1.5}", &c), STATUS_BAD_INPUT,
                 "graph.drop_links");
    EXPECT_FAILS(case_read("{name: cycle, weights: best}", &c), STATUS_BAD_INPUT, "metropolis");
}

TEST_MAIN(TEST(test_lists_and_weights_agree_in_every_round), TEST(test_a_lone_node_keeps_its_value),
          TEST(test_the_complete_graph_averages_at_once),
          TEST(test_one_peer_rounds_average_exactly_in_log2_of_the_nodes),
          TEST(test_a_schedule_takes_each_graph_for_its_rounds_in_turn),
          TEST(test_draws_of_a_schedule_differ_and_keep_the_options),
          TEST(test_links_are_out_as_often_as_asked_and_their_weight_stays),
          TEST(test_a_node_that_is_out_has_no_links),
          TEST(test_a_topology_is_connected_when_all_its_rounds_together_are),
          TEST(test_rounds_differ_and_repeat_with_the_seed),
          TEST(test_nodes_look_at_the_same_time_without_locks), TEST(test_a_thousand_nodes_work),
          TEST(test_options_read_back_as_they_were_written))
