/*
 * number_lines.h - the lines of small files of numbers: edges and positions.
 */
#ifndef GRAPH_NUMBER_LINES_H
#define GRAPH_NUMBER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { NUMBER_LINE_WORDS_MAX = 3 }; /* one more than a line may have, so that too many show */

/* A line without its comment (from '#' on), cut into words at blanks and tabs. */
struct number_line {
    int64_t number; /* from 1 */
    int count;      /* at most NUMBER_LINE_WORDS_MAX */
    const char *words[NUMBER_LINE_WORDS_MAX];
    const char *where; /* what messages begin with: "edges.txt:3", or "graph.positions: place 2" */
};

/* For each line that has words; stops at the first failure. */
typedef enum status number_line_taker(const struct number_line *line, void *context);

/*
 * Options that may be given as a file keep what was in it, so that a run can be repeated when the
 * file is gone or has changed: reads *path, if it is given, into *content, and moves it to *source.
 */
enum status number_lines_embed(char **path, char **content, char **source);

/* A text of lines. They are those of a file, or end with commas or semicolons. */
struct number_lines {
    const char *text;
    const char *key;    /* "graph.positions", for messages */
    const char *source; /* the file that they were read from; NULL: none */
};
enum status number_lines_read(const struct number_lines *lines, number_line_taker *take,
                              void *context);

#endif
