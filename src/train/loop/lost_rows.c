/*
 * lost_rows.c - warns of rows of metrics.jsonl that a resumed run should find and does not.
 *
 * In an asynchronous run snapshots wait in memory until a core is free to evaluate them. A signal
 * waits for that; a kill does not, and the resumed run continues after them. Other runs write the
 * row of an epoch before they save: when it is not there, the file was damaged.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/metrics_reader.h"
#include "train/loop/loop.h"

struct rounds {
    int64_t *items;
    int64_t count, capacity;
};

static void note_round(void *context, const json_t *row)
{
    struct rounds *r = context;

    if (r->count == r->capacity) {
        r->items = mem_resize(r->items, r->capacity, 2 * r->capacity + 64, sizeof *r->items);
        r->capacity = 2 * r->capacity + 64;
    }
    r->items[r->count++] = json_integer_value(json_object_get(row, "round"));
}

/* Rows of epochs have this; log rows, which may be of the same round, do not. */
static void note_epoch(void *context, const json_t *row)
{
    if (json_object_get(row, metric_name(METRIC_FORWARD_PASSES)) != NULL)
        note_round(context, row);
}

static void note_evaluated(void *context, const json_t *row)
{
    if (json_object_get(row, "test_loss") != NULL ||
        json_object_get(row, "validation_loss") != NULL)
        note_round(context, row);
}

static int round_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Whether a row of this round must be there. Evaluations that are counted in rounds have one at the
 * start; that of the end is there when all have come to it. What resuming may change, as when a
 * run is evaluated, decides nothing about other runs than asynchronous ones. */
static bool is_expected(const struct loop *l, int64_t round)
{
    const struct train_options *o = &l->build->config->train;

    if (l->leader->queue == NULL)
        return round > 0 && epochs_end_at(&l->length.epoch, round, 1);
    return (round > 0 || o->evaluate_rounds > 0) && due_after_round(o, &l->length, round).evaluates;
}

/* How many of the rows up to the run's last round are missing; *last gets the latest round. Those
 * of the last round itself are made now, when its checkpoint was written before them. */
static int64_t count_missing(const struct loop *l, const struct rounds *there, int64_t *last)
{
    const int64_t end = l->is_before_record ? l->round - 1 : l->round;
    int64_t missing = 0;

    for (int64_t round = 0, i = 0; round <= end && round < l->length.rounds; round++) {
        while (i < there->count && there->items[i] < round)
            i++;
        if (is_expected(l, round) && (i == there->count || there->items[i] != round)) {
            missing++;
            *last = round;
        }
    }
    return missing;
}

static void warn(const struct loop *l, const char *path, int64_t missing, int64_t last)
{
    const char *plural = missing == 1 ? "" : "s";

    if (l->leader->queue != NULL)
        log_warning("%s: the evaluations of %lld round%s (the last is round %lld) were lost when "
                    "the run was killed",
                    path, (long long)missing, plural, (long long)last);
    else
        log_warning(
            "%s: the rows of %lld earlier epoch%s are missing (the last ended with round %lld)",
            path, (long long)missing, plural, (long long)last);
}

enum status lost_rows_warn(const struct loop *l)
{
    struct rounds there = {0};
    int64_t last = 0;

    if (l->setup->from == NULL || (l->leader->queue != NULL && l->has_snapshots))
        return STATUS_OK;
    char *path = file_join(l->setup->run_dir, "metrics.jsonl");
    const enum status s =
        metrics_reader_each(path, JSON_LINES_LENIENT,
                            &(struct metrics_reader_visitor){
                                l->leader->queue != NULL ? note_evaluated : note_epoch, &there});
    if (there.count > 0)
        qsort(there.items, (size_t)there.count, sizeof *there.items, round_order);
    const int64_t missing = s == STATUS_OK ? count_missing(l, &there, &last) : 0;
    if (missing > 0)
        warn(l, path, missing, last);
    mem_free(there.items);
    mem_free(path);
    return s;
}
