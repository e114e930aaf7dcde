/*
 * supervised_plan.h - the plan of `supervised`: data set, split, partition, model, loss. For what
 * knows that it has a network and samples (muster bench); train/ needs the common part only.
 */
#ifndef PROBLEM_SUPERVISED_PLAN_H
#define PROBLEM_SUPERVISED_PLAN_H

#include "data/partition.h"
#include "problem/problem_plan.h"
#include "problem/supervised.h"

struct supervised_options {
    char *loss; /* NULL: the model's */
};

extern const struct field supervised_fields[];

struct supervised_plan {
    struct problem_plan base; /* first */
    uint64_t seed;
    enum uneven uneven;
    struct dataset *dataset; /* of a dry run: the cache's, as the model is */
    struct validation_split split;
    struct gather gather;
    struct model *model;
    const struct loss_ops *loss;
    struct partition partition;    /* of a dry run: none */
    int64_t *counts;               /* [workers] samples of each */
    struct lidar_windows *windows; /* [workers] of data that come in windows; else NULL */
    bool is_by_group;              /* worker i has group i of the data */
    bool is_dry_run;
    struct compute_pool *pool; /* compute contexts of the workers */
    struct loader *loader;     /* of training samples that must be prepared; else NULL */
    int loaders;               /* its threads */
    int64_t ahead;             /* batches that it prepares in advance */
};

/* NULL: the plan of another problem. */
const struct supervised_plan *supervised_plan_find(const struct problem_plan *p);

/* How samples are read and augmented, for the gather of the plan, which has sizes and data. */
enum status supervised_plan_preparation(struct supervised_plan *p, const struct data_options *o);

/* The loader of the plan's workers, where there is something to load. */
void supervised_plan_start_loader(struct supervised_plan *p);

/* Windows of workers, for data that come in windows; the rest of the plan is made. */
enum status supervised_plan_windows(struct supervised_plan *p, const struct problem_setting *s);
void supervised_windows_free(struct supervised_plan *p);

/* Where the robot of a worker is at its draw number `draw`: x and y. */
bool supervised_position(const struct problem_plan *p, int worker, int64_t draw, double *xy);
bool supervised_scan(const struct problem_plan *p, int worker, int64_t draw,
                     struct problem_scan *scan);

/* What constant answers achieve, for the plan, which has data, split and loss. */
void supervised_set_baseline(struct supervised_plan *p);

/* The ops of problem.h about plans. */
enum status supervised_check(const struct problem_setting *s);
enum status supervised_plan_new(const struct problem_setting *s, const struct problem_dry_run *dry,
                                struct problem_plan **plan);
void supervised_plan_free(struct problem_plan *p);
void supervised_plan_start(struct problem_plan *p, struct team_pool *teams);
struct problem *supervised_plan_problem(const struct problem_plan *p, int worker,
                                        int64_t *batches_tracked);
struct problem *supervised_plan_evaluator(const struct problem_plan *p, int threads);
uint32_t supervised_fingerprint(const struct problem_plan *p);
double supervised_memory(const struct problem_plan *p, struct problem_batch batch, int threads);
double supervised_memory_ahead(const struct problem_plan *p, struct problem_batch batch);
bool supervised_images(const struct problem_plan *p, int64_t most, struct problem_images *images);
bool supervised_map(const struct problem_plan *p, struct problem_map *map);
bool supervised_grid_map(const struct problem_plan *p, const float *values, float *map);
enum status supervised_write_files(const struct problem_plan *p, const char *run_dir);

#endif
