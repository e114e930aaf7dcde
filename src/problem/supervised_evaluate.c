/*
 * supervised_evaluate.c - how good a network is on a part of the samples, and its outputs for
 * inputs from elsewhere.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/signals.h"
#include "problem/supervised_internal.h"

static struct supervised *of(struct problem *p)
{
    return (struct supervised *)p;
}

/* --- metrics --- */

/* What is summed of each sample, in the order of these lists. */
enum { SUM_LOSS, SUM_CORRECT, SUM_CORRECT5 };

/* Of a density: walls that are found, for three ratios; the error; then what the ratios are over.
 */
enum {
    SUM_PRECISION = SUM_LOSS + 1,
    SUM_RECALL,
    SUM_IOU,
    SUM_ERROR,
    DENSITY_METRICS,
    SUM_ANSWERED = DENSITY_METRICS, /* answers that are walls */
    SUM_WALLS,
    SUM_EITHER, /* walls by the answer or by the target */
    DENSITY_SUMS
};

/* clang-format off */
#define LOSS_METRIC                                                        \
    {.name = "loss", .better = METRIC_LOWER,                               \
     .rows = {[PART_VALIDATION] = "validation_loss", [PART_TEST] = "test_loss"}}
#define ACCURACY_METRIC                                                    \
    {.name = "accuracy", .better = METRIC_HIGHER, .is_share = true,        \
     .rows = {[PART_VALIDATION] = "validation_accuracy", [PART_TEST] = "test_accuracy"}}
/* clang-format on */

#define WALL_METRIC(metric, sum)                                                     \
    {                                                                                \
        .name = metric, .form = PROBLEM_RATIO, .over = sum, .better = METRIC_HIGHER, \
        .is_share = true, .rows = {                                                  \
            [PART_VALIDATION] = "validation_" metric,                                \
            [PART_TEST] = "test_" metric                                             \
        }                                                                            \
    }
static const struct problem_metric number_metrics[] = {LOSS_METRIC};
static const struct problem_metric density_metrics[DENSITY_METRICS] = {
    [SUM_LOSS] = LOSS_METRIC,
    [SUM_PRECISION] = WALL_METRIC("precision", SUM_ANSWERED),
    [SUM_RECALL] = WALL_METRIC("recall", SUM_WALLS),
    [SUM_IOU] = WALL_METRIC("iou", SUM_EITHER),
    [SUM_ERROR] = {.name = "error", .better = METRIC_LOWER, .rows = {[PART_MAP] = "map_error"}},
};
static const struct problem_metric class_metrics[] = {
    LOSS_METRIC,
    ACCURACY_METRIC,
    {.name = "accuracy5",
      .better = METRIC_HIGHER,
      .is_share = true,
      .rows = {[PART_VALIDATION] = "validation_accuracy5", [PART_TEST] = "test_accuracy5"}},
};

/* With few classes nearly every answer is among the first five: it is not recorded. */
enum { TOP5_CLASSES_MIN = 10 };
static const struct problem_metric few_class_metrics[] = {
    LOSS_METRIC,
    ACCURACY_METRIC,
    {.name = "accuracy5", .better = METRIC_HIGHER, .is_share = true},
};

void supervised_set_metrics(struct problem *p, const struct dataset *d)
{
    const bool is_few = d->classes < TOP5_CLASSES_MIN;

    if (d->is_density) {
        p->metrics = density_metrics;
        p->metric_count = DENSITY_METRICS;
        p->ratio_sums = DENSITY_SUMS - DENSITY_METRICS;
        return;
    }
    p->metrics = d->classes == 0 ? number_metrics : is_few ? few_class_metrics : class_metrics;
    p->metric_count = d->classes == 0 ? 1 : 3;
}

/* --- evaluation --- */

/* Blocks while they are filled, in the order of their samples. */
struct block_sums {
    struct evaluation_blocks *blocks;
    int sum_count;
    bool is_density;
    int64_t count, end;             /* samples so far, and in all */
    float losses[EVALUATION_BLOCK]; /* of the block under way */
};

/* Sample i of the batch, which is number `at` of the blocks. */
static void add_answer(const struct loss_batch *b, int64_t i, double *sums,
                       const struct evaluation_blocks *blocks, int64_t at)
{
    const float *row = b->output + i * b->outputs;
    const int64_t rank = supervised_rank(row, b->outputs, b->labels[i]);

    sums[SUM_CORRECT] += rank == 0;
    sums[SUM_CORRECT5] += rank < 5;
    if (blocks->confusion != NULL)
        blocks->confusion[b->labels[i] * b->outputs + supervised_answer(row, b->outputs)]++;
    if (blocks->correct != NULL)
        blocks->correct[at] = rank == 0;
}

/* A wall is where the density is at least one half. */
static void add_density(const struct loss_batch *b, int64_t i, double *sums)
{
    const bool answer = b->output[i] >= 0.5F, wall = b->targets[i] >= 0.5F;
    const bool is_found = answer && wall;

    sums[SUM_PRECISION] += is_found;
    sums[SUM_RECALL] += is_found;
    sums[SUM_IOU] += is_found;
    sums[SUM_ERROR] += fabs((double)b->output[i] - (double)b->targets[i]);
    sums[SUM_ANSWERED] += answer;
    sums[SUM_WALLS] += wall;
    sums[SUM_EITHER] += answer || wall;
}

static void add_results(struct block_sums *s, const struct loss_batch *b)
{
    if (s->blocks->outputs != NULL)
        memcpy(s->blocks->outputs + s->count * b->outputs, b->output,
               (size_t)(b->batch * b->outputs) * sizeof *b->output);
    for (int64_t i = 0; i < b->batch; i++) {
        const int64_t at = s->count % EVALUATION_BLOCK;
        double *sums = s->blocks->sums + s->count / EVALUATION_BLOCK * s->sum_count;

        s->losses[at] = b->losses[i];
        if (b->labels != NULL)
            add_answer(b, i, sums, s->blocks, s->count);
        if (s->is_density)
            add_density(b, i, sums);
        s->count++;
        if (at + 1 == EVALUATION_BLOCK || s->count == s->end)
            sums[SUM_LOSS] = loss_sum(s->losses, at + 1);
    }
}

/* The samples of a part: a list of numbers, or NULL for 0, 1, 2, ... */
static const int64_t *part_numbers(const struct supervised *s, enum problem_part part)
{
    switch (part) {
    case PART_TRAIN:
        return s->setup.split->train;
    case PART_VALIDATION:
        return s->setup.split->validation;
    case PART_TEST:
    case PART_MAP:
        return NULL;
    }
    BUG("part out of range");
}

static enum status evaluate_piece(struct supervised_job *j, const float *state,
                                  struct block_sums *sums)
{
    TRY(supervised_gather(j));

    const struct model_pass pass = supervised_pass(j, state);
    const struct loss_batch loss =
        supervised_loss(j, model_forward(j->s->setup.model, &pass, PASS_EVAL));

    j->s->setup.loss->compute(&loss);
    add_results(sums, &loss);
    return STATUS_OK;
}

enum status supervised_evaluate(struct problem *p, const float *state, enum problem_part part,
                                struct evaluation_blocks *blocks)
{
    struct supervised *s = of(p);
    const struct dataset *d = s->setup.gather->dataset;
    const int64_t *numbers = part_numbers(s, part);
    const int64_t piece = compute_pool_piece(s->setup.pool);
    const int64_t begin = blocks->first * EVALUATION_BLOCK;
    const int64_t left = p->part_counts[part] - begin, wanted = blocks->count * EVALUATION_BLOCK;
    struct compute_context *context = compute_pool_take(s->setup.pool);
    struct supervised_job j =
        supervised_job(s, context, &(struct scheduled_batch){.samples = context->numbers});
    struct block_sums sums = {
        .blocks = blocks,
        .sum_count = problem_sum_count(p),
        .is_density = d->is_density,
        .end = wanted < left ? wanted : left,
    };

    enum status status = STATUS_OK;

    j.is_evaluation = true;
    j.part = part == PART_TEST ? &d->test : part == PART_MAP ? &d->map : &d->train;
    memset(blocks->sums, 0, (size_t)(blocks->count * sums.sum_count) * sizeof *blocks->sums);
    while (status == STATUS_OK && sums.count < sums.end &&
           !(blocks->can_be_cut && signals_stop_requested())) {
        const int64_t first = begin + sums.count, rest = sums.end - sums.count;

        j.count = rest < piece ? rest : piece;
        for (int64_t i = 0; i < j.count; i++)
            context->numbers[i] = numbers == NULL ? first + i : numbers[first + i];
        status = evaluate_piece(&j, state, &sums);
    }
    compute_pool_give(s->setup.pool, context);
    TRY(status);
    return sums.count == sums.end ? STATUS_OK
                                  : FAIL(STATUS_INTERRUPTED, "the evaluation was stopped");
}

/* --- prediction --- */

void supervised_predict(struct problem *p, const float *state, const struct prediction *q)
{
    struct supervised *s = of(p);
    const struct model *m = s->setup.model;
    const int64_t in = shape_size(m->in), out = shape_size(m->out);
    const int64_t piece = compute_pool_piece(s->setup.pool);
    struct compute_context *context = compute_pool_take(s->setup.pool);

    for (int64_t first = 0; first < q->count; first += piece) {
        const int64_t count = q->count - first < piece ? q->count - first : piece;
        const struct model_pass pass = {
            .team = context->team,
            .work = context->work,
            .batch = count,
            .state = state,
        };

        memcpy(workspace_input(context->work), q->inputs + first * in,
               (size_t)(count * in) * sizeof *q->inputs);
        memcpy(q->outputs + first * out, model_forward(m, &pass, PASS_EVAL),
               (size_t)(count * out) * sizeof *q->outputs);
    }
    compute_pool_give(s->setup.pool, context);
}
