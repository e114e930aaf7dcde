/*
 * study_command.h - runs a study for a command and prints the comparison: what `muster run`,
 * `muster compare`, `muster search` and `muster reproduce` have in common.
 */
#ifndef CLI_STUDY_COMMAND_H
#define CLI_STUDY_COMMAND_H

#include "cli/milestone_flags.h"
#include "cli/train_flags.h"
#include "study/runner.h"
#include "study/search_options.h"
#include "study/study.h"

/* A row for the flag table of a command that runs several. */
#define JOBS_FLAG(group)                                                                        \
    {                                                                                           \
        "jobs", NULL, "N",                                                                      \
            "run N at a time, each in a process with its share of the cores (0: one per core)", \
            group                                                                               \
    }

/* Rows for a flag table, behind TRAIN_FLAGS. */
#define STUDY_FLAGS                                                                             \
    {"list", NULL, NULL, "list the names of all runs without running them", "Many runs"},       \
        JOBS_FLAG(NULL),                                                                        \
        {"only", NULL, "NAME,...", "run only these cases or runs; * matches any text", NULL},   \
        MILESTONE_FLAGS,                                                                        \
    {                                                                                           \
        "csv", NULL, "[=FILE]",                                                                 \
            "print the table as CSV, or write it to FILE (results.csv is always written)", NULL \
    }

/* What a command hands over. */
struct study_call {
    const struct flags *flags;
    const struct node *root; /* the study's tree, without what flags set */
    const struct node *over; /* what the flags set; NULL: nothing */
    const char *name;        /* of a study that has none */
    const char *given;       /* for experiment.yaml; NULL: leave what is there */
    const char *out;         /* NULL: as --out says */
    bool is_search;          /* the best case is wanted, by its folds */
    bool is_from_flags;      /* the tree has what flags set, and nothing else */
    int argc;
    char **argv;
};

/* A flag of one entry, "--local-sgd.period", needs a run that has chosen it. */
enum status study_command_check_entries(const struct study *s, const struct flags *f);

/* --jobs as a number, 1 where it is not given; an error under a launcher. */
enum status study_command_jobs(const struct flags *f, int *jobs);

/* How to search: the section of the file (may be NULL), overridden by --random and --halving. */
enum status study_command_search(const struct flags *f, const struct node *section,
                                 struct search_options *o);

/* The report of a study that has run, or NULL (end_report.h); count: of its runs. */
char *study_report(const struct flags *f, const struct runner_outcome *o, int64_t count);

/* Makes the study, checks all of it, runs it, and prints the result on stdout. */
enum status study_command_run(const struct study_call *call);

/* The same of an experiment file; what is missing in the call is filled in. */
enum status study_command_run_file(const char *path, const struct flags_spec *spec,
                                   struct study_call *call);

#endif
