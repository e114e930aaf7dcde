/*
 * test_signals.c - base/signals.h. Each test is a process of its own: the flag cannot be taken
 * back.
 */
#include <signal.h>
#include <unistd.h>

#include "base/signals.h"
#include "child.h"
#include "test.h"

static void expect_child(void (*run)(void), int exit_code, int signal_number)
{
    struct child c;

    child_run(&c, run);
    EXPECT_INT(c.exit_code, exit_code);
    EXPECT_INT(c.signal, signal_number);
    child_release(&c);
}

static void ask_without_a_signal(void)
{
    signals_catch();
    _exit(!signals_stop_requested() && signals_stop_name()[0] == '\0' ? 7 : 1);
}

static void test_without_a_signal_nothing_is_requested(void)
{
    expect_child(ask_without_a_signal, 7, 0);
}

static void be_interrupted_once(void)
{
    signals_catch();
    raise(SIGINT);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGINT") == 0 ? 7 : 1);
}

static void test_the_first_interrupt_only_sets_the_flag(void)
{
    expect_child(be_interrupted_once, 7, 0);
}

static void be_terminated_once(void)
{
    signals_catch();
    raise(SIGTERM);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGTERM") == 0 ? 7 : 1);
}

static void test_the_first_sigterm_only_sets_the_flag(void)
{
    expect_child(be_terminated_once, 7, 0);
}

static void be_interrupted_twice(void)
{
    signals_catch();
    raise(SIGINT);
    raise(SIGINT);
    _exit(7);
}

static void test_the_second_interrupt_ends_the_program_by_that_signal(void)
{
    expect_child(be_interrupted_twice, -1, SIGINT);
}

static void be_interrupted_then_terminated(void)
{
    signals_catch();
    raise(SIGINT);
    raise(SIGTERM);
    _exit(7);
}

static void test_a_second_signal_of_the_other_kind_ends_the_program_too(void)
{
    expect_child(be_interrupted_then_terminated, -1, SIGTERM);
}

TEST_MAIN(TEST(test_without_a_signal_nothing_is_requested),
          TEST(test_the_first_interrupt_only_sets_the_flag),
          TEST(test_the_first_sigterm_only_sets_the_flag),
          TEST(test_the_second_interrupt_ends_the_program_by_that_signal),
          TEST(test_a_second_signal_of_the_other_kind_ends_the_program_too))
