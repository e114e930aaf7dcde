/*
 * test_golden_federated.c - rounds of fedavg, fedprox and scaffold against the same rules written
 * out with PyTorch (golden_federated.py): workers with different numbers of samples, one without
 * any, and rounds with some of them.
 */
#include "algo/parts/clients.h"
#include "golden/golden.h"
#include "rounds.h"

enum { WORKERS = 5, DIM = 6, BATCH = 4, ROUNDS = 6, ROWS_MAX = 20 };

static const int64_t sizes[WORKERS] = {7, 12, 20, 0, 9};

/* The loss of one worker; its batches are in the order of its rows. */
struct rows_problem {
    struct problem base; /* first */
    float rows[ROWS_MAX * DIM], signs[ROWS_MAX], centre[DIM];
    int64_t size, next, first;
};

static struct rows_problem *of(struct problem *p)
{
    return (struct rows_problem *)p;
}

static void rows_draw(struct problem *p)
{
    struct rows_problem *own = of(p);

    own->first = own->next++ % p->batches_per_epoch * BATCH;
    const int64_t left = own->size - own->first;
    p->batch_size = p->batch_total = left < BATCH ? left : BATCH;
}

/* Adds the loss of row j and its gradient. */
static double add_row(const struct rows_problem *own, int64_t j, const float *x, double *gradient)
{
    const double sign = own->signs[j] > 0.0F ? 1 : -1;
    double z = 0;

    for (int i = 0; i < DIM; i++)
        z -= sign * (double)own->rows[j * DIM + i] * (double)x[i];
    for (int i = 0; i < DIM; i++)
        gradient[i] -= sign * (double)own->rows[j * DIM + i] / (1 + exp(-z));
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

static enum status rows_gradient(struct problem *p, float *state, float *gradient,
                                 struct batch_result *result)
{
    const struct rows_problem *own = of(p);
    const double samples = (double)p->batch_size;
    double sums[DIM] = {0};

    *result = (struct batch_result){.samples = p->batch_size};
    for (int64_t j = 0; j < p->batch_size; j++)
        result->loss_sum += add_row(own, own->first + j, state, sums);
    for (int i = 0; i < DIM; i++) {
        const double off = (double)state[i] - (double)own->centre[i];
        result->loss_sum += samples * 0.4 * off * off / 2;
        gradient[i] = (float)(sums[i] / samples + 0.4 * off);
    }
    return STATUS_OK;
}

static void rows_free(struct problem *p)
{
    mem_free(of(p));
}

static void fill(float *out, int64_t count, const char *what, int worker, double scale)
{
    char *name = text_format("federated/%s/%d", what, worker);

    golden_fill(out, count, name, (struct golden_range){.scale = scale});
    mem_free(name);
}

static struct problem *rows_new(void *context, int worker)
{
    static const struct problem_ops ops = {
        .entry = {.name = "rows"},
        .draw = rows_draw,
        .gradient = rows_gradient,
        .free = rows_free,
    };
    struct rows_problem *own = MEM_NEW(struct rows_problem);
    const int64_t batches = (sizes[worker] + BATCH - 1) / BATCH;

    (void)context;
    own->size = sizes[worker];
    fill(own->rows, own->size * DIM, "rows", worker, 2);
    fill(own->signs, own->size, "signs", worker, 1);
    fill(own->centre, DIM, "centre", worker, 2);
    own->base = (struct problem){
        .ops = &ops,
        .param_count = DIM,
        .state_count = DIM,
        .batches_per_epoch = batches > 0 ? batches : 1,
        .own_samples = own->size,
    };
    return &own->base;
}

/* --- what the rounds do --- */

static struct {
    float points[ROUNDS][DIM];   /* x before each round, of worker 0 */
    bool drawn[ROUNDS][WORKERS]; /* who is a client, as each worker sees it for itself */
} seen;

static void look(struct worker *w)
{
    const int rank = worker_rank(w);

    seen.drawn[w->round][rank] = clients_include(w, rank);
    if (rank == 0)
        memcpy(seen.points[w->round], w->state, sizeof seen.points[0]);
}

/*
 * Points are of size 1. A round has up to fifteen steps that round to float, 6e-8 each, and all of
 * them contract.
 */
#define TOLERANCE 2e-6

static void compare(const struct golden *g, const char *name, const struct rounds *r)
{
    const double *points = golden_get(g, name, "points")->numbers;
    const double *clients = golden_get(g, name, "clients")->numbers;

    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < WORKERS; i++)
            if (!EXPECT(seen.drawn[k][i] == (clients[k * WORKERS + i] != 0)))
                printf("# round %d, worker %d\n", k, i);
    for (int k = 1; k < ROUNDS; k++)
        for (int i = 0; i < DIM; i++)
            EXPECT_NEAR((double)seen.points[k][i], points[(k - 1) * DIM + i], TOLERANCE);
    for (int w = 0; w < WORKERS; w++)
        for (int i = 0; i < DIM; i++)
            EXPECT_NEAR((double)r->states[w][i], points[(ROUNDS - 1) * DIM + i], TOLERANCE);
}

static void check_case(const struct golden *g, const char *name)
{
    float start[DIM];
    struct rounds r = {
        .algorithm = golden_get(g, name, "algorithm")->text,
        .optimizer = golden_get(g, name, "optimizer")->text,
        .workers = WORKERS,
        .rounds = ROUNDS,
        .param_count = DIM,
        .state_count = DIM,
        .problem = rows_new,
        .start = start,
        .paranoid = true,
        .before_round = look,
        .seed = 1,
    };

    golden_fill(start, DIM, "federated/start", (struct golden_range){.scale = 2});
    if (rounds_run(&r, NULL))
        compare(g, name, &r);
    rounds_release(&r);
}

static void test_rounds_with_clients_go_the_way_of_the_rules_written_out(void)
{
    struct golden g = golden_load("federated");

    EXPECT(golden_for_cases(&g, "cases", check_case) >= 9);
    golden_release(&g);
}

TEST_MAIN(TEST(test_rounds_with_clients_go_the_way_of_the_rules_written_out))
