/*
 * test_consensus_distance.c - distances between nodes and from their mean, against plain loops over
 * the vectors.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "record/consensus_distance.h"
#include "test.h"

enum { NODES = 7, VALUES = 50 };

struct nodes {
    double x[NODES][VALUES];
    double mean[VALUES];
};

/* Around 3, `width` apart. */
static void nodes_draw(struct nodes *n, double width, uint64_t seed)
{
    const struct rng r = rng_make(seed, RNG_TEST, 0);

    *n = (struct nodes){0};
    for (int i = 0; i < NODES; i++)
        for (int v = 0; v < VALUES; v++) {
            n->x[i][v] = 3 + 0.1 * v + width * rng_normal(&r, (uint64_t)(i * VALUES + v), 0);
            n->mean[v] += n->x[i][v] / NODES;
        }
}

static double distance(const double *a, const double *b)
{
    double sum = 0;

    for (int v = 0; v < VALUES; v++)
        sum += (a[v] - b[v]) * (a[v] - b[v]);
    return sqrt(sum);
}

static void nodes_distances(const struct nodes *n, struct consensus_distance *s)
{
    double gram[NODES * NODES] = {0}, squares[NODES] = {0};

    for (int i = 0; i < NODES; i++)
        for (int v = 0; v < VALUES; v++) {
            squares[i] += n->x[i][v] * n->x[i][v];
            for (int j = i; j < NODES; j++)
                gram[i * NODES + j] += (n->x[i][v] - n->mean[v]) * (n->x[j][v] - n->mean[v]);
        }
    consensus_distance_init(s, gram, squares, NODES);
}

static void expect_spread(const struct nodes *n, const double *pairs, const double *from_mean)
{
    for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < NODES; j++)
            EXPECT_NEAR(pairs[i * NODES + j] / fmax(distance(n->x[i], n->x[j]), 1e-300), i != j,
                        1e-6);
        EXPECT_NEAR(from_mean[i] / distance(n->x[i], n->mean), 1, 1e-6);
    }
}

static void test_distances_are_those_of_the_vectors(void)
{
    static const double widths[] = {10, 0.1, 1e-6};

    for (uint64_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct nodes n;
        struct consensus_distance s;

        nodes_draw(&n, widths[i], i);
        nodes_distances(&n, &s);
        expect_spread(&n, s.raw, s.from_mean);
        consensus_distance_release(&s);
    }
}

/* The same after every vector is scaled to length 1. */
static void test_normalized_distances_are_those_of_unit_vectors(void)
{
    static const double widths[] = {10, 0.1, 1e-4};

    for (uint64_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct nodes n, unit = {0};
        struct consensus_distance s;
        const double zero[VALUES] = {0};

        nodes_draw(&n, widths[i], 10 + i);
        for (int k = 0; k < NODES; k++)
            for (int v = 0; v < VALUES; v++) {
                unit.x[k][v] = n.x[k][v] / distance(n.x[k], zero);
                unit.mean[v] += unit.x[k][v] / NODES;
            }
        nodes_distances(&n, &s);
        expect_spread(&unit, s.normalized, s.from_mean_normalized);
        consensus_distance_release(&s);
    }
}

static void test_equal_nodes_and_zero_vectors_are_at_distance_0(void)
{
    const double gram[4] = {0}, squares[2] = {0};
    struct consensus_distance s;

    consensus_distance_init(&s, gram, squares, 2);
    EXPECT_NEAR(s.raw[1], 0, 0);
    EXPECT_NEAR(s.normalized[1], 0, 0);
    EXPECT_NEAR(s.from_mean[0], 0, 0);
    EXPECT_NEAR(s.from_mean_normalized[1], 0, 0);
    consensus_distance_release(&s);
    consensus_distance_release(&s);
}

static void expect_file(const char *path, const char *expected)
{
    struct text file = {0};

    EXPECT_OK(file_read(path, 1 << 20, &file));
    EXPECT_TEXT(text_get(&file), expected);
    text_release(&file);
}

static void test_rows_hold_each_pair_once_and_are_cut_at_a_round(void)
{
    static const char first[] =
        "{\"round\":0,\"nodes\":2,\"from_mean\":[2.5,2.5],\"from_mean_normalized\":[0,0],"
        "\"raw\":[5],\"normalized\":[0]}\n";
    const double gram[4] = {6.25, -6.25, -6.25, 6.25}, squares[2] = {25, 100}; /* x and 2 x */
    struct consensus_distance s;
    struct consensus_log log;

    consensus_distance_init(&s, gram, squares, 2);
    EXPECT_OK(file_make_folders("test_spread.dir"));
    EXPECT_OK(consensus_log_open(&log, "test_spread.dir", -1));
    EXPECT_OK(consensus_log_add(&log, 0, &s));
    expect_file("test_spread.dir/consensus.jsonl", first);
    EXPECT_OK(consensus_log_add(&log, 20, &s));
    consensus_log_close(&log);
    EXPECT_OK(consensus_log_open(&log, "test_spread.dir", 19));
    consensus_log_close(&log);
    consensus_log_close(&log);
    expect_file("test_spread.dir/consensus.jsonl", first);
    consensus_distance_release(&s);
    EXPECT_OK(file_remove("test_spread.dir/consensus.jsonl"));
}

static void test_rows_without_pairs_have_the_distances_from_the_mean(void)
{
    static const struct consensus_from_mean from[2] = {
        {2.5, 0.5 },
        {1.5, 0.25}
    };
    struct consensus_distance s;
    struct consensus_log log;

    consensus_distance_init_from_mean(&s, from, 2);
    EXPECT_OK(file_make_folders("test_from_mean.dir"));
    EXPECT_OK(consensus_log_open(&log, "test_from_mean.dir", -1));
    EXPECT_OK(consensus_log_add(&log, 3, &s));
    consensus_log_close(&log);
    expect_file("test_from_mean.dir/consensus.jsonl",
                "{\"round\":3,\"nodes\":2,\"from_mean\":[2.5,1.5],"
                "\"from_mean_normalized\":[0.5,0.25]}\n");
    consensus_distance_release(&s);
    EXPECT_OK(file_remove("test_from_mean.dir/consensus.jsonl"));
}

TEST_MAIN(TEST(test_distances_are_those_of_the_vectors),
          TEST(test_normalized_distances_are_those_of_unit_vectors),
          TEST(test_equal_nodes_and_zero_vectors_are_at_distance_0),
          TEST(test_rows_hold_each_pair_once_and_are_cut_at_a_round),
          TEST(test_rows_without_pairs_have_the_distances_from_the_mean))
