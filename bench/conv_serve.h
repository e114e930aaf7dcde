/*
 * conv_serve.h - what muster_conv and onednn_conv share: the lines of stdin that ask for the time
 * of one pass of one convolution, and the lines of JSON that answer.
 *
 *     forward 0.1 32 64 32 64 3 1 1      ->      {"calls": 40, "seconds": 0.1003}
 *
 * (pass, seconds, batch, channels, side, filters, kernel, stride, padding; square images)
 */
#ifndef BENCH_CONV_SERVE_H
#define BENCH_CONV_SERVE_H

#include <stdint.h>

struct conv {
    int64_t batch, channels, side, filters, kernel, stride, pad;
};

static inline int64_t conv_out(const struct conv *c)
{
    return (c->side + 2 * c->pad - c->kernel) / c->stride + 1;
}

/* Implemented by either side. */
struct conv_peer;
struct conv_peer *conv_peer_new(const struct conv *c);
void conv_peer_free(struct conv_peer *p);

/* Runs a pass once and answers its seconds; a negative number: there is no such pass. */
double conv_peer_run(struct conv_peer *p, const char *pass);

#endif
