/*
 * recorder.h - rows of metrics, as they are measured, into the files of a run directory.
 *
 * metrics.jsonl gets one JSON object per row; the TensorBoard file gets every number as a scalar,
 * but for rows that skip it. The recorder knows no metric by name: a row is a header, and pairs of
 * name and value. Their tags in TensorBoard are event_tags.h's.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "record/counters.h"
#include "record/event_tags.h"
#include "record/metric.h"

enum { METRIC_ROW_MAX = 32 };

struct metric {
    const char *name; /* "train_loss"; borrowed for the call */
    double value;     /* NaN and infinity are written as null */
};

/* The worker of a row that is about all of them. */
enum { METRIC_ALL_WORKERS = -1 };

/* What every row carries. */
struct metric_header {
    int worker; /* from 0, or METRIC_ALL_WORKERS */
    int64_t round;
    double epoch;
    struct counters counters; /* of the run, or of the worker; those that every row shows */
};

struct metric_row {
    struct metric_header header;
    bool is_one_of_many; /* about one worker of several: TensorBoard shows it apart */
    bool skips_events;   /* not for TensorBoard, whose file would become large */
    int count;
    struct metric metrics[METRIC_ROW_MAX];
};

void metric_row_add(struct metric_row *row, enum metric_id id, double value);

/* One that is not in the loop's list: a problem's own. The name is borrowed until the row is added.
 */
void metric_row_add_named(struct metric_row *row, const char *name, double value);

/* The counters that rows about one worker show as metrics. */
void metric_row_add_counters(struct metric_row *row, const struct counters *c);

struct tensorboard;

struct recorder {
    struct file_log rows;
    struct tensorboard *events;
    struct event_style style; /* of the tags in the TensorBoard file; zeroed it is Muster's */
    struct text lines;        /* rows that are not written yet */
    bool is_held;
};

/*
 * Opens the files of a run directory. keep_round: rows of metrics.jsonl after this round are
 * dropped (a resumed run writes them again); -1 starts an empty file. TensorBoard always gets a new
 * file.
 */
enum status recorder_open(struct recorder *r, const char *run_dir, int64_t keep_round);
enum status recorder_add(struct recorder *r, const struct metric_row *row);

/* Rows from here on are written together, by recorder_write. */
void recorder_hold(struct recorder *r);
enum status recorder_write(struct recorder *r);

enum status recorder_close(struct recorder *r);

#endif
