/*
 * test_slots.c - comm/slots.h: who gets a slot when, and that nobody stays where it was woken.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "comm/slots.h"
#include "test.h"

enum { SLEEPERS = 6, ROUNDS = 50 };

struct bench {
    struct slots *slots;
    atomic_int count;    /* of those that have had the slot */
    int order[SLEEPERS]; /* who was the n-th; written with the slot */
    atomic_int confined; /* those that may not run where they could before */
    struct sleeper {
        struct bench *bench;
        struct slots_place place;
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
    slots_await(b->slots, &s->place);
    sched_getaffinity(0, sizeof after, &after);
    if (!CPU_EQUAL(&before, &after))
        atomic_fetch_add(&b->confined, 1);
    b->order[atomic_fetch_add(&b->count, 1)] = s->number;
    slots_give(b->slots);
    return NULL;
}

static void bench_start(struct bench *b, int slots)
{
    *b = (struct bench){.slots = slots_new(slots)};
    for (int i = 0; i < SLEEPERS; i++) {
        struct sleeper *s = &b->sleepers[i];

        s->bench = b;
        s->number = i;
        slots_place_init(&s->place);
        pthread_create(&s->thread, NULL, sleep_once, s);
    }
}

static void bench_end(struct bench *b)
{
    for (int i = 0; i < SLEEPERS; i++) {
        pthread_join(b->sleepers[i].thread, NULL);
        slots_place_release(&b->sleepers[i].place);
    }
    EXPECT_INT(atomic_load(&b->count), SLEEPERS);
    EXPECT_INT(atomic_load(&b->confined), 0);
    slots_free(b->slots);
}

static void test_one_asks_for_all_and_they_come_in_that_order(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct bench b;

        bench_start(&b, 1);
        slots_take(b.slots);
        for (int i = SLEEPERS - 1; i >= 0; i--) /* some are asleep already, some are not */
            slots_ask(b.slots, &b.sleepers[i].place);
        EXPECT_INT(atomic_load(&b.count), 0);
        slots_give(b.slots);
        bench_end(&b);
        for (int i = 0; i < SLEEPERS; i++)
            EXPECT_INT(b.order[i], SLEEPERS - 1 - i);
    }
}

static void test_a_free_slot_is_given_when_it_is_asked_for(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct bench b;

        bench_start(&b, 2);
        slots_take(b.slots);
        slots_take(b.slots);
        slots_give(b.slots); /* both are free now, and it is known where */
        slots_give(b.slots);
        for (int i = 0; i < SLEEPERS; i++)
            slots_ask(b.slots, &b.sleepers[i].place);
        bench_end(&b);
    }
}

static void test_nobody_waits_once_they_are_open(void)
{
    struct bench b;

    bench_start(&b, 1);
    slots_take(b.slots);
    slots_ask(b.slots, &b.sleepers[0].place);
    slots_open(b.slots);
    for (int i = 1; i < SLEEPERS; i++)
        slots_ask(b.slots, &b.sleepers[i].place);
    for (int i = 0; i < 3; i++)
        slots_take(b.slots);
    for (int i = 0; i < 4; i++) /* more than there are: nobody counts any more */
        slots_give(b.slots);
    bench_end(&b);
}

TEST_MAIN(TEST(test_one_asks_for_all_and_they_come_in_that_order),
          TEST(test_a_free_slot_is_given_when_it_is_asked_for),
          TEST(test_nobody_waits_once_they_are_open))
