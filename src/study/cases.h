/*
 * cases.h - the named cases of a study: `runs` and `baselines`, with `quick` and the flags laid
 * over them.
 */
#ifndef STUDY_CASES_H
#define STUDY_CASES_H

#include "study/study.h"

/* A whole experiment, still with its lists. */
struct study_case {
    char *name;         /* NULL: the study has no cases */
    struct node *root;  /* normalized (sections.h) */
    bool has_own_graph; /* the case itself gives the graph, so that it must be of use */
};

struct study_cases {
    struct study_case *items;
    int64_t count;
};

enum status study_cases_make(struct study_cases *c, const struct node *root,
                             const struct study_options *options);
void study_cases_release(struct study_cases *c);

#endif
