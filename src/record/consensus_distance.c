/*
 * consensus_distance.c - distances from products of vectors, without the cancellation that
 * |x|^2 - 2 x.y + |y|^2 has.
 *
 *     |x_i - x_j|^2          =  g_ii - 2 g_ij + g_jj      g: products of what is left of the mean
 *     |x_i/|x_i| - x_j/|x_j||^2  =  (|x_i - x_j|^2 - (|x_i| - |x_j|)^2) / (|x_i| |x_j|)
 *     |x_i - mean|^2         =  1/N sum_j d_ij^2  -  1/(2 N^2) sum_jk d_jk^2
 */
#include "record/consensus_distance.h"

#include <math.h>

#include "base/mem.h"

static double root(double square)
{
    return square > 0 ? sqrt(square) : 0; /* rounding may leave a little below 0 */
}

/* Of unit vectors, by the distance of the vectors themselves. A node at zero has no direction. */
static double scaled(double distance, double a, double b)
{
    return a > 0 && b > 0 ? root((distance * distance - (a - b) * (a - b)) / (a * b)) : 0;
}

static void fill_pairs(struct consensus_distance *s, const double *gram, const double *squares)
{
    const int64_t n = s->nodes;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            const double d = root(gram[i * n + i] - 2 * gram[i * n + j] + gram[j * n + j]);
            const double u = scaled(d, sqrt(squares[i]), sqrt(squares[j]));

            s->raw[i * n + j] = s->raw[j * n + i] = d;
            s->normalized[i * n + j] = s->normalized[j * n + i] = u;
        }
}

static void fill_from_mean(double *from_mean, const double *pairs, int64_t n)
{
    double all = 0;

    for (int64_t i = 0; i < n; i++) {
        double row = 0;

        for (int64_t j = 0; j < n; j++)
            row += pairs[i * n + j] * pairs[i * n + j];
        from_mean[i] = row / (double)n;
        all += row;
    }
    for (int64_t i = 0; i < n; i++)
        from_mean[i] = root(from_mean[i] - all / (2.0 * (double)(n * n)));
}

void consensus_distance_init(struct consensus_distance *s, const double *gram,
                             const double *squares, int nodes)
{
    *s = (struct consensus_distance){
        .nodes = nodes,
        .raw = MEM_NEW_N(double, (int64_t)nodes *nodes),
        .normalized = MEM_NEW_N(double, (int64_t)nodes *nodes),
        .from_mean = MEM_NEW_N(double, nodes),
        .from_mean_normalized = MEM_NEW_N(double, nodes),
    };
    fill_pairs(s, gram, squares);
    fill_from_mean(s->from_mean, s->raw, nodes);
    fill_from_mean(s->from_mean_normalized, s->normalized, nodes);
}

void consensus_distance_init_from_mean(struct consensus_distance *s,
                                       const struct consensus_from_mean *from, int nodes)
{
    *s = (struct consensus_distance){
        .nodes = nodes,
        .from_mean = MEM_NEW_N(double, nodes),
        .from_mean_normalized = MEM_NEW_N(double, nodes),
    };
    for (int i = 0; i < nodes; i++) {
        s->from_mean[i] = from[i].distance;
        s->from_mean_normalized[i] = from[i].normalized;
    }
}

void consensus_distance_release(struct consensus_distance *s)
{
    mem_free(s->raw);
    mem_free(s->normalized);
    mem_free(s->from_mean);
    mem_free(s->from_mean_normalized);
    *s = (struct consensus_distance){0};
}
