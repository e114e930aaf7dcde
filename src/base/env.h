/*
 * env.h - the environment variables that Muster reads, all of them:
 * MUSTER_DATA, MUSTER_MIRROR, MUSTER_ISA, XDG_DATA_HOME, HOME, NO_COLOR, CLICOLOR_FORCE, TERM,
 * COLUMNS; and what a launcher says: OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK, PMIX_RANK,
 * SLURM_STEP_NUM_TASKS.
 */
#ifndef BASE_ENV_H
#define BASE_ENV_H

const char *env_find(const char *name); /* NULL when unset or empty */

#endif
