/*
 * evaluation.c - the rows of a round, and evaluation of the run model, off the clock.
 *
 * Workers in lockstep wait while the leader evaluates with all cores. An asynchronous run takes a
 * snapshot and continues (evaluation_queue.c). Not here: each worker's own model
 * (evaluation_workers.c).
 */
#include "train/loop/evaluation.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "train/loop/evaluation_blocks.h"
#include "train/loop/evaluation_metrics.h"
#include "train/loop/output_style.h"
#include "train/loop/quality_stop.h"
#include "train/loop/run_events.h"

static void report_part(struct loop *l, enum problem_part part, const struct evaluation *e)
{
    struct run_report *r = l->leader->report;
    const double accuracy = problem_value(l->build->evaluator, e, "accuracy");
    const double accuracy5 = problem_value(l->build->evaluator, e, "accuracy5");

    evaluation_metrics_report(l->build->evaluator, part, e, r);
    if (part == PART_VALIDATION) {
        r->validation_loss = e->loss;
        r->validation_accuracy = accuracy;
        r->validation_accuracy5 = accuracy5;
    } else if (part == PART_TEST) {
        r->test_loss = e->loss;
        r->test_accuracy = accuracy;
        r->test_accuracy5 = accuracy5;
    }
}

/* Which part the confusion matrix is of. */
static enum problem_part confusion_part(const struct loop *l)
{
    return l->build->evaluator->part_counts[PART_TEST] > 0 ? PART_TEST : PART_VALIDATION;
}

/* Empty; NULL without classes. */
static int64_t *new_confusion(struct loop *l)
{
    const int64_t count = l->build->plan->classes * l->build->plan->classes;

    if (count == 0)
        return NULL;
    if (l->confusion == NULL)
        l->confusion = MEM_NEW_N(int64_t, count);
    memset(l->confusion, 0, (size_t)count * sizeof *l->confusion);
    return l->confusion;
}

/* The parts that were evaluated. */
struct evaluated_parts {
    struct evaluation of[PROBLEM_PARTS];
};

static bool has_part(const struct loop *l, enum problem_part part)
{
    return l->build->evaluator->part_counts[part] > 0;
}

static bool is_shared(const struct loop *l)
{
    return l->coordinator->shares_evaluation != NULL && l->coordinator->shares_evaluation(l);
}

enum status evaluation_of_part(struct loop *l, const float *state, enum problem_part part,
                               struct evaluation *e)
{
    if (is_shared(l))
        return evaluation_blocks_share(
            l->worker->transport,
            &(struct evaluation_request){l->memory->problem, state, part, true}, e);
    return l->leader == NULL ? STATUS_OK : problem_evaluate(l->build->evaluator, state, part, e);
}

static enum status evaluate_parts(struct loop *l, const float *state, struct evaluated_parts *parts)
{
    for (enum problem_part part = PART_VALIDATION; part <= PART_MAP; part++) {
        struct evaluation *e = &parts->of[part];

        if (!has_part(l, part) || (l->leader == NULL && !is_shared(l)))
            continue;
        e->can_be_cut = true;
        if (part == confusion_part(l))
            e->confusion = new_confusion(l);
        TRY(evaluation_of_part(l, state, part, e));
    }
    return STATUS_OK;
}

static enum status record_parts(struct loop *l, const struct evaluated_parts *parts,
                                struct metric_row *row)
{
    for (enum problem_part part = PART_VALIDATION; part <= PART_MAP; part++) {
        const struct evaluation *e = &parts->of[part];

        if (!has_part(l, part))
            continue;
        report_part(l, part, e);
        evaluation_metrics_to_row(l->build->evaluator, part, e, row);
        if (e->confusion != NULL)
            TRY(run_files_confusion(l, row->header.round, part, e->confusion));
    }
    return STATUS_OK;
}

/* A round's loss is taken before its step: what the last step did shows in the evaluation. */
static enum status check_evaluation(const struct loop *l, int64_t round)
{
    const int64_t *counts = l->build->evaluator->part_counts;
    const struct run_report *r = l->leader->report;

    if (counts[PART_VALIDATION] > 0 && !isfinite(r->validation_loss))
        return evaluation_fail_diverged(l, round, "the validation loss is not finite");
    if (counts[PART_TEST] > 0 && !isfinite(r->test_loss))
        return evaluation_fail_diverged(l, round, "the test loss is not finite");
    return STATUS_OK;
}

/* The progress of a node, for the line of an evaluation. */
static void note_progress(struct loop *l, int w, const struct counters *c)
{
    struct worker_report *report = &l->leader->report->per_worker[w];

    report->passes = c->passes;
    report->epoch = epochs_of_worker(l->build, w, c->samples);
}

/* The rows of the round, with what was evaluated. */
static enum status write_evaluation(struct loop *l, const struct round_record *r,
                                    const struct evaluated_parts *parts)
{
    struct metric_row row = evaluation_run_row(l, r);

    TRY(record_parts(l, parts, &row));
    for (int w = 0; w < l->build->workers && evaluation_has_nodes(l); w++)
        note_progress(l, w, &r->workers[w]);
    if (evaluation_has_nodes(l))
        evaluation_workers_to_row(l, &row);
    output_style_evaluation(l, &l->leader->totals);
    TRY(evaluation_write_row(l, &row));
    TRY(evaluation_check_weights(l, r));
    TRY(check_evaluation(l, r->facts.round));
    return evaluation_write_worker_rows(l, r);
}

static enum status record_evaluation(struct loop *l, const struct due_actions *due, float *state,
                                     const struct evaluated_parts *parts)
{
    struct round_record r = evaluation_record_of(l, due);

    r.facts.weight_square = evaluation_weight_square(l, state);
    if (due->logs)
        TRY(log_rows_write(l, &r));
    const enum status s = write_evaluation(l, &r, parts);
    if (s == STATUS_DIVERGED)
        return checkpointing_discard(l, s);
    TRY(s);
    quality_stop_note(l, r.facts.round);
    TRY(run_events_histograms(l, r.facts.round, state));
    return checkpointing_save_best(l, &l->leader->totals, state);
}

enum status evaluation_agree_on_cut(struct loop *l)
{
    int64_t flags[] = {l->is_evaluation_cut ? 1 : 0, l->is_good_enough ? 1 : 0};

    if (l->build->workers > 1 && !l->coordinator->has_server)
        TRY(transport_sum(
            l->worker->transport,
            &(struct sum){.data = flags, .count = 2, .type = SUM_INT64, .is_control = true}));
    l->is_evaluation_cut = flags[0] > 0;
    l->is_stopped = l->is_stopped || flags[0] > 0;
    l->is_good_enough = flags[1] > 0;
    return STATUS_OK;
}

enum status evaluation_note_cut(struct loop *l, enum status s)
{
    l->is_evaluation_cut = l->is_evaluation_cut || s == STATUS_INTERRUPTED;
    return s == STATUS_INTERRUPTED ? STATUS_OK : s;
}

static enum status record_now(struct loop *l, const struct due_actions *due)
{
    struct model_values values = {0};
    struct evaluated_parts parts = {0};

    TRY(l->coordinator->run_model(l, &values));
    TRY(snapshots_add(l, due, &values));
    if (due->evaluates) {
        TRY(maps_add(l, &values));
        TRY(scans_add_evaluation(l));
    }
    if (evaluation_has_nodes(l) && l->build->workers > 1)
        TRY(consensus_measure(l));
    TRY(evaluation_note_cut(l, evaluate_parts(l, values.state, &parts)));
    if (l->leader != NULL && !l->is_evaluation_cut)
        TRY(record_evaluation(l, due, values.state, &parts));
    TRY(run_files_gather_links(l));
    return l->leader != NULL && !l->is_evaluation_cut ? run_files_workers(l) : STATUS_OK;
}

/* Of nodes, which nothing joins. */
static enum status evaluate_nodes(struct loop *l)
{
    if (!evaluation_has_nodes(l) || l->build->algo->join != NULL)
        return STATUS_OK;
    transport_compute_begin(l->worker->transport);
    const enum status s = evaluation_workers_run(l);
    transport_compute_end(l->worker->transport);
    return s;
}

/* The checkpoint first: a stop, or the end of the machine, then costs no more than the evaluation,
 * which the resumed run begins with. */
enum status evaluation_record_saved(struct loop *l, const struct due_actions *due)
{
    if (due->saves)
        TRY(checkpointing_save(l, CHECKPOINT_BEFORE_RECORD));
    TRY(evaluate_nodes(l));
    TRY(evaluation_agree_on_cut(l));
    if (!l->is_evaluation_cut) {
        TRY(record_now(l, due));
        TRY(evaluation_agree_on_cut(l));
    }
    if (l->is_evaluation_cut)
        return due->saves ? STATUS_OK : checkpointing_save(l, CHECKPOINT_BEFORE_RECORD);
    loop_close_rows(l, due);
    return due->saves ? checkpointing_prune(l) : STATUS_OK;
}

/* --- snapshots --- */

enum status evaluation_record_snapshot(struct loop *l, const struct due_actions *due,
                                       const struct model_values *values)
{
    struct round_record r = evaluation_record_of(l, due);

    TRY(snapshots_add(l, due, values));
    if (due->logs)
        TRY(log_rows_write(l, &r));
    if (!due->evaluates && !due->ends_epoch)
        return STATUS_OK;
    r.facts.weight_square = evaluation_weight_square(l, values->state);

    const struct metric_row row = evaluation_run_row(l, &r);

    TRY(evaluation_write_row(l, &row));
    TRY(evaluation_check_weights(l, &r));
    if (due->evaluates) {
        TRY(evaluation_queue_add(l->leader->queue,
                                 &(struct snapshot_label){.totals = l->leader->totals,
                                                          .node = SNAPSHOT_RUN,
                                                          .has_map = maps_are_due(l)},
                                 values->state));
        TRY(scans_add_evaluation(l));
    }
    r.facts.due.evaluates = false; /* the workers' own models are evaluated with the snapshot */
    TRY(evaluation_write_worker_rows(l, &r));
    return due->evaluates ? run_files_workers(l) : STATUS_OK;
}

/* One node of a graph: its row, and its part in that of the run, which comes after all nodes'. */
static enum status record_node(struct loop *l, const struct snapshot_result *r,
                               struct metric_row *row)
{
    const struct evaluation *e = r->has_test ? &r->test : &r->validation;
    const bool has_part = r->has_test || r->has_validation;
    const struct counters *c = &r->label.counters;
    struct worker_report *report = &l->leader->report->per_worker[r->label.node];

    report->test_loss = has_part ? e->loss : (double)NAN;
    report->test_accuracy =
        has_part ? problem_value(l->build->evaluator, e, "accuracy") : (double)NAN;
    report->distance = r->label.distance;
    report->normalized_distance = r->label.normalized_distance;
    note_progress(l, r->label.node, c);
    evaluation_set_worker(l, r->label.node, c, row);
    metric_row_add(row, METRIC_FORWARD_PASSES, c->passes);
    evaluation_add_own_model(l, r->label.node, row);
    return evaluation_write_row(l, row);
}

static enum status record_run(struct loop *l, const struct snapshot_result *r,
                              struct metric_row *row)
{
    const struct run_totals *totals = &r->label.totals;
    const struct evaluated_parts parts = {
        .of = {[PART_VALIDATION] = r->validation, [PART_TEST] = r->test, [PART_MAP] = r->map}
    };

    TRY(record_parts(l, &parts, row));
    if (evaluation_has_nodes(l))
        evaluation_workers_to_row(l, row);
    output_style_evaluation(l, totals);
    TRY(evaluation_write_row(l, row));
    return check_evaluation(l, totals->round);
}

static enum status record_snapshot(struct loop *l, const struct snapshot_result *r, float *state)
{
    const struct run_totals *totals = &r->label.totals;
    struct metric_row row = evaluation_row(l, totals);

    l->leader->evaluated_round = totals->round;
    TRY(maps_add_snapshot(l, r));
    if (r->label.node != SNAPSHOT_RUN)
        return record_node(l, r, &row);
    TRY(record_run(l, r, &row));
    quality_stop_note(l, totals->round);
    TRY(run_events_histograms(l, totals->round, state));
    return checkpointing_save_best(l, totals, state);
}

static enum status record_snapshots(struct loop *l, bool all)
{
    bool found = true;

    while (found) {
        struct snapshot_result result;
        float *state = NULL;

        TRY(evaluation_queue_next(l->leader->queue, all, &result, &state, &found));
        if (found)
            TRY(record_snapshot(l, &result, state));
    }
    return STATUS_OK;
}

/* A run that had finished has the rows of its last snapshot, unless it was stopped before them. */
static enum status keep_if_cut(struct loop *l, enum status s)
{
    if (s != STATUS_INTERRUPTED)
        return s;
    l->is_evaluation_cut = true;
    if (!l->setup->save || (l->was_finished && !l->has_snapshots))
        return STATUS_OK;
    return evaluation_queue_keep(l->leader->queue);
}

/* Rows, a line and perhaps a checkpoint: off the clock. */
enum status evaluation_drain_queue(struct loop *l, bool all)
{
    if (l->leader == NULL || l->leader->queue == NULL)
        return STATUS_OK;

    const struct clock_reading now = training_clock_read(&l->clock);

    training_clock_pause(&l->clock, &now);
    TRY(keep_if_cut(l, record_snapshots(l, all)));
    training_clock_resume(&l->clock);
    return STATUS_OK;
}
