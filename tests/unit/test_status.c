/*
 * test_status.c - base/status.h and base/check.h.
 */
#include <pthread.h>
#include <signal.h>

#include "base/check.h"
#include "base/status.h"
#include "child.h"
#include "test.h"

static void test_a_failure_keeps_its_code_and_its_text(void)
{
    EXPECT_INT(FAIL(STATUS_IO, "%s:%d", "a.yaml", 14), STATUS_IO);
    EXPECT_TEXT(status_message(), "a.yaml:14");
}

static void test_a_new_message_may_contain_the_old_one(void)
{
    (void)FAIL(STATUS_IO, "inner");
    (void)FAIL(STATUS_BAD_INPUT, "outer: %s", status_message());
    EXPECT_TEXT(status_message(), "outer: inner");
}

static void test_a_message_too_long_is_cut_and_ends_with_nul(void)
{
    char text[4000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)FAIL(STATUS_IO, "%s", text);
    EXPECT_INT(strlen(status_message()), sizeof((struct status_slot *)0)->text - 1);
}

static enum status pass_on(enum status s, int *reached)
{
    TRY(s);
    *reached = 1;
    return STATUS_OK;
}

static void test_try_returns_failures_and_passes_success(void)
{
    int reached = 0;

    EXPECT_INT(pass_on(STATUS_PEER, &reached), STATUS_PEER);
    EXPECT_INT(reached, 0);
    EXPECT_OK(pass_on(STATUS_OK, &reached));
    EXPECT_INT(reached, 1);
}

static void test_exit_codes_are_those_of_the_documentation(void)
{
    EXPECT_INT(status_exit_code(STATUS_OK), 0);
    EXPECT_INT(status_exit_code(STATUS_BAD_INPUT), 2);
    EXPECT_INT(status_exit_code(STATUS_IO), 3);
    EXPECT_INT(status_exit_code(STATUS_PEER), 4);
    EXPECT_INT(status_exit_code(STATUS_DIVERGED), 5);
    EXPECT_INT(status_exit_code(STATUS_INTERRUPTED), 75);
}

static void test_every_code_has_a_text(void)
{
    EXPECT_TEXT(status_text(STATUS_OK), "success");
    for (int s = STATUS_OK; s < STATUS_COUNT; s++)
        EXPECT(status_text((enum status)s)[0] != '\0');
}

static void test_an_installed_slot_takes_the_messages(void)
{
    struct status_slot mine = {0}, *before;

    (void)FAIL(STATUS_IO, "the thread's own");
    before = status_slot_use(&mine);
    (void)FAIL(STATUS_PEER, "the worker's");
    EXPECT_TEXT(status_message(), "the worker's");
    EXPECT(status_slot_use(before) == &mine);
    EXPECT_TEXT(status_message(), "the thread's own");
    EXPECT_TEXT(mine.text, "the worker's");
    EXPECT_INT(mine.status, STATUS_PEER);
}

static void *fail_elsewhere(void *unused)
{
    (void)FAIL(STATUS_PEER, "elsewhere");
    return unused;
}

static void test_threads_do_not_see_each_others_messages(void)
{
    pthread_t id;

    (void)FAIL(STATUS_IO, "here");
    EXPECT_INT(pthread_create(&id, NULL, fail_elsewhere, NULL), 0);
    pthread_join(id, NULL);
    EXPECT_TEXT(status_message(), "here");
}

static void break_a_check(void)
{
    const int rows = 3;

    signal(SIGABRT, SIG_DFL);
    CHECK(rows == 4);
}

static void test_a_failed_check_aborts_and_says_where_and_what(void)
{
    struct child c;

    child_run(&c, break_a_check);
    EXPECT_INT(c.signal, SIGABRT);
    EXPECT_HAS(text_get(&c.said), "test_status.c:");
    EXPECT_HAS(text_get(&c.said), "break_a_check: rows == 4");
    child_release(&c);
}

static void test_a_check_that_holds_does_nothing(void)
{
    int evaluations = 0;

    CHECK(++evaluations == 1);
    EXPECT_INT(evaluations, 1);
}

TEST_MAIN(TEST(test_a_failure_keeps_its_code_and_its_text),
          TEST(test_a_new_message_may_contain_the_old_one),
          TEST(test_a_message_too_long_is_cut_and_ends_with_nul),
          TEST(test_try_returns_failures_and_passes_success),
          TEST(test_exit_codes_are_those_of_the_documentation), TEST(test_every_code_has_a_text),
          TEST(test_an_installed_slot_takes_the_messages),
          TEST(test_threads_do_not_see_each_others_messages),
          TEST(test_a_failed_check_aborts_and_says_where_and_what),
          TEST(test_a_check_that_holds_does_nothing))
