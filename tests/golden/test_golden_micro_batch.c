/*
 * test_golden_micro_batch.c - batches in parts against PyTorch's accumulation of gradients:
 * gradients, losses, right answers, running statistics and the number of batches that they count.
 *
 * The samples are put where the problem's own order finds them, so that each part has the samples
 * that it has in PyTorch.
 */
#include "golden/golden_model.h"
#include "problem/supervised.h"

enum { CLASSES = 3, THREADS_MAX = 3, SEED = 7 };

/* Of the largest entry: some tens of roundings in float, as for single layers. */
static const struct golden_tolerance tolerance = {.relative = 1e-5, .floor = 1e-3};

struct micro_case {
    const struct golden *golden;
    const char *name;
    struct model *model;
    struct dataset dataset;
    struct gather gather;
    struct validation_split split;
    const struct golden_record *batches;
    float *state, *gradient;
    int64_t *batches_tracked;
};

static int64_t sum_of(const struct golden_record *r)
{
    double sum = 0;

    for (int64_t i = 0; i < r->count; i++)
        sum += r->numbers[i];
    return (int64_t)sum;
}

static struct model *model_of(const struct golden *g, const char *name)
{
    struct node *list = golden_yaml(g, name, "layers");
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new(name, net, golden_shape(golden_get(g, name, "shape")), &m));
    node_free(list);
    CHECK(m != NULL);
    return m;
}

/* Batch b of the file at the places that the schedule draws b-th. */
static void put_batch(struct micro_case *c, int b, const struct scheduled_batch *drawn)
{
    const int64_t size = shape_size(c->model->in), count = drawn->size;
    char *input = text_format("%s/input/%d", c->name, b);
    char *label = text_format("%s/label/%d", c->name, b);
    float *values = MEM_NEW_N(float, count *size);
    int32_t *labels = MEM_NEW_N(int32_t, count);

    EXPECT_INT(count, (int64_t)c->batches->numbers[b]);
    golden_fill_batch(values, c->model->in, count, input, 1);
    golden_labels(labels, count, label, CLASSES);
    for (int64_t i = 0; i < count; i++) {
        memcpy(c->dataset.train.values + drawn->samples[i] * size, values + i * size,
               (size_t)size * sizeof *values);
        c->dataset.train.labels[drawn->samples[i]] = labels[i];
    }
    mem_free(labels);
    mem_free(values);
    mem_free(label);
    mem_free(input);
}

static void put_samples(struct micro_case *c)
{
    struct batch_schedule schedule;

    batch_schedule_init(&schedule, &(struct batch_schedule_setup){
                                       .split = &c->split,
                                       .seed = SEED,
                                       .batch_size = (int64_t)c->batches->numbers[0],
                                   });
    for (int b = 0; b < c->batches->count; b++) {
        const struct scheduled_batch drawn = batch_schedule_next(&schedule);

        put_batch(c, b, &drawn);
    }
    batch_schedule_release(&schedule);
}

static void micro_case_init(struct micro_case *c, const struct golden *g, const char *name)
{
    struct model *m = model_of(g, name);
    const struct golden_record *batches = golden_get(g, name, "batches");
    const int64_t count = sum_of(batches);

    *c = (struct micro_case){
        .golden = g,
        .name = name,
        .model = m,
        .dataset = {.height = m->in.height,
                    .width = m->in.width,
                    .channels = m->in.channels,
                    .classes = CLASSES},
        .batches = batches,
        .state = MEM_NEW_N(float, m->state_count),
        .gradient = MEM_NEW_N(float, m->param_count),
        .batches_tracked = MEM_NEW_N(int64_t, m->tracked_count),
    };
    c->gather = (struct gather){
        .dataset = &c->dataset, .height = c->dataset.height, .width = c->dataset.width};
    EXPECT_OK(normalizer_init(&c->gather.normalizer, "none", &c->dataset));
    EXPECT_OK(validation_split_init(&c->split,
                                    &(struct split_request){.count = count, .train_fraction = 1}));
    c->dataset.train = (struct samples){
        .count = count,
        .values = MEM_NEW_N(float, count *shape_size(m->in)),
        .labels = MEM_NEW_N(int32_t, count),
    };
    put_samples(c);
}

static void micro_case_release(struct micro_case *c)
{
    mem_free(c->dataset.train.values);
    mem_free(c->dataset.train.labels);
    validation_split_release(&c->split);
    normalizer_release(&c->gather.normalizer);
    mem_free(c->state);
    mem_free(c->gradient);
    mem_free(c->batches_tracked);
    model_free(c->model);
}

static void start_state(struct micro_case *c)
{
    const struct model *m = c->model;

    model_initialize(m, c->state, 1);
    for (int i = 0; i < m->tensor_count; i++)
        if (m->tensors[i].kind != TENSOR_BUFFER)
            golden_fill_tensor(c->state, &m->tensors[i], c->name, i);
    memset(c->batches_tracked, 0, (size_t)m->tracked_count * sizeof *c->batches_tracked);
}

static void compare_gradient(const struct micro_case *c, int b, const struct batch_result *result)
{
    const struct golden_record *expected = golden_get_indexed(c->golden, c->name, "gradient", b);
    const double *numbers = golden_get_indexed(c->golden, c->name, "result", b)->numbers;
    float *canonical = MEM_NEW_N(float, c->model->param_count);

    EXPECT_INT(c->model->param_count, expected->count);
    model_to_canonical(c->model, canonical, c->gradient, c->model->param_count);
    golden_compare("gradient", canonical, expected, tolerance);
    EXPECT_NEAR(result->loss_sum, numbers[0], 1e-5 * numbers[0]);
    EXPECT_INT(result->correct, (int64_t)numbers[1]);
    EXPECT_INT(result->samples, (int64_t)c->batches->numbers[b]);
    mem_free(canonical);
}

static void compare_statistics(const struct micro_case *c)
{
    const struct model *m = c->model;
    const struct golden_record *statistics = golden_get(c->golden, c->name, "statistics");
    const struct golden_record *tracked = golden_get(c->golden, c->name, "tracked");

    EXPECT_INT(m->state_count - m->param_count, statistics->count);
    golden_compare("running statistics", c->state + m->param_count, statistics, tolerance);
    EXPECT_INT(m->tracked_count, tracked->count);
    for (int i = 0; i < m->tracked_count; i++)
        EXPECT_INT(c->batches_tracked[i], (int64_t)tracked->numbers[i]);
}

static void check_with(struct micro_case *c, int threads)
{
    const int64_t batch = (int64_t)c->batches->numbers[0];
    struct compute_pool *pool = compute_pool_new(c->model, &c->dataset, batch, threads);

    compute_pool_limit(pool, (int64_t)golden_get(c->golden, c->name, "part")->numbers[0]);
    struct problem *p = supervised_new(&(struct supervised_setup){
        .model = c->model,
        .loss = (const struct loss_ops *)(const void *)registry_find(&loss_registry, "nll"),
        .gather = &c->gather,
        .split = &c->split,
        .seed = SEED,
        .batch_size = batch,
        .pool = pool,
        .owns_pool = true,
        .batches_tracked = c->batches_tracked,
    });

    start_state(c);
    for (int b = 0; b < c->batches->count; b++) {
        struct batch_result result;

        problem_draw(p);
        EXPECT_OK(problem_gradient(p, c->state, c->gradient, &result));
        compare_gradient(c, b, &result);
    }
    compare_statistics(c);
    problem_free(p);
}

static void check_case(const struct golden *g, const char *name)
{
    struct micro_case c;

    micro_case_init(&c, g, name);
    for (int threads = 1; threads <= THREADS_MAX; threads++)
        check_with(&c, threads);
    micro_case_release(&c);
}

static void test_batches_in_parts_agree_with_accumulation_in_pytorch(void)
{
    struct golden g = golden_load("micro_batch");

    EXPECT(golden_for_cases(&g, "cases", check_case) >= 4);
    golden_release(&g);
}

TEST_MAIN(TEST(test_batches_in_parts_agree_with_accumulation_in_pytorch))
