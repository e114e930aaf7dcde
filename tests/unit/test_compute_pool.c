/*
 * test_compute_pool.c - compute contexts are shared by the workers that compute.
 */
#include <pthread.h>

#include "base/mem.h"
#include "unit/problem_case.h"

enum { THREADS = 4, TURNS = 200 };

static const char net[] = "[flatten, {dense: {out: 5}}, relu, {dense: {out: 3}}]";

static void test_the_context_given_back_last_is_taken_first(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    struct compute_context *a = compute_pool_take(c.pool), *b = compute_pool_take(c.pool);

    EXPECT(a != b);
    EXPECT_INT(compute_pool_made(c.pool), 2);
    compute_pool_give(c.pool, a);
    compute_pool_give(c.pool, b);
    EXPECT(compute_pool_take(c.pool) == b);
    EXPECT(compute_pool_take(c.pool) == a);
    EXPECT_INT(compute_pool_made(c.pool), 2);
    compute_pool_give(c.pool, b);
    compute_pool_give(c.pool, a);
    EXPECT(compute_pool_take(c.pool) == a);
    compute_pool_give(c.pool, a);
    problem_case_release(&c);
}

static void test_no_context_is_made_before_it_is_taken(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    EXPECT_INT(compute_pool_made(c.pool), 0);
    EXPECT(compute_pool_model(c.pool) == c.model);
    EXPECT_INT(compute_pool_batch(c.pool), 8);
    EXPECT_INT(compute_pool_threads(c.pool), 1);
    EXPECT_INT(compute_pool_piece(c.pool), 8);
    compute_pool_free(NULL);
    problem_case_release(&c);
}

static void test_a_context_has_labels_or_targets(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    struct dataset numbers = c.dataset;
    numbers.classes = 0;
    numbers.target_size = CASE_CLASSES;
    struct compute_pool *s = compute_pool_new(c.model, &numbers, 8, 2);
    struct compute_context *with_targets = compute_pool_take(s),
                           *with_labels = compute_pool_take(c.pool);

    EXPECT(with_labels->labels != NULL && with_labels->targets == NULL);
    EXPECT(with_targets->labels == NULL && with_targets->targets != NULL);
    EXPECT_INT(team_size(with_targets->team), 2);
    const struct compute_size size = {.batch = 8, .most = 8, .threads = 1};
    EXPECT_INT(compute_context_bytes(c.model, &numbers, &size) -
                   compute_context_bytes(c.model, &c.dataset, &size),
               8 * (CASE_CLASSES * 4 - 4));
    compute_pool_give(s, with_targets);
    compute_pool_give(c.pool, with_labels);
    compute_pool_free(s);
    problem_case_release(&c);
}

static void test_a_context_has_a_team_of_the_pool_while_it_is_taken(void)
{
    struct problem_case c;
    struct team_pool *teams = team_pool_new(2);

    problem_case_init(&c, net, 20, 8);
    struct compute_pool *s = compute_pool_new_of(c.model, &c.dataset, 8, teams);
    struct compute_context *context = compute_pool_take(s);
    struct team *team = context->team;
    EXPECT_INT(compute_pool_threads(s), 2);
    EXPECT_INT(team_size(team), 2);
    compute_pool_give(s, context);
    EXPECT(team_pool_take(teams) == team); /* an update may have it now */
    team_pool_give(teams, team);
    EXPECT_INT(team_pool_made(teams), 1);
    compute_pool_free(s);
    team_pool_free(teams);
    problem_case_release(&c);
}

/* --- several threads --- */

struct user {
    struct problem *problem;
    float *state, *gradient;
    double loss_sum;
    struct evaluation evaluation;
};

static void *use(void *context)
{
    struct user *u = context;
    struct batch_result result;

    for (int i = 0; i < TURNS; i++) {
        problem_draw(u->problem);
        problem_gradient(u->problem, u->state, u->gradient, &result);
        u->loss_sum += result.loss_sum;
        if (i % 50 == 0)
            (void)problem_evaluate(u->problem, u->state, PART_TEST, &u->evaluation);
    }
    return NULL;
}

static void user_init(struct user *u, struct problem_case *c)
{
    *u = (struct user){.problem = supervised_new(&c->setup)};
    u->state = MEM_NEW_N(float, c->model->state_count);
    u->gradient = MEM_NEW_N(float, c->model->param_count);
    model_initialize(c->model, u->state, 1);
}

static void user_release(struct user *u)
{
    problem_free(u->problem);
    mem_free(u->state);
    mem_free(u->gradient);
}

/* Each with a team of two, so that teams change their callers as well. */
static void test_workers_that_share_contexts_compute_what_one_alone_does(void)
{
    struct problem_case c;
    struct user alone, users[THREADS];
    pthread_t threads[THREADS];

    problem_case_init(&c, net, 20, 8);
    compute_pool_free(c.pool);
    c.pool = c.setup.pool = compute_pool_new(c.model, &c.dataset, 8, 2);
    user_init(&alone, &c);
    use(&alone);
    for (int i = 0; i < THREADS; i++) {
        user_init(&users[i], &c);
        EXPECT(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT(memcmp(users[i].gradient, alone.gradient,
                      (size_t)c.model->param_count * sizeof(float)) == 0);
        EXPECT(memcmp(&users[i].loss_sum, &alone.loss_sum, sizeof alone.loss_sum) == 0);
        EXPECT(memcmp(&users[i].evaluation, &alone.evaluation, sizeof alone.evaluation) == 0);
        user_release(&users[i]);
    }
    EXPECT(compute_pool_made(c.pool) <= THREADS);
    user_release(&alone);
    problem_case_release(&c);
}

static void test_many_workers_in_turn_need_one_station(void)
{
    enum { MANY = 100 };
    struct problem_case c;
    struct problem *problems[MANY];
    struct batch_result result;

    problem_case_init(&c, net, 20, 8);
    for (int i = 0; i < MANY; i++)
        problems[i] = supervised_new(&c.setup);
    for (int i = 0; i < MANY; i++)
        problem_draw(problems[i]);
    for (int i = 0; i < MANY; i++)
        problem_gradient(problems[i], c.state, c.gradient, &result);
    EXPECT_INT(compute_pool_made(c.pool), 1);
    for (int i = 0; i < MANY; i++)
        problem_free(problems[i]);
    problem_case_release(&c);
}

TEST_MAIN(TEST(test_the_context_given_back_last_is_taken_first),
          TEST(test_no_context_is_made_before_it_is_taken),
          TEST(test_a_context_has_labels_or_targets),
          TEST(test_a_context_has_a_team_of_the_pool_while_it_is_taken),
          TEST(test_workers_that_share_contexts_compute_what_one_alone_does),
          TEST(test_many_workers_in_turn_need_one_station))
