/*
 * training_clock.c - seconds of training: those that have passed, less the pauses.
 */
#include "train/loop/training_clock.h"

#include "base/check.h"

struct clock_reading training_clock_read(const struct training_clock *c)
{
    return (struct clock_reading){
        .at = transport_now(c->transport),
        .counters = transport_counters_now(c->transport),
    };
}

void training_clock_init(struct training_clock *c, struct transport *t,
                         const struct counters *saved)
{
    *c = (struct training_clock){
        .transport = t,
        .resumed_seconds = saved->seconds,
        .offset.bytes_sent = (int64_t)saved->bytes,
        .is_paused = true,
    };
#define SET_OFFSET(name) c->offset.name = saved->name;
    TRANSPORT_SECONDS(SET_OFFSET)
#undef SET_OFFSET
    c->started_at = c->pause.at = transport_now(t);
}

void training_clock_pause(struct training_clock *c, const struct clock_reading *since)
{
    CHECK(!c->is_paused);
    c->is_paused = true;
    c->pause = *since;
}

void training_clock_resume(struct training_clock *c)
{
    const struct clock_reading now = training_clock_read(c);

    CHECK(c->is_paused);
    c->is_paused = false;
    c->paused_seconds += now.at - c->pause.at;
#define LEAVE_OUT(name) c->offset.name -= now.counters.name - c->pause.counters.name;
    TRANSPORT_SECONDS(LEAVE_OUT)
#undef LEAVE_OUT
}

void training_clock_count(const struct training_clock *c, const struct clock_reading *r,
                          struct counters *counters)
{
    CHECK(!c->is_paused);
    counters->seconds = c->resumed_seconds + r->at - c->started_at - c->paused_seconds;
    counters->bytes = (double)(r->counters.bytes_sent + c->offset.bytes_sent);
#define SET_SECONDS(name) counters->name = r->counters.name + c->offset.name;
    TRANSPORT_SECONDS(SET_SECONDS)
#undef SET_SECONDS
}
