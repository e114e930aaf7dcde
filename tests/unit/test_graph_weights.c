/*
 * test_graph_weights.c - mixing weights: exact sums, closed forms, and the published optima of
 * fastest mixing.
 *
 * Boyd, Diaconis, Xiao: "Fastest Mixing Markov Chain on a Graph", 2004 (table of small examples);
 * Boyd, Diaconis, Sun, Xiao: "Fastest Mixing Markov Chain on a Path", 2006: 1/2 on every edge;
 * Boyd, Diaconis, Parrilo, Xiao: "Fastest Mixing Markov Chain on Graphs with Symmetries", 2009:
 * where all edges are alike, each has min(1 / d_max, 2 / (lambda_2 + lambda_N)).
 */
#include "base/file.h"
#include "graph/spectrum.h"
#include "scratch.h"
#include "unit/topology_case.h"

/* The second largest eigenvalue by magnitude of these weights. */
static double slem(const struct graph *g, enum weight_rule rule)
{
    double *matrix = MEM_NEW_N(double, (int64_t)g->nodes * g->nodes), value = -1;
    struct weights w;

    if (EXPECT_OK(weights_init(&w, g, rule, WEIGHTS_FINE))) {
        weights_matrix(&w, g, matrix);
        value = 1 - spectrum_gap(matrix, g->nodes);
        weights_release(&w);
        weights_release(&w);
    }
    mem_free(matrix);
    return value;
}

static double slem_of(const char *type, int nodes, enum weight_rule rule)
{
    struct graph g;
    double value = -1;

    if (EXPECT_OK(case_graph(type, nodes, 1, &g))) {
        value = slem(&g, rule);
        graph_release(&g);
    }
    return value;
}

static double slem_of_edges(const int (*edges)[2], int count, int nodes, enum weight_rule rule)
{
    struct arcs arcs = {0};
    struct graph g;

    for (int l = 0; l < count; l++)
        arcs_add(&arcs, edges[l][0], edges[l][1]);
    graph_init(&g, nodes, false, &arcs);
    arcs_release(&arcs);
    const double value = slem(&g, rule);
    graph_release(&g);
    return value;
}

static void expect_exact(const struct graph *g, enum weight_rule rule, enum weights_grid grid)
{
    const int n = g->nodes;
    double *matrix = MEM_NEW_N(double, (int64_t)n *n);
    struct weights w;

    EXPECT_OK(weights_init(&w, g, rule, grid));
    weights_matrix(&w, g, matrix);
    for (int i = 0; i < n; i++) {
        double row = 0;

        for (int j = 0; j < n; j++) {
            const double x = matrix[i * n + j];

            EXPECT((double)(float)x == x);
            EXPECT(x == matrix[j * n + i]);
            EXPECT(rule == WEIGHTS_LAPLACIAN || x >= 0);
            row += x;
        }
        EXPECT(row == 1); /* not only near it */
    }
    weights_release(&w);
    mem_free(matrix);
}

static void test_weights_are_floats_symmetric_and_add_up_to_one_exactly(void)
{
    static const char *const types[] = {"cycle",
                                        "complete",
                                        "star",
                                        "wheel",
                                        "path",
                                        "torus",
                                        "hypercube",
                                        "erdos_renyi",
                                        "disk",
                                        "{name: small_world, beta: 0.4}",
                                        "{name: disk, radius: 0}",
                                        NULL};
    struct graph g;

    for (int t = 0; types[t] != NULL; t++) {
        EXPECT_OK(case_graph(types[t], 16, 2, &g));
        for (int rule = 0; rule < WEIGHTS_RULES; rule++) {
            expect_exact(&g, (enum weight_rule)rule, WEIGHTS_FINE);
            expect_exact(&g, (enum weight_rule)rule, WEIGHTS_COARSE);
        }
        graph_release(&g);
    }
    for (int n = 1; n <= 3; n++) {
        EXPECT_OK(case_graph("path", n, 2, &g));
        for (int rule = 0; rule < WEIGHTS_RULES; rule++)
            expect_exact(&g, (enum weight_rule)rule, WEIGHTS_FINE);
        graph_release(&g);
    }
    EXPECT_OK(case_graph("star", 1000, 2, &g));
    expect_exact(&g, WEIGHTS_METROPOLIS, WEIGHTS_FINE);
    graph_release(&g);
}

/* Rounded to 24 bits of the largest. */
static void test_metropolis_and_uniform_are_their_formulas(void)
{
    struct weights w;
    struct graph g;

    EXPECT_OK(case_graph("star", 6, 1, &g));
    EXPECT_OK(weights_init(&w, &g, WEIGHTS_METROPOLIS, WEIGHTS_FINE));
    EXPECT_NEAR(w.in[0], 1.0 / 6, 1e-7);
    EXPECT_NEAR(w.self[0], 1.0 / 6, 1e-6);
    EXPECT_NEAR(w.self[3], 5.0 / 6, 1e-7);
    weights_release(&w);
    graph_release(&g);
    EXPECT_OK(case_graph("path", 4, 1, &g));
    EXPECT_OK(weights_init(&w, &g, WEIGHTS_UNIFORM, WEIGHTS_FINE));
    for (int k = 0; k < 6; k++)
        EXPECT_NEAR(w.in[k], 1.0 / 3, 1e-7);
    EXPECT_NEAR(w.self[0], 2.0 / 3, 1e-7);
    weights_release(&w);
    graph_release(&g);
}

/* (lambda_N - lambda_2) / (lambda_N + lambda_2): Xiao, Boyd, "Fast linear iterations for
 * distributed averaging", 2004. */
static void test_laplacian_weights_have_the_best_constant(void)
{
    EXPECT_NEAR(slem_of("star", 9, WEIGHTS_LAPLACIAN), (9 - 1) / (9.0 + 1), 1e-6);
    EXPECT_NEAR(slem_of("hypercube", 16, WEIGHTS_LAPLACIAN), (8 - 2) / (8.0 + 2), 1e-6);
    EXPECT_NEAR(slem_of("complete", 12, WEIGHTS_LAPLACIAN), 0, 1e-6);

    const double low = 2 - 2 * cos(CASE_PI / 7), high = 2 + 2 * cos(CASE_PI / 7);
    EXPECT_NEAR(slem_of("path", 7, WEIGHTS_LAPLACIAN), (high - low) / (high + low), 1e-6);
}

static void test_fastest_on_a_path_is_one_half_everywhere(void)
{
    static const int sizes[] = {2, 3, 4, 5, 8, 12};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        EXPECT_NEAR(slem_of("path", sizes[i], WEIGHTS_FASTEST),
                    sizes[i] == 2 ? 0 : cos(CASE_PI / sizes[i]), 2e-4);
}

static double alike_optimum(double degree, double low, double high)
{
    const double p = fmin(1 / degree, 2 / (low + high));

    return fmax(1 - p * low, p * high - 1);
}

static void test_fastest_where_all_edges_are_alike_is_the_best_constant(void)
{
    for (int n = 3; n <= 15; n += 4) {
        const double low = 2 - 2 * cos(2 * CASE_PI / n);
        const double high = 2 - 2 * cos(2 * CASE_PI * (n / 2) / n);

        EXPECT_NEAR(slem_of("cycle", n, WEIGHTS_FASTEST), alike_optimum(2, low, high), 2e-4);
        EXPECT_NEAR(slem_of("complete", n, WEIGHTS_FASTEST), 0, 2e-4);
        EXPECT_NEAR(slem_of("star", n, WEIGHTS_FASTEST), alike_optimum(n - 1, 1, n), 2e-4);
    }
    EXPECT_NEAR(slem_of("hypercube", 16, WEIGHTS_FASTEST), 3.0 / 5, 2e-4);
    EXPECT_NEAR(slem_of("torus", 25, WEIGHTS_FASTEST),
                alike_optimum(4, 2 - 2 * cos(2 * CASE_PI / 5), 4 - 4 * cos(4 * CASE_PI / 5)), 2e-4);
}

/* A triangle with a tail: 7/11, and metropolis 2/3 (in the walk's form) is worse. */
static void test_fastest_reaches_the_published_value_of_a_triangle_with_a_tail(void)
{
    static const int edges[][2] = {
        {0, 1},
        {1, 2},
        {0, 2},
        {2, 3}
    };

    EXPECT_NEAR(slem_of_edges(edges, 4, 4, WEIGHTS_FASTEST), 7.0 / 11, 2e-4);
}

/*
 * A wheel of m rim nodes has two kinds of edges, of weight s (spokes) and r (rim), alike among
 * themselves at some optimum, as mu is convex. Its eigenvalues: 1 - (m + 1) s, and
 * 1 - s - 2 r (1 - cos(2 pi k / m)), k = 1 .. m - 1.
 */
static double wheel_mu(int m, double s, double r)
{
    double mu = fabs(1 - (m + 1) * s);

    for (int k = 1; k < m; k++)
        mu = fmax(mu, fabs(1 - s - 2 * r * (1 - cos(2 * CASE_PI * k / m))));
    return mu;
}

static double wheel_optimum(int m)
{
    double best = 1;

    for (int a = 0; a <= 500; a++) {
        for (int b = 0; b <= 500; b++) {
            const double s = a / (500.0 * m), r = b / 1000.0;

            if (s + 2 * r <= 1)
                best = fmin(best, wheel_mu(m, s, r));
        }
    }
    return best;
}

/* The grid's steps are 2e-3 / m and 1e-3, half of which is the most that the best is away; the
 * slopes are at most (m + 1) and 4. */
static void test_fastest_finds_the_optimum_of_a_wheel(void)
{
    for (int m = 4; m <= 9; m++) {
        const double found = slem_of("wheel", m + 1, WEIGHTS_FASTEST), best = wheel_optimum(m);

        EXPECT_NEAR(found, best, 3.5e-3);
        EXPECT(found <= best + 2e-4);
    }
}

static void test_fastest_is_never_slower_than_the_other_rules(void)
{
    struct graph g;

    for (int seed = 0; seed < 5; seed++) {
        EXPECT_OK(case_graph("{name: erdos_renyi, p: 0.3}", 20, (uint64_t)seed, &g));
        const double best = slem(&g, WEIGHTS_FASTEST);
        EXPECT(best <= slem(&g, WEIGHTS_METROPOLIS) + 1e-6);
        EXPECT(best <= slem(&g, WEIGHTS_UNIFORM) + 1e-4);
        graph_release(&g);
    }
}

/* Two triangles apart: each averages at once with 1/3. */
static void test_fastest_works_on_each_part_of_a_graph(void)
{
    struct arcs arcs = {0};
    struct weights w;
    struct graph g;

    for (int i = 0; i < 3; i++) {
        arcs_add(&arcs, i, (i + 1) % 3);
        arcs_add(&arcs, 4 + i, 4 + (i + 1) % 3);
    }
    graph_init(&g, 7, false, &arcs); /* node 3 is alone */
    arcs_release(&arcs);
    EXPECT_OK(weights_init(&w, &g, WEIGHTS_FASTEST, WEIGHTS_FINE));
    for (int k = 0; k < 12; k++)
        EXPECT_NEAR(w.in[k], 1.0 / 3, 1e-3);
    EXPECT_NEAR(w.self[3], 1, 0);
    weights_release(&w);
    EXPECT_OK(weights_init(&w, &g, WEIGHTS_LAPLACIAN, WEIGHTS_FINE));
    EXPECT_NEAR(w.in[0], 1.0 / 3, 1e-6);
    weights_release(&w);
    graph_release(&g);
}

static void test_shares_of_a_directed_graph_make_columns_of_one_exactly(void)
{
    static const char *const types[] = {"exponential", "one_peer_exponential"};
    struct weights w;
    struct graph g;

    for (int t = 0; t < 2; t++) {
        EXPECT_OK(case_graph(types[t], 11, 1, &g));
        EXPECT_OK(weights_init(&w, &g, WEIGHTS_METROPOLIS, WEIGHTS_FINE));
        for (int i = 0; i < 11; i++) {
            EXPECT((double)(float)w.push[i] == w.push[i] && (double)(float)w.self[i] == w.self[i]);
            EXPECT(w.self[i] + (double)graph_out_degree(&g, i) * w.push[i] == 1);
            EXPECT_NEAR(w.push[i], 1.0 / (1 + (double)graph_out_degree(&g, i)), 1e-7);
        }
        weights_release(&w);
        EXPECT_FAILS(weights_init(&w, &g, WEIGHTS_FASTEST, WEIGHTS_FINE), STATUS_BAD_INPUT,
                     "graph.weights: fastest needs an undirected graph");
        graph_release(&g);
    }
    for (int64_t receivers = 0; receivers < 3000; receivers++) {
        const double share = weights_share(receivers), rest = 1 - (double)receivers * share;

        EXPECT((double)(float)share == share && (double)(float)rest == rest && rest > 0);
    }
}

static void test_fastest_refuses_more_nodes_than_it_is_for(void)
{
    struct weights w;
    struct graph g;

    EXPECT_OK(case_graph("path", 300, 1, &g));
    EXPECT_FAILS(weights_init(&w, &g, WEIGHTS_FASTEST, WEIGHTS_FINE), STATUS_BAD_INPUT,
                 "up to 256 nodes, not 300");
    graph_release(&g);
}

TEST_MAIN(TEST(test_weights_are_floats_symmetric_and_add_up_to_one_exactly),
          TEST(test_metropolis_and_uniform_are_their_formulas),
          TEST(test_laplacian_weights_have_the_best_constant),
          TEST(test_fastest_on_a_path_is_one_half_everywhere),
          TEST(test_fastest_where_all_edges_are_alike_is_the_best_constant),
          TEST(test_fastest_reaches_the_published_value_of_a_triangle_with_a_tail),
          TEST(test_fastest_finds_the_optimum_of_a_wheel),
          TEST(test_fastest_is_never_slower_than_the_other_rules),
          TEST(test_fastest_works_on_each_part_of_a_graph),
          TEST(test_shares_of_a_directed_graph_make_columns_of_one_exactly),
          TEST(test_fastest_refuses_more_nodes_than_it_is_for))
