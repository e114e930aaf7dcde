/*
 * summary.c - the report of each worker as JSON.
 */
#include "train/summary.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"

static void write_times(struct json *j, const struct transport_account *a)
{
    json_number(j, "computing", a->computing);
    json_number(j, "waiting", a->waiting);
    json_number(j, "transferring", a->transferring);
    json_number(j, "sleeping", a->sleeping);
    json_int(j, "bytes_sent", a->bytes_sent);
}

/* What a worker knows of itself. */
static void write_tally(struct json *j, const struct tally *t)
{
    const struct transport_account account = {
        .bytes_sent = (int64_t)t->bytes,
        .computing = t->computing,
        .waiting = t->waiting,
        .transferring = t->transferring,
        .sleeping = t->sleeping,
    };

    json_int(j, "updates", (int64_t)t->rounds);
    json_int(j, "samples", (int64_t)t->samples);
    write_times(j, &account);
}

/* What a server knows of it. */
static void write_client(struct json *j, const struct client *c)
{
    enum { BINS = sizeof c->staleness / sizeof c->staleness[0] };

    json_int(j, "updates", c->updates);
    json_int(j, "samples", c->samples);
    json_number(j, "train_loss", c->samples > 0 ? c->loss_sum / (double)c->samples : (double)NAN);
    json_number(j, "staleness_mean",
                c->updates > 0 ? (double)c->staleness_sum / (double)c->updates : (double)NAN);
    json_int(j, "staleness_max", c->staleness_max);
    json_open_list(j, "staleness");
    for (int i = 0; i < BINS; i++)
        json_int(j, NULL, c->staleness[i]);
    json_close_list(j);
    write_times(j, &c->account);
}

void summary_json(const struct loop_report *r, struct json *j, const char *key)
{
    json_open_list(j, key);
    for (int w = 0; w < r->workers; w++) {
        json_open_map(j, NULL);
        json_int(j, "worker", w);
        if (r->is_served)
            write_client(j, &r->each[w].client);
        else
            write_tally(j, &r->each[w].tally);
        if (!isnan(r->each[w].test_loss)) {
            json_number(j, "test_loss", r->each[w].test_loss);
            json_number(j, "test_accuracy", r->each[w].test_accuracy);
        }
        json_close_map(j);
    }
    json_close_list(j);
}

enum status summary_write(const struct loop_report *r, const char *run_dir)
{
    char *path = file_join(run_dir, "workers.json");
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    summary_json(r, &j, NULL);
    text_add(&content, "\n");
    const enum status s = file_write_text(path, text_get(&content));
    text_release(&content);
    mem_free(path);
    return s;
}
