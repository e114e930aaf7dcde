/*
 * test_validation_split.c - the training fraction and the validation part.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/validation_split.h"
#include "test.h"

enum { COUNT = 1000 };

static enum status split(struct validation_split *s, int64_t count, double train_fraction,
                         double validation, uint64_t seed)
{
    return validation_split_init(s, &(struct split_request){.count = count,
                                                            .train_fraction = train_fraction,
                                                            .validation = validation,
                                                            .seed = seed});
}

static void mark(int64_t *marks, const int64_t *items, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        EXPECT(items[i] >= 0 && items[i] < COUNT);
        EXPECT(i == 0 || items[i - 1] < items[i]);
        marks[items[i]]++;
    }
}

static void test_the_parts_are_ascending_and_share_no_sample(void)
{
    int64_t marks[COUNT] = {0}, used = 0;
    struct validation_split s;

    EXPECT_OK(split(&s, COUNT, 0.8, 0.25, 7));
    EXPECT_INT(s.train_count, 600);
    EXPECT_INT(s.validation_count, 200);
    mark(marks, s.train, s.train_count);
    mark(marks, s.validation, s.validation_count);
    for (int64_t i = 0; i < COUNT; i++) {
        EXPECT(marks[i] <= 1);
        used += marks[i];
    }
    EXPECT_INT(used, 800);
    validation_split_release(&s);
    validation_split_release(&s);
}

static void test_everything_is_trained_on_by_default(void)
{
    struct validation_split s;

    EXPECT_OK(split(&s, COUNT, 1.0, 0.0, 7));
    EXPECT_INT(s.train_count, COUNT);
    EXPECT_INT(s.validation_count, 0);
    for (int64_t i = 0; i < COUNT; i++)
        EXPECT_INT(s.train[i], i);
    validation_split_release(&s);
}

static void test_counts_are_floors_as_a_person_computes_them(void)
{
    static const struct {
        int64_t count;
        double fraction, validation;
        int64_t train, rest;
    } cases[] = {
        {60000, 1.0,  0.1, 54000, 6000}, /* S000's --val */
        {60000, 0.5,  0.1, 27000, 3000},
        {100,   0.29, 0.0, 29,    0   }, /* 0.29 * 100 is 28.999999999999996 in doubles */
        {101,   0.5,  0.0, 50,    0   },
        {11,    1.0,  0.1, 9,     2   }, /* floor(9.9), and the rest validates */
        {10,    1.0,  0.3, 7,     3   },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct validation_split s;

        EXPECT_OK(split(&s, cases[k].count, cases[k].fraction, cases[k].validation, 1));
        EXPECT_INT(s.train_count, cases[k].train);
        EXPECT_INT(s.validation_count, cases[k].rest);
        validation_split_release(&s);
    }
}

static bool same(const struct validation_split *a, const struct validation_split *b)
{
    return a->train_count == b->train_count &&
           memcmp(a->train, b->train, (size_t)a->train_count * sizeof *a->train) == 0 &&
           memcmp(a->validation, b->validation,
                  (size_t)a->validation_count * sizeof *a->validation) == 0;
}

static void test_the_split_is_a_function_of_the_seed(void)
{
    struct validation_split a, b, c;

    EXPECT_OK(split(&a, COUNT, 0.5, 0.1, 1));
    EXPECT_OK(split(&b, COUNT, 0.5, 0.1, 1));
    EXPECT_OK(split(&c, COUNT, 0.5, 0.1, 2));
    EXPECT(same(&a, &b));
    EXPECT(!same(&a, &c));
    validation_split_release(&a);
    validation_split_release(&b);
    validation_split_release(&c);
}

static void test_a_smaller_fraction_is_part_of_a_larger_one(void)
{
    int64_t marks[COUNT] = {0};
    struct validation_split small, large;

    EXPECT_OK(split(&small, COUNT, 0.2, 0.0, 3));
    EXPECT_OK(split(&large, COUNT, 0.6, 0.0, 3));
    mark(marks, large.train, large.train_count);
    for (int64_t i = 0; i < small.train_count; i++)
        EXPECT_INT(marks[small.train[i]], 1);
    validation_split_release(&small);
    validation_split_release(&large);
}

static void test_fractions_out_of_range_and_empty_parts_are_refused(void)
{
    struct validation_split s;

    EXPECT_FAILS(split(&s, COUNT, 0.0, 0.0, 1), STATUS_BAD_INPUT, "0 is outside (0, 1]");
    EXPECT_FAILS(split(&s, COUNT, 1.5, 0.0, 1), STATUS_BAD_INPUT, "1.5 is outside (0, 1]");
    EXPECT_FAILS(split(&s, COUNT, (double)NAN, 0.0, 1), STATUS_BAD_INPUT, "outside (0, 1]");
    EXPECT_FAILS(split(&s, COUNT, 1.0, 1.0, 1), STATUS_BAD_INPUT, "1 is outside [0, 1)");
    EXPECT_FAILS(split(&s, COUNT, 1.0, -0.1, 1), STATUS_BAD_INPUT, "outside [0, 1)");
    EXPECT_FAILS(split(&s, COUNT, 0.0001, 0.0, 1), STATUS_BAD_INPUT, "leaves none");
    EXPECT_FAILS(split(&s, 2, 1.0, 0.6, 1), STATUS_BAD_INPUT, "leaves none to train on");
    EXPECT_FAILS(split(&s, 2, 1.0, 1e-12, 1), STATUS_BAD_INPUT,
                 "of 2 samples is less than one sample");
    EXPECT(s.train == NULL && s.validation == NULL);
}

/* --- folds --- */

enum { FOLDS = 3, FOLDED = 101, CLASSES = 4 };

static struct split_request fold_request(int64_t fold, enum fold_by by, const int32_t *labels)
{
    return (struct split_request){.count = FOLDED,
                                  .labels = labels,
                                  .classes = CLASSES,
                                  .train_fraction = 1,
                                  .folds = FOLDS,
                                  .fold = fold,
                                  .fold_by = by,
                                  .seed = 5};
}

/* Most samples are of class 0. */
static void fill_labels(int32_t *labels)
{
    for (int i = 0; i < FOLDED; i++)
        labels[i] = i % 2 == 0 ? 0 : i % CLASSES;
}

static void test_every_sample_validates_in_one_fold_and_is_trained_on_in_the_others(void)
{
    static const enum fold_by ways[] = {FOLD_BY_CONTIGUOUS, FOLD_BY_SHUFFLED, FOLD_BY_STRATIFIED};
    int32_t labels[FOLDED];

    fill_labels(labels);
    for (int k = 0; k < 3; k++) {
        int64_t trained[FOLDED] = {0}, validated[FOLDED] = {0};

        for (int64_t fold = 1; fold <= FOLDS; fold++) {
            const struct split_request q = fold_request(fold, ways[k], labels);
            struct validation_split s;

            EXPECT_OK(validation_split_init(&s, &q));
            EXPECT_INT(s.validation_count, fold <= 2 ? 34 : 33); /* 101 = 34 + 34 + 33 */
            EXPECT_INT(s.train_count + s.validation_count, FOLDED);
            mark(trained, s.train, s.train_count);
            mark(validated, s.validation, s.validation_count);
            validation_split_release(&s);
        }
        for (int i = 0; i < FOLDED; i++)
            EXPECT(validated[i] == 1 && trained[i] == FOLDS - 1);
    }
}

static void test_contiguous_folds_are_consecutive_samples(void)
{
    const struct split_request q = fold_request(2, FOLD_BY_CONTIGUOUS, NULL);
    struct validation_split s;

    EXPECT_OK(validation_split_init(&s, &q));
    for (int64_t i = 0; i < s.validation_count; i++)
        EXPECT_INT(s.validation[i], 34 + i);
    validation_split_release(&s);
}

static void test_shuffled_folds_depend_on_the_seed_and_are_not_consecutive(void)
{
    struct split_request q = fold_request(1, FOLD_BY_SHUFFLED, NULL);
    struct validation_split a, b;

    EXPECT_OK(validation_split_init(&a, &q));
    q.seed++;
    EXPECT_OK(validation_split_init(&b, &q));
    EXPECT(a.validation[33] > 33);
    EXPECT(memcmp(a.validation, b.validation, 34 * sizeof *a.validation) != 0);
    validation_split_release(&a);
    validation_split_release(&b);
}

static void test_stratified_folds_have_the_same_share_of_each_class(void)
{
    int32_t labels[FOLDED];
    int64_t counts[FOLDS][CLASSES] = {{0}};

    fill_labels(labels);
    for (int64_t fold = 1; fold <= FOLDS; fold++) {
        const struct split_request q = fold_request(fold, FOLD_BY_STRATIFIED, labels);
        struct validation_split s;

        EXPECT_OK(validation_split_init(&s, &q));
        for (int64_t i = 0; i < s.validation_count; i++)
            counts[fold - 1][labels[s.validation[i]]]++;
        validation_split_release(&s);
    }
    for (int c = 0; c < CLASSES; c++)
        for (int f = 1; f < FOLDS; f++)
            EXPECT(llabs(counts[f][c] - counts[0][c]) <= 1);
    EXPECT(counts[0][0] == 17 && counts[0][2] == 0);
}

static void test_folds_are_of_the_used_part_of_the_training_set(void)
{
    struct split_request q = fold_request(3, FOLD_BY_CONTIGUOUS, NULL);
    struct validation_split s;

    q.train_fraction = 0.5;
    EXPECT_OK(validation_split_init(&s, &q));
    EXPECT_INT(s.train_count + s.validation_count, 50);
    EXPECT_INT(s.validation_count, 16);
    EXPECT(s.train[s.train_count - 1] < s.validation[0]); /* the last third of them */
    validation_split_release(&s);
}

static void expect_fold_fails(struct split_request q, const char *message)
{
    struct validation_split s;

    EXPECT_FAILS(validation_split_init(&s, &q), STATUS_BAD_INPUT, message);
}

static void test_a_fold_that_is_not_there_is_refused(void)
{
    struct split_request q = fold_request(4, FOLD_BY_CONTIGUOUS, NULL);

    expect_fold_fails(q, "data.fold: 4 is outside [1, 3]");
    q.fold = 0;
    expect_fold_fails(q, "data.fold: missing; a run validates with one of the 3 folds");
    q.fold = 1;
    q.fold_by = FOLD_BY_STRATIFIED;
    expect_fold_fails(q, "data.fold_by: stratified needs classes");
    q.fold_by = FOLD_BY_CONTIGUOUS;
    q.validation = 0.1;
    expect_fold_fails(q, "data.validation: a fold is already the validation part");
    q.validation = 0;
    q.folds = 1;
    expect_fold_fails(q, "data.folds: 1 leaves nothing to train on");
    q.folds = 102;
    expect_fold_fails(q, "data.folds: 102 are more than the 101 samples");
    q.folds = 0;
    expect_fold_fails(q, "data.fold: needs data.folds");
    q.fold = 0;
    q.fold_by = FOLD_BY_SHUFFLED;
    expect_fold_fails(q, "data.fold_by: needs data.folds");
}

TEST_MAIN(TEST(test_the_parts_are_ascending_and_share_no_sample),
          TEST(test_everything_is_trained_on_by_default),
          TEST(test_counts_are_floors_as_a_person_computes_them),
          TEST(test_the_split_is_a_function_of_the_seed),
          TEST(test_a_smaller_fraction_is_part_of_a_larger_one),
          TEST(test_fractions_out_of_range_and_empty_parts_are_refused),
          TEST(test_every_sample_validates_in_one_fold_and_is_trained_on_in_the_others),
          TEST(test_contiguous_folds_are_consecutive_samples),
          TEST(test_shuffled_folds_depend_on_the_seed_and_are_not_consecutive),
          TEST(test_stratified_folds_have_the_same_share_of_each_class),
          TEST(test_folds_are_of_the_used_part_of_the_training_set),
          TEST(test_a_fold_that_is_not_there_is_refused))
