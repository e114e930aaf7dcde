/*
 * test_class_report.c - the report per class, against numbers worked out by hand with the
 * definitions of scikit-learn's classification_report.
 */

#include "record/class_report.h"
#include "test.h"

static const double exact = 1e-15; /* a few operations in double on numbers of at most 1 */

/*
 * The example of scikit-learn's documentation: true 0 1 2 2 2, answers 0 0 2 2 1, which prints
 * precision 0.50 0.00 1.00, recall 1.00 0.00 0.67, f1 0.67 0.00 0.80, accuracy 0.60, macro 0.50
 * 0.56 0.49, weighted 0.70 0.60 0.61.
 */
static const int64_t published[] = {
    1, 0, 0, /* */
    1, 0, 0, /* */
    0, 1, 2,
};

static void test_the_published_example_of_scikit_learn_comes_out(void)
{
    struct class_report c;

    class_report_init(&c, published, 3);
    EXPECT_NEAR(c.scores[0].precision, 0.5, exact);
    EXPECT_NEAR(c.scores[0].recall, 1.0, exact);
    EXPECT_NEAR(c.scores[0].f1, 2.0 / 3.0, exact);
    EXPECT_NEAR(c.scores[1].precision, 0.0, 0.0);
    EXPECT_NEAR(c.scores[1].recall, 0.0, 0.0);
    EXPECT_NEAR(c.scores[1].f1, 0.0, 0.0);
    EXPECT_NEAR(c.scores[2].precision, 1.0, exact);
    EXPECT_NEAR(c.scores[2].recall, 2.0 / 3.0, exact);
    EXPECT_NEAR(c.scores[2].f1, 0.8, exact);
    EXPECT_INT(c.scores[0].support, 1);
    EXPECT_INT(c.scores[2].support, 3);
    EXPECT_NEAR(c.accuracy, 0.6, exact);
    EXPECT_NEAR(c.macro.precision, 0.5, exact);
    EXPECT_NEAR(c.macro.recall, 5.0 / 9.0, exact);
    EXPECT_NEAR(c.macro.f1, (2.0 / 3.0 + 0.8) / 3.0, exact);
    EXPECT_NEAR(c.weighted.precision, (0.5 + 3.0) / 5.0, exact);
    EXPECT_NEAR(c.weighted.recall, 0.6, exact); /* always the accuracy */
    EXPECT_NEAR(c.weighted.f1, (2.0 / 3.0 + 3 * 0.8) / 5.0, exact);
    EXPECT_INT(c.macro.support, 5);
    EXPECT_INT(c.weighted.support, 5);
    class_report_release(&c);
    class_report_release(&c); /* twice is fine */
}

static void test_rows_are_labels_and_columns_are_answers(void)
{
    static const int64_t confusion[] = {90, 10, 30, 70};
    struct class_report c;

    class_report_init(&c, confusion, 2);
    EXPECT_NEAR(c.scores[0].precision, 90.0 / 120.0, exact);
    EXPECT_NEAR(c.scores[0].recall, 90.0 / 100.0, exact);
    EXPECT_NEAR(c.scores[0].f1, 180.0 / 220.0, exact);
    EXPECT_NEAR(c.scores[1].precision, 70.0 / 80.0, exact);
    EXPECT_NEAR(c.scores[1].recall, 70.0 / 100.0, exact);
    EXPECT_NEAR(c.accuracy, 0.8, exact);
    class_report_release(&c);
}

static void test_no_samples_give_zeros_not_nan(void)
{
    static const int64_t nothing[4];
    struct class_report c;

    class_report_init(&c, nothing, 2);
    EXPECT_NEAR(c.accuracy, 0.0, 0.0);
    EXPECT_NEAR(c.macro.f1, 0.0, 0.0);
    EXPECT_NEAR(c.weighted.precision, 0.0, 0.0);
    EXPECT_INT(c.macro.support, 0);
    class_report_release(&c);
}

static void test_the_table_is_aligned(void)
{
    static const char *const names[] = {"T-shirt/top", "r\303\266ck", "an ankle boot"};
    struct class_report c;
    struct text table = {0};

    class_report_init(&c, published, 3);
    class_report_table(&c, names, &table);
    EXPECT_TEXT(text_get(&table),
                "class          precision     recall         f1    support\n"
                "T-shirt/top       0.5000     1.0000     0.6667          1\n"
                "r\303\266ck              0.0000     0.0000     0.0000          1\n"
                "an ankle boot     1.0000     0.6667     0.8000          3\n"
                "\n"
                "accuracy                                0.6000          5\n"
                "macro avg         0.5000     0.5556     0.4889          5\n"
                "weighted avg      0.7000     0.6000     0.6133          5\n");
    text_clear(&table);
    class_report_table(&c, NULL, &table);
    EXPECT_HAS(text_get(&table), "\n2                1.0000     0.6667     0.8000          3\n");
    text_release(&table);
    class_report_release(&c);
}

static void test_the_json_has_every_number(void)
{
    static const char *const names[] = {"a", "b", "c"};
    struct class_report c;
    struct text out = {0};
    struct json json;

    class_report_init(&c, published, 3);
    json_init(&json, &out);
    json_open_map(&json, NULL);
    class_report_json(&c, names, &json, "report");
    json_close_map(&json);
    EXPECT_HAS(text_get(&out), "{\"report\": {\"accuracy\": 0.6, \"macro\": {\"precision\": 0.5, ");
    EXPECT_HAS(text_get(&out), "\"classes\": [{\"name\": \"a\", \"precision\": 0.5, \"recall\": 1, "
                               "\"f1\": 0.6666666666666666, \"support\": 1}, {\"name\": \"b\", "
                               "\"precision\": 0, \"recall\": 0, \"f1\": 0, \"support\": 1}, ");
    EXPECT_HAS(text_get(&out), "\"f1\": 0.8, \"support\": 3}]}}");
    text_release(&out);
    class_report_release(&c);
}

TEST_MAIN(TEST(test_the_published_example_of_scikit_learn_comes_out),
          TEST(test_rows_are_labels_and_columns_are_answers),
          TEST(test_no_samples_give_zeros_not_nan), TEST(test_the_table_is_aligned),
          TEST(test_the_json_has_every_number))
