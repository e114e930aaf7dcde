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
    signals_catch(false);
    _exit(!signals_stop_requested() && signals_stop_name()[0] == '\0' ? 7 : 1);
}

static void test_without_a_signal_nothing_is_requested(void)
{
    expect_child(ask_without_a_signal, 7, 0);
}

static void be_interrupted_once(void)
{
    signals_catch(false);
    raise(SIGINT);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGINT") == 0 ? 7 : 1);
}

static void test_the_first_interrupt_only_sets_the_flag(void)
{
    expect_child(be_interrupted_once, 7, 0);
}

static void be_terminated_once(void)
{
    signals_catch(false);
    raise(SIGTERM);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGTERM") == 0 ? 7 : 1);
}

static void test_the_first_sigterm_only_sets_the_flag(void)
{
    expect_child(be_terminated_once, 7, 0);
}

static void be_interrupted_twice(void)
{
    signals_catch(false);
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
    signals_catch(false);
    raise(SIGINT);
    raise(SIGTERM);
    _exit(7);
}

static void test_a_second_signal_of_the_other_kind_ends_the_program_too(void)
{
    expect_child(be_interrupted_then_terminated, -1, SIGTERM);
}

static void be_asked_by_slurm(void)
{
    signals_catch(false);
    raise(SIGUSR1);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGUSR1") == 0 ? 7 : 1);
}

static void reach_a_limit_of_time(void)
{
    signals_catch(false);
    raise(SIGXCPU);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGXCPU") == 0 ? 7 : 1);
}

static void test_the_signals_of_batch_systems_ask_for_a_stop_too(void)
{
    expect_child(be_asked_by_slurm, 7, 0);
    expect_child(reach_a_limit_of_time, 7, 0);
}

/* The line is there when raise returns: nothing else has to happen first. */
static void read_the_answer(void)
{
    static const char expected[] = "\nstopping after this round; a second signal stops at once\n";
    char line[200] = "";
    int ends[2];

    signals_catch(true);
    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        _exit(1);
    raise(SIGTERM);
    if (read(ends[0], line, sizeof line - 1) < 0)
        _exit(2);
    _exit(strcmp(line, expected) == 0 ? 7 : 3);
}

static void test_the_first_signal_is_answered_at_once(void)
{
    expect_child(read_the_answer, 7, 0);
}

static void write_to_nobody(void)
{
    int ends[2];

    signals_catch(false);
    if (pipe(ends) != 0 || close(ends[0]) != 0)
        _exit(1);
    _exit(write(ends[1], "x", 1) < 0 ? 7 : 2);
}

static void test_a_closed_pipe_is_an_error_of_write(void)
{
    expect_child(write_to_nobody, 7, 0);
}

static void be_stopped_by_two_who_do_not_know_of_each_other(void)
{
    signals_ignore_repeats();
    signals_catch(true);
    raise(SIGINT);
    raise(SIGTERM);
    raise(SIGTERM);
    _exit(signals_stop_requested() && strcmp(signals_stop_name(), "SIGINT") == 0 ? 7 : 1);
}

static void test_a_process_that_ignores_repeats_survives_them(void)
{
    expect_child(be_stopped_by_two_who_do_not_know_of_each_other, 7, 0);
}

TEST_MAIN(TEST(test_without_a_signal_nothing_is_requested),
          TEST(test_the_first_interrupt_only_sets_the_flag),
          TEST(test_the_first_sigterm_only_sets_the_flag),
          TEST(test_the_second_interrupt_ends_the_program_by_that_signal),
          TEST(test_a_second_signal_of_the_other_kind_ends_the_program_too),
          TEST(test_the_signals_of_batch_systems_ask_for_a_stop_too),
          TEST(test_the_first_signal_is_answered_at_once),
          TEST(test_a_closed_pipe_is_an_error_of_write),
          TEST(test_a_process_that_ignores_repeats_survives_them))
