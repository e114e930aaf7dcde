/*
 * ps_sync.c - synchronous SGD with a parameter server: in every round each worker computes the
 * gradient of its batch at the server's model, and the server takes one step with their sum.
 *
 *     x  <-  x - a_k direction(sum_p grad f_p(x; batch k of worker p) / samples of all batches)
 *
 * The sum is in rank order, so the bits are those of `sync`. Not here: messages and arithmetic
 * (ps.c).
 */
#include "algo/list.h"
#include "algo/ps.h"

static int sync_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    return is_server ? PS_NUMBERS : 0;
}

static enum status sync_round(struct worker *w)
{
    return ps_round(w, PS_BATCH_ALL);
}

const struct algo_ops ps_sync_algo = {
    .entry = {.name = "ps-sync",
              .summary = "a server that steps with the gradients of all workers together"},
    .kind = ALGO_SERVED,
    .view = ALGO_VIEW_SAME,
    .number_count = sync_number_count,
    .begin = ps_begin,
    .round = sync_round,
    .serve = ps_serve_all,
    .dismiss = ps_dismiss_all,
    .end = ps_end,
};
