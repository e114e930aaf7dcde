/*
 * metric.h - the metrics that the training loop records, in one list.
 *
 * Names are the keys of metrics.jsonl and the tags of TensorBoard; docs/reference/formats.md
 * explains each, and a test compares that page with this list. A problem may bring metrics of its
 * own: they are not in the list, and rows take any name.
 */
#ifndef RECORD_METRIC_H
#define RECORD_METRIC_H

/* clang-format off */
/* X(constant, name, which is better) */
#define METRIC_LIST(X)                                                             \
    X(TRAIN_LOSS,                     "train_loss",                     LOWER)     \
    X(TRAIN_ACCURACY,                 "train_accuracy",                 HIGHER)    \
    X(TRAIN_ACCURACY5,                "train_accuracy5",                HIGHER)    \
    X(TRAIN_LOSS_MOVING,              "train_loss_moving",              LOWER)     \
    X(FORWARD_PASSES,                 "forward_passes",                 NEITHER)   \
    X(VALIDATION_LOSS,                "validation_loss",                LOWER)     \
    X(VALIDATION_ACCURACY,            "validation_accuracy",            HIGHER)    \
    X(VALIDATION_ACCURACY5,           "validation_accuracy5",           HIGHER)    \
    X(TEST_LOSS,                      "test_loss",                      LOWER)     \
    X(TEST_ACCURACY,                  "test_accuracy",                  HIGHER)    \
    X(TEST_ACCURACY5,                 "test_accuracy5",                 HIGHER)    \
    X(TEST_LOSS_MEAN,                 "test_loss_mean",                 LOWER)     \
    X(TEST_LOSS_MIN,                  "test_loss_min",                  LOWER)     \
    X(TEST_LOSS_MAX,                  "test_loss_max",                  LOWER)     \
    X(TEST_ACCURACY_MEAN,             "test_accuracy_mean",             HIGHER)    \
    X(TEST_ACCURACY_MIN,              "test_accuracy_min",              HIGHER)    \
    X(TEST_ACCURACY_MAX,              "test_accuracy_max",              HIGHER)    \
    X(BATCH_LOSS,                     "batch_loss",                     LOWER)     \
    X(BATCH_ACCURACY,                 "batch_accuracy",                 HIGHER)    \
    X(BATCH_ACCURACY5,                "batch_accuracy5",                HIGHER)    \
    X(LR,                             "lr",                             NEITHER)   \
    X(WEIGHT_NORM,                    "weight_norm",                    NEITHER)   \
    X(GRADIENT_NORM,                  "gradient_norm",                  NEITHER)   \
    X(CONSENSUS_ERROR,                "consensus_error",                LOWER)     \
    X(CONSENSUS_ERROR_MIN,            "consensus_error_min",            LOWER)     \
    X(CONSENSUS_ERROR_MAX,            "consensus_error_max",            LOWER)     \
    X(CONSENSUS_ERROR_NORMALIZED,     "consensus_error_normalized",     LOWER)     \
    X(CONSENSUS_ERROR_NORMALIZED_MIN, "consensus_error_normalized_min", LOWER)     \
    X(CONSENSUS_ERROR_NORMALIZED_MAX, "consensus_error_normalized_max", LOWER)     \
    X(STALENESS,                      "staleness",                      NEITHER)   \
    X(STALENESS_MAX,                  "staleness_max",                  NEITHER)
/* clang-format on */

enum metric_id {
#define METRIC_CONSTANT(constant, name, better) METRIC_##constant,
    METRIC_LIST(METRIC_CONSTANT)
#undef METRIC_CONSTANT
        METRIC_COUNT
};

/* A worker beyond this in a file is damage, and would take memory. */
enum { METRIC_WORKERS_MAX = 1 << 20 };

enum metric_better { METRIC_LOWER, METRIC_HIGHER, METRIC_NEITHER };

struct metric_entry {
    const char *name;
    enum metric_better better;
};
extern const struct metric_entry metric_list[METRIC_COUNT];

static inline const char *metric_name(enum metric_id id)
{
    return metric_list[id].name;
}

#endif
