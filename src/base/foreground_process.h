/*
 * foreground_process.h - another program in place of this one: its output is ours, and we wait for
 * it.
 */
#ifndef BASE_FOREGROUND_PROCESS_H
#define BASE_FOREGROUND_PROCESS_H

#include "base/child_process.h"

/* How a child says that it could not be executed. */
enum { FOREGROUND_NOT_EXECUTED = 127 };

/*
 * Runs argv[0], which is searched for in $PATH, without input, and waits for its end. The first
 * signal to stop (signals.h) is passed on as `stop`; a second one ends this process. Ctrl-C reaches
 * this process only. When this process is killed, the child gets SIGTERM.
 */
enum status foreground_process_run(char *const *argv, int stop, struct child_end *end);

#endif
