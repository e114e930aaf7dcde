/*
 * run_numbers.c - the numbers of one run, out of result.json and metrics.jsonl.
 */
#include "record/run_numbers.h"

#include <math.h>

#include "record/metric.h"
#include "record/recorder.h"

/* What counts is what each node has; the mean of their models is a model that none of them has. */
static void set_headline(double *numbers)
{
    const bool nodes_differ =
        !isnan(numbers[RESULT_NODE_ACCURACY]) || !isnan(numbers[RESULT_NODE_LOSS]);

    numbers[RESULT_ACCURACY] = numbers[nodes_differ ? RESULT_NODE_ACCURACY : RESULT_TEST_ACCURACY];
    numbers[RESULT_LOSS] = numbers[nodes_differ ? RESULT_NODE_LOSS : RESULT_TEST_LOSS];
    if (!nodes_differ)
        return;
    numbers[RESULT_MEAN_MODEL_ACCURACY] = numbers[RESULT_TEST_ACCURACY];
    numbers[RESULT_MEAN_MODEL_LOSS] = numbers[RESULT_TEST_LOSS];
}

void run_numbers_of_result(const struct run_result *r, double numbers[RESULT_NUMBERS])
{
    for (int i = 0; i < RESULT_NUMBERS; i++)
        numbers[i] = result_number(r, result_numbers[i].key);
    set_headline(numbers);
    numbers[RESULT_ACCURACY_GAP] = numbers[RESULT_FINAL_TRAIN_ACCURACY] - numbers[RESULT_ACCURACY];
}

/* At this row, or at the last one before it that has the metric. */
static double value_until(const struct metric_table *t, const char *name, int64_t row)
{
    const struct metric_series *s = metric_table_find(t, METRIC_ALL_WORKERS, name);

    if (s == NULL)
        s = metric_table_find(t, 0, name); /* of a run with one worker */

    int64_t i = s == NULL ? -1 : s->count - 1;

    while (i >= 0 && s->rows[i] > row)
        i--;
    return i < 0 ? (double)NAN : s->values[i];
}

static int64_t last_row_of(const struct metric_table *t, int64_t worker)
{
    int64_t last = t->row_count - 1;

    while (last >= 0 && t->worker[last] != worker)
        last--;
    return last;
}

/* The last row about the run as a whole, which of a run with one worker is worker 0's; -1: there is
 * none. */
static int64_t last_row(const struct metric_table *t)
{
    const int64_t last = last_row_of(t, METRIC_ALL_WORKERS);

    return last >= 0 ? last : last_row_of(t, 0);
}

/* What is known at this row, which may be -1: nothing. */
static void numbers_at(const struct metric_table *t, int64_t row, double numbers[RESULT_NUMBERS])
{
    for (int i = 0; i < RESULT_NUMBERS; i++)
        numbers[i] = value_until(t, result_numbers[i].key, row);
    set_headline(numbers);
    if (row < 0)
        return;
    numbers[RESULT_ROUNDS] = (double)t->round[row];
    numbers[RESULT_EPOCHS] = t->epoch[row];
    numbers[RESULT_SECONDS] = t->seconds[row];
    numbers[RESULT_BYTES] = t->bytes[row] > 0 ? (double)t->bytes[row] : (double)NAN;
}

void run_numbers_of_rows(const struct metric_table *t, double numbers[RESULT_NUMBERS])
{
    numbers_at(t, last_row(t), numbers);
}

/* The row of an evaluation; -1: there is none. A resumed run may have measured one twice: the
 * later row counts. */
static int64_t evaluation_row(const struct metric_table *t, int64_t evaluation)
{
    const char *name = metric_name(METRIC_VALIDATION_LOSS);
    const struct metric_series *s = metric_table_find(t, METRIC_ALL_WORKERS, name);
    int64_t found = -1, count = 0;

    if (s == NULL)
        s = metric_table_find(t, 0, name);
    for (int64_t i = 0; s != NULL && i < s->count; i++) {
        count += i == 0 || t->round[s->rows[i]] != t->round[s->rows[i - 1]] ? 1 : 0;
        found = count == evaluation ? s->rows[i] : found;
    }
    return found;
}

int64_t run_numbers_as_of(const struct metric_table *t, int64_t evaluation,
                          double numbers[RESULT_NUMBERS])
{
    const int64_t row = evaluation_row(t, evaluation);

    if (row < 0)
        return 0;
    numbers_at(t, row, numbers);
    numbers[RESULT_SAMPLES_PER_S] = (double)t->samples[row] / t->seconds[row];
    numbers[RESULT_BYTES] = (double)t->bytes[row];
    return t->round[row];
}

void run_numbers_find(const char *run_dir, const struct milestones *m,
                      double numbers[RESULT_NUMBERS])
{
    struct milestones_found found;

    if (m->at.unit == AMOUNT_NONE && m->target_kind == TARGET_NONE)
        return;
    metrics_history_find(run_dir, m, &found);
    numbers[RESULT_AT_ACCURACY] = found.at.accuracy;
    numbers[RESULT_AT_LOSS] = found.at.loss;
    numbers[RESULT_AT_USED] = found.at.used[m->at.unit];
    numbers[RESULT_TARGET_ROUNDS] = found.target.used[AMOUNT_ROUNDS];
    numbers[RESULT_TARGET_SAMPLES] = found.target.used[AMOUNT_SAMPLES];
    numbers[RESULT_TARGET_SECONDS] = found.target.used[AMOUNT_SECONDS];
    numbers[RESULT_TARGET_BYTES] = found.target.used[AMOUNT_BYTES];
}
