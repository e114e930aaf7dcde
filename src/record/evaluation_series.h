/*
 * evaluation_series.h - what a run measured, as a table of evaluations for other programs: a list
 * of series, each with a number, a vector or a matrix per evaluation.
 *
 * Names are those of study S001 where it has one. Read from metrics.jsonl, consensus.jsonl,
 * correct.jsonl and graph.jsonl of a run directory.
 */
#ifndef RECORD_EVALUATION_SERIES_H
#define RECORD_EVALUATION_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* values [evaluations][dims[0]][dims[1]], as far as rank says. NaN: not measured. */
struct named_series {
    const char *name;
    bool is_count;     /* whole numbers */
    int rank;          /* of one evaluation: 0, 1 or 2 */
    bool is_symmetric; /* rank 2: of pairs of nodes */
    int64_t dims[2];
    int64_t size; /* the product of dims */
    double *values;
};

enum { NAMED_SERIES_MAX = 20 };

/* Answers of robots on a mesh over the floor plan, at some evaluations. */
struct map_series {
    int64_t count, robots, points;
    double *values; /* [count][robots][points] */
    double *inputs; /* [points][2]: where they are */
};

struct evaluation_series {
    int64_t evaluations;
    int64_t nodes; /* whose models were evaluated each; 1: that of the run */
    int series_count;
    struct named_series series[NAMED_SERIES_MAX];
    int64_t edge_count;
    double *edges;          /* [edge_count][2], of the first round's graph */
    int64_t samples;        /* whose answers were recorded; 0: of none */
    uint8_t *correct;       /* [evaluations][nodes][samples]: whether a node's answer is right */
    struct map_series maps; /* written to .pt only; count 0: none */
};

#define CORRECT_SERIES "validation_as_vector" /* their name in files, as in S001 */

enum status evaluation_series_read(struct evaluation_series *r, const char *run_dir);

/* Adds the maps of maps.bin, all or the last; a missing file is an error. */
enum status evaluation_series_read_maps(struct evaluation_series *r, const char *run_dir,
                                        bool only_last);

/* Instead of evaluations: all maps of maps.bin, with their rounds and epochs, the links then, and
 * the positions of robots that have them. */
enum status evaluation_series_of_maps(struct evaluation_series *r, const char *run_dir);
void evaluation_series_release(struct evaluation_series *r);

/* A file of PyTorch's, of numpy's, or a table: write, fsync, rename. */
enum status evaluation_series_write_pt(const struct evaluation_series *r, const char *path);
enum status evaluation_series_write_npz(const struct evaluation_series *r, const char *path);
enum status evaluation_series_write_csv(const struct evaluation_series *r, const char *path);

/* Multiplies what a series measured; fine without such a series. */
void evaluation_series_scale(struct evaluation_series *r, const char *name, double factor);

/* --- private to evaluation_series_*.c --- */

/* A series of this name and shape, of which nothing is measured. */
struct named_series *evaluation_series_add(struct evaluation_series *r,
                                           const struct named_series *shape);

/* Positions and links at each evaluation, where nodes have positions; else nothing, or the links
 * alone. */
enum status evaluation_series_add_places(struct evaluation_series *r, const char *run_dir,
                                         bool wants_links);

/* Values as little-endian 64-bit floats or whole numbers, of
 * which -1 was not measured; mem_free. */
void *evaluation_series_bytes(const double *values, int64_t count, bool is_count);

#endif
