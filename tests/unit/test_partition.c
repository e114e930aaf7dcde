/*
 * test_partition.c - what each way of dealing promises of its own, the hash and the file.
 * What all of them owe is in conform/test_partitions.c.
 */
#include "base/file.h"
#include "data/partition.h"
#include "scratch.h"
#include "unit/partition_case.h"

static void test_shared_gives_everything_to_everybody(void)
{
    struct partition_case c;
    struct partition p;

    case_init(&c, 50, 3);
    c.request.workers = 3;
    EXPECT_OK(case_deal(&c, "shared", &p));
    EXPECT(p.own_order && !p.redeal);
    for (int w = 0; w < 3; w++) {
        EXPECT_INT(p.counts[w], 50);
        EXPECT(memcmp(p.items[w], c.samples, 50 * sizeof(int64_t)) == 0);
    }
    partition_release(&p);
    partition_release(&p);
    case_release(&c);
}

/* A label's samples are with one worker each; workers have labels within one of each other. */
static void test_few_workers_get_whole_labels_in_turn(void)
{
    struct partition_case c;
    struct partition p;

    case_init(&c, 1000, 10);
    c.request.workers = 4;
    EXPECT_OK(case_deal(&c, "labels_unscaled", &p));
    for (int64_t k = 0; k < 10; k++) {
        int owners = 0;

        for (int w = 0; w < 4; w++)
            owners += case_count(&c, &p, w, k) > 0;
        EXPECT_INT(owners, 1);
    }
    for (int w = 0; w < 4; w++) {
        int labels = 0;

        for (int64_t k = 0; k < 10; k++)
            labels += case_count(&c, &p, w, k) > 0;
        EXPECT_INT(labels, w < 2 ? 3 : 2); /* the i-th goes to worker i mod 4 */
    }
    partition_release(&p);
    case_release(&c);
}

/* With 25 workers and 10 labels, 5 labels have three workers and 5 have two. */
static void test_many_workers_share_labels_evenly(void)
{
    struct partition_case c;
    struct partition p;
    int with_three = 0;

    case_init(&c, 3000, 10);
    c.request.workers = 25;
    EXPECT_OK(case_deal(&c, "labels_unscaled", &p));
    for (int64_t k = 0; k < 10; k++) {
        int64_t least = INT64_MAX, most = 0;
        int owners = 0;

        for (int w = 0; w < 25; w++) {
            const int64_t n = case_count(&c, &p, w, k);

            EXPECT(n == 0 || n == p.counts[w]); /* it has no other label */
            if (n == 0)
                continue;
            owners++;
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
        EXPECT(owners == 2 || owners == 3);
        EXPECT(most - least <= 1);
        with_three += owners == 3;
    }
    EXPECT_INT(with_three, 5);
    partition_release(&p);
    case_release(&c);
}

static void test_labels_are_cut_to_equal_length_and_none_is_lost(void)
{
    struct partition_case c;
    struct partition cut, whole;
    int64_t shortest = INT64_MAX;

    case_init(&c, 1000, 10);
    c.request.workers = 4;
    EXPECT_OK(case_deal(&c, "labels", &cut));
    EXPECT_OK(case_deal(&c, "labels_unscaled", &whole));
    for (int w = 0; w < 4; w++)
        shortest = whole.counts[w] < shortest ? whole.counts[w] : shortest;
    for (int w = 0; w < 4; w++) {
        EXPECT_INT(cut.counts[w], shortest);
        for (int64_t k = 0; k < 10; k++)
            EXPECT((case_count(&c, &cut, w, k) > 0) == (case_count(&c, &whole, w, k) > 0));
    }
    partition_release(&cut);
    partition_release(&whole);
    case_release(&c);
}

static void test_the_seed_shuffles_which_labels_meet(void)
{
    struct partition_case c;
    struct partition p;
    int64_t seeds_with_0_first = 0;

    case_init(&c, 400, 4);
    c.request.workers = 4;
    for (uint64_t seed = 0; seed < 400; seed++) {
        c.request.seed = seed;
        EXPECT_OK(case_deal(&c, "labels_unscaled", &p));
        seeds_with_0_first += case_count(&c, &p, 0, 0) > 0;
        partition_release(&p);
    }
    EXPECT_NEAR((double)seeds_with_0_first, 100, 5 * sqrt(400 * 0.25 * 0.75)); /* binomial */
    case_release(&c);
}

/* Every worker's classes are consecutive, and classes ascend with the workers. */
static void test_hetero_blocks_are_consecutive_and_leave_no_class(void)
{
    static const int worker_counts[] = {1, 2, 3, 4, 7, 10, 11, 23};
    struct partition_case c;

    case_init(&c, 2000, 10);
    for (size_t i = 0; i < sizeof worker_counts / sizeof worker_counts[0]; i++) {
        int64_t before = 0, classes_least = 10, classes_most = 0;
        struct partition p;

        c.request.workers = worker_counts[i];
        EXPECT_OK(case_deal(&c, "{name: hetero, share: true}", &p));
        for (int w = 0; w < p.workers; w++) {
            int64_t first = -1, last = -1, held = 0;

            for (int64_t k = 0; k < 10; k++) {
                if (case_count(&c, &p, w, k) == 0)
                    continue;
                first = first < 0 ? k : first;
                last = k;
                held++;
            }
            EXPECT_INT(held, last - first + 1);
            EXPECT(first >= before && first <= before + 1);
            before = last;
            classes_least = held < classes_least ? held : classes_least;
            classes_most = held > classes_most ? held : classes_most;
        }
        EXPECT_INT(before, 9);
        EXPECT(classes_most - classes_least <= 1);
        partition_release(&p);
    }
    case_release(&c);
}

static void test_hetero_wants_a_label_for_every_worker_unless_they_share(void)
{
    struct partition_case c;
    struct partition p;

    case_init(&c, 2000, 10);
    c.request.workers = 10;
    EXPECT_OK(case_deal(&c, "hetero", &p));
    partition_release(&p);
    c.request.workers = 11;
    EXPECT_FAILS(case_deal(&c, "hetero", &p), STATUS_BAD_INPUT, "11 workers and 10 labels");
    case_release(&c);
}

/* Labels 1 0 1 0 0 of samples 2 3 5 7 11: sorted 3 7 11 2 5, cut 3 and 2. */
static const int32_t few_labels[] = {0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
static const int64_t few_samples[] = {2, 3, 5, 7, 11};

static enum status deal_few(const char *name, struct partition *p)
{
    const struct partition_request request = {.labels = few_labels,
                                              .samples = few_samples,
                                              .count = 5,
                                              .classes = 2,
                                              .workers = 2,
                                              .seed = 9};
    const struct choice chosen = {.entry = registry_find(&partition_registry, name)};

    return partition_make(&chosen, &request, p);
}

static void test_sorted_is_cut_by_label_and_number(void)
{
    static const int64_t first[] = {3, 7, 11}, second[] = {2, 5};
    struct partition p;

    EXPECT_OK(deal_few("sorted", &p));
    EXPECT_INT(p.counts[0], 3);
    EXPECT_INT(p.counts[1], 2);
    EXPECT(memcmp(p.items[0], first, sizeof first) == 0);
    EXPECT(memcmp(p.items[1], second, sizeof second) == 0);
    partition_release(&p);
}

/* Computed by a few lines of Python from the definition in partition.h. */
static void test_the_hash_is_fnv1a_of_who_has_what(void)
{
    struct partition p;

    EXPECT_OK(deal_few("sorted", &p));
    EXPECT(partition_hash(&p) == 0x9244fe1e1904dace);
    partition_release(&p);
    EXPECT_OK(deal_few("shared", &p));
    EXPECT(partition_hash(&p) == 0x19c9e4969353c346);
    partition_release(&p);
}

static void test_the_file_tells_everything(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "partition.txt");
    struct text content = {0};
    struct partition p;

    EXPECT_OK(deal_few("sorted", &p));
    EXPECT_OK(partition_save(&p, path));
    EXPECT_OK(file_read(path, 10000, &content));
    EXPECT_TEXT(text_get(&content), "muster partition 1\n"
                                    "name sorted\n"
                                    "seed 9\n"
                                    "hash 9244fe1e1904dace\n"
                                    "workers 2\n"
                                    "samples 5\n"
                                    "moved 0\n"
                                    "own_order false\n"
                                    "redeal false\n"
                                    "worker 0 3: 3 7 11\n"
                                    "worker 1 2: 2 5\n");
    text_clear(&content);
    partition_release(&p);
    EXPECT_OK(deal_few("shared", &p));
    EXPECT_OK(partition_save(&p, path));
    EXPECT_OK(file_read(path, 10000, &content));
    EXPECT_HAS(text_get(&content), "worker 1 5: 2-3 5 7 11\n"); /* runs are short */
    partition_release(&p);
    text_release(&content);
    mem_free(path);
    scratch_remove(folder);
}

static void test_strided_deals_positions_of_the_epochs_order(void)
{
    struct partition_case c;
    struct partition p;
    const struct rng epoch0 = rng_make(1, RNG_ORDER, 0);
    int64_t order[101];

    case_init(&c, 101, 3);
    c.request.workers = 4;
    memcpy(order, c.samples, sizeof order);
    rng_order(&epoch0, order, 101);
    EXPECT_OK(case_deal(&c, "{name: strided, redeal: false}", &p));
    EXPECT(!p.redeal);
    for (int64_t i = 0; i < 101; i++) {
        bool found = false;

        for (int64_t k = 0; k < p.counts[i % 4]; k++)
            found = found || p.items[i % 4][k] == order[i];
        EXPECT(found);
    }
    partition_release(&p);
    EXPECT_OK(case_deal(&c, "strided", &p));
    EXPECT(p.redeal);
    partition_release(&p);
    case_release(&c);
}

/*
 * A share of Dirichlet(a, ..., a) over W has mean 1/W and variance (1/W)(1 - 1/W) / (W a + 1).
 * Tolerances: 5 standard errors of 4000 shares; for the variance with a kurtosis of at most 8.
 */
static void expect_shares(double alpha)
{
    enum { CLASSES = 20, SEEDS = 200, W = 4, SHARES = CLASSES * SEEDS };
    char *options = text_format("{name: dirichlet, alpha: %g, attempts: 1}", alpha);
    const double mean = 1.0 / W, variance = mean * (1 - mean) / (W * alpha + 1);
    double sum = 0, squares = 0;
    int64_t sizes[CLASSES] = {0};
    struct partition_case c;

    case_init(&c, 4000, CLASSES);
    c.request.workers = W;
    for (int64_t i = 0; i < c.request.count; i++)
        sizes[c.labels[c.samples[i]]]++;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct partition p;

        c.request.seed = seed;
        EXPECT_OK(case_deal(&c, options, &p));
        for (int64_t k = 0; k < CLASSES; k++) {
            const double share = (double)case_count(&c, &p, 2, k) / (double)sizes[k];

            sum += share;
            squares += (share - mean) * (share - mean);
        }
        partition_release(&p);
    }
    EXPECT_NEAR(sum / SHARES, mean, 5 * sqrt(variance / SHARES));
    EXPECT_NEAR(squares / SHARES, variance, 5 * variance * sqrt(7.0 / SHARES));
    mem_free(options);
    case_release(&c);
}

static void test_dirichlet_shares_have_the_moments_of_the_distribution(void)
{
    expect_shares(0.1);
    expect_shares(0.5);
    expect_shares(1);
    expect_shares(10);
}

/* No draw can give each of 40 workers 20 of 1000 samples when a class goes to about one worker. */
static void test_dirichlet_ends_and_repairs_what_no_draw_gives(void)
{
    struct partition_case c;
    struct partition p, again;
    int64_t *marks;

    case_init(&c, 1000, 10);
    c.request.workers = 40;
    EXPECT_OK(case_deal(&c, "{name: dirichlet, alpha: 0.001, attempts: 3, minimum: 20}", &p));
    EXPECT_OK(case_deal(&c, "{name: dirichlet, alpha: 0.001, attempts: 3, minimum: 20}", &again));
    EXPECT(p.moved > 0);
    for (int w = 0; w < 40; w++)
        EXPECT(p.counts[w] >= 20);
    marks = case_marks(&c, &p);
    for (int64_t i = 0; i < 1000; i++)
        EXPECT_INT(marks[c.samples[i]], 1);
    EXPECT(partition_hash(&p) == partition_hash(&again));
    mem_free(marks);
    partition_release(&p);
    partition_release(&again);

    EXPECT_OK(case_deal(&c, "{name: dirichlet, alpha: 0.001, minimum: 25}", &p)); /* all of them */
    for (int w = 0; w < 40; w++)
        EXPECT_INT(p.counts[w], 25);
    partition_release(&p);
    EXPECT_FAILS(case_deal(&c, "{name: dirichlet, minimum: 26}", &p), STATUS_BAD_INPUT,
                 "26 for each of 40 workers are more than the 1000 samples that there are; at most "
                 "25 each");
    case_release(&c);
}

static void test_more_attempts_avoid_a_repair(void)
{
    struct partition_case c;
    struct partition p;
    int repaired_once = 0, repaired_often = 0;

    case_init(&c, 1000, 10);
    c.request.workers = 10;
    for (uint64_t seed = 0; seed < 50; seed++) {
        c.request.seed = seed;
        EXPECT_OK(case_deal(&c, "{name: dirichlet, attempts: 1, minimum: 50}", &p));
        repaired_once += p.moved > 0;
        partition_release(&p);
        EXPECT_OK(case_deal(&c, "{name: dirichlet, attempts: 50, minimum: 50}", &p));
        repaired_often += p.moved > 0;
        partition_release(&p);
    }
    EXPECT(repaired_once > 5);
    EXPECT(repaired_often < repaired_once);
    case_release(&c);
}

static void test_groups_have_a_worker_each_or_one_for_all(void)
{
    struct partition_case c;
    struct partition p;

    case_init(&c, 100, 3);
    case_group(&c, 4);
    c.request.workers = 4;
    EXPECT_OK(case_deal(&c, "groups", &p));
    EXPECT_INT(p.counts[0], 34 + 18); /* every third; of the others 9 pairs */
    for (int w = 0; w < 4; w++)
        for (int64_t i = 0; i < p.counts[w]; i++)
            EXPECT_INT(c.groups[p.items[w][i]], w);
    EXPECT_INT(p.counts[0] + p.counts[1] + p.counts[2] + p.counts[3], 100);
    partition_release(&p);

    c.request.workers = 1;
    EXPECT_OK(case_deal(&c, "groups", &p));
    EXPECT_INT(p.counts[0], 100);
    partition_release(&p);
    c.request.workers = 3;
    EXPECT_FAILS(case_deal(&c, "groups", &p), STATUS_BAD_INPUT,
                 "partition: groups needs a worker for every group, but there are 3 workers and 4 "
                 "groups; use 4 workers, or 1 that has all groups");
    c.request.groups = NULL;
    EXPECT_FAILS(case_deal(&c, "groups", &p), STATUS_BAD_INPUT,
                 "this data set has no groups; use split");
    case_release(&c);
}

static void test_what_cannot_be_dealt_is_refused(void)
{
    struct partition_case c;
    struct partition p;

    case_init(&c, 20, 3);
    c.request.workers = 21;
    EXPECT_FAILS(case_deal(&c, "split", &p), STATUS_BAD_INPUT,
                 "20 samples cannot be divided among 21 workers");
    EXPECT(p.storage == NULL && p.counts == NULL);
    EXPECT_OK(case_deal(&c, "shared", &p));
    partition_release(&p);
    c.request.workers = 20; /* one each, but a label has more workers than samples */
    EXPECT_FAILS(case_deal(&c, "labels", &p), STATUS_BAD_INPUT, "of 20 without any");
    EXPECT(p.storage == NULL && p.counts == NULL);
    case_release(&c);
}

/* Counts 26, 25, 25, 25 in batches of 10. */
static void test_the_rounds_global_batch_follows_from_the_partition(void)
{
    static const int64_t totals[] = {40, 40, 21, 0};
    struct partition_case c;
    struct partition p;

    case_init(&c, 101, 3);
    c.request.workers = 4;
    EXPECT_OK(case_deal(&c, "split", &p));
    EXPECT_INT(partition_batches(&p, 10), 3);
    EXPECT_INT(partition_batches(&p, 25), 2);
    EXPECT_INT(partition_batches(&p, 26), 1);
    for (int64_t b = 0; b < 4; b++)
        EXPECT_INT(partition_batch_total(&p, 10, b), totals[b]);
    EXPECT_INT(partition_batch_total(&p, 25, 1), 1);
    partition_release(&p);
    case_release(&c);
}

TEST_MAIN(TEST(test_shared_gives_everything_to_everybody),
          TEST(test_few_workers_get_whole_labels_in_turn),
          TEST(test_many_workers_share_labels_evenly),
          TEST(test_labels_are_cut_to_equal_length_and_none_is_lost),
          TEST(test_the_seed_shuffles_which_labels_meet),
          TEST(test_hetero_blocks_are_consecutive_and_leave_no_class),
          TEST(test_hetero_wants_a_label_for_every_worker_unless_they_share),
          TEST(test_sorted_is_cut_by_label_and_number),
          TEST(test_the_hash_is_fnv1a_of_who_has_what), TEST(test_the_file_tells_everything),
          TEST(test_strided_deals_positions_of_the_epochs_order),
          TEST(test_dirichlet_shares_have_the_moments_of_the_distribution),
          TEST(test_dirichlet_ends_and_repairs_what_no_draw_gives),
          TEST(test_more_attempts_avoid_a_repair),
          TEST(test_groups_have_a_worker_each_or_one_for_all),
          TEST(test_what_cannot_be_dealt_is_refused),
          TEST(test_the_rounds_global_batch_follows_from_the_partition))
