/*
 * test_graph_limits.c - every algorithm over graphs with one node, and with nodes that nobody talks
 * to.
 */
#include "graph_case.h"

#define PLAIN "{name: sgd, lr: 0.1}"

static const char *const algorithms[] = {
    "dsgd",
    "{name: dsgd, form: atc}",
    "{name: dsgd, form: cta}",
    "{name: dsgd, form: cta, in_place: true}",
    "dsgt",
    "{name: dsgt, in_place: true}",
    "extra",
    "exact-diffusion",
    "{name: next, l1: 0.1}",
    "{name: cadmm, primal_optimizer: sgd, primal_lr: 0.1}",
    "{name: dinno, primal_lr: 0.05, persistent_primal_opt: true}",
    "prox-pda",
    "{name: choco, compressor: topk, k: 0.2, gamma: 0.3}",
    "sgp",
    "ad-psgd",
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

struct part {
    struct quadratic *q;
    int worker;
};

static struct problem *part_problem(void *context, int worker)
{
    const struct part *p = context;

    (void)worker;
    return quadratic_new(p->q, p->worker);
}

/* A path of 0, 1 and 2; nobody talks to 3. */
static struct topology path_and_one(void)
{
    struct topology t = {.nodes = 4};

    t.w[0][1] = t.w[1][0] = t.w[1][2] = t.w[2][1] = t.w[1][1] = 1.0 / 3;
    t.w[0][0] = t.w[2][2] = 2.0 / 3;
    t.w[3][3] = 1;
    matrix_lists(&t);
    return t;
}

static void test_a_node_that_nobody_talks_to_trains_as_one_node_alone(void)
{
    const struct topology t = path_and_one();
    struct quadratic q;
    struct part part = {.q = &q, .worker = 3};

    graph_quadratic(&q, 4);
    for (int a = 0; a < ALGORITHMS; a++) {
        struct rounds all = quadratic_rounds(&q, &t, algorithms[a], PLAIN);
        struct rounds alone = quadratic_rounds(&q, NULL, algorithms[a], PLAIN);
        bool is_near = true;

        alone.workers = 1;
        alone.problem = part_problem;
        alone.context = &part;
        if (rounds_run(&all, NULL) && rounds_run(&alone, NULL))
            for (int j = 0; j < SIZE; j++)
                is_near = is_near && fabsf(all.states[3][j] - alone.states[0][j]) < 1e-6F;
        if (!EXPECT(is_near))
            printf("# that was %s\n", algorithms[a]);
        if (EXPECT(alone.states != NULL))
            EXPECT(fabs((double)alone.states[0][0]) > 1e-3); /* it has moved */
        rounds_release(&all);
        rounds_release(&alone);
    }
    quadratic_release(&q);
}

/* Without neighbours there is no penalty: the primal steps are plain ones. */
static void test_one_node_of_cadmm_makes_plain_steps(void)
{
    expect_single("{name: cadmm, primal_optimizer: sgd, primal_iterations: 1, primal_lr: 0.1}", 0,
                  false);
    expect_single("{name: dinno, primal_optimizer: sgd, primal_iterations: 1, primal_lr: 0.1}", 0,
                  false);
}

TEST_MAIN(TEST(test_a_node_that_nobody_talks_to_trains_as_one_node_alone),
          TEST(test_one_node_of_cadmm_makes_plain_steps))
