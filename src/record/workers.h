/*
 * workers.h - workers.json of a run directory: what each worker did, and where its time went.
 */
#ifndef RECORD_WORKERS_H
#define RECORD_WORKERS_H

#include "base/status.h"
#include "record/counters.h"

enum { STALENESS_BINS = 16 };

/* How many updates lay between getting the model and a gradient's arrival at the server. */
struct record_staleness {
    double mean; /* NaN: no gradient so far */
    int64_t max;
    int64_t bins[STALENESS_BINS]; /* gradients of staleness 0, 1, ..., the last: and more */
};

/* What a worker sent to another one. */
struct record_link {
    int64_t to, bytes;
};

struct record_worker {
    struct counters counters; /* rounds: with a server, its gradients that were applied */
    double train_loss;        /* with a server: mean over all its samples; NaN: absent */
    bool has_staleness;       /* with a server */
    struct record_staleness staleness;
    double test_loss, test_accuracy; /* of its own model; NaN: absent */
    struct record_link *links;       /* [link_count], over graphs; owned */
    int64_t link_count;
};

/* Of a worker that has done nothing. */
struct record_worker workers_start_one(void);

/* Takes over bytes[count], the row of this worker: links that carried nothing are left out. */
void workers_set_links(struct record_worker *w, const int64_t *bytes, int64_t count);

struct record_workers {
    struct record_worker *items; /* in their order; owned */
    int64_t count;
};
void workers_init(struct record_workers *w, int64_t count); /* all at their start */
void workers_release(struct record_workers *w);

enum status workers_write(const char *run_dir, const struct record_workers *w);

/* The same as a list under `key`. */
void workers_add_json(const struct record_workers *w, struct json *j, const char *key);

/* A missing file is an error, too. After an error it is empty. */
enum status workers_read(const char *run_dir, struct record_workers *w);

/* From such a list; false: it is none. */
struct json_t; /* jansson's */
bool workers_parse(const struct json_t *list, struct record_workers *w);

#endif
