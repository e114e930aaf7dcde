/*
 * problem_plan.h - the plan of a problem: what all workers of a process share of it. It is made
 * from a setting and then only read: data, model, who has which samples, how long an epoch is.
 *
 * What train/ needs to know of a problem is in the common part. An implementation embeds that as
 * its FIRST member and fills it in; problem_plan_count computes what follows from the rest.
 */
#ifndef PROBLEM_PROBLEM_PLAN_H
#define PROBLEM_PROBLEM_PLAN_H

#include "problem/plan_cache.h"
#include "problem/problem.h"
#include "problem/problem_setting.h"

struct broken_samples; /* data/broken_samples.h */

struct problem_plan {
    const struct problem_ops *ops;
    const char *name;                   /* of what is trained, "lenet5"; borrowed */
    const char *data_name;              /* of what it is trained on, "mnist"; NULL: no data */
    struct tensor_layout layout;        /* of the state; the tensors have names, files need them */
    int64_t part_counts[PROBLEM_PARTS]; /* samples of an evaluation */

    int workers;
    const int64_t *worker_samples;  /* [workers]: of each in an epoch */
    int64_t classes;                /* 0: none */
    const char *const *class_names; /* [classes], or NULL */
    double chance;            /* test accuracy of the best constant answer; NaN: no such thing */
    double base_loss;         /* test loss of the best constant answer; 0: not known */
    double validation_chance; /* the same two of the validation part */
    double validation_base_loss;
    struct problem_cost cost; /* of a gradient */
    double data_bytes;        /* memory of the data, without batches that are read in advance */
    uint64_t partition_hash;  /* 0: no partition */
    struct broken_samples *broken; /* of this process; borrowed; NULL: none may be broken */

    /* Set by problem_plan_count. */
    int64_t batch;         /* samples in a worker's mini-batch */
    int64_t micro_batch;   /* samples of it that are computed at once, at most `batch` */
    int64_t epoch_batches; /* of each synchronous worker; 0: each has its own number */
    int64_t all_batches;   /* of all workers in one pass of each over its samples */
};

/* A plan that is only to be checked: large inputs are not read, and what several plans have in
 * common is in the cache, which must outlive them. */
struct problem_dry_run {
    struct plan_cache *cache;
    bool may_lack_data; /* data that are not there are no mistake: there is no plan then */
};

/* What can be wrong before any data is read. */
enum status problem_check(const struct problem_setting *s);

/* dry: NULL for a plan to train with. *plan stays NULL on failure and where the data lack. */
enum status problem_plan_new(const struct problem_setting *s, const struct problem_dry_run *dry,
                             struct problem_plan **plan);
void problem_plan_free(struct problem_plan *p); /* accepts NULL */

/* For implementations: batch and batches, from workers, worker_samples and the setting. */
void problem_plan_count(struct problem_plan *p, const struct problem_setting *s);

/* A batch of this size in words: "256", or "256 in parts of 64"; mem_free. */
char *problem_plan_batch_text(const struct problem_plan *p, int64_t batch);

/* Batches of a worker in one pass over its samples. */
int64_t problem_plan_batches(const struct problem_plan *p, int worker);

/* Makes what workers compute with; teams is borrowed. Once, before problem_new. */
void problem_plan_start(struct problem_plan *p, struct team_pool *teams);

/* The problem of one worker; batches_tracked [layout.tracked_count] are the worker's. */
struct problem *problem_new(const struct problem_plan *p, int worker, int64_t *batches_tracked);

/* A problem that draws no batches: it initializes, evaluates and recalibrates, with so many
 * threads. */
struct problem *problem_new_evaluator(const struct problem_plan *p, int threads);

/* A checksum of the data: processes with the same one train on the same. */
uint32_t problem_fingerprint(const struct problem_plan *p);

/* Sizes of batches as in the plan. */
struct problem_batch {
    int64_t size, micro_batch;
};

/* The memory, in bytes, of one that computes such batches with so many threads, besides its
 * vectors; and of the batches that all workers read in advance. */
double problem_memory(const struct problem_plan *p, struct problem_batch batch, int threads);
double problem_memory_ahead(const struct problem_plan *p, struct problem_batch batch);

/* Images of one size, one byte for each channel of a pixel; borrowed from the plan. */
struct problem_images {
    int64_t count, height, width, channels; /* 1 channel is grey, 3 are RGB */
    const uint8_t *pixels;                  /* [count][height][width][channels] */
};

/* The first training samples as they are in the data set, at most so many; false: they are not
 * images. */
bool problem_images(const struct problem_plan *p, int64_t most, struct problem_images *images);

/* The samples of PART_MAP as a picture. The point in column c and row r is at
 * (left + c step_x, top + r step_y), in the plane of problem_position. */
struct problem_map {
    int64_t height, width;
    double left, top, step_x, step_y;
    const float *inputs;  /* [height][width][2], row by row; borrowed */
    const float *targets; /* [height][width] in [0, 1]: what the outputs should be; borrowed */
};

/* false: the problem has no map. */
bool problem_map(const struct problem_plan *p, struct problem_map *map);

/*
 * map[height][width] <- numbers that belong to the values of the state's grids, one grid after the
 * other, at the points of the map: interpolated between the grid's places like the values, and the
 * mean over all values of a place. With values NULL, map is not written. false: no grid lies over
 * the map.
 */
bool problem_grid_map(const struct problem_plan *p, const float *values, float *map);

/* Where a worker is at its draw number `draw` of the run, from 0; false: workers have no places. */
bool problem_position(const struct problem_plan *p, int worker, int64_t draw, double *xy);

/* What a worker sees from where it is: the ends of beams that it has sent out from there. */
struct problem_scan {
    int64_t number; /* among those of the worker */
    double x, y;    /* where it was made, as problem_position */
    int64_t beams;
    const float *ends; /* [beams][2]; borrowed */
};

/* That of a worker at its draw number `draw`; false: workers have none. */
bool problem_scan(const struct problem_plan *p, int worker, int64_t draw,
                  struct problem_scan *scan);

/* Files about the plan in the directory of a new run: partition.json, partition.txt. */
enum status problem_write_files(const struct problem_plan *p, const char *run_dir);

#endif
