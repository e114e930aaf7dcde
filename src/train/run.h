/*
 * run.h - one run from its description to its directory: what `muster train` and `muster run` do.
 */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "conf/node.h"
#include "train/loop/endpoint.h"

struct run_request {
    const struct node *root; /* the run config; with resume: what overrides the old one */
    const char *given;       /* the text for experiment.yaml; NULL: root written as YAML */
    const char *out;         /* the outer folder; NULL: runs/<date>_<time>_<name> */
    const char *resume;      /* folder of a run to resume; NULL: a new run */
    bool restarts;           /* a resumed run without checkpoint starts over; else it fails */
    bool save;               /* false: no model, no checkpoints */
    bool is_temporary;       /* `out` will be removed: no message names it */
    bool flat;               /* a new run: `out` is its one folder, which may exist */
    int argc;                /* the command line, for environment.json */
    char *const *argv;
};

struct run_outcome {
    char *run_dir; /* NULL: the run never got so far */
    char *name, *problem;
    char *model, *dataset, *data, *optimizer, *algorithm, *partition, *transport;
    char *ended_by; /* the limit that a finished run came to: "epochs:6"; NULL: it has not */
    int64_t param_count;
    bool is_synchronous;
    int64_t batches; /* of each worker in an epoch, where workers are synchronous; else 0 */
    int workers, threads;
    double chance;        /* test accuracy of the best constant guess; NaN: no classes, no test */
    double base_loss;     /* test loss of the best constant guess; 0: not known */
    int64_t test_samples; /* 0: no test set */
    double validation_chance, validation_base_loss; /* the same of the validation part */
    int64_t validation_samples;
    bool nodes_differ; /* each node has its own model, and the report its quality */
    struct run_report report;
};

/*
 * The outcome is filled as far as the run came, also when it fails; of several processes only the
 * leading one has a run_dir and a report, and shows them.
 */
enum status run_train(const struct run_request *request, struct run_outcome *outcome);

/* The outcome as one JSON object: what --json prints and what result.json holds. */
void result_json(const struct run_outcome *o, enum status s, struct text *out);
enum status result_json_write(const struct run_outcome *o, enum status s); /* into run_dir */
void run_outcome_release(struct run_outcome *o);

#endif
