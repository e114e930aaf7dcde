/*
 * correct_answers.h - correct.jsonl of a run directory: which samples each node's model answers
 * rightly, a row for each node and evaluation (docs/reference/formats.md).
 */
#ifndef RECORD_CORRECT_ANSWERS_H
#define RECORD_CORRECT_ANSWERS_H

#include <stdint.h>

#include "base/file.h"

struct correct_log {
    struct file_log rows;
};

/* keep_round as with recorder_open. */
enum status correct_log_open(struct correct_log *l, const char *run_dir, int64_t keep_round);

/* correct[count]: 1 where the answer is right, else 0. */
struct correct_row {
    int64_t round, worker, count;
    const uint8_t *correct;
};
enum status correct_log_add(struct correct_log *l, const struct correct_row *row);
void correct_log_close(struct correct_log *l); /* also of one that was never opened */

/* The digits of a row to correct[count]; false: they are not those of so many samples. */
bool correct_row_unpack(const char *digits, uint8_t *correct, int64_t count);

#endif
