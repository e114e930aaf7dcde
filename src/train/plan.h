/*
 * plan.h - the steps from an experiment to the parts of its run, each of which may refuse. Private
 * to build.c, which takes all of them for a run, and rehearse.c, which takes them for many runs and
 * those that come to the same only once: so what a rehearsal finds is what the run would have
 * found.
 */
#ifndef TRAIN_PLAN_H
#define TRAIN_PLAN_H

#include "train/build.h"

/* What the algorithm has against its options, the optimiser and b->links. */
enum status plan_algorithm(const struct build *b);

/* The data set, or all of it but the inputs. dataset_free. */
enum plan_depth { PLAN_ALL, PLAN_OUTLINE };
enum status plan_data(const struct experiment *e, enum plan_depth depth, struct dataset **dataset);

/* Fills in what the experiment leaves to model and data, and how inputs are made: needs dataset. */
enum status plan_inputs(struct build *b);

/* Who has which samples: split, partition, and the size of a batch. Needs dataset. */
enum status plan_deal(struct build *b);

/* The size of a batch alone, where the largest part is known. */
void plan_batch(struct build *b, int64_t largest);

/* The network for these inputs. model_free. */
enum status plan_model(const struct build *b, struct model **model);

/* The loss, and whether it suits the targets. */
enum status plan_loss(struct build *b);

/* Threads of a worker, and whether all fits in memory: needs model, batch and links. */
enum status plan_memory(struct build *b, const struct build_size *size);

#endif
