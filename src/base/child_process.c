/*
 * child_process.c - fork and exec. Between the two only what is safe after a fork of a process with
 * threads: everything is prepared before.
 */
#include "base/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/cores.h"
#include "base/mem.h"

enum { EXIT_NOT_EXECUTED = 127 };

/* --- what the child begins with --- */

struct beginning {
    const struct child_setup *setup;
    char **environment;
    cpu_set_t cores;
    bool has_cores;
    int null, messages;
    pid_t parent;
    sigset_t mask; /* of this process */
};

/* That of this process, without colours. */
static char **make_environment(void)
{
    static char no_color[] = "NO_COLOR=1";
    int64_t count = 0;

    while (environ[count] != NULL)
        count++;
    char **copy = MEM_NEW_N(char *, count + 2);
    memcpy(copy, environ, (size_t)count * sizeof *copy);
    copy[count] = no_color;
    return copy;
}

/* --- the child --- */

/* A signal that came since the fork is not for the handlers of the parent: it ends the child. */
static void reset_signals(const struct beginning *b)
{
    const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};
    struct sigaction action;

    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (sigaction(caught[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)signal(caught[i], SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &b->mask, NULL);
}

static void enter_child(const struct beginning *b) __attribute__((noreturn));

static void enter_child(const struct beginning *b)
{
    static const char message[] = "error: the program cannot be executed\n";

    /* A parent that ended before this call sends no signal: then it is no longer the parent. */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != b->parent)
        _exit(EXIT_NOT_EXECUTED);
    reset_signals(b);
    if (dup2(b->null, STDIN_FILENO) >= 0 && dup2(b->null, STDOUT_FILENO) >= 0 &&
        dup2(b->messages, STDERR_FILENO) >= 0) {
        if (b->has_cores)
            (void)sched_setaffinity(0, sizeof b->cores, &b->cores);
        (void)execve(b->setup->program, b->setup->argv, b->environment);
    }
    const ssize_t n = write(b->messages, message, sizeof message - 1);
    (void)n;
    _exit(EXIT_NOT_EXECUTED);
}

/* --- the parent --- */

static enum status start(struct child_process *c, struct beginning *b)
{
    int ends[2];
    sigset_t all;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return FAIL(STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    b->messages = ends[1];
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, the kernel would not say how a child ended */
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, &b->mask) == 0);
    c->pid = fork();
    if (c->pid == 0)
        enter_child(b);

    const int error = errno;

    CHECK(pthread_sigmask(SIG_SETMASK, &b->mask, NULL) == 0);
    (void)close(ends[1]);
    if (c->pid < 0) {
        c->pid = 0;
        (void)close(ends[0]);
        return FAIL(STATUS_IO, "cannot start a process: %s", strerror(error));
    }
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    c->messages = ends[0];
    return STATUS_OK;
}

enum status child_process_start(struct child_process *c, const struct child_setup *setup)
{
    struct beginning b = {.setup = setup, .parent = getpid()};

    *c = (struct child_process){.messages = -1};
    b.null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (b.null < 0)
        return FAIL(STATUS_IO, "/dev/null: cannot open it: %s", strerror(errno));
    b.environment = make_environment();
    b.has_cores = cores_share(setup->part, setup->parts, &b.cores);
    const enum status s = start(c, &b);
    mem_free(b.environment);
    (void)close(b.null);
    return s;
}

void child_process_read(struct child_process *c, struct text *out)
{
    char bytes[4096];

    while (c->messages >= 0) {
        const ssize_t n = read(c->messages, bytes, sizeof bytes);

        if (n > 0) {
            text_add_n(out, bytes, (size_t)n);
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            (void)close(c->messages);
            c->messages = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void child_process_stop(const struct child_process *c)
{
    if (c->pid > 0)
        (void)kill(c->pid, SIGTERM);
}

bool child_process_has_ended(struct child_process *c, struct text *out, struct child_end *end)
{
    int status = 0;

    CHECK(c->pid > 0);
    const pid_t found = waitpid(c->pid, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR))
        return false;
    CHECK(found == c->pid);
    *end = (struct child_end){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
    };
    child_process_read(c, out);
    if (c->messages >= 0)
        (void)close(c->messages);
    *c = (struct child_process){.messages = -1};
    return true;
}

void child_end_words(const struct child_end *end, struct text *out)
{
    if (end->signal == SIGKILL)
        text_addf(out, "killed by signal %d (perhaps out of memory)", end->signal);
    else if (end->signal != 0)
        text_addf(out, "killed by signal %d (%s)", end->signal, strsignal(end->signal));
    else
        text_addf(out, "ended with exit code %d", end->exit_code);
}
