/*
 * broken_samples.h - samples that could not be read while a run used them: how many may be, and
 * which they were.
 */
#ifndef DATA_BROKEN_SAMPLES_H
#define DATA_BROKEN_SAMPLES_H

#include <stdbool.h>

#include "data/sample_source.h"

/* Of a process; thread-safe. */
struct broken_samples;

struct broken_samples *broken_samples_new(int64_t limit);
void broken_samples_free(struct broken_samples *b); /* accepts NULL */

/*
 * A sample could not be read, with this thread's last message. The first time that is a warning,
 * which names the file. More samples than the limit are an error.
 */
enum status broken_samples_note(struct broken_samples *b, const struct sample_source *source,
                                int64_t number, enum status status);

int64_t broken_samples_count(struct broken_samples *b); /* different ones */

/* The paths of the files of broken samples, each once: the first ones by their bytes (mem_free).
 * Answers how many. */
int64_t broken_samples_paths(struct broken_samples *b, char **paths, int64_t most);

/* "error" or "skip:N": N is the limit; -1 for error. */
enum status broken_samples_parse(const char *text, int64_t *limit);

#endif
