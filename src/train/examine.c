/*
 * examine.c - evaluation, off the clock, and the rows that are recorded then and at the end of an
 * epoch.
 *
 * Workers that keep step come together, make the model that the run stands for, and wait while the
 * leader evaluates it with all cores. An asynchronous run puts a copy aside and goes on.
 */
#include <math.h>

#include "base/log.h"
#include "base/text.h"
#include "train/loop_parts.h"

double loop_accuracy(const struct loop *l, double correct, double samples)
{
    return build_has_classes(l->build) && samples > 0 ? correct / samples : (double)NAN;
}

struct metric_row loop_row(const struct loop *l)
{
    return (struct metric_row){
        .place =
            {
                    .worker = l->build->workers > 1 ? METRIC_ALL_WORKERS : 0,
                    .round = l->place.round,
                    .samples = l->place.samples,
                    .gradients = l->place.gradients,
                    .epoch = rounds_passes(l->build, (double)l->place.samples),
                    .bytes_sent = l->place.bytes,
                    .seconds = l->place.seconds,
                    },
    };
}

/* A run that had ended before has its rows already. */
static enum status record(struct loop *l, const struct metric_row *row)
{
    return l->is_lead && !l->report->was_finished ? recorder_add(&l->recorder, row) : STATUS_OK;
}

/* --- evaluation --- */

static void report_part(struct loop *l, enum problem_part part, const struct evaluation *e)
{
    struct loop_report *r = l->report;
    const double samples = (double)e->samples;
    const double accuracy = loop_accuracy(l, (double)e->correct, samples);

    if (part == PART_VALIDATION) {
        r->validation_loss = e->loss;
        r->validation_accuracy = accuracy;
    } else {
        r->test_loss = e->loss;
        r->test_accuracy = accuracy;
        r->test_accuracy5 = loop_accuracy(l, (double)e->correct5, samples);
    }
}

static void row_part(const struct loop *l, enum problem_part part, const struct evaluation *e,
                     struct metric_row *row)
{
    const bool is_test = part == PART_TEST;

    metric_row_add(row, is_test ? "test_loss" : "validation_loss", e->loss);
    if (build_has_classes(l->build))
        metric_row_add(row, is_test ? "test_accuracy" : "validation_accuracy",
                       loop_accuracy(l, (double)e->correct, (double)e->samples));
}

static enum status evaluate_parts(struct loop *l, const float *state, struct metric_row *row)
{
    struct problem *p = l->build->examiner;

    for (enum problem_part part = PART_VALIDATION; part <= PART_TEST; part++) {
        struct evaluation e = {0};

        if (p->part_counts[part] == 0)
            continue;
        TRY(problem_evaluate(p, state, part, &e));
        report_part(l, part, &e);
        row_part(l, part, &e, row);
    }
    return STATUS_OK;
}

static bool examines_nodes(const struct loop *l)
{
    return l->build->algo->view == ALGO_VIEW_EACH &&
           (l->build->workers > 1 || l->build->algo->kind == ALGO_LOCKSTEP);
}

static void say_loss(struct text *line, const char *part, double loss)
{
    if (isnan(loss))
        return;
    text_addf(line, " %s loss ", part);
    text_add_fixed(line, loss, 4);
    text_add(line, ",");
}

/* Evaluations by rounds stand in mid-epoch: what there is of a training loss there is the moving
 * one. */
static void say_training(const struct loop *l, double epoch, struct text *line)
{
    const bool by_rounds = l->build->experiment->train.evaluate_rounds > 0;
    const double loss = by_rounds ? l->place.moving_loss : l->place.train_loss;

    if (by_rounds)
        text_addf(line, "round %lld:", (long long)l->place.round);
    else
        text_addf(line, "epoch %.4g:", epoch);
    say_loss(line, "train", loss);
}

static void say_evaluation(const struct loop *l, double epoch)
{
    const struct loop_report *r = l->report;
    struct text line = {0};

    say_training(l, epoch, &line);
    say_loss(&line, "validation", r->validation_loss);
    if (!isnan(r->validation_accuracy))
        text_addf(&line, " validation accuracy %.2f %%,", 100.0 * r->validation_accuracy);
    say_loss(&line, "test", r->test_loss);
    if (!isnan(r->test_accuracy))
        text_addf(&line, " test accuracy %.2f %%,", 100.0 * r->test_accuracy);
    line.data[--line.length] = '\0'; /* of the last comma, or of the first colon */
    if (examines_nodes(l))
        each_to_line(l, &line);
    log_info("%s", text_get(&line));
    text_release(&line);
}

enum status loop_fail_diverged(const struct loop *l, int64_t round, const char *what)
{
    return FAIL(
        STATUS_DIVERGED,
        "training diverged: %s at round %lld (epoch %lld of %lld, learning rate %g); a smaller "
        "--lr or --clip-norm 1 may help%s%s",
        what, (long long)round, (long long)l->clock.epoch + 1, (long long)l->clock.epochs_total,
        l->worker->rates.lr, l->files->is_temporary ? "" : ". What there is stays in ",
        l->files->is_temporary ? "" : l->files->run_dir);
}

/* A round's loss is taken before its step: what the last step did shows in the evaluation. */
static enum status check_evaluation(const struct loop *l)
{
    const int64_t *counts = l->build->examiner->part_counts;
    const struct loop_report *r = l->report;

    if (counts[PART_VALIDATION] > 0 && !isfinite(r->validation_loss))
        return loop_fail_diverged(l, l->place.round, "the validation loss is not finite");
    if (counts[PART_TEST] > 0 && !isfinite(r->test_loss))
        return loop_fail_diverged(l, l->place.round, "the test loss is not finite");
    return STATUS_OK;
}

/* --- rows of each worker --- */

static void row_times(struct metric_row *row, const struct tally *t)
{
    metric_row_add(row, "computing", t->computing);
    metric_row_add(row, "waiting", t->waiting);
    metric_row_add(row, "transferring", t->transferring);
    metric_row_add(row, "sleeping", t->sleeping);
}

/* Makes it a row of one worker, with its own counts. */
static void place_worker(const struct loop *l, int w, const struct tally *t, struct metric_row *row)
{
    row->place.worker = w;
    row->is_one_of_many = true;
    row->place.samples = (int64_t)t->samples;
    row->place.gradients = (int64_t)t->gradients;
    row->place.epoch = rounds_own_passes(l->build, w, t->samples);
    row->place.bytes_sent = (int64_t)t->bytes;
    row->place.seconds = t->seconds;
}

/* How far a node is, for the line of an evaluation. */
static void note_counts(struct loop *l, int w, const struct tally *t)
{
    l->report->each[w].passes = t->passes;
    l->report->each[w].epoch = rounds_own_passes(l->build, w, t->samples);
}

static void row_each(const struct loop *l, int w, struct metric_row *row)
{
    const struct worker_report *each = &l->report->each[w];

    if (l->build->algo->view == ALGO_VIEW_SAME)
        return;
    metric_row_add(row, "test_loss", each->test_loss);
    if (build_has_classes(l->build))
        metric_row_add(row, "test_accuracy", each->test_accuracy);
    if (examines_nodes(l)) {
        metric_row_add(row, "consensus_error", each->distance);
        metric_row_add(row, "consensus_error_normalized", each->normalized_distance);
    }
}

static enum status record_worker(struct loop *l, int w, const struct halt *h)
{
    const struct tally *t = &l->everybody[w];
    struct metric_row row = loop_row(l);

    place_worker(l, w, t, &row);
    if (h->ends_epoch && t->epoch_samples > 0)
        metric_row_add(&row, "train_loss", t->epoch_loss / t->epoch_samples);
    if (h->ends_epoch && t->epoch_samples > 0 && build_has_classes(l->build))
        metric_row_add(&row, "train_accuracy", t->epoch_correct / t->epoch_samples);
    metric_row_add(&row, "forward_passes", t->passes);
    if (t->passes > 0)
        metric_row_add(&row, "train_loss_moving", t->moving_loss);
    if (h->evaluates)
        row_each(l, w, &row);
    row_times(&row, t);
    return record(l, &row);
}

double loop_client_waiting(const struct loop *l, const struct client *c)
{
    const double off = build_keeps_step(l->build) ? l->off_before : 0;

    return fmax(0, c->account.waiting - off);
}

/* What the server knows: since the start of the run. */
static enum status record_client(struct loop *l, int w)
{
    const struct client *c = &l->actor->clients[w];
    struct metric_row row = loop_row(l);
    const struct tally times = {
        .computing = c->account.computing,
        .waiting = loop_client_waiting(l, c),
        .transferring = c->account.transferring,
        .sleeping = c->account.sleeping,
    };

    row.place.worker = w;
    row.is_one_of_many = true;
    row.place.samples = c->samples;
    row.place.gradients = c->updates;
    row.place.epoch = rounds_own_passes(l->build, w, (double)c->samples);
    row.place.bytes_sent = c->account.bytes_sent;
    if (c->samples > 0)
        metric_row_add(&row, "train_loss", c->loss_sum / (double)c->samples);
    if (c->updates > 0)
        metric_row_add(&row, "staleness", (double)c->staleness_sum / (double)c->updates);
    metric_row_add(&row, "staleness_max", (double)c->staleness_max);
    row_times(&row, &times);
    return record(l, &row);
}

static enum status record_workers(struct loop *l, const struct halt *h)
{
    if (!l->is_lead || l->build->workers == 1)
        return STATUS_OK;
    for (int w = 0; w < l->build->workers; w++)
        TRY(l->is_server ? record_client(l, w) : record_worker(l, w, h));
    return STATUS_OK;
}

/* --- the end of an epoch, and evaluations --- */

static void row_training(struct loop *l, struct metric_row *row)
{
    struct loop_place *p = &l->place;

    metric_row_add(row, "forward_passes", (double)p->passes);
    if (!isnan(p->moving_loss))
        metric_row_add(row, "train_loss_moving", p->moving_loss);
}

static void row_epoch(struct loop *l, struct metric_row *row)
{
    struct loop_place *p = &l->place;

    p->train_loss = p->epoch_loss / (double)p->epoch_samples;
    p->train_accuracy = loop_accuracy(l, (double)p->epoch_correct, (double)p->epoch_samples);
    metric_row_add(row, "train_loss", p->train_loss);
    if (build_has_classes(l->build))
        metric_row_add(row, "train_accuracy", p->train_accuracy);
    metric_row_add(row, "lr", l->worker->rates.lr);
}

static double row_norm(struct loop *l, const float *state, struct metric_row *row)
{
    const double square = l->worker->optim->kernel->dot(state, state, l->build->model->param_count);

    metric_row_add(row, "weight_norm", sqrt(square));
    return square;
}

/* With everybody waiting. */
static enum status halt_in_step(struct loop *l, bool evaluates, struct metric_row *row)
{
    struct model_values values = {.state = l->actor->state};
    double square = 0;

    if (evaluates)
        TRY(examine_view(l, &values));
    if (evaluates && examines_nodes(l) && l->build->workers > 1)
        TRY(examine_spread(l, values.state));
    if (!l->is_lead)
        return STATUS_OK;
    square = row_norm(l, values.state, row);
    if (evaluates) {
        TRY(evaluate_parts(l, values.state, row));
        for (int w = 0; w < l->build->workers && examines_nodes(l); w++)
            note_counts(l, w, &l->everybody[w]);
        if (examines_nodes(l))
            each_to_row(l, row);
        say_evaluation(l, row->place.epoch);
    }
    TRY(record(l, row));
    if (!isfinite(square))
        return loop_fail_diverged(l, l->place.round, "a weight is not finite");
    return evaluates ? check_evaluation(l) : STATUS_OK;
}

/* While the others go on. */
static enum status halt_on_the_way(struct loop *l, bool evaluates, struct metric_row *row)
{
    struct model_values values;

    if (!l->is_lead)
        return STATUS_OK;
    l->puts_aside = evaluates;
    TRY(examine_view(l, &values));
    l->puts_aside = false;
    const double square = row_norm(l, values.state, row);
    TRY(record(l, row));
    if (!isfinite(square))
        return loop_fail_diverged(l, l->place.round, "a weight is not finite");
    return evaluates
               ? snapshots_add(l->snapshots,
                               &(struct snapshot_label){.place = l->place, .node = SNAPSHOT_RUN},
                               values.state)
               : STATUS_OK;
}

enum status examine_halt(struct loop *l, const struct halt *h)
{
    struct metric_row row = loop_row(l);

    const bool is_on_the_way =
        !meet_is_possible(l) && (l->snapshots != NULL || l->build->algo->kind == ALGO_FREE);
    struct halt of_workers = *h;

    if (h->ends_epoch && l->place.epoch_samples > 0)
        row_epoch(l, &row);
    row_training(l, &row);
    TRY(is_on_the_way ? halt_on_the_way(l, h->evaluates, &row)
                      : halt_in_step(l, h->evaluates, &row));
    of_workers.evaluates = h->evaluates && !is_on_the_way;
    return record_workers(l, &of_workers);
}

/* --- snapshots --- */

/* One node of a graph: its row, and its part in that of the run, which comes after all nodes'. */
static enum status report_node(struct loop *l, const struct snapshot_result *r,
                               struct metric_row *row)
{
    const struct evaluation *e = r->has_test ? &r->test : &r->validation;
    struct worker_report *each = &l->report->each[r->label.node];

    each->test_loss = r->has_test || r->has_validation ? e->loss : (double)NAN;
    each->test_accuracy = loop_accuracy(l, (double)e->correct, (double)e->samples);
    each->distance = r->label.distance;
    each->normalized_distance = r->label.normalized_distance;
    note_counts(l, r->label.node, &r->label.tally);
    place_worker(l, r->label.node, &r->label.tally, row);
    metric_row_add(row, "forward_passes", r->label.tally.passes);
    row_each(l, r->label.node, row);
    return record(l, row);
}

static enum status report_run(struct loop *l, const struct snapshot_result *r,
                              struct metric_row *row)
{
    if (r->has_validation) {
        report_part(l, PART_VALIDATION, &r->validation);
        row_part(l, PART_VALIDATION, &r->validation, row);
    }
    if (r->has_test) {
        report_part(l, PART_TEST, &r->test);
        row_part(l, PART_TEST, &r->test, row);
    }
    if (examines_nodes(l))
        each_to_row(l, row);
    say_evaluation(l, row->place.epoch);
    TRY(record(l, row));
    return check_evaluation(l);
}

static enum status report_snapshot(struct loop *l, const struct snapshot_result *r)
{
    const struct loop_place now = l->place;

    l->place = r->label.place;
    struct metric_row row = loop_row(l);
    const enum status s =
        r->label.node == SNAPSHOT_RUN ? report_run(l, r, &row) : report_node(l, r, &row);

    l->place = now;
    l->evaluated_round = r->label.place.round;
    return s;
}

static enum status report_snapshots(struct loop *l, bool all)
{
    bool found = true;

    while (found) {
        struct snapshot_result result;
        float *state = NULL;

        TRY(snapshots_next(l->snapshots, all, &result, &state, &found));
        if (!found)
            break;
        TRY(report_snapshot(l, &result));
        if (result.label.node == SNAPSHOT_RUN)
            TRY(keep_snapshot_if_best(l, &result.label.place, state));
    }
    return STATUS_OK;
}

/* Rows, a line and perhaps a checkpoint: off the clock. */
enum status examine_snapshots(struct loop *l, bool all)
{
    if (l->snapshots == NULL)
        return STATUS_OK;

    const struct pause pause = meet_pause(l);

    TRY(report_snapshots(l, all));
    meet_go_on(l, &pause);
    return STATUS_OK;
}
