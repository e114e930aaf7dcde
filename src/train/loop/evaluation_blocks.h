/*
 * evaluation_blocks.h - one evaluation shared by all workers: each has some of the blocks, and all
 * get the result, with the bits of an evaluation by one of them.
 */
#ifndef TRAIN_LOOP_EVALUATION_BLOCKS_H
#define TRAIN_LOOP_EVALUATION_BLOCKS_H

#include "comm/transport.h"
#include "problem/problem.h"

/* What is evaluated. */
struct evaluation_request {
    struct problem *problem; /* this worker's, or an evaluator of its process */
    const float *state;      /* the same values for every worker */
    enum problem_part part;
    bool can_be_cut; /* when a worker's process is to stop; then all answer STATUS_INTERRUPTED */
};

/*
 * All workers call it together, with the same state and part. result->confusion is NULL for all of
 * them or for none. The sums that they exchange are control sums: they are not counted.
 */
enum status evaluation_blocks_share(struct transport *t, const struct evaluation_request *request,
                                    struct evaluation *result);

#endif
