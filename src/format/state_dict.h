/*
 * state_dict.h - the tensors of a file that torch.save has written (PyTorch 1.6 and later): a zip
 * file with a pickle and storages.
 *
 * The pickle is a dict of tensors by name, or a dict that has one under "state_dict" or "model".
 * Other entries are ignored, with one line in the log.
 *
 * Not here: pickles (pickle.h), zip files (zip_read.h), writing (tensor_set_pt.c).
 */
#ifndef FORMAT_STATE_DICT_H
#define FORMAT_STATE_DICT_H

#include "format/tensor_set.h"
#include "format/zip_read.h"

/* Whether the zip file is such a file. */
bool state_dict_is_in(const struct zip_reader *z);

/* Adds the tensors to the set. `path` is for messages. */
enum status state_dict_read(struct tensor_set *s, const struct zip_reader *z, const char *path);

#endif
