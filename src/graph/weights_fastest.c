/*
 * weights_fastest.c - fastest mixing by projected subgradients.
 *
 *     minimise     mu(p) = max(lambda_2(W), -lambda_N(W))
 *     with         W = I - sum_l p_l (e_i - e_j)(e_i - e_j)^T
 *     subject to   p >= 0  and  sum of the p_l at each node <= 1
 *
 * mu is convex; at a unit eigenvector u of lambda_2 a subgradient is -(u_i - u_j)^2, at one of
 * lambda_N it is +(u_i - u_j)^2. Where eigenvalues meet, as they do at most optima, one such vector
 * is a poor direction. Hence the mean of them all with weights exp(b (|lambda| - mu)): the gradient
 * of a smooth function that is within log(2 N) / b above mu. It is followed by accelerated
 * projected steps, for larger and larger b. The best p by mu itself is kept.
 *
 * Boyd, Diaconis, Xiao: "Fastest Mixing Markov Chain on a Graph", SIAM Review 46, 2004, section 5.
 * Beck, Teboulle: "A Fast Iterative Shrinkage-Thresholding Algorithm", 2009, for the acceleration.
 */
#include "graph/weights_fastest.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/portable_math.h"
#include "graph/spectrum.h"

#define SHARPEST       1e5
#define SHARPER        2.5
#define LEAST_STEP     1e-12
#define STANDING_STILL 1e-9

enum { STEPS_EACH = 40, PROJECTION_SWEEPS = 60 };

struct searcher {
    const struct weights_component *part;
    double sharpness;          /* b */
    double *matrix, *values;   /* [nodes][nodes], [nodes] */
    int64_t *begins;           /* [nodes + 1]: the edges at each node are in ... */
    int64_t *incident;         /* [2 count] */
    double *corrections;       /* [2 count] of the projection */
    double *best, best_mu;     /* [count] */
    double *at, *ahead, *next; /* [count] points: p_k, the one beyond it, p_(k+1) */
    double *gradient;          /* [count] at `ahead` */
};

/* --- the set of what is allowed --- */

static void list_incident(struct searcher *s)
{
    const struct weights_component *part = s->part;
    int64_t *at = MEM_NEW_N(int64_t, part->nodes);

    for (int64_t l = 0; l < part->count; l++) {
        s->begins[part->edges[l].from + 1]++;
        s->begins[part->edges[l].to + 1]++;
    }
    for (int i = 0; i < part->nodes; i++) {
        s->begins[i + 1] += s->begins[i];
        at[i] = s->begins[i];
    }
    for (int64_t l = 0; l < part->count; l++) {
        s->incident[at[part->edges[l].from]++] = l;
        s->incident[at[part->edges[l].to]++] = l;
    }
    mem_free(at);
}

/*
 * The threshold t >= 0 with sum max(p - t, 0) <= 1 over the edges of a node: the projection onto
 * p >= 0 with sum <= 1 is max(p - t, 0). What is below one threshold is below all later ones.
 */
static double threshold_of(const struct searcher *s, const double *p, int node)
{
    double threshold = 0;

    for (int64_t before = -1;;) {
        double sum = 0;
        int64_t count = 0;

        for (int64_t k = s->begins[node]; k < s->begins[node + 1]; k++) {
            if (p[s->incident[k]] > threshold) {
                sum += p[s->incident[k]];
                count++;
            }
        }
        if (count == before || count == 0)
            return threshold;
        if (sum - threshold * (double)count <= 1)
            return threshold;
        threshold = (sum - 1) / (double)count;
        before = count;
    }
}

/* Projects onto one node's set, from where Dykstra's correction puts it. */
static double project_node(struct searcher *s, double *p, int node)
{
    const int64_t begin = s->begins[node], end = s->begins[node + 1];
    double moved = 0;

    for (int64_t k = begin; k < end; k++)
        p[s->incident[k]] += s->corrections[k];
    const double threshold = threshold_of(s, p, node);
    for (int64_t k = begin; k < end; k++) {
        double *x = &p[s->incident[k]];
        const double to = fmax(*x - threshold, 0), correction = *x - to;

        moved = fmax(moved, fabs(correction - s->corrections[k]));
        s->corrections[k] = correction;
        *x = to;
    }
    return moved;
}

/* The nearest allowed point, by Dykstra's method; then what rounding left is cut. */
static void project(struct searcher *s, double *p)
{
    const int nodes = s->part->nodes;
    const size_t bytes = (size_t)s->part->count * 2 * sizeof *s->corrections;
    double moved = 1;

    memset(s->corrections, 0, bytes);
    for (int sweep = 0; sweep < PROJECTION_SWEEPS && moved > 1e-13; sweep++) {
        moved = 0;
        for (int i = 0; i < nodes; i++)
            moved = fmax(moved, project_node(s, p, i));
    }
    memset(s->corrections, 0, bytes);
    for (int i = 0; i < nodes; i++) {
        const double threshold = threshold_of(s, p, i);

        for (int64_t k = s->begins[i]; k < s->begins[i + 1]; k++)
            p[s->incident[k]] = fmax(p[s->incident[k]] - threshold, 0);
    }
}

/* --- the function --- */

/* W - 1 1^T / N: the eigenvalue 1 becomes 0, which never is the largest by magnitude. */
static void fill_matrix(struct searcher *s, const double *p)
{
    const struct weights_component *part = s->part;
    const int64_t n = part->nodes;

    for (int64_t k = 0; k < n * n; k++)
        s->matrix[k] = -1.0 / (double)n;
    for (int64_t i = 0; i < n; i++)
        s->matrix[i * n + i] += 1;
    for (int64_t l = 0; l < part->count; l++) {
        const int64_t i = part->edges[l].from, j = part->edges[l].to;

        s->matrix[i * n + j] += p[l];
        s->matrix[j * n + i] += p[l];
        s->matrix[i * n + i] -= p[l];
        s->matrix[j * n + j] -= p[l];
    }
}

/* How much the eigenvalue with this magnitude counts. */
static double part_of(const struct searcher *s, double value, double mu)
{
    const double exponent = s->sharpness * (fabs(value) - mu);

    return exponent < -40 ? 0 : portable_exp(exponent);
}

/* The smooth function at p. Keeps p if mu is the least so far. */
static double value_at(struct searcher *s, const double *p, enum spectrum_want want)
{
    const int n = s->part->nodes;
    double sum = 0;

    fill_matrix(s, p);
    spectrum_eigen(s->matrix, n, s->values, want);
    const double mu = fmax(fabs(s->values[0]), fabs(s->values[n - 1]));
    if (mu < s->best_mu) {
        s->best_mu = mu;
        memcpy(s->best, p, (size_t)s->part->count * sizeof *p);
    }
    for (int i = 0; i < n; i++)
        sum += part_of(s, s->values[i], mu);
    return mu + portable_log(sum) / s->sharpness;
}

/* As value_at, with the gradient. */
static double gradient_at(struct searcher *s, const double *p)
{
    const struct weights_component *part = s->part;
    const int64_t n = part->nodes;
    const double value = value_at(s, p, SPECTRUM_VECTORS);
    const double mu = fmax(fabs(s->values[0]), fabs(s->values[n - 1]));
    double sum = 0;

    memset(s->gradient, 0, (size_t)part->count * sizeof *s->gradient);
    for (int64_t i = 0; i < n; i++) {
        const double weight = part_of(s, s->values[i], mu);
        const double *u = s->matrix + i * n;

        sum += weight;
        for (int64_t l = 0; l < part->count && weight > 0; l++) {
            const double d = u[part->edges[l].from] - u[part->edges[l].to];

            s->gradient[l] += (s->values[i] > 0 ? -weight : weight) * d * d;
        }
    }
    for (int64_t l = 0; l < part->count; l++)
        s->gradient[l] /= sum;
    return value;
}

/* --- the search --- */

/*
 * next <- project(ahead - step gradient), with the step halved until the function is below its
 * quadratic model. Answers the step, or 0 when none is small enough.
 */
static double step_from(struct searcher *s, double value, double step)
{
    for (; step > LEAST_STEP; step /= 2) {
        double model = value;

        for (int64_t l = 0; l < s->part->count; l++)
            s->next[l] = s->ahead[l] - step * s->gradient[l];
        project(s, s->next);
        for (int64_t l = 0; l < s->part->count; l++) {
            const double d = s->next[l] - s->ahead[l];

            model += s->gradient[l] * d + d * d / (2 * step);
        }
        if (value_at(s, s->next, SPECTRUM_VALUES) <= model + 1e-15)
            return step;
    }
    return 0;
}

/* Whether the last step went against the gradient: then momentum has carried too far. */
static bool has_overshot(const struct searcher *s)
{
    double along = 0;

    for (int64_t l = 0; l < s->part->count; l++)
        along += (s->ahead[l] - s->next[l]) * (s->next[l] - s->at[l]);
    return along > 0;
}

/* Goes on to the next point; answers how far it was at most. */
static double move_on(struct searcher *s, double momentum)
{
    double farthest = 0;

    for (int64_t l = 0; l < s->part->count; l++) {
        const double d = s->next[l] - s->at[l];

        farthest = fmax(farthest, fabs(d));
        s->at[l] = s->next[l];
        s->ahead[l] = s->next[l] + momentum * d;
    }
    return farthest;
}

static void descend(struct searcher *s)
{
    double step = 4 / s->sharpness, t = 1;

    memcpy(s->ahead, s->at, (size_t)s->part->count * sizeof *s->at);
    for (int k = 0; k < STEPS_EACH; k++) {
        const double value = gradient_at(s, s->ahead);

        step = step_from(s, value, 2 * step);
        if (!(step > 0))
            return;
        const double t_next = has_overshot(s) ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2;
        const double momentum = t_next > 1 ? (t - 1) / t_next : 0;
        t = t_next;
        if (move_on(s, momentum) < STANDING_STILL)
            return;
    }
}

static void search(struct searcher *s)
{
    const size_t bytes = (size_t)s->part->count * sizeof *s->best;

    list_incident(s);
    for (s->sharpness = 10; s->sharpness <= SHARPEST; s->sharpness *= SHARPER) {
        descend(s);
        memcpy(s->at, s->best, bytes);
    }
}

void weights_fastest_search(const struct weights_component *part, double *weights)
{
    const int64_t n = part->nodes, count = part->count;
    const size_t bytes = (size_t)count * sizeof *weights;
    double *points = MEM_NEW_N(double, 4 * count + n * n + n + 2 * count);
    struct searcher s = {
        .part = part,
        .at = points,
        .ahead = points + count,
        .next = points + 2 * count,
        .gradient = points + 3 * count,
        .corrections = points + 4 * count,
        .matrix = points + 6 * count,
        .values = points + 6 * count + n * n,
        .begins = MEM_NEW_N(int64_t, n + 1),
        .incident = MEM_NEW_N(int64_t, 2 * count),
        .best = weights,
        .best_mu = HUGE_VAL,
    };

    memcpy(s.at, weights, bytes);
    if (n > 1)
        search(&s);
    mem_free(points);
    mem_free(s.begins);
    mem_free(s.incident);
}
