/*
 * test_datasets.c - what every data set of the registry owes, generated or read from files.
 */
#include "base/mem.h"
#include "data/gather.h"
#include "test.h"

enum { TRAIN = 1000, TEST_SAMPLES = 200 };

static const struct dataset_ops *ops_of(const struct entry *e)
{
    return (const struct dataset_ops *)(const void *)e;
}

#define EACH_DATASET(e)                                      \
    const struct entry *const *e = dataset_registry.entries; \
    *(e) != NULL;                                            \
    (e)++

static void set_option(struct choice *c, const char *name, int64_t value)
{
    const struct field *f = fields_find(c->entry->fields, name);

    if (EXPECT(f != NULL && f->kind == FIELD_KIND_INT))
        memcpy((char *)c->options + f->offset, &value, sizeof value);
}

/* Whether options say how many samples there are; else it is known when they are measured. */
static bool has_counts(const struct entry *e)
{
    return fields_find(e->fields, "train_count") != NULL;
}

static void make_small(struct choice *c)
{
    static const struct {
        const char *name;
        int64_t value;
    } lidar[] = {
        {"width",             200},
        {"height",            160},
        {"border",            2  },
        {"robots",            1  },
        {"waypoints",         40 },
        {"stops",             3  },
        {"spline_resolution", 1  },
        {"test_scans",        3  }
    };

    if (has_counts(c->entry)) {
        set_option(c, "train_count", TRAIN);
        set_option(c, "test_count", TEST_SAMPLES);
        return;
    }
    for (size_t i = 0; i < sizeof lidar / sizeof lidar[0]; i++)
        set_option(c, lidar[i].name, lidar[i].value);
}

/* A generated set of a size that is quick to make. */
static struct dataset *make(const struct entry *e, int64_t seed)
{
    const struct dataset_request request = {.seed = (uint64_t)seed + 100};
    struct dataset *d = NULL;
    struct choice c;

    choice_init(&c, e);
    make_small(&c);
    set_option(&c, "seed", seed);
    EXPECT_OK(dataset_load(&c, &request, &d));
    choice_release(&c);
    return d;
}

static bool same_block(const void *a, const void *b, int64_t bytes)
{
    return a == NULL || b == NULL ? a == b : memcmp(a, b, (size_t)bytes) == 0;
}

static bool same_but_inputs(const struct samples *a, const struct samples *b,
                            const struct dataset *d)
{
    return a->count == b->count && same_block(a->labels, b->labels, a->count * 4) &&
           same_block(a->targets, b->targets, a->count * d->target_size * 4);
}

static bool same_samples(const struct samples *a, const struct samples *b, const struct dataset *d)
{
    const int64_t inputs = a->count * d->height * d->width * d->channels;

    return same_but_inputs(a, b, d) && same_block(a->bytes, b->bytes, inputs) &&
           same_block(a->values, b->values, inputs * 4);
}

static void test_every_set_has_a_name_a_summary_and_either_code_or_files(void)
{
    for (EACH_DATASET(e)) {
        const struct dataset_ops *ops = ops_of(*e);

        EXPECT((*e)->name != NULL && (*e)->summary != NULL && ops->load != NULL);
        EXPECT(registry_find(&dataset_registry, (*e)->name) == *e);
        if (dataset_is_named_by_user(ops)) {
            EXPECT((*e)->argument != NULL && fields_find((*e)->fields, (*e)->argument) != NULL);
            EXPECT(ops->hint != NULL);
            continue;
        }
        EXPECT((ops->train_count > 0) == (!ops->is_generated || has_counts(*e)));
        EXPECT((ops->train_count > 0) == (ops->test_count > 0));
        EXPECT(ops->height > 0 && ops->width > 0 && ops->channels > 0);
        if (!ops->is_generated)
            EXPECT(ops->folders != NULL && ops->probes != NULL && ops->hint != NULL);
    }
}

static void test_generated_sets_have_the_shape_and_counts_that_they_declare(void)
{
    for (EACH_DATASET(e)) {
        const struct dataset_ops *ops = ops_of(*e);
        struct dataset *d;

        if (!ops->is_generated)
            continue;
        d = make(*e, 1);
        EXPECT_INT(d->height, ops->height);
        EXPECT_INT(d->width, ops->width);
        EXPECT_INT(d->channels, ops->channels);
        EXPECT_INT(d->classes, ops->classes);
        EXPECT(d->path == NULL);
        if (has_counts(*e)) {
            EXPECT_INT(d->train.count, TRAIN);
            EXPECT_INT(d->test.count, TEST_SAMPLES);
            EXPECT_NEAR(fields_find((*e)->fields, "train_count")->default_number,
                        (double)ops->train_count, 0.0);
            EXPECT_NEAR(fields_find((*e)->fields, "test_count")->default_number,
                        (double)ops->test_count, 0.0);
        }
        dataset_free(d);
    }
}

/* The seed is the set's own: the run's, which differs between the two requests, has no part. */
static void test_generated_sets_are_functions_of_their_seed(void)
{
    for (EACH_DATASET(e)) {
        struct dataset *a, *b, *other;

        if (!ops_of(*e)->is_generated)
            continue;
        a = make(*e, 1);
        b = make(*e, 1);
        other = make(*e, 2);
        EXPECT(same_samples(&a->train, &b->train, a) && same_samples(&a->test, &b->test, a));
        EXPECT(!same_samples(&a->train, &other->train, a));
        EXPECT(!same_samples(&a->test, &other->test, a));
        dataset_free(a);
        dataset_free(b);
        dataset_free(other);
    }
}

static void expect_balanced(const struct samples *part, int64_t classes)
{
    for (int64_t k = 0; k < classes; k++) {
        int64_t count = 0;

        for (int64_t i = 0; i < part->count; i++)
            count += part->labels[i] == k;
        EXPECT(count * classes >= part->count / 2 && count * classes <= part->count * 2);
    }
    for (int64_t i = 0; i < part->count; i++)
        EXPECT(part->labels[i] >= 0 && part->labels[i] < classes);
}

static void test_generated_labels_are_in_range_and_balanced_and_targets_finite(void)
{
    for (EACH_DATASET(e)) {
        struct dataset *d;

        if (!ops_of(*e)->is_generated)
            continue;
        d = make(*e, 1);
        if (d->classes > 0) {
            expect_balanced(&d->train, d->classes);
            expect_balanced(&d->test, d->classes);
        }
        for (int64_t i = 0; d->classes == 0 && i < d->train.count * d->target_size; i++)
            EXPECT(isfinite(d->train.targets[i]));
        dataset_free(d);
    }
}

static void test_an_outline_is_the_set_without_its_inputs(void)
{
    for (EACH_DATASET(e)) {
        const struct dataset_request request = {.outline = true};
        struct dataset *whole = NULL, *outline = NULL;
        struct choice c;

        if (!ops_of(*e)->is_generated)
            continue;
        choice_init(&c, *e);
        make_small(&c);
        set_option(&c, "seed", 1);
        EXPECT_OK(dataset_load(&c, &request, &outline));
        choice_release(&c);
        whole = make(*e, 1);
        EXPECT(outline->height == whole->height && outline->width == whole->width);
        EXPECT(outline->channels == whole->channels && outline->classes == whole->classes);
        EXPECT(outline->train.bytes == NULL && outline->train.values == NULL);
        EXPECT(outline->test.bytes == NULL && outline->test.values == NULL);
        EXPECT_INT(outline->train.count, whole->train.count);
        EXPECT_INT(outline->test.count, whole->test.count);
        EXPECT(!has_counts(*e) || same_but_inputs(&outline->train, &whole->train, whole));
        EXPECT(!has_counts(*e) || same_but_inputs(&outline->test, &whole->test, whole));
        dataset_free(outline);
        dataset_free(whole);
    }
}

static void test_a_normalised_training_part_has_mean_0_and_deviation_1(void)
{
    for (EACH_DATASET(e)) {
        int64_t *numbers, n;
        double sum = 0.0, squares = 0.0;
        struct gather g = {0};
        struct dataset *d;
        float *out;

        if (!ops_of(*e)->is_generated)
            continue;
        d = make(*e, 1);
        n = d->train.count * d->height * d->width * d->channels;
        numbers = MEM_NEW_N(int64_t, d->train.count);
        g = (struct gather){.dataset = d, .height = d->height, .width = d->width};
        out = MEM_NEW_N(float, n);
        for (int64_t i = 0; i < d->train.count; i++)
            numbers[i] = i;
        EXPECT_OK(normalizer_init(&g.normalizer, "set", d));
        gather_inputs(out, &g, &d->train, numbers, d->train.count);
        for (int64_t i = 0; i < n; i++) {
            sum += (double)out[i];
            squares += (double)out[i] * (double)out[i];
        }
        EXPECT_NEAR(sum / (double)n, 0.0, 1e-5); /* floats of order 1, their errors averaged */
        EXPECT_NEAR(squares / (double)(n - 1), 1.0, 1e-5);
        mem_free(numbers);
        mem_free(out);
        normalizer_release(&g.normalizer);
        dataset_free(d);
    }
}

static void test_a_set_that_is_not_there_names_the_places_and_how_to_get_it(void)
{
    for (EACH_DATASET(e)) {
        const struct dataset_ops *ops = ops_of(*e);
        const struct dataset_request request = {.data_dir = "/tmp/no-such-data-folder"};
        const struct choice c = {.entry = *e};
        struct dataset *d = NULL;
        char *where;

        if (ops->is_generated || (*e)->argument != NULL)
            continue;
        EXPECT_FAILS(dataset_load(&c, &request, &d), STATUS_IO, (*e)->name);
        EXPECT_HAS(status_message(), "/tmp/no-such-data-folder/");
        EXPECT_HAS(status_message(), ops->probes[0]);
        EXPECT_HAS(status_message(), ops->hint);
        EXPECT(d == NULL);
        where = dataset_where(ops, "/tmp/no-such-data-folder");
        EXPECT(where == NULL);
        mem_free(where);
    }
}

TEST_MAIN(TEST(test_every_set_has_a_name_a_summary_and_either_code_or_files),
          TEST(test_generated_sets_have_the_shape_and_counts_that_they_declare),
          TEST(test_generated_sets_are_functions_of_their_seed),
          TEST(test_generated_labels_are_in_range_and_balanced_and_targets_finite),
          TEST(test_an_outline_is_the_set_without_its_inputs),
          TEST(test_a_normalised_training_part_has_mean_0_and_deviation_1),
          TEST(test_a_set_that_is_not_there_names_the_places_and_how_to_get_it))
