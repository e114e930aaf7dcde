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
    c->own_samples = setup->partition == NULL ? setup->split->train_count
                                              : setup->partition->counts[setup->worker];
    c->own_batches = batches_in(c->own_samples, setup->batch_size);
    c->epoch_batches = setup->epoch_batches > 0 ? setup->epoch_batches : c->own_batches;
    if (setup->windows != NULL)
        window_sampler_init(&c->window_sampler, &setup->windows[setup->worker], setup->seed);
    else if (setup->partition != NULL)
        sampler_init_part(&c->sampler, (struct sampler_part){setup->partition, setup->worker},
                          setup->batch_size, setup->seed);
    else
        sampler_init(&c->sampler, setup->split->train, setup->split->train_count, setup->batch_size,
                     setup->seed);
}

void batch_schedule_release(struct batch_schedule *c)
{
    sampler_release(&c->sampler);
    window_sampler_release(&c->window_sampler);
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
        return size_of(c, c->own_samples, batch);
    for (int i = 0; i < p->size_count; i++)
        total += p->sizes[i].workers * size_of(c, p->sizes[i].count, batch);
    return total;
}

static struct scheduled_batch next_of_window(struct batch_schedule *c)
{
    const int64_t draw = c->epoch * c->epoch_batches + c->batch++;
    struct scheduled_batch b = {0};
    struct lidar_draw d;

    b.samples = window_sampler_draw(&c->window_sampler, draw, &d);
    b.epoch = d.window;
    b.size = d.batch_size;
    for (int w = 0; w < c->setup.partition->workers; w++)
        b.total += lidar_windows_draw(&c->setup.windows[w], draw).batch_size;
    return b;
}

static struct scheduled_batch next_of_epoch(struct batch_schedule *c)
{
    struct scheduled_batch b = {
        .epoch = c->epoch,
        .pass = c->batch / c->own_batches,
        .size = size_of(c, c->own_samples, c->batch),
        .total = total_of(c, c->batch),
    };

    if (b.size > 0) {
        sampler_seek_pass(&c->sampler, b.epoch, b.pass, c->batch % c->own_batches);
        b.samples = sampler_next(&c->sampler, &b.size);
    }
    c->batch++;
    return b;
}

struct scheduled_batch batch_schedule_next(struct batch_schedule *c)
{
    /* Not right after the last batch: a checkpoint names the position as the end of its epoch. */
    if (c->batch == c->epoch_batches)
        batch_schedule_seek(c, c->epoch + 1, 0);
    return c->setup.windows != NULL ? next_of_window(c) : next_of_epoch(c);
}
