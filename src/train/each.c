/*
 * each.c - what the workers' own models are worth, each and over all of them.
 *
 * Every worker looks at its own and tells all: a control sum of a table with a row per worker. How
 * far apart they are is apart.c's.
 */
#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/loop_parts.h"

enum { NUMBERS = 2 };

/* Each worker's two numbers to all; table[workers][NUMBERS], to be freed by mem_free. */
static enum status tell_all(struct loop *l, double first, double second, double **table)
{
    const int64_t count = (int64_t)l->build->workers * NUMBERS;
    double *rows = MEM_NEW_N(double, count);

    rows[l->worker->transport->rank * NUMBERS] = first;
    rows[l->worker->transport->rank * NUMBERS + 1] = second;
    *table = rows;
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = rows, .count = count, .type = SUM_DOUBLE, .is_control = true});
}

enum status examine_each(struct loop *l)
{
    struct problem *p = l->actor->problem;
    const enum problem_part part = p->part_counts[PART_TEST] > 0 ? PART_TEST : PART_VALIDATION;
    const bool has_part = p->part_counts[part] > 0;
    struct evaluation e = {0};
    double *table = NULL;

    if (has_part)
        TRY(problem_evaluate(p, l->actor->state, part, &e));
    const double accuracy = loop_accuracy(l, (double)e.correct, (double)e.samples);
    const enum status s = tell_all(l, e.loss, accuracy, &table);
    for (int w = 0; w < l->build->workers && l->is_lead; w++) {
        l->report->each[w].test_loss = has_part ? table[w * NUMBERS] : (double)NAN;
        l->report->each[w].test_accuracy = table[w * NUMBERS + 1];
    }
    mem_free(table);
    return s;
}

static double value_of(const struct worker_report *r, enum each_value value)
{
    switch (value) {
    case EACH_LOSS:
        return r->test_loss;
    case EACH_ACCURACY:
        return r->test_accuracy;
    case EACH_DISTANCE:
        return r->distance;
    case EACH_NORMALIZED:
        return r->normalized_distance;
    case EACH_PASSES:
        return r->passes;
    case EACH_EPOCH:
        return r->epoch;
    }
    BUG("value out of range");
}

struct each_range each_range(const struct loop *l, enum each_value value)
{
    const int workers = l->build->workers;
    struct each_range range = {.least = (double)NAN, .most = (double)NAN};

    for (int w = 0; w < workers; w++) {
        const double x = value_of(&l->report->each[w], value);
        range.least = fmin(range.least, x);
        range.most = fmax(range.most, x);
        range.mean += x / workers;
    }
    return range;
}

/* name, name_mean, name_min, name_max */
struct range_names {
    const char *mean, *least, *most;
};

static void range_to_row(const struct loop *l, enum each_value value,
                         const struct range_names *names, struct metric_row *row)
{
    const struct each_range range = each_range(l, value);

    metric_row_add(row, names->mean, range.mean);
    metric_row_add(row, names->least, range.least);
    metric_row_add(row, names->most, range.most);
}

void each_to_row(const struct loop *l, struct metric_row *row)
{
    static const struct range_names distance = {"consensus_error", "consensus_error_min",
                                                "consensus_error_max"};
    static const struct range_names normalized = {"consensus_error_normalized",
                                                  "consensus_error_normalized_min",
                                                  "consensus_error_normalized_max"};
    static const struct range_names loss = {"test_loss_mean", "test_loss_min", "test_loss_max"};
    static const struct range_names accuracy = {"test_accuracy_mean", "test_accuracy_min",
                                                "test_accuracy_max"};

    range_to_row(l, EACH_DISTANCE, &distance, row);
    range_to_row(l, EACH_NORMALIZED, &normalized, row);
    range_to_row(l, EACH_LOSS, &loss, row);
    if (build_has_classes(l->build))
        range_to_row(l, EACH_ACCURACY, &accuracy, row);
}

void each_to_line(const struct loop *l, struct text *line)
{
    const struct each_range loss = each_range(l, EACH_LOSS);
    const struct each_range accuracy = each_range(l, EACH_ACCURACY);
    const struct each_range distance = each_range(l, EACH_NORMALIZED);
    const struct each_range passes = each_range(l, EACH_PASSES);
    const struct each_range epoch = each_range(l, EACH_EPOCH);

    text_add(line, "; nodes: loss ");
    text_add_fixed(line, loss.least, 4);
    text_add(line, " - ");
    text_add_fixed(line, loss.most, 4);
    if (build_has_classes(l->build))
        text_addf(line, ", accuracy %.2f - %.2f %%", 100.0 * accuracy.least, 100.0 * accuracy.most);
    text_addf(line, ", consensus error %.3g - %.3g", distance.least, distance.most);
    text_addf(line, ", forward passes %.0f - %.0f, epoch %.4g - %.4g", passes.least, passes.most,
              epoch.least, epoch.most);
}
