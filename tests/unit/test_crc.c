/*
 * test_crc.c - base/crc.h against RFC 3720, appendix B.4, and against the definition.
 */
#include "base/crc.h"
#include "base/rng.h"
#include "test.h"

static void test_the_check_value_of_the_catalogue_holds(void)
{
    EXPECT(crc32c(0, "123456789", 9) == 0xe3069283U);
    EXPECT(crc32c(0, "", 0) == 0);
}

static void test_the_vectors_of_rfc_3720_hold(void)
{
    uint8_t bytes[32];

    memset(bytes, 0, sizeof bytes);
    EXPECT(crc32c(0, bytes, sizeof bytes) == 0x8a9136aaU);
    memset(bytes, 0xff, sizeof bytes);
    EXPECT(crc32c(0, bytes, sizeof bytes) == 0x62a8ab43U);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    EXPECT(crc32c(0, bytes, sizeof bytes) == 0x46dd794eU);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    EXPECT(crc32c(0, bytes, sizeof bytes) == 0x113fdb5cU);
}

/* The definition: division by the polynomial, a bit at a time. */
static uint32_t by_bits(const uint8_t *bytes, int64_t count)
{
    uint32_t crc = 0xffffffffU;

    for (int64_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
    }
    return ~crc;
}

static void fill(uint8_t *bytes, int64_t count)
{
    const struct rng r = rng_make(3, RNG_TEST, 0);

    for (int64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)rng_bits(&r, (uint64_t)i, 0);
}

static void test_every_length_agrees_with_the_definition(void)
{
    uint8_t bytes[200];

    fill(bytes, 200);
    for (int64_t n = 0; n <= 200; n++)
        EXPECT(crc32c(0, bytes, (size_t)n) == by_bits(bytes, n));
}

static void test_a_crc_in_parts_is_the_crc_of_the_whole(void)
{
    uint8_t bytes[100];

    fill(bytes, 100);
    for (size_t n = 0; n <= 100; n++)
        EXPECT(crc32c(crc32c(0, bytes, n), bytes + n, 100 - n) == crc32c(0, bytes, 100));
}

TEST_MAIN(TEST(test_the_check_value_of_the_catalogue_holds),
          TEST(test_the_vectors_of_rfc_3720_hold),
          TEST(test_every_length_agrees_with_the_definition),
          TEST(test_a_crc_in_parts_is_the_crc_of_the_whole))
