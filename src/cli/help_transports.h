/*
 * help_transports.h - `muster help transports`.
 */
#ifndef CLI_HELP_TRANSPORTS_H
#define CLI_HELP_TRANSPORTS_H

#include "base/text.h"
#include "comm/transport_registry.h"

/* A line per transport, and whether this program can open it. */
void help_transports(struct text *out);

/* What to know of one, as sentences: how it is started, what a build needs. Nothing: no text. */
void help_transport_facts(const struct transport_entry *t, struct text *out);

#endif
