/*
 * test_sha256.c - base/sha256.h against the examples of FIPS 180-4 and RFC 4648.
 */
#include "base/mem.h"
#include "base/sha256.h"
#include "test.h"

static void expect_digest(const void *data, size_t bytes, const char *expected)
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];

    sha256(data, bytes, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    EXPECT_TEXT(hex, expected);
}

static void test_the_examples_of_the_standard_hold(void)
{
    expect_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_a_million_letters_hash_to_the_known_value(void)
{
    const size_t count = 1000000;
    char *letters = MEM_NEW_N(char, (int64_t)count);

    memset(letters, 'a', count);
    expect_digest(letters, count,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    mem_free(letters);
}

/* The second example of the standard, twice, cut into three pieces in every way. */
static void test_pieces_hash_like_the_whole(void)
{
    const char *whole = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
                        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const size_t length = strlen(whole);
    uint8_t expected[SHA256_BYTES], digest[SHA256_BYTES];

    sha256(whole, length, expected);
    for (size_t a = 0; a <= length; a++) {
        for (size_t b = a; b <= length; b++) {
            struct sha256_stream s;

            sha256_begin(&s);
            sha256_add(&s, whole, a);
            sha256_add(&s, whole + a, b - a);
            sha256_add(&s, whole + b, length - b);
            sha256_end(&s, digest);
            EXPECT(memcmp(digest, expected, sizeof digest) == 0);
        }
    }
}

static void test_hexadecimal_digits_are_two_for_each_byte(void)
{
    const uint8_t bytes[] = {0x00, 0x0f, 0xa0, 0xff};
    struct text out = {0};

    text_add_hex(&out, bytes, sizeof bytes);
    EXPECT_TEXT(text_get(&out), "000fa0ff");
    text_release(&out);
}

static void test_base64_pads_as_the_rfc_says(void)
{
    static const char *const pairs[][2] = {
        {"",       ""        },
        {"f",      "Zg=="    },
        {"fo",     "Zm8="    },
        {"foo",    "Zm9v"    },
        {"foob",   "Zm9vYg=="},
        {"fooba",  "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct text out = {0};

        text_add_base64(&out, pairs[i][0], strlen(pairs[i][0]));
        EXPECT_TEXT(text_get(&out), pairs[i][1]);
        text_release(&out);
    }
}

TEST_MAIN(TEST(test_the_examples_of_the_standard_hold),
          TEST(test_a_million_letters_hash_to_the_known_value),
          TEST(test_pieces_hash_like_the_whole),
          TEST(test_hexadecimal_digits_are_two_for_each_byte),
          TEST(test_base64_pads_as_the_rfc_says))
