/*
 * sections.h - the sections of an experiment before its values are read: what they choose, and how
 * one experiment is laid over another.
 */
#ifndef STUDY_SECTIONS_H
#define STUDY_SECTIONS_H

#include "conf/registry.h"

/* The registry behind a section of an experiment, or NULL. */
const struct registry *section_registry(const char *section);

/* Writes sections that are bare names, or lists of them, as {name: ...}: one form to lay over. */
void sections_normalize(struct node *experiment);

/* What a section chooses: one name, or each of a list. Without a name, what the schema has there.
 */
struct section_names {
    const char **names; /* borrowed; mem_free the array */
    int64_t count;
};
void section_names_find(struct section_names *n, const struct node *section,
                        const struct registry *r);

/*
 * Lays `over` on an experiment, both normalized: maps are merged, all else is replaced; on a list
 * of sections a map is laid over each, unless it names another choice. Where it does, options that
 * the new choice does not have and the old one had are left out: those were the old one's.
 */
void sections_overlay(struct node *base, const struct node *over);

/* Whether a map is laid over each section of a list rather than taking its place; list may be NULL.
 */
bool section_is_for_each(const struct node *list, const struct node *over);

/* Removes the options that none of `chosen` has, and one of `others` has. */
void section_leave_out(struct node *section, const struct registry *r,
                       const struct section_names *chosen, const struct section_names *others);

#endif
