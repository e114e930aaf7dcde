/*
 * test_ps.c - parameter servers that must give the bits of something else: of plain SGD with one
 * worker, of synchronous SGD with several; empty batches, records, failures.
 */
#include "algo/parts/ps.h"
#include "data/list.h"
#include "problem/supervised.h"
#include "ps_case.h"

static const char *const optimizers[] = {
    "{name: sgd, lr: 0.05}",
    "{name: sgd, lr: 0.02, momentum: 0.9, nesterov: true, weight_decay: 0.01}",
    "{name: adam, lr: 0.02}",
    "{name: adamw, lr: 0.02, weight_decay: 0.1}",
};
enum { OPTIMIZERS = sizeof optimizers / sizeof optimizers[0] };

static const char *const servers[] = {
    "{name: ps-sync}",
    "{name: ps-async}",
    "{name: ps-async, staleness: 0}",
    "{name: ps-async, staleness: 3, staleness_lr: inverse}",
    "{name: ps-async, compensation: constant}",
    "{name: ps-async, compensation: adaptive, ms_per_worker: true}",
};
enum { SERVERS = sizeof servers / sizeof servers[0] };

static struct ps_run pulls(const char *algorithm, const char *optimizer, int workers)
{
    return (struct ps_run){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = workers,
        .rounds = 23,
        .sizes = {3, 4, 2, 5},
    };
}

/* Both runs do the same; they are freed here. */
static void expect_same(struct ps_run *a, struct ps_run *b)
{
    if (EXPECT_OK(ps_run(a)) && EXPECT_OK(ps_run(b)) && !EXPECT(ps_same_bits(a, b)))
        printf("# %s is not %s with %s\n", a->algorithm, b->algorithm, a->optimizer);
    mem_free(a->state);
    mem_free(b->state);
}

/* --- one worker --- */

static void test_one_worker_is_plain_sgd_to_the_bit(void)
{
    for (int i = 0; i < OPTIMIZERS; i++)
        for (int k = 0; k < SERVERS; k++) {
            struct ps_run plain = pulls("{name: single}", optimizers[i], 1);
            struct ps_run served = pulls(servers[k], optimizers[i], 1);

            expect_same(&served, &plain);
            EXPECT_INT(served.samples, plain.samples);
            EXPECT_INT(served.gradients, 23);
            EXPECT(served.loss_sum == plain.loss_sum && plain.loss_sum > 0);
            EXPECT_INT(served.clients[0].updates, 23);
            EXPECT_INT(served.clients[0].staleness[0], 23);
            EXPECT_INT(served.numbers[PS_DISCARDED], 0); /* nobody computes after the last round */
        }
}

static void test_clipping_is_on_the_server(void)
{
    for (int k = 0; k < SERVERS; k++) {
        struct ps_run plain = pulls("{name: single}", optimizers[1], 1);
        struct ps_run served = pulls(servers[k], optimizers[1], 1);

        plain.clip_norm = served.clip_norm = 0.125;
        expect_same(&served, &plain);
        EXPECT(served.gradient_norm > 0.125 && served.gradient_norm == plain.gradient_norm);
    }
}

/* --- a network with BatchNorm and dropout --- */

struct net_shape {
    const char *layers;
    int workers;
    int64_t samples;
};

/* In batches of 6: the last batch of an epoch of 103 has one sample, so the second BatchNorm has
 * no statistics of it. */
static const struct net_shape images = {
    .layers = "[{conv2d: {out: 4, kernel: 3, stride: 2}}, batchnorm, relu, flatten, "
              "{dense: {out: 12}}, batchnorm, relu, {dropout: {p: 0.25}}, {dense: {out: 10}}]",
    .workers = 1,
    .samples = 103,
};

enum { NET_BATCH = 6 };

struct net_case {
    struct dataset *dataset;
    struct validation_split split;
    struct gather gather;
    struct model *model;
    struct tensor_layout layout; /* the model's */
    struct partition partition;
    struct compute_pool *pool;
    const struct loss_ops *loss;
    int64_t batches_tracked[PS_WORKERS_MAX][2];
};

static void net_case_data(struct net_case *c, int64_t count)
{
    const struct entry *entry = registry_find(&dataset_registry, "figures");
    struct choice chosen;
    const int64_t tests = 10;

    choice_init(&chosen, entry);
    memcpy((char *)chosen.options + fields_find(entry->fields, "train_count")->offset, &count,
           sizeof count);
    memcpy((char *)chosen.options + fields_find(entry->fields, "test_count")->offset, &tests,
           sizeof tests);
    EXPECT_OK(dataset_load(&chosen, &(struct dataset_request){0}, &c->dataset));
    choice_release(&chosen);
    c->gather = (struct gather){.dataset = c->dataset, .height = 12, .width = 12};
    EXPECT_OK(normalizer_init(&c->gather.normalizer, "set", c->dataset));
    EXPECT_OK(validation_split_init(&c->split,
                                    &(struct split_request){.count = count, .train_fraction = 1}));
}

static void net_case_init(struct net_case *c, const struct net_shape *shape)
{
    const struct shape in = {.height = 12, .width = 12, .channels = 1};
    struct node *list = NULL;
    struct net *net = NULL;
    struct choice strided;

    *c = (struct net_case){0};
    net_case_data(c, shape->samples);
    EXPECT_OK(yaml_parse(shape->layers, strlen(shape->layers), "net", &list));
    EXPECT_OK(net_read(list, &net));
    EXPECT_OK(model_new("net", net, in, &c->model));
    c->layout = model_layout(c->model);
    node_free(list);
    choice_init(&strided, registry_find(&partition_registry, "strided"));
    EXPECT_OK(partition_make(&strided,
                             &(struct partition_request){.labels = c->dataset->train.labels,
                                                         .samples = c->split.train,
                                                         .count = shape->samples,
                                                         .classes = 10,
                                                         .workers = shape->workers,
                                                         .seed = 1},
                             &c->partition));
    choice_release(&strided);
    c->pool = compute_pool_new(c->model, c->dataset, NET_BATCH, 1);
    c->loss = (const struct loss_ops *)registry_find(&loss_registry, "nll");
}

static void net_case_release(struct net_case *c)
{
    compute_pool_free(c->pool);
    partition_release(&c->partition);
    model_free(c->model);
    normalizer_release(&c->gather.normalizer);
    validation_split_release(&c->split);
    dataset_free(c->dataset);
}

static struct problem *net_problem(struct ps_run *r, int rank)
{
    struct net_case *c = r->context;

    return supervised_new(&(struct supervised_setup){
        .model = c->model,
        .loss = c->loss,
        .gather = &c->gather,
        .split = &c->split,
        .seed = 1,
        .batch_size = NET_BATCH,
        .pool = c->pool,
        .batches_tracked = c->batches_tracked[rank],
        .partition = &c->partition,
        .worker = rank,
    });
}

static struct ps_run net_run(struct net_case *c, const char *algorithm, const char *optimizer)
{
    struct ps_run r = pulls(algorithm, optimizer, c->partition.workers);

    r.rounds = 40;
    r.layout = &c->layout;
    r.problem = net_problem;
    r.context = c;
    r.state = MEM_NEW_N(float, c->model->state_count);
    model_initialize(c->model, r.state, 1);
    return r;
}

static void test_one_worker_is_plain_sgd_to_the_bit_with_batchnorm_and_dropout(void)
{
    struct net_case c;

    net_case_init(&c, &images);
    EXPECT(c.model->state_count > c.model->param_count);
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < SERVERS; k++) {
            struct ps_run plain = net_run(&c, "{name: single}", optimizers[i]);
            struct ps_run served = net_run(&c, servers[k], optimizers[i]);

            expect_same(&served, &plain);
        }
    net_case_release(&c);
}

/* The mean of the workers' own statistics moves the running ones. Expected: the same by hand, from
 * one pass of each worker at the initial state. */
static void test_the_server_moves_running_statistics_by_the_mean_over_the_workers(void)
{
    struct net_case c;

    net_case_init(&c, &(struct net_shape){images.layers, .workers = 3, .samples = 103});
    const int64_t params = c.model->param_count, buffers = c.model->state_count - params;
    struct ps_run r = net_run(&c, "{name: ps-sync}", optimizers[0]);
    float *start = MEM_NEW_N(float, c.model->state_count);
    float *moved = MEM_NEW_N(float, c.model->state_count);
    float *gradient = MEM_NEW_N(float, params);
    double *mean = MEM_NEW_N(double, buffers);

    memcpy(start, r.state, (size_t)c.model->state_count * sizeof *start);
    for (int p = 0; p < 3; p++) { /* running statistics of a step of each alone, averaged */
        struct problem *problem = net_problem(&r, p);
        struct batch_result batch;

        memcpy(moved, start, (size_t)c.model->state_count * sizeof *start);
        problem_draw(problem);
        problem_gradient(problem, moved, gradient, &batch);
        for (int64_t i = 0; i < buffers; i++)
            mean[i] += (double)moved[params + i] / 3;
        problem_free(problem);
    }
    r.rounds = 1;
    EXPECT_OK(ps_run(&r));
    for (int64_t i = 0; i < buffers; i++) /* values up to about 5, rounded a few times */
        EXPECT_NEAR(r.state[params + i], mean[i], 2e-6);
    EXPECT(memcmp(r.state + params, start + params, (size_t)buffers * sizeof *start) != 0);
    mem_free(mean);
    mem_free(gradient);
    mem_free(moved);
    mem_free(start);
    mem_free(r.state);
    net_case_release(&c);
}

/* Of four samples worker 0 has two and the others one each, which has no variance. Expected: the
 * running statistics of a step of worker 0 alone. */
static void test_workers_without_statistics_are_not_in_the_mean(void)
{
    static const struct net_shape vectors = {
        .layers = "[flatten, {dense: {out: 12}}, batchnorm, relu, {dense: {out: 10}}]",
        .workers = 3,
        .samples = 4,
    };
    struct net_case c;
    struct batch_result batch;

    net_case_init(&c, &vectors);
    const int64_t params = c.model->param_count, buffers = c.model->state_count - params;
    struct ps_run r = net_run(&c, "{name: ps-sync}", optimizers[0]);
    struct problem *first = net_problem(&r, 0);
    float *alone = MEM_NEW_N(float, c.model->state_count);
    float *gradient = MEM_NEW_N(float, params);

    memcpy(alone, r.state, (size_t)c.model->state_count * sizeof *alone);
    problem_draw(first);
    EXPECT_INT(first->batch_size, 2);
    problem_gradient(first, alone, gradient, &batch);
    r.rounds = 1;
    EXPECT_OK(ps_run(&r));
    EXPECT_INT(r.samples, 4);
    EXPECT(memcmp(r.state + params, alone + params, (size_t)buffers * sizeof *alone) == 0);
    problem_free(first);
    mem_free(gradient);
    mem_free(alone);
    mem_free(r.state);
    net_case_release(&c);
}

/* --- several workers --- */

static void test_the_server_gives_the_bits_of_sync(void)
{
    static const int workers[] = {2, 3, 5};

    for (int i = 0; i < OPTIMIZERS; i++)
        for (int k = 0; k < 3; k++) {
            struct ps_run sync = pulls("{name: sync}", optimizers[i], workers[k]);
            struct ps_run served = pulls("{name: ps-sync}", optimizers[i], workers[k]);

            expect_same(&served, &sync);
            EXPECT_INT(served.gradients, 23 * workers[k]);
        }
}

/* The sum of -0 over workers is -0, and moves a parameter of -0 to +0; a sum that began with 0
 * would leave it. */
static void test_the_sum_starts_from_the_first_gradient(void)
{
    struct ps_run r = pulls("{name: ps-sync}", "{name: sgd, lr: 0.5}", 3);

    r.rounds = 1;
    EXPECT_OK(ps_run(&r));
    EXPECT(!signbit(r.state[PULL_SIZE - 1]));
    mem_free(r.state);
}

static void test_workers_without_data_join_with_weight_zero(void)
{
    struct ps_run sync = pulls("{name: sync}", optimizers[1], 3);
    struct ps_run served = pulls("{name: ps-sync}", optimizers[1], 3);
    static const int64_t sizes[] = {3, 0, 2, 5};

    memcpy(sync.sizes, sizes, sizeof sizes);
    memcpy(served.sizes, sizes, sizeof sizes);
    expect_same(&served, &sync);
    for (int p = 0; p < 3; p++) {
        int64_t samples = 0, empty = 0;

        for (int64_t k = 0; k < 23; k++) {
            samples += sizes[(p + k) % 4];
            empty += sizes[(p + k) % 4] == 0;
        }
        EXPECT_INT(served.clients[p].samples, samples);
        EXPECT_INT(served.clients[p].empty, empty);
        EXPECT_INT(served.clients[p].updates, 23 - empty);
        EXPECT_INT(served.clients[p].staleness_max, 0);
    }
}

static void test_staleness_0_is_the_synchronous_server_to_the_bit(void)
{
    static const char *const zeros[] = {
        "{name: ps-async, staleness: 0}",
        "{name: ps-async, staleness: 0, compensation: adaptive, staleness_lr: inverse}",
    };

    for (int i = 0; i < OPTIMIZERS; i++)
        for (int k = 0; k < 2; k++) {
            struct ps_run sync = pulls("{name: ps-sync}", optimizers[i], 5);
            struct ps_run zero = pulls(zeros[k], optimizers[i], 5);

            sync.sizes[2] = zero.sizes[2] = 0;
            expect_same(&zero, &sync);
            EXPECT(zero.loss_sum == sync.loss_sum);
        }
}

static void test_one_core_is_enough_for_any_number_of_workers(void)
{
    struct ps_run many = pulls("{name: ps-sync}", optimizers[1], 8);
    struct ps_run few = pulls("{name: ps-sync}", optimizers[1], 8);
    struct ps_run loose = pulls("{name: ps-async}", optimizers[1], 8);

    few.slots = loose.slots = 1;
    expect_same(&many, &few);
    EXPECT_OK(ps_run(&loose));
    EXPECT_INT(loose.gradients, 23);
    EXPECT_INT(few.scratch_made, 2); /* the server's gradient, and that of the one who computes */
    EXPECT_INT(loose.scratch_made, 2);
    mem_free(loose.state);
}

/* --- records and failures --- */

static void test_the_server_knows_its_workers_bytes_and_delays(void)
{
    struct ps_run r = pulls("{name: ps-sync}", optimizers[0], 2);
    const int64_t bytes = PS_HEAD_BYTES + PULL_SIZE * (int64_t)sizeof(float);

    r.slow_worker = "1:2ms";
    r.rounds = 5;
    EXPECT_OK(ps_run(&r));
    for (int p = 0; p < 2; p++) {
        EXPECT_INT(r.clients[p].counters.messages_sent, 5);
        EXPECT_INT(r.clients[p].counters.bytes_sent, 5 * bytes);
    }
    EXPECT(r.clients[0].delayed == 0);
    EXPECT_NEAR(r.clients[1].delayed, 5 * 2e-3, 1e-9);
    EXPECT(r.clients[1].counters.sleeping >= 5 * 2e-3);
    mem_free(r.state);
}

static void test_a_worker_that_diverges_ends_the_run(void)
{
    for (int k = 0; k < SERVERS; k++) {
        struct ps_run r = pulls(servers[k], "{name: sgd, lr: 10000}", 3);

        r.rounds = 1000000;
        EXPECT_FAILS(ps_run(&r), STATUS_DIVERGED, "the loss is ");
        mem_free(r.state);
    }
}

static void test_options_out_of_range_are_refused(void)
{
    static const char *const wrong[] = {
        "{name: ps-async, staleness: -2}", "{name: ps-async, compensation: some}",
        "{name: ps-async, ms_decay: 1.5}", "{name: ps-async, lambda: -3}",
        "{name: ps-sync, staleness: 1}",
    };
    static const struct choice_place place = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct node *section = NULL;
        struct choice c = {0};

        EXPECT_OK(yaml_parse(wrong[i], strlen(wrong[i]), "case", &section));
        EXPECT_INT(choice_read(&c, &algo_registry, section, &place), STATUS_BAD_INPUT);
        node_free(section);
    }
}

TEST_MAIN(TEST(test_one_worker_is_plain_sgd_to_the_bit), TEST(test_clipping_is_on_the_server),
          TEST(test_one_worker_is_plain_sgd_to_the_bit_with_batchnorm_and_dropout),
          TEST(test_the_server_moves_running_statistics_by_the_mean_over_the_workers),
          TEST(test_workers_without_statistics_are_not_in_the_mean),
          TEST(test_the_server_gives_the_bits_of_sync),
          TEST(test_the_sum_starts_from_the_first_gradient),
          TEST(test_workers_without_data_join_with_weight_zero),
          TEST(test_staleness_0_is_the_synchronous_server_to_the_bit),
          TEST(test_one_core_is_enough_for_any_number_of_workers),
          TEST(test_the_server_knows_its_workers_bytes_and_delays),
          TEST(test_a_worker_that_diverges_ends_the_run),
          TEST(test_options_out_of_range_are_refused))
