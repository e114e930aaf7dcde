/*
 * test_graph_runs.c - every graph algorithm on real topologies: repeated runs, buffers, nodes
 * without data, graphs that change.
 */
#include "graph/topology.h"
#include "optim/optim.h"
#include "quadratic_case.h"

enum { SIZE = 37, NODES = 8 };

#define PLAIN "{name: sgd, lr: 0.05}"

/* `gradients` a round, and `extra` ones before the first. */
struct graph_algorithm {
    const char *section;
    int gradients, extra;
};

static const struct graph_algorithm algorithms[] = {
    {"dsgd",                                                                                1, 0},
    {"{name: dsgd, form: atc}",                                                             1, 0},
    {"{name: dsgd, form: cta}",                                                             1, 0},
    {"dsgt",                                                                                1, 1},
    {"extra",                                                                               1, 0},
    {"exact-diffusion",                                                                     1, 0},
    {"{name: next, l1: 0.01}",                                                              1, 1},
    {"{name: cadmm, primal_iterations: 3}",                                                 3, 0},
    {"{name: cadmm, primal_optimizer: adamw, persistent_primal_opt: yes, primal_lr: 0.01}", 2, 0},
    {"{name: dinno, lr_decay: log, primal_lr: 0.05, primal_lr_end: 0.01}",                  2, 0},
    {"prox-pda",                                                                            1, 0},
    {"{name: choco, compressor: none}",                                                     1, 0},
    {"{name: choco, compressor: randomk, k: 0.3}",                                          1, 0},
    {"{name: choco, compressor: qsgd}",                                                     1, 0},
    {"sgp",                                                                                 1, 0},
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

static struct problem *buffer_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, INT64_MAX);
}

/* Node 2 has three batches, all others have data for ever. */
static struct problem *uneven_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, worker == 2 ? 3 : INT64_MAX);
}

static struct topology *topology_of(const char *section, const struct topology_options *options)
{
    struct choice type = {0};
    struct topology *t = NULL;

    if (EXPECT_OK(rounds_choose(&type, &graph_registry, section)))
        EXPECT_OK(topology_new(
            &(struct topology_request){
                .type = &type, .options = options, .nodes = NODES, .seed = 4},
            &t));
    choice_release(&type);
    return t;
}

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    struct rounds r = quadratic_rounds(q, t, algorithm, PLAIN);

    r.rounds = 25;
    return r;
}

static void test_runs_have_the_same_bits_whoever_computes_when(void)
{
    struct quadratic q;
    struct topology *t = topology_of("wheel", NULL);

    quadratic_make(&q, SIZE, NODES);
    for (int a = 0; a < ALGORITHMS; a++) {
        struct rounds one = run_of(&q, t, algorithms[a].section);
        struct rounds many = run_of(&q, t, algorithms[a].section);

        one.slots = 1;
        many.slots = NODES;
        many.paranoid = false; /* looking changes nothing */
        if (rounds_run(&one, NULL) && rounds_run(&many, NULL))
            if (!EXPECT(has_same_states(&one, &many)))
                printf("# that was %s\n", algorithms[a].section);
        EXPECT(fabs((double)one.states[0][0]) > 1e-4);
        rounds_release(&one);
        rounds_release(&many);
    }
    topology_free(t);
    quadratic_release(&q);
}

/* Each gradient raises node i's buffer by i + 1: mixing keeps the sum and brings
 * nodes together, which without it are NODES - 1 times the gradients apart. */
static void expect_buffers(const struct rounds *r, const struct graph_algorithm *a)
{
    const double gradients = (double)(a->gradients * r->rounds + a->extra);
    double sum = 0, apart = 0;

    for (int i = 0; i < NODES; i++) {
        const double buffer = (double)r->states[i][SIZE];

        sum += buffer;
        apart = fmax(apart, fabs(buffer - (double)r->states[0][SIZE]));
        if (r->statistics == STATISTICS_LOCAL)
            EXPECT_NEAR(buffer, gradients * (i + 1), 0);
    }
    EXPECT_NEAR(sum, gradients * NODES * (NODES + 1) / 2, 1e-5 * sum);
    if (r->statistics == STATISTICS_AVERAGE && !EXPECT(apart < gradients * (NODES - 1) / 2))
        printf("# %s: %g\n", a->section, apart);
}

static void test_buffers_are_mixed_where_statistics_are_averaged(void)
{
    static const enum statistics kinds[] = {STATISTICS_AVERAGE, STATISTICS_LOCAL};
    struct quadratic q;
    struct topology *t = topology_of("cycle", NULL);

    quadratic_make(&q, SIZE, NODES);
    for (int a = 0; a < ALGORITHMS; a++)
        for (int k = 0; k < 2; k++) {
            struct rounds r = run_of(&q, t, algorithms[a].section);

            r.state_count = SIZE + 1;
            r.problem = buffer_problem;
            r.statistics = kinds[k];
            if (rounds_run(&r, NULL))
                expect_buffers(&r, &algorithms[a]);
            rounds_release(&r);
        }
    topology_free(t);
    quadratic_release(&q);
}

/* It goes on mixing, and the others' gradients move it. */
static void test_a_node_without_data_still_mixes(void)
{
    struct quadratic q;
    struct topology *t = topology_of("cycle", NULL);

    quadratic_make(&q, SIZE, NODES);
    for (int a = 0; a < ALGORITHMS; a++) {
        struct rounds r = run_of(&q, t, algorithms[a].section);

        r.rounds = 120;
        r.state_count = SIZE + 1;
        r.statistics = STATISTICS_LOCAL;
        r.problem = uneven_problem;
        if (rounds_run(&r, NULL))
            for (int j = 0; j < SIZE; j++)
                if (!EXPECT(fabs((double)r.states[2][j] - (double)r.states[1][j]) < 2))
                    printf("# %s: %g and %g\n", algorithms[a].section, (double)r.states[2][j],
                           (double)r.states[1][j]);
        EXPECT(r.states[2][SIZE] <= 9); /* three gradients */
        EXPECT(r.states[1][SIZE] >= 240);
        rounds_release(&r);
    }
    topology_free(t);
    quadratic_release(&q);
}

/* What has no bias has none where links and nodes come and go. */
static void test_exact_algorithms_reach_the_optimum_on_changing_graphs(void)
{
    static const char *const exact[] = {"dsgt", "{name: next, mu: 0}", "extra", "exact-diffusion",
                                        "{name: prox-pda, beta: 3}"};
    struct topology_options options;
    struct quadratic q;

    fields_default(topology_fields, &options);
    options.drop_links = 0.2;
    struct topology *t = topology_of("complete", &options);
    quadratic_make(&q, SIZE, NODES);
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        struct rounds r = run_of(&q, t, exact[i]);

        r.rounds = 600;
        if (rounds_run(&r, NULL) && !EXPECT(distance_to_optimum(&r, &q) < 1e-5))
            printf("# %s: %g\n", exact[i], distance_to_optimum(&r, &q));
        rounds_release(&r);
    }
    topology_free(t);
    fields_release(topology_fields, &options);
    quadratic_release(&q);
}

/* One peer a round and directed: after log2 N rounds everybody has heard everybody. */
static void test_one_peer_exponential_graphs_carry_dsgd_dsgt_and_sgp(void)
{
    static const char *const able[] = {"dsgt", "{name: dsgd, form: atc}", "sgp"};
    struct quadratic q;
    struct topology *t = topology_of("one_peer_exponential", NULL);

    quadratic_make(&q, SIZE, NODES);
    for (int i = 0; i < 3; i++) {
        struct rounds r = run_of(&q, t, able[i]);

        r.rounds = 400;
        if (rounds_run(&r, NULL) && !EXPECT(distance_to_optimum(&r, &q) < (i == 0 ? 1e-5 : 0.5)))
            printf("# %s: %g\n", able[i], distance_to_optimum(&r, &q));
        rounds_release(&r);
    }
    topology_free(t);
    quadratic_release(&q);
}

/* --- mixing alone, over graphs that change --- */

/* Batches are all empty. */
static struct problem *empty_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, 0);
}

/* p <- w p */
static void multiply(double (*p)[NODES], const double *w)
{
    double old[NODES][NODES];

    memcpy(old, p, sizeof old);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            p[i][j] = 0;
            for (int k = 0; k < NODES; k++)
                p[i][j] += w[i * NODES + k] * old[k][j];
        }
}

static void remove_mean(double *x)
{
    double mean = 0;

    for (int i = 0; i < NODES; i++)
        mean += x[i] / NODES;
    for (int i = 0; i < NODES; i++)
        x[i] -= mean;
}

static double length(const double *x)
{
    double square = 0;

    for (int i = 0; i < NODES; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

/* The most that p leaves of a disagreement: its largest singular value beside the mean's, by the
 * power method, which also leaves the direction in x. */
static double contraction(double (*p)[NODES], double *x)
{
    double value = 0;

    for (int i = 0; i < NODES; i++)
        x[i] = cos(1 + 3 * i);
    for (int k = 0; k < 3000; k++) {
        double y[NODES] = {0}, z[NODES] = {0};

        remove_mean(x);
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                y[i] += p[i][j] * x[j] / length(x);
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < NODES; i++)
                z[j] += p[i][j] * y[i];
        value = length(y);
        memcpy(x, z, sizeof z);
    }
    remove_mean(x);
    return value;
}

/* A start in the direction that contracts least keeps exactly that much; all of it is the product
 * of the rounds' matrices. Values are up to 1, a round rounds by 1e-7. */
static void test_rounds_over_changing_graphs_contract_as_the_product_of_their_matrices(void)
{
    char schedule[] = "star,path";
    struct topology_options options;
    struct quadratic q;
    double p[NODES][NODES] = {{0}}, w[NODES * NODES], x[NODES], left[NODES] = {0};
    float starts[NODES][SIZE + 1];

    fields_default(topology_fields, &options);
    options.schedule = schedule;
    options.switch_every = 2;
    options.drop_links = 0.2;
    struct topology *t = topology_of("cycle", &options);
    quadratic_make(&q, SIZE, NODES);
    struct rounds r = run_of(&q, t, "{name: dsgd, form: atc}");
    r.rounds = 12;
    r.state_count = SIZE + 1;
    r.problem = empty_problem;
    r.starts = &starts[0][0];
    for (int i = 0; i < NODES; i++)
        p[i][i] = 1;
    for (int64_t k = 0; k < r.rounds; k++) {
        topology_matrix(t, k, w);
        multiply(p, w);
    }
    const double expected = contraction(p, x), before = length(x);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j <= SIZE; j++)
            starts[i][j] = (float)(x[i] / before) + (float)(j % 5);
    if (rounds_run(&r, NULL)) {
        for (int i = 0; i < NODES; i++) {
            for (int j = 0; j < NODES; j++)
                left[i] += p[i][j] * x[j] / before;
            for (int j = 0; j <= SIZE; j++)
                EXPECT_NEAR((double)r.states[i][j], left[i] + j % 5, 2e-5);
        }
        for (int i = 0; i < NODES; i++)
            x[i] = (double)r.states[i][0];
        remove_mean(x);
        EXPECT(expected > 0.05 && expected < 0.95);
        EXPECT_NEAR(length(x), expected, 1e-5);
    }
    rounds_release(&r);
    topology_free(t);
    options.schedule = NULL;
    fields_release(topology_fields, &options);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_runs_have_the_same_bits_whoever_computes_when),
          TEST(test_buffers_are_mixed_where_statistics_are_averaged),
          TEST(test_a_node_without_data_still_mixes),
          TEST(test_exact_algorithms_reach_the_optimum_on_changing_graphs),
          TEST(test_one_peer_exponential_graphs_carry_dsgd_dsgt_and_sgp),
          TEST(test_rounds_over_changing_graphs_contract_as_the_product_of_their_matrices))
