/*
 * event_tags.h - under which tags TensorBoard gets the numbers of a row.
 */
#ifndef RECORD_EVENT_TAGS_H
#define RECORD_EVENT_TAGS_H

#include <stdbool.h>

struct metric_row;

enum event_tag_set {
    EVENT_TAGS_MUSTER, /* "train/loss", "test/accuracy", "lr" */
    EVENT_TAGS_S004,   /* "Loss/train", "Accuracy/Val", those of study S004 */
};

struct event_style {
    enum event_tag_set tags;
    bool has_classes; /* there is an accuracy */
};

enum { EVENT_TAG_MAX = 96, EVENT_SCALARS_MAX = 40 };

struct event_scalars {
    int count;
    struct {
        char tag[EVENT_TAG_MAX];
        double value;
    } items[EVENT_SCALARS_MAX];
};

/*
 * Muster's tags are the names of metrics, with a slash after train, validation and test, and
 * "worker_N/" before those of one worker of several.
 *
 * S004's are for the run as a whole. Loss/train and Accuracy/train are means over the epoch so far,
 * at every logged row and at the end of an epoch; Loss/Val and Accuracy/Val are of the validation
 * samples, or of the test samples without a validation split. Accuracies are in percent, as in
 * the study. Metrics that S004 has no name for keep that of Muster.
 */
void event_tags_of_row(struct event_scalars *scalars, const struct metric_row *row,
                       const struct event_style *style);

/* The tag of a metric of the last evaluation: "test_loss", "validation_accuracy". */
void event_tags_of_metric(char tag[EVENT_TAG_MAX], const char *name, bool has_validation,
                          const struct event_style *style);

#endif
