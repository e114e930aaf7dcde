/*
 * tracing.h - trace.json of a run: every endpoint keeps its spans, and the leader writes them all.
 */
#ifndef TRAIN_TRACING_H
#define TRAIN_TRACING_H

#include "comm/trace.h"

/* Starts to keep this endpoint's spans; trace_free in the end. */
struct trace *tracing_start(struct transport *t);

/* Brings all endpoints' spans to the leader, who writes <run_dir>/trace.json. All endpoints. */
enum status tracing_end(struct transport *t, const struct trace *mine, int lead,
                        const char *run_dir);

#endif
