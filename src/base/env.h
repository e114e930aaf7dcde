/*
 * env.h - the environment variables that Muster reads, all of them:
 * MUSTER_DATA, MUSTER_ISA, XDG_DATA_HOME, HOME, NO_COLOR, CLICOLOR_FORCE, TERM, COLUMNS.
 */
#ifndef BASE_ENV_H
#define BASE_ENV_H

const char *env_find(const char *name); /* NULL when unset or empty */

#endif
