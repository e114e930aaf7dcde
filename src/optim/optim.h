/*
 * optim.h - optimisers: a rule that moves a flat vector, and the flat vectors it remembers.
 *
 * Two kinds. SGD, Adam, AdamW, LARS and LAMB have `update`: one gradient, one step. L-BFGS has
 * `minimize`: it asks for loss and gradient on the same batch as often as it needs. An optimiser
 * sees the table of tensors, so that biases may be treated in another way than weights, and a team
 * of threads, on whose size no bit depends. State is `vectors` flat vectors of the parameters'
 * length and a few numbers, so that a checkpoint can save any optimiser without knowing it: an
 * optimiser whose vectors (those that are not NULL) and numbers are put back continues to the same
 * bits.
 */
#ifndef OPTIM_OPTIM_H
#define OPTIM_OPTIM_H

#include "base/team_pool.h"
#include "conf/registry.h"
#include "kernel/kernel.h"
#include "kernel/tensor.h"

/* What a schedule answers for a step. momentum < 0: the optimiser's own. */
struct optim_rates {
    double lr, momentum;
};

/* Loss and gradient at x, on one fixed batch. */
struct objective {
    enum status (*evaluate)(void *context, const float *x, float *gradient, double *loss);
    void *context;
    struct team_pool *teams; /* for the optimiser, which holds none while evaluate computes; NULL:
                                it computes on the caller's thread */
};

/* Elements [begin, begin + count) of the vector. */
struct optim_range {
    int64_t begin, count;
};

/* Which tensors an option is about: all, or those that are no biases and of no normalization. */
enum optim_tensors { OPTIM_TENSORS_ALL, OPTIM_TENSORS_WEIGHTS };
extern const char *const optim_tensors_names[]; /* all, weights */

enum { OPTIM_NUMBERS_MAX = 512 };
#define OPTIM_STEPS_MAX 9007199254740992.0 /* 2^53: counted in doubles */

struct optim {
    const struct optim_ops *ops;
    const void *options; /* borrowed */
    const struct kernel *kernel;
    struct tensor_layout layout; /* its tensors are borrowed */
    int64_t n;                   /* parameters */
    int vector_count;
    float **vectors; /* [vector_count][n], owned; zero at start; NULL until first needed */
    int scratch_count;
    float **scratch; /* [scratch_count][n], owned; work space of one call, never saved */
    int number_count;
    double *numbers; /* owned; zero at start; what they mean is the optimiser's own */

    /* Of the step that was begun last. */
    struct optim_rates rates;
    bool is_fresh;        /* it made the optimiser's first vector, which is zero */
    float *tensor_scales; /* [tensors], owned: room for a factor of each */
};

/* Adding an optimiser: its file with one of these, and its line in list.h. */
struct optim_ops {
    struct entry entry; /* every optimiser has the field lr */
    /* The most vectors it comes to hold, and how many are only work space; for estimates too. */
    int (*vector_count)(const void *options);
    int (*scratch_count)(const void *options); /* optional: 0 */
    int (*number_count)(const void *options);  /* at most OPTIM_NUMBERS_MAX */
    double (*lr)(const void *options);
    double (*momentum)(
        const void *options); /* what a schedule may cycle: momentum, beta1; optional */
    /* Whether vectors and numbers, which may be from a damaged file, fit each other; optional. */
    bool (*is_sound)(const struct optim *o);
    /* Of those with update, optional: makes vectors and counts the step. Once in a step. */
    void (*begin_step)(struct optim *o);
    /* One of the two. Elements of a range of x, at o->rates; it changes o's vectors there alone. */
    void (*update)(struct optim *o, struct team *team, float *x, const float *g,
                   struct optim_range range);
    /*
     * g is room for a gradient; after the call it holds that of the last evaluation. first_loss is
     * the loss at x as it was given.
     */
    enum status (*minimize)(struct optim *o, float *x, float *g, const struct objective *f,
                            struct optim_rates rates, double *first_loss);
};

extern const struct registry optim_registry; /* sgd, adam, adamw, lars, lamb, lbfgs */

/* For the parameters of this layout, whose tensors are borrowed. */
void optim_init(struct optim *o, const struct choice *chosen, const struct tensor_layout *layout);
void optim_release(struct optim *o);

/* State vector i; made (zeroed) if it is not there yet. Whoever restores a checkpoint uses it. */
float *optim_vector(struct optim *o, int i);

/* Whether its state can be that of an optimiser: numbers are finite, and what they say is there. */
bool optim_is_sound(const struct optim *o);

/* As it was before its first step. */
void optim_reset(struct optim *o);

/*
 * One step of an optimiser that has `update`. team: threads for vectors that are long enough; NULL:
 * the caller's alone.
 */
void optim_update(struct optim *o, struct team *team, float *x, const float *g,
                  struct optim_rates rates);

/*
 * The same in parts, as ranges of the gradient become known: optim_begin_step, and then ranges of
 * whole tensors that together are the vector once, in any order. x and g are the whole vectors.
 * Clipping by the norm needs the whole gradient first.
 */
void optim_begin_step(struct optim *o, struct optim_rates rates);
void optim_update_range(struct optim *o, struct team *team, float *x, const float *g,
                        struct optim_range range);

/* One step of an optimiser that has `minimize`. */
enum status optim_minimize(struct optim *o, float *x, float *g, const struct objective *f,
                           struct optim_rates rates, double *first_loss);

/*
 * Scales g so that its L2 norm is at most `limit` (0: off), as torch's clip_grad_norm_: by
 * limit / (norm + 1e-6). Returns the norm before; a norm of NaN leaves g alone. It is one sum, on
 * the caller's thread.
 */
double optim_clip(const struct kernel *k, float *g, int64_t n, double limit);

#endif
