/*
 * test_csv.c - tables of text: positions, headers, what is rejected; tests/golden compares cells
 * with those that Python reads.
 */
#include "base/rng.h"
#include "damage.h"
#include "format/csv.h"

static enum status open_text(struct csv *c, const char *text)
{
    return csv_open(c, "t.csv", text, strlen(text), 0);
}

static void expect_separator(const char *text, char separator, int64_t columns)
{
    struct csv c;

    if (!EXPECT_OK(open_text(&c, text)))
        return;
    EXPECT_INT(c.separator, separator);
    EXPECT_INT(c.columns, columns);
    csv_close(&c);
}

static void test_the_separator_is_found_in_the_first_line(void)
{
    expect_separator("1,2,3\n", ',', 3);
    expect_separator("1,5;2,5\n", ';', 2);
    expect_separator("1;2\t3,4\n", '\t', 2);
    expect_separator("\"a;b\tc\",2\n1;1,2\n", ',', 2);
    expect_separator("1;2\n", ';', 2);
    expect_separator("7\n8\n", ',', 1);
    expect_separator("\n\n1;2", ';', 2);
    expect_separator("", ',', 0);
}

static void test_a_given_separator_is_used(void)
{
    struct csv c;
    bool has_row;

    EXPECT_OK(csv_open(&c, "t.csv", "1,5;2,5\n", 8, ','));
    EXPECT_INT(c.columns, 3);
    EXPECT_OK(csv_next(&c, &has_row));
    csv_close(&c);
}

static bool has_header(const char *text)
{
    struct csv c;

    EXPECT_OK(open_text(&c, text));

    const bool found = c.header != NULL;

    csv_close(&c);
    return found;
}

static void test_the_first_row_is_a_header_if_a_cell_is_not_a_number(void)
{
    EXPECT(has_header("x,y\n1,2\n"));
    EXPECT(has_header("1,y\n1,2\n"));
    EXPECT(!has_header("1,-2e5\n1,2\n"));
    EXPECT(!has_header("1,\n"));
    EXPECT(!has_header("NA,1\n"));
    EXPECT(!has_header(""));
}

static void test_columns_are_found_by_name(void)
{
    struct csv c;
    bool has_row;
    double value;

    EXPECT_OK(open_text(&c, "width,\"height\"\n3,4\n"));
    EXPECT_INT(csv_find(&c, "height"), 1);
    EXPECT_INT(csv_find(&c, "depth"), -1);
    EXPECT_OK(csv_next(&c, &has_row));
    EXPECT(has_row);
    EXPECT_OK(csv_number(&c, csv_find(&c, "height"), &value));
    EXPECT(value == 4);
    EXPECT_OK(csv_next(&c, &has_row));
    EXPECT(!has_row);
    csv_close(&c);
}

/* --- what is rejected --- */

static void expect_number_rejected(const char *text, int rows, int64_t column, const char *part)
{
    struct csv c;
    bool has_row = true;
    double value;

    EXPECT_OK(open_text(&c, text));
    for (int i = 0; i < rows; i++)
        EXPECT_OK(csv_next(&c, &has_row));
    EXPECT(has_row);
    EXPECT_FAILS(csv_number(&c, column, &value), STATUS_BAD_INPUT, part);
    csv_close(&c);
}

static void test_missing_values_are_reported_with_line_and_column(void)
{
    expect_number_rejected("x,width\n1,2\n3,\n", 2, 1,
                           "t.csv:3:3: the value is missing in column 2 (width)");
    expect_number_rejected("1,2\r\n\r\nNA,4\r\n", 2, 0,
                           "t.csv:3:1: the value is missing in column 1");
    expect_number_rejected("1;2\n3; nan \n", 2, 1, "t.csv:2:3: the value is missing in column 2");
    expect_number_rejected("a,b\n\"two\nlines\",?\n", 1, 1, "t.csv:3:8: the value is missing");
    expect_number_rejected("a,b\n1,  \n", 1, 1, "t.csv:2:3: the value is missing");
}

static void test_what_is_not_a_number_is_shown(void)
{
    expect_number_rejected("x\n1 2\n", 1, 0, "t.csv:2:1: \"1 2\" is not a number in column 1 (x)");
    expect_number_rejected("x;y\n1,5;2\n", 1, 0, "\"1,5\" is not a number");
    expect_number_rejected("x\n0x10\n", 1, 0, "\"0x10\" is not a number");
    expect_number_rejected("x\n1e999\n", 1, 0, "\"1e999\" is not a number");
    expect_number_rejected("x\n\33[1m\n", 1, 0, "\"?[1m\" is not a number");
    expect_number_rejected("x\n-\n", 1, 0, "\"-\" is not a number");
    expect_number_rejected("x\n.\n", 1, 0, "\".\" is not a number");
    expect_number_rejected("x\n1.2.3\n", 1, 0, "\"1.2.3\" is not a number");
}

static enum status read_all(const char *name, const uint8_t *file, size_t bytes)
{
    struct csv c;
    bool has_row = false;
    double value;

    TRY(csv_open(&c, name, file, bytes, 0));

    enum status s = csv_next(&c, &has_row);

    while (s == STATUS_OK && has_row) {
        for (int64_t i = 0; i < c.columns; i++)
            (void)csv_number(&c, i, &value);
        s = csv_next(&c, &has_row);
    }
    csv_close(&c);
    return s;
}

static void expect_rejected(const char *text, const char *part)
{
    EXPECT_FAILS(read_all("t.csv", (const uint8_t *)text, strlen(text)), STATUS_BAD_INPUT, part);
}

static void test_rows_and_quotes_that_are_wrong_are_named_by_their_place(void)
{
    expect_rejected("1,2\n3\n", "t.csv:2: the row has 1 cells; the first row has 2");
    expect_rejected("1,2\n\"3\n4\",5,6\n", "t.csv:2: the row has 3 cells; the first row has 2");
    expect_rejected("x,y\n1,\"2\n3,4\n", "t.csv:2:3: the quote is not closed");
    expect_rejected("x,y\n1,\"2\"3\n", "t.csv:2:3: the quoted cell must end with its quote");
    expect_rejected("\xff\xfe"
                    "1",
                    "t.csv: is in UTF-16; it must be in UTF-8");
}

/* Of up to 15 digits, which are read without strtod, and of more. */
static void test_numbers_are_those_of_strtod(void)
{
    const struct rng random = rng_make(1, RNG_TEST, 0);
    struct text t = {0};

    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t bits = rng_bits(&random, i, 0);
        const int digits = 1 + (int)(bits % 17), point = (int)(bits / 64 % 18);
        struct csv c;
        bool has_row;
        double value = 0, expected = 1;

        text_clear(&t);
        for (int k = 0; k < digits; k++)
            text_addf(&t, "%s%d", k == point ? "." : "", (int)(bits >> (3 * k + 8) & 7) + k % 3);
        EXPECT(text_to_double(text_get(&t), &expected));
        EXPECT_OK(open_text(&c, text_get(&t)));
        EXPECT_OK(csv_next(&c, &has_row));
        EXPECT_OK(csv_number(&c, 0, &value));
        EXPECT(value == expected);
        csv_close(&c);
    }
    text_release(&t);
}

static void test_the_first_row_may_be_read_again_as_header_or_as_data(void)
{
    struct csv c;
    bool has_row;
    char *word;

    EXPECT_OK(open_text(&c, "\xef\xbb\xbf\n1, b \n3,4\n"));
    EXPECT(c.header != NULL && csv_is_word(&c, 1) && !csv_is_word(&c, 0));
    EXPECT_OK(csv_set_header(&c, false));
    EXPECT(c.header == NULL);
    EXPECT_OK(csv_next(&c, &has_row));
    EXPECT_INT(c.cells[1].line, 2);
    EXPECT_INT(c.cells[1].column, 3);
    EXPECT_OK(csv_word(&c, 1, &word));
    EXPECT_TEXT(word, "b");
    mem_free(word);
    EXPECT_OK(csv_set_header(&c, true));
    EXPECT_TEXT(c.header[0], "1");
    EXPECT_OK(csv_next(&c, &has_row));
    EXPECT_INT(c.cells[0].line, 3);
    csv_close(&c);
    EXPECT_OK(open_text(&c, ""));
    EXPECT_OK(csv_set_header(&c, true));
    EXPECT(c.header == NULL);
    csv_close(&c);
    EXPECT_OK(open_text(&c, "a,\xff\n"));
    EXPECT_FAILS(csv_word(&c, 1, &word), STATUS_BAD_INPUT, "t.csv:1:3: the text is not UTF-8");
    csv_close(&c);
}

static void test_no_damage_makes_the_reader_crash(void)
{
    static const char text[] =
        "\xef\xbb\xbfname,\"a \"\"b\"\", c\"\r\n\"two\nlines\",5\n\"\",-6.25e3\n"
        "x\"y,NA\r\n\n7,8";
    const uint8_t *file = (const uint8_t *)text;
    const size_t bytes = sizeof text - 1;

    EXPECT_OK(read_all("whole", file, bytes));
    EXPECT(damage_cut(read_all, file, bytes) > 0);
    EXPECT(damage_bytes(read_all, file, bytes, bytes) > 0);
}

TEST_MAIN(TEST(test_the_separator_is_found_in_the_first_line), TEST(test_a_given_separator_is_used),
          TEST(test_the_first_row_is_a_header_if_a_cell_is_not_a_number),
          TEST(test_columns_are_found_by_name),
          TEST(test_missing_values_are_reported_with_line_and_column),
          TEST(test_what_is_not_a_number_is_shown),
          TEST(test_rows_and_quotes_that_are_wrong_are_named_by_their_place),
          TEST(test_numbers_are_those_of_strtod),
          TEST(test_the_first_row_may_be_read_again_as_header_or_as_data),
          TEST(test_no_damage_makes_the_reader_crash))
