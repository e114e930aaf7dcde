/*
 * test_optimizers_threads.c - what every optimiser of the registry does with a long vector: the
 * same bits with any number of threads and in any ranges of whole tensors.
 *
 * Under ThreadSanitizer it also shows that threads have elements of their own.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "optim/optim.h"
#include "test.h"

enum { N = 70011, STEPS = 2, THREADS_MAX = 3 };

/* Lengths that no thread's share and no vector width divides. One tensor is long by itself, so that
 * threads share its norm; ranges below are shorter and longer than what threads are used for. */
static const struct tensor tensors[] = {
    {.kind = TENSOR_WEIGHT, .offset = 0,     .count = 77   },
    {.kind = TENSOR_BIAS,   .offset = 77,    .count = 5    },
    {.kind = TENSOR_WEIGHT, .offset = 82,    .count = 40001},
    {.kind = TENSOR_NORM,   .offset = 40083, .count = 1003 },
    {.kind = TENSOR_BIAS,   .offset = 41086, .count = 20000},
    {.kind = TENSOR_WEIGHT, .offset = 61086, .count = 8925 },
};
enum { TENSORS = sizeof tensors / sizeof tensors[0] };
static const struct tensor_layout layout = {
    .param_count = N, .state_count = N, .tensor_count = TENSORS, .tensors = tensors};

static const char *const sections[] = {
    "{name: sgd, lr: 0.1, weight_decay: 0.01}",
    "{name: sgd, lr: 0.1, momentum: 0.9, weight_decay: 0.01, weight_decay_on: weights}",
    "{name: sgd, momentum: 0.9, nesterov: true}",
    "{name: adam, weight_decay: 0.01, weight_decay_on: weights}",
    "{name: adamw, weight_decay: 0.5}",
    "{name: adamw, weight_decay: 0.5, weight_decay_on: weights}",
    "{name: lars, adapt_on: all, trust: 0.1}",
    "{name: lars, momentum: 0}",
    "{name: lamb, lr: 0.1, adapt_on: all}",
    "{name: lbfgs, max_iter: 6, history: 4}",
    "{name: lbfgs, max_iter: 4, line_search: strong_wolfe}",
};

/* On [0, 1), different for each i and step. */
static double number(int64_t i, uint64_t step)
{
    return (double)((i * 7919 + (int64_t)step * 104729) % 65536) / 65536;
}

/* f(x) = sum_i a_i (x_i - c_i)^2 / 2 with a, c of the step; summed in order. */
struct quadratic {
    uint64_t step;
    struct team_pool *teams; /* as those of a problem, which computes with a team too; or NULL */
};

static enum status evaluate(void *context, const float *x, float *g, double *loss)
{
    const struct quadratic *q = context;

    if (q->teams != NULL)
        team_pool_give(q->teams, team_pool_take(q->teams));
    *loss = 0;
    for (int64_t i = 0; i < N; i++) {
        const double a = 0.5 + number(i, q->step);
        const double off = (double)x[i] - number(i, q->step + 100);

        *loss += a * off * off / 2;
        g[i] = (float)(a * off);
    }
    return STATUS_OK;
}

/* Who does the steps: a team of so many threads (0: none), in ranges or not. */
struct way {
    int threads;
    bool in_ranges;
};

/* Backwards, as gradients become known, in ranges of one, two and three tensors. */
static void update_in_ranges(struct optim *o, struct team *team, float *x, const float *g,
                             struct optim_rates rates)
{
    static const int firsts[] = {TENSORS, 5, 3, 0};

    optim_begin_step(o, rates);
    for (int i = 1; i < 4; i++) {
        const int64_t begin = tensors[firsts[i]].offset;
        const int64_t end = firsts[i - 1] == TENSORS ? N : tensors[firsts[i - 1]].offset;

        optim_update_range(o, team, x, g, (struct optim_range){begin, end - begin});
    }
}

static void take_step(struct optim *o, struct team_pool *teams, float *x, float *g,
                      struct quadratic *q, bool in_ranges)
{
    const struct objective f = {.evaluate = evaluate, .context = q, .teams = teams};
    const struct optim_rates rates = {.lr = o->ops->lr(o->options), .momentum = -1};
    struct team *team = NULL;
    double loss;

    if (o->ops->minimize != NULL) {
        EXPECT_OK(optim_minimize(o, x, g, &f, rates, &loss));
        return;
    }
    EXPECT_OK(evaluate(q, x, g, &loss));
    if (teams != NULL)
        team = team_pool_take(teams);
    if (in_ranges)
        update_in_ranges(o, team, x, g, rates);
    else
        optim_update(o, team, x, g, rates);
    if (team != NULL)
        team_pool_give(teams, team);
}

static void train(const struct choice *c, struct way way, float *x)
{
    struct team_pool *teams = way.threads > 0 ? team_pool_new(way.threads) : NULL;
    float *g = MEM_NEW_N(float, N);
    struct optim o;

    for (int64_t i = 0; i < N; i++)
        x[i] = (float)number(i, 200) - 0.5F;
    optim_init(&o, c, &layout);
    for (uint64_t step = 0; step < STEPS; step++)
        take_step(&o, teams, x, g, &(struct quadratic){step, teams}, way.in_ranges);
    optim_release(&o);
    mem_free(g);
    if (teams != NULL)
        EXPECT_INT(team_pool_made(teams), 1); /* none is held while a gradient is computed */
    team_pool_free(teams);
}

static void expect_same(const char *section, struct way way, const float *x, const float *alone)
{
    if (!EXPECT(memcmp(x, alone, N * sizeof *x) == 0))
        printf("# that was %s with %d threads%s\n", section, way.threads,
               way.in_ranges ? " in ranges" : "");
}

static void check_section(const char *section)
{
    float *alone = MEM_NEW_N(float, N), *x = MEM_NEW_N(float, N);
    struct node *node = NULL;
    struct choice c = {0};

    if (EXPECT_OK(yaml_parse(section, strlen(section), "test", &node)) &&
        EXPECT_OK(choice_read(&c, &optim_registry, node, &(struct choice_place){0}))) {
        train(&c, (struct way){0}, alone);
        for (int threads = 0; threads <= THREADS_MAX; threads++) {
            for (int in_ranges = 0; in_ranges < 2; in_ranges++) {
                const struct way way = {threads, in_ranges != 0};
                train(&c, way, x);
                expect_same(section, way, x, alone);
            }
        }
    }
    choice_release(&c);
    node_free(node);
    mem_free(alone);
    mem_free(x);
}

static void test_every_optimizer_has_the_same_bits_with_any_threads_and_ranges(void)
{
    for (const struct entry *const *e = optim_registry.entries; *e != NULL; e++) {
        const struct optim_ops *ops = (const struct optim_ops *)(const void *)*e;
        if (ops->minimize != NULL) /* many gradients by default: the sections have shorter forms */
            continue;
        char *section = text_format("{name: %s}", (*e)->name);
        check_section(section);
        mem_free(section);
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        check_section(sections[i]);
}

TEST_MAIN(TEST(test_every_optimizer_has_the_same_bits_with_any_threads_and_ranges))
