/*
 * test_log.c - base/log.h. What is said is caught in a child whose stderr is a pipe or a
 * pseudo-terminal.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/team.h"
#include "child.h"
#include "scratch.h"
#include "test.h"

static void forget_settings(void)
{
    static const char *const names[] = {"NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"};

    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
}

static void expect_said(void (*run)(void), const char *expected)
{
    struct child c;

    forget_settings();
    child_run(&c, run);
    EXPECT_INT(c.exit_code, 0);
    EXPECT_TEXT(text_get(&c.said), expected);
    child_release(&c);
}

/* On a terminal of 20 columns. Its driver turns "\n" into "\r\n" unless told otherwise. */
static void expect_shown(void (*run)(void), const char *expected)
{
    const struct winsize size = {.ws_row = 5, .ws_col = 20};
    const int outer = posix_openpt(O_RDWR | O_NOCTTY);
    struct child c;

    CHECK(outer >= 0 && grantpt(outer) == 0 && unlockpt(outer) == 0);

    const int inner = open(ptsname(outer), O_RDWR | O_NOCTTY);

    CHECK(inner >= 0 && ioctl(inner, TIOCSWINSZ, &size) == 0);
    forget_settings();
    setenv("NO_COLOR", "1", 1);
    child_run_on(&c, run, outer, inner);
    EXPECT_TEXT(text_get(&c.said), expected);
    child_release(&c);
    forget_settings();
}

static void say_four(void)
{
    log_say(LOG_DETAIL, "detail");
    log_info("info %d", 1);
    log_warning("careful");
    log_say(LOG_ERROR, "broken");
}

static void test_messages_below_the_level_are_not_shown(void)
{
    expect_said(say_four, "info 1\nwarning: careful\nerror: broken\n");
}

static void say_four_quietly(void)
{
    log_set_level(LOG_ERROR);
    say_four();
}

static void test_a_higher_level_shows_less(void)
{
    expect_said(say_four_quietly, "error: broken\n");
}

static void say_four_aloud(void)
{
    log_set_level(LOG_DETAIL);
    say_four();
}

static void test_a_lower_level_shows_more(void)
{
    expect_said(say_four_aloud, "detail\ninfo 1\nwarning: careful\nerror: broken\n");
}

static void progress_five_times(void)
{
    for (int i = 0; i < 4; i++) {
        char line[16];

        snprintf(line, sizeof line, "step %d", i);
        log_progress(line, false);
    }
    log_progress("end", true);
}

static void test_elsewhere_progress_is_a_plain_line_every_ten_seconds(void)
{
    expect_said(progress_five_times, "step 0\nend\n");
}

static void add_number(const void *context, struct text *line)
{
    text_addf(line, "run %d  ", *(const int *)context);
}

static void progress_with_a_prefix(void)
{
    int number = 1;

    log_set_progress_prefix(add_number, &number);
    log_progress("a", true);
    number = 2;
    log_progress("b", true);
    log_set_progress_prefix(NULL, NULL);
    log_progress("c", true);
}

static void test_the_prefix_of_progress_lines_is_written_anew_for_each(void)
{
    expect_said(progress_with_a_prefix, "run 1  a\nrun 2  b\nc\n");
}

static void test_on_a_terminal_progress_is_rewritten_in_place(void)
{
    expect_shown(progress_five_times, "\rstep 0\033[K\rstep 1\033[K\rstep 2\033[K\rstep 3\033[K"
                                      "\rend\033[K\r\n");
}

static void progress_in_a_dumb_terminal(void)
{
    setenv("TERM", "dumb", 1);
    progress_five_times();
}

static void test_a_dumb_terminal_gets_plain_lines(void)
{
    expect_shown(progress_in_a_dumb_terminal, "step 0\r\nend\r\n");
}

static void progress_too_long(void)
{
    log_progress("0123456789012345678901234", false);
}

static void test_a_progress_line_is_cut_one_short_of_the_width(void)
{
    expect_shown(progress_too_long, "\r0123456789012345678\033[K");
}

static void progress_too_long_for_columns(void)
{
    setenv("COLUMNS", "6", 1);
    log_progress("äöüäöüäöü", false);
}

static void test_columns_decides_the_width_and_characters_stay_whole(void)
{
    expect_shown(progress_too_long_for_columns, "\räöüäö\033[K");
}

static void say_during_progress(void)
{
    log_progress("half-way", false);
    log_info("said");
    log_info("again");
}

static void test_a_message_first_ends_the_line_that_stands_half_way(void)
{
    expect_shown(say_during_progress, "\rhalf-way\033[K\r\nsaid\r\nagain\r\n");
}

static void progress_quietly(void)
{
    log_set_level(LOG_WARNING);
    progress_five_times();
}

static void test_quiet_programs_show_no_progress(void)
{
    expect_said(progress_quietly, "");
    expect_shown(progress_quietly, "");
}

static void tell_colour(void)
{
    _exit(log_has_colour() ? 7 : 0);
}

static void expect_colour(const char *name, const char *value, bool expected)
{
    struct child c;

    forget_settings();
    if (name != NULL)
        setenv(name, value, 1);
    child_run(&c, tell_colour);
    EXPECT_INT(c.exit_code, expected ? 7 : 0);
    child_release(&c);
    forget_settings();
}

static void test_colours_follow_the_environment(void)
{
    expect_colour(NULL, NULL, false); /* a pipe */
    expect_colour("CLICOLOR_FORCE", "1", true);
    expect_colour("CLICOLOR_FORCE", "0", false);
}

static void warn_in_colour(void)
{
    setenv("CLICOLOR_FORCE", "1", 1);
    log_warning("careful");
    setenv("NO_COLOR", "1", 1);
    log_warning("careful");
}

static void test_no_color_wins_over_force(void)
{
    expect_said(warn_in_colour, "\033[1;33mwarning: \033[0mcareful\nwarning: careful\n");
}

static char *read_log(const char *path)
{
    struct text t = {0};

    EXPECT_OK(file_read(path, 1 << 16, &t));
    return text_take(&t);
}

/* "2026-11-15 20:11:02 [3] text": checks the date's shape, returns what follows it. */
static const char *after_stamp(const char *line)
{
    static const char shape[] = "dddd-dd-dd dd:dd:dd ";

    for (size_t i = 0; i + 1 < sizeof shape; i++) {
        const bool is_digit = line[i] >= '0' && line[i] <= '9';

        if (!EXPECT(shape[i] == 'd' ? is_digit : line[i] == shape[i]))
            return "";
    }
    return line + sizeof shape - 1;
}

static void test_the_file_gets_every_line_with_time_and_worker(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "log.txt");
    static const char *const expected[] = {"[0] quiet", "[0] two", "[0] lines", "[3] step 1",
                                           "[3] warning: x"};

    log_set_level(LOG_ERROR); /* nothing of it on stderr */
    EXPECT_OK(log_open_file(path));
    log_say(LOG_DETAIL, "quiet");
    log_info("two\nlines\n");
    log_set_worker(3);
    log_progress("step 1", true);
    log_warning("x");
    log_close_file();
    log_warning("after the end");
    log_set_worker(0);
    log_set_level(LOG_INFO);

    char *content = read_log(path), *rest = content;

    for (int i = 0; i < 5; i++) {
        char *line = strsep(&rest, "\n");

        EXPECT_TEXT(line == NULL ? NULL : after_stamp(line), expected[i]);
    }
    EXPECT_TEXT(rest, "");
    mem_free(content);
    mem_free(path);
    scratch_remove(folder);
}

static void say_fifty(void *context, int thread, int threads)
{
    (void)context;
    (void)threads;
    log_set_worker(thread);
    for (int i = 0; i < 50; i++)
        log_info("worker %d speaks %d times", thread, i);
}

static void test_lines_of_different_threads_stay_whole(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "log.txt");
    struct team *team = team_new(4);
    int said[4] = {0};

    log_set_level(LOG_ERROR);
    EXPECT_OK(log_open_file(path));
    team_run(team, say_fifty, NULL);
    log_close_file();
    log_set_level(LOG_INFO);

    char *content = read_log(path), *rest = content;

    for (int i = 0; i < 200; i++) {
        char *line = strsep(&rest, "\n"), expected[64];
        const char *said_there = line == NULL ? "[9]" : after_stamp(line);
        const int worker = said_there[1] - '0';

        if (!EXPECT(worker >= 0 && worker < 4))
            break;
        snprintf(expected, sizeof expected, "[%d] worker %d speaks %d times", worker, worker,
                 said[worker]++);
        EXPECT_TEXT(said_there, expected);
    }
    EXPECT_TEXT(rest, "");
    mem_free(content);
    team_free(team);
    mem_free(path);
    scratch_remove(folder);
}

static void test_a_log_that_cannot_be_opened_is_an_error(void)
{
    EXPECT_FAILS(log_open_file("/nowhere/log.txt"), STATUS_IO, "/nowhere/log.txt");
}

static void log_to_a_full_disk(void)
{
    (void)FAIL(STATUS_PEER, "the caller's");
    if (log_open_file("/dev/full") != STATUS_OK)
        _exit(1);
    log_info("one");
    log_info("two");
    _exit(strcmp(status_message(), "the caller's") == 0 ? 0 : 2);
}

static void test_a_log_on_a_full_disk_is_given_up_once_and_aloud(void)
{
    expect_said(log_to_a_full_disk,
                "one\nwarning: /dev/full: cannot write: No space left on device; the log ends "
                "here\ntwo\n");
}

TEST_MAIN(TEST(test_messages_below_the_level_are_not_shown), TEST(test_a_higher_level_shows_less),
          TEST(test_a_lower_level_shows_more),
          TEST(test_elsewhere_progress_is_a_plain_line_every_ten_seconds),
          TEST(test_the_prefix_of_progress_lines_is_written_anew_for_each),
          TEST(test_on_a_terminal_progress_is_rewritten_in_place),
          TEST(test_a_dumb_terminal_gets_plain_lines),
          TEST(test_a_progress_line_is_cut_one_short_of_the_width),
          TEST(test_columns_decides_the_width_and_characters_stay_whole),
          TEST(test_a_message_first_ends_the_line_that_stands_half_way),
          TEST(test_quiet_programs_show_no_progress), TEST(test_colours_follow_the_environment),
          TEST(test_no_color_wins_over_force),
          TEST(test_the_file_gets_every_line_with_time_and_worker),
          TEST(test_lines_of_different_threads_stay_whole),
          TEST(test_a_log_that_cannot_be_opened_is_an_error),
          TEST(test_a_log_on_a_full_disk_is_given_up_once_and_aloud))
