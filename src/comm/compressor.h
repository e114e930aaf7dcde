/*
 * compressor.h - lossy messages: fewer bytes than the vector has, and how a receiver reads them.
 *
 * All are contractions: |v - Q(v)|^2 <= (1 - delta) |v|^2, for random ones on average. Every
 * message of a compressor has the same size.
 *
 *                                                                          delta
 *     none      v itself                                                   1
 *     topk      the k largest, each with its number                        k / d
 *     randomk   k at random; both ends draw which, so no numbers are sent  k / d
 *     sign      per tensor the mean of |v|, and one bit per value          |v|_1^2 / (d |v|^2)
 *     qsgd      |v|, and per value its sign and one of s + 1 levels,       1 / (1 + w)
 *               rounded at random so that the mean is right, all divided
 *               by 1 + w
 *
 * with w = min(d / s^2, sqrt(d) / s) and s = 2^bits - 1.
 *
 * Stich, Cordonnier, Jaggi: "Sparsified SGD with memory", 2018. Alistarh et al.: "QSGD", 2017.
 * Karimireddy et al.: "Error feedback fixes SignSGD", 2019.
 */
#ifndef COMM_COMPRESSOR_H
#define COMM_COMPRESSOR_H

#include <stddef.h>
#include <stdint.h>

enum compressor_kind {
    COMPRESSOR_NONE,
    COMPRESSOR_TOPK,
    COMPRESSOR_RANDOMK,
    COMPRESSOR_SIGN,
    COMPRESSOR_QSGD,
};

extern const char *const compressor_names[]; /* in this order; ends with NULL */

struct compressor_request {
    enum compressor_kind kind;
    int64_t count; /* values of a vector: d */
    double k;      /* topk, randomk: how many; below 1 a share of all. At least one is sent */
    int bits;      /* qsgd: of a level, 1 to 15 */
    const int64_t *tensor_ends; /* sign: [tensor_count], ascending, the last is count. Copied */
    int tensor_count;           /* 0: all is one tensor */
};

struct compressor {
    enum compressor_kind kind;
    int64_t count, kept;
    int bits;
    int64_t *ends; /* [parts] */
    int parts;
    uint8_t *marks; /* randomk: [count], which are drawn; zero between calls */
    int64_t *drawn; /* randomk: [kept] */
};

/* Names the randomness of one message: no two messages of a run share one. */
struct compressor_stamp {
    uint64_t seed;
    int sender;
    int64_t step;
};

void compressor_init(struct compressor *c, const struct compressor_request *r);
void compressor_release(struct compressor *c);

/* The size of every message, and delta; sign's depends on the vector: 1 / d is safe. */
size_t compressor_bytes(const struct compressor *c);
double compressor_delta(const struct compressor *c);

/* message[compressor_bytes], 4-byte aligned. */
void compressor_encode(struct compressor *c, void *message, const float *v,
                       const struct compressor_stamp *s);

/* v[count] is set, zero where nothing is known. Sender and receiver get the same bits. */
void compressor_decode(struct compressor *c, float *v, const void *message,
                       const struct compressor_stamp *s);

#endif
