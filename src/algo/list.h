/*
 * list.h - the list of training algorithms. Adding one: its file, and its line here.
 */
#ifndef ALGO_LIST_H
#define ALGO_LIST_H

#include "algo/algo.h"

#define ALGO_LIST(X)        \
    X(single_algo)          \
    X(solo_algo)            \
    X(sync_algo)            \
    X(ps_sync_algo)         \
    X(ps_async_algo)        \
    X(hogwild_algo)         \
    X(psgd_algo)            \
    X(local_sgd_algo)       \
    X(fedavg_algo)          \
    X(fedprox_algo)         \
    X(scaffold_algo)        \
    X(dsgd_algo)            \
    X(dsgt_algo)            \
    X(extra_algo)           \
    X(exact_diffusion_algo) \
    X(next_algo)            \
    X(cadmm_algo)           \
    X(dinno_algo)           \
    X(ramen_algo)           \
    X(udon_algo)            \
    X(prox_pda_algo)        \
    X(choco_algo)           \
    X(sgp_algo)             \
    X(ad_psgd_algo)

#define ALGO_DECLARE(symbol) extern const struct algo_ops symbol;
ALGO_LIST(ALGO_DECLARE)
#undef ALGO_DECLARE

#endif
