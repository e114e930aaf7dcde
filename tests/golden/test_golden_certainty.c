/*
 * test_golden_certainty.c - rounds of ramen and udon against their rules worked out in float64
 * (golden_certainty.py): counts that start at given numbers, coordinates that only some nodes see,
 * fixed and changing graphs.
 */
#include "algo/parts/admm.h"
#include "golden/golden.h"
#include "problem/quadratic.h"
#include "rounds.h"
#include "unit/topology_case.h"

enum { NODES = 4, DIM = 12, GRID = 9, ROUNDS = 8, ENTRIES = NODES * DIM };

static struct problem *new_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

static void fill(float *out, const char *name, double scale, double shift)
{
    golden_fill(out, ENTRIES, name, (struct golden_range){scale, shift});
}

/* A curvature of 0 is a coordinate that the node does not see. */
static void quadratic_fill(struct quadratic *q)
{
    float curvature[ENTRIES], seen[ENTRIES], centre[ENTRIES];

    quadratic_init(q, &(struct quadratic_options){.size = DIM, .workers = NODES, .seed = 1});
    fill(curvature, "certainty/curvature", 0.7, 1.2);
    fill(seen, "certainty/seen", 1, 0);
    fill(centre, "certainty/centre", 2, 0);
    for (int i = 0; i < ENTRIES; i++) {
        q->a[i] = seen[i] > -0.3F ? (double)curvature[i] : 0;
        q->b[i] = (double)centre[i];
    }
}

static double seen_before; /* the mean count at the start */

static float *counts_of(struct worker *w)
{
    return w->vectors[admm_vector_count(w->options)];
}

static void give_counts(struct worker *w)
{
    float counts[ENTRIES];

    if (w->round > 0)
        return;
    fill(counts, "certainty/counts", 10, seen_before);
    for (int i = 0; i < GRID; i++)
        counts_of(w)[i] = floorf(counts[worker_rank(w) * DIM + i]);
}

/* Points are of size 2 and float; 24 steps round by 1e-7 each, and Adam divides by gradients that
 * are much smaller. */
#define TOLERANCE 2e-5

static void compare(const struct golden *g, const char *name, const struct rounds *r)
{
    const double *x = golden_get(g, name, "x")->numbers;
    const double *counts = golden_get(g, name, "counts")->numbers;
    const int place = admm_vector_count(r->chosen.options);
    double apart = 0;

    for (int w = 0; w < NODES; w++) {
        for (int i = 0; i < DIM; i++)
            apart = fmax(apart, fabs((double)r->states[w][i] - x[w * DIM + i]));
        for (int i = 0; i < GRID; i++)
            EXPECT((double)r->kept[w].vectors[place][i] == counts[w * GRID + i]);
    }
    if (!EXPECT(apart <= TOLERANCE))
        printf("# %s: %g apart\n", name, apart);
}

static void check_case(const struct golden *g, const char *name)
{
    float starts[ENTRIES];
    struct topology *t;
    struct quadratic q;

    quadratic_fill(&q);
    fill(starts, "certainty/start", 2, 0);
    seen_before = golden_get(g, name, "seen")->numbers[0];
    EXPECT_OK(case_topology(golden_get(g, name, "graph")->text, NODES, 1, &t));
    struct rounds r = {
        .algorithm = golden_get(g, name, "algorithm")->text,
        .optimizer = "{name: sgd, lr: 0.1}",
        .workers = NODES,
        .rounds = ROUNDS,
        .param_count = DIM,
        .state_count = DIM,
        .grid_count = GRID,
        .problem = new_problem,
        .context = &q,
        .starts = starts,
        .topology = t,
        .paranoid = true,
        .before_round = give_counts,
        .seed = 1,
    };

    if (rounds_run(&r, NULL))
        compare(g, name, &r);
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

static void test_rounds_weighed_by_counts_go_the_way_of_the_rules_written_out(void)
{
    struct golden g = golden_load("certainty");

    EXPECT(golden_for_cases(&g, "cases", check_case) >= 9);
    golden_release(&g);
}

TEST_MAIN(TEST(test_rounds_weighed_by_counts_go_the_way_of_the_rules_written_out))
