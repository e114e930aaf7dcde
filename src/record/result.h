/*
 * result.h - result.json of a run directory: what ran, and what it came to, in one list. It is also
 * what `muster train --json` prints.
 *
 * Writer and reader go through the list, so that a new number is one line here and the place where
 * it is known. Not here: the table of a study (results.h).
 */
#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include "base/text.h"
#include "record/rundir.h"
#include "record/workers.h"

enum { RESULT_VERSION = 1 };

/* clang-format off */
/*
 * X(member, key, type, unit)
 *   type  TEXT: NULL is written as null; INT: -1 is not known, and written as null;
 *         NUMBER: NaN is written as null; OPTIONAL: a number that is left out when it is NaN
 */
#define RESULT_LIST(X)                                                              \
    X(status,                     "status",                     TEXT,     "")       \
    X(run_dir,                    "run_dir",                    TEXT,     "")       \
    X(name,                       "name",                       TEXT,     "")       \
    X(problem,                    "problem",                    TEXT,     "")       \
    X(model,                      "model",                      TEXT,     "")       \
    X(parameters,                 "parameters",                 INT,      "")       \
    X(dataset,                    "dataset",                    TEXT,     "")       \
    X(data,                       "data",                       TEXT,     "")       /* its checksum and size */ \
    X(optimizer,                  "optimizer",                  TEXT,     "")       \
    X(algorithm,                  "algorithm",                  TEXT,     "")       \
    X(transport,                  "transport",                  TEXT,     "")       \
    X(partition,                  "partition",                  TEXT,     "")       \
    X(workers,                    "workers",                    INT,      "")       \
    X(threads,                    "threads",                    INT,      "")       \
    X(ended_by,                   "ended_by",                   TEXT,     "")       /* the limit: "epochs:6" */ \
    X(rounds,                     "rounds",                     INT,      "rounds") \
    X(epochs,                     "epochs",                     NUMBER,   "epochs") \
    X(samples,                    "samples",                    INT,      "samples") \
    X(train_loss,                 "train_loss",                 NUMBER,   "")       \
    X(train_accuracy,             "train_accuracy",             NUMBER,   "1")      \
    X(validation_loss,            "validation_loss",            NUMBER,   "")       \
    X(validation_accuracy,        "validation_accuracy",        NUMBER,   "1")      \
    X(test_loss,                  "test_loss",                  NUMBER,   "")       \
    X(test_accuracy,              "test_accuracy",              NUMBER,   "1")      \
    X(test_accuracy5,             "test_accuracy5",             NUMBER,   "1")      \
    X(final_train_loss,           "final_train_loss",           OPTIONAL, "")       /* of the final model */ \
    X(final_train_accuracy,       "final_train_accuracy",       OPTIONAL, "1")      \
    X(chance_accuracy,            "chance_accuracy",            NUMBER,   "1")      \
    X(base_loss,                  "base_loss",                  OPTIONAL, "")       /* of the best constant answer */ \
    X(test_samples,               "test_samples",               INT,      "samples") \
    X(validation_chance_accuracy, "validation_chance_accuracy", OPTIONAL, "1")      \
    X(validation_base_loss,       "validation_base_loss",       OPTIONAL, "")       \
    X(validation_samples,         "validation_samples",         OPTIONAL, "samples") \
    X(train_seconds,              "train_seconds",              NUMBER,   "s")      \
    X(samples_per_s,              "samples_per_s",              NUMBER,   "samples/s") \
    X(setup_seconds,              "setup_seconds",              NUMBER,   "s")      \
    X(bytes_sent,                 "bytes_sent",                 OPTIONAL, "bytes")  \
    X(staleness,                  "staleness",                  OPTIONAL, "updates") /* of an asynchronous server's gradients: mean */ \
    X(staleness_max,              "staleness_max",              OPTIONAL, "updates") \
    X(replaced,                   "replaced_samples",           OPTIONAL, "samples") /* of batches, that could not be read */ \
    X(batches,                    "batches",                    OPTIONAL, "batches") /* of a worker in an epoch */ \
    X(test_accuracy_mean,         "test_accuracy_mean",         OPTIONAL, "1")      /* over the nodes of a graph */ \
    X(test_loss_mean,             "test_loss_mean",             OPTIONAL, "")       \
    X(test_accuracy_min,          "test_accuracy_min",          OPTIONAL, "1")      \
    X(test_accuracy_max,          "test_accuracy_max",          OPTIONAL, "1")      \
    X(consensus_error,            "consensus_error",            OPTIONAL, "")       \
    X(consensus_error_normalized, "consensus_error_normalized", OPTIONAL, "")
/* clang-format on */

enum result_type { RESULT_TEXT, RESULT_INT, RESULT_NUMBER, RESULT_OPTIONAL };

#define RESULT_C_TEXT     char *
#define RESULT_C_INT      int64_t
#define RESULT_C_NUMBER   double
#define RESULT_C_OPTIONAL double

/* The last values of metrics that a problem brings itself, by their names in rows: keys of their
 * own in the file, after those of the list. */
enum { RESULT_OWN_MAX = 8, RESULT_OWN_NAME = 48 };
struct result_own {
    int count;
    char names[RESULT_OWN_MAX][RESULT_OWN_NAME];
    double values[RESULT_OWN_MAX];
};

/* Whoever writes one may borrow its texts; those of one that was read are owned (release). */
struct run_result {
#define RESULT_MEMBER(member, key, type, unit) RESULT_C_##type member;
    RESULT_LIST(RESULT_MEMBER)
#undef RESULT_MEMBER
    struct result_own own;
    struct rundir_names broken; /* the first files of samples that could not be read */
    struct record_workers each; /* with several workers */
};

/* The list as a table, in the order of the members. */
struct result_field {
    const char *key, *unit;
    enum result_type type;
    size_t offset;
};
extern const struct result_field result_list[];
extern const int result_list_count;

/* How a run ended, in one word for programs: "finished", "interrupted", "diverged", "failed". */
const char *result_word(enum status s);

void result_init(struct run_result *r); /* nothing is known */
void result_release(struct run_result *r);

/* Sets the value of this name, or adds it where there is room. */
void result_own_set(struct result_own *own, const char *name, double value);

/* "distance to optimum": the name of number i, in words. */
void result_own_words(const struct result_own *own, int i, struct text *out);

/* A number of the list, or of the problem's own, by its key; NaN: not known, or no number. */
double result_number(const struct run_result *r, const char *key);

/* One JSON object, with the end of its line. */
void result_add_json(const struct run_result *r, struct text *out);
enum status result_write(const char *run_dir, const struct run_result *r);

/* A missing file is an error, too. After an error nothing is known. */
enum status result_read(const char *run_dir, struct run_result *r);

/* Writes another name and folder into the result.json of this folder, if there is one. */
enum status result_rename(const char *folder, const char *name, const char *run_dir);

#endif
