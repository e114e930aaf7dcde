/*
 * evaluation_train.c - how good the final model is on the whole training set.
 *
 * As the test numbers are made: of the run model, or the mean over nodes that have models of their
 * own. Training losses of rows are about batches, each at the model of its time.
 */
#include "train/loop/evaluation.h"

/* A model on the training set. */
struct quality {
    double loss, accuracy;
};

static struct quality quality_of(const struct problem *p, const struct evaluation *e)
{
    return (struct quality){e->loss, problem_value(p, e, "accuracy")};
}

static void report_quality(const struct loop *l, struct quality q)
{
    if (l->leader == NULL || l->is_evaluation_cut)
        return;
    l->leader->report->final_train_loss = q.loss;
    l->leader->report->final_train_accuracy = q.accuracy;
}

static enum status evaluate_run_model(struct loop *l)
{
    struct model_values values = {0};
    struct evaluation e = {.can_be_cut = true};

    TRY(l->coordinator->run_model(l, &values));
    TRY(evaluation_note_cut(l, evaluation_of_part(l, values.state, PART_TRAIN, &e)));
    report_quality(l, quality_of(l->build->evaluator, &e));
    return STATUS_OK;
}

/* Every worker evaluates its own model. */
static enum status evaluate_nodes(struct loop *l)
{
    struct transport *t = l->worker->transport;
    struct evaluation e = {.can_be_cut = true};

    transport_compute_begin(t);
    const enum status s = problem_evaluate(l->memory->problem, l->memory->state, PART_TRAIN, &e);
    transport_compute_end(t);
    TRY(evaluation_note_cut(l, s));

    struct quality q = quality_of(l->memory->problem, &e);

    TRY(transport_sum(t, &(struct sum){.data = &q,
                                       .count = sizeof q / sizeof(double),
                                       .type = SUM_DOUBLE,
                                       .is_control = true}));
    TRY(evaluation_agree_on_cut(l));
    report_quality(l, (struct quality){q.loss / l->build->workers, q.accuracy / l->build->workers});
    return STATUS_OK;
}

enum status evaluation_training_set(struct loop *l, const struct due_actions *due)
{
    (void)due;
    if (evaluation_has_nodes(l) && l->build->workers > 1)
        return evaluate_nodes(l);
    TRY(evaluate_run_model(l));
    return evaluation_agree_on_cut(l);
}
