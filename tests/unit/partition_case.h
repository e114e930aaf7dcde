/*
 * partition_case.h - samples with labels to deal, and a partition by name and options.
 */
#ifndef TESTS_PARTITION_CASE_H
#define TESTS_PARTITION_CASE_H

#include "base/mem.h"
#include "base/rng.h"
#include "conf/yaml.h"
#include "data/partition.h"
#include "test.h"

/* Not all numbers, as after a split: every number but those that 4 divides. */
struct partition_case {
    struct partition_request request;
    int32_t *labels, *groups;
    int64_t *samples;
};

/* Random labels, so that classes are not of one size. */
static inline void case_init(struct partition_case *c, int64_t count, int64_t classes)
{
    const struct rng r = rng_make(77, RNG_TEST, 0);
    const int64_t bound = count + count / 3 + 2;

    c->labels = MEM_NEW_N(int32_t, bound);
    c->groups = MEM_NEW_N(int32_t, bound);
    c->samples = MEM_NEW_N(int64_t, bound);
    c->request = (struct partition_request){
        .labels = c->labels,
        .samples = c->samples,
        .classes = classes,
        .workers = 1,
        .seed = 1,
    };
    for (int64_t i = 0; c->request.count < count; i++) {
        c->labels[i] = (int32_t)rng_below(&r, (uint64_t)i, 0, classes);
        if (i % 4 != 0)
            c->samples[c->request.count++] = i;
    }
}

/* Gives the samples so many groups; a third of them are in the first one besides. */
static inline void case_group(struct partition_case *c, int64_t groups)
{
    c->request.groups = c->groups;
    c->request.group_count = groups;
    for (int64_t i = 0; i < c->request.count; i++)
        c->groups[c->samples[i]] = i % 3 == 0 ? 0 : (int32_t)(i / 3 % groups);
}

static inline void case_release(struct partition_case *c)
{
    mem_free(c->labels);
    mem_free(c->groups);
    mem_free(c->samples);
}

/* `options` is a section as in an experiment file: "{name: dirichlet, alpha: 0.1}", or a name. */
static inline enum status case_deal(const struct partition_case *c, const char *options,
                                    struct partition *p)
{
    struct node *section = NULL;
    struct choice chosen = {0};

    *p = (struct partition){0};
    TRY(yaml_parse(options, strlen(options), "test", &section));
    enum status s = choice_read(&chosen, &partition_registry, section, NULL);
    node_free(section);
    if (s == STATUS_OK)
        s = partition_make(&chosen, &c->request, p);
    choice_release(&chosen);
    return s;
}

/* How often each sample is dealt; [largest number + 1], mem_free. */
static inline int64_t *case_marks(const struct partition_case *c, const struct partition *p)
{
    int64_t *marks = MEM_NEW_N(int64_t, c->samples[c->request.count - 1] + 1);

    for (int w = 0; w < p->workers; w++) {
        for (int64_t i = 0; i < p->counts[w]; i++)
            marks[p->items[w][i]]++;
    }
    return marks;
}

/* Samples of a label that a worker has. */
static inline int64_t case_count(const struct partition_case *c, const struct partition *p, int w,
                                 int64_t label)
{
    int64_t count = 0;

    for (int64_t i = 0; i < p->counts[w]; i++)
        count += c->labels[p->items[w][i]] == label;
    return count;
}

#endif
