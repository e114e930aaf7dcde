/*
 * workers_json.c - the report of each worker as the record has it.
 */
#include "train/workers_json.h"

#include <math.h>
#include <string.h>

static void fill_client(struct record_worker *w, const struct client *c)
{
    _Static_assert(sizeof w->staleness.bins == sizeof c->staleness, "as many bins");

    w->train_loss = c->samples > 0 ? c->loss_sum / (double)c->samples : (double)NAN;
    w->has_staleness = true;
    w->staleness.max = c->staleness_max;
    if (c->updates > 0)
        w->staleness.mean = (double)c->staleness_sum / (double)c->updates;
    memcpy(w->staleness.bins, c->staleness, sizeof w->staleness.bins);
}

void workers_json_init(struct record_workers *workers, const struct run_report *r)
{
    workers_init(workers, r->workers);
    for (int i = 0; i < r->workers; i++) {
        const struct worker_report *report = &r->per_worker[i];
        struct record_worker *w = &workers->items[i];

        w->counters = report->counters;
        w->test_loss = report->test_loss;
        w->test_accuracy = report->test_accuracy;
        if (r->is_server_based)
            fill_client(w, &report->client);
        if (r->link_bytes != NULL)
            workers_set_links(w, r->link_bytes + (int64_t)i * r->workers, r->workers);
    }
}

enum status workers_json_write(const struct run_report *r, const char *run_dir)
{
    struct record_workers workers;

    workers_json_init(&workers, r);
    const enum status s = workers_write(run_dir, &workers);
    workers_release(&workers);
    return s;
}
