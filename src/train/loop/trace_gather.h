/*
 * trace_gather.h - trace.json of a run: every endpoint keeps its spans, and the leader writes them
 * all.
 */
#ifndef TRAIN_LOOP_TRACE_GATHER_H
#define TRAIN_LOOP_TRACE_GATHER_H

#include "comm/trace.h"

/* Starts to keep this endpoint's spans; trace_free in the end. */
struct trace *trace_gather_start(struct transport *t);

/* Brings all endpoints' spans to the leader, who writes <run_dir>/trace.json. All endpoints. */
enum status trace_gather_end(struct transport *t, const struct trace *own, int lead,
                             const char *run_dir);

#endif
