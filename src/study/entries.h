/*
 * entries.h - the named entries of a study, in `runs` and `baselines`, overlaid with `quick` and
 * the flags.
 */
#ifndef STUDY_ENTRIES_H
#define STUDY_ENTRIES_H

#include "study/study.h"

/* Full settings, still with their lists. */
struct study_entry {
    char *name;         /* NULL: the study has no entries */
    struct node *root;  /* normalized (overlay.h) */
    bool has_own_graph; /* the entry itself gives the graph, so that it must be needed */
};

struct study_entries {
    struct study_entry *items;
    int64_t count;
};

enum status entries_make(struct study_entries *c, const struct node *root,
                         const struct study_options *options);
void entries_release(struct study_entries *c);

#endif
