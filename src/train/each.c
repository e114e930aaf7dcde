/*
 * each.c - what the workers' own models are worth, and how far apart they are.
 *
 * Every worker looks at its own and tells all: a control sum of a table with a row per worker.
 */
#include <math.h>

#include "base/mem.h"
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

static double root(double square)
{
    return square > 0 ? sqrt(square) : 0; /* rounding may leave a little below 0 */
}

struct distances each_distances(const struct kernel *k, const float *x, const float *m, int64_t n)
{
    const double xx = k->dot(x, x, n), xm = k->dot(x, m, n), mm = k->dot(m, m, n);
    const double lengths = sqrt(xx) * sqrt(mm);

    return (struct distances){
        .raw = root(xx - 2 * xm + mm),
        .normalized = lengths > 0 ? root(2 - 2 * xm / lengths) : 0,
    };
}

enum status examine_consensus(struct loop *l, const float *mean)
{
    const int64_t n = l->build->model->param_count;
    const struct kernel *k = l->worker->optim->kernel;
    double *table = NULL;

    const struct distances mine = each_distances(k, l->actor->state, mean, n);
    const enum status s = tell_all(l, mine.raw, mine.normalized, &table);
    for (int w = 0; w < l->build->workers && l->is_lead; w++) {
        l->report->each[w].distance = table[w * NUMBERS];
        l->report->each[w].normalized_distance = table[w * NUMBERS + 1];
    }
    mem_free(table);
    return s;
}

void each_to_row(const struct loop *l, struct metric_row *row)
{
    const int workers = l->build->workers;
    double accuracy = 0, least = (double)INFINITY, most = -(double)INFINITY;
    double distances = 0, normalized = 0;

    for (int w = 0; w < workers; w++) {
        const struct worker_report *r = &l->report->each[w];
        accuracy += r->test_accuracy;
        least = fmin(least, r->test_accuracy);
        most = fmax(most, r->test_accuracy);
        distances += r->distance;
        normalized += r->normalized_distance;
    }
    metric_row_add(row, "consensus_error", distances / workers);
    metric_row_add(row, "consensus_error_normalized", normalized / workers);
    if (!build_has_classes(l->build))
        return;
    metric_row_add(row, "test_accuracy_mean", accuracy / workers);
    metric_row_add(row, "test_accuracy_min", least);
    metric_row_add(row, "test_accuracy_max", most);
}
