/*
 * tracking.c - gradient tracking, as dsgt and next use it.
 */
#include "algo/parts/tracking.h"

#include <string.h>

enum status tracking_start(struct worker *w, bool init_grads)
{
    const size_t bytes = (size_t)w->problem->param_count * sizeof *w->gradient;

    if (w->numbers[TRACKING_STARTED] != 0)
        return STATUS_OK;
    w->numbers[TRACKING_STARTED] = 1;
    if (!init_grads)
        return STATUS_OK;
    TRY(mixing_gradient(w));
    memcpy(w->vectors[TRACKING_Y], w->gradient, bytes);
    memcpy(w->vectors[TRACKING_G], w->gradient, bytes);
    worker_give_gradient(w);
    return STATUS_OK;
}

static struct mixing_vector tracker(const struct worker *w)
{
    return (struct mixing_vector){
        .kind = MIXING_TRACKER, .x = w->vectors[TRACKING_Y], .count = w->problem->param_count};
}

/* y <- y + lag + (new - old gradient), the latter exact or nearly so where both are close. */
static enum status move_tracker(struct worker *w, struct mixing *m)
{
    const int64_t n = w->problem->param_count;
    const float *lag = m->lag;
    float *y = w->vectors[TRACKING_Y], *g = w->vectors[TRACKING_G];

    for (int64_t i = 0; i < n; i++) {
        y[i] += lag[i] + (w->gradient[i] - g[i]);
        g[i] = w->gradient[i];
    }
    mixing_end_lag(m, w);
    worker_give_gradient(w);
    return worker_report_vectors(w, &(struct vector_work){n, 3, 6});
}

/* What this round's sums may have rounded off; g is of the new point. */
static void allow_rounding(const struct worker *w, const struct mixing *m, struct invariant *v)
{
    const int terms = m->near.in_count + 2;

    invariant_allow(w, &v->slack, &(struct invariant_rounding){v->x, v->count, terms, 1});
    invariant_allow(w, &v->slack, &(struct invariant_rounding){v->y, v->count, terms, 1});
}

enum status tracking_send(struct worker *w, const struct mixing *m)
{
    const struct mixing_vector y = tracker(w);

    return mixing_send(m, w, &y, MIXING_ALL);
}

enum status tracking_follow(struct worker *w, struct mixing *m)
{
    const struct mixing_vector y = tracker(w);
    struct invariant v = {.text = "mean(y) is the mean gradient",
                          .x = w->vectors[TRACKING_Y],
                          .y = w->vectors[TRACKING_G],
                          .count = w->problem->param_count};

    allow_rounding(w, m, &v);
    TRY(mixing_await(m, w, y.kind));
    TRY(mixing_gradient(w));
    TRY(mixing_receive(m, w, &y, MIXING_BY_MATRIX));
    TRY(move_tracker(w, m));
    if (!m->keeps_mean)
        return STATUS_OK;
    allow_rounding(w, m, &v);
    return invariant_check_kept(w, &v, &m->past, &w->numbers[TRACKING_SLACK]);
}

enum status tracking_follow_in_place(struct worker *w, struct mixing *m)
{
    const struct mixing_vector y = tracker(w);

    TRY(mixing_send(m, w, &y, MIXING_LOWER));
    TRY(mixing_await(m, w, y.kind));
    TRY(mixing_gradient(w));
    TRY(mixing_receive(m, w, &y, MIXING_BY_MATRIX));
    TRY(move_tracker(w, m));
    return mixing_send(m, w, &y, MIXING_HIGHER);
}
