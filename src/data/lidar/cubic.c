/*
 * cubic.c - see cubic.h.
 *
 * With values f and coefficients c: 6 f_i = c_{i-1} + 4 c_i + c_{i+1}. A continuous third
 * derivative at point 1 makes the fourth difference of c there 0, hence c_1 = f_1 - (f_0 - 2 f_1 +
 * f_2) / 6 (and the same at the other end). What is between them is a tridiagonal system, the two
 * coefficients outside follow from the first equations.
 */
#include "data/lidar/cubic.h"

#include "base/check.h"
#include "base/mem.h"

/* m_i = 1 / (4 - m_{i-1}) is constant in double after 14 steps. */
enum { PIVOTS = 32 };

/* Values that are `stride` apart, `lanes` of them next to each other: each lane is a spline. */
struct lines {
    double *c;
    int64_t count, stride, lanes;
};

static double *lane_at(const struct lines *l, int64_t i)
{
    return l->c + (i + 1) * l->stride; /* coefficient i, from -1 to count */
}

/* c_1 and c_{n-2}; what they replace is kept in the places of c_{-1} and c_n. */
static void start_ends(const struct lines *l)
{
    const int64_t n = l->count;
    double *before = lane_at(l, -1), *after = lane_at(l, n);
    double *first = lane_at(l, 1), *last = lane_at(l, n - 2);
    const double *f0 = lane_at(l, 0), *f2 = lane_at(l, 2);
    const double *f3 = lane_at(l, n - 3), *f5 = lane_at(l, n - 1);

    for (int64_t k = 0; k < l->lanes; k++) {
        const double c_first = (8 * first[k] - f0[k] - f2[k]) / 6;
        const double c_last = (8 * last[k] - f3[k] - f5[k]) / 6;

        before[k] = first[k];
        after[k] = last[k];
        first[k] = c_first;
        last[k] = c_last;
    }
}

/* c_2 to c_{n-3}, between two that are known. */
static void solve_middle(const struct lines *l)
{
    double pivots[PIVOTS] = {0}; /* pivots[i] of c_{i+1} */

    for (int i = 1; i < PIVOTS; i++)
        pivots[i] = 1 / (4 - pivots[i - 1]);
    for (int64_t i = 2; i <= l->count - 3; i++) {
        const double pivot = pivots[i - 1 < PIVOTS ? i - 1 : PIVOTS - 1];
        const double *previous = lane_at(l, i - 1);
        double *c = lane_at(l, i);

        for (int64_t k = 0; k < l->lanes; k++)
            c[k] = (6 * c[k] - previous[k]) * pivot;
    }
    for (int64_t i = l->count - 3; i >= 2; i--) {
        const double pivot = pivots[i - 1 < PIVOTS ? i - 1 : PIVOTS - 1];
        const double *next = lane_at(l, i + 1);
        double *c = lane_at(l, i);

        for (int64_t k = 0; k < l->lanes; k++)
            c[k] -= pivot * next[k];
    }
}

/* The outermost two coefficients, from the equations of the outermost two values. */
static void finish_end(double *outside, double *end, const double *second, const double *third,
                       int64_t lanes)
{
    for (int64_t k = 0; k < lanes; k++) {
        const double c = 6 * outside[k] - 4 * second[k] - third[k];

        outside[k] = 6 * end[k] - 4 * c - second[k];
        end[k] = c;
    }
}

static void solve(const struct lines *l)
{
    const int64_t n = l->count;

    CHECK(n >= CUBIC_POINTS_MIN);
    start_ends(l);
    solve_middle(l);
    finish_end(lane_at(l, -1), lane_at(l, 0), lane_at(l, 1), lane_at(l, 2), l->lanes);
    finish_end(lane_at(l, n), lane_at(l, n - 1), lane_at(l, n - 2), lane_at(l, n - 3), l->lanes);
}

/* --- evaluation --- */

/* The interval of a point, and the B-splines there. */
struct place {
    int64_t interval;
    double weights[4];
};

static struct place find_place(double at, int64_t count)
{
    const double last = (double)(count - 1);
    const double inside = at > 0 ? (at < last ? at : last) : 0; /* NaN: 0 */
    const int64_t floor = (int64_t)inside;
    const int64_t i = floor < count - 1 ? floor : count - 2;
    const double s = inside - (double)i, r = 1 - s;

    return (struct place){
        i,
        {r * r * r / 6, (4 - 3 * s * s * (1 + r)) / 6, (4 - 3 * r * r * (1 + s)) / 6,
          s * s * s / 6}
    };
}

static double weigh(const double w[4], const double *c)
{
    return w[0] * c[0] + w[1] * c[1] + (w[2] * c[2] + w[3] * c[3]);
}

/* --- one variable --- */

void cubic_solve(double *c, int64_t count)
{
    solve(&(struct lines){.c = c, .count = count, .stride = 1, .lanes = 1});
}

double cubic_at(const double *c, int64_t count, double at)
{
    const struct place p = find_place(at, count);

    return weigh(p.weights, c + p.interval);
}

/* --- two variables --- */

void cubic_surface_init(struct cubic_surface *s, int64_t width, int64_t height)
{
    CHECK(width >= CUBIC_POINTS_MIN && height >= CUBIC_POINTS_MIN);
    *s = (struct cubic_surface){.width = width, .height = height};
    s->c = MEM_NEW_N(double, (width + 2) * (height + 2));
}

void cubic_surface_release(struct cubic_surface *s)
{
    mem_free(s->c);
    *s = (struct cubic_surface){0};
}

double *cubic_surface_row(struct cubic_surface *s, int64_t row)
{
    return s->c + (row + 1) * (s->width + 2) + 1;
}

static void solve_rows(void *context, int thread, int threads)
{
    struct cubic_surface *s = context;
    int64_t begin, end;

    team_part(s->height, thread, threads, &begin, &end);
    for (int64_t row = begin; row < end; row++)
        cubic_solve(cubic_surface_row(s, row) - 1, s->width);
}

static void solve_columns(void *context, int thread, int threads)
{
    struct cubic_surface *s = context;
    int64_t begin, end;

    team_part(s->width + 2, thread, threads, &begin, &end);
    solve(&(struct lines){
        .c = s->c + begin, .count = s->height, .stride = s->width + 2, .lanes = end - begin});
}

void cubic_surface_solve(struct cubic_surface *s, struct team *team)
{
    team_run(team, solve_rows, s);
    team_run(team, solve_columns, s);
}

double cubic_surface_at(const struct cubic_surface *s, double column, double row)
{
    const struct place x = find_place(column, s->width), y = find_place(row, s->height);
    const int64_t stride = s->width + 2;
    const double *c = s->c + y.interval * stride + x.interval;
    const double rows[4] = {weigh(x.weights, c), weigh(x.weights, c + stride),
                            weigh(x.weights, c + 2 * stride), weigh(x.weights, c + 3 * stride)};

    return weigh(y.weights, rows);
}
