/*
 * lockstep_messages.c - counters of workers in several processes: what each sends to the leader at
 * an exchange.
 *
 * Log rows need no exchange of their own. Workers keep their counters of those rounds, and send
 * them with the next one, which comes within about a second.
 */
#include "base/mem.h"
#include "base/signals.h"
#include "train/loop/lockstep.h"

/* The counters of a worker after a round that has rows. */
struct kept_round {
    int64_t round;
    struct counters counters;
};

/* What a worker sends to the leader, before its kept rounds. */
struct report_message {
    struct counters counters;
    double asks_stop; /* 1: its process was asked to stop */
};

void lockstep_messages_keep(struct loop *l)
{
    struct lockstep *s = l->coordination;

    if (s->kept_count == s->kept_capacity) {
        const int64_t capacity = 2 * s->kept_capacity + 16;

        s->kept = mem_resize(s->kept, s->kept_capacity, capacity, sizeof *s->kept);
        s->kept_capacity = capacity;
    }
    s->kept[s->kept_count++] = (struct kept_round){l->round, l->counters};
}

static enum status send_report(struct loop *l, const struct report_message *r)
{
    const struct lockstep *s = l->coordination;
    const struct outgoing parts[] = {
        {r,       sizeof *r                              },
        {s->kept, (size_t)s->kept_count * sizeof *s->kept},
    };

    return transport_send_parts(l->worker->transport, 0, CONTROL_COUNTERS, parts,
                                s->kept_count > 0 ? 2 : 1);
}

/* All workers have kept the same rounds: the leader, which has handed in its own, has room. */
static enum status receive_report(struct loop *l, int from, struct report_message *r)
{
    struct lockstep *s = l->coordination;
    const struct incoming parts[] = {
        {r,       sizeof *r                              },
        {s->kept, (size_t)s->kept_count * sizeof *s->kept},
    };

    TRY(transport_recv_parts(l->worker->transport, from, CONTROL_COUNTERS, NULL, parts,
                             s->kept_count > 0 ? 2 : 1));
    for (int64_t i = 0; i < s->kept_count; i++)
        round_queue_hand_in(s->rows, from, &(struct round_facts){.round = s->kept[i].round},
                            &s->kept[i].counters);
    return STATUS_OK;
}

/* A signal may have reached one process only. */
static enum status receive_reports(struct loop *l, struct report_message *r, double *stops)
{
    l->leader->worker_counters[0] = l->counters;
    *stops = r->asks_stop;
    for (int w = 1; w < l->build->workers; w++) {
        TRY(receive_report(l, w, r));
        l->leader->worker_counters[w] = r->counters;
        *stops += r->asks_stop;
    }
    return STATUS_OK;
}

enum status lockstep_messages_collect(struct loop *l, double *stops)
{
    struct lockstep *s = l->coordination;
    struct report_message r = {l->counters, signals_stop_requested() ? 1 : 0};

    TRY(l->leader == NULL ? send_report(l, &r) : receive_reports(l, &r, stops));
    s->kept_count = 0;
    return STATUS_OK;
}
