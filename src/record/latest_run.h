/*
 * latest_run.h - the link `latest` in a folder of runs: the run or experiment that was begun last.
 *
 * It is a help, not a record: where it cannot be made nothing is lost, and no warning is printed.
 */
#ifndef RECORD_LATEST_RUN_H
#define RECORD_LATEST_RUN_H

#include "base/status.h"

/* `folder` is new: <parent>/latest points to it from now on, unless that is a file or a folder of
 * the user's. Of several programs the last one wins. */
void latest_run_set(const char *parent, const char *folder);

/* What <parent>/latest points to, as <parent>/<name>; mem_free. */
enum status latest_run_find(const char *parent, char **folder);

#endif
