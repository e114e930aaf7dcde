/*
 * test_choco.c - CHOCO-SGD: its rule, its compressors on quadratics, and the search for gamma
 * against optima that are computed another way.
 */
#include <stdlib.h>

#include "algo/parts/choco_gamma.h"
#include "graph_case.h"

#define PLAIN "{name: sgd, lr: 0.1}"

/* --- the rule --- */

/* Keeps the k largest of q[SIZE]. */
static void topk_by_hand(double *q, int k)
{
    double old[SIZE];

    memcpy(old, q, sizeof old);
    for (int i = 0; i < SIZE; i++) {
        int before = 0;

        for (int j = 0; j < SIZE; j++)
            before += fabs(old[j]) > fabs(old[i]);
        if (before >= k)
            q[i] = 0;
    }
}

/* y is what is known of each node. */
static void gossip_by_hand(struct by_hand *h, const struct topology *t, int k, double gamma)
{
    for (int i = 0; i < t->nodes; i++) {
        double q[SIZE];

        for (int j = 0; j < SIZE; j++)
            q[j] = h->x[i][j] - h->y[i][j];
        topk_by_hand(q, k);
        for (int j = 0; j < SIZE; j++)
            h->y[i][j] += q[j];
    }
    for (int i = 0; i < t->nodes; i++)
        for (int n = 0; n < t->nodes; n++)
            for (int j = 0; t->w[i][n] != 0 && j < SIZE; j++)
                h->x[i][j] += gamma * t->w[i][n] * (h->y[n][j] - h->y[i][j]);
}

static void expect_choco(const char *algorithm, int k, double gamma)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;
    struct by_hand h = {0};

    graph_quadratic(&q, NODES);
    struct rounds r = quadratic_rounds(&q, &t, algorithm, PLAIN);
    for (int round = 0; round < r.rounds; round++) {
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < SIZE; j++)
                h.x[i][j] -= 0.1 * gradient_by_hand(&q, i, j, h.x[i][j]);
        gossip_by_hand(&h, &t, k, gamma);
    }
    if (rounds_run(&r, NULL))
        expect_by_hand(&r, h.x, 2e-5);
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_choco_is_its_rule(void)
{
    expect_choco("{name: choco, compressor: none, gamma: 0.6}", SIZE, 0.6);
    expect_choco("{name: choco, compressor: topk, k: 9, gamma: 0.3}", 9, 0.3);
    expect_choco("{name: choco, compressor: topk, k: 0.25, gamma: 0.3}", 9, 0.3);
}

/* With a small step every compressor, gamma found by itself, ends near dsgd's place. */
static void test_every_compressor_trains(void)
{
    static const char *const algorithms[] = {
        "{name: choco, compressor: none}",
        "{name: choco, compressor: topk, k: 0.3}",
        "{name: choco, compressor: randomk, k: 0.3}",
        "{name: choco, compressor: sign}",
        "{name: choco, compressor: qsgd, bits: 4}",
    };
    const struct topology t = ring_of(NODES);
    struct quadratic q;

    graph_quadratic(&q, NODES);
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        struct rounds r = quadratic_rounds(&q, &t, algorithms[i], "{name: sgd, lr: 0.01}");
        double mean_off = 0;

        r.rounds = 600;
        if (rounds_run(&r, NULL))
            for (int j = 0; j < SIZE; j++) {
                double mean = 0;

                for (int n = 0; n < NODES; n++)
                    mean += (double)r.states[n][j] / NODES;
                mean_off = fmax(mean_off, fabs(mean - quadratic_optimum(&q)[j]));
            }
        if (!EXPECT(mean_off < 0.05))
            printf("# %s: the mean is %g away\n", algorithms[i], mean_off);
        EXPECT(distance_to_optimum(&r, &q) < 1.5);
        rounds_release(&r);
    }
    quadratic_release(&q);
}

static void test_one_node_is_plain_sgd(void)
{
    expect_single("choco", 0, true);
}

static void test_what_cannot_work_is_refused(void)
{
    struct topology t = ring_of(4);

    expect_failure(&t, "{name: choco, gamma: much}", PLAIN,
                   "algorithm.gamma: 'much' must be auto or a number in (0, 1]");
    expect_failure(&t, "{name: choco, gamma: 1.5}", PLAIN, "algorithm.gamma: '1.5'");
    t.changes = true;
    expect_failure(&t, "choco", PLAIN, "choco needs the same graph in all rounds");
}

/* --- gamma: auto --- */

/* A cycle whose nodes have no weight of their own: I - W has the eigenvalues 1 - cos(2 pi k / n).
 */
static struct topology bare_ring(int nodes)
{
    struct topology t = {.nodes = nodes};

    for (int i = 0; i < nodes; i++)
        t.w[i][(i + 1) % nodes] = t.w[i][(i + nodes - 1) % nodes] = 0.5;
    matrix_lists(&t);
    return t;
}

static double find(const struct topology *t, struct compressor_request c)
{
    double w[NODES * NODES];

    topology_matrix(t, 0, w);
    return choco_gamma_best(
        &(struct choco_gamma_request){.w = w, .nodes = t->nodes, .compressor = c, .seed = 5});
}

/* Without loss x <- x - gamma (I - W) x is fastest for gamma = 2 / (smallest + largest). */
static void test_gamma_without_loss_is_that_of_the_eigenvalues(void)
{
    static const int sizes[] = {4, 10};
    const struct compressor_request none = {.kind = COMPRESSOR_NONE, .count = 100};
    const double pi = acos(-1);

    for (int i = 0; i < 2; i++) {
        const struct topology t = bare_ring(sizes[i]);
        const double expected = 2 / (1 - cos(2 * pi / sizes[i]) + 2);

        EXPECT_NEAR(find(&t, none), expected, 0.03 * expected);
    }
    const struct topology ring = ring_of(NODES); /* 2 / (0.127 + 1.333) is above 1 */
    EXPECT_NEAR(find(&ring, none), 1, 0.02);
}

/* Rounds until nodes agree to 1e-4 of where they began, in double; a start of its own. */
static int rounds_to_agree(const struct topology *t, int k, double gamma)
{
    const struct rng r = rng_make(11, RNG_TEST, 0);
    struct by_hand h = {0};
    int rounds = 0;

    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++)
            h.x[i][j] = rng_normal(&r, (uint64_t)(i * SIZE + j), 0);
    for (double spread = 1; spread > 1e-4 && spread < 1e3 && rounds < 600; rounds++) {
        gossip_by_hand(&h, t, k, gamma);
        spread = 0;
        for (int i = 1; i < t->nodes; i++)
            for (int j = 0; j < SIZE; j++)
                spread = fmax(spread, fabs(h.x[i][j] - h.x[0][j]));
    }
    return rounds;
}

/* Against a fine grid: no gamma agrees in less than 0.8 of the rounds that auto's needs. */
static void test_gamma_with_topk_is_nearly_the_best_of_a_fine_grid(void)
{
    static const int kept[] = {4, 12};
    const struct topology t = ring_of(NODES);

    for (int i = 0; i < 2; i++) {
        const double gamma = find(
            &t, (struct compressor_request){.kind = COMPRESSOR_TOPK, .count = SIZE, .k = kept[i]});
        const int ours = rounds_to_agree(&t, kept[i], gamma);
        int best = 600;

        for (double g = 0.05; g <= 1; g *= 1.15) {
            const int rounds = rounds_to_agree(&t, kept[i], g);
            best = rounds < best ? rounds : best;
        }
        if (!EXPECT(ours * 0.8 <= best && ours < 600))
            printf("# k %d: gamma %g needs %d rounds, the best %d\n", kept[i], gamma, ours, best);
    }
}

static void test_gamma_shrinks_with_the_share_that_is_sent(void)
{
    const struct topology t = ring_of(NODES);
    const double some =
        find(&t, (struct compressor_request){.kind = COMPRESSOR_TOPK, .count = 100000, .k = 0.01});
    const double few =
        find(&t, (struct compressor_request){.kind = COMPRESSOR_TOPK, .count = 100000, .k = 20});

    EXPECT(some > 0 && some < 0.5);
    EXPECT(few > 0 && few < 0.2 * some);
}

TEST_MAIN(TEST(test_choco_is_its_rule), TEST(test_every_compressor_trains),
          TEST(test_one_node_is_plain_sgd), TEST(test_what_cannot_work_is_refused),
          TEST(test_gamma_without_loss_is_that_of_the_eigenvalues),
          TEST(test_gamma_with_topk_is_nearly_the_best_of_a_fine_grid),
          TEST(test_gamma_shrinks_with_the_share_that_is_sent))
