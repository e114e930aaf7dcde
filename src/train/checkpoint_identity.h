/*
 * checkpoint_identity.h - what a checkpoint says of itself, and whether this run can resume from
 * it. Private to checkpoint.c and resume.c.
 */
#ifndef TRAIN_CHECKPOINT_IDENTITY_H
#define TRAIN_CHECKPOINT_IDENTITY_H

#include "format/safetensors.h"
#include "train/build.h"

void identity_put(struct safetensors_writer *w, const struct tensor_layout *l);
void identity_put_count(struct safetensors_writer *w); /* after the last tensor */

/* Written by this program, in this version, and no tensor is lost. */
enum status identity_check_version(const struct safetensors *file);
enum status identity_check_layout(const struct safetensors *file, const struct problem_plan *p);
enum status identity_check_data(const struct safetensors *file, const struct build *b);

#endif
