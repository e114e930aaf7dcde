/*
 * loop.c - rounds until the end, and what happens between them.
 */
#include "train/loop.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "metrics/recorder.h"
#include "optim/schedule.h"
#include "train/progress.h"

struct loop {
    struct build *build;
    const struct loop_files *files;
    struct loop_report *report;
    struct loop_place place;
    struct recorder recorder;
    struct progress progress;
    struct schedule_clock clock; /* of the next round */
    int64_t batches;             /* per epoch */
};

static const struct train_options *options(const struct loop *l)
{
    return &l->build->experiment->train;
}

int64_t loop_rounds(const struct build *b)
{
    const struct train_options *o = &b->experiment->train;
    const int64_t rounds = o->epochs * b->problem->batches_per_epoch;

    return o->max_steps > 0 && o->max_steps < rounds ? o->max_steps : rounds;
}

static void set_totals(struct loop *l)
{
    l->clock.steps_total = loop_rounds(l->build);
    l->clock.epochs_total = (l->clock.steps_total + l->batches - 1) / l->batches;
}

static void set_clock(struct loop *l)
{
    l->clock.step = l->place.round;
    l->clock.epoch = l->place.round / l->batches;
}

static double accuracy_of(const struct loop *l, int64_t correct, int64_t samples)
{
    return build_has_classes(l->build) && samples > 0 ? (double)correct / (double)samples
                                                      : (double)NAN;
}

static struct metric_row row_here(const struct loop *l)
{
    return (struct metric_row){
        .place =
            {
                    .round = l->place.round,
                    .samples = l->place.samples,
                    .gradients = l->place.gradients,
                    .epoch = (double)l->place.round / (double)l->batches,
                    .seconds = l->place.seconds,
                    },
    };
}

/* --- evaluation, off the clock --- */

static enum status evaluate_part(struct loop *l, enum problem_part part, struct metric_row *row,
                                 struct evaluation *e)
{
    struct problem *p = l->build->problem;
    const bool is_test = part == PART_TEST;

    *e = (struct evaluation){0};
    TRY(problem_evaluate(p, l->build->state, part, e));
    metric_row_add(row, is_test ? "test_loss" : "validation_loss", e->loss);
    if (build_has_classes(l->build))
        metric_row_add(row, is_test ? "test_accuracy" : "validation_accuracy",
                       accuracy_of(l, e->correct, e->samples));
    return STATUS_OK;
}

static enum status evaluate_parts(struct loop *l, struct metric_row *row)
{
    struct loop_report *r = l->report;
    struct evaluation e;

    if (l->build->problem->part_counts[PART_VALIDATION] > 0) {
        TRY(evaluate_part(l, PART_VALIDATION, row, &e));
        r->validation_loss = e.loss;
        r->validation_accuracy = accuracy_of(l, e.correct, e.samples);
    }
    if (l->build->problem->part_counts[PART_TEST] > 0) {
        TRY(evaluate_part(l, PART_TEST, row, &e));
        r->test_loss = e.loss;
        r->test_accuracy = accuracy_of(l, e.correct, e.samples);
        r->test_accuracy5 = accuracy_of(l, e.correct5, e.samples);
    }
    return STATUS_OK;
}

static void say_evaluation(const struct loop *l)
{
    const struct loop_report *r = l->report;
    struct text line = {0};

    text_addf(&line, "epoch %.4g: train loss %.4f", (double)l->place.round / (double)l->batches,
              l->place.train_loss);
    if (!isnan(r->validation_loss))
        text_addf(&line, ", validation loss %.4f", r->validation_loss);
    if (!isnan(r->validation_accuracy))
        text_addf(&line, ", validation accuracy %.2f %%", 100.0 * r->validation_accuracy);
    if (!isnan(r->test_loss))
        text_addf(&line, ", test loss %.4f", r->test_loss);
    if (!isnan(r->test_accuracy))
        text_addf(&line, ", test accuracy %.2f %%", 100.0 * r->test_accuracy);
    log_info("%s", text_get(&line));
    text_release(&line);
}

/* --- checkpoints --- */

static enum status save_checkpoint(const struct loop *l, const char *name)
{
    if (!l->files->save)
        return STATUS_OK;

    char *path = text_format("%s/checkpoints/%s.safetensors", l->files->run_dir, name);
    const enum status s = checkpoint_save(l->build, &l->place, path);
    mem_free(path);
    return s;
}

static enum status keep_if_best(struct loop *l)
{
    if (!(l->report->validation_loss < l->place.best_loss))
        return STATUS_OK;
    l->place.best_loss = l->report->validation_loss;
    l->place.best_round = l->place.round;
    return save_checkpoint(l, "best");
}

/* The final model of a run that goes on is not final: its weights are those of the checkpoint. */
static enum status drop_old_model(const struct loop *l)
{
    if (!l->files->save || l->place.round == 0 || l->place.round >= l->clock.steps_total)
        return STATUS_OK;

    char *path = file_join(l->files->run_dir, "model.safetensors");
    const enum status s = file_remove(path);
    mem_free(path);
    return s;
}

/* --- between rounds --- */

static void close_epoch(struct loop *l)
{
    struct loop_place *p = &l->place;

    p->train_loss = p->epoch_loss / (double)p->epoch_samples;
    p->train_accuracy = accuracy_of(l, p->epoch_correct, p->epoch_samples);
    p->epoch_loss = 0;
    p->epoch_samples = p->epoch_correct = 0;
}

static bool every(int64_t number, int64_t period)
{
    return period > 0 && number % period == 0;
}

/* Keeps what there is: the row says null, the last checkpoint is the last good one. */
static enum status fail_diverged(const struct loop *l, int64_t round, const char *what)
{
    return FAIL(
        STATUS_DIVERGED,
        "training diverged: %s at round %lld (epoch %lld of %lld, learning rate %g); a smaller "
        "--lr or --clip-norm 1 may help. What there is stays in %s",
        what, (long long)round, (long long)l->clock.epoch + 1, (long long)l->clock.epochs_total,
        l->build->worker.rates.lr, l->files->run_dir);
}

/* A round's loss is taken before its step: what the last step did shows in the evaluation. */
static enum status check_evaluation(const struct loop *l)
{
    const int64_t *counts = l->build->problem->part_counts;
    const struct loop_report *r = l->report;

    if (counts[PART_VALIDATION] > 0 && !isfinite(r->validation_loss))
        return fail_diverged(l, l->place.round, "the validation loss is not finite");
    if (counts[PART_TEST] > 0 && !isfinite(r->test_loss))
        return fail_diverged(l, l->place.round, "the test loss is not finite");
    return STATUS_OK;
}

/* The end of an epoch, or of the run in mid-epoch: record, evaluate, save. */
static enum status at_epoch_end(struct loop *l, bool is_last)
{
    const struct train_options *o = options(l);
    const int64_t epoch = (l->place.round + l->batches - 1) / l->batches;
    const struct kernel *k = l->build->optim.kernel;
    const double square = k->dot(l->build->state, l->build->state, l->build->model->param_count);
    const bool evaluates = is_last || every(epoch, o->evaluate_every);
    struct metric_row row = row_here(l);

    close_epoch(l);
    metric_row_add(&row, "train_loss", l->place.train_loss);
    if (build_has_classes(l->build))
        metric_row_add(&row, "train_accuracy", l->place.train_accuracy);
    metric_row_add(&row, "lr", l->build->worker.rates.lr);
    metric_row_add(&row, "weight_norm", sqrt(square));
    if (evaluates) {
        TRY(evaluate_parts(l, &row));
        say_evaluation(l);
    }
    TRY(recorder_add(&l->recorder, &row));
    if (!isfinite(square))
        return fail_diverged(l, l->place.round, "a weight is not finite");
    if (evaluates) {
        TRY(check_evaluation(l));
        TRY(keep_if_best(l));
    }
    if (is_last || every(epoch, o->save_every))
        TRY(save_checkpoint(l, "last"));
    return STATUS_OK;
}

static enum status log_round(struct loop *l)
{
    struct metric_row row = row_here(l);

    if (!every(l->place.round, options(l)->log_every))
        return STATUS_OK;
    metric_row_add(&row, "batch_loss", l->place.logged_loss / (double)l->place.logged_samples);
    metric_row_add(&row, "lr", l->build->worker.rates.lr);
    if (l->build->worker.result.gradient_norm > 0)
        metric_row_add(&row, "gradient_norm", l->build->worker.result.gradient_norm);
    l->place.logged_loss = 0;
    l->place.logged_samples = 0;
    return recorder_add(&l->recorder, &row);
}

static double speed(const struct loop *l)
{
    return l->place.seconds > 0 ? (double)l->place.samples / l->place.seconds : 0;
}

static void show_progress(struct loop *l)
{
    const struct loop_place *p = &l->place;

    if (p->epoch_samples == 0)
        return;
    progress_show(&l->progress,
                  &(struct progress_state){
                      .round = p->round,
                      .rounds_total = l->clock.steps_total,
                      .epoch = (p->round + l->batches - 1) / l->batches,
                      .epochs_total = l->clock.epochs_total,
                      .loss = p->epoch_loss / (double)p->epoch_samples,
                      .accuracy = accuracy_of(l, p->epoch_correct, p->epoch_samples),
                      .samples_per_s = speed(l),
                  },
                  false);
}

static enum status diverged(struct loop *l)
{
    struct metric_row row = row_here(l);
    char *what = mem_text(status_message());

    metric_row_add(&row, "train_loss", (double)NAN);
    enum status s = recorder_add(&l->recorder, &row);
    if (s == STATUS_OK)
        s = fail_diverged(l, l->place.round + 1, what);
    mem_free(what);
    return s;
}

static void count_round(struct loop *l)
{
    const struct round_result *r = &l->build->worker.result;

    l->place.round++;
    l->place.samples += r->batch.samples;
    l->place.gradients += r->gradients;
    l->place.epoch_samples += r->batch.samples;
    l->place.epoch_correct += r->batch.correct;
    l->place.epoch_loss += r->batch.loss_sum;
    l->place.logged_loss += r->batch.loss_sum;
    l->place.logged_samples += r->batch.samples;
}

static enum status one_round(struct loop *l)
{
    struct build *b = l->build;
    const struct optim_ops *optim = b->optim.ops;
    const struct optim_rates base = {
        .lr = optim->lr(b->optim.options),
        .momentum = optim->momentum == NULL ? -1 : optim->momentum(b->optim.options),
    };

    set_clock(l);
    b->worker.rates = schedule_rates(&b->experiment->schedule, &l->clock, base);

    const double start = clock_seconds();
    const enum status s =
        algo_round((const struct algo_ops *)b->experiment->algorithm.entry, &b->worker);
    l->place.seconds += clock_seconds() - start;
    if (s == STATUS_DIVERGED)
        return diverged(l);
    TRY(s);
    count_round(l);
    show_progress(l);
    return log_round(l);
}

static enum status interrupted(struct loop *l)
{
    TRY(save_checkpoint(l, "last"));
    if (!l->files->save)
        return FAIL(STATUS_INTERRUPTED,
                    "stopped by %s after round %lld; nothing was saved (--no-save)",
                    signals_stop_name(), (long long)l->place.round);
    return FAIL(STATUS_INTERRUPTED,
                "stopped by %s after round %lld of %lld; go on with: muster train --resume %s",
                signals_stop_name(), (long long)l->place.round, (long long)l->clock.steps_total,
                l->files->run_dir);
}

static enum status train(struct loop *l)
{
    while (l->place.round < l->clock.steps_total) {
        if (signals_stop_requested())
            return interrupted(l);
        TRY(one_round(l));

        const bool is_last = l->place.round == l->clock.steps_total;
        if (is_last || l->place.round % l->batches == 0)
            TRY(at_epoch_end(l, is_last));
    }
    return STATUS_OK;
}

/* A resumed run that had ended already has nothing to train, but its result is still asked for. */
static enum status finish(struct loop *l)
{
    if (l->report->was_finished) {
        struct metric_row row = row_here(l);
        TRY(evaluate_parts(l, &row));
        TRY(check_evaluation(l));
    }
    if (!l->files->save)
        return STATUS_OK;

    char *path = file_join(l->files->run_dir, "model.safetensors");
    const enum status s = model_save(l->build, path);
    mem_free(path);
    return s;
}

static void fill_report(const struct loop *l)
{
    struct loop_report *r = l->report;

    r->rounds = l->place.round;
    r->samples = l->place.samples;
    r->epochs = (double)l->place.round / (double)l->batches;
    r->train_loss = l->place.train_loss;
    r->train_accuracy = l->place.train_accuracy;
    r->seconds = l->place.seconds;
    r->samples_per_s = speed(l);
}

static enum status run_recorded(struct loop *l)
{
    l->report->was_finished = l->place.round >= l->clock.steps_total;
    enum status s = train(l);
    if (s == STATUS_OK)
        s = finish(l);
    fill_report(l);
    return s;
}

enum status loop_run(struct build *b, const struct loop_files *files, struct loop_report *report)
{
    struct loop l = {
        .build = b,
        .files = files,
        .report = report,
        .batches = b->problem->batches_per_epoch,
        .place = files->from != NULL ? *files->from : loop_place_start(),
    };

    *report = (struct loop_report){
        .validation_loss = (double)NAN,
        .validation_accuracy = (double)NAN,
        .test_loss = (double)NAN,
        .test_accuracy = (double)NAN,
        .test_accuracy5 = (double)NAN,
    };
    set_totals(&l);
    problem_seek(b->problem, l.place.round / l.batches, l.place.round % l.batches);
    TRY(drop_old_model(&l));
    progress_start(&l.progress, l.place.round);
    TRY(recorder_open(&l.recorder, files->run_dir, files->from != NULL ? l.place.round : -1));

    const enum status s = run_recorded(&l);
    const enum status closed = recorder_close(&l.recorder);
    return s != STATUS_OK ? s : closed;
}
