/*
 * run_facts.h - what a run was: settings, machine, commands, starts and warnings, as HTML.
 */
#ifndef REPORT_RUN_FACTS_H
#define REPORT_RUN_FACTS_H

#include "record/record.h"

/* Of one run, closed until it is clicked. */
void run_facts_html(const struct record *r, struct text *out);

/* The lines of log.txt of the folder that are warnings, without time and worker; "" if none. */
void run_facts_warnings(const char *folder, struct text *out);

/* A file as it is, in an element that opens by a click; nothing if it does not exist. */
void run_facts_file(const char *folder, const char *name, const char *title, struct text *out);

#endif
