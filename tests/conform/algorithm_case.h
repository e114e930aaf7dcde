/*
 * algorithm_case.h - an algorithm of the registry, with the options that it declares for tests, on
 * quadratics whose optima are known: its runs, and the models that they end with.
 */
#ifndef TESTS_CONFORM_ALGORITHM_CASE_H
#define TESTS_CONFORM_ALGORITHM_CASE_H

#include <signal.h>
#include <unistd.h>

#include "graph/topology.h"
#include "problem/quadratic.h"
#include "rounds.h"

enum { SIZE = 37, WORKERS = 5, SECTION_MAX = 256 }; /* SIZE is no multiple of any vector width */

/* The slowest direction shrinks by 1 - LR / 2 a round (curvatures are at least 0.5): in ROUNDS by
 * 1e-8. */
#define LR 0.05
enum { ROUNDS = 800 };

/* What float leaves of an optimum of the order of 1, with errors of all rounds added up. */
#define EXACT 1e-5

static struct {
    int workers;        /* of runs with several */
    bool is_launched;   /* by mpirun */
    int longer;         /* how many times as long a run must stay where it is */
    const float *start; /* [SIZE + 1]: away from all optima */
    char **names;       /* of the algorithms to test; ends with NULL. None: all */
    bool uses_more;     /* an algorithm is tested with its second set of options */
} setting;

/* --- runs --- */

/* One algorithm, with the options that it is tested with. */
struct subject {
    const struct algo_ops *algo;
    char section[SECTION_MAX];
    int workers;
    struct topology *topology;
    struct quadratic q;
};

static inline struct problem *plain_problem(void *context, int worker)
{
    return quadratic_new(context, worker);
}

/* A cycle of three nodes would be a complete graph, on which averaging has no bias. */
static inline struct topology *graph_of(int nodes)
{
    struct choice type = {0};
    struct topology *t = NULL;

    if (EXPECT_OK(rounds_choose(&type, &graph_registry, nodes > 3 ? "cycle" : "path")))
        EXPECT_OK(
            topology_new(&(struct topology_request){.type = &type, .nodes = nodes, .seed = 1}, &t));
    choice_release(&type);
    return t;
}

static inline void subject_section(char *section, size_t size, const struct algo_ops *algo)
{
    const char *options = setting.uses_more ? algo->more_test_options : algo->test_options;

    (void)snprintf(section, size, "{name: %s, %s}", algo->entry.name,
                   options == NULL ? "" : options);
}

/* With the options that it is tested with. */
static inline bool is_asynchronous(const struct algo_ops *algo)
{
    char section[SECTION_MAX];
    struct choice chosen = {0};
    bool answer = false;

    subject_section(section, sizeof section, algo);
    if (EXPECT_OK(rounds_choose(&chosen, &algo_registry, section)))
        answer = algo_is_asynchronous(algo, chosen.options);
    choice_release(&chosen);
    return answer;
}

static inline void subject_init(struct subject *s, const struct algo_ops *algo, int workers,
                                const struct quadratic_options *options)
{
    struct quadratic_options o = *options;

    *s = (struct subject){.algo = algo, .workers = algo->one_worker_only ? 1 : workers};
    subject_section(s->section, sizeof s->section, algo);
    if (algo->needs_graph && s->workers > 1)
        s->topology = graph_of(s->workers);
    o.size = SIZE;
    o.workers = s->workers;
    o.seed = 3;
    quadratic_init(&s->q, &o);
}

static inline void subject_release(struct subject *s)
{
    topology_free(s->topology);
    quadratic_release(&s->q);
}

/* As many rounds as every worker is to make gradients; on an asynchronous server each gradient is a
 * round. `paranoid` where train/validate.c does not refuse it. */
static inline struct rounds rounds_of(struct subject *s, const char *optimizer, int64_t rounds)
{
    const bool is_free = is_asynchronous(s->algo);

    return (struct rounds){
        .algorithm = s->section,
        .optimizer = optimizer,
        .workers = s->workers,
        .rounds = s->algo->kind == ALGO_SERVER_BASED && is_free ? rounds * s->workers : rounds,
        .param_count = SIZE,
        .state_count = SIZE,
        .grid_count = s->algo->needs_grid ? SIZE - 4 : 0,
        .problem = plain_problem,
        .context = &s->q,
        .start = setting.start,
        .topology = s->topology,
        .paranoid = s->algo->needs_graph || !is_free,
        .slots = s->workers, /* all compute at once, whatever the number of cores */
        .seed = 1,
        .launched = setting.is_launched,
        .ahead = 3, /* bounds staleness on a busy machine */
    };
}

/* --- the models of a run that has ended: the server's, the shared one, the mean, or each --- */

static inline int model_count(const struct rounds *r)
{
    const struct algo_ops *a = rounds_algo(r);

    return a->kind == ALGO_SERVER_BASED || a->kind == ALGO_SHARED_MEMORY ||
                   a->run_model == ALGO_RUN_MODEL_MEAN
               ? 1
               : r->workers;
}

static inline double model_value(const struct rounds *r, int model, int64_t j)
{
    const struct algo_ops *a = rounds_algo(r);
    double sum = 0;

    if (a->kind == ALGO_SERVER_BASED)
        return (double)r->states[r->workers][j];
    if (a->kind == ALGO_SHARED_MEMORY)
        return (double)r->shared[j];
    if (a->run_model != ALGO_RUN_MODEL_MEAN || r->workers == 1)
        return (double)r->states[model][j];
    for (int i = 0; i < r->workers; i++)
        sum += (double)r->states[i][j];
    return sum / r->workers;
}

/* The larger one; NaN if one of the two is. */
static inline double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* The largest distance of any model's coordinate from its target. row: from a model's target to
 * that of the next; 0: all have the same. */
static inline double distance_to(const struct rounds *r, const double *target, int64_t row)
{
    double largest = 0;

    for (int i = 0; i < model_count(r); i++)
        for (int j = 0; j < SIZE; j++)
            largest = larger(largest, fabs(model_value(r, i, j) - target[i * row + j]));
    return largest;
}

static inline bool is_finite(const struct rounds *r)
{
    for (int i = 0; i < model_count(r); i++)
        for (int64_t j = 0; j < r->state_count; j++)
            if (!isfinite(model_value(r, i, j)))
                return false;
    return true;
}

static inline bool has_same_bits(const struct rounds *a, const struct rounds *b)
{
    for (int i = 0; i <= a->workers; i++)
        if (!rounds_same_bits(a->states[i], b->states[i], a->state_count))
            return false;
    return true;
}

/* --- every algorithm of the registry --- */

typedef void algorithm_test(const struct algo_ops *algo);

/* Seconds for one algorithm in one test, which takes a few; then it is taken to hang. */
enum { PATIENCE = 100 };

static const char *volatile name_under_test = "";

static inline void tell_hanging(int number)
{
    static const char text[] = "# does not end; that was algorithm ";
    const ssize_t told = write(STDOUT_FILENO, text, sizeof text - 1) +
                         write(STDOUT_FILENO, name_under_test, strlen(name_under_test)) +
                         write(STDOUT_FILENO, "\n", 1);

    (void)number;
    _exit(told > 0 ? 1 : 2);
}

static inline bool is_chosen(const struct algo_ops *algo)
{
    bool found = setting.names[0] == NULL;

    for (int i = 0; setting.names[i] != NULL; i++)
        found = found || strcmp(setting.names[i], algo->entry.name) == 0;
    return found;
}

static inline void test_one(const struct algo_ops *algo, algorithm_test *test)
{
    const int failures = test_failures;

    if (!is_chosen(algo))
        return;
    name_under_test = algo->entry.name;
    (void)signal(SIGALRM, tell_hanging);
    (void)alarm(PATIENCE);
    test(algo);
    (void)alarm(0);
    if (test_failures > failures)
        printf("# that was algorithm %s%s\n", algo->entry.name,
               setting.uses_more ? " with its second set of options" : "");
    fflush(stdout);
}

/* With each of its sets of options. */
static inline void test_sets(const struct algo_ops *algo, algorithm_test *test)
{
    test_one(algo, test);
    if (algo->more_test_options == NULL)
        return;
    setting.uses_more = true;
    test_one(algo, test);
    setting.uses_more = false;
}

static inline void with_algorithms(algorithm_test *test)
{
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++)
        test_one((const struct algo_ops *)*e, test);
}

/* With one worker. A world of several processes has no place for that. */
static inline void with_one_worker(algorithm_test *test)
{
    if (!setting.is_launched || setting.workers == 1)
        with_algorithms(test);
}

/* With several workers; on threads, an algorithm for one worker with one. */
static inline void with_several_workers(algorithm_test *test)
{
    if (setting.workers == 1)
        return;
    for (const struct entry *const *e = algo_registry.entries; *e != NULL; e++) {
        const struct algo_ops *algo = (const struct algo_ops *)*e;

        if (!setting.is_launched || !algo->one_worker_only)
            test_sets(algo, test);
    }
}

/* An algorithm that does not exist would pass every test. */
static inline void expect_names(void)
{
    for (int i = 0; setting.names[i] != NULL; i++)
        if (!EXPECT(registry_find(&algo_registry, setting.names[i]) != NULL))
            printf("# there is no algorithm %s\n", setting.names[i]);
}

static inline void find_setting(char **names)
{
    struct world *world = NULL;
    bool is_slow = setting.is_launched = world_is_launched();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    is_slow = true;
#endif
    setting.names = names;
    setting.workers = WORKERS;
    setting.longer = is_slow ? 2 : 10;
    if (!setting.is_launched || !EXPECT_OK(world_open(&(struct world_request){0}, &world)))
        return;
    setting.workers = world->workers;
    world_close(world);
}

#endif
