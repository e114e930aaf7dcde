/*
 * control_kinds.h - the kinds of all control messages, in one list so that no two are the same.
 *
 * Control messages belong to what is around the rounds of an algorithm: they are not counted and
 * take no virtual time (transport.h). Kinds below TRANSPORT_CONTROL are the algorithms' own.
 */
#ifndef COMM_CONTROL_KINDS_H
#define COMM_CONTROL_KINDS_H

#include "comm/transport.h"

enum control_kind {
    CONTROL_DECISION = TRANSPORT_CONTROL, /* a process's text to all: run folder, what to run */
    CONTROL_COUNTERS,                     /* a worker's counters, to the leader */
    CONTROL_EVALUATION,                   /* the quality of a worker's own model, to the leader */
    CONTROL_WORKER_STATE,                 /* a worker's state for a checkpoint, to the leader */
    CONTROL_MODEL_SLICE,                  /* a part of a worker's model, to another worker */
    CONTROL_LINK_BYTES,                   /* what a worker has sent to each other, to the leader */
    CONTROL_MAP,                          /* the map of a worker's own model, to the leader */
    CONTROL_BROKEN_NAMES,                 /* files that an endpoint could not read, to the leader */
    CONTROL_TRACE,                        /* an endpoint's trace, to the leader */
    CONTROL_COMMAND,                      /* to a responder: enum responder_command */
    CONTROL_RESPONDER,                    /* a responder's reply to the leader or to its worker */
    CONTROL_KINDS_END
};

_Static_assert((int)CONTROL_KINDS_END <= (int)TRANSPORT_KINDS, "all kinds are in range");

#endif
