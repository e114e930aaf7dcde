/*
 * tracking.h - gradient tracking: every node has an estimate y of the mean gradient of all.
 *
 *     y_i  <-  sum_j W_ij y_j + g_i(new) - g_i(old)          mean(y) = mean(g) at all times
 */
#ifndef ALGO_PARTS_TRACKING_H
#define ALGO_PARTS_TRACKING_H

#include "algo/parts/mixing.h"

/* The vectors and numbers of an algorithm that tracks; its own come behind them. */
enum { TRACKING_Y, TRACKING_G, TRACKING_VECTORS };
enum { TRACKING_STARTED, TRACKING_SLACK, TRACKING_NUMBERS };

/* Before the first round: y = g = grad f_i(x_i), on a batch of its own; or zero. */
enum status tracking_start(struct worker *w, bool init_grads);

/* Sends the neighbours this round's y. Before any state is sent: then whoever has received a
 * neighbour's state need not wait for its y. */
enum status tracking_send(struct worker *w, const struct mixing *m);

/* When the state has moved: a new gradient there, and y follows. */
enum status tracking_follow(struct worker *w, struct mixing *m);

/* The same, node by node: lower-numbered neighbours answer with what they have by now. */
enum status tracking_follow_in_place(struct worker *w, struct mixing *m);

#endif
