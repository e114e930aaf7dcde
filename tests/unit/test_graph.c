/*
 * test_graph.c - the types of graphs: who is linked to whom, and what is refused.
 */
#include "base/file.h"
#include "scratch.h"
#include "unit/topology_case.h"

/* Every type works with these numbers of nodes. */
static const char *const all_types[] = {
    "cycle",
    "complete",
    "star",
    "wheel",
    "path",
    "torus",
    "hypercube",
    "exponential",
    "one_peer_exponential",
    "erdos-renyi",
    "{name: small-world}",
    "{name: geometric, fiedler: 1, tolerance: 0.3}",
    "disk",
    NULL,
};

static void expect_lists_in_order(const struct graph *g)
{
    const struct adjacency *const ways[] = {&g->out, &g->in};

    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < g->nodes; i++) {
            for (int64_t k = ways[way]->begins[i]; k < ways[way]->begins[i + 1]; k++) {
                const int j = ways[way]->ends[k];

                EXPECT(j != i && j >= 0 && j < g->nodes);
                EXPECT(k == ways[way]->begins[i] || ways[way]->ends[k - 1] < j);
                EXPECT(way == 0 || case_has(g, j, i)); /* "in" is "out" the other way round */
                EXPECT(g->is_directed || case_has(g, j, i));
            }
        }
    }
    EXPECT_INT(g->in.begins[g->nodes], g->out.begins[g->nodes]);
}

static void test_lists_are_sorted_and_both_ways_agree(void)
{
    struct graph g;

    for (int t = 0; all_types[t] != NULL; t++) {
        if (!EXPECT_OK(case_graph(all_types[t], 16, 3, &g)))
            continue;
        expect_lists_in_order(&g);
        graph_release(&g);
        graph_release(&g);
    }
}

static void test_one_node_works_with_every_type(void)
{
    struct graph g;

    for (int t = 0; all_types[t] != NULL; t++) {
        if (!EXPECT_OK(case_graph(all_types[t], 1, 1, &g)))
            continue;
        EXPECT_INT(graph_edge_count(&g), 0);
        EXPECT(graph_is_connected(&g));
        EXPECT_INT(graph_diameter(&g), 0);
        graph_release(&g);
    }
}

/* With hops 1, 2, 4, ... the longest way takes all of them: the number N - 1 in ones. */
static void test_fixed_graphs_have_the_edges_and_diameters_of_the_textbook(void)
{
    static const struct {
        const char *type;
        int nodes, edges, diameter;
    } cases[] = {
        {"cycle",                        10, 10, 5},
        {"cycle",                        2,  1,  1},
        {"cycle",                        3,  3,  1},
        {"path",                         10, 9,  9},
        {"star",                         10, 9,  2},
        {"wheel",                        10, 18, 2},
        {"wheel",                        4,  6,  1},
        {"wheel",                        3,  3,  1},
        {"complete",                     10, 45, 1},
        {"torus",                        12, 24, 3},
        {"torus",                        25, 50, 4},
        {"torus",                        4,  4,  2},
        {"torus",                        6,  9,  2},
        {"{name: torus, rows: 5}",       20, 40, 4},
        {"hypercube",                    16, 32, 4},
        {"exponential",                  8,  24, 3},
        {"exponential",                  16, 64, 4},
        {"{name: small_world, beta: 0}", 20, 40, 5},
    };
    struct graph g;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!EXPECT_OK(case_graph(cases[i].type, cases[i].nodes, 1, &g)))
            continue;
        EXPECT_INT(graph_edge_count(&g), cases[i].edges);
        EXPECT_INT(graph_diameter(&g), cases[i].diameter);
        EXPECT(graph_is_connected(&g));
        graph_release(&g);
    }
}

static void test_one_peer_hops_double_each_round(void)
{
    struct topology_choice c;
    struct graph g;

    EXPECT_OK(case_read("one-peer-exponential", &c));
    EXPECT_INT(graph_phases(&c.type, 10), 4); /* 1, 2, 4, 8 */
    for (int phase = 0; phase < 4; phase++) {
        EXPECT_OK(graph_make(&c.type, &(struct graph_request){.nodes = 10, .phase = phase}, &g));
        for (int i = 0; i < 10; i++) {
            EXPECT_INT(graph_out_degree(&g, i), 1);
            EXPECT(case_has(&g, i, (i + (1 << phase)) % 10));
        }
        graph_release(&g);
    }
    topology_choice_release(&c);
}

/* The mean number of links is p N (N - 1) / 2 = 0.3 * 780 = 234; of 50 draws the mean's standard
 * deviation is sqrt(234 * 0.7 / 50) = 1.8. All of 40 nodes are connected nearly always. */
static void test_erdos_renyi_links_each_pair_with_its_probability(void)
{
    double sum = 0;
    struct graph g;

    for (int seed = 0; seed < 50; seed++) {
        EXPECT_OK(case_graph("{name: erdos_renyi, p: 0.3}", 40, (uint64_t)seed, &g));
        EXPECT(graph_is_connected(&g));
        sum += (double)graph_edge_count(&g);
        graph_release(&g);
    }
    EXPECT_NEAR(sum / 50, 234, 4 * 1.8);
}

static bool same_graph(const struct graph *a, const struct graph *b)
{
    const int64_t arcs = a->out.begins[a->nodes];

    return a->nodes == b->nodes && b->out.begins[b->nodes] == arcs &&
           memcmp(a->out.begins, b->out.begins, ((size_t)a->nodes + 1) * sizeof(int64_t)) == 0 &&
           memcmp(a->out.ends, b->out.ends, (size_t)arcs * sizeof(int)) == 0;
}

static void test_a_seed_gives_one_graph_and_another_seed_another(void)
{
    static const char *const types[] = {"erdos_renyi", "small_world", "disk",
                                        "{name: geometric, tolerance: 0.2}"};
    struct graph a, b, c;

    for (int t = 0; t < 4; t++) {
        EXPECT_OK(case_graph(types[t], 20, 5, &a));
        EXPECT_OK(case_graph(types[t], 20, 5, &b));
        EXPECT_OK(case_graph(types[t], 20, 6, &c));
        EXPECT(same_graph(&a, &b));
        EXPECT(!same_graph(&a, &c));
        graph_release(&a);
        graph_release(&b);
        graph_release(&c);
    }
}

static void test_a_graph_that_is_never_connected_names_p_and_the_attempts(void)
{
    struct graph g;

    EXPECT_FAILS(case_graph("{name: erdos_renyi, p: 0.01, gen_attempts: 7}", 20, 1, &g),
                 STATUS_BAD_INPUT, "graph.p: 0.01 connects no erdos_renyi graph of 20 nodes in 7");
    EXPECT_FAILS(case_graph("{name: erdos_renyi, p: 0.01, gen_attempts: 7}", 20, 1, &g),
                 STATUS_BAD_INPUT, "gen_attempts");
    EXPECT_FAILS(case_graph("{name: erdos_renyi, p: 0}", 2, 1, &g), STATUS_BAD_INPUT, "graph.p");
}

/* Moving links keeps their number, and with beta 1 few remain where they were. */
static void test_small_world_moves_links_and_keeps_their_number(void)
{
    struct graph g;
    int in_ring = 0;

    EXPECT_OK(case_graph("{name: small_world, k: 6, beta: 1}", 60, 1, &g));
    EXPECT_INT(graph_edge_count(&g), 180);
    for (int i = 0; i < 60; i++) {
        for (int step = 1; step <= 3; step++)
            in_ring += case_has(&g, i, (i + step) % 60);
    }
    EXPECT(in_ring < 60);
    graph_release(&g);
    EXPECT_FAILS(case_graph("{name: small_world, k: 3}", 60, 1, &g), STATUS_BAD_INPUT, "2 or 4");
    EXPECT_FAILS(case_graph("{name: small_world, k: 8}", 8, 1, &g), STATUS_BAD_INPUT,
                 "at least 9 nodes");
}

static void test_disk_links_the_places_within_the_radius(void)
{
    struct graph g;

    EXPECT_OK(case_graph("{name: disk, radius: 1, positions: \"0 0, 1 0; 1 1, 5 5\"}", 4, 1, &g));
    EXPECT_INT(graph_edge_count(&g), 2);
    EXPECT(case_has(&g, 0, 1) && case_has(&g, 1, 2) && !case_has(&g, 0, 2));
    EXPECT(!graph_is_connected(&g)); /* node 3 is alone, and that is no error */
    EXPECT_INT(graph_diameter(&g), -1);
    EXPECT_NEAR(g.positions[3].y, 5, 0);
    graph_release(&g);
    EXPECT_FAILS(case_graph("{name: disk, positions: \"0 0, 1\"}", 2, 1, &g), STATUS_BAD_INPUT,
                 "graph.positions: place 2: a position must be two numbers");
    EXPECT_FAILS(case_graph("{name: disk, positions: \"0 0, 1 x\"}", 2, 1, &g), STATUS_BAD_INPUT,
                 "\"x\" is not a number");
    EXPECT_FAILS(case_graph("{name: disk, positions: \"0 0, 1 1\"}", 3, 1, &g), STATUS_BAD_INPUT,
                 "2 positions for 3 nodes");
}

static void test_sizes_that_do_not_fit_are_refused_with_those_that_do(void)
{
    struct graph g;

    EXPECT_FAILS(case_graph("torus", 7, 1, &g), STATUS_BAD_INPUT, "use 6 or 8 nodes");
    EXPECT_FAILS(case_graph("torus", 13, 1, &g), STATUS_BAD_INPUT, "use 12 or 14 nodes");
    EXPECT_FAILS(case_graph("torus", 3, 1, &g), STATUS_BAD_INPUT, "use 4 nodes");
    EXPECT_FAILS(case_graph("{name: torus, rows: 5}", 12, 1, &g), STATUS_BAD_INPUT,
                 "graph.rows: 5 does not divide 12 nodes");
    EXPECT_FAILS(case_graph("hypercube", 12, 1, &g), STATUS_BAD_INPUT, "use 8 or 16 nodes");
    EXPECT_FAILS(case_graph("cylce", 12, 1, &g), STATUS_BAD_INPUT, "did you mean cycle?");
    EXPECT_FAILS(case_graph("{name: geometric, fiedler: 6}", 5, 1, &g), STATUS_BAD_INPUT,
                 "graph.fiedler: 6 is more than");
    EXPECT_FAILS(case_graph("{name: cycle, p: 1}", 5, 1, &g), STATUS_BAD_INPUT, "graph.p");
}

/* --- edge files --- */

static enum status graph_of_file(const char *content, int nodes, const char *more, struct graph *g)
{
    char *folder = scratch_new();
    char *path = file_join(folder, "edges.txt");
    char *section = text_format("{name: file, path: %s%s}", path, more);

    EXPECT_OK(file_write_text(path, content));
    const enum status s = case_graph(section, nodes, 1, g);
    mem_free(section);
    mem_free(path);
    scratch_remove(folder);
    return s;
}

static void test_a_file_gives_the_links_of_its_lines(void)
{
    static const char content[] =
        "# a triangle with a tail\n0 1\n1\t2 # comment\r\n\n2 0\n0 2\n2 3";
    struct graph g;

    EXPECT_OK(graph_of_file(content, 5, "", &g));
    EXPECT_INT(graph_edge_count(&g), 4); /* 2 0 and 0 2 are one */
    EXPECT(case_has(&g, 3, 2) && case_has(&g, 2, 3));
    EXPECT_INT(graph_out_degree(&g, 4), 0);
    graph_release(&g);
    EXPECT_OK(graph_of_file(content, 5, ", directed: true", &g));
    EXPECT_INT(graph_edge_count(&g), 5);
    EXPECT(case_has(&g, 2, 3) && !case_has(&g, 3, 2));
    graph_release(&g);
    EXPECT_OK(graph_of_file("", 2, "", &g));
    EXPECT_INT(graph_edge_count(&g), 0);
    graph_release(&g);
}

static void test_a_bad_edge_file_names_the_file_and_line(void)
{
    struct graph g;

    EXPECT_FAILS(graph_of_file("0 1\n1 x\n", 3, "", &g), STATUS_BAD_INPUT,
                 "edges.txt:2: \"x\" is not the number of a node");
    EXPECT_FAILS(graph_of_file("0 1\n\n1 3\n", 3, "", &g), STATUS_BAD_INPUT,
                 "edges.txt:3: there is no node 3; the 3 nodes are 0 to 2");
    EXPECT_FAILS(graph_of_file("0 1 2\n", 3, "", &g), STATUS_BAD_INPUT,
                 "edges.txt:1: a link must be");
    EXPECT_FAILS(graph_of_file("0\n", 3, "", &g), STATUS_BAD_INPUT, "edges.txt:1: a link must be");
    EXPECT_FAILS(graph_of_file("1 1\n", 3, "", &g), STATUS_BAD_INPUT, "linked to itself");
    EXPECT_FAILS(graph_of_file("-1 1\n", 3, "", &g), STATUS_BAD_INPUT, "no node -1");
    EXPECT_FAILS(case_graph("{name: file, path: /nowhere/edges}", 3, 1, &g), STATUS_IO,
                 "/nowhere/edges");
    EXPECT_FAILS(case_graph("file", 3, 1, &g), STATUS_BAD_INPUT, "graph.path");
}

static void test_parts_that_hang_together_are_counted(void)
{
    int labels[6];
    struct graph g;

    EXPECT_OK(graph_of_file("0 1\n2 3\n3 4\n", 6, ", directed: true", &g));
    EXPECT_INT(graph_components(&g, labels), 3);
    EXPECT(labels[0] == labels[1] && labels[2] == labels[4] && labels[5] == 2);
    EXPECT(!graph_is_connected(&g));
    graph_release(&g);
}

TEST_MAIN(TEST(test_lists_are_sorted_and_both_ways_agree),
          TEST(test_one_node_works_with_every_type),
          TEST(test_fixed_graphs_have_the_edges_and_diameters_of_the_textbook),
          TEST(test_one_peer_hops_double_each_round),
          TEST(test_erdos_renyi_links_each_pair_with_its_probability),
          TEST(test_a_seed_gives_one_graph_and_another_seed_another),
          TEST(test_a_graph_that_is_never_connected_names_p_and_the_attempts),
          TEST(test_small_world_moves_links_and_keeps_their_number),
          TEST(test_disk_links_the_places_within_the_radius),
          TEST(test_sizes_that_do_not_fit_are_refused_with_those_that_do),
          TEST(test_a_file_gives_the_links_of_its_lines),
          TEST(test_a_bad_edge_file_names_the_file_and_line),
          TEST(test_parts_that_hang_together_are_counted))
