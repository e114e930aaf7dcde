/*
 * log_rows.c - log rows: loss and accuracy since the last of them, the learning rate, the norm of
 * the weights, and how each worker has spent its time.
 *
 * They need no message: the leader writes what it knows of the workers by then. A worker in
 * lockstep, and an independent leader, starts its sums again at a log row. Others do not know when
 * that is: of them the leader keeps what is in rows already (leader.logged).
 */
#include <math.h>

#include "train/loop/evaluation.h"
#include "train/loop/output_style.h"

double log_rows_weight_square(const struct loop *l)
{
    const float *named = algo_run_model_vector(l->worker);

    if (named != NULL)
        return evaluation_weight_square(l, named);
    return l->build->workers > 1 && algo_models_differ(l->build->algo) ? (double)NAN
                                                                       : l->counters.weight_square;
}

/* Whether the worker's sums begin at the last log row. */
static bool starts_sums_again(const struct loop *l, int w)
{
    if (l->coordinator->has_own_rounds)
        return w == l->worker->transport->rank;
    return !l->coordinator->has_server;
}

static struct logged_sums sums_in(const struct counters *c)
{
    return (struct logged_sums){
        .samples = c->logged_samples,
        .loss = c->logged_loss,
        .correct = c->logged_correct,
        .correct5 = c->logged_correct5,
    };
}

static void subtract(struct logged_sums *sums, const struct logged_sums *before)
{
    sums->samples -= before->samples;
    sums->loss -= before->loss;
    sums->correct -= before->correct;
    sums->correct5 -= before->correct5;
}

static struct logged_sums sums_of_worker(const struct loop *l, const struct round_record *r, int w)
{
    struct logged_sums sums = sums_in(&r->workers[w]);

    subtract(&sums, &l->leader->logged[w]);
    return sums;
}

/* A server counts what all workers did. */
static struct logged_sums sums_of_run(const struct loop *l, const struct round_record *r)
{
    struct logged_sums sums = sums_in(&r->totals.counters);

    for (int w = 0; w < l->build->workers && l->coordinator->has_own_rounds; w++)
        subtract(&sums, &l->leader->logged[w]);
    return sums;
}

static void note_logged(struct loop *l, const struct round_record *r)
{
    for (int w = 0; w < l->build->workers; w++)
        if (!starts_sums_again(l, w))
            l->leader->logged[w] = sums_in(&r->workers[w]);
}

static void add_batches(const struct loop *l, const struct logged_sums *sums,
                        struct metric_row *row)
{
    metric_row_add(row, METRIC_BATCH_LOSS, sums->loss / sums->samples);
    if (build_has_classes(l->build))
        metric_row_add(row, METRIC_BATCH_ACCURACY, sums->correct / sums->samples);
    if (build_records_top5(l->build))
        metric_row_add(row, METRIC_BATCH_ACCURACY5, sums->correct5 / sums->samples);
}

static void add_norm(struct metric_row *row, double square)
{
    if (!isnan(square))
        metric_row_add(row, METRIC_WEIGHT_NORM, sqrt(square));
}

static enum status add_run_row(struct loop *l, const struct round_record *r)
{
    const struct logged_sums sums = sums_of_run(l, r);
    struct metric_row row = evaluation_row(l, &r->totals);

    add_batches(l, &sums, &row);
    metric_row_add(&row, METRIC_LR, r->facts.lr);
    add_norm(&row, r->facts.log_weight_square);
    if (r->facts.gradient_norm > 0)
        metric_row_add(&row, METRIC_GRADIENT_NORM, r->facts.gradient_norm);
    return recorder_add(&l->leader->recorder, &row);
}

static enum status add_worker_row(struct loop *l, const struct round_record *r, int w)
{
    const struct counters *c = &r->workers[w];
    const struct logged_sums sums = sums_of_worker(l, r, w);
    struct metric_row row = evaluation_row(l, &r->totals);

    if (!(sums.samples > 0) && !starts_sums_again(l, w))
        return STATUS_OK; /* nothing is known that is not in its last row */

    row.skips_events = true;
    evaluation_set_worker(l, w, c, &row);
    if (sums.samples > 0)
        add_batches(l, &sums, &row);
    if (!isnan(c->lr)) /* it has done a round */
        metric_row_add(&row, METRIC_LR, c->lr);
    add_norm(&row,
             algo_models_differ(l->build->algo) ? c->weight_square : r->facts.log_weight_square);
    metric_row_add_counters(&row, c);
    return recorder_add(&l->leader->recorder, &row);
}

static enum status add_rows(struct loop *l, const struct round_record *r)
{
    TRY(add_run_row(l, r));
    for (int w = 0; w < l->build->workers && l->log.has_workers; w++)
        TRY(add_worker_row(l, r, w));
    return STATUS_OK;
}

enum status log_rows_write(struct loop *l, const struct round_record *r)
{
    struct recorder *recorder = &l->leader->recorder;

    recorder_hold(recorder);

    const enum status added = add_rows(l, r);
    const enum status written = recorder_write(recorder);

    note_logged(l, r);
    output_style_batches(l, r);
    return added != STATUS_OK ? added : written;
}
