/*
 * evaluation_rows.c - the rows of a round: of the run, and of each worker.
 */
#include <math.h>
#include <stdio.h>

#include "train/loop/evaluation.h"
#include "train/loop/output_style.h"

double evaluation_accuracy(const struct loop *l, double correct, double samples)
{
    return build_has_classes(l->build) && samples > 0 ? correct / samples : (double)NAN;
}

bool evaluation_has_nodes(const struct loop *l)
{
    return algo_has_node_models(l->build->algo) &&
           (l->build->workers > 1 || l->coordinator->evaluate_workers != NULL);
}

struct metric_row evaluation_row(const struct loop *l, const struct run_totals *totals)
{
    const struct metric_header header = {
        .worker = l->build->workers > 1 ? METRIC_ALL_WORKERS : 0,
        .round = totals->round,
        .epoch = epochs_of_samples(l->build, totals->counters.samples),
        .counters = totals->counters,
    };

    return (struct metric_row){.header = header};
}

bool evaluation_is_recorded(const struct loop *l)
{
    return l->was_finished && !l->is_before_record && !l->has_snapshots;
}

enum status evaluation_write_row(struct loop *l, const struct metric_row *row)
{
    return evaluation_is_recorded(l) ? STATUS_OK : recorder_add(&l->leader->recorder, row);
}

double evaluation_weight_square(const struct loop *l, const float *state)
{
    return l->worker->optim->kernel->dot(state, state, l->build->layout.param_count);
}

struct round_facts evaluation_facts(const struct loop *l, const struct due_actions *due)
{
    return (struct round_facts){
        .round = l->round,
        .due = *due,
        .lr = l->worker->rates.lr,
        .gradient_norm = l->worker->result.gradient_norm,
        .log_weight_square = due->logs ? log_rows_weight_square(l) : (double)NAN,
        .weight_square = due->ends_epoch ? evaluation_weight_square(l, l->memory->state) : 0,
    };
}

struct round_record evaluation_record_of(const struct loop *l, const struct due_actions *due)
{
    return (struct round_record){
        .facts = evaluation_facts(l, due),
        .totals = l->leader->totals,
        .workers = l->leader->worker_counters,
    };
}

enum status evaluation_fail_diverged(const struct loop *l, int64_t round, const char *what)
{
    const bool together = epochs_end_together(l->build);
    const struct run_length length = together ? epochs_of_all(l->build) : l->length;
    const int64_t begun = together ? l->claimed : l->worker->round;
    char of[32] = "";

    if (length.rounds < ROUNDS_UNKNOWN)
        (void)snprintf(of, sizeof of, " of %lld",
                       (long long)epochs_begun(&length.epoch, length.rounds));
    return FAIL(STATUS_DIVERGED,
                "training diverged: %s at round %lld (epoch %lld%s, learning rate %g); a smaller "
                "--lr or --clip-norm 1 may help%s%s",
                what, (long long)round, (long long)epochs_ended(&length.epoch, begun) + 1, of,
                l->worker->rates.lr, l->setup->is_temporary ? "" : ". Results so far are in ",
                l->setup->is_temporary ? "" : l->setup->run_dir);
}

/* What training has measured in the epoch. */
static void add_epoch_means(const struct loop *l, const struct counters *c, struct metric_row *row)
{
    metric_row_add(row, METRIC_TRAIN_LOSS, c->epoch_loss / c->epoch_samples);
    if (build_has_classes(l->build))
        metric_row_add(row, METRIC_TRAIN_ACCURACY, c->epoch_correct / c->epoch_samples);
    if (build_records_top5(l->build))
        metric_row_add(row, METRIC_TRAIN_ACCURACY5, c->epoch_correct5 / c->epoch_samples);
}

static void add_epoch(struct loop *l, const struct round_record *r, struct metric_row *row)
{
    const struct counters *c = &r->totals.counters;
    struct run_totals *totals = &l->leader->totals;

    totals->train_loss = c->epoch_loss / c->epoch_samples;
    totals->train_accuracy = evaluation_accuracy(l, c->epoch_correct, c->epoch_samples);
    add_epoch_means(l, c, row);
    metric_row_add(row, METRIC_LR, r->facts.lr);
    output_style_epoch(l, c);
}

/* The run's row, before what was evaluated. */
struct metric_row evaluation_run_row(struct loop *l, const struct round_record *r)
{
    const struct counters *c = &r->totals.counters;
    struct metric_row row = evaluation_row(l, &r->totals);

    if (r->facts.due.ends_epoch && c->epoch_samples > 0)
        add_epoch(l, r, &row);
    metric_row_add(&row, METRIC_FORWARD_PASSES, c->passes);
    if (!isnan(c->moving_loss))
        metric_row_add(&row, METRIC_TRAIN_LOSS_MOVING, c->moving_loss);
    metric_row_add(&row, METRIC_WEIGHT_NORM, sqrt(r->facts.weight_square));
    return row;
}

enum status evaluation_check_weights(const struct loop *l, const struct round_record *r)
{
    return isfinite(r->facts.weight_square)
               ? STATUS_OK
               : evaluation_fail_diverged(l, r->facts.round, "a weight is not finite");
}

/* --- rows of each worker --- */

/* Makes it a row of one worker, with its own counts. */
void evaluation_set_worker(const struct loop *l, int w, const struct counters *c,
                           struct metric_row *row)
{
    row->header.worker = w;
    row->is_one_of_many = true;
    row->header.epoch = epochs_of_worker(l->build, w, c->samples);
    row->header.counters = *c;
}

/* The quality of a worker's own model. */
void evaluation_add_own_model(const struct loop *l, int w, struct metric_row *row)
{
    const struct worker_report *report = &l->leader->report->per_worker[w];

    if (!algo_models_differ(l->build->algo))
        return;
    metric_row_add(row, METRIC_TEST_LOSS, report->test_loss);
    if (build_has_classes(l->build))
        metric_row_add(row, METRIC_TEST_ACCURACY, report->test_accuracy);
    if (evaluation_has_nodes(l)) {
        metric_row_add(row, METRIC_CONSENSUS_ERROR, report->distance);
        metric_row_add(row, METRIC_CONSENSUS_ERROR_NORMALIZED, report->normalized_distance);
    }
}

void evaluation_add_worker(const struct loop *l, const struct round_record *r, int worker,
                           struct metric_row *row)
{
    const struct counters *c = &r->workers[worker];

    if (r->facts.due.ends_epoch && c->epoch_samples > 0)
        add_epoch_means(l, c, row);
    metric_row_add(row, METRIC_FORWARD_PASSES, c->passes);
    if (c->passes > 0)
        metric_row_add(row, METRIC_TRAIN_LOSS_MOVING, c->moving_loss);
    if (r->facts.due.evaluates)
        evaluation_add_own_model(l, worker, row);
}

enum status evaluation_write_worker_rows(struct loop *l, const struct round_record *r)
{
    if (l->build->workers == 1)
        return STATUS_OK;
    for (int w = 0; w < l->build->workers; w++) {
        struct metric_row row = evaluation_row(l, &r->totals);

        evaluation_set_worker(l, w, &r->workers[w], &row);
        l->coordinator->add_worker(l, r, w, &row);
        metric_row_add_counters(&row, &r->workers[w]);
        TRY(evaluation_write_row(l, &row));
    }
    return STATUS_OK;
}

enum status evaluation_write_rows(struct loop *l, const struct round_record *r)
{
    if (r->facts.due.logs)
        TRY(log_rows_write(l, r));
    if (!r->facts.due.ends_epoch)
        return STATUS_OK;

    const struct metric_row row = evaluation_run_row(l, r);

    TRY(evaluation_write_row(l, &row));
    TRY(evaluation_check_weights(l, r));
    return evaluation_write_worker_rows(l, r);
}
