/*
 * validation_split.c - the samples to train on and to validate with, by (seed, number).
 */
#include "data/validation_split.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

enum { STREAM_FRACTION, STREAM_VALIDATION, STREAM_FOLDS };

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

/* --- how many --- */

static enum status count_validation(struct validation_split *s, double validation, int64_t kept)
{
    const int64_t trained = part_of(1.0 - validation, kept);

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

static enum status check_fold(const struct split_request *q)
{
    if (q->folds == 0 && q->fold > 0)
        return FAIL(STATUS_BAD_INPUT, "data.fold: needs data.folds, the number of folds");
    if (q->folds == 0 && q->fold_by != FOLD_BY_CONTIGUOUS)
        return FAIL(STATUS_BAD_INPUT, "data.fold_by: needs data.folds, the number of folds");
    if (q->folds == 1)
        return FAIL(STATUS_BAD_INPUT, "data.folds: 1 leaves nothing to train on; use 2 or more");
    if (q->folds > 0 && q->validation > 0)
        return FAIL(STATUS_BAD_INPUT, "data.validation: a fold is already the validation part; "
                                      "use one of data.validation and data.folds");
    if (q->folds > 0 && q->fold == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "data.fold: missing; a run validates with one of the %lld folds, 1 to %lld "
                    "(studies, such as those of muster search, use each of them in turn)",
                    (long long)q->folds, (long long)q->folds);
    if (q->fold > q->folds)
        return FAIL(STATUS_BAD_INPUT, "data.fold: %lld is outside [1, %lld], the folds there are",
                    (long long)q->fold, (long long)q->folds);
    if (q->folds > 0 && q->fold_by == FOLD_BY_STRATIFIED && q->labels == NULL)
        return FAIL(STATUS_BAD_INPUT, "data.fold_by: stratified needs classes, which these data do "
                                      "not have; use shuffled or contiguous");
    return STATUS_OK;
}

static int64_t fold_size(const struct split_request *q, int64_t kept)
{
    return kept / q->folds + (q->fold <= kept % q->folds ? 1 : 0);
}

static enum status count_parts(struct validation_split *s, const struct split_request *q)
{
    int64_t kept;

    if (!(q->train_fraction > 0.0 && q->train_fraction <= 1.0))
        return FAIL(STATUS_BAD_INPUT, "data.train_fraction: %g is outside (0, 1]",
                    q->train_fraction);
    if (!(q->validation >= 0.0 && q->validation < 1.0))
        return FAIL(STATUS_BAD_INPUT, "data.validation: %g is outside [0, 1)", q->validation);
    kept = part_of(q->train_fraction, q->count);
    if (kept < 1)
        return FAIL(STATUS_BAD_INPUT, "data.train_fraction: %g of %lld samples leaves none",
                    q->train_fraction, (long long)q->count);
    TRY(check_fold(q));
    if (q->folds == 0)
        return count_validation(s, q->validation, kept);
    if (kept < q->folds)
        return FAIL(STATUS_BAD_INPUT, "data.folds: %lld are more than the %lld samples",
                    (long long)q->folds, (long long)kept);
    s->validation_count = fold_size(q, kept);
    s->train_count = kept - s->validation_count;
    return STATUS_OK;
}

/* --- which --- */

/* Those of class 0 first, then those of class 1, ...; of a class in the order in which they are. */
static void sort_by_class(const struct split_request *q, int64_t *items, int64_t kept)
{
    int64_t *sorted = MEM_NEW_N(int64_t, kept), *begins = MEM_NEW_N(int64_t, q->classes + 1);

    for (int64_t i = 0; i < kept; i++)
        begins[q->labels[items[i]] + 1]++;
    for (int64_t c = 0; c < q->classes; c++)
        begins[c + 1] += begins[c];
    for (int64_t i = 0; i < kept; i++)
        sorted[begins[q->labels[items[i]]]++] = items[i];
    memcpy(items, sorted, (size_t)kept * sizeof *items);
    mem_free(sorted);
    mem_free(begins);
}

/* Moves what does not belong to the fold to the beginning: [others | fold]. */
static void put_fold_last(const struct split_request *q, int64_t *items, int64_t kept)
{
    const int64_t smaller = kept / q->folds, larger = kept % q->folds; /* size, how many */
    const int64_t before = (q->fold - 1) * smaller + (q->fold <= larger ? q->fold - 1 : larger);
    const int64_t end = before + fold_size(q, kept);
    int64_t *fold = MEM_NEW_N(int64_t, fold_size(q, kept)), in_fold = 0, others = 0;

    for (int64_t i = 0; i < kept; i++) {
        const bool is_in =
            q->fold_by == FOLD_BY_STRATIFIED ? i % q->folds == q->fold - 1 : i >= before && i < end;
        if (is_in)
            fold[in_fold++] = items[i];
        else
            items[others++] = items[i];
    }
    memcpy(items + others, fold, (size_t)in_fold * sizeof *fold);
    mem_free(fold);
}

static void choose_fold(const struct split_request *q, int64_t *items, int64_t kept)
{
    const struct rng by_fold = rng_make(q->seed, RNG_SPLIT, STREAM_FOLDS);

    if (q->fold_by != FOLD_BY_CONTIGUOUS)
        rng_order(&by_fold, items, kept);
    if (q->fold_by == FOLD_BY_STRATIFIED)
        sort_by_class(q, items, kept);
    put_fold_last(q, items, kept);
}

/* To [trained on | validation]. */
static void choose_items(const struct validation_split *s, const struct split_request *q,
                         int64_t *items)
{
    const struct rng by_fraction = rng_make(q->seed, RNG_SPLIT, STREAM_FRACTION);
    const struct rng by_validation = rng_make(q->seed, RNG_SPLIT, STREAM_VALIDATION);
    const int64_t kept = s->train_count + s->validation_count;

    for (int64_t i = 0; i < q->count; i++)
        items[i] = i;
    if (kept < q->count)
        rng_order(&by_fraction, items, q->count);
    if (q->folds > 0) {
        sort_both(items, kept, kept, q->count);
        choose_fold(q, items, kept);
    } else if (s->validation_count > 0) {
        rng_order(&by_validation, items, kept);
    }
    sort_both(items, kept, s->train_count, q->count);
}

enum status validation_split_init(struct validation_split *s, const struct split_request *q)
{
    int64_t *items;

    CHECK(q->count >= 0);
    *s = (struct validation_split){0};
    TRY(count_parts(s, q));
    items = MEM_NEW_N(int64_t, q->count);
    choose_items(s, q, items);
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
