/*
 * tensorboard.h - the event file of TensorBoard: records of length, masked CRC-32C and protobuf
 * bytes.
 */
#ifndef RECORD_TENSORBOARD_H
#define RECORD_TENSORBOARD_H

#include <stdint.h>

#include "base/status.h"

struct tensorboard;

/* A new file events.out.tfevents.<unix time>.<host>.<pid>.<n> in the folder, with its first record.
 */
enum status tensorboard_open(struct tensorboard **t, const char *folder);
enum status tensorboard_scalar(struct tensorboard *t, const char *tag, int64_t step, double value);
enum status tensorboard_close(struct tensorboard *t); /* and frees; accepts NULL */
void tensorboard_free(struct tensorboard *t);         /* when its errors no longer matter */

#endif
