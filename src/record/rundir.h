/*
 * rundir.h - the run directory: the top folder of a run or a study, and the files that describe it.
 *
 *     runs/<date>_<time>_<name>/     experiment.yaml, effective.yaml, environment.json, log.txt
 *       <run_name>/                  metrics.jsonl, events.out.tfevents.*, model.safetensors,
 *                                    checkpoints/
 */
#ifndef RECORD_RUNDIR_H
#define RECORD_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

#define RUNDIR_PARENT "runs" /* where top folders are made */

/*
 * Makes the top folder: `out` itself when given (it must be new or empty), else
 * runs/<date>_<time>_<name>, with _2, _3 ... when that exists. The name is made safe for a file.
 */
enum status rundir_make(const char *out, const char *name, char **folder);

/* Whether a folder is new or empty, but for a lock (base/lock.h) and files left half-written. */
enum status rundir_check(const char *out);

/* <parent>/<date>_<time>_<name>, in the same way; <parent>/latest points to it (latest_run.h). */
enum status rundir_make_in(const char *parent, const char *name, char **folder);

/*
 * Makes <top_dir>/<run_name>/checkpoints and returns <top_dir>/<run_name>; fine when it
 * exists (a resumed run). The name is made safe for a file.
 */
enum status rundir_make_run(const char *top_dir, const char *run_name, char **folder);

/* Makes one folder that is both the top folder and the run's, as a study has for each of its runs;
 * fine when it exists. */
enum status rundir_make_flat(const char *folder);

/* A name as a file may have it, without what needs quotes in a shell, cut at RUNDIR_NAME_MAX or at
 * another length; mem_free. */
enum { RUNDIR_NAME_MAX = 80 };
char *rundir_safe_name(const char *name);
char *rundir_safe_text(const char *name, size_t length);

/* Names, in their order once listed. Zeroed it is empty. */
struct rundir_names {
    int64_t count, capacity;
    char **items;
};
void rundir_names_add(struct rundir_names *n, const char *name);
void rundir_names_text(const struct rundir_names *n, struct text *out); /* "a, b and 7 more" */
void rundir_names_release(struct rundir_names *n);

/*
 * environment.json: version, build (compiler, flags), machine (host, kernel, CPU, cores, memory),
 * ISA, threads, workers, transport, hash of the partition, date, command line.
 */
struct rundir_environment {
    const char *isa;
    int threads; /* of each worker */
    int workers;
    const char *transport;
    uint64_t partition_hash;
    int argc;
    char *const *argv;
};
enum status rundir_write_environment(const char *top_dir, const struct rundir_environment *e);

/* What is read of it; owned, and NULL or 0 where it says nothing. */
struct rundir_facts {
    char *version, *host, *cpu, *isa, *transport, *partition_hash, *date;
    int64_t cores, threads, workers;
    struct rundir_names command_line;
};
enum status rundir_read_environment(const char *top_dir, struct rundir_facts *f);
void rundir_facts_release(struct rundir_facts *f);

/*
 * Finds what a user means by RUN: a top folder with one run (its run folder is returned), a run
 * folder, or an error that lists the runs inside. *top_dir gets the folder above, or the
 * run folder itself where it is both. Both mem_free.
 */
enum status rundir_find(const char *path, char **run, char **top_dir);

/* Whether a folder holds the files of a run. */
bool rundir_is_run(const char *folder);

/* Adds the names of the folders inside that pass `test`. */
enum status rundir_folders(const char *folder, bool (*test)(const char *path),
                           struct rundir_names *names);

/*
 * All runs that a user means: a run folder, or every run folder inside, of a study those that
 * belong to it as it is now (listed_runs.h). A zeroed list is empty.
 */
struct rundir_list {
    char **paths;
    int64_t count;
};
enum status rundir_list_add(struct rundir_list *l, const char *path);
void rundir_list_add_file(struct rundir_list *l, const char *path); /* which is no run */
void rundir_list_release(struct rundir_list *l);

/* Sweeps the files that a killed run left half-written (<name>.<pid>.tmp) in this folder. */
void rundir_sweep(const char *folder);

#endif
