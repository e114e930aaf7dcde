/*
 * single.h - the round of one worker, which is also what other algorithms do when there is one.
 */
#ifndef ALGO_METHODS_SINGLE_H
#define ALGO_METHODS_SINGLE_H

#include "algo/algo.h"

enum status single_round(struct worker *w);

#endif
