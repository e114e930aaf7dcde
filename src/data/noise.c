/*
 * noise.c - random bytes of any shape, with labels that mean nothing: nothing can be learnt from
 * them, and everything can be measured.
 *
 * Sample i is a function of (seed, part, i). The classes take turns, hence are balanced.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "data/list.h"

struct noise_options {
    int64_t height, width, channels, classes;
    int64_t train_count, test_count, seed;
};

enum { SIDE = 32, CHANNELS = 3, CLASSES = 10, TRAIN_COUNT = 1024, TEST_COUNT = 128 };
enum { CHANNELS_MAX = 16 };

static const struct field noise_fields[] = {
    FIELD_INT(struct noise_options, height, SIDE, 1, 4096, "of a sample, in pixels"),
    FIELD_INT(struct noise_options, width, SIDE, 1, 4096, "of a sample, in pixels"),
    FIELD_INT(struct noise_options, channels, CHANNELS, 1, CHANNELS_MAX, "values per pixel"),
    FIELD_INT(struct noise_options, classes, CLASSES, 1, 1000000, "different labels"),
    FIELD_INT(struct noise_options, train_count, TRAIN_COUNT, 1, 10000000,
              "number of training samples"),
    FIELD_INT(struct noise_options, test_count, TEST_COUNT, 1, 10000000, "number of test samples"),
    FIELD_INT(struct noise_options, seed, 1, 0, 9007199254740991,
              "seed of the data set, independent of the run's seed"),
    FIELD_LAST,
};

enum { STREAM_TRAIN = 48, STREAM_TEST = 49, BLOCK = 16 };

/* A block of the generator is 16 bytes, the low one of each word first. */
static void draw_sample(uint8_t *bytes, int64_t size, const struct rng *r, uint64_t number)
{
    uint32_t words[4] = {0};

    for (int64_t i = 0; i < size; i++) {
        if (i % BLOCK == 0)
            rng_words(r, number, (uint32_t)(i / BLOCK), words);
        bytes[i] = (uint8_t)(words[i % BLOCK / 4] >> (8 * (i % 4)));
    }
}

static void draw_part(struct samples *part, const struct noise_options *o, uint32_t stream)
{
    const struct rng r = rng_make((uint64_t)o->seed, RNG_FIGURES, stream);
    const int64_t size = o->height * o->width * o->channels;

    part->bytes = MEM_NEW_N(uint8_t, part->count * size);
    for (int64_t i = 0; i < part->count; i++)
        draw_sample(part->bytes + i * size, size, &r, (uint64_t)i);
}

static enum status noise_load(struct dataset *d, const struct dataset_request *request)
{
    const struct noise_options *o = request->options;

    d->height = o->height;
    d->width = o->width;
    d->channels = o->channels;
    d->classes = o->classes;
    dataset_cycle_labels(&d->train, o->train_count, o->classes);
    dataset_cycle_labels(&d->test, o->test_count, o->classes);
    if (request->outline)
        return STATUS_OK;
    draw_part(&d->train, o, STREAM_TRAIN);
    draw_part(&d->test, o, STREAM_TEST);
    return STATUS_OK;
}

const struct dataset_ops noise_data = {
    .entry = {.name = "noise",
              .summary = "random bytes of any shape, for measurements",
              .fields = noise_fields,
              .options_size = sizeof(struct noise_options)},
    .is_generated = true,
    .height = SIDE,
    .width = SIDE,
    .channels = CHANNELS,
    .classes = CLASSES,
    .train_count = TRAIN_COUNT,
    .test_count = TEST_COUNT,
    .load = noise_load,
};
