/*
 * signals.h - signals that ask the program to stop, as a flag that the training loop reads between
 * rounds.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <stdbool.h>

/*
 * From now on the first SIGINT, SIGTERM, SIGHUP, SIGUSR1 or SIGXCPU only sets a flag; a second one
 * ends the program at once. with_answer: the first one also prints a line, at once, because a round
 * may take long. SIGPIPE is ignored: writes to a closed pipe fail, and the run continues.
 */
void signals_catch(bool with_answer);

/* From now on only the first one counts while the parent lives, and it is not answered: for a child
 * process, which its parent stops and to which others may send the same signal (Ctrl-C, a batch
 * system), and which gets one more when its parent has ended. */
void signals_ignore_repeats(void);

bool signals_stop_requested(void);
bool signals_is_stop(int number);    /* whether it is one of these signals */
const char *signals_stop_name(void); /* of the first one, "SIGINT"; or "" */

#endif
