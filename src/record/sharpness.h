/*
 * sharpness.h - sharpness.json of a run directory: how sharp the minimum is that its final model is
 * in (docs/reference/formats.md).
 */
#ifndef RECORD_SHARPNESS_H
#define RECORD_SHARPNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

enum { SHARPNESS_ITERATIONS = 20, SHARPNESS_DIRECTIONS = 10 };
#define SHARPNESS_RADIUS 0.05

/* Of the final model of a run. Texts are owned. */
struct sharpness {
    char *name;        /* of the run */
    char *dir;         /* its folder */
    char *key;         /* of what it was computed from */
    char *data;        /* what loss and rise are of */
    double loss;       /* on the test samples */
    double rise;       /* mean over random directions of radius 0.05, filter-normalised */
    double eigenvalue; /* largest of the Hessian of the training loss, on batches of worker 0 */
    int64_t batches;   /* of them */
};

struct sharpness_list {
    struct sharpness *items;
    int64_t count, reused; /* reused: of them, from the files of their runs */
};
void sharpness_list_release(struct sharpness_list *l);

/* The one of the run in this folder; NULL: it is not in the list, or there is none (l NULL). */
const struct sharpness *sharpness_find(const struct sharpness_list *l, const char *dir);

/* A list of objects. */
void sharpness_list_to_json(const struct sharpness_list *l, struct json *j, const char *key);

/* Into the folder of its run. */
enum status sharpness_write(const struct sharpness *s);

/* Takes the numbers that the folder of the run has of the same key; false: it has none. */
bool sharpness_reuse(struct sharpness *s);

#endif
