/*
 * landscape_losses.h - the loss at many states, one per core at a time.
 */
#ifndef STUDY_LANDSCAPE_LOSSES_H
#define STUDY_LANDSCAPE_LOSSES_H

#include "record/partial_losses.h"
#include "train/build.h"

/* Batches for BatchNorm's statistics at each state: they are measured again, because statistics
 * between two models belong to neither. */
enum { LANDSCAPE_CALIBRATION_BATCHES = 16 };

/* Which states, and on which samples. */
struct landscape_job {
    const struct build *build;
    enum problem_part part;
    int64_t blocks; /* of the part's samples, the first ones */
    int64_t count;  /* states */
    void (*set_parameters)(const void *context, int64_t i, float *canonical);
    const void *context;
    struct partial_losses *partial; /* losses that are known, and where others are added; or NULL */
};

/*
 * Sets part and blocks of a job: the first `asked` samples (0: all), in whole blocks, of the test
 * set, or of what there is without one. *text says which ("1000 test samples of mnist"); mem_free.
 */
enum status landscape_choose_samples(struct landscape_job *job, int64_t asked, char **text);

/* losses[count]; NaN or infinity where the loss is. A signal to stop is STATUS_INTERRUPTED. */
enum status landscape_losses(const struct landscape_job *job, double *losses);

#endif
