/*
 * tensorboard.h - the event file of TensorBoard: records of length, masked CRC-32C and protobuf
 * bytes.
 */
#ifndef RECORD_TENSORBOARD_H
#define RECORD_TENSORBOARD_H

#include <stdint.h>

#include "base/text.h"
#include "conf/node.h"
#include "format/png.h"
#include "record/histogram.h"

struct tensorboard;

/* A new file events.out.tfevents.<unix time>.<host>.<pid>.<n> in the folder, with its first record.
 */
enum status tensorboard_open(struct tensorboard **t, const char *folder);
enum status tensorboard_close(struct tensorboard *t); /* and frees; accepts NULL */
void tensorboard_free(struct tensorboard *t);         /* when its errors no longer matter */

enum status tensorboard_scalar(struct tensorboard *t, const char *tag, int64_t step, double value);
enum status tensorboard_text(struct tensorboard *t, const char *tag, int64_t step,
                             const char *markdown);
enum status tensorboard_image(struct tensorboard *t, const char *tag, int64_t step,
                              const struct png_picture *picture);
enum status tensorboard_histogram(struct tensorboard *t, const char *tag, int64_t step,
                                  const struct histogram *h);

/* --- tensorboard_hparams.c: the tab HPARAMS --- */

/*
 * The start of a run: a flat map of its settings (scalars by their names), and the tags of the
 * scalars that judge it; ends with NULL. TensorBoard takes the columns of its table from any one of
 * the runs that it shows.
 */
enum status tensorboard_start_session(struct tensorboard *t, const struct node *settings,
                                      const char *const *metrics);
enum status tensorboard_end_session(struct tensorboard *t, bool is_success);

/* --- for the files of this module --- */

/* Writes a value that is encoded. */
enum status tensorboard_value(struct tensorboard *t, int64_t step, const struct text *value);

/* Begins a tensor with one element: 1 is float, 7 is string. */
void tensorboard_start_tensor(struct text *tensor, int dtype);

/* Adds metadata to a value: which plugin it is for, with its own bytes or NULL. */
void tensorboard_add_plugin(struct text *value, const char *plugin, const struct text *content);

#endif
