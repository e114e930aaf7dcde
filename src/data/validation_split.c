/*
 * validation_split.c - the samples to train on and to validate with, by (seed, number).
 */
#include "data/validation_split.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

enum { STREAM_FRACTION, STREAM_VALIDATION };

/* floor(fraction * count) as a person computes it: 0.29 * 100 is 29, not 28.999999999999996. */
static int64_t part_of(double fraction, int64_t count)
{
    return (int64_t)floor(fraction * (double)count + 1e-9);
}

/* Moves items of a random order to [kept | rest], each ascending. */
static void sort_both(int64_t *items, int64_t count, int64_t kept, int64_t bound)
{
    bool *is_kept = MEM_NEW_N(bool, bound), *is_rest = MEM_NEW_N(bool, bound);
    int64_t k = 0, r = kept;

    for (int64_t i = 0; i < count; i++)
        (i < kept ? is_kept : is_rest)[items[i]] = true;
    for (int64_t i = 0; i < bound; i++) {
        if (is_kept[i])
            items[k++] = i;
        else if (is_rest[i])
            items[r++] = i;
    }
    mem_free(is_kept);
    mem_free(is_rest);
}

static int64_t *copy_items(const int64_t *items, int64_t count)
{
    int64_t *out = MEM_NEW_N(int64_t, count);

    for (int64_t i = 0; i < count; i++)
        out[i] = items[i];
    return out;
}

static enum status count_parts(struct validation_split *s, int64_t count, double train_fraction,
                               double validation)
{
    int64_t kept, trained;

    if (!(train_fraction > 0.0 && train_fraction <= 1.0))
        return FAIL(STATUS_BAD_INPUT, "data.train_fraction: %g is outside (0, 1]", train_fraction);
    if (!(validation >= 0.0 && validation < 1.0))
        return FAIL(STATUS_BAD_INPUT, "data.validation: %g is outside [0, 1)", validation);
    kept = part_of(train_fraction, count);
    trained = part_of(1.0 - validation, kept);
    if (kept < 1)
        return FAIL(STATUS_BAD_INPUT, "data.train_fraction: %g of %lld samples leaves none",
                    train_fraction, (long long)count);
    if (trained < 1)
        return FAIL(STATUS_BAD_INPUT, "data.validation: %g of %lld samples leaves none to train on",
                    validation, (long long)kept);
    if (validation > 0.0 && trained == kept)
        return FAIL(STATUS_BAD_INPUT, "data.validation: %g of %lld samples is less than one sample",
                    validation, (long long)kept);
    s->train_count = trained;
    s->validation_count = kept - trained;
    return STATUS_OK;
}

enum status validation_split_init(struct validation_split *s, int64_t count, double train_fraction,
                                  double validation, uint64_t seed)
{
    const struct rng by_fraction = rng_make(seed, RNG_SPLIT, STREAM_FRACTION);
    const struct rng by_validation = rng_make(seed, RNG_SPLIT, STREAM_VALIDATION);
    int64_t *items, kept;

    CHECK(count >= 0);
    *s = (struct validation_split){0};
    TRY(count_parts(s, count, train_fraction, validation));
    kept = s->train_count + s->validation_count;
    items = MEM_NEW_N(int64_t, count);
    for (int64_t i = 0; i < count; i++)
        items[i] = i;
    if (kept < count)
        rng_order(&by_fraction, items, count);
    if (s->validation_count > 0)
        rng_order(&by_validation, items, kept);
    sort_both(items, kept, s->train_count, count);
    s->train = copy_items(items, s->train_count);
    s->validation = copy_items(items + s->train_count, s->validation_count);
    mem_free(items);
    return STATUS_OK;
}

void validation_split_release(struct validation_split *s)
{
    mem_free(s->train);
    mem_free(s->validation);
    *s = (struct validation_split){0};
}
