/*
 * test_csv_data.c - tables as data sets: columns, classes, parts, and what is rejected.
 */
#include "data/class_names.h"
#include "data/list.h"
#include "test.h"
#include "unit/data_files.h"

/* A set of a file that has this text, with options "key=value". */
struct table_case {
    char *folder, *path;
    struct choice chosen;
    struct dataset *d;
};

static void set_option(struct choice *c, const char *name, const char *value)
{
    struct node *map = node_new(NODE_MAP, "test", 0, 0);

    node_put(map, name, node_new_scalar(value, "test", 0, 0));
    EXPECT_OK(fields_read(c->entry->fields, c->options, map,
                          &(struct fields_place){.owner = "csv", .path = "data"}));
    node_free(map);
}

static void table_init(struct table_case *t, const char *text)
{
    *t = (struct table_case){.folder = files_folder()};
    files_write(t->folder, "t.csv", text, strlen(text));
    t->path = file_join(t->folder, "t.csv");
    choice_init(&t->chosen, &csv_data.entry);
    set_option(&t->chosen, "path", t->path);
}

static enum status table_load(struct table_case *t)
{
    return dataset_load(&t->chosen, &(struct dataset_request){0}, &t->d);
}

static void table_release(struct table_case *t)
{
    dataset_free(t->d);
    choice_release(&t->chosen);
    mem_free(t->path);
    files_remove(t->folder);
}

/* What loading says, after the path of the file. */
static void expect_rejected(const char *text, const char *key, const char *value,
                            const char *message)
{
    struct table_case t;

    table_init(&t, text);
    if (key != NULL)
        set_option(&t.chosen, key, value);
    EXPECT_FAILS(table_load(&t), STATUS_BAD_INPUT, message);
    table_release(&t);
}

/* Samples of both parts together, which has which value in its first column. */
static int64_t count_first(const struct dataset *d, float value)
{
    const struct samples *parts[] = {&d->train, &d->test};
    int64_t found = 0;

    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < parts[k]->count; i++)
            found += !(parts[k]->values[i * d->channels] < value) &&
                     !(parts[k]->values[i * d->channels] > value);
    return found;
}

static void test_the_last_column_has_the_class_and_the_others_are_inputs(void)
{
    struct table_case t;

    table_init(&t, "width,height,kind\n1,2,plum\n3,4,pear\n5,6,plum\n7,8.5,pear\n");
    if (EXPECT_OK(table_load(&t))) {
        EXPECT_INT(t.d->channels, 2);
        EXPECT_INT(t.d->height * t.d->width, 1);
        EXPECT_INT(t.d->classes, 2);
        EXPECT_TEXT(t.d->class_names[0], "pear");
        EXPECT_TEXT(t.d->class_names[1], "plum");
        EXPECT_INT(t.d->train.count, 2); /* one of each class tests */
        EXPECT_INT(t.d->test.count, 2);
        for (int k = 1; k <= 7; k += 2)
            EXPECT_INT(count_first(t.d, (float)k), 1);
    }
    table_release(&t);
}

static void test_every_row_keeps_its_own_class(void)
{
    struct text file = {0};
    struct table_case t;

    for (int i = 0; i < 100; i++)
        text_addf(&file, "%d;%d\n", i, i % 3);
    table_init(&t, text_get(&file));
    if (EXPECT_OK(table_load(&t))) {
        EXPECT_INT(t.d->classes, 3);
        EXPECT_INT(t.d->test.count, 9); /* three of 34, of 33 and of 33 */
        for (int64_t i = 0; i < t.d->train.count; i++)
            EXPECT_INT(t.d->train.labels[i], (int64_t)t.d->train.values[i] % 3);
        for (int64_t i = 0; i < t.d->test.count; i++)
            EXPECT_INT(t.d->test.labels[i], (int64_t)t.d->test.values[i] % 3);
    }
    table_release(&t);
    text_release(&file);
}

static void test_the_seed_chooses_the_rows_that_test(void)
{
    struct table_case t, u;
    struct text file = {0};

    for (int i = 0; i < 200; i++)
        text_addf(&file, "%d,%d\n", i, i % 2);
    table_init(&t, text_get(&file));
    table_init(&u, text_get(&file));
    set_option(&t.chosen, "test_fraction", "0.25");
    set_option(&u.chosen, "test_fraction", "0.25");
    set_option(&u.chosen, "seed", "2");
    if (EXPECT_OK(table_load(&t)) && EXPECT_OK(table_load(&u))) {
        EXPECT_INT(t.d->test.count, 50);
        EXPECT_INT(u.d->test.count, 50);
        EXPECT(memcmp((const char *)t.d->test.values, (const char *)u.d->test.values,
                      50 * sizeof(float)) != 0);
    }
    table_release(&t);
    table_release(&u);
    text_release(&file);
}

static void test_a_first_row_with_words_only_in_the_class_is_no_header(void)
{
    struct table_case t;

    table_init(&t, "1,2,a\n3,4,b\n5,6,a\n7,8,b\n");
    if (EXPECT_OK(table_load(&t)))
        EXPECT_INT(t.d->train.count + t.d->test.count, 4);
    table_release(&t);
    table_init(&t, "10,20,30\n3,4,0\n5,6,1\n7,8,0\n9,10,1\n");
    set_option(&t.chosen, "header", "yes");
    set_option(&t.chosen, "label", "30");
    if (EXPECT_OK(table_load(&t))) {
        EXPECT_INT(t.d->train.count + t.d->test.count, 4);
        EXPECT_INT(t.d->classes, 2);
    }
    table_release(&t);
}

static void test_columns_are_named_by_name_or_number(void)
{
    static const char table[] = "id,kind,a,b\n7,x,1,10\n8,y,2,20\n9,x,3,30\n10,y,4,40\n";
    static const char *const labels[] = {"kind", "2"};
    struct table_case t;

    for (int k = 0; k < 2; k++) {
        table_init(&t, table);
        set_option(&t.chosen, "label", labels[k]);
        set_option(&t.chosen, "ignore", "id");
        if (EXPECT_OK(table_load(&t))) {
            EXPECT_INT(t.d->channels, 2);
            EXPECT_NEAR((double)(t.d->train.values[1] / t.d->train.values[0]), 10.0, 0.0);
            EXPECT_TEXT(t.d->class_names[1], "y");
        }
        table_release(&t);
    }
}

static void test_targets_are_numbers_in_the_order_of_the_columns(void)
{
    struct table_case t;

    table_init(&t, "y1,a,y2\n1.5,1,2.5\n3,2,4\n5,3,6\n");
    set_option(&t.chosen, "targets", "y2,y1");
    if (EXPECT_OK(table_load(&t))) {
        EXPECT_INT(t.d->classes, 0);
        EXPECT_INT(t.d->target_size, 2);
        EXPECT_INT(t.d->channels, 1);
        EXPECT_INT(t.d->test.count, 1);
        EXPECT(t.d->train.labels == NULL);
        EXPECT_NEAR((double)(t.d->train.targets[1] - t.d->train.targets[0]), 1.0, 0.0);
    }
    table_release(&t);
}

static void test_a_second_file_is_the_test_part(void)
{
    static const char test[] = "a,kind\n9,y\n", wrong[] = "a,kind\n9,z\n",
                      other[] = "b,kind\n9,y\n";
    struct table_case t;

    table_init(&t, "a,kind\n1,x\n2,y\n");
    files_write(t.folder, "test.csv", test, strlen(test));
    files_write(t.folder, "wrong.csv", wrong, strlen(wrong));
    files_write(t.folder, "other.csv", other, strlen(other));
    char *paths[] = {file_join(t.folder, "test.csv"), file_join(t.folder, "wrong.csv"),
                     file_join(t.folder, "other.csv")};
    set_option(&t.chosen, "test", paths[1]);
    EXPECT_FAILS(table_load(&t), STATUS_BAD_INPUT,
                 "wrong.csv:2: class \"z\" is not among those of the training part");
    set_option(&t.chosen, "test", paths[2]);
    EXPECT_FAILS(table_load(&t), STATUS_BAD_INPUT, "other.csv: column 1 is \"b\"; in ");
    set_option(&t.chosen, "test", paths[0]);
    if (EXPECT_OK(table_load(&t))) {
        EXPECT_INT(t.d->train.count, 2);
        EXPECT_INT(t.d->test.count, 1);
        EXPECT_INT(t.d->test.labels[0], 1);
        EXPECT_NEAR((double)t.d->test.values[0], 9.0, 0.0);
    }
    for (int k = 0; k < 3; k++)
        mem_free(paths[k]);
    table_release(&t);
}

static void test_numbers_are_sorted_by_value_and_before_words(void)
{
    char a[] = "10", b[] = "b", c1[] = "9", d[] = "10", e[] = "-1", f[] = "B";
    char *words[] = {a, b, c1, d, e, f};
    static const char *const expected[] = {"-1", "9", "10", "B", "b"};
    struct class_names c;

    class_names_init(&c, words, 6);
    EXPECT_INT(c.count, 5);
    for (int64_t i = 0; i < 5 && i < c.count; i++) {
        EXPECT_TEXT(c.names[i], expected[i]);
        EXPECT_INT(class_names_find(&c, expected[i]), i);
    }
    EXPECT_INT(class_names_find(&c, "c"), -1);
    EXPECT_INT(class_names_find(&c, ""), -1);
    class_names_release(&c);
}

static void test_what_is_wrong_in_a_table_is_named_with_line_and_column(void)
{
    expect_rejected("", NULL, NULL, "t.csv: is empty");
    expect_rejected("a,b\n", NULL, NULL, "t.csv: has no rows of data");
    expect_rejected("a,k\n1,x\nred,y\n", NULL, NULL, "t.csv:3:1: \"red\" is not a number");
    expect_rejected("a,k\n1,x\n,y\n", NULL, NULL,
                    "t.csv:3:1: the value is missing in column 1 (a)");
    expect_rejected("a,k\n1,x\n2,\n", NULL, NULL,
                    "t.csv:3:3: the value is missing in column 2 (k)");
    expect_rejected("a,k\n1,x\n2\n", NULL, NULL, "t.csv:3: the row has 1 cells");
    expect_rejected("a,k\n1,2.5\n2,3\n", NULL, NULL, "t.csv:2:3: the class must be a word or");
    expect_rejected("a,k\n1e99,x\n2,y\n", NULL, NULL, "t.csv:2:1: the number is too large");
    expect_rejected("a,k\n1,x\n2,x\n", NULL, NULL, "t.csv: all rows have class \"x\"");
    expect_rejected("a,k\n1,x\n2,y\n", NULL, NULL, "t.csv: has 2 samples, too few to train and");
    expect_rejected("k\nx\ny\n", NULL, NULL, "none of them is left as an input");
}

static void test_what_is_wrong_in_the_options_is_named(void)
{
    static const char table[] = "a,b,k\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n";

    expect_rejected(table, "label", "kind",
                    "has no column \"kind\"; it has columns 1 to 3, named a, b, k");
    expect_rejected(table, "label", "4", "data.label: ");
    expect_rejected(table, "targets", "a,,b", "data.targets: ");
    expect_rejected(table, "targets", "a,1", "data.targets: column \"1\" of ");
    expect_rejected(table, "separator", "tab", "none of them is left as an input");
    expect_rejected(table, "header", "no", "t.csv:1:1: \"a\" is not a number");
}

TEST_MAIN(TEST(test_the_last_column_has_the_class_and_the_others_are_inputs),
          TEST(test_every_row_keeps_its_own_class), TEST(test_the_seed_chooses_the_rows_that_test),
          TEST(test_a_first_row_with_words_only_in_the_class_is_no_header),
          TEST(test_columns_are_named_by_name_or_number),
          TEST(test_targets_are_numbers_in_the_order_of_the_columns),
          TEST(test_a_second_file_is_the_test_part),
          TEST(test_numbers_are_sorted_by_value_and_before_words),
          TEST(test_what_is_wrong_in_a_table_is_named_with_line_and_column),
          TEST(test_what_is_wrong_in_the_options_is_named))
