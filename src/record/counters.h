/*
 * counters.h - what is counted while training, in one list: samples, gradients, bytes, seconds.
 *
 * A worker has a struct counters for the whole run; the leader reduces the workers' to those of the
 * run. Checkpoints, metric rows, workers.json and live.json go through the list, so that a new
 * counter is one line here and the place where it is counted.
 *
 * All are doubles, so that one control sum over a table with a row per worker brings everything to
 * the leader. They count exactly up to 2^53.
 *
 * Counts since the start of an epoch or since the last logged row are kept whole, not added up from
 * one sync point to the next: when workers synchronise depends on the time, and the sums must not.
 */
#ifndef RECORD_COUNTERS_H
#define RECORD_COUNTERS_H

#include "base/json.h"
#include "base/status.h"

/* clang-format off */
/*
 * X(name, key in files, unit, over workers, saved, shown in)
 *   unit          COUNT: a whole number; LOSS: a loss or a sum of losses; SECONDS; BYTES; NUMBER: any
 *   over workers  SUM, MAX, MEAN
 *   saved         SAVED: checkpoints have it; NOT_SAVED
 *   shown in      ROW: every row of metrics.jsonl; WORKER: rows and entries about one worker;
 *                 NOWHERE
 */
#define COUNTER_LIST(X)                                                                   \
    X(rounds,         "rounds",            COUNT,   MAX,  SAVED, NOWHERE)                 \
    X(steps,          "steps",             COUNT,   SUM,  SAVED, NOWHERE) /* gradients: they number the delays */ \
    X(draws,          "draws",             COUNT,   SUM,  SAVED, NOWHERE) /* batches, also empty ones */ \
    X(samples,        "samples",           COUNT,   SUM,  SAVED, ROW)                     \
    X(replaced,       "replaced_samples",  COUNT,   SUM,  SAVED, NOWHERE) /* that could not be read, in batches */ \
    X(gradients,      "gradients",         COUNT,   SUM,  SAVED, ROW)                     \
    X(passes,         "forward_passes",    COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(epoch_samples,  "epoch_samples",     COUNT,   SUM,  SAVED, NOWHERE) /* of the epoch under way */ \
    X(epoch_correct,  "epoch_correct",     COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(epoch_correct5, "epoch_correct5",    COUNT,   SUM,  SAVED, NOWHERE) /* top-5, as below */ \
    X(epoch_loss,     "epoch_loss",        LOSS,    SUM,  SAVED, NOWHERE) /* summed over its samples */ \
    X(logged_samples, "logged_samples",    COUNT,   SUM,  SAVED, NOWHERE) /* since the last logged row */ \
    X(logged_loss,    "logged_loss",       LOSS,    SUM,  SAVED, NOWHERE)                 \
    X(logged_correct, "logged_correct",    COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(logged_correct5, "logged_correct5",  COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(last_samples,   "last_samples",      COUNT,   SUM,  SAVED, NOWHERE) /* of the last round */ \
    X(last_loss,      "last_loss",         LOSS,    SUM,  SAVED, NOWHERE)                 \
    X(last_correct,   "last_correct",      COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(last_correct5,  "last_correct5",     COUNT,   SUM,  SAVED, NOWHERE)                 \
    X(moving_loss,    "train_loss_moving", LOSS,    MEAN, SAVED, NOWHERE) /* NaN: no batch so far */ \
    X(lr,             "lr",                NUMBER,  MEAN, NOT_SAVED, NOWHERE) /* of the last step */ \
    X(weight_square,  "weight_square",     NUMBER,  MEAN, NOT_SAVED, NOWHERE) /* of the model, at the last log row; NaN: not measured */ \
    X(bytes,          "bytes_sent",        BYTES,   SUM,  SAVED, ROW)                     \
    X(seconds,        "seconds",           SECONDS, MAX,  SAVED, ROW)     /* of training */ \
    X(delayed,        "delayed",           SECONDS, SUM,  SAVED, NOWHERE) /* slept for injected delays */ \
    X(computing,      "computing",         SECONDS, SUM,  SAVED, WORKER)  /* as the transport counts them */ \
    X(waiting,        "waiting",           SECONDS, SUM,  SAVED, WORKER)                  \
    X(transferring,   "transferring",      SECONDS, SUM,  SAVED, WORKER)                  \
    X(sleeping,       "sleeping",          SECONDS, SUM,  SAVED, WORKER)
/* clang-format on */

struct counters {
#define COUNTER_MEMBER(name, key, unit, over, saved, shown) double name;
    COUNTER_LIST(COUNTER_MEMBER)
#undef COUNTER_MEMBER
};

enum { COUNTERS_COUNT = (int)(sizeof(struct counters) / sizeof(double)) };

enum counter_unit { COUNTER_COUNT, COUNTER_LOSS, COUNTER_SECONDS, COUNTER_BYTES, COUNTER_NUMBER };
enum counter_over { COUNTER_SUM, COUNTER_MAX, COUNTER_MEAN };
enum counter_saved { COUNTER_NOT_SAVED, COUNTER_SAVED };
enum counter_shown { COUNTER_NOWHERE, COUNTER_ROW, COUNTER_WORKER };

/* The list as a table, in the order of the members. */
struct counter {
    const char *name, *key;
    enum counter_unit unit;
    enum counter_over over;
    enum counter_saved saved;
    enum counter_shown shown;
};
extern const struct counter counters_list[COUNTERS_COUNT];

/* The counter at this place of the list. */
double counters_get(const struct counters *c, int i);

/* Of a worker that has done nothing. */
struct counters counters_start(void);

/* Those of the run: rows[count], one per worker, added in their order. */
struct counters counters_reduce(const struct counters *rows, int count);

/* Those that are saved, as an array, and back; the others keep their value. */
int counters_saved_count(void);
void counters_pack(const struct counters *c, double *values);
void counters_unpack(struct counters *c, const double *values);

/* The name of the first that cannot be true, or NULL: counts below zero or above 2^53, or a number
 * that is not finite. */
const char *counters_impossible(const struct counters *c);

/* The names of the saved ones in their order, "rounds,steps,...": a file says by them what it has.
 */
const char *counters_saved_names(void);

/* Those that are shown there, by their keys, into an open JSON object. */
void counters_json(const struct counters *c, enum counter_shown where, struct json *j);

/* After the row of an epoch, and after a logged one. */
void counters_close_epoch(struct counters *c);
void counters_close_log(struct counters *c);

#endif
