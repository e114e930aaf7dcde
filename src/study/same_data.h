/*
 * same_data.h - whether the runs of a study that ask for the same data were trained on the same.
 */
#ifndef STUDY_SAME_DATA_H
#define STUDY_SAME_DATA_H

#include "study/compared_run.h"
#include "study/study.h"

/* Another run with the same data settings that has a result, but of data with another checksum;
 * -1: none. */
int64_t same_data_find_other(const struct study *s, const struct compared_run *results,
                             int64_t run);

#endif
