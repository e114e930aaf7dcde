/*
 * progress.c - composes the progress line; base/log.c puts it on the terminal.
 */
#include "train/loop/progress.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

static const double SECONDS_BETWEEN_LINES = 0.2;

void progress_start(struct progress *p, double done)
{
    *p = (struct progress){.started_at = clock_seconds(), .started_done = done};
}

bool progress_is_due(const struct progress *p)
{
    return clock_seconds() - p->shown_at >= SECONDS_BETWEEN_LINES;
}

void progress_show(struct progress *p, const struct progress_state *s, bool final)
{
    const double now = clock_seconds();
    struct text line = {0};
    char left[32];

    if (!final && !progress_is_due(p))
        return;
    p->shown_at = now;
    text_addf(&line, "epoch %.2f  %3.0f %%  loss ", s->epoch, 100.0 * s->done);
    text_add_fixed(&line, s->loss, 4);
    if (!isnan(s->accuracy))
        text_addf(&line, "  accuracy %.2f %%", 100.0 * s->accuracy);
    text_addf(&line, "  %.0f samples/s", s->samples_per_s);
    if (!isnan(s->evaluated))
        text_addf(&line, "  test %.2f %% (%.1f epochs ago)", 100.0 * s->evaluated,
                  s->evaluated_age);
    if (!final && s->done > p->started_done) {
        const double whole = (now - p->started_at) / (s->done - p->started_done);
        clock_duration(left, sizeof left, whole * fmax(0, 1 - s->done));
        text_addf(&line, "  %s left", left);
    }
    log_progress(text_get(&line), final);
    text_release(&line);
}
