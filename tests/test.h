/*
 * test.h - a test program: functions whose names are the statements that must hold. Prints TAP.
 *
 *     static void test_sums_are_in_rank_order(void) { EXPECT(...); }
 *     TEST_MAIN(TEST(test_sums_are_in_rank_order), TEST(...))
 *
 * A failed EXPECT prints where and goes on; the function then counts as "not ok".
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

struct test_case {
    const char *name;
    void (*run)(void);
};

static int test_failures; /* of the running test */

#define TEST(function)      \
    {                       \
#function, function \
    }

#define EXPECT(condition) test_expect((condition), __FILE__, __LINE__, #condition)
#define EXPECT_OK(call)   test_expect_ok((call), __FILE__, __LINE__, #call)
#define EXPECT_INT(actual, expected) \
    test_expect_int((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__, #actual)
#define EXPECT_TEXT(actual, expected) \
    test_expect_text((actual), (expected), __FILE__, __LINE__, #actual)
#define EXPECT_HAS(text, part) test_expect_has((text), (part), __FILE__, __LINE__, #text)
/* |actual - expected| <= tolerance; say beside the call why this tolerance. */
#define EXPECT_NEAR(actual, expected, tolerance) \
    test_expect_near((actual), (expected), (tolerance), __FILE__, __LINE__, #actual)
/* The call fails with this status, and its message has this part. */
#define EXPECT_FAILS(call, expected, part) \
    test_expect_fails((call), (expected), (part), __FILE__, __LINE__, #call)

static inline bool test_expect(bool holds, const char *file, int line, const char *what)
{
    if (!holds) {
        test_failures++;
        printf("# %s:%d: does not hold: %s\n", file, line, what);
    }
    return holds;
}

static inline bool test_expect_ok(enum status s, const char *file, int line, const char *what)
{
    if (s != STATUS_OK) {
        test_failures++;
        printf("# %s:%d: %s failed: %s\n", file, line, what, status_message());
    }
    return s == STATUS_OK;
}

static inline void test_expect_int(int64_t actual, int64_t expected, const char *file, int line,
                                   const char *what)
{
    if (actual != expected) {
        test_failures++;
        printf("# %s:%d: %s is %lld, not %lld\n", file, line, what, (long long)actual,
               (long long)expected);
    }
}

static inline void test_expect_text(const char *actual, const char *expected, const char *file,
                                    int line, const char *what)
{
    if (actual == NULL || strcmp(actual, expected) != 0) {
        test_failures++;
        printf("# %s:%d: %s is \"%s\", not \"%s\"\n", file, line, what,
               actual == NULL ? "(null)" : actual, expected);
    }
}

static inline void test_expect_has(const char *text, const char *part, const char *file, int line,
                                   const char *what)
{
    if (text == NULL || strstr(text, part) == NULL) {
        test_failures++;
        printf("# %s:%d: %s has no \"%s\": %s\n", file, line, what, part,
               text == NULL ? "(null)" : text);
    }
}

static inline void test_expect_near(double actual, double expected, double tolerance,
                                    const char *file, int line, const char *what)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        test_failures++;
        printf("# %s:%d: %s is %.9g, not within %.3g of %.9g\n", file, line, what, actual,
               tolerance, expected);
    }
}

static inline void test_expect_fails(enum status s, enum status expected, const char *part,
                                     const char *file, int line, const char *what)
{
    if (s != expected) {
        test_failures++;
        printf("# %s:%d: %s answers \"%s\", not \"%s\"\n", file, line, what, status_text(s),
               status_text(expected));
        return;
    }
    test_expect_has(status_message(), part, file, line, what);
}

static inline int test_run_all(const struct test_case *cases, int count)
{
    int failed = 0;

    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        test_failures = 0;
        cases[i].run();
        printf("%s %d - %s\n", test_failures == 0 ? "ok" : "not ok", i + 1, cases[i].name);
        fflush(stdout);
        failed += test_failures != 0;
    }
    return failed == 0 ? 0 : 1;
}

#define TEST_MAIN(...)                                                     \
    int main(void)                                                         \
    {                                                                      \
        static const struct test_case cases[] = {__VA_ARGS__};             \
        return test_run_all(cases, (int)(sizeof cases / sizeof cases[0])); \
    }

#endif
