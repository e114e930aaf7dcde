/*
 * distance_transform.c - see distance_transform.h.
 *
 * The squared distance is the minimum over marked pixels of (x - x')^2 + (y - y')^2. It is computed
 * for columns first, then for rows: each row is the lower envelope of parabolas, one for each pixel
 * of it. Squared distances are whole numbers, which a double has exactly.
 */
#include "data/distance_transform.h"

#include <math.h>

#include "base/mem.h"

/* Room for one line. */
struct envelope {
    double *values;  /* [length] of the line: squared distances so far */
    int64_t *bottom; /* [length] where the parabolas of the envelope are lowest, from the left */
    double *from;    /* [length] where each begins to be the lowest */
};

static struct envelope envelope_new(int64_t length)
{
    return (struct envelope){
        .values = MEM_NEW_N(double, length),
        .bottom = MEM_NEW_N(int64_t, length),
        .from = MEM_NEW_N(double, length),
    };
}

static void envelope_free(struct envelope *e)
{
    mem_free(e->values);
    mem_free(e->bottom);
    mem_free(e->from);
}

/* Where the parabola over q falls below that over p < q. */
static double crossing(const double *values, int64_t p, int64_t q)
{
    const double dp = (double)p, dq = (double)q;

    return (values[q] + dq * dq - (values[p] + dp * dp)) / (2 * (dq - dp));
}

/* Parabolas of infinite height take no part. Returns how many there are. */
static int64_t build_envelope(struct envelope *e, int64_t length)
{
    int64_t count = 0;

    for (int64_t q = 0; q < length; q++) {
        double from = -(double)INFINITY;

        if (isinf(e->values[q]))
            continue;
        while (count > 0) {
            from = crossing(e->values, e->bottom[count - 1], q);
            if (from > e->from[count - 1])
                break;
            count--; /* hidden by the new one */
            from = -(double)INFINITY;
        }
        e->bottom[count] = q;
        e->from[count] = from;
        count++;
    }
    return count;
}

/* out[i * stride] = min over j of (i - j)^2 + out[j * stride] */
static void transform_line(double *out, int64_t length, int64_t stride, struct envelope *e)
{
    for (int64_t i = 0; i < length; i++)
        e->values[i] = out[i * stride];
    const int64_t count = build_envelope(e, length);
    for (int64_t i = 0, k = 0; i < length && count > 0; i++) {
        while (k + 1 < count && e->from[k + 1] < (double)i)
            k++;
        const double away = (double)(i - e->bottom[k]);
        out[i * stride] = away * away + e->values[e->bottom[k]];
    }
}

void distance_transform(const uint8_t *marks, int64_t width, int64_t height, double *distances)
{
    struct envelope e = envelope_new(width > height ? width : height);

    for (int64_t i = 0; i < width * height; i++)
        distances[i] = marks[i] != 0 ? 0 : (double)INFINITY;
    for (int64_t x = 0; x < width; x++)
        transform_line(distances + x, height, width, &e);
    for (int64_t y = 0; y < height; y++)
        transform_line(distances + y * width, width, 1, &e);
    for (int64_t i = 0; i < width * height; i++)
        distances[i] = sqrt(distances[i]);
    envelope_free(&e);
}

/* --- plans --- */

static bool is_free(const struct floor_plan *p, int64_t x, int64_t y)
{
    return !floor_plan_is_wall(p, x, y);
}

void distance_transform_edges(const struct floor_plan *p, uint8_t *edges)
{
    for (int64_t y = 0; y < p->height; y++) {
        for (int64_t x = 0; x < p->width; x++)
            edges[y * p->width + x] =
                floor_plan_is_wall(p, x, y) && (is_free(p, x - 1, y) || is_free(p, x + 1, y) ||
                                                is_free(p, x, y - 1) || is_free(p, x, y + 1));
    }
}

void distance_transform_signed(const struct floor_plan *p, double *field)
{
    uint8_t *edges = MEM_NEW_N(uint8_t, p->width * p->height);

    distance_transform_edges(p, edges);
    distance_transform(edges, p->width, p->height, field);
    for (int64_t i = 0; i < p->width * p->height; i++) {
        if (p->pixels[i] >= FLOOR_PLAN_WALL_MIN && edges[i] == 0)
            field[i] = -field[i];
    }
    mem_free(edges);
}
