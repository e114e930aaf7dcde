/*
 * choco_gamma.c - the search for CHOCO's gamma.
 *
 * Powers of 1/2 first, then a golden section around the best of them. The rate is that of the
 * rounds until nodes agree to TARGET, or of ROUNDS_MAX rounds, from the worst of some random
 * starts.
 *
 * The idea is that of tune_consensus_stepsize in the authors' own program: Koloskova, Stich, Jaggi:
 * "Decentralized Stochastic Optimization and Gossip Algorithms with Compressed Communication",
 * 2019.
 */
#include "algo/parts/choco_gamma.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/portable_math.h"
#include "base/rng.h"
#include "base/signals.h"

enum { STARTS = 4, ROUNDS_MAX = 300, HALVINGS = 10 };
enum { VALUES_FEW = 32, VALUES_MANY = 128, VALUES_TOTAL = 1 << 13 }; /* of a node; of all */

/* Of the squared distance at first: agreement well above float's rounding, and what is given up. */
static const double TARGET = 1e-9;
static const double MARGIN = 0.9; /* with losses the best gamma lies right below the limit */
static const double LOST = 1e6;

/* All nodes of a trial: x, what is known of it, and sum_j W_ij (known_j - known_i). */
struct trial {
    const struct choco_gamma_request *request;
    int64_t size;
    float *x, *known, *lag; /* [nodes][size] */
    float *q;               /* [nodes][size]: what the messages of a round say */
    void *message;
    struct compressor compressor;
};

/* The run's compressor for shorter vectors: the same share, one tensor. */
static struct compressor_request shortened(const struct compressor_request *r, int64_t size)
{
    struct compressor_request s = *r;

    s.count = size;
    s.tensor_ends = NULL;
    s.tensor_count = 0;
    if (s.k >= 1)
        s.k = fmax(1, s.k * (double)size / (double)r->count);
    return s;
}

static void trial_init(struct trial *t, const struct choco_gamma_request *r, int64_t size,
                       uint32_t start)
{
    const struct compressor_request c = shortened(&r->compressor, size);
    const struct rng rng = rng_make(r->seed, RNG_COMPRESS, UINT32_MAX);

    *t = (struct trial){.request = r, .size = size};
    t->x = MEM_NEW_N(float, r->nodes *size);
    t->known = MEM_NEW_N(float, r->nodes *size);
    t->lag = MEM_NEW_N(float, r->nodes *size);
    t->q = MEM_NEW_N(float, r->nodes *size);
    compressor_init(&t->compressor, &c);
    t->message = mem_alloc((int64_t)compressor_bytes(&t->compressor), 1);
    for (int64_t i = 0; i < r->nodes * size; i++)
        t->x[i] = (float)rng_normal(&rng, (uint64_t)i, start);
}

static void trial_release(struct trial *t)
{
    mem_free(t->x);
    mem_free(t->known);
    mem_free(t->lag);
    mem_free(t->q);
    mem_free(t->message);
    compressor_release(&t->compressor);
}

/* Squared, over all nodes. */
static double distance_from_mean(const struct trial *t)
{
    const int nodes = t->request->nodes;
    double sum = 0;

    for (int64_t j = 0; j < t->size; j++) {
        double mean = 0;

        for (int i = 0; i < nodes; i++)
            mean += (double)t->x[i * t->size + j];
        mean /= nodes;
        for (int i = 0; i < nodes; i++) {
            const double off = (double)t->x[i * t->size + j] - mean;
            sum += off * off;
        }
    }
    return sum;
}

/* q_i = Q(x_i - known_i), which all who read i add to what they know. The lag is free until then.
 */
static void send_difference(struct trial *t, int node, int64_t round)
{
    const struct compressor_stamp stamp = {.seed = t->request->seed, .sender = node, .step = round};
    const int64_t at = node * t->size;
    float *gap = t->q + at;

    for (int64_t j = 0; j < t->size; j++)
        gap[j] = t->x[at + j] - t->known[at + j];
    compressor_encode(&t->compressor, t->message, gap, &stamp);
    compressor_decode(&t->compressor, gap, t->message, &stamp);
    for (int64_t j = 0; j < t->size; j++)
        t->known[at + j] += gap[j];
}

static void receive_differences(struct trial *t, int node, float gamma)
{
    const int nodes = t->request->nodes;
    const int64_t at = node * t->size;
    float *lag = t->lag + at;

    for (int k = 0; k < nodes; k++) {
        const float weight = (float)t->request->w[(int64_t)node * nodes + k];

        if (k == node || weight == 0)
            continue;
        for (int64_t j = 0; j < t->size; j++)
            lag[j] += weight * (t->q[k * t->size + j] - t->q[at + j]);
    }
    for (int64_t j = 0; j < t->size; j++)
        t->x[at + j] += gamma * lag[j];
}

static double rate_from(const struct choco_gamma_request *r, int64_t size, double gamma,
                        uint32_t start_number)
{
    struct trial t;
    double ratio = 1;
    int64_t round = 0;

    trial_init(&t, r, size, start_number);
    const double start = distance_from_mean(&t);
    while (round < ROUNDS_MAX && ratio > TARGET && ratio < LOST && !signals_stop_requested()) {
        for (int i = 0; i < r->nodes; i++)
            send_difference(&t, i, round);
        for (int i = 0; i < r->nodes; i++)
            receive_differences(&t, i, (float)gamma);
        ratio = distance_from_mean(&t) / start;
        round++;
    }
    trial_release(&t);
    if (!(ratio < LOST) || round == 0)
        return 1; /* also for NaN, and when the search is stopped */
    return portable_log(fmax(ratio, 1e-300)) / (double)round;
}

/* Near the limit of stability some starts agree soon and others hardly ever: the worst counts. */
double choco_gamma_rate(const struct choco_gamma_request *r, int64_t size, double gamma)
{
    double worst = -HUGE_VAL;

    for (uint32_t i = 0; i < STARTS && worst < 1; i++)
        worst = fmax(worst, rate_from(r, size, gamma, i));
    return worst;
}

/* The section keeps the better of its two inner points. */
static double golden(const struct choco_gamma_request *r, int64_t size, double low, double high)
{
    const double share = 0.6180339887498949;
    double a = high - share * (high - low), b = low + share * (high - low);
    double at_a = choco_gamma_rate(r, size, a), at_b = choco_gamma_rate(r, size, b);

    for (int i = 0; i < 7; i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - share * (high - low);
            at_a = choco_gamma_rate(r, size, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + share * (high - low);
            at_b = choco_gamma_rate(r, size, b);
        }
    }
    return at_a <= at_b ? a : b;
}

static double delta_of(const struct compressor_request *r)
{
    struct compressor c;

    compressor_init(&c, r);
    const double delta = r->kind == COMPRESSOR_SIGN ? 1 : compressor_delta(&c);
    compressor_release(&c);
    return delta;
}

static int64_t size_of_trial(const struct choco_gamma_request *r)
{
    int64_t size = VALUES_TOTAL / r->nodes;

    size = size < VALUES_FEW ? VALUES_FEW : size;
    size = size > VALUES_MANY ? VALUES_MANY : size;
    return size < r->compressor.count ? size : r->compressor.count;
}

double choco_gamma_best(const struct choco_gamma_request *r)
{
    const int64_t size = size_of_trial(r);
    const struct compressor_request tried = shortened(&r->compressor, size);

    if (r->nodes == 1)
        return 1;
    double best = 1, best_rate = choco_gamma_rate(r, size, 1);
    for (int i = 1; i <= HALVINGS; i++) {
        const double gamma = ldexp(1, -i), rate = choco_gamma_rate(r, size, gamma);

        if (rate < best_rate) {
            best = gamma;
            best_rate = rate;
        }
    }
    const double refined = golden(r, size, best / 2, fmin(1, best * 2));
    if (choco_gamma_rate(r, size, refined) < best_rate)
        best = refined;
    if (r->compressor.kind != COMPRESSOR_NONE)
        best *= MARGIN;
    return best * fmin(1, delta_of(&r->compressor) / delta_of(&tried));
}
