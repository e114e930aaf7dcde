/*
 * batch_schedule.c - from (epoch, batch) to a position in the worker's passes over its samples.
 *
 * Not here: the order within a pass (data/sampler.c), who has which samples (data/partition.c).
 */
#include "problem/batch_schedule.h"

#include "base/check.h"

static int64_t batches_in(int64_t count, int64_t batch_size)
{
    return (count + batch_size - 1) / batch_size;
}

void batch_schedule_init(struct batch_schedule *c, const struct batch_schedule_setup *setup)
{
    CHECK(setup->epoch_batches >= 0);
    *c = (struct batch_schedule){.setup = *setup};
    if (setup->partition != NULL)
        sampler_init_part(&c->sampler, (struct sampler_part){setup->partition, setup->worker},
                          setup->batch_size, setup->seed);
    else
        sampler_init(&c->sampler, setup->split->train, setup->split->train_count, setup->batch_size,
                     setup->seed);
    c->own_batches = sampler_batches(&c->sampler);
    c->epoch_batches = setup->epoch_batches > 0 ? setup->epoch_batches : c->own_batches;
}

void batch_schedule_release(struct batch_schedule *c)
{
    sampler_release(&c->sampler);
    *c = (struct batch_schedule){0};
}

void batch_schedule_seek(struct batch_schedule *c, int64_t epoch, int64_t batch)
{
    CHECK(epoch >= 0 && batch >= 0 && batch <= c->epoch_batches);
    c->epoch = epoch;
    c->batch = batch;
}

/* Samples of a worker that has `count` in its batch number `batch` of an epoch. */
static int64_t size_of(const struct batch_schedule *c, int64_t count, int64_t batch)
{
    const int64_t own = batches_in(count, c->setup.batch_size);

    if (c->setup.uneven == UNEVEN_EMPTY && batch >= own)
        return 0;
    const int64_t left = count - batch % own * c->setup.batch_size;

    return left < c->setup.batch_size ? left : c->setup.batch_size;
}

static int64_t total_of(const struct batch_schedule *c, int64_t batch)
{
    const struct partition *p = c->setup.partition;
    int64_t total = 0;

    if (p == NULL)
        return size_of(c, c->sampler.count, batch);
    for (int i = 0; i < p->size_count; i++)
        total += p->sizes[i].workers * size_of(c, p->sizes[i].count, batch);
    return total;
}

struct scheduled_batch batch_schedule_next(struct batch_schedule *c)
{
    /* Not right after the last batch: a checkpoint names the position as the end of its epoch. */
    if (c->batch == c->epoch_batches)
        batch_schedule_seek(c, c->epoch + 1, 0);

    struct scheduled_batch b = {
        .epoch = c->epoch,
        .pass = c->batch / c->own_batches,
        .size = size_of(c, c->sampler.count, c->batch),
        .total = total_of(c, c->batch),
    };

    if (b.size > 0) {
        sampler_seek_pass(&c->sampler, b.epoch, b.pass, c->batch % c->own_batches);
        b.samples = sampler_next(&c->sampler, &b.size);
    }
    c->batch++;
    return b;
}
