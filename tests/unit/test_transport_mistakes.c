/*
 * test_transport_mistakes.c - what the checked functions of a transport do not allow a program to
 * do: it ends with the place and the condition that does not hold.
 */
#include "algo/parts/shared_model.h"
#include "child.h"
#include "comm/control_kinds.h"
#include "comm/world.h"
#include "test.h"

static const struct sum nothing = {.is_control = true};

static void run_world(world_body *body, enum world_server server)
{
    struct world *w = NULL;

    if (world_open(&(struct world_request){.transport = "threads", .workers = 1, .server = server},
                   &w) == STATUS_OK)
        world_run(w, body, NULL);
    world_close(w);
}

/* The program ends, and says the condition. */
static void expect_mistake(void (*program)(void), const char *condition)
{
    struct child c;

    child_run(&c, program);
    EXPECT_INT(c.signal, SIGABRT);
    EXPECT_HAS(text_get(&c.said), condition);
    child_release(&c);
}

static void expect_no_mistake(void (*program)(void))
{
    struct child c;

    child_run(&c, program);
    EXPECT_INT(c.signal, 0);
    EXPECT_INT(c.exit_code, 0);
    child_release(&c);
}

/* --- sums --- */

static enum status start_sums(struct transport *t, int count)
{
    sum_ticket ticket = 0;

    for (int i = 0; i < count; i++)
        TRY(transport_sum_start(t, &nothing, &ticket));
    return STATUS_OK;
}

static enum status as_many_as_allowed_body(void *context, struct transport *t)
{
    (void)context;
    return start_sums(t, TRANSPORT_SUMS_MAX);
}

static void start_as_many_as_allowed(void)
{
    run_world(as_many_as_allowed_body, WORLD_NO_SERVER);
}

static enum status too_many_body(void *context, struct transport *t)
{
    (void)context;
    return start_sums(t, TRANSPORT_SUMS_MAX + 1);
}

static void start_too_many(void)
{
    run_world(too_many_body, WORLD_NO_SERVER);
}

static void test_one_sum_more_than_may_be_under_way_is_a_mistake(void)
{
    expect_no_mistake(start_as_many_as_allowed);
    expect_mistake(start_too_many, "!sum->is_open");
}

static enum status twice_body(void *context, struct transport *t)
{
    sum_ticket ticket = 0;

    (void)context;
    TRY(transport_sum_start(t, &nothing, &ticket));
    TRY(transport_sum_wait(t, ticket));
    return transport_sum_wait(t, ticket);
}

static void wait_twice(void)
{
    run_world(twice_body, WORLD_NO_SERVER);
}

/* Its place in the ring has another sum by then. */
static enum status twice_later_body(void *context, struct transport *t)
{
    sum_ticket first = 0;

    (void)context;
    TRY(transport_sum_start(t, &nothing, &first));
    TRY(transport_sum_wait(t, first));
    TRY(start_sums(t, TRANSPORT_SUMS_MAX));
    return transport_sum_wait(t, first);
}

static void wait_twice_later(void)
{
    run_world(twice_later_body, WORLD_NO_SERVER);
}

static void test_to_wait_twice_for_a_sum_is_a_mistake(void)
{
    expect_mistake(wait_twice, "sum->is_open && sum->ticket == ticket");
    expect_mistake(wait_twice_later, "sum->is_open && sum->ticket == ticket");
}

static enum status unknown_body(void *context, struct transport *t)
{
    bool done = false;

    (void)context;
    return transport_sum_poll(t, 0, &done);
}

static void poll_unknown(void)
{
    run_world(unknown_body, WORLD_NO_SERVER);
}

static void test_a_ticket_that_was_never_given_is_a_mistake(void)
{
    expect_mistake(poll_unknown, "ticket < t->sums_started");
}

static enum status server_body(void *context, struct transport *t)
{
    (void)context;
    return t->rank < t->workers ? STATUS_OK : transport_barrier(t);
}

static void sum_on_server(void)
{
    run_world(server_body, WORLD_SERVER_THREAD);
}

static void test_a_server_that_sums_is_a_mistake(void)
{
    expect_mistake(sum_on_server, "t->rank < t->workers");
}

/* --- locks --- */

enum locked_call { CALL_NONE, CALL_SEND, CALL_RECEIVE, CALL_SUM, CALL_POLL, CALL_SLEEP };
static enum locked_call locked_call;

static enum status call_once(struct transport *t, sum_ticket ticket)
{
    bool done = false;
    struct envelope e;

    switch (locked_call) {
    case CALL_NONE:
        return STATUS_OK;
    case CALL_SEND:
        return transport_send(t, 0, CONTROL_COMMAND, NULL, 0);
    case CALL_RECEIVE:
        return transport_recv_kinds(t, 0, transport_kinds_of(CONTROL_COMMAND), &e,
                                    &(struct incoming){NULL, 0});
    case CALL_SUM:
        return transport_barrier(t);
    case CALL_POLL:
        return transport_sum_poll(t, ticket, &done);
    case CALL_SLEEP:
        return transport_sleep(t, 0);
    }
    return STATUS_OK;
}

static enum status locked_body(void *context, struct transport *t)
{
    struct shared_model model = {0};
    sum_ticket ticket = 0;

    (void)context;
    TRY(transport_sum_start(t, &nothing, &ticket));
    shared_model_init(&model);
    shared_model_lock(&model, t);

    const enum status s = call_once(t, ticket);

    shared_model_unlock(&model, t);
    shared_model_release(&model);
    return s;
}

static void call_with_lock(void)
{
    run_world(locked_body, WORLD_NO_SERVER);
}

static void test_a_call_with_a_lock_held_is_a_mistake(void)
{
    locked_call = CALL_NONE;
    expect_no_mistake(call_with_lock);
    for (locked_call = CALL_SEND; locked_call <= CALL_SLEEP; locked_call++)
        expect_mistake(call_with_lock, "t->locks_held == 0");
}

TEST_MAIN(TEST(test_one_sum_more_than_may_be_under_way_is_a_mistake),
          TEST(test_to_wait_twice_for_a_sum_is_a_mistake),
          TEST(test_a_ticket_that_was_never_given_is_a_mistake),
          TEST(test_a_server_that_sums_is_a_mistake),
          TEST(test_a_call_with_a_lock_held_is_a_mistake))
