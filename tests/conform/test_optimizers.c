/*
 * test_optimizers.c - what every optimiser of the registry must do, whatever its rule: find the
 * optimum of a quadratic, repeat to the bit, and go on to the same bits from saved state.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "optim/optim.h"
#include "test.h"

enum { STEPS = 6000 };
enum { N = 37 }; /* no multiple of any vector width */

static const struct tensor tensors[] = {
    {.kind = TENSOR_WEIGHT, .offset = 0,  .count = 20},
    {.kind = TENSOR_BIAS,   .offset = 20, .count = 4 },
    {.kind = TENSOR_NORM,   .offset = 24, .count = 6 },
    {.kind = TENSOR_WEIGHT, .offset = 30, .count = 7 },
    {.kind = TENSOR_BUFFER, .offset = 37, .count = 6 },
};
static const struct tensor_layout layout = {
    .param_count = N, .state_count = N + 6, .tensor_count = 5, .tensors = tensors};

static bool is_weight(int i)
{
    return i < 20 || i >= 30;
}

/* f(x) = sum_i a_i (x_i - c_i)^2 / 2, curvature a in [0.5, 2], optimum c + shift. */
struct quadratic {
    double shift;
};

static double curvature(int i)
{
    return 0.5 + 1.5 * (double)(i * 7 % N) / (double)(N - 1);
}

static double optimum(int i)
{
    return (double)(i * 11 % N) / (double)N - 0.4;
}

static enum status evaluate(void *context, const float *x, float *g, double *loss)
{
    const struct quadratic *q = context;

    *loss = 0;
    for (int i = 0; i < N; i++) {
        const double off = (double)x[i] - optimum(i) - q->shift;
        *loss += curvature(i) * off * off / 2;
        g[i] = (float)(curvature(i) * off);
    }
    return STATUS_OK;
}

/* One step of either kind, at a share of the optimiser's own rate. */
static void take_step_of(struct optim *o, float *x, double shift, double share)
{
    struct quadratic q = {.shift = shift};
    const struct objective f = {.evaluate = evaluate, .context = &q};
    const struct optim_rates rates = {.lr = share * o->ops->lr(o->options), .momentum = -1};
    float g[N];
    double loss;

    if (o->ops->minimize != NULL) {
        EXPECT_OK(optim_minimize(o, x, g, &f, rates, &loss));
        return;
    }
    EXPECT_OK(evaluate(&q, x, g, &loss));
    optim_update(o, NULL, x, g, rates);
}

static void take_step(struct optim *o, float *x, double shift)
{
    take_step_of(o, x, shift, 1);
}

/* The sections that are tried: each optimiser with its defaults, and the other forms of some. */
static const char *const extra_sections[] = {
    "{name: sgd, momentum: 0.9}",
    "{name: sgd, momentum: 0.9, nesterov: true, weight_decay: 1.0e-6}",
    "{name: adam, weight_decay: 1.0e-6}",
    "{name: lars, adapt_on: all, trust: 0.01}",
    "{name: lars, momentum: 0}",
    "{name: lamb, adapt_on: all, weight_decay: 0}",
    "{name: lbfgs, line_search: strong_wolfe}",
    "{name: lbfgs, history: 3, max_iter: 2}",
    "{name: lbfgs, history: 1, max_iter: 1, line_search: strong_wolfe}",
};

static void for_section(const char *section, void (*check)(const struct choice *c))
{
    struct node *node = NULL;
    struct choice c = {0};

    if (EXPECT_OK(yaml_parse(section, strlen(section), "test", &node)) &&
        EXPECT_OK(choice_read(&c, &optim_registry, node, &(struct choice_place){0}))) {
        const int failures = test_failures;
        check(&c);
        if (test_failures > failures)
            printf("# that was %s\n", section);
    }
    choice_release(&c);
    node_free(node);
}

static void for_all(void (*check)(const struct choice *c))
{
    for (const struct entry *const *e = optim_registry.entries; *e != NULL; e++) {
        char *section = text_format("{name: %s}", (*e)->name);
        for_section(section, check);
        mem_free(section);
    }
    for (size_t i = 0; i < sizeof extra_sections / sizeof extra_sections[0]; i++)
        for_section(extra_sections[i], check);
}

static void check_finds_optimum(const struct choice *c)
{
    float x[N] = {0};
    struct optim o;

    optim_init(&o, c, &layout);
    /* Rates fall to zero: steps of LARS and LAMB are as long at the optimum as elsewhere. */
    for (int step = 0; step < STEPS; step++)
        take_step_of(&o, x, 0, 1 - (double)step / STEPS);
    /* Where there is weight decay, the optimum is pulled towards 0 by less than this. */
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], optimum(i), 2e-3);
    optim_release(&o);
}

static void test_every_optimizer_finds_the_optimum_of_a_quadratic(void)
{
    for_all(check_finds_optimum);
}

/* Batches that differ: the optimum wanders from step to step. */
static double wander(int step)
{
    return 0.1 * (double)(step * 5 % 7) - 0.3;
}

static bool same_bits(const float *a, const float *b)
{
    uint32_t x[N], y[N];

    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return memcmp(x, y, sizeof x) == 0;
}

static void check_repeats(const struct choice *c)
{
    float x[2][N] = {{0}};

    for (int run = 0; run < 2; run++) {
        struct optim o;
        optim_init(&o, c, &layout);
        for (int step = 0; step < 30; step++)
            take_step(&o, x[run], wander(step));
        optim_release(&o);
    }
    EXPECT(same_bits(x[0], x[1]));
    EXPECT(x[0][0] != 0.0F);
}

static void test_every_optimizer_repeats_to_the_bit(void)
{
    for_all(check_repeats);
}

/* As a checkpoint does it: the vectors that are there, and the numbers. */
static void copy_state(struct optim *to, const struct optim *from)
{
    for (int i = 0; i < from->vector_count; i++) {
        if (from->vectors[i] != NULL)
            memcpy(optim_vector(to, i), from->vectors[i], N * sizeof(float));
    }
    memcpy(to->numbers, from->numbers, (size_t)from->number_count * sizeof(double));
}

static void check_resumes(const struct choice *c)
{
    for (int stop = 0; stop < 9; stop++) {
        float x[N] = {0}, y[N];
        struct optim whole, resumed;

        optim_init(&whole, c, &layout);
        for (int step = 0; step < stop; step++)
            take_step(&whole, x, wander(step));
        optim_init(&resumed, c, &layout);
        copy_state(&resumed, &whole);
        memcpy(y, x, sizeof y);
        for (int step = stop; step < stop + 8; step++) {
            take_step(&whole, x, wander(step));
            take_step(&resumed, y, wander(step));
        }
        EXPECT(same_bits(x, y));
        optim_release(&whole);
        optim_release(&resumed);
    }
}

static void test_every_optimizer_resumes_from_saved_state_to_the_same_bits(void)
{
    for_all(check_resumes);
}

static enum status fail_on_third(void *context, const float *x, float *g, double *loss)
{
    int *calls = context;

    TRY(evaluate(&(struct quadratic){0}, x, g, loss));
    return ++*calls == 3 ? FAIL(STATUS_DIVERGED, "the third evaluation fails") : STATUS_OK;
}

static void check_passes_errors_on(const struct choice *c)
{
    int calls = 0;
    const struct objective f = {.evaluate = fail_on_third, .context = &calls};
    float x[N] = {0}, g[N];
    double loss;
    struct optim o;

    optim_init(&o, c, &layout);
    if (o.ops->minimize != NULL) {
        for (int i = 0; i < 2 && calls < 3; i++) {
            const enum status s =
                optim_minimize(&o, x, g, &f, (struct optim_rates){.lr = 1, .momentum = -1}, &loss);
            EXPECT_INT(s, calls < 3 ? STATUS_OK : STATUS_DIVERGED);
        }
        EXPECT_INT(calls, 3);
    }
    optim_release(&o);
}

static void test_an_error_of_the_objective_ends_the_step(void)
{
    for_all(check_passes_errors_on);
}

static void test_every_optimizer_has_its_own_lr_as_default_rate(void)
{
    for (const struct entry *const *e = optim_registry.entries; *e != NULL; e++) {
        struct choice c;
        choice_init(&c, *e);
        const struct optim_ops *ops = (const struct optim_ops *)(const void *)*e;
        const struct field *lr = fields_find((*e)->fields, "lr");
        if (EXPECT(lr != NULL))
            EXPECT(ops->lr(c.options) == lr->default_number);
        choice_release(&c);
    }
}

static bool has_field(const struct choice *c, const char *name)
{
    return fields_find(c->entry->fields, name) != NULL;
}

/* A gradient of zero: what moves is what decays. */
static void check_decay(const char *name, const char *on, bool decays_all)
{
    char *section = text_format("{name: %s, weight_decay: 0.1, weight_decay_on: %s}", name, on);
    struct node *node = NULL;
    struct choice c = {0};
    float x[N], g[N] = {0};
    struct optim o;

    if (EXPECT_OK(yaml_parse(section, strlen(section), "test", &node)) &&
        EXPECT_OK(choice_read(&c, &optim_registry, node, &(struct choice_place){0}))) {
        for (int i = 0; i < N; i++)
            x[i] = 1;
        optim_init(&o, &c, &layout);
        optim_update(&o, NULL, x, g, (struct optim_rates){.lr = 0.1, .momentum = -1});
        for (int i = 0; i < N; i++)
            EXPECT((x[i] < 1) == (decays_all || is_weight(i)));
        optim_release(&o);
    }
    choice_release(&c);
    node_free(node);
    mem_free(section);
}

static void test_weight_decay_may_leave_out_biases_and_norm_parameters(void)
{
    int with_option = 0;

    for (const struct entry *const *e = optim_registry.entries; *e != NULL; e++) {
        struct choice c;
        choice_init(&c, *e);
        if (has_field(&c, "weight_decay_on")) {
            with_option++;
            check_decay((*e)->name, "all", true);
            check_decay((*e)->name, "weights", false);
        }
        choice_release(&c);
    }
    EXPECT(with_option >= 3);
}

/* One step of `section` from x along g, both the same everywhere. */
static void step_from(const char *section, float start, float slope, float x[N])
{
    struct node *node = NULL;
    struct choice c = {0};
    float g[N];
    struct optim o;

    for (int i = 0; i < N; i++) {
        x[i] = start;
        g[i] = slope;
    }
    if (EXPECT_OK(yaml_parse(section, strlen(section), "test", &node)) &&
        EXPECT_OK(choice_read(&c, &optim_registry, node, &(struct choice_place){0}))) {
        optim_init(&o, &c, &layout);
        optim_update(&o, NULL, x, g, (struct optim_rates){.lr = 0.25, .momentum = -1});
        optim_release(&o);
    }
    choice_release(&c);
    node_free(node);
}

static void test_a_tensor_of_zeros_has_the_plain_rate_with_lars_and_lamb(void)
{
    float x[N];

    step_from("{name: lars}", 0, 2, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], -0.5, 0);
    step_from("{name: lamb, epsilon: 0}", 0, 2, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], -0.25, 1e-7);
}

static void test_a_gradient_of_zero_leaves_what_does_not_decay(void)
{
    float x[N];

    step_from("{name: lars, weight_decay: 0}", 3, 0, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], 3, 0);
    step_from("{name: lamb, weight_decay: 0}", 3, 0, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], 3, 0);
}

/* |x| / |g| is 3/2 in every tensor: local is 0.01 * 3/2, and 1 where nothing is adapted. */
static void test_lars_adapts_weights_and_if_asked_for_all_tensors(void)
{
    float x[N];

    step_from("{name: lars, trust: 0.01, weight_decay: 0}", 3, 2, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], is_weight(i) ? 3 - 0.25 * 0.015 * 2 : 3 - 0.25 * 2, 1e-6);
    step_from("{name: lars, trust: 0.01, weight_decay: 0, adapt_on: all}", 3, 2, x);
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], 3 - 0.25 * 0.015 * 2, 1e-6);
}

static void test_clipping_limits_the_norm_and_answers_the_norm_before(void)
{
    float g[2] = {3, 4};

    EXPECT_NEAR(optim_clip(kernel_get(), g, 2, 0), 5, 0);
    EXPECT(g[0] == 3.0F && g[1] == 4.0F); /* 0 is off */
    EXPECT_NEAR(optim_clip(kernel_get(), g, 2, 6), 5, 0);
    EXPECT(g[0] == 3.0F && g[1] == 4.0F);
    EXPECT_NEAR(optim_clip(kernel_get(), g, 2, 0.5), 5, 0);
    EXPECT_NEAR((double)g[0], 0.3, 1e-6); /* rounding, and torch's 1e-6 */
    EXPECT_NEAR((double)g[1], 0.4, 1e-6);
    g[0] = NAN;
    EXPECT(isnan(optim_clip(kernel_get(), g, 2, 0.1)));
    EXPECT(g[1] > 0.39F); /* left alone: the loss will tell */
}

TEST_MAIN(TEST(test_every_optimizer_finds_the_optimum_of_a_quadratic),
          TEST(test_every_optimizer_repeats_to_the_bit),
          TEST(test_every_optimizer_resumes_from_saved_state_to_the_same_bits),
          TEST(test_an_error_of_the_objective_ends_the_step),
          TEST(test_every_optimizer_has_its_own_lr_as_default_rate),
          TEST(test_weight_decay_may_leave_out_biases_and_norm_parameters),
          TEST(test_a_tensor_of_zeros_has_the_plain_rate_with_lars_and_lamb),
          TEST(test_a_gradient_of_zero_leaves_what_does_not_decay),
          TEST(test_lars_adapts_weights_and_if_asked_for_all_tensors),
          TEST(test_clipping_limits_the_norm_and_answers_the_norm_before))
