/*
 * child_process.h - another program as a child of this process: started, listened to, stopped.
 *
 * The child has no input and no output; what it writes to stderr is read here. It ignores SIGPIPE,
 * so that it can save its work when nobody reads any more.
 */
#ifndef BASE_CHILD_PROCESS_H
#define BASE_CHILD_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/text.h"

struct child_process {
    pid_t pid;    /* 0: none */
    int messages; /* its stderr, to be polled; -1: closed */
};

struct child_setup {
    const char *program; /* "/proc/self/exe" is this program */
    char *const *argv;   /* ends with NULL; the first is the program's name */
    int part, parts;     /* its share of this process's cores: see cores_share */
};

/*
 * The child gets SIGTERM when the thread that calls this ends, also when it is killed. A program
 * that cannot be executed is a child that says so and ends with exit code 127.
 */
enum status child_process_start(struct child_process *c, const struct child_setup *setup);

/* Adds what it has written since; does not wait. */
void child_process_read(struct child_process *c, struct text *out);

/* Asks it to end (SIGTERM). */
void child_process_stop(const struct child_process *c);

struct child_end {
    int exit_code; /* -1: a signal ended it */
    int signal;    /* 0: it ended by itself */
};

/* Whether it has ended. Once it has, its last messages are added to `out` and it is forgotten. */
bool child_process_has_ended(struct child_process *c, struct text *out, struct child_end *end);

/* "killed by signal 9 (perhaps out of memory)", "ended with exit code 1" */
void child_end_words(const struct child_end *end, struct text *out);

#endif
