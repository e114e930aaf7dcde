/*
 * test_served.c - what the loop tells workers of their rounds: rates and positions by their own
 * clock, and how many they do, with a server or without. An algorithm that does what another one
 * does also notes them.
 */
#include "algo/list.h"
#include "base/log.h"
#include "conf/yaml.h"
#include "scratch.h"
#include "test.h"
#include "train/loop/coordinator.h"
#include "train/loop/endpoint.h"

enum { WORKERS = 3, NOTES_MAX = 64 };

/* What a worker saw at the beginning of each of its rounds, and the server's rates. */
struct notes {
    int64_t count;
    double lr[NOTES_MAX], epoch[NOTES_MAX];
    int64_t round[NOTES_MAX];
    bool is_last[NOTES_MAX];
};

static struct notes notes[WORKERS + 1];

static void note(const struct worker *w)
{
    struct notes *n = &notes[worker_rank(w)];

    if (n->count == NOTES_MAX)
        return;
    n->lr[n->count] = w->rates.lr;
    n->epoch[n->count] = w->epoch;
    n->round[n->count] = w->round;
    n->is_last[n->count] = w->is_last;
    n->count++;
}

static const struct algo_ops *noted; /* what the rounds really are */

static enum status noting_round(struct worker *w)
{
    note(w);
    return noted->round(w);
}

static enum status noting_serve(struct worker *w)
{
    note(w);
    return noted->serve(w);
}

/* --- a run --- */

struct trial {
    struct build *build;
    char *folder;
    void *shared, *process; /* as endpoint_setup */
};

static enum status trial_body(void *context, struct transport *t)
{
    const struct trial *trial = context;
    const struct endpoint_setup setup = {.run_dir = trial->folder,
                                         .is_temporary = true,
                                         .processes = 1,
                                         .shared = trial->shared,
                                         .process = trial->process};
    struct run_report report = {0};
    const enum status s = endpoint_run(trial->build, t, &setup, &report);

    mem_free(report.per_worker);
    mem_free(report.link_bytes);
    return s;
}

static void run_in_world(struct run_config *config, struct world *world)
{
    const struct build_size size = {.workers = WORKERS, .host_workers = WORKERS};
    struct trial trial = {.folder = scratch_new()};

    memset(notes, 0, sizeof notes);
    if (EXPECT_OK(build_new(config, &size, &trial.build))) {
        const struct coordinator *c = coordinator_of(trial.build->algo);
        struct algo_ops spy = *trial.build->algo;

        if (c->shared_bytes != NULL)
            EXPECT_OK(world_share(world, c->shared_bytes(trial.build), &trial.shared));
        if (c->process_new != NULL)
            trial.process = c->process_new(trial.build, 1);
        noted = trial.build->algo;
        spy.round = noting_round;
        spy.serve = noting_serve;
        trial.build->algo = &spy;
        EXPECT_OK(world_run(world, trial_body, &trial));
        trial.build->algo = noted;
        if (c->process_free != NULL)
            c->process_free(trial.process, WORKERS);
    }
    build_free(trial.build);
    scratch_remove(trial.folder);
}

/* 4 samples in batches of 2 are 2 rounds of an epoch for each worker. */
static void run_noting(const char *algorithm, const char *schedule, const char *train)
{
    struct node *root = NULL;
    struct run_config config;
    struct world *world = NULL;
    char text[512];

    log_set_level(LOG_ERROR);
    snprintf(
        text, sizeof text,
        "{problem: {name: quadratic, samples: 4}, algorithm: %s, optimizer: {name: sgd, lr: 0.1}, "
        "schedule: %s, transport: {workers: 3}, train: {batch_size: 2, %s}}",
        algorithm, schedule, train);
    if (EXPECT_OK(kernel_init()) && EXPECT_OK(yaml_parse(text, strlen(text), "test", &root)) &&
        EXPECT_OK(run_config_read(&config, root))) {
        const struct algo_ops *algo = (const struct algo_ops *)config.algorithm.entry;
        const struct world_request request = {.transport = "threads",
                                              .workers = WORKERS,
                                              .server = coordinator_endpoints(algo, false)};

        if (EXPECT_OK(world_open(&request, &world)))
            run_in_world(&config, world);
        world_close(world);
        run_config_release(&config);
    }
    node_free(root);
}

/* --- the tests --- */

static const char *const falling = "{name: linear, finish: 0.03}";

/* 8 rounds, from 0.1 to 0.03 in steps of 0.01. */
static void expect_own_clock(const struct notes *n, int64_t rounds)
{
    for (int64_t k = 0; k < rounds; k++) {
        EXPECT_NEAR(n->lr[k], k < 8 ? 0.1 - 0.01 * (double)k : 0.03, 1e-12);
        EXPECT_NEAR(n->epoch[k], (double)k / 2, 0);
        EXPECT_INT(n->round[k], k);
    }
}

/* The workers are told to stop in one more. */
static void test_workers_of_a_synchronous_server_have_the_rates_of_its_rounds(void)
{
    run_noting("ps-sync", falling, "epochs: 4");
    EXPECT_INT(notes[WORKERS].count, 8);
    for (int r = 0; r < WORKERS; r++) {
        const struct notes *n = &notes[r];

        EXPECT_INT(n->count, 9);
        expect_own_clock(n, 8);
        for (int k = 0; k < 8; k++) {
            EXPECT_NEAR(n->lr[k], notes[WORKERS].lr[k], 0);
            EXPECT(n->is_last[k] == (k == 7));
        }
    }
}

/* Each does its own 8 rounds, however fast it is, and leaves. */
static void expect_eight_each(const char *algorithm, const char *train)
{
    const bool is_served = strstr(algorithm, "ps-async") != NULL;

    run_noting(algorithm, falling, train);
    EXPECT_INT(notes[WORKERS].count, is_served ? 24 : 0);
    for (int r = 0; r < WORKERS; r++) {
        EXPECT_INT(notes[r].count, is_served ? 9 : 8); /* one more, in which it is told to stop */
        expect_own_clock(&notes[r], 8);
        EXPECT(notes[r].is_last[7] && !notes[r].is_last[6]);
    }
}

static void test_asynchronous_workers_leave_after_their_own_rounds(void)
{
    static const char *const algorithms[] = {"ps-async", "{name: ps-async, staleness: 1}",
                                             "hogwild", "ad-psgd"};

    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        expect_eight_each(algorithms[i], "epochs: 4");
        expect_eight_each(algorithms[i], "max_steps: 8, ends: own");
        expect_eight_each(algorithms[i], "budget: \"samples:48\"");
    }
}

/* 24 rounds of the server are 8 of each worker, if they are equally fast; a faster one stays at the
 * last rate. No round is known to be the last. */
static void test_a_server_may_end_after_the_rounds_of_all(void)
{
    static const char *const lengths[] = {"epochs: 4, ends: total", "max_steps: 24, ends: total",
                                          "budget: \"samples:48\", ends: total"};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        run_noting("ps-async", falling, lengths[i]);
        EXPECT_INT(notes[WORKERS].count, 24);
        for (int r = 0; r < WORKERS; r++) {
            EXPECT(notes[r].count > 0);
            expect_own_clock(&notes[r], notes[r].count);
            for (int64_t k = 0; k < notes[r].count; k++)
                EXPECT(!notes[r].is_last[k]);
        }
    }
}

/* 24 rounds in all, whoever does them, and each has the rate of its place among them. */
static void expect_shared_rounds(const char *algorithm, const char *train)
{
    bool found[24] = {false};
    int64_t count = 0;

    run_noting(algorithm, "{name: linear, finish: 0.01}", train);
    for (int r = 0; r < WORKERS; r++) {
        count += notes[r].count;
        for (int64_t k = 0; k < notes[r].count; k++) {
            const double place = (0.1 - notes[r].lr[k]) / 0.09 * 23;
            const int64_t nearest = (int64_t)(place + 0.5);

            EXPECT_INT(notes[r].round[k], k);
            EXPECT_NEAR(place, (double)nearest, 1e-9);
            if (EXPECT(nearest >= 0 && nearest < 24)) {
                EXPECT(!found[nearest]);
                found[nearest] = true;
            }
        }
    }
    EXPECT_INT(count, 24);
}

static void test_workers_without_a_server_may_share_the_rounds_of_all(void)
{
    static const char *const algorithms[] = {"hogwild", "ad-psgd"};

    for (size_t i = 0; i < 2; i++) {
        expect_shared_rounds(algorithms[i], "epochs: 4, ends: total");
        expect_shared_rounds(algorithms[i], "max_steps: 24, ends: total");
        expect_shared_rounds(algorithms[i], "budget: \"samples:48\", ends: total");
    }
}

TEST_MAIN(TEST(test_workers_of_a_synchronous_server_have_the_rates_of_its_rounds),
          TEST(test_asynchronous_workers_leave_after_their_own_rounds),
          TEST(test_a_server_may_end_after_the_rounds_of_all),
          TEST(test_workers_without_a_server_may_share_the_rounds_of_all))
