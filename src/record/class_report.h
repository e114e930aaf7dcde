/*
 * class_report.h - the report per class of a classifier, from its confusion matrix.
 *
 *     precision = TP / (TP + FP)    recall = TP / (TP + FN)    F1 = 2 TP / (2 TP + FP + FN)
 *
 * each 0 where the denominator is. The macro average is the mean over all classes, the weighted one
 * counts each class by its support (the samples that have this label). The conventions are those of
 * scikit-learn's classification_report with zero_division=0.
 */
#ifndef RECORD_CLASS_REPORT_H
#define RECORD_CLASS_REPORT_H

#include <stdint.h>

#include "base/json.h"
#include "base/text.h"

struct class_scores {
    double precision, recall, f1;
    int64_t support;
};

struct class_report {
    int64_t count;
    struct class_scores *scores;         /* [count] */
    struct class_scores macro, weighted; /* their support is that of all classes */
    double accuracy;                     /* 0 without samples */
};

/* confusion[count][count]: samples by true label (row) and answer (column). */
void class_report_init(struct class_report *c, const int64_t *confusion, int64_t count);
void class_report_release(struct class_report *c);

/*
 * An aligned table: a line per class, then accuracy and both averages. names[count], or NULL for
 * numbers.
 */
void class_report_table(const struct class_report *c, const char *const *names, struct text *out);

/*
 * {"accuracy": , "macro": {...}, "weighted": {...}, "classes": [{"name": , "precision": , "recall":
 * , "f1": , "support": }, ...]} as the value of `key` (NULL in a list or at the top).
 */
void class_report_json(const struct class_report *c, const char *const *names, struct json *j,
                       const char *key);

#endif
