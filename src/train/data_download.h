/*
 * data_download.h - downloads the data set of a run where it is missing and data.download is set.
 */
#ifndef TRAIN_DATA_DOWNLOAD_H
#define TRAIN_DATA_DOWNLOAD_H

#include "comm/world.h"
#include "train/run_config.h"

/* In this process. Does nothing without data.download, or if the data set is there. */
enum status data_download(const struct run_config *config);

/* All processes call it while the world does not run: the leading one downloads, and a failure is
 * that of all. */
enum status data_download_in_world(struct world *w, const struct run_config *config);

#endif
