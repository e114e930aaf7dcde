/*
 * test_problems.c - what every problem of the registry must do, with its default options and with a
 * few others. A new problem is tested by its line in problem/list.h.
 */
#include <math.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "problem/problem_plan.h"
#include "test.h"
#include "train/build.h"

enum { WORKERS = 3, BATCH = 8, ROUNDS = 5 };

/* A small smooth network, for problems with data. */
static const char data_sections[] =
    "data: {name: figures, train_count: 100, test_count: 150, validation: 0.1}, model: {name: "
    "small, layers: [flatten, {dense: {out: 6}}, tanh, {dense: {out: 10}}]},";

/* Options of problems that are tested in addition to the defaults. */
static const char *const variants[] = {
    "{name: quadratic, noise: 0.5, samples: 50}",
    "{name: quadratic, size: 70, spread: 0, samples: 9}",
};

struct problem_test {
    struct node *root;
    struct run_config config;
    struct build *build;
};

static bool problem_test_init(struct problem_test *t, const char *section, bool has_data)
{
    const struct build_size size = {.workers = WORKERS, .host_workers = WORKERS};
    char *text = text_format("{problem: %s, %s algorithm: sync, transport: {workers: %d}, train: "
                             "{batch_size: %d}}",
                             section, has_data ? data_sections : "", WORKERS, BATCH);

    *t = (struct problem_test){0};
    const bool is_read = EXPECT_OK(yaml_parse(text, strlen(text), "test", &t->root)) &&
                         EXPECT_OK(run_config_read(&t->config, t->root));
    mem_free(text);
    return is_read && EXPECT_OK(build_new(&t->config, &size, &t->build));
}

static void problem_test_release(struct problem_test *t)
{
    build_free(t->build);
    run_config_release(&t->config);
    node_free(t->root);
}

/* The problem of a worker with a state and a gradient of its own. */
struct subject {
    struct problem *problem;
    float *state, *gradient;
    int64_t *batches_tracked;
};

static void subject_init(struct subject *s, const struct build *b, int worker)
{
    s->batches_tracked = MEM_NEW_N(int64_t, b->layout.tracked_count);
    s->problem = problem_new(b->plan, worker, s->batches_tracked);
    EXPECT(s->problem->cost.flops == b->plan->cost.flops && s->problem->cost.flops >= 0);
    EXPECT(s->problem->cost.bytes == b->plan->cost.bytes && s->problem->cost.bytes >= 0);
    s->state = MEM_NEW_N(float, b->layout.state_count);
    s->gradient = MEM_NEW_N(float, b->layout.param_count);
    problem_initialize(s->problem, s->state, 1);
    for (int64_t i = 0; i < b->layout.param_count; i++) /* starts may be zero */
        s->state[i] += 0.01F * (float)(i % 7 - 3);
}

static void subject_release(struct subject *s)
{
    problem_free(s->problem);
    mem_free(s->state);
    mem_free(s->gradient);
    mem_free(s->batches_tracked);
}

/* --- what is tested --- */

static void check_plan(const struct problem_test *t)
{
    const struct problem_plan *p = t->build->plan;
    int64_t end = 0, batches = 0;

    EXPECT(p->name != NULL && p->name[0] != '\0');
    EXPECT_INT(p->workers, WORKERS);
    EXPECT(p->part_counts[PART_TEST] > 0);
    for (int i = 0; i < p->layout.tensor_count; i++) {
        EXPECT_INT(p->layout.tensors[i].offset, end);
        EXPECT(p->layout.tensors[i].name != NULL);
        end += p->layout.tensors[i].count;
    }
    EXPECT_INT(end, p->layout.state_count); /* else models could not be saved */
    for (int w = 0; w < WORKERS; w++)
        batches += problem_plan_batches(p, w);
    EXPECT_INT(p->all_batches, batches);
}

static void check_metrics(const struct problem_test *t)
{
    const struct problem *p = t->build->evaluator;

    if (!EXPECT(p->metric_count >= 1 && p->metric_count <= PROBLEM_METRICS_MAX))
        return;
    EXPECT_TEXT(p->metrics[0].name, "loss");
    EXPECT_TEXT(p->metrics[0].rows[PART_TEST], "test_loss");
    for (int i = 0; i < p->metric_count; i++)
        for (int j = 0; j < i; j++)
            EXPECT(strcmp(p->metrics[i].name, p->metrics[j].name) != 0);
}

/* One epoch: every worker draws its samples once, and knows how many all draw. */
static void check_epoch(const struct problem_test *t)
{
    struct subject s[WORKERS];
    int64_t drawn[WORKERS] = {0};

    for (int w = 0; w < WORKERS; w++)
        subject_init(&s[w], t->build, w);
    for (int64_t k = 0; k < t->build->plan->epoch_batches; k++) {
        int64_t total = 0;

        for (int w = 0; w < WORKERS; w++) {
            problem_draw(s[w].problem);
            drawn[w] += s[w].problem->batch_size;
            total += s[w].problem->batch_size;
        }
        for (int w = 0; w < WORKERS; w++)
            EXPECT_INT(s[w].problem->batch_total, total);
    }
    for (int w = 0; w < WORKERS; w++) {
        EXPECT_INT(drawn[w], t->build->plan->worker_samples[w]);
        EXPECT_INT(drawn[w], s[w].problem->own_samples);
        subject_release(&s[w]);
    }
}

/* The loss of the drawn batch, moved by h along the direction. */
static double loss_at(struct subject *s, const float *at, const double *direction, double h)
{
    struct batch_result r;

    for (int64_t i = 0; i < s->problem->param_count; i++)
        s->state[i] = (float)((double)at[i] + h * direction[i]);
    problem_gradient(s->problem, s->state, s->gradient, &r);
    return r.loss_sum / (double)r.samples;
}

/*
 * Along the gradient the loss changes by its norm. With steps of 2e-3 a loss of floats, off by
 * 1e-7, makes 1e-4 of a slope; the third derivative of the network adds 2e-4 of it.
 */
static void check_gradient(const struct problem_test *t)
{
    const int64_t n = t->build->layout.param_count, all = t->build->layout.state_count;
    double *direction = MEM_NEW_N(double, n);
    float *at = MEM_NEW_N(float, all);
    struct subject s;
    struct batch_result r;
    double norm = 0;

    subject_init(&s, t->build, 1);
    memcpy(at, s.state, (size_t)all * sizeof *at);
    problem_draw(s.problem);
    problem_gradient(s.problem, s.state, s.gradient, &r);
    EXPECT_INT(r.samples, s.problem->batch_size);
    for (int64_t i = 0; i < n; i++)
        norm += (double)s.gradient[i] * (double)s.gradient[i];
    norm = sqrt(norm);
    EXPECT(norm > 0);
    for (int64_t i = 0; i < n; i++)
        direction[i] = (double)s.gradient[i] / norm;
    const double above = loss_at(&s, at, direction, 2e-3);
    const double below = loss_at(&s, at, direction, -2e-3);
    EXPECT_NEAR((above - below) / 4e-3, norm, 1e-3 * (norm + 1));
    subject_release(&s);
    mem_free(direction);
    mem_free(at);
}

static void check_global_batch(const struct problem_test *t)
{
    const int64_t n = t->build->layout.param_count;
    float *alone = MEM_NEW_N(float, n);
    struct subject s;
    struct batch_result r;
    double largest = 0;

    subject_init(&s, t->build, 0);
    problem_draw(s.problem);
    problem_gradient(s.problem, s.state, alone, &r);
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)alone[i]));
    s.problem->global_batch = 4 * s.problem->batch_size;
    problem_gradient(s.problem, s.state, s.gradient, &r);
    for (int64_t i = 0; i < n; i++) /* sums of floats that were scaled before */
        EXPECT_NEAR(4 * (double)s.gradient[i], (double)alone[i], 1e-5 * largest);
    subject_release(&s);
    mem_free(alone);
}

/* The gradients of a few rounds at one state, one after the other. */
static void take_gradients(const struct build *b, float *gradients)
{
    struct subject s;
    struct batch_result r;

    subject_init(&s, b, 2);
    for (int k = 0; k < ROUNDS; k++) {
        problem_draw(s.problem);
        if (s.problem->batch_size > 0)
            problem_gradient(s.problem, s.state, gradients + k * b->layout.param_count, &r);
    }
    subject_release(&s);
}

static void check_repeats(const struct problem_test *t, const struct problem_test *again)
{
    const int64_t n = ROUNDS * t->build->layout.param_count;
    float *first = MEM_NEW_N(float, n), *second = MEM_NEW_N(float, n);

    take_gradients(t->build, first);
    take_gradients(again->build, second);
    EXPECT(memcmp(first, second, (size_t)n * sizeof *first) == 0);
    mem_free(first);
    mem_free(second);
}

static void check_seek(const struct problem_test *t)
{
    const int64_t own = t->build->plan->epoch_batches, n = t->build->layout.param_count;
    struct subject s, sought;
    struct batch_result r;

    subject_init(&s, t->build, 0);
    subject_init(&sought, t->build, 0);
    for (int64_t k = 0; k < 2 * own && k < own + ROUNDS; k++) {
        problem_draw(s.problem);
        if (k < own - 2 && k > 0) /* the first, the last of an epoch, and those after it */
            continue;
        problem_seek(sought.problem, k / own, k % own);
        problem_draw(sought.problem);
        EXPECT_INT(sought.problem->draws, k + 1);
        EXPECT_INT(sought.problem->batch_size, s.problem->batch_size);
        if (s.problem->batch_size == 0)
            continue;
        problem_gradient(s.problem, s.state, s.gradient, &r);
        problem_gradient(sought.problem, sought.state, sought.gradient, &r);
        EXPECT(memcmp(s.gradient, sought.gradient, (size_t)n * sizeof *s.gradient) == 0);
        memcpy(sought.state, s.state, (size_t)t->build->layout.state_count * sizeof *s.state);
    }
    subject_release(&s);
    subject_release(&sought);
}

static bool same_sums(const double *a, const double *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void check_cuts(struct problem *p, const float *state, enum problem_part part)
{
    const int64_t blocks = problem_block_count(p, part), n = blocks * problem_sum_count(p);
    double *whole = MEM_NEW_N(double, n), *cut = MEM_NEW_N(double, n);
    struct evaluation at_once = {0}, added = {0};

    EXPECT_OK(problem_evaluate(p, state, part, &at_once));
    EXPECT_OK(problem_evaluate_blocks(p, state, part,
                                      &(struct evaluation_blocks){.count = blocks, .sums = whole}));
    problem_add_blocks(p, part, whole, &added);
    EXPECT(memcmp(&at_once, &added, sizeof added) == 0);
    EXPECT_INT(at_once.samples, p->part_counts[part]);
    EXPECT(isfinite(at_once.loss));
    for (int64_t at = 1; at < blocks; at++) {
        EXPECT_OK(problem_evaluate_blocks(
            p, state, part,
            &(struct evaluation_blocks){
                .first = at, .count = blocks - at, .sums = cut + at * problem_sum_count(p)}));
        EXPECT_OK(problem_evaluate_blocks(p, state, part,
                                          &(struct evaluation_blocks){.count = at, .sums = cut}));
        EXPECT(same_sums(whole, cut, n));
    }
    mem_free(whole);
    mem_free(cut);
}

static void check_evaluation(const struct problem_test *t)
{
    struct subject s;

    subject_init(&s, t->build, 1);
    for (int part = PART_TRAIN; part < PROBLEM_PARTS; part++)
        if (s.problem->part_counts[part] > 0)
            check_cuts(s.problem, s.state, (enum problem_part)part);
        else
            EXPECT_FAILS(problem_evaluate(s.problem, s.state, (enum problem_part)part,
                                          &(struct evaluation){0}),
                         STATUS_BAD_INPUT, "samples to evaluate on");
    subject_release(&s);
}

/* --- all problems --- */

static void check_problem(const char *section, bool has_data)
{
    struct problem_test t, again;

    printf("# %s\n", section);
    if (problem_test_init(&t, section, has_data) && problem_test_init(&again, section, has_data)) {
        check_plan(&t);
        check_metrics(&t);
        check_epoch(&t);
        check_gradient(&t);
        check_global_batch(&t);
        check_repeats(&t, &again);
        check_seek(&t);
        check_evaluation(&t);
        EXPECT_INT(problem_fingerprint(t.build->plan), problem_fingerprint(again.build->plan));
        problem_test_release(&again);
    }
    problem_test_release(&t);
}

static void test_every_problem_keeps_its_contract(void)
{
    for (const struct entry *const *e = problem_registry.entries; *e != NULL; e++)
        check_problem((*e)->name, ((const struct problem_ops *)*e)->has_data);
}

static void test_other_options_keep_it_too(void)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        check_problem(variants[i], false);
}

TEST_MAIN(TEST(test_every_problem_keeps_its_contract), TEST(test_other_options_keep_it_too))
