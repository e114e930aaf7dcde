/*
 * signals.c - the handler and its flag. The flag is file-scope state because a handler can reach
 * nothing else; it belongs to the process, as signals do.
 */
#include "base/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/check.h"

static atomic_int stop_signal; /* the first one that came, 0 before */

static void on_signal(int number)
{
    int expected = 0;

    if (atomic_compare_exchange_strong(&stop_signal, &expected, number))
        return;

    /* The second: end as if it had never been caught, so that the shell sees 128 + number. The
     * signal is blocked in its own handler and is delivered on return. */
    signal(number, SIG_DFL);
    raise(number);
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    struct sigaction hangup;

    CHECK(sigaction(SIGINT, &action, NULL) == 0);
    CHECK(sigaction(SIGTERM, &action, NULL) == 0);
    CHECK(sigaction(SIGHUP, NULL, &hangup) == 0);
    if (hangup.sa_handler != SIG_IGN) /* nohup asked to go on without a terminal */
        CHECK(sigaction(SIGHUP, &action, NULL) == 0);
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* then write() says why */
}

bool signals_stop_requested(void)
{
    return atomic_load_explicit(&stop_signal, memory_order_relaxed) != 0;
}

const char *signals_stop_name(void)
{
    switch (atomic_load_explicit(&stop_signal, memory_order_relaxed)) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "";
    }
}
