/*
 * style_s004.c - lines as study S004 prints them:
 *
 *     Epoch: [1][4999/5005] Loss 3.1234 (3.4567) Acc@1 12.50 (11.85) Acc@5 31.25 (27.07)
 *      * Train Acc@1 11.85 Train Acc@5 27.07
 *      * Val Acc@1 21.05 Val Acc@5 43.30
 *     Training complete in: 0:48:44
 *
 * Epochs and batches are counted from 0. A number is that of the last round, of all workers; the
 * one in parentheses is the mean over the samples of the epoch so far. Unlike in the study, where
 * each process prints those of its own samples, the leader prints those of all. Without classes
 * there are losses only.
 */
#include <math.h>

#include "base/log.h"
#include "train/loop/evaluation.h"
#include "train/loop/output_style.h"

/* --- batches --- */

/* Sums over some samples. */
struct sums {
    double samples, loss, correct, correct5;
};

static void add_pair(struct text *line, const char *name, double last, double mean)
{
    text_addf(line, " %s %.2f (%.2f)", name, 100 * last, 100 * mean);
}

static void add_sums(struct text *line, const struct sums *last, const struct sums *epoch,
                     bool has_classes)
{
    text_add(line, " Loss ");
    text_add_fixed(line, last->loss / last->samples, 4);
    text_add(line, " (");
    text_add_fixed(line, epoch->loss / epoch->samples, 4);
    text_add(line, ")");
    if (!has_classes)
        return;
    add_pair(line, "Acc@1", last->correct / last->samples, epoch->correct / epoch->samples);
    add_pair(line, "Acc@5", last->correct5 / last->samples, epoch->correct5 / epoch->samples);
}

/* The epoch that a round was in, and its number there. */
static void add_place(struct text *line, const struct epoch_length *length, int64_t round)
{
    const int64_t epoch = epochs_ended(length, round - 1);
    const int64_t first = epochs_first_round(length, epoch);

    text_addf(line, "Epoch: [%lld][%lld/%lld]", (long long)epoch, (long long)(round - 1 - first),
              (long long)(epochs_first_round(length, epoch + 1) - first));
}

static void s004_batches(const struct loop *l, const struct round_record *r)
{
    const struct counters *c = &r->totals.counters;
    const struct sums last = {c->last_samples, c->last_loss, c->last_correct, c->last_correct5};
    const struct sums epoch = {c->epoch_samples, c->epoch_loss, c->epoch_correct,
                               c->epoch_correct5};
    struct text line = {0};

    if (!(last.samples > 0 && epoch.samples > 0))
        return;
    add_place(&line, &l->length.epoch, r->facts.round);
    add_sums(&line, &last, &epoch, build_has_classes(l->build));
    log_info("%s", text_get(&line));
    text_release(&line);
}

/* --- epochs and evaluations --- */

/* Of training, or of an evaluation. */
struct quality {
    double loss, accuracy, accuracy5;
};

static void say_quality(enum log_level level, const char *part, const struct quality *q)
{
    struct text loss = {0};

    text_add_fixed(&loss, q->loss, 4);
    if (isnan(q->accuracy))
        log_say(level, " * %s Loss %s", part, text_get(&loss));
    else
        log_say(level, " * %s Acc@1 %.2f %s Acc@5 %.2f", part, 100 * q->accuracy, part,
                100 * q->accuracy5);
    text_release(&loss);
}

static void s004_epoch(const struct loop *l, const struct counters *c)
{
    const struct quality q = {
        .loss = c->epoch_loss / c->epoch_samples,
        .accuracy = evaluation_accuracy(l, c->epoch_correct, c->epoch_samples),
        .accuracy5 = evaluation_accuracy(l, c->epoch_correct5, c->epoch_samples),
    };

    say_quality(LOG_INFO, "Train", &q);
}

/* Of the validation samples; of the test samples where there are none. */
static void s004_evaluation(const struct loop *l, const struct run_totals *totals)
{
    const struct run_report *r = l->leader->report;
    const int64_t *counts = l->build->evaluator->part_counts;
    const struct quality validation = {r->validation_loss, r->validation_accuracy,
                                       r->validation_accuracy5};
    const struct quality test = {r->test_loss, r->test_accuracy, r->test_accuracy5};

    (void)totals;
    if (counts[PART_VALIDATION] + counts[PART_TEST] == 0)
        return;
    say_quality(l->build->config->train.print_evaluations ? LOG_INFO : LOG_DETAIL, "Val",
                counts[PART_VALIDATION] > 0 ? &validation : &test);
}

/* --- the end --- */

static void s004_end(const struct loop *l)
{
    const int64_t seconds = (int64_t)l->leader->totals.counters.seconds;

    log_info("Training complete in: %lld:%02d:%02d", (long long)(seconds / 3600),
             (int)(seconds / 60 % 60), (int)(seconds % 60));
}

const struct output_style s004_style = {
    .batches = s004_batches,
    .epoch = s004_epoch,
    .evaluation = s004_evaluation,
    .end = s004_end,
};
