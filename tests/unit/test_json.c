/*
 * test_json.c - base/json.h; jansson is the independent reader.
 */
#include <jansson.h>
#include <signal.h>

#include "base/json.h"
#include "child.h"
#include "test.h"

static void test_commas_and_keys_are_put_where_they_belong(void)
{
    struct text t = {0};
    struct json j;

    json_init(&j, &t);
    json_open_map(&j, NULL);
    json_int(&j, "a", 1);
    json_open_list(&j, "b");
    json_int(&j, NULL, 2);
    json_bool(&j, NULL, true);
    json_open_map(&j, NULL);
    json_close_map(&j);
    json_close_list(&j);
    json_text(&j, "c", NULL);
    json_close_map(&j);
    EXPECT_TEXT(text_get(&t), "{\"a\": 1, \"b\": [2, true, {}], \"c\": null}");
    text_release(&t);
}

static json_t *read_back(struct text *t)
{
    json_error_t error;
    json_t *read = json_loads(text_get(t), JSON_DECODE_ANY, &error);

    if (!EXPECT(read != NULL))
        printf("# %s in %s\n", error.text, text_get(t));
    return read;
}

static void expect_text_back(const char *given, const char *expected)
{
    struct text t = {0};
    struct json j;

    json_init(&j, &t);
    json_text(&j, NULL, given);

    json_t *read = read_back(&t);

    EXPECT_TEXT(json_string_value(read), expected);
    json_decref(read);
    text_release(&t);
}

static void test_any_string_reads_back(void)
{
    expect_text_back("", "");
    expect_text_back("say \"no\" to C:\\path", "say \"no\" to C:\\path");
    expect_text_back("a\nb\tc\rd\x01\x1f", "a\nb\tc\rd\x01\x1f");
    expect_text_back("Grüße 日本", "Grüße 日本");
}

static void test_bytes_that_are_no_utf8_become_the_replacement_character(void)
{
    expect_text_back("a\xff"
                     "b\xc3",
                     "a\xef\xbf\xbd"
                     "b\xef\xbf\xbd");
}

static void test_numbers_read_back_as_the_same(void)
{
    static const double reals[] = {0.1, 1.0 / 3, -2.5e-310, 1e300, 0};
    struct text t = {0};
    struct json j;

    json_init(&j, &t);
    json_open_list(&j, NULL);
    json_int(&j, NULL, INT64_MIN);
    for (int i = 0; i < 5; i++)
        json_number(&j, NULL, reals[i]);
    json_close_list(&j);

    json_t *read = read_back(&t);

    EXPECT(json_integer_value(json_array_get(read, 0)) == INT64_MIN);
    for (size_t i = 0; i < 5; i++)
        EXPECT(json_number_value(json_array_get(read, i + 1)) == reals[i]);
    json_decref(read);
    text_release(&t);
}

static void test_nan_and_infinity_become_null(void)
{
    struct text t = {0};
    struct json j;

    json_init(&j, &t);
    json_open_list(&j, NULL);
    json_number(&j, NULL, (double)NAN);
    json_number(&j, NULL, (double)INFINITY);
    json_close_list(&j);
    EXPECT_TEXT(text_get(&t), "[null, null]");
    text_release(&t);
}

static void put_a_value_without_a_key_in_a_map(void)
{
    struct text t = {0};
    struct json j;

    signal(SIGABRT, SIG_DFL);
    json_init(&j, &t);
    json_open_map(&j, NULL);
    json_int(&j, NULL, 1);
}

static void test_a_value_without_a_key_in_a_map_is_a_bug(void)
{
    struct child c;

    child_run(&c, put_a_value_without_a_key_in_a_map);
    EXPECT_INT(c.signal, SIGABRT);
    child_release(&c);
}

TEST_MAIN(TEST(test_commas_and_keys_are_put_where_they_belong), TEST(test_any_string_reads_back),
          TEST(test_bytes_that_are_no_utf8_become_the_replacement_character),
          TEST(test_numbers_read_back_as_the_same), TEST(test_nan_and_infinity_become_null),
          TEST(test_a_value_without_a_key_in_a_map_is_a_bug))
