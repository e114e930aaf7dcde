/*
 * output_style.h - what a run prints on its way: at log rows, at the ends of epochs, after
 * evaluations and at its end. All through base/log.h, so log.txt has it too. The leader alone.
 */
#ifndef TRAIN_LOOP_OUTPUT_STYLE_H
#define TRAIN_LOOP_OUTPUT_STYLE_H

#include <stdbool.h>

#include "train/output_style_list.h"

struct build;
struct counters;
struct loop;
struct round_record;
struct run_totals;

struct output_style {
    bool has_progress; /* the line of progress.h, which is rewritten in place */

    /* With the log rows of a round. Optional. */
    void (*batches)(const struct loop *l, const struct round_record *r);

    /* With the row of an epoch, whose sums the counters still have. Optional. */
    void (*epoch)(const struct loop *l, const struct counters *totals);

    /* After an evaluation, which is in the report; totals are those of when its model was taken. */
    void (*evaluation)(const struct loop *l, const struct run_totals *totals);

    /* After the last round and all that follows it, unless the run failed or was stopped.
     * Optional. */
    void (*end)(const struct loop *l);
};

#define OUTPUT_STYLE_DECLARE(name) extern const struct output_style name##_style;
OUTPUT_STYLE_LIST(OUTPUT_STYLE_DECLARE)
#undef OUTPUT_STYLE_DECLARE

const struct output_style *output_style_of(const struct build *b);

/* As far as the style of the run has it. */
void output_style_batches(const struct loop *l, const struct round_record *r);
void output_style_epoch(const struct loop *l, const struct counters *totals);
void output_style_evaluation(const struct loop *l, const struct run_totals *totals);
void output_style_end(const struct loop *l);

#endif
