/*
 * list.h - the list of problems. Adding one: its file, and its line here.
 */
#ifndef PROBLEM_LIST_H
#define PROBLEM_LIST_H

#include "problem/problem.h"

#define PROBLEM_LIST(X)   \
    X(supervised_problem) \
    X(quadratic_problem)

#define PROBLEM_DECLARE(symbol) extern const struct problem_ops symbol;
PROBLEM_LIST(PROBLEM_DECLARE)
#undef PROBLEM_DECLARE

#endif
