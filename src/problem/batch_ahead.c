/*
 * batch_ahead.c - a ring of batches. See batch_ahead.h.
 */
#include "problem/batch_ahead.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct slot {
    struct scheduled_batch batch;
    struct loader_batch samples;
};

struct batch_ahead {
    struct batch_ahead_setup setup;
    struct batch_schedule schedule; /* of the batch after the last that was started */
    struct slot *slots;             /* [ahead + 1] */
    int64_t first, count;           /* slots that were started, from the oldest */
    bool is_taken;                  /* the oldest is the present batch */
};

static int64_t slot_count(const struct batch_ahead *a)
{
    return a->setup.ahead + 1;
}

static struct slot *slot_at(struct batch_ahead *a, int64_t i)
{
    return &a->slots[(a->first + i) % slot_count(a)];
}

static void start_next(struct batch_ahead *a)
{
    struct slot *s = slot_at(a, a->count);
    struct loader_batch *b = &s->samples;

    s->batch = batch_schedule_next(&a->schedule);
    CHECK(s->batch.size <= a->setup.schedule.batch_size);
    memcpy(b->numbers, s->batch.samples, (size_t)s->batch.size * sizeof *b->numbers);
    s->batch.samples = b->numbers;
    b->part = a->setup.part;
    b->count = s->batch.size;
    b->view = (struct sample_view){
        .is_training = true,
        .seed = sampler_pass_seed(a->setup.schedule.seed, s->batch.pass),
        .epoch = s->batch.epoch,
    };
    loader_start(a->setup.loader, b);
    a->count++;
}

static void drop_first(struct batch_ahead *a)
{
    loader_cancel(a->setup.loader, &slot_at(a, 0)->samples);
    a->first = (a->first + 1) % slot_count(a);
    a->count--;
}

static void drop_all(struct batch_ahead *a)
{
    while (a->count > 0)
        drop_first(a);
    a->is_taken = false;
}

struct batch_ahead *batch_ahead_new(const struct batch_ahead_setup *setup)
{
    struct batch_ahead *a = MEM_NEW(struct batch_ahead);

    CHECK(setup->ahead >= 0);
    a->setup = *setup;
    batch_schedule_init(&a->schedule, &setup->schedule);
    a->slots = MEM_NEW_N(struct slot, slot_count(a));
    for (int64_t i = 0; i < slot_count(a); i++)
        loader_batch_init(&a->slots[i].samples, setup->preparation, setup->schedule.batch_size);
    return a;
}

void batch_ahead_free(struct batch_ahead *a)
{
    if (a == NULL)
        return;
    drop_all(a);
    for (int64_t i = 0; i < slot_count(a); i++)
        loader_batch_release(&a->slots[i].samples);
    mem_free(a->slots);
    batch_schedule_release(&a->schedule);
    mem_free(a);
}

void batch_ahead_seek(struct batch_ahead *a, int64_t epoch, int64_t batch)
{
    drop_all(a);
    batch_schedule_seek(&a->schedule, epoch, batch);
}

struct scheduled_batch batch_ahead_next(struct batch_ahead *a, struct loader_batch **samples)
{
    if (a->is_taken)
        drop_first(a);
    while (a->count < slot_count(a))
        start_next(a);
    a->is_taken = true;
    *samples = &slot_at(a, 0)->samples;
    return slot_at(a, 0)->batch;
}

int64_t batch_ahead_bytes(const struct preparation *p, int64_t batch_size, int64_t ahead)
{
    return (ahead + 1) * loader_batch_bytes(p, batch_size);
}
