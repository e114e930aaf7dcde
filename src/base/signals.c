/*
 * signals.c - the handler and its flag. The state is file-scope because a handler can reach
 * nothing else; it belongs to the process, as signals do.
 */
#include "base/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/check.h"

static const char answer[] = "\nstopping after this round; a second signal stops at once\n";

/* Signals that ask a program to stop. Slurm sends SIGUSR1 where a script asks for a warning before
 * the time limit; SIGXCPU comes when a limit on processor time is reached. */
static const struct {
    int number;
    const char *name;
} stop_signals[] = {
    {SIGINT,  "SIGINT" },
    {SIGTERM, "SIGTERM"},
    {SIGHUP,  "SIGHUP" },
    {SIGUSR1, "SIGUSR1"},
    {SIGXCPU, "SIGXCPU"},
};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

static atomic_int stop_signal; /* the first one that came, 0 before */
static atomic_bool answers;    /* print a line when it comes */
static atomic_bool ignores_repeats;
static atomic_int parent; /* of a process that ignores repeats */

static void on_signal(int number)
{
    const int error = errno;
    int expected = 0;

    if (atomic_compare_exchange_strong(&stop_signal, &expected, number)) {
        if (atomic_load(&answers) && !atomic_load(&ignores_repeats) &&
            write(STDERR_FILENO, answer, sizeof answer - 1) < 0)
            errno = error; /* stderr is gone: the run stops all the same */
        errno = error;
        return;
    }
    /* A second signal to the parent ends it and its children at once. */
    if (atomic_load(&ignores_repeats) && getppid() == atomic_load(&parent))
        return;

    /* The second: end as if it had never been caught, so that the shell sees 128 + number. The
     * signal is blocked in its own handler and is delivered on return. */
    signal(number, SIG_DFL);
    raise(number);
}

void signals_catch(bool with_answer)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    atomic_store(&answers, with_answer);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction before;

        CHECK(sigaction(stop_signals[i].number, NULL, &before) == 0);
        /* nohup ignores SIGHUP: the run is to outlive its terminal */
        if (stop_signals[i].number != SIGHUP || before.sa_handler != SIG_IGN)
            CHECK(sigaction(stop_signals[i].number, &action, NULL) == 0);
    }
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* then write() says why */
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR); /* a reader that has gone does not end a run */
}

void signals_ignore_repeats(void)
{
    atomic_store(&parent, getppid());
    atomic_store(&ignores_repeats, true);
}

bool signals_stop_requested(void)
{
    return atomic_load_explicit(&stop_signal, memory_order_relaxed) != 0;
}

bool signals_is_stop(int number)
{
    bool found = false;

    for (int i = 0; i < STOP_SIGNALS; i++)
        found = found || stop_signals[i].number == number;
    return found;
}

const char *signals_stop_name(void)
{
    const int number = atomic_load_explicit(&stop_signal, memory_order_relaxed);

    for (int i = 0; i < STOP_SIGNALS; i++)
        if (stop_signals[i].number == number)
            return stop_signals[i].name;
    return "";
}
