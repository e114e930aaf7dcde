/*
 * table.c - the list of one instruction set's functions.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/tables.h"

#define TEXT(name)    #name
#define TEXT_OF(name) TEXT(name)

const struct kernel KERNEL(kernel) = {
    .isa = TEXT_OF(KERNEL_ISA),
    .panel_product = KERNEL(panel_product),
    .panel_gradient = KERNEL(panel_gradient),
    .panel_transpose = KERNEL(panel_transpose),
    .relu = KERNEL(relu),
    .relu_back = KERNEL(relu_back),
    .tanh = KERNEL(tanh),
    .tanh_back = KERNEL(tanh_back),
    .sigmoid = KERNEL(sigmoid),
    .sigmoid_back = KERNEL(sigmoid_back),
    .sine = KERNEL(sine),
    .sine_back = KERNEL(sine_back),
    .exp = KERNEL(exp),
    .log = KERNEL(log),
    .add = KERNEL(add),
    .multiply = KERNEL(multiply),
    .axpy = KERNEL(axpy),
    .scale = KERNEL(scale),
    .dot = KERNEL(dot),
    .sum_abs = KERNEL(sum_abs),
    .max_abs = KERNEL(max_abs),
    .column_sums = KERNEL(column_sums),
    .column_squares = KERNEL(column_squares),
    .column_products = KERNEL(column_products),
    .column_affine = KERNEL(column_affine),
    .column_affine2 = KERNEL(column_affine2),
    .max_pool = KERNEL(max_pool),
    .max_pool_back = KERNEL(max_pool_back),
    .avg_pool = KERNEL(avg_pool),
    .avg_pool_back = KERNEL(avg_pool_back),
    .softmax_nll = KERNEL(softmax_nll),
    .sgd = KERNEL(sgd),
    .adam = KERNEL(adam),
};
