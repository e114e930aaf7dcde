/*
 * result_json.c - the outcome of a run as result.json has it.
 */
#include <math.h>

#include "base/mem.h"
#include "record/result.h"
#include "train/run.h"
#include "train/workers_json.h"

/* Of a worker in an epoch; the mean where workers are asynchronous. */
static double batches_of(const struct run_outcome *o)
{
    const struct run_report *r = &o->report;
    double updates = 0;

    if (o->batches > 0)
        return (double)o->batches;
    for (int w = 0; w < r->workers; w++)
        updates += r->per_worker[w].counters.rounds;
    return r->epochs > 0 ? updates / r->epochs / r->workers : (double)NAN;
}

/* The nodes of a graph as a whole, under the names that metrics.jsonl has for them. */
static void fill_nodes(struct run_result *out, const struct run_report *r)
{
    double sum = 0, least = (double)NAN, most = (double)NAN, raw = 0, normalized = 0, loss = 0;

    for (int w = 0; w < r->workers; w++) {
        const struct worker_report *report = &r->per_worker[w];

        loss += report->test_loss;
        sum += report->test_accuracy;
        least = fmin(least, report->test_accuracy);
        most = fmax(most, report->test_accuracy);
        raw += report->distance;
        normalized += report->normalized_distance;
    }
    out->test_loss_mean = loss / r->workers;
    out->test_accuracy_mean = sum / r->workers;
    out->test_accuracy_min = least;
    out->test_accuracy_max = most;
    out->consensus_error = raw / r->workers;
    out->consensus_error_normalized = normalized / r->workers;
}

/* Over all gradients that the server applied. */
static void fill_staleness(struct run_result *out, const struct run_report *r)
{
    int64_t sum = 0, updates = 0, most = 0;

    for (int w = 0; w < r->workers; w++) {
        const struct client *c = &r->per_worker[w].client;

        sum += c->staleness_sum;
        updates += c->updates;
        most = c->staleness_max > most ? c->staleness_max : most;
    }
    if (updates == 0)
        return;
    out->staleness = (double)sum / (double)updates;
    out->staleness_max = (double)most;
}

static void fill_report(struct run_result *out, const struct run_report *r)
{
    out->rounds = r->rounds;
    out->epochs = r->epochs;
    out->samples = r->samples;
    out->train_loss = r->train_loss;
    out->train_accuracy = r->train_accuracy;
    out->validation_loss = r->validation_loss;
    out->validation_accuracy = r->validation_accuracy;
    out->test_loss = r->test_loss;
    out->test_accuracy = r->test_accuracy;
    out->test_accuracy5 = r->test_accuracy5;
    out->own = r->own;
    out->broken = r->broken;
    out->train_seconds = r->seconds;
    out->samples_per_s = r->samples_per_s;
    out->setup_seconds = r->setup_seconds;
    if (r->per_worker != NULL) {
        out->final_train_loss = r->final_train_loss;
        out->final_train_accuracy = r->final_train_accuracy;
        out->bytes_sent = r->bytes;
        out->replaced = r->replaced;
    }
    if (r->per_worker != NULL && r->workers > 1)
        workers_json_init(&out->each, r);
}

/* What constant answers achieve on the test set, and on the validation part where there is one. */
static void fill_baselines(struct run_result *out, const struct run_outcome *o)
{
    out->chance_accuracy = o->chance;
    out->base_loss = o->base_loss > 0 ? o->base_loss : (double)NAN;
    out->test_samples = o->test_samples;
    if (o->validation_samples == 0)
        return;
    out->validation_chance_accuracy = o->validation_chance;
    if (o->validation_base_loss > 0)
        out->validation_base_loss = o->validation_base_loss;
    out->validation_samples = (double)o->validation_samples;
}

/* Borrows the texts of the outcome; the workers are its own. */
static void fill_result(struct run_result *out, const struct run_outcome *o, char *status)
{
    result_init(out);
    out->status = status;
    out->run_dir = o->run_dir;
    out->name = o->name;
    out->problem = o->problem;
    out->model = o->model;
    out->parameters = o->param_count;
    out->dataset = o->dataset;
    out->data = o->data;
    out->optimizer = o->optimizer;
    out->algorithm = o->algorithm;
    out->transport = o->transport;
    out->ended_by = o->ended_by;
    out->partition = o->partition;
    out->workers = o->workers;
    out->threads = o->threads;
    fill_baselines(out, o);
    fill_report(out, &o->report);
    if (o->report.per_worker != NULL)
        out->batches = batches_of(o);
    if (o->report.per_worker != NULL && o->report.is_server_based && !o->is_synchronous)
        fill_staleness(out, &o->report);
    if (o->report.per_worker != NULL && o->nodes_differ)
        fill_nodes(out, &o->report);
}

void result_json(const struct run_outcome *o, enum status s, struct text *out)
{
    char *status = mem_text(result_word(s));
    struct run_result r;

    fill_result(&r, o, status);
    result_add_json(&r, out);
    workers_release(&r.each);
    mem_free(status);
}

enum status result_json_write(const struct run_outcome *o, enum status s)
{
    char *status = mem_text(result_word(s));
    struct run_result r;

    fill_result(&r, o, status);
    const enum status written = result_write(o->run_dir, &r);
    workers_release(&r.each);
    mem_free(status);
    return written;
}
