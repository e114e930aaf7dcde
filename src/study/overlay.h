/*
 * overlay.h - the sections of a run's settings before their values are read: what they choose, and
 * how one tree is overlaid on another.
 */
#ifndef STUDY_OVERLAY_H
#define STUDY_OVERLAY_H

#include "conf/registry.h"

/* The registry of a section, or NULL. "algorithm.outer" is a section that is an option of some
 * algorithm. */
const struct registry *overlay_registry(const char *section);

/* Writes sections that are bare names, or lists of them, as {name: ...}: one form to overlay. */
void overlay_normalize(struct node *settings);

/* What a section chooses: one name, or each of a list. Without a name, what the schema has there.
 */
struct overlay_choices {
    const char **names; /* borrowed; mem_free the array */
    int64_t count;
};
void overlay_choices_find(struct overlay_choices *n, const struct node *section,
                          const struct registry *r);

/*
 * Overlays `over` on settings, both normalized: maps are merged, everything else is replaced; a map
 * is overlaid on each section of a list, unless it names another choice. Where it does, options
 * that the new choice does not have and the old one had are left out: those were the old one's.
 * The same holds for sections inside a section. An empty map replaces a section by its defaults:
 * `delays: {}` is no delays, and `algorithm: {outer: {}}` no outer optimiser.
 */
void overlay_apply(struct node *base, const struct node *over);

/* Whether a map is overlaid on each section of a list rather than replacing it; list may be NULL.
 */
bool overlay_is_for_each(const struct node *list, const struct node *over);

/* Removes the options that none of `chosen` has, and one of `others` has. */
void overlay_drop_options(struct node *section, const struct registry *r,
                          const struct overlay_choices *chosen,
                          const struct overlay_choices *others);

#endif
