/*
 * child.h - runs a function in a child process and keeps what it wrote to stderr: for what ends
 * the program, changes its signals or talks.
 */
#ifndef TESTS_CHILD_H
#define TESTS_CHILD_H

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/text.h"

struct child {
    int exit_code; /* -1 when a signal ended it */
    int signal;    /* 0 when it ended by itself */
    struct text said;
};

/* The function's end is the child's end with exit code 0. */
static inline void child_enter(void (*run)(void), int output)
{
    const struct rlimit no_core = {0};

    setrlimit(RLIMIT_CORE, &no_core);
    dup2(output, STDERR_FILENO);
    run();
    _exit(0);
}

static inline void child_listen(struct child *c, int input)
{
    char bytes[4096];

    for (;;) {
        const ssize_t n = read(input, bytes, sizeof bytes);

        if (n <= 0)
            return; /* a terminal answers EIO when its other side is closed */
        text_add_n(&c->said, bytes, (size_t)n);
    }
}

static inline void child_wait(struct child *c, pid_t id)
{
    int status = 0;

    CHECK(waitpid(id, &status, 0) == id);
    c->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* With `input` and `output` as the two ends of a pipe or terminal; both are closed. */
static inline void child_run_on(struct child *c, void (*run)(void), int input, int output)
{
    *c = (struct child){0};
    fflush(stdout);

    const pid_t id = fork();

    CHECK(id >= 0);
    if (id == 0) {
        close(input);
        child_enter(run, output);
    }
    close(output);
    child_listen(c, input);
    close(input);
    child_wait(c, id);
}

static inline void child_run(struct child *c, void (*run)(void))
{
    int ends[2];

    CHECK(pipe(ends) == 0);
    child_run_on(c, run, ends[0], ends[1]);
}

static inline void child_release(struct child *c)
{
    text_release(&c->said);
}

#endif
