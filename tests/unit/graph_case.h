/*
 * graph_case.h - heterogeneous quadratics on small graphs: runs of graph algorithms, and what the
 * rules written out in double make of them.
 */
#ifndef TESTS_GRAPH_CASE_H
#define TESTS_GRAPH_CASE_H

#include "graph/topology.h"
#include "optim/optim.h"
#include "quadratic_case.h"

enum { SIZE = 37, NODES = 10 }; /* SIZE is no multiple of any vector width */

/* A topology by its matrix, for what no named graph has. */
struct topology {
    int nodes;
    double w[NODES][NODES]; /* 0: no edge */
    double push[NODES];     /* what a node gives to each that reads it */
    int in[NODES][NODES], out[NODES][NODES];
    double weights[NODES][NODES];
    int in_count[NODES], out_count[NODES];
    bool changes; /* says so, to be refused */
};

void topology_neighbourhood(const struct topology *t, int64_t round, int node,
                            struct neighbourhood *n)
{
    (void)round;
    *n = (struct neighbourhood){
        .in_count = t->in_count[node],
        .out_count = t->out_count[node],
        .in = t->in[node],
        .out = t->out[node],
        .weights = t->weights[node],
        .self = t->w[node][node],
        .push = t->push[node],
    };
}

struct topology_facts topology_facts(const struct topology *t)
{
    struct topology_facts f = {.nodes = t->nodes, .changes = t->changes};

    f.is_two_way = f.is_doubly_stochastic = true;
    for (int i = 0; i < t->nodes; i++) {
        double row = 0;

        for (int j = 0; j < t->nodes; j++) {
            row += t->w[i][j];
            f.is_two_way = f.is_two_way && (t->w[i][j] == 0) == (t->w[j][i] == 0);
        }
        f.is_doubly_stochastic = f.is_doubly_stochastic && fabs(row - 1) < 1e-6;
    }
    return f;
}

void topology_matrix(const struct topology *t, int64_t round, double *w)
{
    (void)round;
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < t->nodes; j++)
            w[i * t->nodes + j] = t->w[i][j];
}

static inline void matrix_lists(struct topology *t)
{
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < t->nodes; j++) {
            if (i == j || t->w[i][j] == 0)
                continue;
            t->weights[i][t->in_count[i]] = t->w[i][j];
            t->in[i][t->in_count[i]++] = j;
            t->out[j][t->out_count[j]++] = i;
        }
    for (int i = 0; i < t->nodes; i++)
        t->push[i] = 1.0 / (1 + t->out_count[i]);
}

/* Metropolis' weights on a cycle: 1/3 everywhere. */
static inline struct topology ring_of(int nodes)
{
    struct topology t = {.nodes = nodes};

    for (int i = 0; i < nodes; i++)
        t.w[i][i] = t.w[i][(i + 1) % nodes] = t.w[i][(i + nodes - 1) % nodes] = 1.0 / 3;
    matrix_lists(&t);
    return t;
}

static inline struct topology complete_of(int nodes)
{
    struct topology t = {.nodes = nodes};

    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            t.w[i][j] = 1.0 / nodes;
    matrix_lists(&t);
    return t;
}

static inline void graph_quadratic(struct quadratic *q, int nodes)
{
    quadratic_make(q, SIZE, nodes);
}

/* --- rules in double --- */

struct by_hand {
    double x[NODES][SIZE], y[NODES][SIZE], g[NODES][SIZE];
};

static inline double gradient_by_hand(const struct quadratic *q, int node, int j, double x)
{
    return q->a[node * SIZE + j] * (x - q->b[node * SIZE + j]);
}

/* x <- W x */
static inline void mix_by_hand(const struct topology *t, double (*x)[SIZE])
{
    double old[NODES][SIZE];

    memcpy(old, x, sizeof old);
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < SIZE; j++) {
            x[i][j] = 0;
            for (int k = 0; k < t->nodes; k++)
                x[i][j] += t->w[i][k] * old[k][j];
        }
}

static inline void expect_by_hand(const struct rounds *r, double (*x)[SIZE], double tolerance)
{
    for (int i = 0; i < r->workers; i++)
        for (int j = 0; j < SIZE; j++)
            EXPECT_NEAR((double)r->states[i][j], x[i][j], tolerance);
}

/* --- what many algorithms must do --- */

/* Within 1e-5 after `rounds`, and no further away after ten times as many. */
static inline void expect_optimum(const char *algorithm, const char *optimizer, int64_t rounds)
{
    const struct topology t = ring_of(NODES);
    struct quadratic q;

    graph_quadratic(&q, NODES);
    for (int i = 0; i < 2; i++) {
        struct rounds r = quadratic_rounds(&q, &t, algorithm, optimizer);

        r.rounds = i == 0 ? rounds : 10 * rounds;
        r.paranoid = i == 0;
        if (rounds_run(&r, NULL) && !EXPECT(distance_to_optimum(&r, &q) < 1e-5))
            printf("# %s: %g after %lld rounds\n", algorithm, distance_to_optimum(&r, &q),
                   (long long)r.rounds);
        rounds_release(&r);
    }
    quadratic_release(&q);
}

/* One node against algorithm single; `any`: with momentum and Adam too. */
static inline void expect_single(const char *algorithm, double tolerance, bool any)
{
    static const char *const optimizers[] = {
        "{name: sgd, lr: 0.1}",
        "{name: sgd, lr: 0.05, momentum: 0.9, weight_decay: 0.01}",
        "{name: adam, lr: 0.05}",
    };
    struct quadratic q;

    graph_quadratic(&q, 1);
    for (int i = 0; i < (any ? 3 : 1); i++) {
        struct rounds plain = quadratic_rounds(&q, NULL, "single", optimizers[i]);
        struct rounds other = quadratic_rounds(&q, NULL, algorithm, optimizers[i]);

        if (rounds_run(&plain, NULL) && rounds_run(&other, NULL))
            for (int j = 0; j < SIZE; j++)
                EXPECT_NEAR((double)other.states[0][j], (double)plain.states[0][j], tolerance);
        EXPECT(fabs((double)plain.states[0][0]) > 1e-3); /* it has moved */
        rounds_release(&plain);
        rounds_release(&other);
    }
    quadratic_release(&q);
}

static inline void expect_failure(const struct topology *t, const char *algorithm,
                                  const char *optimizer, const char *part)
{
    struct quadratic q;
    enum status s = STATUS_OK;

    graph_quadratic(&q, t->nodes);
    struct rounds r = quadratic_rounds(&q, t, algorithm, optimizer);
    if (rounds_run(&r, &s)) {
        EXPECT(s != STATUS_OK);
        EXPECT_HAS(status_message(), part);
    }
    rounds_release(&r);
    quadratic_release(&q);
}

#endif
