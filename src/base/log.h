/*
 * log.h - talk: on stderr, and in log.txt of the run with time and worker. Results go to stdout and
 * are not logged here. The sink is one of the two mutable globals of the program (style, rule 11).
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

enum log_level { LOG_DETAIL, LOG_INFO, LOG_WARNING, LOG_ERROR };

void log_say(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_info(...)    log_say(LOG_INFO, __VA_ARGS__)
#define log_warning(...) log_say(LOG_WARNING, __VA_ARGS__)

/* What is below `level` does not reach stderr (it still reaches the file). */
void log_set_level(enum log_level level);

/* Copies every line, with time and worker, to the end of this file until log_close_file. */
enum status log_open_file(const char *path);
void log_close_file(void);

/* The worker number that this thread's lines get in the file; 0 before. */
void log_set_worker(int worker);

/*
 * The progress line: rewritten in place on a terminal; elsewhere a plain line, at most one every
 * ten seconds unless `final`. log_say first ends a line that stands half-way. Quiet below LOG_INFO.
 */
void log_progress(const char *line, bool final);

/* What a progress line on stderr begins with, where a run is one of several: written anew for each
 * line, by the thread that shows it. NULL: nothing. */
typedef void log_prefix(const void *context, struct text *line);
void log_set_progress_prefix(log_prefix *prefix, const void *context);

/* Whether stderr wants colours: a terminal, unless NO_COLOR, CLICOLOR_FORCE or TERM=dumb decide. */
bool log_has_colour(void);

#endif
