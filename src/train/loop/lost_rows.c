/*
 * lost_evaluations.c - warns of evaluations that an asynchronous run lost when it was killed.
 *
 * Snapshots wait in memory until a core is free to evaluate them. A signal waits for that; a kill
 * does not, and the resumed run continues after them.
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

static void note_evaluated(void *context, const json_t *row)
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

/* How many of the evaluations up to the run's last round are missing; *last gets the latest round.
 * Where they are counted in rounds the start is one; the end is one when all have come to it. */
static int64_t count_missing(const struct loop *l, const struct rounds *there, int64_t *last)
{
    const struct train_options *o = &l->build->config->train;
    const int64_t first = o->evaluate_rounds > 0 ? 0 : 1;
    int64_t missing = 0;

    for (int64_t round = first, i = 0; round <= l->round && round < l->length.rounds; round++) {
        while (i < there->count && there->items[i] < round)
            i++;
        if (due_after_round(o, &l->length, round).evaluates &&
            (i == there->count || there->items[i] != round)) {
            missing++;
            *last = round;
        }
    }
    return missing;
}

enum status lost_evaluations_warn(const struct loop *l)
{
    struct rounds there = {0};
    int64_t last = 0;

    if (l->leader->queue == NULL || l->setup->from == NULL)
        return STATUS_OK;
    char *path = file_join(l->setup->run_dir, "metrics.jsonl");
    const enum status s = metrics_reader_each(
        path, JSON_LINES_LENIENT, &(struct metrics_reader_visitor){note_evaluated, &there});
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
