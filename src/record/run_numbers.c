/*
 * run_numbers.c - the numbers of one run, out of result.json and metrics.jsonl.
 */
#include "record/run_numbers.h"

#include <math.h>

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

static double last_value(const struct metric_table *t, const char *name)
{
    const struct metric_series *s = metric_table_find(t, METRIC_ALL_WORKERS, name);

    if (s == NULL)
        s = metric_table_find(t, 0, name); /* of a run with one worker */
    return s == NULL || s->count == 0 ? (double)NAN : s->values[s->count - 1];
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

void run_numbers_of_rows(const struct metric_table *t, double numbers[RESULT_NUMBERS])
{
    const int64_t last = last_row(t);

    for (int i = 0; i < RESULT_NUMBERS; i++)
        numbers[i] = last_value(t, result_numbers[i].key);
    set_headline(numbers);
    if (last < 0)
        return;
    numbers[RESULT_ROUNDS] = (double)t->round[last];
    numbers[RESULT_EPOCHS] = t->epoch[last];
    numbers[RESULT_SECONDS] = t->seconds[last];
    numbers[RESULT_BYTES] = t->bytes[last] > 0 ? (double)t->bytes[last] : (double)NAN;
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
