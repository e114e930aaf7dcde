/*
 * solo.c - every worker trains alone on its own part of the data, and says nothing to anybody: what
 * algorithms over graphs are compared with.
 *
 *     x_i  <-  x_i - a_k direction(grad f_i(x_i; batch k))
 *
 * Each worker's model is evaluated. psgd.c is the same with one average at the end.
 */
#include "algo/list.h"

const struct algo_ops solo_algo = {
    .entry = {.name = "solo",
              .summary = "every worker trains alone on its own samples: a baseline"},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OWN,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "0",
    .round = worker_local_step,
};
