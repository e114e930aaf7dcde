/*
 * test_golden_outer.c - local SGD with an outer optimiser against DiLoCo and SlowMo worked out in
 * float64 (golden_outer.py): where runs of several lengths end, one of them within a period.
 *
 * Four workers, each with a quadratic of its own.
 */
#include "golden/golden.h"
#include "problem/quadratic.h"
#include "rounds.h"

enum { WORKERS = 4, DIM = 12, ENTRIES = WORKERS * DIM };

static struct problem *quadratic_of(void *context, int worker)
{
    return quadratic_new(context, worker);
}

static void fill(double *out, const char *name, struct golden_range range)
{
    float values[ENTRIES];

    golden_fill(values, ENTRIES, name, range);
    for (int i = 0; i < ENTRIES; i++)
        out[i] = (double)values[i];
}

static void quadratic_fill(struct quadratic *q)
{
    quadratic_init(q, &(struct quadratic_options){.size = DIM, .workers = WORKERS, .seed = 1});
    fill(q->a, "outer/curvature", (struct golden_range){0.7, 1.2});
    fill(q->b, "outer/centre", (struct golden_range){.scale = 2});
}

/* The schedule of the cases whose workers' rate changes. */
static void halve_rate(struct worker *w)
{
    for (int64_t k = 8; k <= w->round; k += 8)
        w->rates.lr /= 2;
}

/* Points are of size 2 and float, after up to 40 rounds and 8 outer steps that add up to 2.7 of
 * what went before. */
#define TOLERANCE 1e-5

static void expect_end(const struct rounds *r, const double *point)
{
    double apart = 0;

    for (int w = 0; w < WORKERS; w++)
        for (int i = 0; i < DIM; i++) {
            const double off = fabs((double)r->states[w][i] - point[i]);

            apart = !(off <= apart) ? off : apart; /* also NaN */
        }
    if (!EXPECT(apart <= TOLERANCE))
        printf("# after %lld rounds %g apart\n", (long long)r->rounds, apart);
}

static void check_case(const struct golden *g, const char *name)
{
    const struct golden_record *lengths = golden_get(g, "", "lengths");
    const double *points = golden_get(g, name, "points")->numbers;
    struct quadratic q;
    float start[DIM];

    quadratic_fill(&q);
    golden_fill(start, DIM, "outer/start", (struct golden_range){.scale = 2});
    for (int64_t i = 0; i < lengths->count; i++) {
        struct rounds r = {
            .algorithm = golden_get(g, name, "algorithm")->text,
            .optimizer = golden_get(g, name, "optimizer")->text,
            .workers = WORKERS,
            .rounds = (int64_t)lengths->numbers[i],
            .param_count = DIM,
            .state_count = DIM,
            .problem = quadratic_of,
            .context = &q,
            .start = start,
            .paranoid = true,
            .before_round = golden_get(g, name, "decays")->numbers[0] != 0 ? halve_rate : NULL,
        };

        if (rounds_run(&r, NULL))
            expect_end(&r, points + i * DIM);
        rounds_release(&r);
    }
    quadratic_release(&q);
}

static void test_outer_optimizers_go_the_way_of_diloco_and_slowmo(void)
{
    struct golden g = golden_load("outer");

    EXPECT(golden_for_cases(&g, "cases", check_case) >= 6);
    golden_release(&g);
}

TEST_MAIN(TEST(test_outer_optimizers_go_the_way_of_diloco_and_slowmo))
