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

/* A file, and a text whose lines end with commas or semicolons. */
enum status number_lines_read_file(const char *path, number_line_taker *take, void *context);
enum status number_lines_read_text(const char *key, const char *text, number_line_taker *take,
                                   void *context);

#endif
