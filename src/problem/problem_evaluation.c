/*
 * problem_evaluation.c - from sums of blocks to the values of metrics.
 */
#include "problem/problem_evaluation.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "problem/problem.h"

const char *problem_part_name(enum problem_part part)
{
    switch (part) {
    case PART_TRAIN:
        return "train";
    case PART_VALIDATION:
        return "validation";
    case PART_TEST:
        return "test";
    case PART_MAP:
        return "map";
    }
    BUG("part out of range");
}

int problem_sum_count(const struct problem *p)
{
    return p->metric_count + p->ratio_sums;
}

int64_t problem_block_count(const struct problem *p, enum problem_part part)
{
    return (p->part_counts[part] + EVALUATION_BLOCK - 1) / EVALUATION_BLOCK;
}

enum status problem_evaluate_blocks(struct problem *p, const float *state, enum problem_part part,
                                    struct evaluation_blocks *blocks)
{
    CHECK(blocks->first >= 0 && blocks->count > 0);
    CHECK(blocks->first + blocks->count <= problem_block_count(p, part));
    return p->ops->evaluate(p, state, part, blocks);
}

static double value_of(const struct problem_metric *m, double sum, const double *sums,
                       int64_t samples)
{
    const double mean = sum / (double)samples;

    switch (m->form) {
    case PROBLEM_MEAN:
        return mean;
    case PROBLEM_ROOT_MEAN:
        return sqrt(mean);
    case PROBLEM_RATIO:
        return sums[m->over] > 0 ? sum / sums[m->over] : 0;
    }
    BUG("form out of range");
}

void problem_add_blocks(const struct problem *p, enum problem_part part, const double *sums,
                        struct evaluation *result)
{
    const int64_t blocks = problem_block_count(p, part);
    const int count = problem_sum_count(p);
    double totals[PROBLEM_SUMS_MAX] = {0};

    CHECK(p->metric_count > 0 && p->metric_count <= PROBLEM_METRICS_MAX);
    CHECK(count <= PROBLEM_SUMS_MAX);
    result->samples = p->part_counts[part];
    for (int64_t b = 0; b < blocks; b++)
        for (int i = 0; i < count; i++)
            totals[i] += sums[b * count + i];
    for (int m = 0; m < p->metric_count; m++)
        result->values[m] = value_of(&p->metrics[m], totals[m], totals, result->samples);
    result->loss = result->values[0];
}

enum status problem_evaluate(struct problem *p, const float *state, enum problem_part part,
                             struct evaluation *result)
{
    struct evaluation_blocks blocks = {
        .count = problem_block_count(p, part),
        .confusion = result->confusion,
        .correct = result->correct,
        .outputs = result->outputs,
        .can_be_cut = result->can_be_cut,
    };

    if (blocks.count == 0)
        return FAIL(
            STATUS_BAD_INPUT, "there are no %s samples to evaluate on%s", problem_part_name(part),
            part == PART_VALIDATION ? "; --validation sets a part of the training set aside" : "");
    blocks.sums = MEM_NEW_N(double, blocks.count *problem_sum_count(p));
    const enum status s = problem_evaluate_blocks(p, state, part, &blocks);
    if (s == STATUS_OK)
        problem_add_blocks(p, part, blocks.sums, result);
    mem_free(blocks.sums);
    return s;
}

double problem_value(const struct problem *p, const struct evaluation *e, const char *name)
{
    for (int m = 0; m < p->metric_count; m++)
        if (strcmp(p->metrics[m].name, name) == 0)
            return e->values[m];
    return (double)NAN;
}
