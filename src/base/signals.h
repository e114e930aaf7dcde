/*
 * signals.h - Ctrl-C, SIGTERM and a closed terminal as a question the training loop asks, not as an
 * end in mid-air.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP only set a flag; a second one ends the program at once. */
void signals_catch(void);
bool signals_stop_requested(void);
const char *signals_stop_name(void); /* "SIGINT", "SIGTERM", "SIGHUP", or "" */

#endif
