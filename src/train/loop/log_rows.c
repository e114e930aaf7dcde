/*
 * log_rows.c - log rows: the loss since the last of them, the learning rate, the norm of the
 * weights, and how each worker has spent its time.
 *
 * They need no message: the leader writes what it knows of the workers by then. A worker in
 * lockstep, and an independent leader, starts its sums again at a log row. Others do not know when
 * that is: of them the leader keeps what is in rows already (leader.logged).
 */
#include <math.h>

#include "train/loop/evaluation.h"

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

static struct logged_sums sums_of_worker(const struct loop *l, const struct round_record *r, int w)
{
    const struct logged_sums *before = &l->leader->logged[w];

    return (struct logged_sums){
        .samples = r->workers[w].logged_samples - before->samples,
        .loss = r->workers[w].logged_loss - before->loss,
    };
}

/* A server counts what all workers did. */
static struct logged_sums sums_of_run(const struct loop *l, const struct round_record *r)
{
    const struct counters *c = &r->totals.counters;
    struct logged_sums sums = {c->logged_samples, c->logged_loss};

    for (int w = 0; w < l->build->workers && l->coordinator->has_own_rounds; w++) {
        sums.samples -= l->leader->logged[w].samples;
        sums.loss -= l->leader->logged[w].loss;
    }
    return sums;
}

static void note_logged(struct loop *l, const struct round_record *r)
{
    for (int w = 0; w < l->build->workers; w++)
        if (!starts_sums_again(l, w))
            l->leader->logged[w] = (struct logged_sums){
                .samples = r->workers[w].logged_samples,
                .loss = r->workers[w].logged_loss,
            };
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

    metric_row_add(&row, METRIC_BATCH_LOSS, sums.loss / sums.samples);
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
        metric_row_add(&row, METRIC_BATCH_LOSS, sums.loss / sums.samples);
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
    return added != STATUS_OK ? added : written;
}
