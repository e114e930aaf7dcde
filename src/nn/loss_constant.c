/*
 * loss_constant.c - the mean loss of always giving the best answer that depends on no input: what a
 * model of numbers must beat before it has learned anything.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "nn/loss.h"

double loss_mean_target(const float *targets, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += (double)targets[i];
    return sum / (double)count;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

double loss_median_target(const float *targets, int64_t count)
{
    float *sorted = MEM_NEW_N(float, count);

    memcpy(sorted, targets, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_floats);
    const double median = (double)sorted[count / 2];
    mem_free(sorted);
    return median;
}

double loss_of_best_constant(const struct loss_ops *loss, const float *targets, int64_t count)
{
    CHECK(loss->best_constant != NULL && count > 0);

    const float answer = (float)loss->best_constant(targets, count);
    float *outputs = MEM_NEW_N(float, count), *losses = MEM_NEW_N(float, count);
    struct team *team = team_new(1);

    for (int64_t i = 0; i < count; i++)
        outputs[i] = answer;
    loss->compute(&(struct loss_batch){
        .kernel = kernel_get(),
        .team = team,
        .batch = count,
        .outputs = 1,
        .output = outputs,
        .targets = targets,
        .losses = losses,
        .scale = 1,
    });
    const double mean = loss_sum(losses, count) / (double)count;
    team_free(team);
    mem_free(losses);
    mem_free(outputs);
    return mean;
}
