/*
 * dirichlet.c - each class dealt in proportions of its own, drawn from Dirichlet(alpha, ...,
 * alpha).
 *
 *     p_kw = g_kw / sum_v g_kv,   g_kw ~ Gamma(alpha, 1)
 *
 * Small alpha: a class goes to few workers; large alpha: nearly equal shares. A draw that leaves a
 * worker with fewer than `minimum` samples is repeated, `attempts` times at most; then samples move
 * from the workers that have the most.
 *
 * Hsu, Qi, Brown: "Measuring the effects of non-identical data distribution for federated visual
 * classification", 2019. Gamma: Marsaglia, Tsang: "A simple method for generating gamma variables",
 * 2000; below alpha = 1 by g(alpha) = g(alpha + 1) u^(1 / alpha), in logarithms, as the power
 * underflows where alpha is small.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/portable_math.h"
#include "base/rng.h"
#include "data/partition_list.h"

struct dirichlet_opts {
    double alpha;
    int64_t attempts, minimum;
};

static const struct field dirichlet_fields[] = {
    FIELD_REAL(struct dirichlet_opts, alpha, 0.5, 1e-3, 1e6,
               "how even the shares of a class are (small: few workers have it)"),
    FIELD_INT(struct dirichlet_opts, attempts, 10, 1, 1000,
              "draws until every worker has `minimum` samples; then samples are moved"),
    FIELD_INT(struct dirichlet_opts, minimum, 1, 1, 1e9, "samples that every worker has at least"),
    FIELD_LAST,
};

enum { GAMMA_TRIES = 1000 }; /* each succeeds with probability over 0.95 */

/* log of a Gamma(shape, 1) number, shape >= 1. */
static double log_gamma_number(const struct rng *r, uint64_t index, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (uint32_t i = 0; i < GAMMA_TRIES; i++) {
        const double x = rng_normal(r, index, 2 * i);
        const double u = 1 - rng_uniform(r, index, 2 * i + 1); /* (0, 1] */
        const double root = 1 + c * x, v = root * root * root;

        if (root > 0 && portable_log(u) < 0.5 * x * x + d * (1 - v + portable_log(v)))
            return portable_log(d * v);
    }
    return portable_log(shape); /* the mean */
}

/* Proportions of one class; shares[workers] sum to 1. */
static void draw_shares(const struct rng *r, int64_t label, double alpha,
                        const struct partition_request *q, double *shares)
{
    double largest = -(double)INFINITY, sum = 0;

    for (int w = 0; w < q->workers; w++) {
        const uint64_t index = (uint64_t)label << 32 | (uint32_t)w;

        if (alpha >= 1) {
            shares[w] = log_gamma_number(r, index, alpha);
        } else {
            const double u = 1 - rng_uniform(r, index, UINT32_MAX);

            shares[w] = log_gamma_number(r, index, alpha + 1) + portable_log(u) / alpha;
        }
        largest = fmax(largest, shares[w]);
    }
    for (int w = 0; w < q->workers; w++)
        sum += shares[w] = portable_exp(shares[w] - largest);
    for (int w = 0; w < q->workers; w++)
        shares[w] /= sum;
}

/* Cuts a class, in its random order, at the rounded partial sums of the shares. */
static void assign_by_shares(struct assignment *d, const int64_t *list, int64_t count,
                             const double *shares, int workers)
{
    double sum = 0;
    int64_t at = 0;

    for (int w = 0; w < workers; w++) {
        sum += shares[w];

        const int64_t end = w == workers - 1 ? count : (int64_t)(sum * (double)count + 0.5);

        for (; at < end && at < count; at++)
            d->owners[list[at]] = w;
    }
}

static void attempt_deal(const struct dirichlet_opts *opts, const struct partition_request *q,
                         const struct partition_classes *c, int64_t attempt, struct assignment *d)
{
    const struct rng r = rng_make(q->seed, RNG_PARTITION, PARTITION_DIRICHLET + (uint32_t)attempt);
    double *shares = MEM_NEW_N(double, q->workers);

    for (int64_t k = 0; k < c->count; k++) {
        draw_shares(&r, c->labels[k], opts->alpha, q, shares);
        assign_by_shares(d, c->samples + c->begins[k], c->begins[k + 1] - c->begins[k], shares,
                         q->workers);
    }
    mem_free(shares);
}

static bool all_have(const int64_t *counts, int workers, int64_t minimum)
{
    for (int w = 0; w < workers; w++) {
        if (counts[w] < minimum)
            return false;
    }
    return true;
}

static int largest_of(const int64_t *counts, int workers)
{
    int most = 0;

    for (int w = 1; w < workers; w++)
        most = counts[w] > counts[most] ? w : most;
    return most;
}

/* Random lists per worker, one behind the other; the list of w ends at ends[w]. */
static int64_t *lists_by_worker(const struct partition_request *q, const struct assignment *d,
                                const int64_t *counts, int64_t *ends)
{
    const struct rng r = rng_make(q->seed, RNG_PARTITION, PARTITION_REPAIR);
    int64_t *order = MEM_NEW_N(int64_t, q->count), *lists = MEM_NEW_N(int64_t, q->count);
    int64_t at = 0;

    for (int w = 0; w < q->workers; w++) {
        ends[w] = at;
        at += counts[w];
    }
    memcpy(order, q->samples, (size_t)q->count * sizeof *order);
    rng_order(&r, order, q->count);
    for (int64_t i = 0; i < q->count; i++)
        lists[ends[d->owners[order[i]]]++] = order[i];
    mem_free(order);
    return lists;
}

/*
 * Moves one sample at a time from a worker with the most. While somebody has less than `minimum`,
 * which is at most the mean, the largest has more than that: who receives never has to give.
 */
static int64_t repair(const struct partition_request *q, int64_t minimum, int64_t *counts,
                      struct assignment *d)
{
    int64_t *ends = MEM_NEW_N(int64_t, q->workers), moved = 0;
    int64_t *lists = lists_by_worker(q, d, counts, ends);

    for (int w = 0; w < q->workers; w++) {
        for (; counts[w] < minimum; counts[w]++, moved++) {
            const int from = largest_of(counts, q->workers);

            d->owners[lists[--ends[from]]] = w;
            counts[from]--;
        }
    }
    mem_free(lists);
    mem_free(ends);
    return moved;
}

static void assign_until_fair(const struct dirichlet_opts *opts, const struct partition_request *q,
                              struct assignment *d)
{
    int64_t *counts = MEM_NEW_N(int64_t, q->workers);
    bool is_fair = false;
    struct partition_classes c;

    partition_classes_init(&c, q);
    partition_classes_shuffle(&c, q->seed);
    for (int64_t attempt = 0; attempt < opts->attempts && !is_fair; attempt++) {
        attempt_deal(opts, q, &c, attempt, d);
        partition_count_owned(d, q, counts);
        is_fair = all_have(counts, q->workers, opts->minimum);
    }
    if (!is_fair)
        d->moved = repair(q, opts->minimum, counts, d);
    partition_classes_release(&c);
    mem_free(counts);
}

static enum status dirichlet_assign(const void *options, const struct partition_request *q,
                                    struct assignment *d)
{
    const struct dirichlet_opts *opts = options;

    if (opts->minimum > q->count / q->workers)
        return FAIL(STATUS_BAD_INPUT,
                    "partition.minimum: %lld for each of %d workers are more than the %lld samples "
                    "that there are; at most %lld each",
                    (long long)opts->minimum, q->workers, (long long)q->count,
                    (long long)(q->count / q->workers));
    assign_until_fair(opts, q, d);
    return STATUS_OK;
}

const struct partition_ops dirichlet_partition = {
    .entry = {.name = "dirichlet",
              .summary = "each class in random proportions, more uneven the smaller alpha",
              .fields = dirichlet_fields,
              .options_size = sizeof(struct dirichlet_opts)},
    .needs_labels = true,
    .assign = dirichlet_assign,
};
