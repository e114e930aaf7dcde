/*
 * test_worker_state.c - what one worker alone has, packed and unpacked: with an optimiser of many
 * vectors, of which only some are there.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "test.h"
#include "train/checkpoint.h"

enum { N = 5, HISTORY_VECTORS = 202 }; /* of L-BFGS with a history of 100: 2 and 100 pairs */

static const struct tensor_layout layout = {.param_count = N, .state_count = N};

/* Workers whose models differ, each with an optimiser of its own. */
struct state_case {
    struct choice chosen;
    struct run_config config;
    struct build build;
    struct transport transport;
    struct worker_memory memory;
    float state[N];
};

static void state_case_init(struct state_case *c, const char *optimizer)
{
    struct node *section = NULL;

    *c = (struct state_case){.transport = {.rank = 1}};
    EXPECT_OK(yaml_parse(optimizer, strlen(optimizer), "test", &section));
    EXPECT_OK(choice_read(&c->chosen, &optim_registry, section, &(struct choice_place){0}));
    node_free(section);
    c->build = (struct build){
        .algo = (const struct algo_ops *)(const void *)registry_find(&algo_registry, "solo"),
        .config = &c->config,
        .layout = layout,
        .workers = 2,
    };
    c->memory = (struct worker_memory){
        .build = &c->build,
        .rank = 1,
        .state = c->state,
        .worker = {.transport = &c->transport},
    };
    optim_init(&c->memory.optim, &c->chosen, &layout);
}

static void state_case_release(struct state_case *c)
{
    optim_release(&c->memory.optim);
    choice_release(&c->chosen);
}

/* Vectors from the first to the last, below and above the 64th; the others are not there. */
static bool is_there(int vector)
{
    return vector % 9 == 0 || vector == HISTORY_VECTORS - 1;
}

static void fill(struct state_case *c)
{
    struct optim *o = &c->memory.optim;

    for (int i = 0; i < o->vector_count; i++)
        for (int j = 0; j < N && is_there(i); j++)
            optim_vector(o, i)[j] = (float)(100 * i + j);
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] = i + 0.5;
    for (int j = 0; j < N; j++)
        c->state[j] = (float)-j;
}

static void test_every_vector_of_a_long_history_comes_back_in_its_place(void)
{
    struct state_case from, to;
    struct counters counters = counters_start(), back = counters_start();
    struct worker_state p;

    state_case_init(&from, "{name: lbfgs, history: 100}");
    state_case_init(&to, "{name: lbfgs, history: 100}");
    EXPECT_INT(from.memory.optim.vector_count, HISTORY_VECTORS);
    fill(&from);
    counters.samples = 77;
    worker_state_pack(&p, &from.memory, &counters);
    EXPECT_OK(worker_state_unpack(&p, &to.memory, &back));

    for (int i = 0; i < HISTORY_VECTORS; i++) {
        const float *x = to.memory.optim.vectors[i];
        EXPECT((x != NULL) == is_there(i));
        for (int j = 0; j < N && x != NULL; j++)
            EXPECT(x[j] == (float)(100 * i + j));
    }
    for (int i = 0; i < to.memory.optim.number_count; i++)
        EXPECT_NEAR(to.memory.optim.numbers[i], i + 0.5, 0);
    EXPECT_NEAR((double)to.state[N - 1], -(N - 1), 0);
    EXPECT_NEAR(back.samples, 77, 0);
    worker_state_release(&p);
    state_case_release(&from);
    state_case_release(&to);
}

static void expect_rejected(struct worker_state *p, struct worker_memory *to)
{
    struct counters counters = counters_start();

    EXPECT_FAILS(worker_state_unpack(p, to, &counters), STATUS_BAD_INPUT,
                 "the state of worker 1 belongs to another model or algorithm");
}

static void test_the_state_of_another_optimiser_is_rejected(void)
{
    struct state_case from, to;
    const struct counters counters = counters_start();
    struct worker_state p;

    state_case_init(&from, "{name: lbfgs, history: 100}");
    state_case_init(&to, "{name: lbfgs, history: 99}");
    fill(&from);
    worker_state_pack(&p, &from.memory, &counters);
    expect_rejected(&p, &to.memory);
    worker_state_release(&p);
    state_case_release(&from);
    state_case_release(&to);
}

static void test_words_that_are_cut_short_are_rejected(void)
{
    struct state_case c;
    const struct counters counters = counters_start();
    struct worker_state p;

    state_case_init(&c, "{name: lbfgs, history: 100}");
    fill(&c);
    worker_state_pack(&p, &c.memory, &counters);
    for (p.count--; p.count > 13; p.count -= 13)
        expect_rejected(&p, &c.memory);
    for (p.count = 3; p.count >= 0; p.count--)
        expect_rejected(&p, &c.memory);
    worker_state_release(&p);
    state_case_release(&c);
}

TEST_MAIN(TEST(test_every_vector_of_a_long_history_comes_back_in_its_place),
          TEST(test_the_state_of_another_optimiser_is_rejected),
          TEST(test_words_that_are_cut_short_are_rejected))
