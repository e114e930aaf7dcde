/*
 * landscape_plane.c - principal components by the Gram matrix of the snapshots, which is small: a
 * row per snapshot. With centred snapshots C [count][params], G = C C^T has the eigenvalues of the
 * covariance matrix (times count), and its unit eigenvector u gives the component C^T u / |C^T u|.
 *
 * Li, Xu, Taylor, Studer, Goldstein: "Visualizing the loss landscape of neural nets", 2018.
 */
#include "study/landscape_plane.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vector.h"
#include "graph/spectrum.h"

static const double LEAST_SHARE = 1e-12; /* of the variance: what is below is rounding */

static void new_plane(struct landscape_plane *p, int64_t params)
{
    *p = (struct landscape_plane){
        .origin = MEM_NEW_N(double, params),
        .direction = {MEM_NEW_N(double, params), MEM_NEW_N(double, params)},
        .explained = {(double)NAN,         (double)NAN               },
    };
}

void landscape_plane_release(struct landscape_plane *p)
{
    mem_free(p->origin);
    mem_free(p->direction[0]);
    mem_free(p->direction[1]);
    *p = (struct landscape_plane){0};
}

/* --- principal components --- */

static void set_mean(const struct landscape_states *s, double *mean)
{
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < s->params; k++)
            mean[k] += (double)s->values[i * s->params + k];
    for (int64_t k = 0; k < s->params; k++)
        mean[k] /= (double)s->count;
}

static double centred_product(const float *a, const float *b, const double *mean, int64_t count)
{
    double sum = 0;

    for (int64_t k = 0; k < count; k++)
        sum += ((double)a[k] - mean[k]) * ((double)b[k] - mean[k]);
    return sum;
}

/* [count][count]; mem_free */
static double *gram_matrix(const struct landscape_states *s, const double *mean)
{
    double *gram = MEM_NEW_N(double, s->count * s->count);

    for (int64_t i = 0; i < s->count; i++)
        for (int64_t j = 0; j <= i; j++)
            gram[i * s->count + j] = gram[j * s->count + i] = centred_product(
                s->values + i * s->params, s->values + j * s->params, mean, s->params);
    return gram;
}

/* d <- C^T u, of length 1, with the largest of u positive. */
static void set_component(const struct landscape_states *s, const double *mean, const double *u,
                          double *d)
{
    double largest = 0, square = 0;

    for (int64_t i = 0; i < s->count; i++) {
        largest = fabs(u[i]) > fabs(largest) ? u[i] : largest;
        for (int64_t k = 0; k < s->params; k++)
            d[k] += u[i] * ((double)s->values[i * s->params + k] - mean[k]);
    }
    for (int64_t k = 0; k < s->params; k++)
        square += d[k] * d[k];
    const double scale = (largest < 0 ? -1 : 1) / sqrt(square);
    for (int64_t k = 0; k < s->params; k++)
        d[k] *= scale;
}

static enum status set_components(const struct landscape_states *s, struct landscape_plane *p,
                                  double *gram, double *values)
{
    const int n = (int)s->count;
    double sum = 0;

    spectrum_eigen(gram, n, values, SPECTRUM_VECTORS);
    for (int i = 0; i < n; i++)
        sum += fmax(values[i], 0);
    for (int k = 0; k < 2; k++) {
        const int at = n - 1 - k; /* ascending */

        if (!(values[at] > LEAST_SHARE * sum))
            return FAIL(STATUS_BAD_INPUT, "the snapshots are %s: they span no plane",
                        k == 0 ? "all the same" : "on one line");
        p->explained[k] = values[at] / sum;
        set_component(s, p->origin, gram + (int64_t)at * n, p->direction[k]);
    }
    return STATUS_OK;
}

enum status landscape_plane_pca(const struct landscape_states *s, struct landscape_plane *p)
{
    if (s->count < 3)
        return FAIL(STATUS_BAD_INPUT,
                    "a plane by PCA needs at least 3 snapshots, and there are %lld; train with a "
                    "larger --saves-per-epoch, or use --directions filter",
                    (long long)s->count);
    new_plane(p, s->params);
    set_mean(s, p->origin);

    double *gram = gram_matrix(s, p->origin), *values = MEM_NEW_N(double, s->count);
    const enum status status = set_components(s, p, gram, values);

    mem_free(gram);
    mem_free(values);
    if (status != STATUS_OK)
        landscape_plane_release(p);
    return status;
}

/* --- random directions --- */

/* d <- d |w| / |d| */
static void rescale(double *d, const double *w, int64_t count)
{
    const double norm = vector_norm(d, count), scale = norm > 0 ? vector_norm(w, count) / norm : 0;

    for (int64_t k = 0; k < count; k++)
        d[k] *= scale;
}

static void rescale_filters(const struct tensor_layout *layout, double *d, const double *w)
{
    for (int i = 0; i < layout->tensor_count; i++) {
        const struct tensor *t = &layout->tensors[i];

        for (int64_t row = 0; t->kind == TENSOR_WEIGHT && row < t->rows; row++)
            rescale(d + t->offset + row * t->columns, w + t->offset + row * t->columns, t->columns);
        for (int64_t k = 0; (t->kind == TENSOR_BIAS || t->kind == TENSOR_NORM) && k < t->count; k++)
            d[t->offset + k] = 0;
    }
}

void landscape_plane_random(const struct landscape_states *s, const struct tensor_layout *layout,
                            enum landscape_scaling scaling, uint64_t seed,
                            struct landscape_plane *p)
{
    const float *last = s->values + (s->count - 1) * s->params;

    new_plane(p, s->params);
    for (int64_t k = 0; k < s->params; k++)
        p->origin[k] = (double)last[k];
    for (int i = 0; i < 2; i++) {
        const struct rng r = rng_make(seed, RNG_LANDSCAPE, (uint32_t)i);
        double *d = p->direction[i];

        for (int64_t k = 0; k < s->params; k++)
            d[k] = rng_normal(&r, (uint64_t)k, 0);
        if (scaling == SCALE_FILTERS && layout->tensor_count > 0)
            rescale_filters(layout, d, p->origin);
        else
            rescale(d, p->origin, s->params);
    }
}

/* --- projection --- */

struct products {
    double first, second, square; /* with both directions, and with itself */
};

static struct products products_of(const struct landscape_plane *p, const float *x, int64_t count)
{
    struct products sums = {0};

    for (int64_t k = 0; k < count; k++) {
        const double c = (double)x[k] - p->origin[k];

        sums.first += c * p->direction[0][k];
        sums.second += c * p->direction[1][k];
        sums.square += c * c;
    }
    return sums;
}

static double product(const double *a, const double *b, int64_t count)
{
    double sum = 0;

    for (int64_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

/* The nearest point of the plane: least squares, because directions need not be orthogonal. */
void landscape_plane_project(const struct landscape_plane *p, const struct landscape_states *s,
                             struct landscape_point *points)
{
    const double *d = p->direction[0], *e = p->direction[1];
    const double dd = product(d, d, s->params), de = product(d, e, s->params),
                 ee = product(e, e, s->params), determinant = dd * ee - de * de;

    for (int64_t i = 0; i < s->count; i++) {
        const struct products c = products_of(p, s->values + i * s->params, s->params);
        struct landscape_point *point = &points[i];

        point->x = (ee * c.first - de * c.second) / determinant;
        point->y = (dd * c.second - de * c.first) / determinant;
        const double inside = point->x * c.first + point->y * c.second;
        point->distance = sqrt(fmax(0, c.square - inside));
    }
}
