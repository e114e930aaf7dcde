/*
 * share.h - what the first of several processes decides, made known to the others.
 */
#ifndef STUDY_SHARE_H
#define STUDY_SHARE_H

#include "base/status.h"
#include "base/text.h"

/*
 * Runs `decide` in the first process alone and gives its text to all. When it fails, all answer its
 * status. With one process it is just the call.
 */
typedef enum status study_decide(void *context, struct text *decision);
enum status study_share(study_decide *decide, void *context, struct text *decision);

#endif
