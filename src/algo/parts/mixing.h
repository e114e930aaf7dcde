/*
 * mixing.h - what graph algorithms are made of: a node's exchange with its neighbours, and the
 * weighted sum of what they say.
 *
 *     lag_i = sum_j W_ij (x_j - x_i)                W x = x + lag
 *
 * Sums are of differences, not of values: then nodes that agree stay where they are to the bit, and
 * with symmetric weights what one node gains another loses, so that rounding does not move the
 * mean. All is Jacobi: every neighbour's value of a round is read before the next is written.
 */
#ifndef ALGO_PARTS_MIXING_H
#define ALGO_PARTS_MIXING_H

#include "algo/parts/invariant.h"
#include "graph/topology.h"

/* What is sent: one kind per quantity, so that a round may send several before it receives. */
enum mixing_kind { MIXING_STATE = 1, MIXING_TRACKER, MIXING_PUSH, MIXING_CODE, MIXING_COUNTS };

/* Coefficients of the parameters' sum. Buffers are always mixed by W. */
enum mixing_weights {
    MIXING_BY_MATRIX, /* W_ij */
    MIXING_BY_ONE,    /* 1 for every neighbour */
};

/* Who is sent to: in the order "in place" the lower-numbered before the mixing, the others after
 * it.
 */
enum mixing_side { MIXING_ALL, MIXING_LOWER, MIXING_HIGHER };

/* A node's part in the exchange. Nothing in it lasts from one round to the next, but what a check
 * remembers. */
struct mixing {
    struct neighbourhood near;  /* of this round */
    int64_t params;             /* parameters, and what of a state is mixed: */
    int64_t count;              /* the buffers too if statistics are averaged */
    float *lag;                 /* [count], of scratch: from mixing_receive until mixing_end_lag */
    struct invariant_past past; /* of what the algorithm keeps at zero over all nodes */
    bool keeps_mean;            /* no message is lost in one direction only, or it is not used */
    bool is_confirmed;          /* the lag is over neighbours that have received from this node */
    int used;                   /* neighbours in the lag */
};

/* What is exchanged: x[count], at most a state. */
struct mixing_vector {
    enum mixing_kind kind;
    const float *x;
    int64_t count;
};

void mixing_init(struct mixing *m, const struct worker *w);

/* The same where a worker's memory is this and nothing else: ready-made `begin` and `end`. */
enum status mixing_begin(struct worker *w);
void mixing_end(struct worker *w);

/* Finds this round's neighbours: first thing in a round. */
void mixing_find_neighbours(struct mixing *m, const struct worker *w);

/* Sends to the neighbours; never waits. */
enum status mixing_send(const struct mixing *m, struct worker *w, const struct mixing_vector *v,
                        enum mixing_side side);

/*
 * Waits for the neighbours' vectors of this kind, if the worker is to wait before it computes a
 * gradient and not after (scratch.h): there are many workers for each core, and no delays, which
 * must overlap. Else does nothing: mixing_receive waits. Other workers use the core meanwhile, and
 * what is computed is the same.
 */
enum status mixing_await(const struct mixing *m, struct worker *w, enum mixing_kind kind);

/*
 * Receives from all neighbours, in rank order, and makes lag[count], which is scratch. With
 * `is_confirmed` it leaves out those that did not get this node's vector, which a bit of
 * acknowledgement tells: then both ends of a link use it, or neither does.
 */
enum status mixing_receive(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                           enum mixing_weights weights);

/* Parts of it: the vector of one neighbour, in `place` if it cannot be borrowed until
 * transport_give_back; and whether it is used. */
enum status mixing_receive_one(struct worker *w, const struct mixing_vector *v, int from,
                               float *place, const float **x);
bool mixing_uses(const struct mixing *m, int neighbour);

/* An empty lag[count], to which neighbours are added in rank order. */
struct mixing_neighbour {
    const float *x;
    double weight; /* W_ij */
    enum mixing_weights weights;
};
void mixing_start_lag(struct mixing *m, struct worker *w, int64_t count);
void mixing_add_neighbour(struct mixing *m, const struct mixing_vector *v,
                          const struct mixing_neighbour *n);

/* The same where all were sent to at once. Under --paranoid the lags of all nodes must add up to
 * zero, unless messages are lost one way: mixing preserves the mean. */
enum status mixing_collect(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                           enum mixing_weights weights);

/* Gives the lag back, when it has been used: before the worker waits again. */
void mixing_end_lag(struct mixing *m, struct worker *w);

/* state[count] <- state + lag, and mixing_end_lag: mixing by W. */
enum status mixing_apply(struct mixing *m, struct worker *w);

/* Duals p, which gain `factor` times the lag of the state in a round. */
struct mixing_duals {
    const float *p; /* [params] */
    double factor;
    int64_t *number; /* the slack of all rounds (invariant_check_kept) */
};

/* Under --paranoid: those of all nodes add up to zero, as above. After they have moved. */
enum status mixing_check_duals(struct worker *w, struct mixing *m, const struct mixing_duals *d);

/* mixing_send to all, and mixing_collect. */
enum status mixing_exchange(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                            enum mixing_weights weights);

/*
 * mixing_exchange of the worker's state, and a gradient there. Parameters, which the gradient
 * leaves alone, travel while it is computed; running statistics, which it moves, are sent after it,
 * and the worker then holds its gradient while it waits.
 */
enum status mixing_exchange_state(struct mixing *m, struct worker *w, enum mixing_weights weights,
                                  enum status (*gradient)(struct worker *w));

/* The vector of a state's mixed part. */
struct mixing_vector mixing_state(const struct mixing *m, const float *state);

/* x[count] <- x + a y */
void mixing_add(const struct worker *w, float *x, double a, const float *y, int64_t count);

/* lag[count] += coefficient (other - x): one neighbour's part. */
void mixing_accumulate(float *lag, double coefficient, const float *other, const float *x,
                       int64_t count);

/* The gradient of the worker's next batch, clipped if asked for; zero for an empty batch. */
enum status mixing_gradient(struct worker *w);

/* For algo_ops.one_way: ALGO_ONE_WAY_BIASED, whatever the options. */
enum algo_one_way mixing_one_way(const void *options);

/*
 * For rules that have a step of their own: refuses an optimiser that would not be a plain step
 * along the gradient, since nobody would use its momentum or weight decay.
 */
enum status mixing_check_plain(const struct algo_setting *s);

#endif
