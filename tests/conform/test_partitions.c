/*
 * test_partitions.c - what every partition of the registry owes, whatever the number of workers.
 */
#include "data/partition.h"
#include "data/sampler.h"
#include "unit/partition_case.h"

enum { COUNT = 1003, CLASSES = 10 };

static const int worker_counts[] = {1, 2, 3, 4, 5, 7, 10, 11, 16, 40};

#define EACH_PARTITION(e)                                      \
    const struct entry *const *e = partition_registry.entries; \
    *(e) != NULL;                                              \
    (e)++
#define EACH_COUNT(i)                                     \
    size_t i = 0;                                         \
    (i) < sizeof worker_counts / sizeof worker_counts[0]; \
    (i)++

static bool is_named(const struct entry *e, const char *name)
{
    return strcmp(e->name, name) == 0;
}

/* The partition as it works with any number of workers. */
static const char *wording(const struct entry *e)
{
    return is_named(e, "hetero") ? "{name: hetero, share: true}" : e->name;
}

static void start(struct partition_case *c, int workers)
{
    case_init(c, COUNT, CLASSES);
    case_group(c, workers);
    c->request.workers = workers;
}

static void test_lists_are_ascending_and_nobody_has_none(void)
{
    for (EACH_PARTITION(e)) {
        for (EACH_COUNT(k)) {
            struct partition_case c;
            struct partition p;

            start(&c, worker_counts[k]);
            EXPECT_OK(case_deal(&c, wording(*e), &p));
            EXPECT(p.entry == *e);
            EXPECT_INT(p.workers, worker_counts[k]);
            EXPECT_INT(p.sample_count, COUNT);
            EXPECT(memcmp(p.samples, c.samples, COUNT * sizeof *p.samples) == 0);
            for (int w = 0; w < p.workers; w++) {
                EXPECT(p.counts[w] > 0);
                for (int64_t i = 1; i < p.counts[w]; i++)
                    EXPECT(p.items[w][i - 1] < p.items[w][i]);
            }
            partition_release(&p);
            case_release(&c);
        }
    }
}

/* Each sample is with one worker; with `labels` perhaps with nobody, with `shared` with all. */
static void test_nothing_is_dealt_twice_or_left_out_unless_documented(void)
{
    for (EACH_PARTITION(e)) {
        for (EACH_COUNT(k)) {
            struct partition_case c;
            struct partition p;
            int64_t *marks;

            start(&c, worker_counts[k]);
            EXPECT_OK(case_deal(&c, wording(*e), &p));
            marks = case_marks(&c, &p);
            for (int64_t i = 0; i < COUNT; i++) {
                const int64_t mark = marks[c.samples[i]];

                EXPECT(mark == (p.own_order ? p.workers : 1) ||
                       (is_named(*e, "labels") && mark == 0));
                marks[c.samples[i]] = 0;
            }
            for (int64_t i = 0; i <= c.samples[COUNT - 1]; i++)
                EXPECT_INT(marks[i], 0); /* no sample that was not to be dealt */
            mem_free(marks);
            partition_release(&p);
            case_release(&c);
        }
    }
}

static void test_sizes_are_within_one_where_that_is_promised(void)
{
    static const char *const even[] = {"shared", "split", "labels", "sorted", "strided"};

    for (size_t i = 0; i < sizeof even / sizeof even[0]; i++) {
        for (EACH_COUNT(k)) {
            int64_t least = INT64_MAX, most = 0;
            struct partition_case c;
            struct partition p;

            start(&c, worker_counts[k]);
            EXPECT_OK(case_deal(&c, even[i], &p));
            for (int w = 0; w < p.workers; w++) {
                least = p.counts[w] < least ? p.counts[w] : least;
                most = p.counts[w] > most ? p.counts[w] : most;
            }
            EXPECT(most - least <= 1);
            partition_release(&p);
            case_release(&c);
        }
    }
}

static uint64_t hash_of(const char *name, int workers, uint64_t seed)
{
    struct partition_case c;
    struct partition p;
    uint64_t hash = 0;

    start(&c, workers);
    c.request.seed = seed;
    if (EXPECT_OK(case_deal(&c, name, &p)))
        hash = partition_hash(&p);
    partition_release(&p);
    case_release(&c);
    return hash;
}

/* Only shared, sorted and groups have nothing to draw. */
static void test_a_partition_is_a_function_of_the_seed(void)
{
    for (EACH_PARTITION(e)) {
        const bool is_fixed =
            is_named(*e, "shared") || is_named(*e, "sorted") || is_named(*e, "groups");

        for (int workers = 2; workers < 16; workers += 5) {
            const uint64_t hash = hash_of(wording(*e), workers, 1);

            EXPECT(hash == hash_of(wording(*e), workers, 1));
            EXPECT(hash != hash_of(wording(*e), workers + 1, 1));
            if (is_fixed)
                EXPECT(hash == hash_of(wording(*e), workers, 2));
            else if (!is_named(*e, "hetero") || workers > CLASSES) /* else whole classes */
                EXPECT(hash != hash_of(wording(*e), workers, 2));
        }
    }
}

/* The order of a run without a partition, to the number, over epochs. */
static void test_one_worker_visits_what_a_run_without_a_partition_visits(void)
{
    for (EACH_PARTITION(e)) {
        struct partition_case c;
        struct partition p;
        struct sampler plain, part;

        start(&c, 1);
        EXPECT_OK(case_deal(&c, wording(*e), &p));
        sampler_init(&plain, c.samples, COUNT, 32, 5);
        sampler_init_part(&part, (struct sampler_part){&p, 0}, 32, 5);
        EXPECT_INT(sampler_batches(&part), sampler_batches(&plain));
        for (int64_t step = 0; step < 3 * sampler_batches(&plain); step++) {
            int64_t size_a = 0, size_b = 0;
            const int64_t *a = sampler_next(&plain, &size_a), *b = sampler_next(&part, &size_b);

            EXPECT_INT(size_b, size_a);
            EXPECT(memcmp(a, b, (size_t)size_a * sizeof *a) == 0);
        }
        sampler_release(&plain);
        sampler_release(&part);
        partition_release(&p);
        case_release(&c);
    }
}

/* What the workers visit in an epoch is what the partition deals, in every epoch. */
static void test_an_epoch_of_all_workers_visits_what_is_dealt(void)
{
    for (EACH_PARTITION(e)) {
        struct partition_case c;
        struct partition p;
        int64_t *dealt, *visited, batches = 0;

        start(&c, 7);
        EXPECT_OK(case_deal(&c, wording(*e), &p));
        dealt = case_marks(&c, &p);
        visited = MEM_NEW_N(int64_t, c.samples[COUNT - 1] + 1);
        for (int w = 0; w < 7; w++) {
            struct sampler s;

            sampler_init_part(&s, (struct sampler_part){&p, w}, 8, 5);
            batches = sampler_batches(&s) > batches ? sampler_batches(&s) : batches;
            for (int64_t b = 0; b < 3 * sampler_batches(&s); b++) {
                int64_t size = 0;
                const int64_t *numbers = sampler_next(&s, &size);

                for (int64_t i = 0; i < size; i++)
                    visited[numbers[i]]++;
            }
            EXPECT_INT(s.epoch, 2);
            sampler_release(&s);
        }
        EXPECT_INT(partition_batches(&p, 8), batches);
        for (int64_t i = 0; i <= c.samples[COUNT - 1]; i++)
            EXPECT_INT(visited[i], 3 * dealt[i]);
        mem_free(visited);
        mem_free(dealt);
        partition_release(&p);
        case_release(&c);
    }
}

static void test_data_without_classes_are_dealt_or_refused_with_a_sentence(void)
{
    for (EACH_PARTITION(e)) {
        const struct partition_ops *ops = (const struct partition_ops *)(const void *)*e;
        struct partition_case c;
        struct partition p;

        start(&c, 4);
        c.request.labels = NULL;
        c.request.classes = 0;
        if (ops->needs_labels) {
            EXPECT_FAILS(case_deal(&c, wording(*e), &p), STATUS_BAD_INPUT, (*e)->name);
            EXPECT_HAS(status_message(), "needs class labels");
            EXPECT_HAS(status_message(), "shared, split, strided");
        } else {
            EXPECT_OK(case_deal(&c, wording(*e), &p));
            partition_release(&p);
        }
        case_release(&c);
    }
}

/* Classes of a tiny training fraction: label 3 of 10 is not there, label 7 has one sample. */
static void test_absent_classes_do_no_harm(void)
{
    for (EACH_PARTITION(e)) {
        for (int workers = 1; workers <= 9; workers += 4) {
            struct partition_case c;
            struct partition p;
            int seen = 0;

            start(&c, workers);
            for (int64_t i = 0; i < COUNT; i++) {
                int32_t *label = &c.labels[c.samples[i]];

                *label = *label == 3 || (*label == 7 && seen++ > 0) ? 0 : *label;
            }
            EXPECT_OK(case_deal(&c, wording(*e), &p));
            partition_release(&p);
            case_release(&c);
        }
    }
}

TEST_MAIN(TEST(test_lists_are_ascending_and_nobody_has_none),
          TEST(test_nothing_is_dealt_twice_or_left_out_unless_documented),
          TEST(test_sizes_are_within_one_where_that_is_promised),
          TEST(test_a_partition_is_a_function_of_the_seed),
          TEST(test_one_worker_visits_what_a_run_without_a_partition_visits),
          TEST(test_an_epoch_of_all_workers_visits_what_is_dealt),
          TEST(test_data_without_classes_are_dealt_or_refused_with_a_sentence),
          TEST(test_absent_classes_do_no_harm))
