/*
 * sine.c - one number in, one number out: y = sin(x) + noise, for small networks.
 *
 * x is drawn evenly from [-pi, pi]. The test part has no noise, so that its mean squared error is
 * that of the function learnt.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "data/list.h"

enum { STREAM_TRAIN = 32, STREAM_TEST = 33, DRAW_X = 0, DRAW_NOISE = 1 };

struct sine_options {
    int64_t train_count, test_count, seed;
    double noise;
};

static const struct field sine_fields[] = {
    FIELD_INT(struct sine_options, train_count, 2000, 1, 100000000, "number of training samples"),
    FIELD_INT(struct sine_options, test_count, 500, 1, 100000000, "number of test samples"),
    FIELD_REAL(struct sine_options, noise, 0.1, 0, 10,
               "standard deviation of the training targets' noise"),
    FIELD_INT(struct sine_options, seed, 1, 0, 9007199254740991,
              "seed of the data set, independent of the run's seed"),
    FIELD_LAST,
};

/* Taylor's series, |x| <= pi: 15 terms reach a double's precision, with the same bits anywhere. */
static double sine(double x)
{
    double term = x, sum = x;

    for (int k = 1; k < 15; k++) {
        term *= -x * x / (2.0 * k * (2.0 * k + 1.0));
        sum += term;
    }
    return sum;
}

static void draw_part(struct samples *part, int64_t count, const struct rng *r, double noise)
{
    const double pi = 3.14159265358979323846;

    part->count = count;
    part->values = MEM_NEW_N(float, count);
    part->targets = MEM_NEW_N(float, count);
    for (int64_t i = 0; i < count; i++) {
        const double x = (2.0 * rng_uniform(r, (uint64_t)i, DRAW_X) - 1.0) * pi;
        const double y = sine(x) + noise * rng_normal(r, (uint64_t)i, DRAW_NOISE);

        part->values[i] = (float)x;
        part->targets[i] = (float)y;
    }
}

static enum status sine_load(struct dataset *d, const struct dataset_request *request)
{
    const struct sine_options *o = request->options;
    const struct rng train = rng_make((uint64_t)o->seed, RNG_FIGURES, STREAM_TRAIN);
    const struct rng test = rng_make((uint64_t)o->seed, RNG_FIGURES, STREAM_TEST);

    d->height = d->width = d->channels = 1;
    d->target_size = 1;
    draw_part(&d->train, o->train_count, &train, o->noise);
    draw_part(&d->test, o->test_count, &test, 0.0);
    return STATUS_OK;
}

const struct dataset_ops sine_data = {
    .entry = {.name = "sine",
              .summary = "generated values of y = sin(x) with noise",
              .fields = sine_fields,
              .options_size = sizeof(struct sine_options)},
    .is_generated = true,
    .height = 1,
    .width = 1,
    .channels = 1,
    .train_count = 2000,
    .test_count = 500,
    .load = sine_load,
};
