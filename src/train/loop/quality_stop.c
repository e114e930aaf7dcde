/*
 * quality_stop.c - applies train.stop to the evaluations of a run.
 *
 * A checkpoint says whether the run has ended so. What the rule remembers of earlier evaluations
 * follows from the rows of metrics.jsonl.
 */
#include "train/loop/quality_stop.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "record/metric_table.h"
#include "record/recorder.h"

/* "validation", or "test" in a run without a validation part. */
static const char *part_name(const struct loop *l)
{
    return l->build->plan->part_counts[PART_VALIDATION] > 0 ? "validation" : "test";
}

static double reported_value(const struct loop *l)
{
    const struct run_report *r = l->leader->report;
    const bool is_loss = l->build->stop.metric == STOP_LOSS;

    if (l->build->plan->part_counts[PART_VALIDATION] > 0)
        return is_loss ? r->validation_loss : r->validation_accuracy;
    return is_loss ? r->test_loss : r->test_accuracy;
}

static void say_why(const struct loop *l, int64_t round)
{
    const struct stop_rule *rule = &l->build->stop;
    const char *metric = stop_metric_name(rule->metric);

    if (rule->kind == STOP_REACHED)
        log_info("ending after round %lld: the %s %s has reached %g", (long long)round,
                 part_name(l), metric, rule->target);
    else
        log_info("ending after round %lld: the %s %s has not improved by more than %g in %lld "
                 "evaluations",
                 (long long)round, part_name(l), metric, rule->delta, (long long)rule->patience);
}

/* The last round of a run ends it anyway. What it starts from is no result of training. */
void quality_stop_note(struct loop *l, int64_t round)
{
    struct leader *d = l->leader;

    if (l->build->stop.kind == STOP_NEVER || round == 0)
        return;
    if (!stop_rule_add(&l->build->stop, &d->stop_memory, reported_value(l)) || l->is_good_enough ||
        l->is_stopped || l->round >= l->length.rounds)
        return;
    l->is_good_enough = d->totals.is_good_enough = d->report->is_good_enough = true;
    say_why(l, round);
}

/* --- the end --- */

static enum status save_end(struct loop *l, const struct due_actions *due)
{
    (void)due;
    return checkpointing_save(l, CHECKPOINT_AFTER_RECORD);
}

enum status quality_stop_apply(struct loop *l, const struct due_actions *due)
{
    const struct clock_reading now = training_clock_read(&l->clock);

    if (!l->is_good_enough || l->was_finished)
        return STATUS_OK;
    if (l->coordinator->halt != NULL) {
        l->is_used_up = l->is_stopped = true;
        return l->coordinator->halt(l);
    }
    l->length.rounds = l->round;
    if (!l->setup->save || (due->saves && build_is_synchronous(l->build)))
        return STATUS_OK; /* it is saved, from before the evaluation, which decides again */
    return loop_off_clock(l, &now, save_end, &(struct due_actions){.saves = true});
}

/* --- resuming --- */

/* The rows of the checkpoint's round are written again if it is from before them. */
static bool is_kept(const struct loop *l, int64_t round)
{
    return round > 0 && (round < l->round || (round == l->round && !l->is_before_record));
}

static void replay(struct loop *l, const struct metric_table *t)
{
    const struct stop_rule *rule = &l->build->stop;
    const int64_t worker = l->build->workers > 1 ? METRIC_ALL_WORKERS : 0;
    char *name = text_format("%s_%s", part_name(l), stop_metric_name(rule->metric));
    const struct metric_series *s = metric_table_find(t, worker, name);

    for (int64_t i = 0; s != NULL && i < s->count; i++)
        if (is_kept(l, t->round[s->rows[i]]))
            (void)stop_rule_add(rule, &l->leader->stop_memory, s->values[i]);
    mem_free(name);
}

enum status quality_stop_resume(struct loop *l)
{
    struct metric_table t;

    if (l->build->stop.kind == STOP_NEVER || l->setup->from == NULL || l->leader == NULL)
        return STATUS_OK;
    l->leader->report->is_good_enough = l->is_good_enough;

    const enum status s = metric_table_read(l->setup->run_dir, &t);

    if (s == STATUS_OK)
        replay(l, &t);
    metric_table_release(&t);
    return s;
}
