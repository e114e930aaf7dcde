/*
 * range.h - all values of an option between two limits, "0.0001..0.1", from which a random search
 * draws.
 *
 * "log:" before the limits draws on a logarithmic scale, "linear:" evenly. Without either, learning
 * rates are drawn on a logarithmic scale and other options evenly.
 */
#ifndef STUDY_RANGE_H
#define STUDY_RANGE_H

#include "conf/node.h"

struct range {
    double low, high; /* low < high */
    bool is_log, is_whole;
};

/* Whether the value is a range: of this form, at an option whose values are numbers, other than
 * seed and folds. section NULL: the key is one of the top. */
bool range_is(const struct node *value, const char *section, const char *key);

/* Reads one. */
enum status range_read(struct range *r, const struct node *value, const char *section,
                       const char *key);

/* The value at a place from 0 to below 1, with 3 significant digits; mem_free. */
char *range_value(const struct range *r, double place);

/* An error if the value is a range, but what it belongs to repeats a case. */
enum status range_check_repetition(const struct node *value, const char *section, const char *key);

#endif
