/*
 * support.h - what several layers need: messages, tensors, cutting work over the team, and sums by
 * slices of samples. Only layers include it.
 */
#ifndef NN_LAYERS_SUPPORT_H
#define NN_LAYERS_SUPPORT_H

#include "nn/list.h"

/* Items begin .. end-1 of whatever is cut. */
struct item_range {
    int64_t begin, end;
};

/* FAIL(STATUS_BAD_INPUT) with the layer's name and kind before the message: "conv2 (conv2d): ". */
enum status layer_fail(const struct layer *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* FAILs "<what> an input of 16x3x3" in the same form. */
enum status layer_fail_shape(const struct layer *l, const char *what, struct shape s);

/* Appends a vector tensor of `count` elements, "<layer>.<suffix>"; the rest is the caller's. */
struct tensor *layer_add_tensor(struct layer *l, const char *suffix, enum tensor_kind kind,
                                int64_t count);

/*
 * Appends weights W[K][out], K = (y, x, channel) of `from`, and if asked biases, both uniform on
 * +-1/sqrt(K). Answers the weights, so that the caller may choose another start.
 */
struct tensor *layer_add_weights(struct layer *l, struct shape from, int64_t out, bool bias);

/* This thread's own scratch: scratch_per_thread floats. */
float *layer_scratch(const struct layer_pass *p, int thread);

/*
 * Runs body(context, thread, begin, end) over contiguous parts of `pieces`, one per thread of the
 * team; a pass with little to do stays on this thread.
 */
typedef void layer_body(const void *context, int thread, int64_t begin, int64_t end);
void layer_split(const struct layer_pass *p, int64_t pieces, layer_body *body, const void *context);

/*
 * The same for a body that loses nothing when it is called several times: a part's end may be
 * computed by another thread that has finished its own, since cores are never equally fast.
 */
void layer_share(const struct layer_pass *p, int64_t pieces, layer_body *body, const void *context);

/*
 * sums[c] = the sum over samples and rows of x[batch][rows][channels], in double, by slices of
 * samples that are added in order. parts has room for layer_slices(batch) * channels.
 */
struct slice_sums {
    double *sums, *parts;
    const float *x;
    int64_t rows, channels;
};
void layer_sum_slices(const struct layer_pass *p, const struct slice_sums *s);

/* parts[first slice] + ... in order, into sums. */
void layer_add_slices(const struct layer_pass *p, const struct slice_sums *s);

/* Floats of `arrays` double arrays [slices][channels] with room for one array [channels] more. */
int64_t layer_slice_floats(int64_t batch, int64_t channels, int64_t arrays);
/* The same as what a plan declares: per sample and fixed; never less than the above. */
void layer_plan_slices(struct layer *l, int64_t channels, int64_t arrays);

/* Rows of K floats that a product takes at once: enough to reuse a panel, few enough for cache. */
int64_t layer_row_chunk(int64_t k);

#endif
