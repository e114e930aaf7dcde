/*
 * evaluation_workers.c - evaluation of every worker's own model, and the range over all of them.
 *
 * Every worker evaluates its own and sends the result to the leader. How far apart the models are:
 * consensus_distance.c.
 */
#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/loop/evaluation.h"

/* What a worker's own model is worth. NaN: there is nothing to evaluate it on. */
struct quality {
    double loss, accuracy;
    uint8_t correct[]; /* of each sample whether it is answered rightly, if that is recorded */
};

static enum problem_part own_part(const struct problem *p)
{
    return p->part_counts[PART_TEST] > 0 ? PART_TEST : PART_VALIDATION;
}

/* How many samples a quality has the answers of. */
static int64_t correct_count(const struct loop *l)
{
    const struct problem *p = l->memory->problem;

    return l->build->config->train.record_correct ? p->part_counts[own_part(p)] : 0;
}

static enum status evaluate_own(struct loop *l, struct quality *q)
{
    struct problem *p = l->memory->problem;
    const enum problem_part part = own_part(p);
    /* A model of before a join cannot be evaluated again after it. */
    struct evaluation e = {
        .correct = correct_count(l) > 0 ? q->correct : NULL,
        .can_be_cut = l->build->algo->join == NULL,
    };

    q->loss = q->accuracy = (double)NAN;
    if (p->part_counts[part] == 0)
        return STATUS_OK;
    TRY(problem_evaluate(p, l->memory->state, part, &e));
    q->loss = e.loss;
    q->accuracy = problem_value(p, &e, "accuracy");
    return STATUS_OK;
}

static enum status take_quality(struct loop *l, int w, const struct quality *q)
{
    struct leader *d = l->leader;
    const struct correct_row row = {
        .round = l->round, .worker = w, .count = correct_count(l), .correct = q->correct};

    d->report->per_worker[w].test_loss = q->loss;
    d->report->per_worker[w].test_accuracy = q->accuracy;
    return row.count == 0 || l->was_finished ? STATUS_OK : correct_log_add(&d->correct_log, &row);
}

static enum status exchange(struct loop *l, struct quality *q, size_t bytes)
{
    struct transport *t = l->worker->transport;

    TRY(evaluation_note_cut(l, evaluate_own(l, q)));
    if (l->leader == NULL)
        return transport_send(t, 0, CONTROL_EVALUATION, q, bytes);
    for (int w = 0; w < l->build->workers; w++) {
        if (w > 0)
            TRY(transport_recv(t, w, CONTROL_EVALUATION, NULL, q, bytes));
        TRY(take_quality(l, w, q));
    }
    return STATUS_OK;
}

enum status evaluation_workers_run(struct loop *l)
{
    const size_t bytes = sizeof(struct quality) + (size_t)correct_count(l);
    struct quality *q = mem_alloc(1, bytes);
    const enum status s = exchange(l, q, bytes);

    mem_free(q);
    return s;
}

/* Least, mean and most over the workers; NaN without any. */
struct workers_range {
    double least, mean, most;
};
enum workers_value {
    WORKERS_LOSS,
    WORKERS_ACCURACY,
    WORKERS_DISTANCE,
    WORKERS_NORMALIZED,
    WORKERS_PASSES,
    WORKERS_EPOCH
};

static double value_of(const struct worker_report *r, enum workers_value value)
{
    switch (value) {
    case WORKERS_LOSS:
        return r->test_loss;
    case WORKERS_ACCURACY:
        return r->test_accuracy;
    case WORKERS_DISTANCE:
        return r->distance;
    case WORKERS_NORMALIZED:
        return r->normalized_distance;
    case WORKERS_PASSES:
        return r->passes;
    case WORKERS_EPOCH:
        return r->epoch;
    }
    BUG("value out of range");
}

static struct workers_range range_of(const struct loop *l, enum workers_value value)
{
    const int workers = l->build->workers;
    struct workers_range range = {.least = (double)NAN, .most = (double)NAN};

    for (int w = 0; w < workers; w++) {
        const double x = value_of(&l->leader->report->per_worker[w], value);
        range.least = fmin(range.least, x);
        range.most = fmax(range.most, x);
        range.mean += x / workers;
    }
    return range;
}

/* name, name_mean, name_min, name_max */
struct range_names {
    enum metric_id mean, least, most;
};

static void range_to_row(const struct loop *l, enum workers_value value,
                         const struct range_names *names, struct metric_row *row)
{
    const struct workers_range range = range_of(l, value);

    metric_row_add(row, names->mean, range.mean);
    metric_row_add(row, names->least, range.least);
    metric_row_add(row, names->most, range.most);
}

void evaluation_workers_to_row(const struct loop *l, struct metric_row *row)
{
    static const struct range_names distance = {METRIC_CONSENSUS_ERROR, METRIC_CONSENSUS_ERROR_MIN,
                                                METRIC_CONSENSUS_ERROR_MAX};
    static const struct range_names normalized = {METRIC_CONSENSUS_ERROR_NORMALIZED,
                                                  METRIC_CONSENSUS_ERROR_NORMALIZED_MIN,
                                                  METRIC_CONSENSUS_ERROR_NORMALIZED_MAX};
    static const struct range_names loss = {METRIC_TEST_LOSS_MEAN, METRIC_TEST_LOSS_MIN,
                                            METRIC_TEST_LOSS_MAX};
    static const struct range_names accuracy = {METRIC_TEST_ACCURACY_MEAN, METRIC_TEST_ACCURACY_MIN,
                                                METRIC_TEST_ACCURACY_MAX};

    range_to_row(l, WORKERS_DISTANCE, &distance, row);
    range_to_row(l, WORKERS_NORMALIZED, &normalized, row);
    range_to_row(l, WORKERS_LOSS, &loss, row);
    if (build_has_classes(l->build))
        range_to_row(l, WORKERS_ACCURACY, &accuracy, row);
}

void evaluation_workers_to_line(const struct loop *l, struct text *line)
{
    const struct workers_range loss = range_of(l, WORKERS_LOSS);
    const struct workers_range accuracy = range_of(l, WORKERS_ACCURACY);
    const struct workers_range distance = range_of(l, WORKERS_NORMALIZED);
    const struct workers_range passes = range_of(l, WORKERS_PASSES);
    const struct workers_range epoch = range_of(l, WORKERS_EPOCH);

    text_add(line, "; nodes: loss ");
    text_add_fixed(line, loss.least, 4);
    text_add(line, " - ");
    text_add_fixed(line, loss.most, 4);
    if (build_has_classes(l->build))
        text_addf(line, ", accuracy %.2f - %.2f %%", 100.0 * accuracy.least, 100.0 * accuracy.most);
    text_addf(line, ", consensus error %.3g - %.3g", distance.least, distance.most);
    text_addf(line, ", forward passes %.0f - %.0f, epoch %.4g - %.4g", passes.least, passes.most,
              epoch.least, epoch.most);
}
