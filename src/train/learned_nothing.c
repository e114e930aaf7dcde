/*
 * learned_nothing.c - compares the result of a run with the best answer that depends on no input.
 */
#include "train/learned_nothing.h"

#include "base/log.h"

/* Of the run model, or the mean over the nodes where each has its own. */
static struct worker_report outcome_quality(const struct run_outcome *o)
{
    const struct run_report *report = &o->report;
    struct worker_report mean = {0};

    if (!o->nodes_differ || report->per_worker == NULL)
        return (struct worker_report){.test_loss = report->test_loss,
                                      .test_accuracy = report->test_accuracy};
    for (int i = 0; i < o->workers; i++) {
        mean.test_loss += report->per_worker[i].test_loss / o->workers;
        mean.test_accuracy += report->per_worker[i].test_accuracy / o->workers;
    }
    return mean;
}

void learned_nothing_warn(const struct run_outcome *o)
{
    const struct worker_report quality = outcome_quality(o);
    const double accuracy = quality.test_accuracy, loss = quality.test_loss;

    if (accuracy <= o->chance)
        log_warning("the test accuracy of %.2f %% is no better than always answering the same "
                    "class (%.2f %%)",
                    100 * accuracy, 100 * o->chance);
    if (o->base_loss > 0 && loss >= o->base_loss)
        log_warning("the test loss of %.4g is no better than always answering the same number "
                    "(%.4g)",
                    loss, o->base_loss);
}
