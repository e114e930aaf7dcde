/*
 * outcome.c - what a run came to, as JSON.
 */
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "train/run.h"
#include "train/summary.h"

/* One word for programs. */
static const char *status_word(enum status s)
{
    switch (s) {
    case STATUS_OK:
        return "finished";
    case STATUS_INTERRUPTED:
        return "interrupted";
    case STATUS_DIVERGED:
        return "diverged";
    case STATUS_BAD_INPUT:
    case STATUS_IO:
    case STATUS_PEER:
    case STATUS_COUNT:
        return "failed";
    }
    return "failed";
}

static double bytes_sent(const struct loop_report *r)
{
    double bytes = 0;

    for (int w = 0; w < r->workers; w++)
        bytes +=
            r->is_served ? (double)r->each[w].client.account.bytes_sent : r->each[w].tally.bytes;
    return bytes;
}

/* Of a worker in an epoch, the mean where workers do not keep step. */
static double batches_of(const struct run_outcome *o)
{
    const struct loop_report *r = &o->report;
    double updates = 0;

    if (o->batches > 0)
        return (double)o->batches;
    for (int w = 0; w < r->workers; w++)
        updates += r->is_served ? (double)r->each[w].client.updates : r->each[w].tally.rounds;
    return r->epochs > 0 ? updates / r->epochs / r->workers : (double)NAN;
}

/* The nodes of a graph as a whole, under the names that metrics.jsonl has for them. */
static void write_nodes(struct json *j, const struct loop_report *r)
{
    double sum = 0, least = (double)NAN, most = (double)NAN, raw = 0, normalized = 0;

    for (int w = 0; w < r->workers; w++) {
        const struct worker_report *each = &r->each[w];

        sum += each->test_accuracy;
        least = fmin(least, each->test_accuracy);
        most = fmax(most, each->test_accuracy);
        raw += each->distance;
        normalized += each->normalized_distance;
    }
    json_number(j, "test_accuracy_mean", sum / r->workers);
    json_number(j, "test_accuracy_min", least);
    json_number(j, "test_accuracy_max", most);
    json_number(j, "consensus_error", raw / r->workers);
    json_number(j, "consensus_error_normalized", normalized / r->workers);
}

void run_outcome_json(const struct run_outcome *o, enum status s, struct text *out)
{
    const struct loop_report *r = &o->report;
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "status", status_word(s));
    json_text(&j, "run_dir", o->run_dir);
    json_text(&j, "name", o->name);
    json_text(&j, "model", o->model);
    json_int(&j, "parameters", o->param_count);
    json_text(&j, "dataset", o->dataset);
    json_text(&j, "optimizer", o->optimizer);
    json_text(&j, "algorithm", o->algorithm);
    json_text(&j, "transport", o->transport);
    json_text(&j, "partition", o->partition);
    json_int(&j, "workers", o->workers);
    json_int(&j, "threads", o->threads);
    json_int(&j, "rounds", r->rounds);
    json_number(&j, "epochs", r->epochs);
    json_int(&j, "samples", r->samples);
    json_number(&j, "train_loss", r->train_loss);
    json_number(&j, "train_accuracy", r->train_accuracy);
    json_number(&j, "validation_loss", r->validation_loss);
    json_number(&j, "validation_accuracy", r->validation_accuracy);
    json_number(&j, "test_loss", r->test_loss);
    json_number(&j, "test_accuracy", r->test_accuracy);
    json_number(&j, "test_accuracy5", r->test_accuracy5);
    json_number(&j, "chance_accuracy", o->chance);
    json_int(&j, "test_samples", o->test_samples);
    json_number(&j, "train_seconds", r->seconds);
    json_number(&j, "samples_per_s", r->samples_per_s);
    json_number(&j, "setup_seconds", r->setup_seconds);
    if (r->each != NULL)
        json_number(&j, "bytes_sent", bytes_sent(r));
    if (r->each != NULL)
        json_number(&j, "batches", batches_of(o));
    if (r->each != NULL && o->nodes_differ)
        write_nodes(&j, r);
    if (r->each != NULL && r->workers > 1)
        summary_json(r, &j, "each");
    json_close_map(&j);
    text_add(out, "\n");
}

void run_outcome_release(struct run_outcome *o)
{
    mem_free(o->run_dir);
    mem_free(o->name);
    mem_free(o->model);
    mem_free(o->dataset);
    mem_free(o->optimizer);
    mem_free(o->algorithm);
    mem_free(o->partition);
    mem_free(o->transport);
    mem_free(o->report.each);
    *o = (struct run_outcome){0};
}
