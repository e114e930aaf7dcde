/*
 * test_served.c - what the loop tells the workers of a server: rates and positions by their own
 * clock. An algorithm that does what ps-sync and ps-async do also notes them.
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
};

static enum status trial_body(void *context, struct transport *t)
{
    const struct trial *trial = context;
    const struct endpoint_setup setup = {
        .run_dir = trial->folder, .is_temporary = true, .processes = 1};
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
        struct algo_ops spy = *trial.build->algo;

        noted = trial.build->algo;
        spy.round = noting_round;
        spy.serve = noting_serve;
        trial.build->algo = &spy;
        EXPECT_OK(world_run(world, trial_body, &trial));
        trial.build->algo = noted;
    }
    build_free(trial.build);
    scratch_remove(trial.folder);
}

/* 4 samples in batches of 2 are 2 rounds of an epoch for each worker. */
static void run_noting(const char *algorithm, const char *schedule)
{
    struct node *root = NULL;
    struct run_config config;
    struct world *world = NULL;
    char text[512];

    log_set_level(LOG_ERROR);
    snprintf(
        text, sizeof text,
        "{problem: {name: quadratic, samples: 4}, algorithm: %s, optimizer: {name: sgd, lr: 0.1}, "
        "schedule: %s, transport: {workers: 3}, train: {batch_size: 2, epochs: 4}}",
        algorithm, schedule);
    if (EXPECT_OK(kernel_init()) && EXPECT_OK(yaml_parse(text, strlen(text), "test", &root)) &&
        EXPECT_OK(run_config_read(&config, root))) {
        const struct world_request request = {
            .transport = "threads", .workers = WORKERS, .server = WORLD_SERVER_THREAD};

        if (EXPECT_OK(world_open(&request, &world)))
            run_in_world(&config, world);
        world_close(world);
        run_config_release(&config);
    }
    node_free(root);
}

/* --- the tests --- */

/* 8 rounds, from 0.1 to 0.03 in steps of 0.01. The workers are told to stop in one more. */
static void test_workers_of_a_synchronous_server_have_the_rates_of_its_rounds(void)
{
    run_noting("ps-sync", "{name: linear, finish: 0.03}");
    EXPECT_INT(notes[WORKERS].count, 8);
    for (int r = 0; r < WORKERS; r++) {
        const struct notes *n = &notes[r];

        EXPECT_INT(n->count, 9);
        for (int k = 0; k < 8; k++) {
            EXPECT_NEAR(n->lr[k], 0.1 - 0.01 * k, 1e-12);
            EXPECT_NEAR(n->lr[k], notes[WORKERS].lr[k], 0);
            EXPECT_NEAR(n->epoch[k], k / 2.0, 0);
            EXPECT_INT(n->round[k], k);
            EXPECT(n->is_last[k] == (k == 7));
        }
    }
}

/* 24 rounds of the server are 8 of each worker, if they are equally fast; a faster one stays at the
 * last rate. No round is known to be the last. */
static void test_workers_of_an_asynchronous_server_have_rates_by_their_own_rounds(void)
{
    run_noting("ps-async", "{name: linear, finish: 0.03}");
    EXPECT_INT(notes[WORKERS].count, 24);
    for (int r = 0; r < WORKERS; r++) {
        const struct notes *n = &notes[r];

        EXPECT(n->count > 0);
        for (int64_t k = 0; k < n->count; k++) {
            EXPECT_NEAR(n->lr[k], k < 8 ? 0.1 - 0.01 * (double)k : 0.03, 1e-12);
            EXPECT_NEAR(n->epoch[k], (double)k / 2, 0);
            EXPECT_INT(n->round[k], k);
            EXPECT(!n->is_last[k]);
        }
    }
}

TEST_MAIN(TEST(test_workers_of_a_synchronous_server_have_the_rates_of_its_rounds),
          TEST(test_workers_of_an_asynchronous_server_have_rates_by_their_own_rounds))
