/*
 * wolfe.c - a line search for the strong Wolfe conditions: widen until a bracket holds a good
 * point, then shrink the bracket; both by cubic interpolation.
 *
 *     f(t) <= f(0) + c1 t f'(0)    and    |f'(t)| <= c2 |f'(0)|
 *
 * The rules and constants are those of PyTorch's L-BFGS (1.13), which has them from minFunc, so
 * that trajectories agree: c1 1e-4, c2 0.9, at most 25 rounds, trials between 1.01 and 10 times the
 * last one while widening, at least a tenth of the bracket away from its ends while shrinking.
 * One departure: where the interpolation has no finite answer (a loss of infinity), the middle is
 * taken.
 *
 * Nocedal, Wright: "Numerical optimization", 2006, Alg. 3.5 and 3.6.
 */
#include "optim/wolfe.h"

#include <math.h>

enum { ROUNDS_MAX = 25 };
static const double C1 = 1e-4, C2 = 0.9;
static const double WIDTH_MIN = 1e-9; /* of the bracket, in the largest change of a parameter */

/* What one search knows. bracket[low] is the one with the smaller loss, the first of equals. */
struct search {
    struct wolfe_line *line;
    double loss0, slope0;
    double direction_max;
    int rounds;
    bool found;
    bool was_near_end; /* the last trial of the shrinking was near an end of the bracket */
    struct wolfe_point bracket[2];
    int low;
    float *free_gradient; /* the one of three that no point of the bracket uses */
};

static double clamp(double t, double low, double high)
{
    return fmin(fmax(t, low), high);
}

/* The minimum of the cubic through both points' losses and slopes, kept within [low, high]. */
static double cubic_minimum(const struct wolfe_point *p, const struct wolfe_point *q, double low,
                            double high)
{
    const struct wolfe_point *left = p->t <= q->t ? p : q;
    const struct wolfe_point *right = p->t <= q->t ? q : p;
    const double width = right->t - left->t;
    const double d1 = left->slope + right->slope - 3 * (right->loss - left->loss) / width;
    const double square = d1 * d1 - left->slope * right->slope;
    const double d2 = sqrt(square);
    const double t =
        right->t - width * ((right->slope + d2 - d1) / (right->slope - left->slope + 2 * d2));

    return square >= 0 && isfinite(t) ? clamp(t, low, high) : (low + high) / 2;
}

/* Loss, gradient and slope at p->t, into p. */
static enum status evaluate_point(struct wolfe_line *line, struct wolfe_point *p)
{
    parallel_copy(line->parallel, line->x, line->start, line->n);
    parallel_axpy(line->parallel, line->x, (float)p->t, line->direction, line->n);
    TRY(parallel_evaluate(line->parallel, line->f, line->x, p->gradient, &p->loss));
    line->evaluations++;
    p->slope = parallel_dot(line->parallel, p->gradient, line->direction, line->n);
    return STATUS_OK;
}

static bool falls_too_little(const struct search *s, const struct wolfe_point *p)
{
    return p->loss > s->loss0 + C1 * p->t * s->slope0;
}

static bool is_flat_enough(const struct search *s, const struct wolfe_point *p)
{
    return fabs(p->slope) <= -C2 * s->slope0;
}

static void find_low(struct search *s)
{
    s->low = s->bracket[0].loss <= s->bracket[1].loss ? 0 : 1;
}

/*
 * Steps outwards until two points hold a minimum between them, or one is good already: then it
 * stands alone as bracket[low].
 */
static enum status widen(struct search *s, const struct wolfe_point *zero, double first)
{
    struct wolfe_point last = *zero;
    struct wolfe_point now = {.t = first, .gradient = s->line->spare[0]};
    float *unused = s->line->spare[1];

    TRY(evaluate_point(s->line, &now));
    for (; s->rounds < ROUNDS_MAX; s->rounds++) {
        const bool rises = s->rounds > 1 && now.loss >= last.loss;
        if (falls_too_little(s, &now) || rises)
            break;
        if (is_flat_enough(s, &now)) {
            s->found = true;
            s->bracket[0] = now;
            return STATUS_OK;
        }
        if (now.slope >= 0)
            break;

        const double t = cubic_minimum(&last, &now, now.t + 0.01 * (now.t - last.t), now.t * 10);
        /* The gradient at zero stays: it is the answer when every round is used up. */
        float *gradient = last.gradient == zero->gradient ? unused : last.gradient;
        last = now;
        now = (struct wolfe_point){.t = t, .gradient = gradient};
        TRY(evaluate_point(s->line, &now));
    }

    if (s->rounds == ROUNDS_MAX)
        last = *zero;
    s->free_gradient = last.gradient == zero->gradient ? unused : zero->gradient;
    s->bracket[0] = last;
    s->bracket[1] = now;
    find_low(s);
    return STATUS_OK;
}

/*
 * The next trial inside the bracket. One that is near an end twice running, or at the end, is moved
 * a tenth of the bracket away from it: else the bracket may shrink from one side only.
 */
static double trial_inside(struct search *s)
{
    const struct wolfe_point *b = s->bracket;
    const double left = fmin(b[0].t, b[1].t), right = fmax(b[0].t, b[1].t);
    const double margin = 0.1 * (right - left);
    const double t = cubic_minimum(&b[0], &b[1], left, right);

    if (fmin(right - t, t - left) >= margin) {
        s->was_near_end = false;
        return t;
    }
    if (!s->was_near_end && t < right && t > left) {
        s->was_near_end = true;
        return t;
    }
    s->was_near_end = false;
    return fabs(t - right) < fabs(t - left) ? right - margin : left + margin;
}

/* Puts a new point into the bracket in the place of one of the two. */
static void narrow(struct search *s, struct wolfe_point now)
{
    struct wolfe_point *low = &s->bracket[s->low], *high = &s->bracket[1 - s->low];

    if (falls_too_little(s, &now) || now.loss >= low->loss) {
        s->free_gradient = high->gradient;
        *high = now;
        find_low(s);
        return;
    }
    s->found = is_flat_enough(s, &now);
    if (!s->found && now.slope * (high->t - low->t) >= 0) {
        s->free_gradient = high->gradient;
        *high = *low;
    } else {
        s->free_gradient = low->gradient;
    }
    *low = now;
}

static enum status shrink(struct search *s)
{
    while (!s->found && s->rounds < ROUNDS_MAX) {
        if (fabs(s->bracket[1].t - s->bracket[0].t) * s->direction_max < WIDTH_MIN)
            break;
        struct wolfe_point now = {.t = trial_inside(s), .gradient = s->free_gradient};
        TRY(evaluate_point(s->line, &now));
        s->rounds++;
        narrow(s, now);
    }
    return STATUS_OK;
}

enum status wolfe_search(struct wolfe_line *line, struct wolfe_point *at, double first)
{
    struct search s = {
        .line = line,
        .loss0 = at->loss,
        .slope0 = at->slope,
        .direction_max = (double)parallel_max_abs(line->parallel, line->direction, line->n),
    };
    float *const gradient = at->gradient;

    line->evaluations = 0;
    TRY(widen(&s, at, first));
    TRY(shrink(&s));
    *at = s.bracket[s.low];
    if (at->gradient != gradient)
        parallel_copy(line->parallel, gradient, at->gradient, line->n);
    at->gradient = gradient;
    return STATUS_OK;
}
