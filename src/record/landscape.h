/*
 * landscape.h - a loss landscape as files: losses on a grid in a plane of weights, and along the
 * paths of runs. landscape.npy, landscape_path.npy and landscape.json (docs/reference/formats.md).
 */
#ifndef RECORD_LANDSCAPE_H
#define RECORD_LANDSCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"
#include "record/sharpness.h"
#include "record/snapshots.h"

/* A snapshot of a run, and its projection on the plane. */
struct landscape_point {
    struct snapshot_time time;
    double x, y;       /* of the projection */
    double distance;   /* from the plane */
    double loss;       /* of the snapshot */
    double plane_loss; /* of the projection */
};

/* The points of a run are consecutive. */
struct landscape_run {
    char *name;
    int64_t first, count;
};

struct landscape {
    char *title;
    char *directions;    /* "pca", "random", "filter" */
    char *data;          /* what the loss is of: "1000 test samples of mnist" */
    char *key;           /* of what it was computed from */
    double explained[2]; /* share of the variance along each direction; NaN: not pca */
    int recalibrated;    /* batches for BatchNorm's statistics at every point; 0: there are none */
    int64_t grid;        /* points along a side */
    double *x, *y;       /* [grid] */
    double *losses;      /* [grid of y][grid of x] */
    int64_t point_count;
    struct landscape_point *points;
    int64_t run_count;
    struct landscape_run *runs;
    const struct sharpness_list *sharpness; /* of final models; borrowed; NULL: not measured */
};

void landscape_release(struct landscape *l);

/* The place of the lowest finite loss on the grid; -1: there is none. */
int64_t landscape_minimum(const struct landscape *l);

/* Everything, as an object. */
void landscape_to_json(const struct landscape *l, struct json *j, const char *key);

/* The three files in a folder. */
enum status landscape_write(const struct landscape *l, const char *folder);

/* Losses that a folder has of the same key, into those of l; false: it has none. */
bool landscape_reuse(struct landscape *l, const char *folder);

#endif
