/*
 * broadcast.h - the first of several processes decides, and sends its decision to the others.
 */
#ifndef STUDY_BROADCAST_H
#define STUDY_BROADCAST_H

#include "base/status.h"
#include "base/text.h"

/*
 * Runs `decide` in the first process alone and sends its text to all. When it fails, all return its
 * status. With one process it is just the call.
 */
typedef enum status broadcast_decide(void *context, struct text *decision);
enum status broadcast_decision(broadcast_decide *decide, void *context, struct text *decision);

#endif
