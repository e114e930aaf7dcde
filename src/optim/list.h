/*
 * list.h - the optimisers, in the order that lists and help show them.
 * Adding one: its file, its line here, its name in CMakeLists.txt.
 */
#ifndef OPTIM_LIST_H
#define OPTIM_LIST_H

#include "optim/optim.h"

#define OPTIM_LIST(X) \
    X(sgd_optim)      \
    X(adam_optim)     \
    X(adamw_optim)    \
    X(lars_optim)     \
    X(lamb_optim)     \
    X(lbfgs_optim)

#define OPTIM_DECLARE(symbol) extern const struct optim_ops symbol;
OPTIM_LIST(OPTIM_DECLARE)
#undef OPTIM_DECLARE

#endif
