/*
 * test_paranoid.c - what --paranoid checks over graphs: a message or a vector that is changed on
 * its way is found, in the round in which it happens, and rounding in long runs never is.
 */
#include <stdlib.h>

#include "algo/parts/mixing.h"
#include "algo/parts/stored_real.h"
#include "algo/parts/tracking.h"
#include "quadratic_case.h"
#include "topology_case.h"

enum { SIZE = 37, NODES = 6, BAD_NODE = 2 };

static struct rounds run_of(struct quadratic *q, const struct topology *t, const char *algorithm)
{
    return quadratic_rounds(q, t, algorithm, "{name: sgd, lr: 0.02}");
}

static void make_quadratic(struct quadratic *q, int nodes)
{
    quadratic_init(q, &(struct quadratic_options){
                          .size = SIZE, .workers = nodes, .seed = 3, .spread = 1, .noise = 0.1});
}

/* --- messages that are not what was sent --- */

/* One value of one message, as worker BAD_NODE receives it in one round. */
static struct {
    const struct transport_ops *real;
    struct transport_ops wrong;
    int kind;
    size_t at; /* byte of the value */
    bool is_double;
    int64_t bad_round;
    int64_t round; /* of BAD_NODE, which alone reads and writes it */
    bool is_done;
} fault;

static enum status receive_wrongly(struct transport *t, int from, transport_kinds kinds,
                                   struct envelope *e, const struct incoming *parts, int count)
{
    char *place = (char *)parts[0].data + fault.at;

    TRY(fault.real->recv(t, from, kinds, e, parts, count));
    if (e->kind != fault.kind || fault.round != fault.bad_round || fault.is_done)
        return STATUS_OK;
    fault.is_done = true;
    if (fault.is_double)
        *(double *)(void *)place += 0.01;
    else
        *(float *)(void *)place += 0.01F;
    return STATUS_OK;
}

static void break_message(struct worker *w)
{
    if (worker_rank(w) != BAD_NODE)
        return;
    fault.round = w->round;
    if (w->round == 0) {
        fault.real = w->transport->ops;
        fault.wrong = *fault.real;
        fault.wrong.recv = receive_wrongly;
        fault.wrong.borrow = NULL; /* all is received */
        fault.wrong.give_back = NULL;
        w->transport->ops = &fault.wrong;
    }
    if (w->round == fault.bad_round + 1)
        w->transport->ops = fault.real;
}

/* --- vectors that are not what they were --- */

static struct {
    int vector; /* -1: the number instead */
    int number;
    int64_t round;
} harm;

static void break_vector(struct worker *w)
{
    if (worker_rank(w) != BAD_NODE || w->round != harm.round)
        return;
    if (harm.vector >= 0)
        w->vectors[harm.vector][SIZE - 1] += 0.01F;
    else
        stored_real_set(&w->numbers[harm.number], stored_real_get(&w->numbers[harm.number]) + 1e-4);
}

/* --- what must be said --- */

static void expect_told(const char *graph, const char *algorithm, void (*breaks)(struct worker *),
                        const char *message)
{
    struct quadratic q;
    struct topology *t = NULL;
    enum status s = STATUS_OK;

    make_quadratic(&q, NODES);
    EXPECT_OK(case_topology(graph, NODES, 4, &t));
    struct rounds r = run_of(&q, t, algorithm);

    r.before_round = breaks;
    if (rounds_run(&r, &s)) {
        EXPECT_INT(s, STATUS_DIVERGED);
        EXPECT_HAS(status_message(), message);
    }
    rounds_release(&r);
    r.paranoid = false; /* nobody looks: the same fault goes unseen */
    fault.is_done = false;
    (void)rounds_run(&r, NULL);
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

static void expect_message(const char *algorithm, enum mixing_kind kind, const char *message)
{
    memset(&fault, 0, sizeof fault);
    fault.bad_round = 7;
    fault.kind = (int)kind;
    fault.at = 5 * sizeof(float);
    expect_told("cycle", algorithm, break_message, message);
}

static void test_a_message_that_was_changed_moves_the_mean_and_is_told(void)
{
    static const char mean[] = ", round 7: mixing leaves the mean of all nodes where it is, but";

    expect_message("dsgd", MIXING_STATE, mean);
    expect_message("{name: dsgd, form: atc}", MIXING_STATE, mean);
    expect_message("{name: dsgd, form: cta}", MIXING_STATE, mean);
    expect_message("dsgt", MIXING_STATE, mean);
    expect_message("next", MIXING_STATE, mean);
    expect_message("extra", MIXING_STATE, mean);
    expect_message("exact-diffusion", MIXING_STATE, mean);
    expect_message("cadmm", MIXING_STATE, mean);
    expect_message("dinno", MIXING_STATE, mean);
    expect_message("prox-pda", MIXING_STATE, mean);
}

static void test_a_tracker_that_was_changed_on_its_way_is_told(void)
{
    expect_message("dsgt", MIXING_TRACKER, "dsgt, round 7: mean(y) is the mean gradient, but");
    expect_message("next", MIXING_TRACKER, "next, round 7: mean(y) is the mean gradient, but");
}

static void test_a_code_that_was_changed_on_its_way_is_told(void)
{
    expect_message("{name: choco, compressor: none, gamma: 0.5}", MIXING_CODE,
                   "choco, round 7: the corrections of all nodes add up to zero, but");
}

/* A packet of sgp: the mass, a double, and then the values. */
static void test_a_share_that_was_changed_on_its_way_is_told(void)
{
    memset(&fault, 0, sizeof fault);
    fault.bad_round = 7;
    fault.kind = (int)MIXING_PUSH;
    fault.is_double = true;
    expect_told("exponential", "sgp", break_message,
                "sgp, round 7: the push-sum weights of all nodes add up to 6.01 and not to 6");
    memset(&fault, 0, sizeof fault);
    fault.bad_round = 7;
    fault.kind = (int)MIXING_PUSH;
    fault.at = sizeof(double) + 5 * sizeof(float);
    expect_told("exponential", "sgp", break_message,
                "sgp, round 7: what all nodes push is what they receive, but");
}

static void expect_vector(const char *algorithm, int vector, const char *message)
{
    harm.vector = vector;
    harm.round = 7;
    expect_told("cycle", algorithm, break_vector, message);
}

static void test_what_nodes_keep_adds_up_or_is_told(void)
{
    static const char duals[] = ", round 7: the duals of all nodes add up to zero, but";
    static const char corrections[] = ", round 7: the corrections of all nodes add up to zero, but";

    expect_vector("cadmm", 0, duals);
    expect_vector("dinno", 0, duals);
    expect_vector("prox-pda", 0, duals);
    expect_vector("extra", 0, corrections);
    expect_vector("exact-diffusion", 0, corrections);
    expect_vector("{name: choco, compressor: none, gamma: 0.5}", 1, corrections);
    expect_vector("dsgt", TRACKING_Y, ", round 7: mean(y) is the mean gradient, but");
    expect_vector("next", TRACKING_Y, ", round 7: mean(y) is the mean gradient, but");
    harm.vector = -1;
    harm.number = 0;
    expect_told("exponential", "sgp", break_vector,
                "sgp, round 7: the push-sum weights of all nodes add up to 6.0001 and not to 6");
}

/* As a checkpoint would bring it: before anything is known of the past. */
static void test_what_is_wrong_from_the_start_is_told(void)
{
    harm.vector = 0;
    harm.round = 0;
    expect_told("cycle", "cadmm", break_vector,
                "cadmm, round 0: the duals of all nodes add up to zero, but");
    expect_told("cycle", "extra", break_vector,
                "extra, round 0: the corrections of all nodes add up to zero, but");
}

/* A run of a thousand rounds has seen a thousand roundings, and still sees one wrong value. */
static void test_a_late_fault_is_seen_as_well_as_an_early_one(void)
{
    struct quadratic q;
    struct topology *t = NULL;
    enum status s = STATUS_OK;

    make_quadratic(&q, NODES);
    EXPECT_OK(case_topology("cycle", NODES, 4, &t));
    struct rounds r = run_of(&q, t, "dsgt");
    r.rounds = 1000;
    r.before_round = break_vector;
    harm.vector = TRACKING_Y;
    harm.round = 990;
    if (rounds_run(&r, &s))
        EXPECT_HAS(status_message(), "dsgt, round 990: mean(y) is the mean gradient, but a sum of");
    EXPECT_INT(s, STATUS_DIVERGED);
    rounds_release(&r);
    topology_free(t);
    quadratic_release(&q);
}

/* --- long runs --- */

static const char *const algorithms[] = {
    "dsgd",
    "{name: dsgd, form: atc}",
    "{name: dsgd, form: cta}",
    "{name: dsgd, form: cta, in_place: true}",
    "dsgt",
    "{name: dsgt, in_place: true}",
    "extra",
    "exact-diffusion",
    "{name: next, l1: 0.001}",
    "{name: cadmm, primal_optimizer: sgd, primal_lr: 0.02}",
    "{name: dinno, rho_scaling: 1.0003}",
    "prox-pda",
    "{name: choco, compressor: none, gamma: 0.5}",
    "{name: choco, compressor: topk, k: 0.2, gamma: 0.1}",
    "{name: choco, compressor: qsgd, gamma: 0.1}",
    "{name: choco, compressor: sign, gamma: 0.1}",
    "sgp",
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

static void expect_silence(int nodes, int64_t rounds)
{
    struct quadratic q;
    struct topology *t = NULL;

    make_quadratic(&q, nodes);
    if (nodes > 1)
        EXPECT_OK(case_topology(nodes > 2 ? "cycle" : "path", nodes, 4, &t));
    for (int a = 0; a < ALGORITHMS; a++) {
        struct rounds r = run_of(&q, t, algorithms[a]);

        r.rounds = rounds;
        if (!rounds_run(&r, NULL))
            printf("# that was %s, %d nodes\n", algorithms[a], nodes);
        rounds_release(&r);
    }
    topology_free(t);
    quadratic_release(&q);
}

/* All 20 000 rounds with MUSTER_TEST_ROUNDS=20000; that takes minutes. */
static int64_t rounds_asked(int64_t usual)
{
    const char *text = getenv("MUSTER_TEST_ROUNDS");

    return text != NULL ? atoll(text) : usual;
}

static void test_rounding_is_no_broken_promise(void)
{
    expect_silence(1, rounds_asked(2000));
    expect_silence(2, rounds_asked(400));
    expect_silence(100, rounds_asked(10));
}

TEST_MAIN(TEST(test_a_message_that_was_changed_moves_the_mean_and_is_told),
          TEST(test_a_tracker_that_was_changed_on_its_way_is_told),
          TEST(test_a_code_that_was_changed_on_its_way_is_told),
          TEST(test_a_share_that_was_changed_on_its_way_is_told),
          TEST(test_what_nodes_keep_adds_up_or_is_told),
          TEST(test_what_is_wrong_from_the_start_is_told),
          TEST(test_a_late_fault_is_seen_as_well_as_an_early_one),
          TEST(test_rounding_is_no_broken_promise))
