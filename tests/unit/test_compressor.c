/*
 * test_compressor.c - lossy messages: what they keep, what they lose, how large they are.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "comm/compressor.h"
#include "test.h"

enum { D = 203, GUARD = 0x5a }; /* D is no multiple of 8 */

static void draw(float *v, uint32_t stream)
{
    const struct rng r = rng_make(7, RNG_TEST, stream);

    for (int i = 0; i < D; i++)
        v[i] = (float)rng_normal(&r, (uint64_t)i, 0);
}

static double square(const float *v)
{
    double sum = 0;

    for (int i = 0; i < D; i++)
        sum += (double)v[i] * (double)v[i];
    return sum;
}

/* There and back; nothing beyond the message and the vector is written. */
static void pass(struct compressor *c, float *q, const float *v, int64_t step)
{
    const struct compressor_stamp stamp = {.seed = 3, .sender = 2, .step = step};
    const size_t bytes = compressor_bytes(c);
    unsigned char *message = mem_alloc((int64_t)bytes + 16, 1);
    float room[D + 4];

    memset(message, GUARD, bytes + 16);
    memset(room, GUARD, sizeof room);
    compressor_encode(c, message, v, &stamp);
    compressor_decode(c, room, message, &stamp);
    for (int i = 0; i < 16; i++)
        EXPECT(message[bytes + (size_t)i] == GUARD);
    for (size_t i = 0; i < sizeof(float) * 4; i++)
        EXPECT(((unsigned char *)(room + D))[i] == GUARD);
    memcpy(q, room, D * sizeof *q);
    mem_free(message);
}

static double loss(const float *v, const float *q)
{
    float off[D];

    for (int i = 0; i < D; i++)
        off[i] = v[i] - q[i];
    return square(off);
}

static void test_none_is_the_identity(void)
{
    struct compressor c;
    float v[D], q[D];

    compressor_init(&c, &(struct compressor_request){.kind = COMPRESSOR_NONE, .count = D});
    draw(v, 0);
    pass(&c, q, v, 0);
    EXPECT(memcmp(v, q, sizeof v) == 0);
    EXPECT_INT((int64_t)compressor_bytes(&c), 4 * D);
    EXPECT_NEAR(compressor_delta(&c), 1, 0);
    compressor_release(&c);
}

/* How many are larger than v[i], or as large and before it. */
static int rank_of(const float *v, int i)
{
    int before = 0;

    for (int j = 0; j < D; j++)
        before += fabsf(v[j]) > fabsf(v[i]) || (fabsf(v[j]) == fabsf(v[i]) && j < i);
    return before;
}

static void expect_topk(const float *v, double k, int kept)
{
    struct compressor c;
    float q[D];

    compressor_init(&c, &(struct compressor_request){.kind = COMPRESSOR_TOPK, .count = D, .k = k});
    pass(&c, q, v, 0);
    for (int i = 0; i < D; i++)
        EXPECT(q[i] == (rank_of(v, i) < kept ? v[i] : 0));
    EXPECT(loss(v, q) <= (1 - compressor_delta(&c)) * square(v) * (1 + 1e-12));
    EXPECT_NEAR(compressor_delta(&c), (double)kept / D, 1e-12);
    EXPECT_INT((int64_t)compressor_bytes(&c), 8 * kept);
    compressor_release(&c);
}

static void test_topk_keeps_the_largest_and_the_first_of_equals(void)
{
    float v[D], equal[D], none[D] = {0};

    draw(v, 1);
    expect_topk(v, 20, 20);
    expect_topk(v, 0.1, 20);
    expect_topk(v, 1e-9, 1);
    expect_topk(v, 1e6, D);
    for (int i = 0; i < D; i++)
        equal[i] = (float)(i % 3 - 1); /* -1, 0, 1 */
    expect_topk(equal, 50, 50);
    expect_topk(equal, 150, 150);
    expect_topk(none, 5, 5);
}

/* Over 4000 messages each coordinate is sent k/d of the time, within five standard deviations. */
static void test_randomk_sends_every_coordinate_equally_often(void)
{
    enum { STEPS = 4000, K = 30 };
    struct compressor c;
    float v[D], q[D];
    int sent[D] = {0};
    double lost = 0;
    const double p = (double)K / D;

    compressor_init(&c,
                    &(struct compressor_request){.kind = COMPRESSOR_RANDOMK, .count = D, .k = K});
    draw(v, 2);
    for (int step = 0; step < STEPS; step++) {
        int kept = 0;

        pass(&c, q, v, step);
        for (int i = 0; i < D; i++) {
            EXPECT(q[i] == 0 || q[i] == v[i]);
            sent[i] += q[i] != 0;
            kept += q[i] != 0;
        }
        EXPECT_INT(kept, K);
        lost += loss(v, q) / STEPS;
    }
    for (int i = 0; i < D; i++)
        EXPECT_NEAR((double)sent[i], STEPS * p, 5 * sqrt(STEPS * p * (1 - p)));
    EXPECT_NEAR(lost, (1 - compressor_delta(&c)) * square(v), 0.01 * square(v));
    EXPECT_INT((int64_t)compressor_bytes(&c), 4 * K);
    compressor_release(&c);
}

/* |v - Q|^2 is |v|^2 - |v|_1^2 / d, tensor by tensor. */
static void test_sign_has_one_scale_per_tensor(void)
{
    const int64_t ends[3] = {5, 105, D};
    struct compressor c;
    float v[D], q[D];
    double expected = 0;
    int64_t i = 0;

    compressor_init(
        &c, &(struct compressor_request){
                .kind = COMPRESSOR_SIGN, .count = D, .tensor_ends = ends, .tensor_count = 3});
    draw(v, 3);
    v[7] = 0;
    pass(&c, q, v, 0);
    for (int t = 0; t < 3; t++) {
        const int64_t begin = i;
        double one = 0, two = 0;

        for (; i < ends[t]; i++) {
            one += fabs((double)v[i]);
            two += (double)v[i] * (double)v[i];
        }
        for (int64_t j = begin; j < i; j++)
            EXPECT_NEAR((double)q[j], (v[j] < 0 ? -one : one) / (double)(i - begin), 1e-6);
        expected += two - one * one / (double)(i - begin);
    }
    EXPECT_NEAR(loss(v, q), expected, 1e-4);
    EXPECT_INT((int64_t)compressor_bytes(&c), 3 * 4 + 26);
    compressor_release(&c);
}

/* The mean over many messages is v / (1 + w); its error on average is within the contraction. */
static void expect_qsgd(int bits)
{
    enum { STEPS = 3000 };
    struct compressor c;
    float v[D], q[D];
    double sum[D] = {0}, lost = 0;

    compressor_init(
        &c, &(struct compressor_request){.kind = COMPRESSOR_QSGD, .count = D, .bits = bits});
    draw(v, 4);
    const double s = (1 << bits) - 1, norm = sqrt(square(v));
    const double w = fmin(D / (s * s), sqrt((double)D) / s);
    for (int step = 0; step < STEPS; step++) {
        pass(&c, q, v, step);
        for (int i = 0; i < D; i++)
            sum[i] += (double)q[i] * (1 + w) / STEPS;
        lost += loss(v, q) / STEPS;
    }
    for (int i = 0; i < D; i++) /* a level is norm / s; half of one is the largest deviation */
        EXPECT_NEAR(sum[i], (double)v[i], 5 * 0.5 * norm / s / sqrt(STEPS));
    EXPECT_NEAR(compressor_delta(&c), 1 / (1 + w), 1e-12);
    EXPECT(lost <= (1 - compressor_delta(&c)) * square(v));
    EXPECT_INT((int64_t)compressor_bytes(&c), 4 + (D * (bits + 1) + 7) / 8);
    compressor_release(&c);
}

static void test_qsgd_is_unbiased_before_its_scaling_and_a_contraction_with_it(void)
{
    expect_qsgd(1);
    expect_qsgd(4);
    expect_qsgd(15);
}

static void test_a_vector_of_zeros_stays_zero(void)
{
    for (int kind = COMPRESSOR_NONE; kind <= COMPRESSOR_QSGD; kind++) {
        struct compressor c;
        const float v[D] = {0};
        float q[D];

        compressor_init(&c, &(struct compressor_request){
                                .kind = (enum compressor_kind)kind, .count = D, .k = 3, .bits = 2});
        pass(&c, q, v, 0);
        EXPECT_NEAR(square(q), 0, 0);
        compressor_release(&c);
    }
}

TEST_MAIN(TEST(test_none_is_the_identity),
          TEST(test_topk_keeps_the_largest_and_the_first_of_equals),
          TEST(test_randomk_sends_every_coordinate_equally_often),
          TEST(test_sign_has_one_scale_per_tensor),
          TEST(test_qsgd_is_unbiased_before_its_scaling_and_a_contraction_with_it),
          TEST(test_a_vector_of_zeros_stays_zero))
