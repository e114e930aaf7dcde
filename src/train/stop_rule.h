/*
 * stop_rule.h - train.stop: the quality at which a run ends before its epochs do.
 *
 *     accuracy:0.97, accuracy:97%, loss:0.1     as soon as an evaluation reaches it
 *     plateau:loss,3,0.001                      when 3 evaluations in a row were not better than
 *                                               the best before them by more than 0.001
 *
 * What counts is the run model on the validation part or, without one, on the test part. What a run
 * may cost is its budget (budget.h).
 */
#ifndef TRAIN_STOP_RULE_H
#define TRAIN_STOP_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum stop_kind { STOP_NEVER, STOP_REACHED, STOP_PLATEAU };
enum stop_metric { STOP_LOSS, STOP_ACCURACY };

struct stop_rule {
    enum stop_kind kind;
    enum stop_metric metric;
    double target;    /* of STOP_REACHED */
    int64_t patience; /* of STOP_PLATEAU: evaluations */
    double delta;
};

/* What a rule remembers of the evaluations so far; zero at the start. */
struct stop_memory {
    double best;
    int64_t count;      /* evaluations */
    int64_t since_best; /* those after the best */
    bool is_met;        /* and it stays so */
};

/* Of train.stop; NULL: never. */
enum status stop_rule_read(const char *text, struct stop_rule *rule);

/* The next evaluation. Answers whether the rule is met. */
bool stop_rule_add(const struct stop_rule *rule, struct stop_memory *m, double value);

/* "loss" or "accuracy". */
const char *stop_metric_name(enum stop_metric metric);

#endif
