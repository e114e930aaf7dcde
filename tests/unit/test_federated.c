/*
 * test_federated.c - algorithms with clients: who is drawn, and what fedavg, fedprox and scaffold
 * equal. Their rules against PyTorch are in golden/test_golden_federated.c.
 */
#include "algo/parts/clients.h"
#include "optim/optim.h"
#include "problem/quadratic.h"
#include "rounds.h"

enum { N = 37, WORKERS = 5, ROUNDS = 12 }; /* N is no multiple of any vector width */

static struct problem *plain_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

/* Workers with different numbers of samples, and so with different weights. */
static struct problem *unequal_problem(void *context, int worker)
{
    struct problem *p = quadratic_new(context, worker);

    p->own_samples = 10 + 7 * worker;
    return p;
}

static void make_quadratic(struct quadratic *q, double noise)
{
    quadratic_init(q, &(struct quadratic_options){
                          .size = N, .workers = WORKERS, .seed = 3, .spread = 1, .noise = noise});
}

static struct rounds case_of(struct quadratic *q, const char *algorithm, const char *optimizer)
{
    return (struct rounds){
        .algorithm = algorithm,
        .optimizer = optimizer,
        .workers = WORKERS,
        .rounds = ROUNDS,
        .param_count = N,
        .state_count = N,
        .problem = plain_problem,
        .context = q,
        .paranoid = true,
        .seed = 1,
    };
}

/* --- who is drawn --- */

static struct {
    bool is_in[ROUNDS][WORKERS]; /* as worker 0 sees it */
    bool differs;                /* another worker has seen something else */
} drawn;

/* Others compare with worker 0 one round later: it has written then, since rounds end with sums. */
static void look(struct worker *w)
{
    struct worker before = *w;

    before.round--;
    for (int i = 0; i < WORKERS; i++)
        if (worker_rank(w) == 0)
            drawn.is_in[w->round][i] = clients_include(w, i);
        else if (w->round > 0 && clients_include(&before, i) != drawn.is_in[w->round - 1][i])
            drawn.differs = true;
}

static void draw(struct quadratic *q, const char *algorithm, uint64_t seed)
{
    struct rounds r = case_of(q, algorithm, "{name: sgd, lr: 0.1}");

    memset(&drawn, 0, sizeof drawn);
    r.seed = seed;
    r.before_round = look;
    rounds_run(&r, NULL);
    rounds_release(&r);
}

static void expect_drawn(struct quadratic *q, const char *algorithm, int count)
{
    draw(q, algorithm, 1);
    EXPECT(!drawn.differs);
    for (int k = 0; k < ROUNDS; k++) {
        int found = 0;

        for (int i = 0; i < WORKERS; i++)
            found += drawn.is_in[k][i];
        EXPECT_INT(found, count);
    }
}

static void test_each_round_has_as_many_clients_as_asked_for(void)
{
    struct quadratic q;

    make_quadratic(&q, 0);
    expect_drawn(&q, "fedavg", 5);
    expect_drawn(&q, "{name: fedavg, clients: 1}", 1);
    expect_drawn(&q, "{name: fedprox, clients: 3}", 3);
    expect_drawn(&q, "{name: scaffold, clients: 5}", 5);
    expect_drawn(&q, "{name: fedavg, clients: 0.5}", 3); /* 2.5 */
    expect_drawn(&q, "{name: fedavg, clients: 0.01}", 1);
    quadratic_release(&q);
}

/* Of 5 over 2 clients, 10 pairs: equal in all of 12 rounds with one chance in 10^12. */
static void test_clients_depend_on_the_round_and_the_seed(void)
{
    struct quadratic q;
    bool first[ROUNDS][WORKERS], is_same = true;
    int trained[WORKERS] = {0};

    make_quadratic(&q, 0);
    draw(&q, "{name: fedavg, clients: 2}", 1);
    memcpy(first, drawn.is_in, sizeof first);
    for (int k = 1; k < ROUNDS; k++)
        is_same = is_same && memcmp(first[k], first[0], sizeof first[0]) == 0;
    EXPECT(!is_same);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < WORKERS; i++)
            trained[i] += first[k][i];
    for (int i = 0; i < WORKERS; i++)
        EXPECT(trained[i] > 0);
    draw(&q, "{name: fedavg, clients: 2}", 2);
    EXPECT(memcmp(first, drawn.is_in, sizeof first) != 0);
    quadratic_release(&q);
}

static void test_a_worker_that_is_not_drawn_computes_nothing(void)
{
    struct quadratic q;

    make_quadratic(&q, 0);
    struct rounds r = case_of(&q, "{name: fedavg, clients: 2, local_steps: 3}",
                              "{name: sgd, lr: 0.1, momentum: 0.5}");
    r.before_round = look;
    r.problem = unequal_problem;
    if (rounds_run(&r, NULL))
        for (int i = 0; i < WORKERS; i++) {
            int64_t steps = 0;

            for (int k = 0; k < ROUNDS; k++)
                steps += drawn.is_in[k][i] ? 3 : 0;
            EXPECT_INT(r.kept[i].steps, steps);
            EXPECT_INT(r.kept[i].draws, steps);
        }
    rounds_release(&r);
    quadratic_release(&q);
}

/* --- what they equal --- */

/* The two runs end with the same bits on every worker. */
static void expect_same(struct rounds a, struct rounds b)
{
    if (rounds_run(&a, NULL) && rounds_run(&b, NULL))
        for (int i = 0; i < WORKERS; i++)
            if (!EXPECT(rounds_same_bits(a.states[i], b.states[i], N)))
                printf("# %s and %s with %s, worker %d\n", a.algorithm, b.algorithm, a.optimizer,
                       i);
    EXPECT(fabs((double)a.states[0][0]) > 1e-3); /* it has moved */
    rounds_release(&a);
    rounds_release(&b);
}

static const char *const optimizers[] = {
    "{name: sgd, lr: 0.1}",
    "{name: sgd, lr: 0.05, momentum: 0.9}",
    "{name: adam, lr: 0.05}",
};
enum { OPTIMIZERS = sizeof optimizers / sizeof optimizers[0] };

static void test_fedavg_with_kept_optimizers_is_local_sgd_to_the_bit(void)
{
    struct quadratic q;

    make_quadratic(&q, 0.3);
    for (int i = 0; i < OPTIMIZERS; i++) {
        struct rounds local = case_of(&q, "{name: local-sgd, period: 4}", optimizers[i]);

        local.rounds = 4 * ROUNDS;
        expect_same(case_of(&q,
                            "{name: fedavg, local_steps: 4, weights: uniform, "
                            "optimizer_state: local}",
                            optimizers[i]),
                    local);
        local.algorithm = "{name: local-sgd, period: 4, optimizer_state: reset}";
        expect_same(case_of(&q, "{name: fedavg, local_steps: 4}", optimizers[i]), local);
    }
    quadratic_release(&q);
}

static void test_equal_numbers_of_samples_have_the_bits_of_equal_weights(void)
{
    struct quadratic q;

    make_quadratic(&q, 0.3);
    expect_same(
        case_of(&q, "{name: fedavg, local_steps: 3, clients: 3}", optimizers[0]),
        case_of(&q, "{name: fedavg, local_steps: 3, clients: 3, weights: uniform}", optimizers[0]));
    quadratic_release(&q);
}

static void test_fedprox_without_a_pull_is_fedavg_to_the_bit(void)
{
    struct quadratic q;

    make_quadratic(&q, 0.3);
    for (int i = 0; i < OPTIMIZERS; i++) {
        struct rounds a =
            case_of(&q, "{name: fedprox, mu: 0, local_steps: 4, clients: 2}", optimizers[i]);
        struct rounds b = case_of(&q, "{name: fedavg, local_steps: 4, clients: 2}", optimizers[i]);

        a.problem = b.problem = unequal_problem;
        expect_same(a, b);
        a.algorithm = "{name: fedprox, mu: 5, local_steps: 1, clients: 2}";
        b.algorithm = "{name: fedavg, local_steps: 1, clients: 2}";
        expect_same(a, b);
    }
    quadratic_release(&q);
}

static void test_the_first_round_of_scaffold_is_that_of_fedavg(void)
{
    struct quadratic q;

    make_quadratic(&q, 0.3);
    struct rounds a = case_of(&q, "{name: scaffold, local_steps: 4, clients: 2}", optimizers[0]);
    struct rounds b =
        case_of(&q, "{name: fedavg, local_steps: 4, clients: 2, weights: uniform}", optimizers[0]);

    a.rounds = b.rounds = 1;
    expect_same(a, b);
    quadratic_release(&q);
}

/* Two roundings of values of size 1 in each of 12 rounds, in another order. */
static void test_one_local_step_of_all_clients_is_a_step_on_the_mean_gradient(void)
{
    static const char *const algorithms[] = {"{name: fedavg, local_steps: 1}",
                                             "{name: scaffold, local_steps: 1}"};
    struct quadratic q;

    make_quadratic(&q, 0.3);
    for (int k = 0; k < 2; k++) {
        struct rounds sync = case_of(&q, "sync", optimizers[0]);
        struct rounds other = case_of(&q, algorithms[k], optimizers[0]);

        if (rounds_run(&sync, NULL) && rounds_run(&other, NULL))
            for (int j = 0; j < N; j++)
                EXPECT_NEAR((double)other.states[0][j], (double)sync.states[0][j], 2e-6);
        rounds_release(&sync);
        rounds_release(&other);
    }
    quadratic_release(&q);
}

/* --- where they end --- */

static double distance(struct quadratic *q, const char *algorithm, int64_t rounds)
{
    struct rounds r = case_of(q, algorithm, "{name: sgd, lr: 0.05}");
    double found = NAN;

    r.rounds = rounds;
    if (rounds_run(&r, NULL)) {
        found = 0;
        for (int j = 0; j < N; j++)
            found = fmax(found, fabs((double)r.states[0][j] - quadratic_optimum(q)[j]));
    }
    rounds_release(&r);
    return found;
}

/* The fixed point of K steps with the mean of the models after them, by the closed form: the mean
 * of b_i with weights 1 - (1 - lr a_i)^K. */
static double bias_of_fedavg(const struct quadratic *q, int steps)
{
    double most = 0;

    for (int j = 0; j < N; j++) {
        double sum = 0, weights = 0;

        for (int i = 0; i < WORKERS; i++) {
            const double weight = 1 - pow(1 - 0.05 * q->a[i * N + j], steps);
            sum += weight * q->b[i * N + j];
            weights += weight;
        }
        most = fmax(most, fabs(sum / weights - quadratic_optimum(q)[j]));
    }
    return most;
}

static void test_scaffold_reaches_the_optimum_where_fedavg_has_its_bias(void)
{
    struct quadratic q;

    make_quadratic(&q, 0);
    const double bias = distance(&q, "{name: fedavg, local_steps: 10}", 300);
    const double shifted = distance(&q, "{name: fedprox, local_steps: 10, mu: 2}", 300);

    EXPECT_NEAR(bias, bias_of_fedavg(&q, 10), 1e-5); /* what float leaves */
    EXPECT(bias > 0.05);
    EXPECT(shifted > 0.01 && shifted < 0.9 * bias);
    EXPECT(distance(&q, "{name: scaffold, local_steps: 10}", 300) < 1e-5);
    EXPECT(distance(&q, "{name: scaffold, local_steps: 10, clients: 2}", 2000) < 1e-5);
    EXPECT(distance(&q, "{name: fedavg, local_steps: 10, clients: 2}", 2000) > 0.05);
    quadratic_release(&q);
}

/* --- what is checked --- */

static void break_control(struct worker *w)
{
    if (w->round == 5 && worker_rank(w) == 2)
        w->vectors[1][3] += 0.01F; /* c_i */
}

static void break_common(struct worker *w)
{
    if (w->round == 5 && worker_rank(w) == 2)
        w->vectors[0][3] += 0.01F; /* c */
}

static void expect_found(void (*break_it)(struct worker *w), const char *text)
{
    struct quadratic q;
    enum status s = STATUS_OK;

    make_quadratic(&q, 0.3);
    struct rounds r = case_of(&q, "{name: scaffold, local_steps: 3, clients: 4}", optimizers[0]);
    r.before_round = break_it;
    if (rounds_run(&r, &s)) {
        EXPECT(s != STATUS_OK);
        EXPECT_HAS(status_message(), text);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_paranoid_finds_controls_that_are_wrong(void)
{
    expect_found(break_control, "c is the mean of all c_i");
    expect_found(break_common, "worker 2 has other parameters than worker 0");
}

static void expect_rejected(const char *algorithm, const char *optimizer, const char *text)
{
    struct quadratic q;
    enum status s = STATUS_OK;

    make_quadratic(&q, 0);
    struct rounds r = case_of(&q, algorithm, optimizer);
    if (rounds_run(&r, &s)) {
        EXPECT(s == STATUS_BAD_INPUT);
        EXPECT_HAS(status_message(), text);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

static void test_what_cannot_work_is_rejected(void)
{
    expect_rejected("{name: fedavg, clients: 6}", optimizers[0],
                    "algorithm.clients: 6 is more than the number of workers, 5");
    expect_rejected("{name: fedprox, clients: 2.5}", optimizers[0],
                    "algorithm.clients: 2.5 is neither a whole number nor a fraction below 1");
    expect_rejected("scaffold", optimizers[1], "optimizer.momentum: scaffold needs");
    expect_rejected("scaffold", optimizers[2], "optimizer.name: scaffold needs");
    expect_rejected("scaffold", "{name: adam, lr: 0.1, beta1: 0}",
                    "scaffold needs sgd without momentum, not adam");
}

TEST_MAIN(TEST(test_each_round_has_as_many_clients_as_asked_for),
          TEST(test_clients_depend_on_the_round_and_the_seed),
          TEST(test_a_worker_that_is_not_drawn_computes_nothing),
          TEST(test_fedavg_with_kept_optimizers_is_local_sgd_to_the_bit),
          TEST(test_equal_numbers_of_samples_have_the_bits_of_equal_weights),
          TEST(test_fedprox_without_a_pull_is_fedavg_to_the_bit),
          TEST(test_the_first_round_of_scaffold_is_that_of_fedavg),
          TEST(test_one_local_step_of_all_clients_is_a_step_on_the_mean_gradient),
          TEST(test_scaffold_reaches_the_optimum_where_fedavg_has_its_bias),
          TEST(test_paranoid_finds_controls_that_are_wrong),
          TEST(test_what_cannot_work_is_rejected))
