/*
 * problem_case.h - a small data set with everything that a supervised problem of it needs. Inputs
 * are 2 x 2 images of one channel; sample i is a fixed function of i.
 */
#ifndef TESTS_PROBLEM_CASE_H
#define TESTS_PROBLEM_CASE_H

#include "base/mem.h"
#include "base/rng.h"
#include "conf/yaml.h"
#include "problem/supervised.h"
#include "test.h"

enum { CASE_SIZE = 4, CASE_CLASSES = 3, CASE_TEST = 13 };

struct problem_case {
    struct dataset dataset;
    struct gather gather;
    struct validation_split split;
    struct model *model;
    struct partition partition; /* workers 0: none */
    struct compute_pool *pool;
    float *state, *gradient;
    int64_t *batches_tracked;
    struct supervised_setup setup; /* to be changed by tests */
};

static inline void problem_case_samples(struct samples *s, int64_t count, uint32_t stream)
{
    const struct rng r = rng_make(5, RNG_TEST, stream);

    s->count = count;
    s->values = MEM_NEW_N(float, count *CASE_SIZE);
    s->labels = MEM_NEW_N(int32_t, count);
    for (int64_t i = 0; i < count * CASE_SIZE; i++)
        s->values[i] = (float)(rng_uniform(&r, (uint64_t)i, 0) * 2 - 1);
    for (int64_t i = 0; i < count; i++)
        s->labels[i] = (int32_t)rng_below(&r, (uint64_t)i, 1, CASE_CLASSES);
}

static inline struct model *problem_case_model(const char *layers)
{
    const struct shape in = {.height = 2, .width = 2, .channels = 1};
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layers, strlen(layers), "net.yaml", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new("test", net, in, &m));
    node_free(list);
    return m;
}

/* Parts of these sizes, one after the other. */
static inline void problem_case_deal(struct problem_case *c, const int64_t *counts, int workers)
{
    struct partition *p = &c->partition;
    int64_t first = 0;

    *p = (struct partition){
        .workers = workers,
        .counts = MEM_NEW_N(int64_t, workers),
        .items = MEM_NEW_N(const int64_t *, workers),
        .sample_count = c->split.train_count,
        .samples = c->split.train,
    };
    for (int w = 0; w < workers; w++) {
        p->counts[w] = counts[w];
        p->items[w] = c->split.train + first;
        first += counts[w];
    }
    EXPECT(first <= c->split.train_count);
    partition_group_sizes(p);
    c->setup.partition = p;
}

static inline void problem_case_init(struct problem_case *c, const char *layers, int64_t count,
                                     int64_t batch)
{
    const struct entry *loss = registry_find(&loss_registry, "nll");

    *c = (struct problem_case){
        .dataset = {.height = 2, .width = 2,  .channels = 1,         .classes = CASE_CLASSES},
        .gather = {.dataset = &c->dataset,           .height = 2, .width = 2},
        .model = problem_case_model(layers),
    };
    EXPECT_OK(normalizer_init(&c->gather.normalizer, "none", &c->dataset));
    problem_case_samples(&c->dataset.train, count, 0);
    problem_case_samples(&c->dataset.test, CASE_TEST, 1);
    EXPECT_OK(validation_split_init(&c->split,
                                    &(struct split_request){.count = count, .train_fraction = 1}));
    c->pool = compute_pool_new(c->model, &c->dataset, batch, 1);
    c->state = MEM_NEW_N(float, c->model->state_count);
    c->gradient = MEM_NEW_N(float, c->model->param_count);
    c->batches_tracked = MEM_NEW_N(int64_t, c->model->tracked_count);
    model_initialize(c->model, c->state, 1);
    c->setup = (struct supervised_setup){
        .model = c->model,
        .loss = (const struct loss_ops *)(const void *)loss,
        .gather = &c->gather,
        .split = &c->split,
        .seed = 1,
        .batch_size = batch,
        .pool = c->pool,
        .batches_tracked = c->batches_tracked,
    };
}

static inline void problem_case_release(struct problem_case *c)
{
    compute_pool_free(c->pool);
    model_free(c->model);
    normalizer_release(&c->gather.normalizer);
    validation_split_release(&c->split);
    mem_free(c->partition.sizes);
    mem_free(c->partition.counts);
    mem_free((void *)c->partition.items);
    for (int i = 0; i < 2; i++) {
        struct samples *s = i == 0 ? &c->dataset.train : &c->dataset.test;
        mem_free(s->values);
        mem_free(s->labels);
    }
    mem_free(c->state);
    mem_free(c->gradient);
    mem_free(c->batches_tracked);
}

#endif
