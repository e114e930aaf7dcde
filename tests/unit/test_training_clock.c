/*
 * test_training_clock.c - what counts as training: not what is between pause and resume, and all of
 * what the resumed run had counted.
 */
#include "test.h"
#include "train/loop/training_clock.h"

/* A transport whose time the test sets. */
struct set_transport {
    struct transport base;
    double now;
};

static double set_now(struct transport *t)
{
    return ((struct set_transport *)t)->now;
}

static const struct transport_ops set_ops = {.name = "set", .now = set_now};

static void set(struct set_transport *t, double now, double waiting)
{
    t->now = now;
    t->base.counters.waiting = waiting;
}

static struct counters count(const struct training_clock *c)
{
    const struct clock_reading now = training_clock_read(c);
    struct counters counters = {0};

    training_clock_count(c, &now, &counters);
    return counters;
}

static void test_the_clock_starts_paused(void)
{
    struct set_transport t = {.base = {.ops = &set_ops}, .now = 10};
    struct training_clock c;

    training_clock_init(&c, &t.base, &(struct counters){0});
    set(&t, 14, 3); /* files are opened, the algorithm begins */
    training_clock_resume(&c);
    set(&t, 16, 3.5);
    EXPECT_NEAR(count(&c).seconds, 2, 0);
    EXPECT_NEAR(count(&c).waiting, 0.5, 0);
}

static void test_a_pause_is_not_training(void)
{
    struct set_transport t = {.base = {.ops = &set_ops}};
    struct training_clock c;

    training_clock_init(&c, &t.base, &(struct counters){0});
    training_clock_resume(&c);
    set(&t, 5, 1);
    const struct clock_reading since = training_clock_read(&c);
    set(&t, 7, 2); /* the pause is known late: it began at 5 */
    training_clock_pause(&c, &since);
    set(&t, 9, 4);
    training_clock_resume(&c);
    set(&t, 10, 4.25);
    EXPECT_NEAR(count(&c).seconds, 6, 0);
    EXPECT_NEAR(count(&c).waiting, 1.25, 0);
    EXPECT_NEAR(c.paused_seconds, 4, 0);
}

static void test_a_resumed_run_continues_with_its_counters(void)
{
    struct set_transport t = {.base = {.ops = &set_ops}, .now = 100};
    const struct counters saved = {.seconds = 50, .waiting = 20, .bytes = 1000};
    struct training_clock c;

    t.base.counters.bytes_sent = 0;
    training_clock_init(&c, &t.base, &saved);
    training_clock_resume(&c);
    t.base.counters.bytes_sent = 24;
    set(&t, 101, 0.5);
    EXPECT_NEAR(count(&c).seconds, 51, 0);
    EXPECT_NEAR(count(&c).waiting, 20.5, 0);
    EXPECT_NEAR(count(&c).bytes, 1024, 0);
}

TEST_MAIN(TEST(test_the_clock_starts_paused), TEST(test_a_pause_is_not_training),
          TEST(test_a_resumed_run_continues_with_its_counters))
