/*
 * test_split.c - see test_split.h.
 */
#include "data/test_split.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { STREAM = 1 }; /* of RNG_SPLIT; 0 is that of the validation part */

/* --- who tests --- */

/* The first of a random order test. */
static void choose(int64_t *members, int64_t count, double fraction, uint64_t seed, bool *tests)
{
    const struct rng r = rng_make(seed, RNG_SPLIT, STREAM);
    const int64_t wanted = (int64_t)((double)count * fraction);
    const int64_t testing = wanted < 1 ? 1 : wanted;

    rng_order(&r, members, count);
    for (int64_t i = 0; i < testing && i < count - 1; i++)
        tests[members[i]] = true;
}

static int64_t class_of(const struct test_choice *c, int64_t i)
{
    return c->labels == NULL ? 0 : c->labels[i];
}

void test_split_choose(const struct test_choice *c, bool *tests)
{
    const int64_t groups = c->labels == NULL ? 1 : c->classes, count = c->count;
    int64_t *members = MEM_NEW_N(int64_t, count), *ends = MEM_NEW_N(int64_t, groups + 1);

    for (int64_t i = 0; i < count; i++)
        ends[class_of(c, i) + 1]++;
    for (int64_t k = 0; k < groups; k++)
        ends[k + 1] += ends[k];
    for (int64_t i = count - 1; i >= 0; i--) /* from behind, so that ends become beginnings */
        members[--ends[class_of(c, i) + 1]] = i;
    for (int64_t k = 0; k < groups; k++) {
        const int64_t begin = ends[k + 1], end = k + 1 < groups ? ends[k + 2] : count;

        choose(members + begin, end - begin, c->fraction, c->seed, tests);
    }
    mem_free(members);
    mem_free(ends);
}

/* --- two parts of one --- */

/* The rows that test, or the others, as a new block; NULL of NULL. */
static void *copy_rows(const void *rows, size_t bytes, const struct samples *all, const bool *tests,
                       bool of_test)
{
    if (rows == NULL)
        return NULL;
    char *block = mem_alloc(all->count, bytes), *to = block;

    for (int64_t i = 0; i < all->count; i++) {
        if (tests[i] != of_test)
            continue;
        memcpy(to, (const char *)rows + (size_t)i * bytes, bytes);
        to += bytes;
    }
    return block;
}

static struct samples part_of(const struct dataset *d, const bool *tests, bool of_test)
{
    const struct samples *all = &d->train;
    const size_t size = (size_t)(d->height * d->width * d->channels);
    const size_t target = (size_t)d->target_size * sizeof *all->targets;
    struct samples part = {
        .bytes = copy_rows(all->bytes, size, all, tests, of_test),
        .values = copy_rows(all->values, size * sizeof *all->values, all, tests, of_test),
        .labels = copy_rows(all->labels, sizeof *all->labels, all, tests, of_test),
        .targets = copy_rows(all->targets, target, all, tests, of_test),
    };

    for (int64_t i = 0; i < all->count; i++)
        part.count += tests[i] == of_test;
    return part;
}

static void divide(struct dataset *d, const bool *tests)
{
    const struct samples all = d->train;

    d->test = part_of(d, tests, true);
    d->train = part_of(d, tests, false);
    mem_free(all.bytes);
    mem_free(all.values);
    mem_free(all.labels);
    mem_free(all.targets);
}

enum status test_split(struct dataset *d, double fraction, uint64_t seed)
{
    bool *tests = MEM_NEW_N(bool, d->train.count);

    test_split_choose(
        &(struct test_choice){d->train.labels, d->train.count, d->classes, fraction, seed}, tests);
    divide(d, tests);
    mem_free(tests);
    if (d->test.count == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has %lld samples, too few to train and to test; a class needs two",
                    d->path, (long long)d->train.count);
    return STATUS_OK;
}
