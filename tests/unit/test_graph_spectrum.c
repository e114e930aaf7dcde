/*
 * test_graph_spectrum.c - eigenvalues against closed forms.
 */
#include "base/rng.h"
#include "graph/spectrum.h"
#include "unit/topology_case.h"

/* Rounding of an orthogonal method: some units of 2^-52 times the norm. */
#define TINY 1e-12

static double fiedler(const char *type, int nodes)
{
    struct graph g;
    double value = -1;

    if (EXPECT_OK(case_graph(type, nodes, 1, &g))) {
        value = spectrum_fiedler(&g);
        graph_release(&g);
    }
    return value;
}

static void test_fiedler_values_are_those_of_the_closed_forms(void)
{
    static const int sizes[] = {2, 3, 4, 5, 10, 17, 40, 100};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int n = sizes[i];

        EXPECT_NEAR(fiedler("complete", n), n, n * TINY);
        EXPECT_NEAR(fiedler("path", n), 2 - 2 * cos(CASE_PI / n), 10 * TINY);
        if (n > 2) {
            EXPECT_NEAR(fiedler("star", n), 1, n * TINY);
            EXPECT_NEAR(fiedler("cycle", n), 2 - 2 * cos(2 * CASE_PI / n), 10 * TINY);
        }
        if (n > 4) /* hub and ring: 1 + the ring's */
            EXPECT_NEAR(fiedler("wheel", n), 3 - 2 * cos(2 * CASE_PI / (n - 1)), n * TINY);
    }
    for (int n = 2; n <= 64; n *= 2)
        EXPECT_NEAR(fiedler("hypercube", n), 2, 100 * TINY);
    /* 5 x 4: the smaller of the two rings' */
    EXPECT_NEAR(fiedler("torus", 20), 2 - 2 * cos(2 * CASE_PI / 5), 10 * TINY);
    EXPECT_NEAR(fiedler("cycle", 1), 0, 0);
    EXPECT_NEAR(fiedler("{name: disk, positions: \"0 0, 0 1, 9 9\", radius: 2}", 3), 0, TINY);
}

static void test_geometric_graphs_have_the_fiedler_value_that_is_asked_for(void)
{
    EXPECT_NEAR(fiedler("{name: geometric, fiedler: 1}", 10), 1, 0.01);
    EXPECT_NEAR(fiedler("{name: geometric, fiedler: 1}", 50), 1, 0.01);
    EXPECT_NEAR(fiedler("{name: geometric, fiedler: 0.1}", 20), 0.1, 0.01);
    EXPECT_NEAR(fiedler("{name: geometric, fiedler: 2}", 20), 2, 0.01);
}

/* All eigenvalues of a ring: 2 - 2 cos(2 pi k / n), each but the ends twice. */
static void test_every_eigenvalue_of_a_ring_is_found(void)
{
    enum { N = 12 };
    double l[N * N], values[N];
    struct graph g;

    EXPECT_OK(case_graph("cycle", N, 1, &g));
    spectrum_laplacian(&g, l);
    spectrum_eigen(l, N, values, SPECTRUM_VALUES);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR(values[i], 2 - 2 * cos(2 * CASE_PI * ((i + 1) / 2) / N), TINY);
    graph_release(&g);
}

static void fill_random(double *a, int n)
{
    const struct rng r = rng_make(3, RNG_TEST, (uint32_t)n);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = rng_normal(&r, (uint64_t)i << 32 | (uint64_t)j, 0);
    }
}

/* Largest entry of A v - lambda v and of V V^T - 1. */
static void test_vectors_are_orthonormal_and_satisfy_their_equation(void)
{
    enum { MOST = 40 };
    static double a[MOST * MOST], v[MOST * MOST], values[MOST];

    for (int n = 1; n <= MOST; n += 3) {
        fill_random(a, n);
        memcpy(v, a, sizeof v);
        spectrum_eigen(v, n, values, SPECTRUM_VECTORS);
        for (int i = 0; i < n; i++) {
            EXPECT(i == 0 || values[i - 1] <= values[i]);
            for (int j = 0; j < n; j++) {
                double product = 0, image = 0;

                for (int k = 0; k < n; k++) {
                    product += v[i * n + k] * v[j * n + k];
                    image += a[j * n + k] * v[i * n + k];
                }
                EXPECT_NEAR(product, i == j, TINY);
                EXPECT_NEAR(image, values[i] * v[i * n + j], 10 * TINY);
            }
        }
    }
}

static void test_a_diagonal_and_a_zero_matrix_are_left_as_they_are(void)
{
    double a[9] = {3, 0, 0, 0, 1, 0, 0, 0, 2}, zero[9] = {0}, values[3];

    spectrum_eigen(a, 3, values, SPECTRUM_VECTORS);
    EXPECT(values[0] == 1 && values[1] == 2 && values[2] == 3);
    EXPECT_NEAR(fabs(a[1]), 1, 0); /* of 1: the second axis */
    spectrum_eigen(zero, 3, values, SPECTRUM_VECTORS);
    EXPECT(values[0] == 0 && values[1] == 0 && values[2] == 0);
}

/* Circulant, hence lambda_k = (1 + sum over hops of w^(k hop)) / (1 + hops), w = exp(2 pi i / n).
 */
static double circulant_gap(int n, const int *hops, int count)
{
    double largest = 0;

    for (int k = 1; k < n; k++) {
        double re = 1, im = 0;

        for (int h = 0; h < count; h++) {
            re += cos(2 * CASE_PI * k * hops[h] / n);
            im += sin(2 * CASE_PI * k * hops[h] / n);
        }
        largest = fmax(largest, sqrt(re * re + im * im) / (1 + count));
    }
    return 1 - largest;
}

static double directed_gap(const char *type, int nodes)
{
    struct topology *t;
    double gap = -1;

    if (EXPECT_OK(case_topology(type, nodes, 1, &t)))
        gap = topology_spectral_gap(t);
    topology_free(t);
    return gap;
}

/* Shares are rounded to 24 bits. */
static void test_gaps_of_directed_graphs_are_those_of_circulant_matrices(void)
{
    static const int hops[] = {1, 2, 4, 8, 16};

    EXPECT_NEAR(directed_gap("exponential", 8), circulant_gap(8, hops, 3), 1e-6);
    EXPECT_NEAR(directed_gap("exponential", 10), circulant_gap(10, hops, 4), 1e-6);
    EXPECT_NEAR(directed_gap("exponential", 32), circulant_gap(32, hops, 5), 1e-6);
    EXPECT_NEAR(directed_gap("exponential", 31), circulant_gap(31, hops, 5), 1e-6);
    EXPECT_NEAR(directed_gap("one_peer_exponential", 9), circulant_gap(9, hops, 1), 1e-6);
    EXPECT_NEAR(directed_gap("exponential", 2), 1, 1e-6);
    EXPECT_NEAR(directed_gap("exponential", 1), 1, 1e-6);
}

TEST_MAIN(TEST(test_fiedler_values_are_those_of_the_closed_forms),
          TEST(test_geometric_graphs_have_the_fiedler_value_that_is_asked_for),
          TEST(test_every_eigenvalue_of_a_ring_is_found),
          TEST(test_vectors_are_orthonormal_and_satisfy_their_equation),
          TEST(test_a_diagonal_and_a_zero_matrix_are_left_as_they_are),
          TEST(test_gaps_of_directed_graphs_are_those_of_circulant_matrices))
