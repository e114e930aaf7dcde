/*
 * parts.h - a vector by its tensors: which elements are weights, and who updates which of them;
 * private to optim/.
 */
#ifndef OPTIM_PARTS_H
#define OPTIM_PARTS_H

#include "optim/optim.h"

/* Elements of one tensor. A state without a table of tensors is one weight. */
struct optim_part {
    int64_t begin, count; /* in the vector */
    int tensor;           /* its row in the table; 0 without one */
    bool is_weight;       /* not a bias, nor a parameter of a normalization */
};

typedef void optim_part_body(void *context, const struct optim_part *part);

/* body for parts that together are the range, shared by the team: a tensor may come in several
 * parts, of which each thread has some. */
void parts_for_each(const struct optim *o, struct team *team, struct optim_range range,
                    optim_part_body *body, void *context);

/* The same where all tensors are treated alike: parts are as long as they can be, because short
 * ones that begin anywhere take twice the time. Each counts as a weight. */
void parts_for_alike(struct team *team, struct optim_range range, optim_part_body *body,
                     void *context);

/* body for each tensor of the range, in order, on this thread. The range must be whole tensors. */
void parts_for_tensors(const struct optim *o, struct optim_range range, optim_part_body *body,
                       void *context);

/* How many tensors the parameters are, at least 1. */
int parts_tensor_count(const struct optim *o);

#endif
