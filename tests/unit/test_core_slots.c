/*
 * test_core_slots.c - comm/core_slots.h: who gets a slot when, and that nobody stays where it was
 * woken.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "comm/core_slots.h"
#include "test.h"

enum { SLEEPERS = 6, ROUNDS = 50 };

struct bench {
    struct core_slots *slots;
    atomic_int count;    /* of those that have had the slot */
    int order[SLEEPERS]; /* who was the n-th; written with the slot */
    atomic_int confined; /* those that may not run where they could before */
    struct sleeper {
        struct bench *bench;
        struct core_slot_holder holder;
        pthread_t thread;
        int number;
    } sleepers[SLEEPERS];
};

/* Waits for the slot that somebody asks for, notes itself and hands it on. */
static void *sleep_once(void *argument)
{
    struct sleeper *s = argument;
    struct bench *b = s->bench;
    cpu_set_t before, after;

    sched_getaffinity(0, sizeof before, &before);
    core_slots_await(b->slots, &s->holder);
    sched_getaffinity(0, sizeof after, &after);
    if (!CPU_EQUAL(&before, &after))
        atomic_fetch_add(&b->confined, 1);
    b->order[atomic_fetch_add(&b->count, 1)] = s->number;
    core_slots_give(b->slots, &s->holder);
    return NULL;
}

static void bench_start(struct bench *b, int slots)
{
    *b = (struct bench){.slots = core_slots_new(slots)};
    for (int i = 0; i < SLEEPERS; i++) {
        struct sleeper *s = &b->sleepers[i];

        s->bench = b;
        s->number = i;
        core_slot_holder_init(&s->holder);
        pthread_create(&s->thread, NULL, sleep_once, s);
    }
}

static void bench_end(struct bench *b)
{
    for (int i = 0; i < SLEEPERS; i++)
        pthread_join(b->sleepers[i].thread, NULL);
    for (int i = 0; i < SLEEPERS; i++)
        core_slot_holder_release(&b->sleepers[i].holder);
    EXPECT_INT(atomic_load(&b->count), SLEEPERS);
    EXPECT_INT(atomic_load(&b->confined), 0);
    core_slots_free(b->slots);
}

static void holders_take(struct bench *b, struct core_slot_holder *holders, int count)
{
    for (int i = 0; i < count; i++) {
        core_slot_holder_init(&holders[i]);
        core_slots_take(b->slots, &holders[i]);
    }
}

static void holders_release(struct core_slot_holder *holders, int count)
{
    for (int i = 0; i < count; i++)
        core_slot_holder_release(&holders[i]);
}

static void test_one_asks_for_all_and_they_come_in_that_order(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct bench b;
        struct core_slot_holder mine;

        core_slot_holder_init(&mine);
        bench_start(&b, 1);
        core_slots_take(b.slots, &mine);
        for (int i = SLEEPERS - 1; i >= 0; i--) /* some are asleep already, some are not */
            core_slots_ask(b.slots, &b.sleepers[i].holder);
        EXPECT_INT(atomic_load(&b.count), 0);
        core_slots_give(b.slots, &mine);
        bench_end(&b);
        core_slot_holder_release(&mine);
        for (int i = 0; i < SLEEPERS; i++)
            EXPECT_INT(b.order[i], SLEEPERS - 1 - i);
    }
}

static void test_a_free_slot_is_given_when_it_is_asked_for(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct bench b;
        struct core_slot_holder mine[2];

        bench_start(&b, 2);
        holders_take(&b, mine, 2);
        for (int i = 0; i < 2; i++) /* both are free then, and it is known where */
            core_slots_give(b.slots, &mine[i]);
        for (int i = 0; i < SLEEPERS; i++)
            core_slots_ask(b.slots, &b.sleepers[i].holder);
        bench_end(&b);
        holders_release(mine, 2);
    }
}

struct woken {
    struct core_slots *slots;
    struct core_slot_holder holder;
    int core;
};

static void *note_core(void *argument)
{
    struct woken *w = argument;

    core_slots_await(w->slots, &w->holder);
    w->core = sched_getcpu();
    core_slots_give(w->slots, &w->holder);
    return NULL;
}

static void run_on(int core)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(core, &one);
    EXPECT_INT(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Where a sleeper wakes up that gets slot b, given back on the core of slot a. */
static int wake_with_other_slot(const cpu_set_t *all, int core_a, int core_b)
{
    struct bench b = {.slots = core_slots_new(2)};
    struct woken w = {.slots = b.slots};
    struct core_slot_holder mine[2];
    pthread_t thread;

    core_slot_holder_init(&w.holder);
    pthread_create(&thread, NULL, note_core, &w);
    holders_take(&b, mine, 2);
    run_on(core_a);
    core_slots_give(b.slots, &mine[0]);
    core_slots_take(b.slots, &mine[0]);
    run_on(core_b);
    core_slots_give(b.slots, &mine[1]);
    core_slots_take(b.slots, &mine[1]);
    run_on(core_a);
    core_slots_ask(b.slots, &w.holder);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* asleep by now */
    core_slots_give(b.slots, &mine[1]);
    pthread_join(thread, NULL);
    core_slots_give(b.slots, &mine[0]);
    sched_setaffinity(0, sizeof *all, all);
    core_slot_holder_release(&w.holder);
    holders_release(mine, 2);
    core_slots_free(b.slots);
    return w.core;
}

static int next_core(const cpu_set_t *all, int core)
{
    while (!CPU_ISSET(core, all))
        core++;
    return core;
}

/* The system may move a thread between waking up and looking where it is: hence most and not all.
 */
static void test_slots_that_met_on_one_core_part_again(void)
{
    cpu_set_t all;
    int parted = 0;

    EXPECT_INT(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) == 1)
        return;
    const int a = next_core(&all, 0), b = next_core(&all, a + 1);
    for (int i = 0; i < ROUNDS; i++)
        parted += wake_with_other_slot(&all, a, b) == b;
    EXPECT(parted > ROUNDS / 2);
}

/* As a worker does that is woken while it lies down: none of the slots may be lost. */
static void test_a_slot_may_be_asked_for_before_the_old_one_is_given_back(void)
{
    struct bench b = {.slots = core_slots_new(2)};
    struct core_slot_holder mine[2];

    holders_take(&b, mine, 1);
    for (int i = 0; i < ROUNDS; i++) {
        core_slots_ask(b.slots, &mine[0]);
        core_slots_give(b.slots, &mine[0]);
        core_slots_await(b.slots, &mine[0]);
    }
    holders_take(&b, mine + 1, 1);
    EXPECT(mine[0].slot != CORE_SLOT_NONE && mine[1].slot != CORE_SLOT_NONE);
    EXPECT(mine[0].slot != mine[1].slot);
    for (int i = 0; i < 2; i++)
        core_slots_give(b.slots, &mine[i]);
    holders_release(mine, 2);
    core_slots_free(b.slots);
}

static void test_nobody_waits_once_they_are_open(void)
{
    struct bench b;
    struct core_slot_holder mine[4];

    bench_start(&b, 1);
    holders_take(&b, mine, 1);
    core_slots_ask(b.slots, &b.sleepers[0].holder);
    core_slots_open(b.slots);
    for (int i = 1; i < SLEEPERS; i++)
        core_slots_ask(b.slots, &b.sleepers[i].holder);
    holders_take(&b, mine + 1, 3); /* more than there are: nobody counts any more */
    for (int i = 0; i < 4; i++)
        core_slots_give(b.slots, &mine[i]);
    bench_end(&b);
    holders_release(mine, 4);
}

TEST_MAIN(TEST(test_one_asks_for_all_and_they_come_in_that_order),
          TEST(test_a_free_slot_is_given_when_it_is_asked_for),
          TEST(test_slots_that_met_on_one_core_part_again),
          TEST(test_a_slot_may_be_asked_for_before_the_old_one_is_given_back),
          TEST(test_nobody_waits_once_they_are_open))
