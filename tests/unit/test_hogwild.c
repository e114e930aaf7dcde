/*
 * test_hogwild.c - the vector that workers share, and HogWild on it.
 */
#include <pthread.h>

#include "optim/optim.h"
#include "problem/quadratic.h"
#include "rounds.h"

/* --- the shared vector --- */

static float *atomic_vector_new(const float *x, int64_t count)
{
    float *shared = mem_alloc((int64_t)atomic_vector_bytes(count), 1);

    atomic_vector_init(shared, x, count);
    return shared;
}

static void test_what_is_stored_is_loaded_for_every_length(void)
{
    float x[200];
    float y[200];

    for (int i = 0; i < 200; i++)
        x[i] = (float)i + 0.5F;
    for (int64_t count = 1; count < 200; count++) {
        float *shared = atomic_vector_new(x, count);

        memset(y, 0, sizeof y);
        atomic_vector_load(y, shared, count);
        EXPECT(rounds_same_bits(x, y, count));
        EXPECT(count == 199 || fabsf(y[count]) < 0.1F); /* and no further */
        EXPECT_INT(atomic_vector_bytes(count), (count + 15) / 16 * 64 + 64);
        mem_free(shared);
    }
}

static const enum atomic_vector_update all_updates[] = {ATOMIC_VECTOR_RACY, ATOMIC_VECTOR_ATOMIC,
                                                        ATOMIC_VECTOR_LOCKED};

/* 0.1F + (next - 0.1F) is not next in floats: only the rule gives next back. */
static void test_a_lone_writer_finds_exactly_what_it_wrote(void)
{
    float x[131];
    float next[131];
    float y[131];

    for (int i = 0; i < 131; i++) {
        x[i] = 0.1F * (float)(i + 1);
        next[i] = x[i] * 1e-4F + 7e-6F;
    }
    for (int k = 0; k < 3; k++)
        for (int64_t count = 1; count <= 131; count += 13) {
            const struct atomic_vector_step step = {.x = x, .next = next, .count = count};
            float *shared = atomic_vector_new(x, 131);

            atomic_vector_add(shared, &step, all_updates[k]);
            atomic_vector_load(y, shared, 131);
            EXPECT(rounds_same_bits(y, next, count));
            EXPECT(rounds_same_bits(y + count, x + count, 131 - count));
            mem_free(shared);
        }
}

static void test_what_others_wrote_meanwhile_stays_in_the_sum(void)
{
    float zero[131] = {0};
    float one[131];
    float y[131];

    for (int i = 0; i < 131; i++)
        one[i] = 1;
    for (int k = 0; k < 3; k++) {
        const struct atomic_vector_step step = {.x = zero, .next = one, .count = 131};
        float *shared = atomic_vector_new(zero, 131);

        atomic_vector_add(shared, &step, all_updates[k]);
        atomic_vector_add(shared, &step, all_updates[k]); /* from the same reading */
        atomic_vector_load(y, shared, 131);
        for (int i = 0; i < 131; i++)
            EXPECT_NEAR((double)y[i], 2, 0);
        mem_free(shared);
    }
}

enum { ADDERS = 6, ADDITIONS = 15000, ADDED = 201 };

struct adder {
    pthread_t thread;
    float *shared;
    enum atomic_vector_update how;
    float amount;
    pthread_barrier_t *start;
};

/* Whole numbers below 2^24: floats add them exactly, in any order. */
static void *add_often(void *argument)
{
    const struct adder *a = argument;
    float x[ADDED];
    float next[ADDED];
    const struct atomic_vector_step step = {.x = x, .next = next, .count = ADDED};

    pthread_barrier_wait(a->start);
    for (int k = 0; k < ADDITIONS; k++) {
        atomic_vector_load(x, a->shared, ADDED);
        for (int i = 0; i < ADDED; i++)
            next[i] = x[i] + a->amount;
        if (a->how == ATOMIC_VECTOR_LOCKED)
            atomic_vector_lock(a->shared, ADDED);
        atomic_vector_add(a->shared, &step, a->how);
        if (a->how == ATOMIC_VECTOR_LOCKED)
            atomic_vector_unlock(a->shared, ADDED);
    }
    return NULL;
}

/* Adds from many threads at once; answers the largest and the smallest sum that came out. */
static void add_from_many(enum atomic_vector_update how, double *least, double *most)
{
    struct adder adders[ADDERS];
    pthread_barrier_t start;
    float x[ADDED] = {0};
    float *shared = atomic_vector_new(x, ADDED);

    pthread_barrier_init(&start, NULL, ADDERS);
    for (int i = 0; i < ADDERS; i++) {
        adders[i] =
            (struct adder){.shared = shared, .how = how, .amount = (float)(i + 1), .start = &start};
        EXPECT_INT(pthread_create(&adders[i].thread, NULL, add_often, &adders[i]), 0);
    }
    for (int i = 0; i < ADDERS; i++)
        pthread_join(adders[i].thread, NULL);
    pthread_barrier_destroy(&start);
    atomic_vector_load(x, shared, ADDED);
    *least = *most = (double)x[0];
    for (int i = 1; i < ADDED; i++) {
        *least = fmin(*least, (double)x[i]);
        *most = fmax(*most, (double)x[i]);
    }
    mem_free(shared);
}

/* 1 + 2 + ... + 6 = 21 per addition of all. */
static const double whole_sum = 21.0 * ADDITIONS;

static void test_atomic_and_locked_additions_lose_nothing(void)
{
    double least;
    double most;

    add_from_many(ATOMIC_VECTOR_ATOMIC, &least, &most);
    EXPECT_NEAR(least, whole_sum, 0);
    EXPECT_NEAR(most, whole_sum, 0);
    add_from_many(ATOMIC_VECTOR_LOCKED, &least, &most);
    EXPECT_NEAR(least, whole_sum, 0);
    EXPECT_NEAR(most, whole_sum, 0);
}

/* How much is lost depends on the machine; but nothing is invented, and no value is torn. */
static void test_racy_additions_may_lose_but_never_invent(void)
{
    double least;
    double most;

    add_from_many(ATOMIC_VECTOR_RACY, &least, &most);
    EXPECT(least >= 1 && most <= whole_sum);
    printf("# racy additions kept %.1f %% at least\n", 100 * least / whole_sum);
}

/* --- the algorithm --- */

enum { N = 37 };

static const char *const variants[] = {
    "hogwild",
    "{name: hogwild, update: atomic}",
    "{name: hogwild, update: locked}",
};

static struct problem *plain_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

static struct problem *buffer_problem(void *context, int worker)
{
    return rounds_problem_new(quadratic_new(context, worker), worker, worker == 3 ? 5 : INT64_MAX);
}

static struct rounds case_for(struct quadratic *q, const char *algorithm, const char *optimizer)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = q->options.workers,
        .rounds = 25,
        .param_count = N,
        .state_count = N,
        .problem = plain_problem,
        .context = q,
        .seed = 1,
    };
}

static void test_one_worker_equals_plain_sgd_to_the_bit(void)
{
    static const char *const optimizers[] = {
        "{name: sgd, lr: 0.1}", "{name: sgd, lr: 0.05, momentum: 0.9}", "{name: adam, lr: 0.05}"};
    struct quadratic q;
    float x[N];

    quadratic_init(&q, &(struct quadratic_options){.size = N, .workers = 1, .noise = 0.3});
    for (int i = 0; i < 9; i++) {
        struct rounds plain = case_for(&q, "single", optimizers[i / 3]);
        struct rounds wild = case_for(&q, variants[i % 3], optimizers[i / 3]);

        if (rounds_run(&plain, NULL) && rounds_run(&wild, NULL)) {
            atomic_vector_load(x, wild.shared, N);
            if (!EXPECT(rounds_same_bits(plain.states[0], x, N)))
                printf("# that was %s with %s\n", variants[i % 3], optimizers[i / 3]);
            EXPECT(fabs((double)x[0]) > 1e-3); /* it has moved */
        }
        rounds_release(&plain);
        rounds_release(&wild);
    }
    quadratic_release(&q);
}

/* Four workers with their own functions: the shared vector comes near the optimum of their sum. */
static void test_many_workers_find_the_optimum_together(void)
{
    struct quadratic q;
    float x[N];
    const float zero[N] = {0};

    quadratic_init(&q,
                   &(struct quadratic_options){.size = N, .workers = 4, .seed = 5, .spread = 0.1});
    for (int i = 0; i < 3; i++) {
        struct rounds r = case_for(&q, variants[i], "{name: sgd, lr: 0.02}");

        r.rounds = 3000;
        if (rounds_run(&r, NULL)) {
            atomic_vector_load(x, r.shared, N);
            /* Whoever ends last pulls towards its own centre, which is within the spread. */
            EXPECT(quadratic_excess(&q, x) < 0.02 * quadratic_excess(&q, zero));
        }
        rounds_release(&r);
    }
    quadratic_release(&q);
}

/* Every gradient raises the buffer by the worker's number + 1: 25 (1 + 2 + 3) and 5 times 4. */
static void test_atomic_workers_add_up_their_statistics_and_empty_rounds_add_none(void)
{
    struct quadratic q;
    float x[N + 1];

    quadratic_init(&q, &(struct quadratic_options){.size = N, .workers = 4});
    struct rounds r = case_for(&q, "{name: hogwild, update: atomic}", "{name: sgd, lr: 0.01}");
    r.state_count = N + 1;
    r.problem = buffer_problem;
    if (rounds_run(&r, NULL)) {
        atomic_vector_load(x, r.shared, N + 1);
        EXPECT_NEAR((double)x[N], 25 * 6 + 5 * 4, 0);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

/* The parameters end in the middle of a pair, whose other half is worker 0's statistics. */
static void test_local_statistics_are_worker_zeros(void)
{
    struct quadratic q;
    float x[N + 1];

    quadratic_init(&q, &(struct quadratic_options){.size = N, .workers = 4});
    struct rounds r = case_for(&q, "{name: hogwild, update: atomic}", "{name: sgd, lr: 0.01}");
    r.state_count = N + 1;
    r.problem = buffer_problem;
    r.statistics = STATISTICS_LOCAL;
    if (rounds_run(&r, NULL)) {
        atomic_vector_load(x, r.shared, N + 1);
        EXPECT_NEAR((double)x[N], 25, 0);
        EXPECT_NEAR((double)r.states[1][N], 50, 0);
        EXPECT_NEAR((double)r.states[3][N], 20, 0);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_what_is_stored_is_loaded_for_every_length),
          TEST(test_a_lone_writer_finds_exactly_what_it_wrote),
          TEST(test_what_others_wrote_meanwhile_stays_in_the_sum),
          TEST(test_atomic_and_locked_additions_lose_nothing),
          TEST(test_racy_additions_may_lose_but_never_invent),
          TEST(test_one_worker_equals_plain_sgd_to_the_bit),
          TEST(test_many_workers_find_the_optimum_together),
          TEST(test_atomic_workers_add_up_their_statistics_and_empty_rounds_add_none),
          TEST(test_local_statistics_are_worker_zeros))
