/*
 * sum.h - the arithmetic of a sum: vectors added element by element, in rank order. Every
 * transport adds with this function, so that they agree to the bit.
 */
#ifndef COMM_SUM_H
#define COMM_SUM_H

#include "comm/transport.h"

size_t sum_type_size(enum sum_type type);      /* bytes of one element */
const char *sum_type_noun(enum sum_type type); /* "floats", "doubles", "whole numbers" */

/*
 * out[k][begin .. end) = in[0] + in[1] + ... of the same elements, added from left to right, for
 * every k. An output may be one of the inputs.
 */
struct reduction {
    enum sum_type type;
    int inputs, outputs;
    const void *const *in; /* [inputs] */
    void *const *out;      /* [outputs] */
    int64_t begin, end;
};
void sum_in_order(const struct reduction *r);

/* Memory for a sum under way. A buffer with is_used == false is free to be taken again. */
struct sum_buffer {
    void *data;
    size_t capacity;
    bool is_used;
};
struct sum_buffer *sum_buffer_take(struct sum_buffer *buffers, int count, size_t bytes);
void sum_buffers_release(struct sum_buffer *buffers, int count);

#endif
