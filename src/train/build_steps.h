/*
 * build_steps.h - steps from a run config to a run that may fail besides the problem's own
 * (problem/problem_plan.h). Private to build.c, which takes them for a run, and dry_run.c, which
 * takes them for many: so what a dry run finds is what the run would have found.
 */
#ifndef TRAIN_BUILD_STEPS_H
#define TRAIN_BUILD_STEPS_H

#include "train/build.h"

/* Whether the algorithm accepts its options, the optimiser and b->topology_facts. */
enum status build_step_algorithm(const struct build *b);

/* The graph of workers that move, in place of b->topology; needs the plan. */
enum status build_step_motion(struct build *b);

/* Threads of an evaluation, for which all workers wait. */
int build_step_wide_threads(const struct build *b);

/* The scratch of the workers of this process. scratch_pool_free. */
struct scratch_pool *build_step_scratch(const struct build *b, const struct build_size *size);

/* Whether answers can be right or wrong, where that is to be recorded; needs the plan. */
enum status build_step_answers(const struct build *b);

/* Threads of a worker, and whether all fits in memory: needs plan and topology_facts. */
enum status build_step_memory(struct build *b, const struct build_size *size);

#endif
