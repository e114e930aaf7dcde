/*
 * sha256.c - SHA-256 of a block of memory, or of pieces.
 */
#include "base/sha256.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, WORDS = 8, LENGTH_AT = 56 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void expand(const uint8_t *block, uint32_t *w)
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t *hash, const uint8_t *block)
{
    uint32_t w[ROUNDS], v[WORDS];

    expand(block, w);
    memcpy(v, hash, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, (WORDS - 1) * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < WORDS; i++)
        hash[i] += v[i];
}

/* The last bytes, a one bit, zeros, and the length in bits: in one block, or in two. */
static void add_end(uint32_t *hash, const uint8_t *rest, size_t count, uint64_t bits)
{
    uint8_t end[2 * BLOCK] = {0};
    const size_t length = count < LENGTH_AT ? BLOCK : 2 * BLOCK;

    if (count > 0)
        memcpy(end, rest, count);
    end[count] = 0x80;
    for (int i = 0; i < 8; i++)
        end[length - 1 - (size_t)i] = (uint8_t)(bits >> (8 * i));
    for (size_t at = 0; at < length; at += BLOCK)
        add_block(hash, end + at);
}

void sha256_begin(struct sha256_stream *s)
{
    *s = (struct sha256_stream){
        .hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                 0x5be0cd19},
    };
}

void sha256_add(struct sha256_stream *s, const void *data, size_t bytes)
{
    const uint8_t *in = data;
    const size_t used = (size_t)(s->bytes % BLOCK);

    s->bytes += bytes;
    if (used > 0 && bytes >= BLOCK - used) {
        memcpy(s->rest + used, in, BLOCK - used);
        add_block(s->hash, s->rest);
        in += BLOCK - used;
        bytes -= BLOCK - used;
    } else if (used > 0) {
        if (bytes > 0)
            memcpy(s->rest + used, in, bytes);
        return;
    }
    for (; bytes >= BLOCK; bytes -= BLOCK, in += BLOCK)
        add_block(s->hash, in);
    if (bytes > 0)
        memcpy(s->rest, in, bytes);
}

void sha256_end(const struct sha256_stream *s, uint8_t digest[SHA256_BYTES])
{
    uint32_t hash[WORDS];

    memcpy(hash, s->hash, sizeof hash);
    add_end(hash, s->rest, (size_t)(s->bytes % BLOCK), s->bytes * 8);
    for (int i = 0; i < SHA256_BYTES; i++)
        digest[i] = (uint8_t)(hash[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES])
{
    struct sha256_stream s;

    sha256_begin(&s);
    sha256_add(&s, data, bytes);
    sha256_end(&s, digest);
}

void text_add_hex(struct text *out, const void *data, size_t bytes)
{
    const uint8_t *in = data;

    for (size_t i = 0; i < bytes; i++)
        text_addf(out, "%02x", in[i]);
}

void text_add_base64(struct text *out, const void *data, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = data;

    for (size_t i = 0; i < bytes; i += 3) {
        const size_t count = bytes - i < 3 ? bytes - i : 3;
        const uint32_t group = (uint32_t)in[i] << 16 | (count > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                               (count > 2 ? (uint32_t)in[i + 2] : 0);
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63], '=', '='};

        if (count > 1)
            four[2] = digits[group >> 6 & 63];
        if (count > 2)
            four[3] = digits[group & 63];
        text_add_n(out, four, sizeof four);
    }
}
