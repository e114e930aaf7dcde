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
#include "algo/parts/ps.h"

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
              .also = "ps parameter-server",
              .summary = "a server that applies the gradients of all workers together"},
    .kind = ALGO_SERVER_BASED,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * W * (4 * S + 128)",
    .bytes_once = "0 .. W * 128",
    .message_count = 1,
    .number_count = sync_number_count,
    .begin = ps_begin,
    .round = sync_round,
    .serve = ps_serve_all,
    .dismiss = ps_dismiss_all,
    .end = ps_end,
};
