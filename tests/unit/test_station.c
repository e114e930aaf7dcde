/*
 * test_station.c - stations go round among those who compute.
 */
#include <pthread.h>

#include "base/mem.h"
#include "unit/problem_case.h"

enum { THREADS = 4, TURNS = 200 };

static const char net[] = "[flatten, {dense: {out: 5}}, relu, {dense: {out: 3}}]";

static void test_the_station_given_back_last_is_taken_first(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    struct station *a = station_take(c.stations), *b = station_take(c.stations);

    EXPECT(a != b);
    EXPECT_INT(stations_made(c.stations), 2);
    station_give(c.stations, a);
    station_give(c.stations, b);
    EXPECT(station_take(c.stations) == b);
    EXPECT(station_take(c.stations) == a);
    EXPECT_INT(stations_made(c.stations), 2);
    station_give(c.stations, b);
    station_give(c.stations, a);
    EXPECT(station_take(c.stations) == a);
    station_give(c.stations, a);
    problem_case_release(&c);
}

static void test_no_station_is_made_before_it_is_taken(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    EXPECT_INT(stations_made(c.stations), 0);
    EXPECT(stations_model(c.stations) == c.model);
    EXPECT_INT(stations_batch(c.stations), 8);
    EXPECT_INT(stations_threads(c.stations), 1);
    EXPECT_INT(stations_piece(c.stations), 8);
    stations_free(NULL);
    problem_case_release(&c);
}

static void test_a_station_has_labels_or_targets(void)
{
    struct problem_case c;

    problem_case_init(&c, net, 20, 8);
    struct dataset numbers = c.dataset;
    numbers.classes = 0;
    numbers.target_size = CASE_CLASSES;
    struct stations *s = stations_new(c.model, &numbers, 8, 2);
    struct station *with_targets = station_take(s), *with_labels = station_take(c.stations);

    EXPECT(with_labels->labels != NULL && with_labels->targets == NULL);
    EXPECT(with_targets->labels == NULL && with_targets->targets != NULL);
    EXPECT_INT(team_size(with_targets->team), 2);
    EXPECT_INT(station_bytes(c.model, &numbers, 8, 1) - station_bytes(c.model, &c.dataset, 8, 1),
               8 * (CASE_CLASSES * 4 - 4));
    station_give(s, with_targets);
    station_give(c.stations, with_labels);
    stations_free(s);
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
static void test_workers_that_share_stations_compute_what_one_alone_does(void)
{
    struct problem_case c;
    struct user alone, users[THREADS];
    pthread_t threads[THREADS];

    problem_case_init(&c, net, 20, 8);
    stations_free(c.stations);
    c.stations = c.setup.stations = stations_new(c.model, &c.dataset, 8, 2);
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
    EXPECT(stations_made(c.stations) <= THREADS);
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
    EXPECT_INT(stations_made(c.stations), 1);
    for (int i = 0; i < MANY; i++)
        problem_free(problems[i]);
    problem_case_release(&c);
}

TEST_MAIN(TEST(test_the_station_given_back_last_is_taken_first),
          TEST(test_no_station_is_made_before_it_is_taken),
          TEST(test_a_station_has_labels_or_targets),
          TEST(test_workers_that_share_stations_compute_what_one_alone_does),
          TEST(test_many_workers_in_turn_need_one_station))
