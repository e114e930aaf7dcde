/*
 * test_golden_optim.c - 20 steps of every optimiser and the rates of every schedule against
 * PyTorch's; LARS and LAMB, which it does not have, against their papers' rules.
 *
 * The objective (golden_optim.py) is a mean of logistic losses plus a quadratic, in 12 dimensions,
 * computed in double at float points; with batches, step k sees every third row.
 */
#include "golden/golden.h"
#include "optim/schedule.h"

enum { STEPS = 20, DIM = 12, ROWS = 24, ENTRIES = ROWS * DIM, BATCHES = 3 };

struct golden_objective {
    float a[ENTRIES], b[ROWS], c[DIM], e[DIM];
    int first, stride; /* the rows of this step */
    int calls;
};

static void objective_init(struct golden_objective *f)
{
    *f = (struct golden_objective){.stride = 1};
    golden_fill(f->a, ENTRIES, "objective/rows", (struct golden_range){.scale = 2});
    golden_fill(f->b, ROWS, "objective/signs", (struct golden_range){.scale = 1});
    golden_fill(f->c, DIM, "objective/curvature", (struct golden_range){0.4, 0.5});
    golden_fill(f->e, DIM, "objective/centre", (struct golden_range){.scale = 1});
}

/* Adds the loss of row j and its gradient, over `rows`. */
static double add_row(const struct golden_objective *f, int j, const float *x, double *gradient,
                      double rows)
{
    const double sign = f->b[j] > 0.0F ? 1 : -1;
    double z = 0;

    for (int i = 0; i < DIM; i++)
        z += (double)f->a[j * DIM + i] * (double)x[i];
    z *= -sign;
    for (int i = 0; i < DIM; i++)
        gradient[i] -= sign * (double)f->a[j * DIM + i] / (1 + exp(-z)) / rows;
    return (z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) / rows;
}

static enum status evaluate(void *context, const float *x, float *g, double *loss)
{
    struct golden_objective *f = context;
    double gradient[DIM] = {0};

    f->calls++;
    *loss = 0;
    for (int j = f->first; j < ROWS; j += f->stride)
        *loss += add_row(f, j, x, gradient, (double)ROWS / f->stride);
    for (int i = 0; i < DIM; i++) {
        const double off = (double)x[i] - (double)f->e[i];
        *loss += (double)f->c[i] * off * off / 2;
        g[i] = (float)(gradient[i] + (double)f->c[i] * off);
    }
    return STATUS_OK;
}

/* One step of either kind; answers the loss before it. */
static double take_step(struct optim *o, float *x, struct golden_objective *f,
                        struct optim_rates rates)
{
    const struct objective objective = {.evaluate = evaluate, .context = f};
    float g[DIM];
    double loss = NAN;

    if (o->ops->minimize != NULL) {
        EXPECT_OK(optim_minimize(o, x, g, &objective, rates, &loss));
    } else {
        EXPECT_OK(evaluate(f, x, g, &loss));
        optim_update(o, NULL, x, g, rates);
    }
    return loss;
}

static void compare_trajectory(const struct golden *g, const char *name, struct optim *o,
                               const struct choice *schedule)
{
    const double *points = golden_get(g, name, "points")->numbers;
    const double *losses = golden_get(g, name, "losses")->numbers;
    const bool batches = golden_get(g, name, "batches")->numbers[0] != 0;
    /* Points are of size 1 and float; L-BFGS divides by differences of gradients. */
    const double tolerance = o->ops->minimize != NULL ? 1e-5 : 2e-6;
    struct golden_objective f;
    float x[DIM];

    objective_init(&f);
    golden_fill(x, DIM, "objective/start", (struct golden_range){.scale = 2});
    for (int step = 0; step < STEPS; step++) {
        const struct schedule_clock clock = {.step = step, .steps_total = STEPS};
        const struct optim_rates own = {.lr = o->ops->lr(o->options), .momentum = -1};
        f.first = batches ? step % BATCHES : 0;
        f.stride = batches ? BATCHES : 1;
        EXPECT_NEAR(take_step(o, x, &f, schedule_rates(schedule, &clock, own)), losses[step],
                    tolerance * losses[step]);
        for (int i = 0; i < DIM; i++)
            EXPECT_NEAR((double)x[i], points[step * DIM + i], tolerance);
    }
    EXPECT_INT(f.calls, golden_get(g, name, "calls")->numbers[0]);
}

static void check_with(const struct tensor_layout *layout, const struct golden *g, const char *name)
{
    struct node *section = golden_yaml(g, name, "section");
    struct node *schedule_section = golden_yaml(g, name, "schedule");
    struct choice chosen = {0}, schedule = {0};
    const struct choice_place place = {0};

    if (EXPECT_OK(choice_read(&chosen, &optim_registry, section, &place)) &&
        EXPECT_OK(choice_read(&schedule, &schedule_registry, schedule_section, &place))) {
        struct optim o;
        optim_init(&o, &chosen, layout);
        compare_trajectory(g, name, &o, &schedule);
        optim_release(&o);
    }
    choice_release(&chosen);
    choice_release(&schedule);
    node_free(section);
    node_free(schedule_section);
}

static void check_optimizer(const struct golden *g, const char *name)
{
    check_with(&(struct tensor_layout){.param_count = DIM}, g, name);
}

static void test_every_optimizer_goes_the_way_of_pytorchs(void)
{
    struct golden g = golden_load("optim");

    EXPECT(golden_for_cases(&g, "optimizers", check_optimizer) >= 17);
    golden_release(&g);
}

/* The table of golden_layerwise.py. */
static void check_layerwise(const struct golden *g, const char *name)
{
    static const struct tensor tensors[] = {
        {.kind = TENSOR_WEIGHT, .offset = 0,  .count = 5},
        {.kind = TENSOR_BIAS,   .offset = 5,  .count = 2},
        {.kind = TENSOR_WEIGHT, .offset = 7,  .count = 3},
        {.kind = TENSOR_NORM,   .offset = 10, .count = 2},
    };

    check_with(&(struct tensor_layout){.param_count = DIM, .tensor_count = 4, .tensors = tensors},
               g, name);
}

static void test_rules_with_tensors_go_the_way_of_the_papers(void)
{
    struct golden g = golden_load("layerwise");

    EXPECT(golden_for_cases(&g, "optimizers", check_layerwise) >= 12);
    golden_release(&g);
}

static void check_schedule(const struct golden *g, const char *name)
{
    const struct golden_record *lr = golden_get(g, name, "lr");
    const struct golden_record *momentum = golden_get(g, name, "momentum");
    const struct optim_rates base = {golden_get(g, "", "base_lr")->numbers[0], 0.6};
    struct node *section = golden_yaml(g, name, "section");
    struct choice c = {0};

    if (EXPECT_OK(choice_read(&c, &schedule_registry, section, &(struct choice_place){0}))) {
        for (int64_t t = 0; t < lr->count; t++) {
            const struct schedule_clock clock = {t, lr->count, t, lr->count};
            const struct optim_rates r = schedule_rates(&c, &clock, base);
            /* Roundings in double; PyTorch multiplies its way from tick to tick. */
            EXPECT_NEAR(r.lr, lr->numbers[t], 1e-12);
            EXPECT_NEAR(r.momentum, momentum->numbers[t], 1e-12);
        }
    }
    choice_release(&c);
    node_free(section);
}

static void test_every_schedule_gives_the_rates_of_pytorchs(void)
{
    struct golden g = golden_load("schedules");

    EXPECT(golden_for_cases(&g, "schedules", check_schedule) >= 10);
    golden_release(&g);
}

static void check_clip(const struct golden *g, const char *part)
{
    const struct golden_record *r = golden_get(g, "clip", part);
    const int64_t n = r->count - 2;
    float *x = MEM_NEW_N(float, n);

    golden_fill(x, n, "clip/gradient", (struct golden_range){.scale = 3});
    EXPECT_NEAR(optim_clip(kernel_get(), x, n, r->numbers[0]), r->numbers[1], 1e-6);
    for (int64_t i = 0; i < n; i++)
        EXPECT_NEAR((double)x[i], r->numbers[2 + i], 1e-6);
    mem_free(x);
}

static void test_clipping_agrees_with_pytorchs(void)
{
    struct golden g = golden_load("optim");

    check_clip(&g, "small");
    check_clip(&g, "large");
    golden_release(&g);
}

TEST_MAIN(TEST(test_every_optimizer_goes_the_way_of_pytorchs),
          TEST(test_rules_with_tensors_go_the_way_of_the_papers),
          TEST(test_every_schedule_gives_the_rates_of_pytorchs),
          TEST(test_clipping_agrees_with_pytorchs))
