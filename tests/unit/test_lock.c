/*
 * test_lock.c - one process at a time in a folder, and what becomes of the lock when it ends.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/text.h"
#include "scratch.h"
#include "test.h"

/* A process that holds the folder until it is killed. */
static pid_t hold(const char *folder)
{
    int ready[2];
    char byte = 0;

    CHECK(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        struct lock l;
        const char held = lock_take(&l, folder) == STATUS_OK ? 'y' : 'n';

        CHECK(write(ready[1], &held, 1) == 1);
        for (;;)
            pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    EXPECT(byte == 'y');
    return child;
}

static void end(pid_t child)
{
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
}

static bool has_lock_file(const char *folder)
{
    char *path = file_join(folder, LOCK_NAME);
    const bool found = file_exists(path);

    mem_free(path);
    return found;
}

static void test_a_folder_that_a_process_holds_is_refused_with_its_number_and_host(void)
{
    char *folder = scratch_new(), host[256] = "";
    const pid_t child = hold(folder);
    struct lock l = {0};

    CHECK(gethostname(host, sizeof host - 1) == 0);
    char *who =
        text_format("%s: the folder is in use by process %ld on %s", folder, (long)child, host);
    EXPECT_FAILS(lock_take(&l, folder), STATUS_IO, who);
    lock_release(&l);
    EXPECT(has_lock_file(folder)); /* the other one's */
    EXPECT_FAILS(lock_take(&l, folder), STATUS_IO, who);
    end(child);
    mem_free(who);
    scratch_remove(folder);
}

static void test_a_process_that_was_killed_holds_nothing(void)
{
    char *folder = scratch_new();
    struct lock l = {0};

    end(hold(folder));
    EXPECT(has_lock_file(folder));
    EXPECT_OK(lock_take(&l, folder));
    lock_release(&l);
    EXPECT(!has_lock_file(folder));
    scratch_remove(folder);
}

/* Takes the lock and ends; a process that it has forked lives on for a moment, with the lock. */
static void leave_to_a_child(const char *folder)
{
    const pid_t parent = fork();

    if (parent == 0) {
        struct lock l;

        if (lock_take(&l, folder) == STATUS_OK && fork() == 0)
            usleep(200000);
        _exit(0);
    }
    CHECK(waitpid(parent, NULL, 0) == parent);
}

static void test_what_a_dead_process_left_to_its_child_is_waited_for(void)
{
    char *folder = scratch_new();
    struct lock l = {0};

    leave_to_a_child(folder);
    EXPECT_OK(lock_take(&l, folder));
    lock_release(&l);
    scratch_remove(folder);
}

static void test_a_lock_that_was_given_back_can_be_taken_and_leaves_no_file(void)
{
    char *folder = scratch_new();
    struct lock l = {0};

    for (int i = 0; i < 3; i++) {
        EXPECT_OK(lock_take(&l, folder));
        EXPECT(has_lock_file(folder));
        lock_release(&l);
        lock_release(&l);
        EXPECT(!has_lock_file(folder));
    }
    end(hold(folder));
    scratch_remove(folder);
}

static void test_two_folders_are_two_locks(void)
{
    char *one = scratch_new(), *other = scratch_new();
    struct lock a = {0}, b = {0};

    EXPECT_OK(lock_take(&a, one));
    EXPECT_OK(lock_take(&b, other));
    lock_release(&a);
    lock_release(&b);
    scratch_remove(one);
    scratch_remove(other);
}

/* Each adds 1 to a number in a file many times, between taking the lock and giving it back. */
static void test_of_many_processes_one_at_a_time_holds_it(void)
{
    enum { PROCESSES = 4, TIMES = 50 };
    char *folder = scratch_new(), *path = file_join(folder, "number");
    struct text content = {0};

    EXPECT_OK(file_write_text(path, "0"));
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            for (int i = 0; i < TIMES;) {
                struct lock l = {0};
                int64_t number = 0;

                if (lock_take(&l, folder) != STATUS_OK)
                    continue;
                CHECK(file_read(path, 100, &content) == STATUS_OK);
                CHECK(text_to_int(text_get(&content), &number));
                char *more = text_format("%lld", (long long)number + 1);
                FILE *out = fopen(path, "w");
                CHECK(out != NULL && fputs(more, out) >= 0 && fclose(out) == 0);
                lock_release(&l);
                i++;
            }
            _exit(0);
        }
    for (int p = 0; p < PROCESSES; p++) {
        int how = 1;

        CHECK(wait(&how) > 0);
        EXPECT_INT(how, 0);
    }
    EXPECT_OK(file_read(path, 100, &content));
    EXPECT_TEXT(text_get(&content), "200");
    text_release(&content);
    mem_free(path);
    scratch_remove(folder);
}

TEST_MAIN(TEST(test_a_folder_that_a_process_holds_is_refused_with_its_number_and_host),
          TEST(test_a_process_that_was_killed_holds_nothing),
          TEST(test_what_a_dead_process_left_to_its_child_is_waited_for),
          TEST(test_a_lock_that_was_given_back_can_be_taken_and_leaves_no_file),
          TEST(test_two_folders_are_two_locks), TEST(test_of_many_processes_one_at_a_time_holds_it))
