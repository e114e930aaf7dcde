/*
 * list.h - the data sets. Adding one: its file with a struct dataset_ops, and its line here.
 */
#ifndef DATA_LIST_H
#define DATA_LIST_H

#include "data/dataset.h"

#define DATASET_LIST(X)   \
    X(mnist_data)         \
    X(fashion_mnist_data) \
    X(kmnist_data)        \
    X(emnist_data)        \
    X(cifar10_data)       \
    X(cifar100_data)      \
    X(imagenet32_data)    \
    X(imagenet64_data)    \
    X(folder_data)        \
    X(csv_data)           \
    X(npz_data)           \
    X(figures_data)       \
    X(noise_data)         \
    X(lidar_data)         \
    X(rooms_data)         \
    X(sine_data)

#define DATASET_DECLARE(symbol) extern const struct dataset_ops symbol;
DATASET_LIST(DATASET_DECLARE)
#undef DATASET_DECLARE

#endif
