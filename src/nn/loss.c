/*
 * loss.c - the losses: nll of classes; bce, mse and l1 of numbers.
 *
 * A sample's loss is the mean over its outputs, so that the mean over a batch is PyTorch's. Samples
 * do not depend on each other: threads share them by slices.
 *
 * Not here: softmax (kernel/).
 */
#include "nn/loss.h"

#include "base/check.h"
#include "nn/layer.h"

enum { CHUNK = 64 }; /* outputs whose logarithms are taken at once */

#define LOG_MIN      (-100.0F) /* as PyTorch bounds the logarithms of bce */
#define VARIANCE_MIN 1e-12F    /* and the denominator of its gradient */

/* Fills losses and doutput of the samples begin .. end-1. */
typedef void loss_range(const struct loss_batch *b, int64_t begin, int64_t end);

struct job {
    const struct loss_batch *batch;
    loss_range *range;
};

static void run_part(void *context, int thread, int threads)
{
    const struct job *job = context;
    int64_t begin = 0, end = 0;

    team_part(layer_slices(job->batch->batch), thread, threads, &begin, &end);
    begin *= SLICE;
    end *= SLICE;
    if (end > job->batch->batch)
        end = job->batch->batch;
    if (begin < end)
        job->range(job->batch, begin, end);
}

static void run_ranges(const struct loss_batch *b, loss_range *range)
{
    struct job job = {.batch = b, .range = range};

    team_run(b->team, run_part, &job);
}

double loss_sum(const float *losses, int64_t batch)
{
    double sum = 0;

    for (int64_t begin = 0; begin < batch; begin += SLICE) {
        const int64_t end = begin + SLICE < batch ? begin + SLICE : batch;
        double slice = 0;

        for (int64_t i = begin; i < end; i++)
            slice += (double)losses[i];
        sum += slice;
    }
    return sum;
}

/* ----------------------------------------------------------------------------------------- nll */

static void nll_range(const struct loss_batch *b, int64_t begin, int64_t end)
{
    const int64_t at = begin * b->outputs;

    b->kernel->softmax_nll(b->losses + begin, b->doutput == NULL ? NULL : b->doutput + at,
                           b->output + at, b->labels + begin, end - begin, b->outputs,
                           (float)b->scale);
}

static void nll_compute(const struct loss_batch *b)
{
    CHECK(b->labels != NULL);
    run_ranges(b, nll_range);
}

/* ----------------------------------------------------------------------------------------- bce */

/* NaN stays NaN: neither comparison holds. */
static float bounded_log(float logarithm, float of)
{
    if (of <= 0)
        return LOG_MIN;
    return logarithm < LOG_MIN ? LOG_MIN : logarithm;
}

/* terms = -(t log p + (1-t) log(1-p)) of n <= CHUNK outputs */
static void bce_terms(double *terms, const struct kernel *kernel, const float *p, const float *t,
                      int64_t n)
{
    float rest[CHUNK], log_p[CHUNK], log_rest[CHUNK];

    for (int64_t i = 0; i < n; i++)
        rest[i] = 1 - p[i];
    kernel->log(log_p, p, n);
    kernel->log(log_rest, rest, n);
    for (int64_t i = 0; i < n; i++) {
        const float hit = bounded_log(log_p[i], p[i]), miss = bounded_log(log_rest[i], rest[i]);

        terms[i] = -((double)t[i] * (double)hit + (1 - (double)t[i]) * (double)miss);
    }
}

/* Chunks go over the ends of samples: with one output, a logarithm a call is eight times slower. */
static void bce_losses(const struct loss_batch *b, int64_t begin, int64_t end)
{
    const int64_t n = b->outputs, last = end * n;
    float *loss = b->losses + begin;
    int64_t left = n; /* outputs of the sample that are still to come */
    double sum = 0;

    for (int64_t at = begin * n; at < last; at += CHUNK) {
        const int64_t count = last - at < CHUNK ? last - at : CHUNK;
        double terms[CHUNK];

        bce_terms(terms, b->kernel, b->output + at, b->targets + at, count);
        for (int64_t i = 0; i < count; i++) {
            sum += terms[i];
            if (--left > 0)
                continue;
            *loss++ = (float)(sum / (double)n);
            left = n;
            sum = 0;
        }
    }
}

static void bce_gradient(float *dp, const float *p, const float *t, int64_t n, float scale)
{
    for (int64_t i = 0; i < n; i++) {
        const float variance = p[i] * (1 - p[i]);

        dp[i] = scale * (p[i] - t[i]) / (variance < VARIANCE_MIN ? VARIANCE_MIN : variance);
    }
}

static void bce_range(const struct loss_batch *b, int64_t begin, int64_t end)
{
    const int64_t n = b->outputs, at = begin * n;
    const float scale = (float)(b->scale / (double)n);

    bce_losses(b, begin, end);
    if (b->doutput != NULL)
        bce_gradient(b->doutput + at, b->output + at, b->targets + at, (end - begin) * n, scale);
}

static void bce_compute(const struct loss_batch *b)
{
    CHECK(b->targets != NULL);
    run_ranges(b, bce_range);
}

/* ----------------------------------------------------------------------------------- mse and l1 */

static void mse_range(const struct loss_batch *b, int64_t begin, int64_t end)
{
    const int64_t n = b->outputs;
    const float scale = (float)(2 * b->scale / (double)n);

    for (int64_t i = begin; i < end; i++) {
        const float *x = b->output + i * n, *t = b->targets + i * n;
        double sum = 0;

        for (int64_t k = 0; k < n; k++) {
            const double difference = (double)x[k] - (double)t[k];

            sum += difference * difference;
        }
        b->losses[i] = (float)(sum / (double)n);
        for (int64_t k = 0; b->doutput != NULL && k < n; k++)
            b->doutput[i * n + k] = scale * (x[k] - t[k]);
    }
}

static void mse_compute(const struct loss_batch *b)
{
    CHECK(b->targets != NULL);
    run_ranges(b, mse_range);
}

/* The gradient is 0 where output and target are equal. */
static void l1_range(const struct loss_batch *b, int64_t begin, int64_t end)
{
    const int64_t n = b->outputs;
    const float scale = (float)(b->scale / (double)n);

    for (int64_t i = begin; i < end; i++) {
        const float *x = b->output + i * n, *t = b->targets + i * n;
        double sum = 0;

        for (int64_t k = 0; k < n; k++) {
            const double difference = (double)x[k] - (double)t[k];

            sum += difference < 0 ? -difference : difference;
        }
        b->losses[i] = (float)(sum / (double)n);
        for (int64_t k = 0; b->doutput != NULL && k < n; k++)
            b->doutput[i * n + k] = scale * (float)((x[k] > t[k]) - (x[k] < t[k]));
    }
}

static void l1_compute(const struct loss_batch *b)
{
    CHECK(b->targets != NULL);
    run_ranges(b, l1_range);
}

/* ---------------------------------------------------------------------------------------- list */

static const struct loss_ops nll_loss = {
    .entry = {.name = "nll", .summary = "softmax and negative log-likelihood (cross entropy)"},
    .wants_labels = true,
    .compute = nll_compute,
};

static const struct loss_ops bce_loss = {
    .entry = {.name = "bce", .summary = "binary cross entropy of probabilities"},
    .compute = bce_compute,
    .best_constant = loss_mean_target,
};

static const struct loss_ops mse_loss = {
    .entry = {.name = "mse", .summary = "mean squared difference"},
    .compute = mse_compute,
    .best_constant = loss_mean_target,
};

static const struct loss_ops l1_loss = {
    .entry = {.name = "l1", .summary = "mean absolute difference"},
    .compute = l1_compute,
    .best_constant = loss_median_target,
};

static const struct entry *const entries[] = {
    &nll_loss.entry, &bce_loss.entry, &mse_loss.entry, &l1_loss.entry, NULL,
};

const struct registry loss_registry = {.what = "loss", .section = "problem", .entries = entries};
