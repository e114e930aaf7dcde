/*
 * labels.c - whole labels dealt in turn after a seeded shuffle (S000's --split_labels and
 * --split_labels_unscaled).
 *
 * The i-th label of the shuffle goes to worker i mod W. With more workers than labels, worker w
 * takes part in label w mod C, and the label's samples are dealt among those that do.
 *
 * `labels` then cuts all workers to the length of the shortest, at random, so that a worker keeps
 * all its labels; S000 cuts off the end of the list of labels, and can lose a label as a whole.
 */
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/partition_list.h"

/* Positions 0 .. count-1 of the labels, in the shuffle's order. */
static int64_t *shuffle_labels(const struct partition_classes *c, uint64_t seed)
{
    const struct rng r = rng_make(seed, RNG_PARTITION, PARTITION_LABELS);
    int64_t *order = MEM_NEW_N(int64_t, c->count);
    int64_t *position = MEM_NEW_N(int64_t, c->labels[c->count - 1] + 1); /* by label */

    for (int64_t k = 0; k < c->count; k++)
        position[c->labels[k]] = k;
    memcpy(order, c->labels, (size_t)c->count * sizeof *order);
    rng_order(&r, order, c->count);
    for (int64_t i = 0; i < c->count; i++)
        order[i] = position[order[i]];
    mem_free(position);
    return order;
}

static enum status labels_unscaled_assign(const void *options, const struct partition_request *q,
                                          struct assignment *d)
{
    struct partition_classes c;

    (void)options;
    partition_classes_init(&c, q);
    partition_classes_shuffle(&c, q->seed);

    int64_t *order = shuffle_labels(&c, q->seed);

    for (int64_t i = 0; i < c.count; i++) {
        const int64_t k = order[i];
        struct partition_turn turn = {
            .first = (int)(i % q->workers), .step = (int)c.count, .among = 1};

        if (q->workers > c.count)
            turn.among = (int)((q->workers - i + c.count - 1) / c.count);
        partition_assign_in_turn(d, c.samples + c.begins[k], c.begins[k + 1] - c.begins[k], turn);
    }
    mem_free(order);
    partition_classes_release(&c);
    return STATUS_OK;
}

static int64_t smallest(const int64_t *counts, int workers)
{
    int64_t least = counts[0];

    for (int w = 1; w < workers; w++)
        least = counts[w] < least ? counts[w] : least;
    return least;
}

/* Goes through all samples at random; who has enough gets no more. */
static void cut_to_equal(const struct partition_request *q, struct assignment *d)
{
    const struct rng r = rng_make(q->seed, RNG_PARTITION, PARTITION_CUT);
    int64_t *counts = MEM_NEW_N(int64_t, q->workers), *order = MEM_NEW_N(int64_t, q->count);

    partition_count_owned(d, q, counts);

    /* Who has none is named by partition_make; cut to nothing, it would be everybody. */
    const int64_t shortest = smallest(counts, q->workers);
    const int64_t length = shortest > 0 ? shortest : q->count;

    memset(counts, 0, (size_t)q->workers * sizeof *counts);
    memcpy(order, q->samples, (size_t)q->count * sizeof *order);
    rng_order(&r, order, q->count);
    for (int64_t i = 0; i < q->count; i++) {
        int *owner = &d->owners[order[i]];

        if (counts[*owner] == length)
            *owner = PARTITION_NO_OWNER;
        else
            counts[*owner]++;
    }
    mem_free(order);
    mem_free(counts);
}

static enum status labels_assign(const void *options, const struct partition_request *q,
                                 struct assignment *d)
{
    TRY(labels_unscaled_assign(options, q, d));
    cut_to_equal(q, d);
    return STATUS_OK;
}

const struct partition_ops labels_partition = {
    .entry = {.name = "labels",
              .also = "noniid non-iid",
              .summary = "whole labels assigned in turn, then cut at random to equal length"},
    .needs_labels = true,
    .assign = labels_assign,
};

const struct partition_ops labels_unscaled_partition = {
    .entry = {.name = "labels_unscaled",
              .summary = "whole labels assigned in turn, every sample kept"},
    .needs_labels = true,
    .assign = labels_unscaled_assign,
};
