/*
 * leader.c - the leader's tables and files: opened at the start, kept up to date, closed however
 * the run ends.
 */
#include "train/loop/leader.h"

#include <math.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/metric_table.h"
#include "train/budget.h"
#include "train/loop/evaluation.h"
#include "train/loop/evaluation_metrics.h"
#include "train/loop/run_events.h"

/* --- memory --- */

static struct run_report empty_report(int workers)
{
    struct run_report r = {
        .train_loss = (double)NAN,
        .train_accuracy = (double)NAN,
        .validation_loss = (double)NAN,
        .validation_accuracy = (double)NAN,
        .validation_accuracy5 = (double)NAN,
        .test_loss = (double)NAN,
        .test_accuracy = (double)NAN,
        .test_accuracy5 = (double)NAN,
        .final_train_loss = (double)NAN,
        .final_train_accuracy = (double)NAN,
        .replaced = (double)NAN,
        .workers = workers,
        .per_worker = MEM_NEW_N(struct worker_report, workers),
    };

    for (int w = 0; w < workers; w++) {
        struct worker_report *report = &r.per_worker[w];

        report->test_loss = report->test_accuracy = (double)NAN;
        if (workers > 1) /* a node alone is no distance from itself */
            report->distance = report->normalized_distance = (double)NAN;
    }
    return r;
}

struct leader *leader_new(const struct build *b, struct run_report *report)
{
    struct leader *d = MEM_NEW(struct leader);

    *report = empty_report(b->workers);
    d->report = report;
    d->style = output_style_of(b);
    d->totals = run_totals_start();
    d->saved_round = -1;
    d->worker_counters = MEM_NEW_N(struct counters, b->workers);
    d->logged = MEM_NEW_N(struct logged_sums, b->workers);
    return d;
}

void leader_free(struct leader *d)
{
    if (d == NULL)
        return;
    evaluation_queue_free(d->queue);
    mem_free(d->before_record);
    mem_free(d->node_maps);
    mem_free(d->logged);
    mem_free(d->worker_counters);
    mem_free(d);
}

void leader_reduce(struct loop *l)
{
    struct leader *d = l->leader;

    d->totals.round = l->round;
    d->totals.counters = counters_reduce(d->worker_counters, l->build->workers);
}

/* --- progress --- */

static double samples_per_second(const struct counters *c)
{
    return c->seconds > 0 ? c->samples / c->seconds : 0;
}

/* Of the epoch under way; between two epochs of the one that has ended. */
static double epoch_accuracy(const struct loop *l)
{
    const struct run_totals *t = &l->leader->totals;

    return t->counters.epoch_samples > 0
               ? evaluation_accuracy(l, t->counters.epoch_correct, t->counters.epoch_samples)
               : t->train_accuracy;
}

static double epoch_loss(const struct run_totals *t)
{
    const struct counters *c = &t->counters;

    return c->epoch_samples > 0 ? c->epoch_loss / c->epoch_samples : t->train_loss;
}

/* By rounds, or by the budget where that may come first. */
static double part_done(const struct loop *l)
{
    const struct loop_progress done = loop_progress(l);
    const double rounds =
        done.rounds_total == 0 ? 0 : (double)done.round / (double)done.rounds_total;

    return fmax(rounds, budget_used(&l->build->budget, &l->leader->totals.counters));
}

void leader_write_live(struct loop *l)
{
    struct leader *d = l->leader;
    const struct counters *c = &d->totals.counters;

    if (d->live.path == NULL)
        return;
    const struct loop_progress done = loop_progress(l);
    const enum status s = live_write(&d->live, &(struct live_state){
                                                   .state = "running",
                                                   .round = done.round,
                                                   .rounds_total = done.rounds_total,
                                                   .epoch = epochs_of_samples(l->build, c->samples),
                                                   .loss = epoch_loss(&d->totals),
                                                   .accuracy = epoch_accuracy(l),
                                                   .test_accuracy = d->report->test_accuracy,
                                                   .samples_per_s = samples_per_second(c),
                                                   .totals = c,
                                                   .workers = d->worker_counters,
                                                   .worker_count = l->build->workers,
                                               });
    if (s == STATUS_OK)
        return;
    log_warning("%s; live.json is no longer written", status_message());
    live_close(&d->live);
}

bool leader_progress_is_due(const struct leader *d)
{
    return (d->style->has_progress && progress_is_due(&d->progress)) || live_is_due(&d->live);
}

static void show_progress(struct loop *l)
{
    struct leader *d = l->leader;
    const struct counters *c = &d->totals.counters;

    progress_show(&d->progress,
                  &(struct progress_state){
                      .done = part_done(l),
                      .epoch = epochs_of_samples(l->build, c->samples),
                      .loss = epoch_loss(&d->totals),
                      .accuracy = epoch_accuracy(l),
                      .samples_per_s = samples_per_second(c),
                      .evaluated = d->evaluated_round > 0 ? d->report->test_accuracy : (double)NAN,
                      .evaluated_age = epochs_at(&l->length.epoch, l->round - d->evaluated_round),
                  },
                  false);
}

void leader_show_progress(struct loop *l)
{
    struct leader *d = l->leader;

    if (d == NULL || !leader_progress_is_due(d) || !(d->totals.counters.epoch_samples > 0))
        return;

    if (d->style->has_progress)
        show_progress(l);
    if (live_is_due(&d->live))
        leader_write_live(l);
}

/* --- start --- */

/* The final model of a resumed run is not final: the weights are those of the checkpoint. */
static enum status remove_old_model(const struct loop *l)
{
    if (l->round == 0 || l->round >= l->length.rounds)
        return STATUS_OK;

    char *path = file_join(l->setup->run_dir, "model.safetensors");
    const enum status s = file_remove(path);
    mem_free(path);
    return s;
}

static double last_value(const struct metric_table *t, int worker, enum metric_id id)
{
    const struct metric_series *s = metric_table_find(t, worker, metric_name(id));

    return s == NULL || s->count == 0 ? (double)NAN : s->values[s->count - 1];
}

/* The last evaluation before this process, out of the rows that a resumed run keeps. */
static enum status restore_evaluation(const struct loop *l)
{
    const int run = l->build->workers > 1 ? METRIC_ALL_WORKERS : 0;
    struct run_report *r = l->leader->report;
    struct metric_table t;

    if (l->setup->from == NULL)
        return STATUS_OK;
    const enum status s = metric_table_read(l->setup->run_dir, &t);
    r->validation_loss = last_value(&t, run, METRIC_VALIDATION_LOSS);
    r->validation_accuracy = last_value(&t, run, METRIC_VALIDATION_ACCURACY);
    r->test_loss = last_value(&t, run, METRIC_TEST_LOSS);
    r->test_accuracy = last_value(&t, run, METRIC_TEST_ACCURACY);
    r->test_accuracy5 = last_value(&t, run, METRIC_TEST_ACCURACY5);
    evaluation_metrics_restore(l->build->evaluator, &t, run, r);
    for (int w = 0; w < r->workers && r->workers > 1; w++) {
        struct worker_report *report = &r->per_worker[w];

        report->test_loss = last_value(&t, w, METRIC_TEST_LOSS);
        report->test_accuracy = last_value(&t, w, METRIC_TEST_ACCURACY);
        report->distance = last_value(&t, w, METRIC_CONSENSUS_ERROR);
        report->normalized_distance = last_value(&t, w, METRIC_CONSENSUS_ERROR_NORMALIZED);
    }
    metric_table_release(&t);
    return s;
}

static enum status open_consensus_log(struct loop *l, int64_t keep_round)
{
    if (!algo_has_node_models(l->build->algo) || l->build->workers == 1)
        return STATUS_OK;
    return consensus_log_open(&l->leader->consensus_log, l->setup->run_dir, keep_round);
}

enum status leader_open(struct loop *l)
{
    const int64_t recorded = loop_records_again(l) ? l->round - 1 : l->round;
    const int64_t keep_round = l->setup->from != NULL ? recorded : -1;
    struct leader *d = l->leader;

    progress_start(&d->progress, part_done(l));
    TRY(recorder_open(&d->recorder, l->setup->run_dir, keep_round));
    TRY(run_events_start(l));
    live_open(&d->live, l->setup->run_dir, l->setup->is_virtual ? "virtual" : "wall");
    TRY(restore_evaluation(l));
    TRY(run_files_graph(l));
    TRY(open_consensus_log(l, keep_round));
    if (l->build->config->train.record_correct)
        TRY(correct_log_open(&d->correct_log, l->setup->run_dir, keep_round));
    TRY(snapshots_open(l, keep_round));
    TRY(maps_open(l, keep_round));
    TRY(scans_open(l, keep_round));
    leader_write_live(l);
    TRY(lost_rows_warn(l));
    return remove_old_model(l); /* last: it stays when a file cannot be opened */
}

/* --- end --- */

static void fill_report(const struct loop *l)
{
    const struct run_totals *t = &l->leader->totals;
    struct run_report *r = l->leader->report;

    r->rounds = loop_progress(l).round;
    r->samples = (int64_t)t->counters.samples;
    r->replaced = l->build->plan->broken == NULL ? (double)NAN : t->counters.replaced;
    r->epochs = epochs_of_samples(l->build, t->counters.samples);
    r->train_loss = t->train_loss;
    r->train_accuracy = t->train_accuracy;
    r->seconds = t->counters.seconds;
    r->bytes = t->counters.bytes;
    r->samples_per_s = samples_per_second(&t->counters);
    r->was_finished = l->was_finished;
    r->is_server_based = l->memory->clients != NULL;
    run_files_update_workers(l);
}

void leader_record_failure(struct loop *l)
{
    const int64_t diverged = l->coordinator->salvage == NULL ? 0 : l->coordinator->salvage(l);
    struct metric_row row = evaluation_row(l, &l->leader->totals);

    if (!l->has_diverged && diverged == 0)
        return;
    row.header.round = diverged > 0 ? diverged : l->round + 1;
    metric_row_add(&row, METRIC_TRAIN_LOSS, (double)NAN);
    (void)recorder_add(&l->leader->recorder, &row);
}

enum status leader_close(struct loop *l)
{
    struct leader *d = l->leader;

    fill_report(l);
    leader_write_live(l); /* the last numbers; run.c says how it ended */
    live_close(&d->live);
    consensus_log_close(&d->consensus_log);
    correct_log_close(&d->correct_log);
    snapshot_log_close(&d->snapshot_log);
    map_log_close(&d->map_log);

    const enum status s = run_files_workers(l);
    const enum status closed = recorder_close(&d->recorder);

    return s != STATUS_OK ? s : closed;
}
