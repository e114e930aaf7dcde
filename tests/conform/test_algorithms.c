/*
 * test_algorithms.c - the conformance suite of algorithms: what every algorithm of the registry
 * must do, on quadratics whose optima are known. It ends where it declares to end, with one worker
 * it is what it declares to be, it resumes from saved vectors and numbers to the same bits, and it
 * works with uneven parts and workers without data. `paranoid` is on where the loop allows it.
 *
 * Alone this tests the transport threads; under mpirun mpi, with as many workers as processes. What
 * needs the program (files, bytes, networks) is in tests/e2e/test_algorithms.sh.
 *
 *     test_algorithms [NAME...]        these algorithms alone
 */
#include "algorithm_case.h"

/* --- what it declares --- */

static void declares(const struct algo_ops *algo)
{
    EXPECT(algo->limit != ALGO_LIMIT_UNDECLARED);
    EXPECT(algo->one_worker != ALGO_ONE_WORKER_UNDECLARED);
    EXPECT(algo->bytes != NULL);
    EXPECT(algo->round != NULL);
    EXPECT((algo->serve != NULL && algo->dismiss != NULL) || algo->kind != ALGO_SERVER_BASED);
    EXPECT(algo->entry.summary != NULL && strlen(algo->entry.summary) < 80);
}

static void test_every_algorithm_declares_what_it_promises(void)
{
    expect_names();
    with_algorithms(declares);
}

/* --- scratch --- */

/*
 * Five workers on one core wait before they take scratch; with five cores each has its own. What
 * they compute is the same, and one core needs the scratch of one worker.
 */
static void shares_scratch(const struct algo_ops *algo)
{
    struct subject s;

    subject_init(&s, algo, WORKERS, &(struct quadratic_options){.spread = 1});
    struct rounds many = rounds_of(&s, "{name: sgd, lr: 0.05}", 20);
    struct rounds one = rounds_of(&s, "{name: sgd, lr: 0.05}", 20);

    one.slots = 1;
    many.paranoid = one.paranoid = false; /* its sums are waits too */
    if (rounds_run(&many, NULL) && rounds_run(&one, NULL)) {
        const int server = algo->kind == ALGO_SERVER_BASED;
        const int most = s.workers * algo->work_count + server +
                         (algo->scratch_count > 0 ? algo->scratch_count : 1);

        if (!EXPECT(scratch_pool_made(one.scratch) <= most))
            printf("# %s: %d vectors of scratch, and not %d\n", algo->entry.name,
                   scratch_pool_made(one.scratch), most);
        for (int i = 0; i < s.workers && !is_asynchronous(algo) && server == 0; i++)
            EXPECT(rounds_same_bits(many.states[i], one.states[i], SIZE));
        if (!is_asynchronous(algo))
            EXPECT(rounds_same_bits(many.states[s.workers], one.states[s.workers], SIZE));
    }
    rounds_release(&many);
    rounds_release(&one);
    subject_release(&s);
}

static void test_workers_that_share_a_core_share_its_scratch(void)
{
    if (!setting.is_launched)
        with_several_workers(shares_scratch);
}

/* --- where it ends --- */

static void ends_at(const struct algo_ops *algo, double spread, const char *where)
{
    struct subject s;

    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = spread});
    double *mean = MEM_NEW_N(double, SIZE);
    for (int i = 0; i < s.workers; i++)
        for (int j = 0; j < SIZE; j++)
            mean[j] += s.q.b[i * SIZE + j] / s.workers;
    for (int i = 0; i < (spread > 0 ? 2 : 1); i++) {
        struct rounds r =
            rounds_of(&s, "{name: sgd, lr: 0.05}", i == 0 ? ROUNDS : setting.longer * ROUNDS);
        const double *target = quadratic_optimum(&s.q);
        int64_t row = 0;

        if (spread > 0 && algo->limit == ALGO_LIMIT_MEAN_OF_OWN)
            target = mean;
        if (spread > 0 && algo->limit == ALGO_LIMIT_OWN) {
            target = s.q.b;
            row = SIZE;
        }
        if (rounds_run(&r, NULL) && !EXPECT(distance_to(&r, target, row) < EXACT))
            printf("# %s: %g from %s after %lld rounds\n", algo->entry.name,
                   distance_to(&r, target, row), where, (long long)r.rounds);
        rounds_release(&r);
    }
    mem_free(mean);
    subject_release(&s);
}

/* The distance from the optimum at the end, with 1/slower of the learning rate and slower times as
 * many rounds. */
static double bias_of(const struct algo_ops *algo, int64_t rounds, int slower)
{
    char optimizer[64];
    struct subject s;
    double found = NAN;

    (void)snprintf(optimizer, sizeof optimizer, "{name: sgd, lr: %g}", LR / slower);
    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = 1});
    struct rounds r = rounds_of(&s, optimizer, rounds * slower);
    if (rounds_run(&r, NULL) && EXPECT(is_finite(&r)))
        found = distance_to(&r, quadratic_optimum(&s.q), 0);
    rounds_release(&r);
    subject_release(&s);
    return found;
}

/*
 * Theory has biases in proportion to the learning rate: a quarter of it must leave less than half
 * of the bias, and what is deterministic must have come to rest.
 */
static void has_a_bias(const struct algo_ops *algo)
{
    const double bias = bias_of(algo, ROUNDS, 1), less = bias_of(algo, ROUNDS, 4);
    const double later = bias_of(algo, setting.longer * ROUNDS, 1);

    if (!EXPECT(bias > 1e-4) || !EXPECT(less < bias / 2) || !EXPECT(fabs(later - bias) < EXACT))
        printf("# %s: bias %g, %g at a quarter of the learning rate, %g after %d times as long\n",
               algo->entry.name, bias, less, later, setting.longer);
}

/*
 * Of an asynchronous algorithm the bias is also chance: when the run ends, a worker may have made
 * about three steps more than the others, which is 3 LR a |x - b| with a < 2 and |x - b| up to 3.
 */
static void is_near_by_chance(const struct algo_ops *algo)
{
    const double bias = bias_of(algo, ROUNDS, 1), less = bias_of(algo, ROUNDS, 4);

    if (!EXPECT(bias > 1e-4 && bias < 18 * LR) || !EXPECT(less < 18 * LR / 4))
        printf("# %s: bias %g, %g at a quarter of the learning rate\n", algo->entry.name, bias,
               less);
}

static void ends_where_it_declares(const struct algo_ops *algo)
{
    if (algo->limit == ALGO_LIMIT_BIASED && is_asynchronous(algo))
        is_near_by_chance(algo);
    else if (algo->limit == ALGO_LIMIT_BIASED)
        has_a_bias(algo);
    else if (algo->limit != ALGO_LIMIT_UNDECLARED)
        ends_at(algo, 1, "its declared limit");
}

static void test_with_data_that_differ_every_algorithm_ends_where_it_declares(void)
{
    with_several_workers(ends_where_it_declares);
}

static void ends_at_the_optimum(const struct algo_ops *algo)
{
    ends_at(algo, 0, "the optimum");
}

static void test_with_data_that_are_alike_every_algorithm_ends_at_the_optimum(void)
{
    with_several_workers(ends_at_the_optimum);
}

/* --- one worker --- */

static const char *const optimizers[] = {
    "{name: sgd, lr: 0.05}",
    "{name: sgd, lr: 0.02, momentum: 0.9, weight_decay: 0.01}",
    "{name: adam, lr: 0.05}",
};

/* A dozen roundings a round, of values up to 3, in 24 rounds; momentum keeps some of them. */
#define ROUNDED 2e-5

static void compare_with_single(struct subject *s, struct rounds *r, const char *optimizer)
{
    struct rounds plain = rounds_of(s, optimizer, r->rounds);
    double apart = 0;

    plain.algorithm = "single";
    plain.topology = NULL;
    plain.rounds *= algo_draws(s->algo, r->chosen.options, 1);
    if (rounds_run(&plain, NULL))
        for (int j = 0; j < SIZE; j++)
            apart = larger(apart, fabs(model_value(r, 0, j) - (double)plain.states[0][j]));
    if (!EXPECT(apart <= (s->algo->one_worker == ALGO_ONE_WORKER_SAME_BITS ? 0 : ROUNDED)))
        printf("# %s: %g from single with %s\n", s->algo->entry.name, apart, optimizer);
    rounds_release(&plain);
}

/* Optimisers other than plain SGD may be refused. The noise makes batches differ. */
static void one_worker_compares(const struct algo_ops *algo)
{
    struct subject s;

    if (algo->one_worker == ALGO_ONE_WORKER_OWN_FORM)
        return;
    subject_init(&s, algo, 1, &(struct quadratic_options){.noise = 0.1});
    for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
        struct rounds r = rounds_of(&s, optimizers[i], 24);
        enum status status = STATUS_OK;

        if (rounds_run(&r, &status) && (i == 0 || status != STATUS_BAD_INPUT) && EXPECT_OK(status))
            compare_with_single(&s, &r, optimizers[i]);
        rounds_release(&r);
    }
    subject_release(&s);
}

static void test_one_worker_is_as_near_to_single_as_declared(void)
{
    with_one_worker(one_worker_compares);
}

static void one_worker_ends(const struct algo_ops *algo)
{
    struct subject s;

    subject_init(&s, algo, 1, &(struct quadratic_options){.spread = 1});
    struct rounds r = rounds_of(&s, optimizers[0], ROUNDS);
    if (rounds_run(&r, NULL) && !EXPECT(distance_to(&r, quadratic_optimum(&s.q), 0) < EXACT))
        printf("# %s: %g from the optimum\n", algo->entry.name,
               distance_to(&r, quadratic_optimum(&s.q), 0));
    rounds_release(&r);
    subject_release(&s);
}

static void test_one_worker_ends_at_its_optimum(void)
{
    with_one_worker(one_worker_ends);
}

/* --- stop and resume --- */

/* Stops after 10 of 24 rounds, which is in the middle of a period of 4. */
static void resumes(struct subject *s, const char *optimizer)
{
    struct rounds whole = rounds_of(s, optimizer, 24), part = rounds_of(s, optimizer, 24);
    enum status status = STATUS_OK;

    part.stop_at = 10;
    if (rounds_run(&whole, &status) && status != STATUS_BAD_INPUT && EXPECT_OK(status) &&
        rounds_run(&part, NULL) && rounds_resume(&part)) {
        const bool is_free = is_asynchronous(s->algo);

        EXPECT(is_finite(&part));
        if (!EXPECT(is_free || has_same_bits(&whole, &part)))
            printf("# %s: other bits after it was stopped, with %s\n", s->algo->entry.name,
                   optimizer);
    }
    rounds_release(&whole);
    rounds_release(&part);
}

static void resumes_with_optimizers(const struct algo_ops *algo)
{
    struct subject s;

    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = 1, .noise = 0.1});
    for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++)
        resumes(&s, optimizers[i]);
    subject_release(&s);
}

static void test_a_resumed_run_has_the_bits_of_an_unbroken_one(void)
{
    with_several_workers(resumes_with_optimizers);
}

/* Whether two workers of a stopped run have the same in what is saved once for all. */
static void expect_alike(const struct rounds *r, const struct rounds_kept *a,
                         const struct rounds_kept *b)
{
    const int count = algo_alike_count(rounds_algo(r), r->chosen.options);

    for (int i = 0; i < count; i++)
        EXPECT(rounds_same_bits(a->vectors[i], b->vectors[i], r->state_count));
    EXPECT((a->outer == NULL) == (b->outer == NULL));
    for (int i = 0; a->outer != NULL && i < a->outer->vector_count; i++) {
        const float *x = a->outer->vectors[i], *y = b->outer->vectors[i];

        EXPECT((x == NULL) == (y == NULL));
        EXPECT(x == NULL || rounds_same_bits(x, y, r->param_count));
    }
    for (int i = 0; a->outer != NULL && i < a->outer->number_count; i++)
        EXPECT(a->outer->numbers[i] == b->outer->numbers[i]);
}

/* In the middle of a period, when the workers' own models differ. */
static void has_alike(const struct algo_ops *algo)
{
    struct subject s;

    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = 1, .noise = 0.1});
    struct rounds r = rounds_of(&s, optimizers[1], 24);
    enum status status = STATUS_OK;
    r.stop_at = 10;
    if (rounds_run(&r, &status) && status == STATUS_OK)
        for (int i = 1; i < s.workers; i++)
            expect_alike(&r, &r.kept[0], &r.kept[i]);
    rounds_release(&r);
    subject_release(&s);
}

/* Of a launched run each process has its own workers only. */
static void test_what_is_saved_once_is_the_same_on_all_workers(void)
{
    if (!setting.is_launched)
        with_several_workers(has_alike);
}

/* A run that ended after 10 rounds is made longer. */
static void grows(const struct algo_ops *algo)
{
    struct subject s;

    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = 1, .noise = 0.1});
    struct rounds whole = rounds_of(&s, optimizers[0], 24), part = rounds_of(&s, optimizers[0], 24);
    part.rounds = part.stop_at = 10;
    if (rounds_run(&whole, NULL) && !algo_spans_run(algo, whole.chosen.options) &&
        !is_asynchronous(algo) && rounds_run(&part, NULL)) {
        part.rounds = whole.rounds;
        if (rounds_resume(&part))
            EXPECT(has_same_bits(&whole, &part));
    }
    rounds_release(&whole);
    rounds_release(&part);
    subject_release(&s);
}

static void test_a_longer_run_continues_a_shorter_one_unless_the_algorithm_spans_the_run(void)
{
    with_several_workers(grows);
}

/* --- workers without data --- */

/* Worker 1 never has data, worker 2 has none after 40 batches. */
static struct problem *uneven_problem(void *context, int worker)
{
    const int64_t until = worker == 1 ? 0 : worker == 2 ? 40 : INT64_MAX;

    return rounds_problem_new(quadratic_new(context, worker), worker, until);
}

static double mean_excess(const struct rounds *r, const struct quadratic *q)
{
    float mean[SIZE] = {0};

    for (int i = 0; i < model_count(r); i++)
        for (int j = 0; j < SIZE; j++)
            mean[j] += (float)model_value(r, i, j) / (float)model_count(r);
    return quadratic_excess(q, mean);
}

/* Nothing hangs, nothing is NaN, and the loss of the mean model falls to a quarter. Not further: a
 * model whose worker has no data may stay where it is, if its algorithm does not mix models. */
static void trains_with_empty_batches(const struct algo_ops *algo)
{
    struct subject s;

    if (algo->one_worker_only)
        return;
    subject_init(&s, algo, setting.workers, &(struct quadratic_options){.spread = 0.5});
    struct rounds r = rounds_of(&s, optimizers[0], 200);
    r.problem = uneven_problem;
    r.state_count = SIZE + 1;
    const double before = quadratic_excess(&s.q, setting.start);
    if (rounds_run(&r, NULL) && EXPECT(is_finite(&r)) &&
        !EXPECT(mean_excess(&r, &s.q) < before / 4))
        printf("# %s: loss %g, at the start %g\n", algo->entry.name, mean_excess(&r, &s.q), before);
    rounds_release(&r);
    subject_release(&s);
}

static void test_training_works_with_uneven_parts_and_a_worker_without_data(void)
{
    with_several_workers(trains_with_empty_batches);
}

/* --- main --- */

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        TEST(test_every_algorithm_declares_what_it_promises),
        TEST(test_workers_that_share_a_core_share_its_scratch),
        TEST(test_one_worker_is_as_near_to_single_as_declared),
        TEST(test_one_worker_ends_at_its_optimum),
        TEST(test_with_data_that_differ_every_algorithm_ends_where_it_declares),
        TEST(test_with_data_that_are_alike_every_algorithm_ends_at_the_optimum),
        TEST(test_a_resumed_run_has_the_bits_of_an_unbroken_one),
        TEST(test_what_is_saved_once_is_the_same_on_all_workers),
        TEST(test_a_longer_run_continues_a_shorter_one_unless_the_algorithm_spans_the_run),
        TEST(test_training_works_with_uneven_parts_and_a_worker_without_data),
    };
    float start[SIZE + 1] = {0};

    for (int j = 0; j < SIZE; j++)
        start[j] = 3;
    setting.start = start;
    (void)argc;
    find_setting(argv + 1);
    return test_run_all(cases, (int)(sizeof cases / sizeof cases[0]));
}
