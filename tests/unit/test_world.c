/*
 * test_world.c - choosing a transport, the launcher's word, and the parts under the transports:
 * sums in order, slots, the first failure.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/team.h"
#include "comm/core_slots.h"
#include "comm/failure.h"
#include "comm/sum.h"
#include "comm/world.h"
#include "test.h"

static void forget_launcher(void)
{
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("PMIX_RANK");
    unsetenv("SLURM_STEP_NUM_TASKS");
}

static enum status open_and_close(const struct world_request *request)
{
    struct world *w = NULL;
    const enum status s = world_open(request, &w);

    world_close(w);
    return s;
}

/* --- choosing --- */

static void test_without_a_launcher_the_world_is_one_worker_on_threads(void)
{
    struct world *w = NULL;

    forget_launcher();
    EXPECT(!world_is_launched());
    if (!EXPECT_OK(world_open(&(struct world_request){0}, &w)))
        return;
    EXPECT_TEXT(w->transport->entry.name, "threads");
    EXPECT_INT(w->workers, 1);
    EXPECT_INT(w->size, 1);
    EXPECT_INT(w->processes, 1);
    world_close(w);
}

static void test_a_server_is_an_endpoint_beside_the_workers(void)
{
    struct world *w = NULL;
    const struct world_request request = {
        .transport = "threads", .workers = 4, .server = WORLD_SERVER_OWN};

    forget_launcher();
    if (!EXPECT_OK(world_open(&request, &w)))
        return;
    EXPECT_INT(w->workers, 4);
    EXPECT_INT(w->size, 5);
    world_close(w);
}

static void test_an_unknown_transport_is_an_error_that_lists_and_suggests(void)
{
    forget_launcher();
    EXPECT_FAILS(open_and_close(&(struct world_request){.transport = "thread"}), STATUS_BAD_INPUT,
                 "there is no transport thread; did you mean threads?");
    EXPECT_FAILS(open_and_close(&(struct world_request){.transport = "carrier pigeons"}),
                 STATUS_BAD_INPUT, "there is no transport carrier pigeons; there are threads, mpi");
}

static void test_mpi_without_a_launcher_is_one_sentence(void)
{
    const struct world_request request = {.transport = "mpi", .workers = 4};

    forget_launcher();
    EXPECT_INT(open_and_close(&request), STATUS_BAD_INPUT);
    EXPECT_HAS(status_message(), transport_is_available(transport_find("mpi"))
                                     ? "transport mpi needs a launcher: mpirun -n 4"
                                     : "is not in this build: install libopenmpi-dev");
}

static void test_threads_is_built_in_and_mpi_a_module_that_a_launcher_starts(void)
{
    const struct transport_entry *threads = transport_find("threads"), *mpi = transport_find("mpi");

    EXPECT(threads->module == NULL && transport_is_available(threads));
    EXPECT(!threads->needs_launcher && threads->shares_memory && !threads->is_virtual);
    EXPECT_TEXT(mpi->module, "libmuster_mpi.so");
    EXPECT(mpi->needs_launcher && !mpi->shares_memory && !mpi->is_virtual);
    EXPECT(transport_usual(false) == threads && transport_usual(true) == mpi);
}

/* What an entry must say, whichever is added. */
static void test_every_transport_says_how_it_comes_to_be(void)
{
    for (const struct entry *const *e = transport_registry.entries; *e != NULL; e++) {
        const struct transport_entry *t = (const struct transport_entry *)*e;

        EXPECT(t->entry.name != NULL && t->entry.summary != NULL);
        EXPECT((t->module == NULL) == (t->open != NULL));
        EXPECT((t->module == NULL) == (t->packages == NULL));
        EXPECT(t->needs_launcher == (t->launcher != NULL));
        EXPECT(!(t->needs_launcher && t->shares_memory));
    }
}

static void test_threads_in_several_launched_processes_are_refused_and_told_by_the_first(void)
{
    const struct world_request request = {.transport = "threads", .workers = 2};

    forget_launcher();
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    EXPECT(world_is_launched());
    EXPECT_FAILS(open_and_close(&request), STATUS_BAD_INPUT, "separate training");
    setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    EXPECT_INT(open_and_close(&request), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "");
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    EXPECT_OK(open_and_close(&request));

    forget_launcher();
    setenv("PMIX_RANK", "1", 1); /* srun: another way to say the same */
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    EXPECT(world_is_launched());
    EXPECT_INT(open_and_close(&request), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "");
    forget_launcher();
}

/* --- running --- */

static enum status fail_body(void *context, struct transport *t)
{
    (void)context;
    if (t->rank == 1)
        return FAIL(STATUS_IO, "worker 1 cannot read its data");
    if (transport_recv(t, 1, 0, NULL, NULL, 0) == STATUS_PEER)
        return FAIL(STATUS_DIVERGED, "this comes later");
    return STATUS_OK;
}

static void test_the_first_failure_is_the_answer_of_the_run(void)
{
    struct world *w = NULL;

    forget_launcher();
    if (!EXPECT_OK(world_open(&(struct world_request){.workers = 6}, &w)))
        return;
    EXPECT_INT(world_run(w, fail_body, NULL), STATUS_IO);
    EXPECT_TEXT(status_message(), "worker 1 cannot read its data");
    world_close(w);
}

static enum status quiet_body(void *context, struct transport *t)
{
    (void)context;
    FAIL(STATUS_IO, "endpoint %d tried something and got over it", t->rank);
    return STATUS_OK;
}

static void test_an_endpoint_has_its_own_message(void)
{
    struct world *w = NULL;

    forget_launcher();
    if (!EXPECT_OK(world_open(&(struct world_request){.workers = 3}, &w)))
        return;
    FAIL(STATUS_IO, "%s", "the caller's");
    EXPECT_OK(world_run(w, quiet_body, NULL));
    EXPECT_TEXT(status_message(), "the caller's");
    world_close(w);
}

/* --- the parts --- */

static void test_a_reduction_adds_from_left_to_right(void)
{
    /* (1e8 + 1) - 1e8 is 0 in float, 1e8 - 1e8 + 1 would be 1. */
    float a[3] = {1e8F, 1, 2}, b[3] = {1, 2, 3}, c[3] = {-1e8F, 4, 5}, out[3] = {7, 7, 7};
    const void *in[] = {a, b, c};
    void *outs[] = {out, a};

    sum_in_order(&(struct reduction){
        .type = SUM_FLOAT, .inputs = 3, .outputs = 2, .in = in, .out = outs, .begin = 0, .end = 2});
    EXPECT(out[0] == 0 && out[1] == 7 && out[2] == 7);
    EXPECT(a[0] == 0 && a[1] == 7 && a[2] == 2);
}

static void test_one_negative_zero_stays_what_it_is(void)
{
    float x = -0.0F;
    const void *in[] = {&x};
    void *out[] = {&x};

    sum_in_order(&(struct reduction){
        .type = SUM_FLOAT, .inputs = 1, .outputs = 1, .in = in, .out = out, .end = 1});
    EXPECT(signbit(x));
}

static void test_whole_numbers_wrap_around(void)
{
    int64_t a = INT64_MAX, b = 2;
    const void *in[] = {&a, &b};
    void *out[] = {&a};

    sum_in_order(&(struct reduction){
        .type = SUM_INT64, .inputs = 2, .outputs = 1, .in = in, .out = out, .end = 1});
    EXPECT_INT(a, INT64_MIN + 1);
}

struct line {
    struct core_slots *slots;
    atomic_int waiting, served;
    int order[8]; /* who was served when; guarded by the one slot */
};

struct person {
    struct line *line;
    struct core_slot_holder holder;
    int number;
};

static void *stand_in_line(void *argument)
{
    struct person *p = argument;

    atomic_fetch_add(&p->line->waiting, 1);
    core_slots_take(p->line->slots, &p->holder);
    p->line->order[atomic_fetch_add(&p->line->served, 1)] = p->number;
    core_slots_give(p->line->slots, &p->holder);
    return NULL;
}

static void wait_a_moment(void)
{
    const struct timespec t = {.tv_nsec = 20000000};

    nanosleep(&t, NULL);
}

static void test_slots_are_given_in_the_order_of_asking(void)
{
    struct line line = {.slots = core_slots_new(1)};
    struct person people[8];
    pthread_t threads[8];
    struct core_slot_holder mine;

    core_slot_holder_init(&mine);
    core_slots_take(line.slots, &mine);
    for (int i = 0; i < 8; i++) {
        people[i] = (struct person){.line = &line, .number = i};
        core_slot_holder_init(&people[i].holder);
        EXPECT_INT(pthread_create(&threads[i], NULL, stand_in_line, &people[i]), 0);
        while (atomic_load(&line.waiting) <= i)
            wait_a_moment();
        wait_a_moment(); /* from the count to the line is one step */
    }
    core_slots_give(line.slots, &mine);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++) {
        EXPECT_INT(line.order[i], i);
        core_slot_holder_release(&people[i].holder);
    }
    core_slot_holder_release(&mine);
    core_slots_free(line.slots);
}

static void test_only_the_first_failure_is_kept(void)
{
    struct failure f;

    failure_init(&f);
    EXPECT(!failure_is_set(&f));
    EXPECT(failure_set(&f, STATUS_DIVERGED, "one"));
    EXPECT(!failure_set(&f, STATUS_IO, "two"));
    EXPECT_FAILS(failure_answer(&f), STATUS_PEER, "one");
    EXPECT_INT(f.first.status, STATUS_DIVERGED);
    failure_release(&f);
}

TEST_MAIN(TEST(test_without_a_launcher_the_world_is_one_worker_on_threads),
          TEST(test_a_server_is_an_endpoint_beside_the_workers),
          TEST(test_an_unknown_transport_is_an_error_that_lists_and_suggests),
          TEST(test_mpi_without_a_launcher_is_one_sentence),
          TEST(test_threads_is_built_in_and_mpi_a_module_that_a_launcher_starts),
          TEST(test_every_transport_says_how_it_comes_to_be),
          TEST(test_threads_in_several_launched_processes_are_refused_and_told_by_the_first),
          TEST(test_the_first_failure_is_the_answer_of_the_run),
          TEST(test_an_endpoint_has_its_own_message),
          TEST(test_a_reduction_adds_from_left_to_right),
          TEST(test_one_negative_zero_stays_what_it_is), TEST(test_whole_numbers_wrap_around),
          TEST(test_slots_are_given_in_the_order_of_asking),
          TEST(test_only_the_first_failure_is_kept))
