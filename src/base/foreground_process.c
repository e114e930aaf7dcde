/*
 * foreground_process.c - see foreground_process.h. Between fork and exec only what is safe there.
 */
#include "base/foreground_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"

static void enter_child(char *const *argv, pid_t parent) __attribute__((noreturn));

/* A group of its own: Ctrl-C is for the parent alone. */
static void enter_child(char *const *argv, pid_t parent)
{
    const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(FOREGROUND_NOT_EXECUTED);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        (void)signal(caught[i], SIG_DFL);
    if (null >= 0)
        (void)dup2(null, STDIN_FILENO);
    (void)execvp(argv[0], argv);
    _exit(FOREGROUND_NOT_EXECUTED);
}

static int wait_for_end(pid_t child, int stop)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    bool is_passed = false;
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (signals_stop_requested() && !is_passed) {
            is_passed = true;
            (void)kill(child, stop);
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

enum status foreground_process_run(char *const *argv, int stop, struct child_end *end)
{
    const pid_t parent = getpid();

    signals_catch(true);
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, the kernel would not say how a child ended */

    const pid_t child = fork();

    if (child == 0)
        enter_child(argv, parent);
    if (child < 0)
        return FAIL(STATUS_IO, "cannot start a process: %s", strerror(errno));

    const int status = wait_for_end(child, stop);

    *end = (struct child_end){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
    };
    return STATUS_OK;
}
