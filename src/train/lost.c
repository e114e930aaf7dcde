/*
 * lost.c - tells which evaluations of an asynchronous run were lost with the process.
 *
 * Snapshots wait in memory until a core is free to evaluate them. A signal waits for that; a kill
 * does not, and the run goes on behind them.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/rows.h"
#include "train/loop_parts.h"

struct rounds {
    int64_t *items;
    int64_t count, capacity;
};

static void take_evaluated(void *context, const json_t *row)
{
    struct rounds *r = context;

    if (json_object_get(row, "test_loss") == NULL &&
        json_object_get(row, "validation_loss") == NULL)
        return;
    if (r->count == r->capacity) {
        r->items = mem_resize(r->items, r->capacity, 2 * r->capacity + 64, sizeof *r->items);
        r->capacity = 2 * r->capacity + 64;
    }
    r->items[r->count++] = json_integer_value(json_object_get(row, "round"));
}

static int round_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* How many of the evaluations up to the run's place are not there; *last gets the latest round.
 * Where they are counted in rounds the start is one; the end is one when all have come to it. */
static int64_t count_missing(const struct loop *l, const struct rounds *there, int64_t *last)
{
    struct loop then = *l;
    const int64_t first = l->build->experiment->train.evaluate_rounds > 0 ? 0 : 1;
    int64_t missing = 0;

    for (int64_t round = first, i = 0; round <= l->place.round && round < l->total; round++) {
        then.place.round = round;
        while (i < there->count && there->items[i] < round)
            i++;
        if (drive_evaluates(&then) && (i == there->count || there->items[i] != round)) {
            missing++;
            *last = round;
        }
    }
    return missing;
}

enum status lost_tell(const struct loop *l)
{
    struct rounds there = {0};
    int64_t last = 0;

    if (l->snapshots == NULL || l->files->from == NULL)
        return STATUS_OK;
    char *path = file_join(l->files->run_dir, "metrics.jsonl");
    const enum status s =
        rows_each(path, ROWS_LENIENT, &(struct rows_taker){take_evaluated, &there});
    if (there.count > 0)
        qsort(there.items, (size_t)there.count, sizeof *there.items, round_order);
    const int64_t missing = s == STATUS_OK ? count_missing(l, &there, &last) : 0;
    if (missing > 0)
        log_warning(
            "%s: has no evaluation of %lld round%s (the last is %lld): what was waiting to be "
            "evaluated when the run was killed is lost",
            path, (long long)missing, missing == 1 ? "" : "s", (long long)last);
    mem_free(there.items);
    mem_free(path);
    return s;
}
