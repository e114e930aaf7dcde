/*
 * test_graph_outages.c - links that fail: both ways or one way, in bursts or not, by the seed
 * alone; and which algorithms accept that.
 */
#include "algo/algo.h"
#include "graph/outages.h"
#include "quadratic_case.h"
#include "topology_case.h"

enum { NODES = 10, LINKS = NODES * (NODES - 1), SEED = 9 };

/* Whether `to` receives what `from` sends. */
static bool arrives(const struct topology *t, int64_t round, int from, int to)
{
    struct neighbourhood n;

    topology_neighbourhood(t, round, to, &n);
    for (int k = 0; k < n.in_count; k++)
        if (n.in[k] == from)
            return true;
    return false;
}

static bool reaches(const struct topology *t, int64_t round, int from, int to)
{
    struct neighbourhood n;

    topology_neighbourhood(t, round, from, &n);
    for (int k = 0; k < n.out_count; k++)
        if (n.out[k] == to)
            return true;
    return false;
}

/* Runs that were recorded before there were directions and bursts must repeat. */
static void test_two_way_losses_are_one_draw_for_both_directions(void)
{
    struct topology *t;

    EXPECT_OK(case_topology("{name: complete, drop_links: 0.4}", NODES, SEED, &t));
    EXPECT(!topology_loses_one_way(t));
    for (int64_t round = 0; round < 50; round++) {
        const struct rng r = rng_make(SEED, RNG_OUTAGE, (uint32_t)round);

        for (int i = 0; i < NODES; i++)
            for (int j = i + 1; j < NODES; j++) {
                const bool is_out = rng_uniform(&r, (uint64_t)i << 32 | (uint64_t)j, 0) < 0.4;

                EXPECT(arrives(t, round, i, j) == !is_out && arrives(t, round, j, i) == !is_out);
            }
    }
    topology_free(t);
}

/* 0.6 both ways, 0.36 if they are independent: of 45 pairs in 400 rounds the deviation of the mean
 * is sqrt(.36 .64 / 18000) = 0.0036. */
static void test_one_way_losses_of_the_two_directions_are_independent(void)
{
    struct topology *t;
    int64_t both = 0, one = 0;

    EXPECT_OK(case_topology("{name: complete, drop_links: 0.4, drop_direction: one-way}", NODES,
                            SEED, &t));
    EXPECT(topology_loses_one_way(t) && topology_is_two_way(t) && topology_changes(t));
    EXPECT(topology_graph(t, 0)->is_directed);
    for (int64_t round = 0; round < 400; round++)
        for (int i = 0; i < NODES; i++)
            for (int j = i + 1; j < NODES; j++) {
                const bool there = arrives(t, round, i, j), back = arrives(t, round, j, i);

                EXPECT(there == reaches(t, round, i, j));
                EXPECT(there == case_has(topology_graph(t, round), i, j));
                both += there && back;
                one += there;
            }
    EXPECT_NEAR((double)both / 18000, 0.36, 4 * 0.0036);
    EXPECT_NEAR((double)one / 18000, 0.6, 4 * 0.0037);
    topology_free(t);
}

static void test_rows_add_up_to_one_with_one_way_losses(void)
{
    double w[NODES * NODES], columns = 0;
    struct topology *t;

    EXPECT_OK(
        case_topology("{name: wheel, drop_links: 0.5, drop_direction: one-way}", NODES, SEED, &t));
    for (int64_t round = 0; round < 20; round++) {
        topology_matrix(t, round, w);
        for (int i = 0; i < NODES; i++) {
            double row = 0, column = 0;

            for (int j = 0; j < NODES; j++) {
                row += w[i * NODES + j];
                column += w[j * NODES + i];
            }
            EXPECT(row == 1);
            columns = fmax(columns, fabs(column - 1));
        }
    }
    EXPECT(columns > 0.1);
    topology_free(t);
}

/* --- bursts --- */

static const char bursts[] =
    "{name: complete, drop_links: 0.2, burst_length: 8, drop_direction: one-way}";

/* The chain written forwards: p from good to bad, 1/8 back; the same draws. */
static void test_bursts_are_the_two_state_chain_of_gilbert_and_elliott(void)
{
    enum { ROUNDS = 3000 };
    const double bad_to_good = 1.0 / 8, good_to_bad = bad_to_good * 0.2 / 0.8;
    struct outages o;
    struct topology_choice c;
    int64_t losses = 0, runs = 0;

    EXPECT_OK(case_read(bursts, &c));
    EXPECT_OK(outages_init(&o, &c.options, SEED));
    for (int link = 0; link < LINKS; link++) {
        const int from = link / (NODES - 1), to = (from + 1 + link % (NODES - 1)) % NODES;
        bool is_bad = false;

        for (int64_t round = 0; round < ROUNDS; round++) {
            const struct rng r = rng_make(SEED, RNG_OUTAGE, (uint32_t)round);
            const double u = rng_uniform(&r, (uint64_t)from << 32 | (uint64_t)to, 0);
            const bool before = is_bad;

            if (round == 0)
                is_bad = u < 0.2;
            else if (u < good_to_bad)
                is_bad = true;
            else if (u < good_to_bad + bad_to_good)
                is_bad = false;
            EXPECT(outages_hit(&o, round, from, to) == is_bad);
            losses += is_bad;
            runs += is_bad && (round == 0 || !before);
        }
    }
    /* 270 000 rounds with about 6750 bursts of 8, deviation about 8 each. */
    EXPECT_NEAR((double)losses / ((double)LINKS * ROUNDS), 0.2, 0.012);
    EXPECT_NEAR((double)losses / (double)runs, 8, 0.4);
    topology_choice_release(&c);
}

/* Whoever asks first, and from whichever round on. */
static void test_losses_of_a_round_do_not_depend_on_the_rounds_asked_before(void)
{
    double late[NODES * NODES], again[NODES * NODES];
    struct topology *t, *resumed;

    EXPECT_OK(case_topology(bursts, NODES, SEED, &t));
    EXPECT_OK(case_topology(bursts, NODES, SEED, &resumed));
    for (int64_t round = 0; round < 1000; round++)
        topology_matrix(t, round, late);
    topology_matrix(resumed, 999, again);
    EXPECT(memcmp(late, again, sizeof late) == 0);
    topology_free(t);
    topology_free(resumed);
}

/* Independent losses have bursts of 1 / (1 - rate). */
static void test_the_shortest_bursts_are_independent_losses(void)
{
    double a[NODES * NODES], b[NODES * NODES];
    struct topology *t, *same;

    EXPECT_OK(case_topology("{name: complete, drop_links: 0.75}", NODES, SEED, &t));
    EXPECT_OK(
        case_topology("{name: complete, drop_links: 0.75, burst_length: 4}", NODES, SEED, &same));
    for (int64_t round = 0; round < 100; round++) {
        topology_matrix(t, round, a);
        topology_matrix(same, round, b);
        EXPECT(memcmp(a, b, sizeof a) == 0);
    }
    topology_free(t);
    topology_free(same);
}

/* Bad in (0.3 - 0.1) / (0.9 - 0.1) = 1/4 of the rounds. Two losses in a row: of the stationary
 * chain with memory 1 - 1 / (10 * 0.75), the mean of loss(t) loss(t + 1). */
static void test_both_states_may_lose_and_deliver(void)
{
    enum { ROUNDS = 4000 };
    const double memory = 1 - 1 / (10 * 0.75), variance = 0.25 * 0.75 * 0.8 * 0.8;
    struct topology_choice c;
    struct outages o;
    int64_t losses = 0, pairs = 0;

    EXPECT_OK(case_read("{name: complete, drop_links: 0.3, burst_length: 10, loss_good: 0.1, "
                        "loss_bad: 0.9, drop_direction: one-way}",
                        &c));
    EXPECT_OK(outages_init(&o, &c.options, SEED));
    for (int to = 1; to < 50; to++) {
        bool before = false;

        for (int64_t round = 0; round < ROUNDS; round++) {
            const bool hit = outages_hit(&o, round, 0, to);

            losses += hit;
            pairs += hit && before;
            before = hit;
        }
    }
    EXPECT_NEAR((double)losses / (49.0 * ROUNDS), 0.3, 0.012);
    EXPECT_NEAR((double)pairs / (49.0 * ROUNDS), 0.09 + memory * variance, 0.012);
    topology_choice_release(&c);
}

static void test_impossible_bursts_are_rejected(void)
{
    struct topology *t;

    EXPECT_FAILS(case_topology("{name: cycle, drop_links: 0.9, burst_length: 5}", 5, 1, &t),
                 STATUS_BAD_INPUT, "graph.burst_length: 5 is shorter than");
    EXPECT_FAILS(case_topology("{name: cycle, drop_links: 1, burst_length: 5}", 5, 1, &t),
                 STATUS_BAD_INPUT, "graph.drop_links: 1 must be");
    EXPECT_FAILS(
        case_topology("{name: cycle, drop_links: 0.1, burst_length: 5, loss_good: 0.2}", 5, 1, &t),
        STATUS_BAD_INPUT, "graph.drop_links: 0.1 must be at least loss_good (0.2)");
    EXPECT_OK(case_topology("{name: cycle, drop_links: 0, burst_length: 5}", 5, 1, &t));
    topology_free(t);
}

/* --- algorithms --- */

struct acceptance {
    const char *name;
    bool is_rejected, is_doubted; /* with one-way losses */
    bool changes_are_rejected, changes_are_doubted;
};

/* The table of docs/reference/graphs.md. */
static const struct acceptance table[] = {
    {"ad-psgd",         true,  false, false, false},
    {"cadmm",           false, true,  false, false},
    {"choco",           true,  false, true,  false},
    {"dinno",           false, true,  false, false},
    {"dsgd",            false, true,  false, false},
    {"dsgt",            false, true,  false, false},
    {"exact-diffusion", true,  false, false, true },
    {"extra",           true,  false, false, true },
    {"next",            false, true,  false, false},
    {"prox-pda",        true,  false, false, true },
    {"ramen",           false, true,  false, false},
    {"sgp",             false, false, false, false},
    {"udon",            false, true,  false, true },
};

static bool is_doubted(const struct algo_setting *s)
{
    char *doubt = algo_doubt(s);
    const bool is_so = doubt != NULL;

    mem_free(doubt);
    return is_so;
}

static void expect_acceptance(const struct acceptance *a)
{
    struct topology_facts facts = {
        .nodes = NODES, .changes = true, .is_two_way = true, .is_doubly_stochastic = true};
    struct choice chosen = {0}, optim = {0};

    if (!EXPECT_OK(rounds_choose(&chosen, &algo_registry, a->name)) ||
        !EXPECT_OK(rounds_choose(&optim, &optim_registry, "{name: sgd, lr: 0.1}")))
        return;
    const struct algo_setting s = {
        .algo = (const struct algo_ops *)(const void *)chosen.entry,
        .options = chosen.options,
        .optim = (const struct optim_ops *)(const void *)optim.entry,
        .optim_options = optim.options,
        .topology_facts = &facts,
        .workers = NODES,
    };

    EXPECT((algo_check(&s) != STATUS_OK) == a->changes_are_rejected);
    EXPECT(is_doubted(&s) == a->changes_are_doubted);
    facts.loses_one_way = true;
    if (!EXPECT((algo_check(&s) != STATUS_OK) == a->is_rejected) ||
        (!a->is_rejected && !EXPECT(is_doubted(&s) == a->is_doubted)))
        printf("# that was %s\n", a->name);
    choice_release(&chosen);
    choice_release(&optim);
}

static void test_every_algorithm_says_which_losses_it_accepts(void)
{
    size_t known = 0;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        expect_acceptance(&table[i]);
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++)
        known += ((const struct algo_ops *)(const void *)*e)->needs_graph;
    EXPECT_INT(known, sizeof table / sizeof table[0]);
}

enum { SIZE = 37 };

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    struct rounds r = quadratic_rounds(q, t, algorithm, "{name: sgd, lr: 0.02}");

    r.rounds = 400;
    return r;
}

/* In bursts that last longer than the rest of the run; a resumed run meets the same ones. */
static void test_runs_with_one_way_bursts_repeat_and_resume(void)
{
    static const char *const able[] = {"dsgd", "dsgt", "{name: next, mu: 0}", "cadmm", "sgp"};
    struct topology *t;
    struct quadratic q;

    quadratic_make(&q, SIZE, NODES);
    EXPECT_OK(case_topology(bursts, NODES, SEED, &t));
    for (size_t i = 0; i < sizeof able / sizeof able[0]; i++) {
        struct rounds whole = run_of(&q, t, able[i]), part = run_of(&q, t, able[i]);

        part.slots = 1;
        expect_resumed(&whole, &part, 133);
        if (!EXPECT(distance_to_optimum(&whole, &q) < 1))
            printf("# %s: %g\n", able[i], distance_to_optimum(&whole, &q));
        rounds_release(&whole);
        rounds_release(&part);
    }
    topology_free(t);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_two_way_losses_are_one_draw_for_both_directions),
          TEST(test_one_way_losses_of_the_two_directions_are_independent),
          TEST(test_rows_add_up_to_one_with_one_way_losses),
          TEST(test_bursts_are_the_two_state_chain_of_gilbert_and_elliott),
          TEST(test_losses_of_a_round_do_not_depend_on_the_rounds_asked_before),
          TEST(test_the_shortest_bursts_are_independent_losses),
          TEST(test_both_states_may_lose_and_deliver), TEST(test_impossible_bursts_are_rejected),
          TEST(test_every_algorithm_says_which_losses_it_accepts),
          TEST(test_runs_with_one_way_bursts_repeat_and_resume))
