/*
 * test_transport_shared.c - what every transport owes the processes before they run: memory that
 * all share, a number that all agree on, and one that leads.
 */
#include <stdatomic.h>

#include "comm/world.h"
#include "worlds.h"

/* --- shared memory --- */

enum { WORDS = 5003, TURNS = 40 };

struct shared {
    struct world *world;
    atomic_llong *words; /* [WORDS] */
    atomic_llong *other; /* [1] of another block */
};

/* What all add is there when all have met. */
static enum status add_body(void *context, struct transport *t)
{
    const struct shared *s = context;
    const long long before = atomic_load_explicit(s->other, memory_order_relaxed);
    const long long once = (long long)t->workers * (t->workers + 1) / 2 * TURNS;

    if (is_server(t))
        return STATUS_OK;
    MUST(before % once == 0);
    TRY(transport_barrier(t));
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < WORDS; i++)
            atomic_fetch_add_explicit(&s->words[i], t->rank + 1, memory_order_relaxed);
    atomic_fetch_add_explicit(s->other, (t->rank + 1) * TURNS, memory_order_relaxed);
    TRY(transport_barrier(t));
    for (int i = 0; i < WORDS; i++)
        MUST(atomic_load_explicit(&s->words[i], memory_order_relaxed) == before + once);
    MUST(atomic_load_explicit(s->other, memory_order_relaxed) == before + once);
    return transport_barrier(t);
}

static void share_test(struct world *w)
{
    struct shared s = {.world = w};
    void *words = NULL, *other = NULL;
    int64_t met = 0;

    if (!EXPECT_OK(world_share(w, WORDS * sizeof *s.words, &words)) ||
        !EXPECT_OK(world_share(w, sizeof *s.other, &other)))
        return;
    EXPECT((uintptr_t)words % 64 == 0 && (uintptr_t)other % 64 == 0);
    s.words = words;
    s.other = other;
    for (int i = 0; i < WORDS; i++)
        EXPECT(atomic_load_explicit(&s.words[i], memory_order_relaxed) == 0);
    EXPECT_OK(world_agree(w, 0, &met)); /* all have looked before anybody adds */
    EXPECT_OK(world_run(w, add_body, &s));
    EXPECT_OK(world_run(w, add_body, &s)); /* it lives as long as the world */
}

static void test_all_workers_add_into_shared_memory_and_see_the_total(void)
{
    with_worlds(share_test);
}

static void empty_share_test(struct world *w)
{
    void *nothing = NULL;

    EXPECT_OK(world_share(w, 0, &nothing));
    EXPECT(nothing != NULL);
}

static void test_nothing_may_be_shared(void)
{
    with_worlds(empty_share_test);
}

/* --- agreeing --- */

static void agree_test(struct world *w)
{
    int64_t lowest = -1;

    EXPECT_OK(world_agree(w, w->process, &lowest));
    EXPECT_INT(lowest, 0);
    EXPECT_OK(world_agree(w, 100 - w->process, &lowest));
    EXPECT_INT(lowest, 100 - (w->processes - 1));
    EXPECT_OK(world_agree(w, w->process == w->processes - 1 ? INT64_MIN : INT64_MAX, &lowest));
    EXPECT_INT(lowest, INT64_MIN);
}

static void test_processes_agree_on_the_lowest_number(void)
{
    with_worlds(agree_test);
}

/* --- leading --- */

struct lives_here {
    atomic_bool first, server;
};

static enum status note_body(void *context, struct transport *t)
{
    struct lives_here *here = context;

    if (t->rank == 0)
        atomic_store(&here->first, true);
    if (is_server(t))
        atomic_store(&here->server, true);
    return STATUS_OK;
}

static void lead_test(struct world *w)
{
    struct lives_here here = {false, false};

    EXPECT_OK(world_run(w, note_body, &here));
    EXPECT(world_is_lead(w) == atomic_load(w->size == w->workers + 1 ? &here.server : &here.first));
}

/* Every endpoint runs in the process that the world says. */
static enum status at_home_body(void *context, struct transport *t)
{
    const struct world *w = context;

    MUST(world_process_of(w, t->rank) == w->process);
    return STATUS_OK;
}

static void home_test(struct world *w)
{
    int workers = 0;

    expect_run(w, at_home_body);
    for (int i = 0; i < w->size; i++)
        EXPECT(world_process_of(w, i) >= 0 && world_process_of(w, i) < w->processes);
    for (int i = 0; i < w->workers; i++)
        workers += world_process_of(w, i) == w->process;
    EXPECT_INT(world_own_workers(w), workers);
    for (int p = 0; p < w->processes; p++)
        EXPECT_INT(world_process_of(w, world_first_endpoint(w, p)), p);
    for (int i = 0; i < w->size; i++)
        EXPECT(world_first_endpoint(w, world_process_of(w, i)) <= i);
}

static void test_the_world_knows_the_process_of_every_endpoint(void)
{
    with_worlds(home_test);
}

static void test_the_process_with_the_server_leads_else_the_one_with_worker_0(void)
{
    struct world *w = NULL;

    with_worlds(lead_test);
    if (!EXPECT_OK(world_open(&(struct world_request){0}, &w)))
        return;

    const bool has_room = !world_is_launched() || w->processes > 1;

    world_close(w);
    if (has_room) {
        with_world(&(struct world_request){.server = WORLD_SERVER_OWN}, lead_test);
        with_world(&(struct world_request){.server = WORLD_SERVER_OWN}, share_test);
        with_world(&(struct world_request){.server = WORLD_SERVER_OWN}, home_test);
    }
}

TEST_MAIN(TEST(test_all_workers_add_into_shared_memory_and_see_the_total),
          TEST(test_nothing_may_be_shared), TEST(test_processes_agree_on_the_lowest_number),
          TEST(test_the_world_knows_the_process_of_every_endpoint),
          TEST(test_the_process_with_the_server_leads_else_the_one_with_worker_0))
