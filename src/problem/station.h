/*
 * station.h - where a worker computes: threads, activations and the arrays of one batch.
 *
 * Nothing in a station outlives a computation, so it belongs to whoever computes at the moment: a
 * thousand workers of which two compute at once cost two stations. The one given back last is taken
 * first, because its memory is still in cache.
 */
#ifndef PROBLEM_STATION_H
#define PROBLEM_STATION_H

#include "data/dataset.h"
#include "nn/model.h"

struct station {
    struct team *team;
    struct workspace *work; /* for a piece */
    int32_t *labels;        /* [batch], or NULL: targets are numbers */
    float *targets;         /* [batch][target_size], or NULL */
    float *losses;          /* [batch] */
    int64_t *numbers;       /* [batch], of the samples of an evaluation */
    struct station *next;   /* private to station.c */
};

/* The stations of a process. */
struct stations;

/* For batches of at most `batch` samples of a data set, each with a team of `threads`. Model and
 * data set are borrowed. No station is made before it is taken. */
struct stations *stations_new(const struct model *model, const struct dataset *dataset,
                              int64_t batch, int threads);
void stations_free(struct stations *s); /* after all are given back; accepts NULL */

/* Thread-safe. Makes a station when none is free; never waits for one. */
struct station *station_take(struct stations *s);
void station_give(struct stations *s, struct station *station);

/* What they were made for. */
const struct model *stations_model(const struct stations *s);
int64_t stations_batch(const struct stations *s);
int64_t stations_piece(const struct stations *s); /* samples that go through the model at once */
int stations_threads(const struct stations *s);

/* How many have been made: the most that were ever in use at once. */
int stations_made(struct stations *s);

/* The memory of one station for these sizes. */
int64_t station_bytes(const struct model *model, const struct dataset *dataset, int64_t batch,
                      int threads);

#endif
