/*
 * graph_read.h - the lines of small files of numbers: edges and places.
 */
#ifndef COMM_GRAPH_READ_H
#define COMM_GRAPH_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { GRAPH_WORDS_MAX = 3 }; /* one more than a line may have, so that too many show */

/* A line without its comment (from '#' on), cut into words at blanks and tabs. */
struct graph_line {
    int64_t number; /* from 1 */
    int count;      /* at most GRAPH_WORDS_MAX */
    const char *words[GRAPH_WORDS_MAX];
    const char *where; /* what messages begin with: "edges.txt:3", or "graph.positions: place 2" */
};

/* For each line that has words; stops at the first failure. */
typedef enum status graph_line_taker(const struct graph_line *line, void *context);

/* A file, and a text whose lines end with commas or semicolons. */
enum status graph_read_file(const char *path, graph_line_taker *take, void *context);
enum status graph_read_text(const char *key, const char *text, graph_line_taker *take,
                            void *context);

#endif
