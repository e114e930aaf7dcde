/*
 * test_child_process.c - base/child_process.h: shells as children, what they say and how they end.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/child_process.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/team.h"
#include "test.h"

static void start_share(struct child_process *c, const char *script, int part, int parts)
{
    char shell[] = "sh", flag[] = "-c", *copy = mem_text(script);
    char *argv[] = {shell, flag, copy, NULL};

    EXPECT_OK(child_process_start(
        c,
        &(struct child_setup){.program = "/bin/sh", .argv = argv, .part = part, .parts = parts}));
    mem_free(copy);
}

static void start_shell(struct child_process *c, const char *script)
{
    start_share(c, script, 0, 1);
}

static void await_end(struct child_process *c, struct text *said, struct child_end *end)
{
    while (!child_process_has_ended(c, said, end)) {
        struct pollfd listen = {.fd = c->messages, .events = POLLIN};

        (void)poll(&listen, 1, c->messages < 0 ? 1 : 1000);
        child_process_read(c, said);
    }
}

/* What a script says on stderr; text_release. */
static struct text said_by(const char *script, int part, int parts, struct child_end *end)
{
    struct child_process c;
    struct text said = {0};

    start_share(&c, script, part, parts);
    await_end(&c, &said, end);
    return said;
}

static void test_what_a_child_says_is_read_to_the_end(void)
{
    struct child_end end;
    struct text said =
        said_by("i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i + 1)); done", 0, 1, &end);
    const char *last = strrchr(text_get(&said), 'l');

    EXPECT_TEXT(last, "line 19999\n");
    EXPECT_INT(end.exit_code, 0);
    text_release(&said);
}

static void test_a_child_has_neither_input_nor_output(void)
{
    struct child_end end;
    struct text said = said_by(
        "cat; echo lost; for i in 0 1; do ends=$(readlink /proc/$$/fd/$i); echo $ends >&2; done", 0,
        1, &end);

    EXPECT_TEXT(text_get(&said), "/dev/null\n/dev/null\n");
    text_release(&said);
}

static void expect_words(const char *script, const char *words)
{
    struct child_end end;
    struct text said = said_by(script, 0, 1, &end), out = {0};

    child_end_words(&end, &out);
    EXPECT_TEXT(text_get(&out), words);
    text_release(&out);
    text_release(&said);
}

static void test_how_a_child_ended_is_said_in_words(void)
{
    expect_words("exit 3", "ended with exit code 3");
    expect_words("kill -9 $$", "killed by signal 9 (perhaps out of memory)");
    expect_words("ulimit -c 0; kill -SEGV $$", "killed by signal 11 (Segmentation fault)");
}

static void test_a_program_that_is_not_there_is_a_child_that_says_so(void)
{
    char name[] = "x", *argv[] = {name, NULL};
    struct child_process c;
    struct text said = {0};
    struct child_end end;

    EXPECT_OK(child_process_start(
        &c, &(struct child_setup){.program = "/nowhere/x", .argv = argv, .parts = 1}));
    await_end(&c, &said, &end);
    EXPECT_INT(end.exit_code, 127);
    EXPECT_HAS(text_get(&said), "cannot be executed");
    text_release(&said);
}

static void test_a_child_is_stopped_by_sigterm(void)
{
    struct child_process c;
    struct child_end end;
    struct text said = {0};

    start_shell(
        &c, "trap 'echo stopped >&2; exit 75' TERM; echo ready >&2; while :; do sleep 0.01; done");
    while (said.length == 0)
        child_process_read(&c, &said);
    EXPECT(!child_process_has_ended(&c, &said, &end));
    child_process_stop(&c);
    await_end(&c, &said, &end);
    EXPECT_TEXT(text_get(&said), "ready\nstopped\n");
    EXPECT_INT(end.exit_code, 75);
    text_release(&said);
}

/* The list in the form of the kernel. */
static const char cores_script[] =
    "while read key value; do [ $key = Cpus_allowed: ] && echo $value >&2; done </proc/$$/status";

static void test_children_share_the_cores_without_overlap(void)
{
    const int cores = team_cores(), parts = cores < 2 ? 1 : 2;
    struct child_end end;
    struct text all = said_by(cores_script, 0, 1, &end);
    struct text first = said_by(cores_script, 0, parts, &end);
    struct text last = said_by(cores_script, parts - 1, parts, &end);

    EXPECT(first.length > 0);
    EXPECT((strcmp(text_get(&first), text_get(&last)) == 0) == (parts == 1));
    EXPECT((strcmp(text_get(&first), text_get(&all)) == 0) == (parts == 1));
    text_release(&all);
    text_release(&first);
    text_release(&last);
}

static void test_more_children_than_cores_share_them_in_turn(void)
{
    const int cores = team_cores();
    struct child_end end;
    struct text first = said_by(cores_script, 0, cores + 1, &end);
    struct text last = said_by(cores_script, cores, cores + 1, &end);

    EXPECT(first.length > 0);
    EXPECT_TEXT(text_get(&first), text_get(&last));
    text_release(&first);
    text_release(&last);
}

/* A process starts a child and is killed; the child must not stay. */
static void test_a_child_ends_when_its_parent_is_killed(void)
{
    int numbers[2];
    struct process_identity orphan = {0}, me;
    pid_t grandchild = 0;

    process_identify(&me);
    memcpy(orphan.host, me.host, sizeof orphan.host);
    CHECK(pipe(numbers) == 0);
    const pid_t parent = fork();
    if (parent == 0) {
        struct child_process c;

        start_shell(&c, "while :; do sleep 0.01; done");
        CHECK(write(numbers[1], &c.pid, sizeof c.pid) == (ssize_t)sizeof c.pid);
        for (;;)
            pause();
    }
    CHECK(read(numbers[0], &grandchild, sizeof grandchild) == (ssize_t)sizeof grandchild);
    orphan.pid = grandchild;
    EXPECT_INT(process_life(&orphan), PROCESS_RUNS);
    CHECK(kill(parent, SIGKILL) == 0);
    CHECK(waitpid(parent, NULL, 0) == parent);
    for (int i = 0; i < 1000 && process_life(&orphan) == PROCESS_RUNS; i++)
        (void)poll(NULL, 0, 10);
    EXPECT_INT(process_life(&orphan), PROCESS_GONE);
    close(numbers[0]);
    close(numbers[1]);
}

TEST_MAIN(TEST(test_what_a_child_says_is_read_to_the_end),
          TEST(test_a_child_has_neither_input_nor_output),
          TEST(test_how_a_child_ended_is_said_in_words),
          TEST(test_a_program_that_is_not_there_is_a_child_that_says_so),
          TEST(test_a_child_is_stopped_by_sigterm),
          TEST(test_children_share_the_cores_without_overlap),
          TEST(test_more_children_than_cores_share_them_in_turn),
          TEST(test_a_child_ends_when_its_parent_is_killed))
