/*
 * spectrum.c - a symmetric matrix becomes tridiagonal by Householder reflections, and that diagonal
 * by the implicit QL method.
 *
 * Golub, Van Loan: "Matrix Computations", 8.3. For matrices without symmetry only the spectral
 * radius is found, by squaring: rho(A) = lim |A^m|^(1/m).
 */
#include "graph/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/vector.h"

enum { QL_STEPS_MAX = 200, SQUARINGS_MAX = 30 };

/* --- to a tridiagonal matrix --- */

struct tridiagonal {
    int n;
    double *diagonal, *beside; /* [n]; beside[i] is between i and i + 1 */
    double *scales;            /* [n] of the reflections I - scale v v^T */
};

/* Turns column k below the diagonal into v, with which the reflection clears all but its first. */
static void make_reflection(double *a, struct tridiagonal *t, int k)
{
    const int n = t->n;
    double *const column = a + (int64_t)(k + 1) * n + k; /* of stride n */
    double tail = 0;

    for (int i = 1; i < n - k - 1; i++)
        tail += column[(int64_t)i * n] * column[(int64_t)i * n];
    t->beside[k] = column[0];
    t->scales[k] = 0;
    if (!(tail > 0))
        return;
    const double norm = sqrt(column[0] * column[0] + tail);
    const double end = column[0] > 0 ? -norm : norm;

    column[0] -= end;
    t->beside[k] = end;
    t->scales[k] = 2 / (column[0] * column[0] + tail);
}

/* The rest of the matrix, reflected from both sides: A <- A - v w^T - w v^T. */
static void reflect_rest(double *a, const struct tridiagonal *t, int k, double *scratch)
{
    const int n = t->n, m = n - k - 1;
    double *const rest = a + (int64_t)(k + 1) * n + (k + 1);
    double *const v = scratch, *const w = scratch + n;
    double along = 0;

    for (int i = 0; i < m; i++)
        v[i] = a[(int64_t)(k + 1 + i) * n + k];
    for (int i = 0; i < m; i++) {
        const double *row = rest + (int64_t)i * n;
        double sum = 0;

        for (int j = 0; j < m; j++)
            sum += row[j] * v[j];
        w[i] = t->scales[k] * sum;
        along += w[i] * v[i];
    }
    for (int i = 0; i < m; i++)
        w[i] -= t->scales[k] / 2 * along * v[i];
    for (int i = 0; i < m; i++) {
        double *row = rest + (int64_t)i * n;

        for (int j = 0; j < m; j++)
            row[j] -= v[i] * w[j] + w[i] * v[j];
    }
}

static void reduce(double *a, struct tridiagonal *t)
{
    const int n = t->n;
    double *scratch = MEM_NEW_N(double, 2 * (int64_t)n);

    for (int k = 0; k < n - 2; k++) {
        make_reflection(a, t, k);
        if (t->scales[k] > 0)
            reflect_rest(a, t, k, scratch);
    }
    if (n > 1)
        t->beside[n - 2] = a[(int64_t)(n - 1) * n + n - 2];
    for (int i = 0; i < n; i++)
        t->diagonal[i] = a[(int64_t)i * n + i];
    mem_free(scratch);
}

/* q[n][n] becomes the transposed product of the reflections that stand in a's columns. */
static void collect_reflections(const double *a, const struct tridiagonal *t, double *q)
{
    const int n = t->n;

    for (int i = 0; i < n; i++)
        q[(int64_t)i * n + i] = 1;
    for (int k = n - 3; k >= 0; k--) {
        for (int row = k + 1; row < n && t->scales[k] > 0; row++) {
            double *const r = q + (int64_t)row * n;
            double sum = 0;

            for (int i = k + 1; i < n; i++)
                sum += r[i] * a[(int64_t)i * n + k];
            sum *= t->scales[k];
            for (int i = k + 1; i < n; i++)
                r[i] -= sum * a[(int64_t)i * n + k];
        }
    }
}

/* --- to a diagonal --- */

struct rotation {
    double c, s;
};

static void rotate_rows(double *upper, double *lower, int n, struct rotation r)
{
    for (int i = 0; i < n; i++) {
        const double low = lower[i];

        lower[i] = r.s * upper[i] + r.c * low;
        upper[i] = r.c * upper[i] - r.s * low;
    }
}

/* One implicit step on the block from..to. q may be NULL. */
static void ql_step(struct tridiagonal *t, int from, int to, double *q)
{
    double *d = t->diagonal, *e = t->beside;
    double g = (d[from + 1] - d[from]) / (2 * e[from]);
    double r = sqrt(g * g + 1), p = 0;
    struct rotation turn = {.c = 1, .s = 1};

    g = d[to] - d[from] + e[from] / (g + (g >= 0 ? r : -r));
    for (int i = to - 1; i >= from; i--) {
        const double f = turn.s * e[i], b = turn.c * e[i];

        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (!(r > 0)) { /* falls apart here: the next step takes the parts */
            d[i + 1] -= p;
            e[to] = 0;
            return;
        }
        turn = (struct rotation){.c = g / r, .s = f / r};
        g = d[i + 1] - p;
        r = (d[i] - g) * turn.s + 2 * turn.c * b;
        p = turn.s * r;
        d[i + 1] = g + p;
        g = turn.c * r - b;
        if (q != NULL)
            rotate_rows(q + (int64_t)i * t->n, q + (int64_t)(i + 1) * t->n, t->n, turn);
    }
    d[from] -= p;
    e[from] = g;
    e[to] = 0;
}

/* The end of the block that begins at `from` and has nothing too small beside its diagonal. */
static int block_end(const struct tridiagonal *t, int from, double tiny)
{
    int end = from;

    while (end < t->n - 1 && fabs(t->beside[end]) > tiny)
        end++;
    return end;
}

static void diagonalize(struct tridiagonal *t, double *q)
{
    double scale = 0;

    for (int i = 0; i < t->n; i++)
        scale = fmax(scale, fabs(t->diagonal[i]) + fabs(t->beside[i]));
    for (int from = 0; from < t->n; from++) {
        int steps = 0;

        for (int to; (to = block_end(t, from, DBL_EPSILON * scale)) > from; steps++) {
            CHECK(steps < QL_STEPS_MAX);
            ql_step(t, from, to, q);
        }
    }
}

/* Ascending, the rows of q with them. */
static void sort_pairs(double *values, double *q, int n)
{
    for (int i = 0; i < n; i++) {
        int least = i;

        for (int j = i + 1; j < n; j++)
            least = values[j] < values[least] ? j : least;
        const double value = values[least];
        values[least] = values[i];
        values[i] = value;
        for (int k = 0; q != NULL && least != i && k < n; k++) {
            const double x = q[(int64_t)i * n + k];

            q[(int64_t)i * n + k] = q[(int64_t)least * n + k];
            q[(int64_t)least * n + k] = x;
        }
    }
}

/* The reflections collect Q with A = Q T Q^T; rows of Q^T turn into eigenvectors. */
static double *transposed_basis(const double *a, const struct tridiagonal *t)
{
    const int64_t n = t->n;
    double *q = MEM_NEW_N(double, n *n);

    collect_reflections(a, t, q);
    return q;
}

void spectrum_eigen(double *a, int n, double *values, enum spectrum_want want)
{
    struct tridiagonal t = {
        .n = n,
        .diagonal = values,
        .beside = MEM_NEW_N(double, n),
        .scales = MEM_NEW_N(double, n),
    };
    double *q = NULL;

    CHECK(n > 0);
    reduce(a, &t);
    if (want == SPECTRUM_VECTORS)
        q = transposed_basis(a, &t);
    diagonalize(&t, q);
    sort_pairs(values, q, n);
    if (q != NULL)
        memcpy(a, q, (size_t)n * (size_t)n * sizeof *a);
    mem_free(q);
    mem_free(t.beside);
    mem_free(t.scales);
}

/* --- of graphs --- */

void spectrum_laplacian(const struct graph *g, double *l)
{
    const int64_t n = g->nodes;

    CHECK(!g->is_directed);
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int i = 0; i < n; i++) {
        l[i * n + i] = (double)graph_out_degree(g, i);
        for (int64_t k = g->out.begins[i]; k < g->out.begins[i + 1]; k++)
            l[i * n + g->out.ends[k]] = -1;
    }
}

double spectrum_fiedler(const struct graph *g)
{
    const int64_t n = g->nodes;

    if (n == 1)
        return 0;
    double *l = MEM_NEW_N(double, n *n), *values = MEM_NEW_N(double, n);
    spectrum_laplacian(g, l);
    spectrum_eigen(l, g->nodes, values, SPECTRUM_VALUES);
    const double fiedler = fmax(values[1], 0); /* below 0 by rounding only */
    mem_free(l);
    mem_free(values);
    return fiedler;
}

double spectrum_gap(const double *w, int n)
{
    const int64_t count = (int64_t)n * n;

    if (n == 1)
        return 1;
    double *a = MEM_NEW_N(double, count), *values = MEM_NEW_N(double, n);
    memcpy(a, w, (size_t)count * sizeof *a);
    spectrum_eigen(a, n, values, SPECTRUM_VALUES);

    /* One of the eigenvalues is 1; weights that do not diverge have none beyond. */
    const double gap = 1 - fmax(fabs(values[n - 2]), fabs(values[0]));
    mem_free(a);
    mem_free(values);
    return fmax(gap, 0);
}

/* --- without symmetry --- */

/* out = a a, both [n][n] */
static void square(double *restrict out, const double *restrict a, int64_t n)
{
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            const double factor = a[i * n + k];

            for (int64_t j = 0; j < n; j++)
                out[i * n + j] += factor * a[k * n + j];
        }
    }
}

/* x^(1/2^k) */
static double root(double x, int k)
{
    for (int i = 0; i < k; i++)
        x = sqrt(x);
    return x;
}

/*
 * With A_k = A^(2^k) scaled to norm 1, |A_k^2| is what one more doubling costs:
 * rho = lim |A_k^2|^(1/2^k), where constant factors have gone by the division.
 */
static double spectral_radius(double *a, int64_t n)
{
    double *next = MEM_NEW_N(double, n *n);
    double before = -1, radius = 0, norm = vector_norm(a, n * n), scale = 1;

    for (int k = 0; k < SQUARINGS_MAX && fabs(radius - before) > 1e-12; k++) {
        if (!(norm > 1e-100))
            break;
        scale *= root(norm, k); /* A^(2^k) = scale^(2^k) A_k */
        for (int64_t i = 0; i < n * n; i++)
            a[i] /= norm;
        square(next, a, n);
        memcpy(a, next, (size_t)(n * n) * sizeof *a);
        norm = vector_norm(a, n * n);
        before = radius;
        radius = scale * root(norm, k);
    }
    mem_free(next);
    return norm > 1e-100 ? radius : 0;
}

double spectrum_gap_directed(const double *w, int n)
{
    const int64_t size = n;
    double *a = MEM_NEW_N(double, size *size);

    /* W (I - 1 1^T / n): vectors whose sum is 0 stay such, and the eigenvalue 1 becomes 0. */
    for (int64_t i = 0; i < size; i++) {
        double mean = 0;

        for (int64_t j = 0; j < size; j++)
            mean += w[i * size + j] / (double)n;
        for (int64_t j = 0; j < size; j++)
            a[i * size + j] = w[i * size + j] - mean;
    }
    const double radius = spectral_radius(a, size);
    mem_free(a);
    return fmin(fmax(1 - radius, 0), 1);
}
