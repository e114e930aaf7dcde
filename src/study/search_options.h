/*
 * search_options.h - the section `search` of an experiment file: that it is a search for the best
 * case, and how it searches.
 */
#ifndef STUDY_SEARCH_OPTIONS_H
#define STUDY_SEARCH_OPTIONS_H

#include <stdbool.h>

#include "conf/field.h"

struct search_options {
    int64_t random;  /* cases to try, chosen at random; 0: all */
    int64_t halving; /* the factor of successive halving; 0: all cases train all epochs */
};

extern const struct field search_fields[];

/* The section; what is not given takes its default. NULL and null are no section. */
enum status search_options_read(struct search_options *o, const struct node *section);

/* The section that reads as these options; node_free. */
struct node *search_options_section(const struct search_options *o);

#endif
