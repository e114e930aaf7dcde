/*
 * test_field.c - field tables: defaults, every kind with its limits, messages, the dump, the help.
 */
#include "base/mem.h"
#include "conf/field.h"
#include "conf/yaml.h"
#include "test.h"

struct sample {
    int64_t batch_size;
    int64_t seed;
    double lr;
    double free_real;
    bool nesterov;
    char *name_text;
    char *path_text;
    int act;
    struct field_ints widths;
};

static const char *const acts[] = {"relu", "leaky_relu", "tanh", NULL};

static const struct field sample_fields[] = {
    FIELD_INT(struct sample, batch_size, 32, 1, 1e6, "samples per step"),
    FIELD_INT(struct sample, seed, 7, INT64_MIN, INT64_MAX, "where random numbers begin"),
    FIELD_REAL(struct sample, lr, 0.01, 0, INFINITY, "step size"),
    FIELD_REAL(struct sample, free_real, -1.5, -INFINITY, INFINITY, "any number"),
    FIELD_BOOL(struct sample, nesterov, false, "look ahead"),
    FIELD_TEXT(struct sample, name_text, "run", "what it is called"),
    FIELD_TEXT(struct sample, path_text, NULL, "where it | goes"),
    FIELD_CHOICE(struct sample, act, "leaky_relu", acts, "the nonlinearity"),
    FIELD_INTS(struct sample, widths, "16,8", 1, 4096, "units of each layer"),
    FIELD_LAST,
};

static const struct fields_place place = {.owner = "optimizer sample", .path = "optimizer"};

static struct node *parse(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    return root;
}

/* Defaults, then what the YAML says. */
static enum status read_yaml(struct sample *s, const char *yaml)
{
    struct node *map = parse(yaml);

    fields_default(sample_fields, s);
    const enum status status = fields_read(sample_fields, s, map, &place);
    node_free(map);
    return status;
}

static void accepted(struct sample *s, const char *yaml)
{
    fields_release(sample_fields, s);
    EXPECT_OK(read_yaml(s, yaml));
}

static void refused(const char *yaml, const char *message)
{
    struct sample s = {0};

    EXPECT_INT(read_yaml(&s, yaml), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), message);
    fields_release(sample_fields, &s);
}

static void test_defaults_are_those_of_the_table(void)
{
    struct sample s = {0};

    fields_default(sample_fields, &s);
    EXPECT_INT(s.batch_size, 32);
    EXPECT_INT(s.seed, 7);
    EXPECT(s.lr == 0.01 && s.free_real == -1.5 && !s.nesterov);
    EXPECT_TEXT(s.name_text, "run");
    EXPECT(s.path_text == NULL);
    EXPECT_INT(s.act, 1);
    EXPECT_INT(s.widths.count, 2);
    EXPECT_INT(s.widths.values[0], 16);
    EXPECT_INT(s.widths.values[1], 8);
    fields_release(sample_fields, &s);
    EXPECT(s.name_text == NULL);
    fields_release(sample_fields, &s);
}

static void test_whole_numbers_have_limits_and_are_whole(void)
{
    struct sample s = {0};

    accepted(&s, "batch_size: 1");
    EXPECT_INT(s.batch_size, 1);
    accepted(&s, "batch-size: 1000000");
    EXPECT_INT(s.batch_size, 1000000);
    accepted(&s, "batch_size: 1e3");
    EXPECT_INT(s.batch_size, 1000);
    accepted(&s, "batch_size: 64.0");
    EXPECT_INT(s.batch_size, 64);
    accepted(&s, "seed: 9223372036854775807");
    EXPECT_INT(s.seed, INT64_MAX);
    accepted(&s, "seed: -9223372036854775808");
    EXPECT_INT(s.seed, INT64_MIN);
    refused("a: 1", "f.yaml:1:1: optimizer.a: optimizer sample has no such option; it has "
                    "batch_size, seed, lr, free_real, nesterov, name_text, path_text, act, widths");
    refused("batch_size: 0", "f.yaml:1:1: optimizer.batch_size: 0 is outside [1, 1e+06]");
    refused("\n\n  batch_size: 1000001",
            "f.yaml:3:3: optimizer.batch_size: 1000001 is outside [1, 1e+06]");
    refused("batch_size: 2.5", "f.yaml:1:1: optimizer.batch_size: 2.5 is not a whole number");
    refused("batch_size: 1_000", "f.yaml:1:1: optimizer.batch_size: 1_000 is not a whole number");
    refused("batch_size: many", "f.yaml:1:1: optimizer.batch_size: many is not a whole number");
    refused("batch_size: inf", "f.yaml:1:1: optimizer.batch_size: inf is not a whole number");
    refused("batch_size: nan", "f.yaml:1:1: optimizer.batch_size: nan is not a whole number");
    refused("batch_size: 0x10", "f.yaml:1:1: optimizer.batch_size: 0x10 is not a whole number");
    refused("batch_size: ''", "f.yaml:1:1: optimizer.batch_size: \"\" is not a whole number");
    refused("batch_size: 3 4", "f.yaml:1:1: optimizer.batch_size: \"3 4\" is not a whole number");
    refused("batch_size:", "f.yaml:1:1: optimizer.batch_size: missing value");
    refused("seed: 9223372036854775808",
            "f.yaml:1:1: optimizer.seed: 9223372036854775808 is not a whole number");
    refused("batch_size: [1]",
            "f.yaml:1:1: optimizer.batch_size: a single value is expected, not a list");
    refused("batch_size: {a: 1}",
            "f.yaml:1:1: optimizer.batch_size: a single value is expected, not a map");
    fields_release(sample_fields, &s);
}

static void test_real_numbers_have_limits_and_are_numbers(void)
{
    struct sample s = {0};

    accepted(&s, "lr: 0");
    EXPECT(s.lr == 0);
    accepted(&s, "lr: 1e-3");
    EXPECT(s.lr == 1e-3);
    accepted(&s, "lr: inf");
    EXPECT(isinf(s.lr));
    accepted(&s, "{lr: \"5\", free_real: -.5}");
    EXPECT(s.lr == 5 && s.free_real == -0.5);
    accepted(&s, "free_real: -inf");
    EXPECT(isinf(s.free_real) && s.free_real < 0);
    refused("lr: -1", "f.yaml:1:1: optimizer.lr: -1 is outside [0, inf]");
    refused("lr: nan", "f.yaml:1:1: optimizer.lr: nan is not a number");
    refused("free_real: .nan", "f.yaml:1:1: optimizer.free_real: .nan is not a number");
    refused("lr: fast", "f.yaml:1:1: optimizer.lr: fast is not a number");
    refused("lr: 0.1x", "f.yaml:1:1: optimizer.lr: 0.1x is not a number");
    refused("lr:", "f.yaml:1:1: optimizer.lr: missing value");
    fields_release(sample_fields, &s);
}

static void test_truth_has_six_words(void)
{
    static const char *const yes[] = {"true", "yes", "on", "True", "YES"};
    static const char *const no[] = {"false", "no", "off", "FALSE"};
    struct sample s = {0};
    char yaml[32];

    for (int i = 0; i < 5; i++) {
        snprintf(yaml, sizeof yaml, "nesterov: %s", yes[i]);
        accepted(&s, yaml);
        EXPECT(s.nesterov);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(yaml, sizeof yaml, "nesterov: %s", no[i]);
        accepted(&s, yaml);
        EXPECT(!s.nesterov);
    }
    refused("nesterov: 1", "f.yaml:1:1: optimizer.nesterov: 1 is not true or false");
    refused("nesterov: maybe", "f.yaml:1:1: optimizer.nesterov: maybe is not true or false");
    fields_release(sample_fields, &s);
}

static void test_texts_are_copied_and_null_is_not_given(void)
{
    struct sample s = {0};

    accepted(&s, "{name_text: 'a: b', path_text: /tmp/x}");
    EXPECT_TEXT(s.name_text, "a: b");
    EXPECT_TEXT(s.path_text, "/tmp/x");
    accepted(&s, "name_text:");
    EXPECT(s.name_text == NULL);
    accepted(&s, "name_text: ''");
    EXPECT_TEXT(s.name_text, "");
    accepted(&s, "name_text: 'null'");
    EXPECT_TEXT(s.name_text, "null");
    refused("name_text: [a]",
            "f.yaml:1:1: optimizer.name_text: a single value is expected, not a list");
    fields_release(sample_fields, &s);
}

static void test_choices_are_words_of_a_list(void)
{
    struct sample s = {0};

    accepted(&s, "act: relu");
    EXPECT_INT(s.act, 0);
    accepted(&s, "act: leaky-relu");
    EXPECT_INT(s.act, 1);
    accepted(&s, "act: tanh");
    EXPECT_INT(s.act, 2);
    refused("act: tahn", "f.yaml:1:1: optimizer.act: tahn is not one of relu, leaky_relu, tanh; "
                         "did you mean tanh?");
    refused("act: sine", "f.yaml:1:1: optimizer.act: sine is not one of relu, leaky_relu, tanh");
    fields_release(sample_fields, &s);
}

static void test_lists_of_numbers_are_lists_or_words(void)
{
    struct sample s = {0};
    struct text many = {0};

    accepted(&s, "widths: [1, 4096, 7]");
    EXPECT_INT(s.widths.count, 3);
    EXPECT_INT(s.widths.values[1], 4096);
    accepted(&s, "widths: 5");
    EXPECT_INT(s.widths.count, 1);
    accepted(&s, "widths: \"300, 100 ,10\"");
    EXPECT_INT(s.widths.count, 3);
    EXPECT_INT(s.widths.values[2], 10);
    accepted(&s, "widths: []");
    EXPECT_INT(s.widths.count, 0);
    accepted(&s, "widths: ''");
    EXPECT_INT(s.widths.count, 0);
    refused("widths:\n  - 5\n  - 0\n", "f.yaml:3:5: optimizer.widths: 0 is outside [1, 4096]");
    refused("widths: [5, x]", "f.yaml:1:13: optimizer.widths: x is not a whole number");
    refused("widths: '5,,6'", "f.yaml:1:1: optimizer.widths: \"\" is not a whole number");
    refused("widths: '5,'", "f.yaml:1:1: optimizer.widths: \"\" is not a whole number");
    refused("widths: '5,4097'", "f.yaml:1:1: optimizer.widths: 4097 is outside [1, 4096]");
    refused("widths: [[5]]",
            "f.yaml:1:10: optimizer.widths: a single value is expected, not a list");
    refused("widths: {a: 5}",
            "f.yaml:1:1: optimizer.widths: a single value is expected, not a map");
    refused("widths:", "f.yaml:1:1: optimizer.widths: missing value");

    text_add(&many, "1");
    for (int i = 1; i < FIELD_INTS_MAX; i++)
        text_add(&many, ",1");
    char *yaml = text_format("widths: [%s]", text_get(&many));
    accepted(&s, yaml);
    EXPECT_INT(s.widths.count, FIELD_INTS_MAX);
    mem_free(yaml);
    yaml = text_format("widths: [%s,1]", text_get(&many));
    refused(yaml, "f.yaml:1:1: optimizer.widths: more than 32 numbers");
    mem_free(yaml);
    yaml = text_format("widths: \"%s,1\"", text_get(&many));
    refused(yaml, "f.yaml:1:1: optimizer.widths: more than 32 numbers");
    mem_free(yaml);
    text_release(&many);
    fields_release(sample_fields, &s);
}

static void test_unknown_keys_are_refused_with_a_suggestion(void)
{
    refused("lr: 1\n  \nbatchsize: 3\n", "f.yaml:3:1: optimizer.batchsize: optimizer sample has no "
                                         "such option; did you mean batch_size?");
    refused("[1, 2]", "f.yaml:1:1: optimizer: a map of options is expected, not a list");
    refused("adam", "f.yaml:1:1: optimizer: a map of options is expected, not a single value");
}

static void test_keys_of_others_are_left_alone(void)
{
    static const char *const skip[] = {"name", NULL};
    const struct fields_place with_skip = {
        .owner = "optimizer sample", .path = "optimizer", .skip = skip};
    struct sample s = {0};
    struct node *map = parse("{name: [whatever], lr: 2}"), *near = parse("nmae: 3");

    fields_default(sample_fields, &s);
    EXPECT_OK(fields_read(sample_fields, &s, map, &with_skip));
    EXPECT(s.lr == 2);
    EXPECT_FAILS(fields_read(sample_fields, &s, near, &with_skip), STATUS_BAD_INPUT,
                 "did you mean name?");
    EXPECT_OK(fields_read(sample_fields, &s, NULL, &with_skip));
    EXPECT_FAILS(fields_read(NULL, NULL, near, &place), STATUS_BAD_INPUT,
                 "optimizer sample has no such option; it has none");
    node_free(map);
    node_free(near);
    fields_release(sample_fields, &s);
}

static void test_a_flag_is_named_without_its_path(void)
{
    struct sample s = {0};
    struct node *map = node_new(NODE_MAP, "flags", 0, 0);

    fields_default(sample_fields, &s);
    node_put(map, "lr", node_new_scalar("-1", "--lr", 0, 0));
    EXPECT_INT(fields_read(sample_fields, &s, map, &place), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "--lr: -1 is outside [0, inf]");
    node_put(map, "lr", node_new_scalar("1", "--lr", 0, 0));
    node_put(map, "nestrov", node_new_scalar("1", "--optimizer.nestrov", 0, 0));
    EXPECT_INT(fields_read(sample_fields, &s, map, &place), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "--optimizer.nestrov: optimizer sample has no such option; did "
                                  "you mean nesterov?");
    node_free(map);
    fields_release(sample_fields, &s);
}

static void test_the_dump_reads_back_to_the_same_values(void)
{
    struct sample s = {0}, back = {0};
    struct node *map = node_new(NODE_MAP, "effective", 0, 0);
    struct text yaml = {0};

    accepted(&s, "{seed: 9007199254740993, lr: 0.1, free_real: -inf, nesterov: on, "
                 "name_text: 'null', act: tanh, widths: [3, 2, 1]}");
    fields_dump(sample_fields, &s, map);
    node_write(map, &yaml);
    EXPECT_TEXT(text_get(&yaml), "batch_size: 32\nseed: 9007199254740993\nlr: 0.1\n"
                                 "free_real: -inf\nnesterov: true\nname_text: \"null\"\n"
                                 "act: tanh\nwidths: [3, 2, 1]\n");
    accepted(&back, text_get(&yaml));
    EXPECT_INT(back.seed, 9007199254740993);
    EXPECT(back.lr == s.lr && back.free_real == s.free_real && back.nesterov);
    EXPECT_TEXT(back.name_text, "null");
    EXPECT(back.path_text == NULL);
    EXPECT_INT(back.act, 2);
    EXPECT(memcmp(&s.widths, &back.widths, sizeof s.widths) == 0);
    text_release(&yaml);
    node_free(map);
    fields_release(sample_fields, &s);
    fields_release(sample_fields, &back);
}

static void test_values_are_shown_as_text(void)
{
    static const char *const shown[] = {"32",  "7", "0.01",       "-1.5", "false",
                                        "run", "",  "leaky_relu", "16,8"};
    struct sample s = {0};
    struct text out = {0};

    fields_default(sample_fields, &s);
    for (int i = 0; i < 9; i++) {
        text_clear(&out);
        field_value_text(&sample_fields[i], &s, &out);
        EXPECT_TEXT(text_get(&out), shown[i]);
    }
    text_release(&out);
    fields_release(sample_fields, &s);
}

static void test_names_are_found_with_dash_or_underscore(void)
{
    EXPECT(fields_find(sample_fields, "batch-size") == &sample_fields[0]);
    EXPECT(fields_find(sample_fields, "batch_size") == &sample_fields[0]);
    EXPECT(fields_find(sample_fields, "batch") == NULL);
    EXPECT(fields_find(NULL, "batch") == NULL);
}

static void test_help_shows_flag_meaning_default_and_range(void)
{
    struct text out = {0};

    fields_help(sample_fields, "sample.", &out);
    EXPECT_TEXT(text_get(&out),
                "  --sample.batch-size N       samples per step (default 32; 1 to 1e+06)\n"
                "  --sample.seed N             where random numbers begin (default 7)\n"
                "  --sample.lr X               step size (default 0.01; at least 0)\n"
                "  --sample.free-real X        any number (default -1.5)\n"
                "  --sample.nesterov           look ahead (default false)\n"
                "  --sample.name-text TEXT     what it is called (default run)\n"
                "  --sample.path-text TEXT     where it | goes\n"
                "  --sample.act NAME           the nonlinearity (default leaky_relu; relu, "
                "leaky_relu, tanh)\n"
                "  --sample.widths N,N,...     units of each layer (default 16,8; 1 to 4096)\n");
    text_release(&out);
}

static void test_help_is_wrapped_at_column_96(void)
{
    struct text out = {0}, words = {0};

    for (int i = 0; i < 60; i++)
        text_add(&words, "word ");
    fields_help_row("--a-flag-with-a-very-long-name VALUE", text_get(&words), &out);
    int lines = 0, found = 0;
    for (const char *s = text_get(&out); *s != '\0'; s = strchr(s, '\n') + 1) {
        const size_t length = strcspn(s, "\n");
        EXPECT(length <= 96);
        EXPECT(lines == 0 || strspn(s, " ") == 30);
        lines++;
    }
    for (const char *s = text_get(&out); (s = strstr(s, "word")) != NULL; s++)
        found++;
    EXPECT_INT(found, 60);
    EXPECT_INT(lines, 6); /* the name, then 13 words of 5 columns in each row of 66 */
    text_release(&out);
    text_release(&words);
}

static void test_markdown_has_a_row_per_field(void)
{
    struct text out = {0};

    fields_markdown(sample_fields, "optimizer.", &out);
    EXPECT_HAS(text_get(&out), "| `optimizer.batch_size` | 32 | 1 to 1e+06 | samples per step |\n");
    EXPECT_HAS(text_get(&out), "| `optimizer.nesterov` | false | true, false | look ahead |\n");
    EXPECT_HAS(text_get(&out), "| `optimizer.path_text` |  |  | where it \\| goes |\n");
    EXPECT_HAS(text_get(&out), "| `optimizer.act` | leaky_relu | relu, leaky_relu, tanh | the ");
    text_release(&out);
}

TEST_MAIN(TEST(test_defaults_are_those_of_the_table),
          TEST(test_whole_numbers_have_limits_and_are_whole),
          TEST(test_real_numbers_have_limits_and_are_numbers), TEST(test_truth_has_six_words),
          TEST(test_texts_are_copied_and_null_is_not_given), TEST(test_choices_are_words_of_a_list),
          TEST(test_lists_of_numbers_are_lists_or_words),
          TEST(test_unknown_keys_are_refused_with_a_suggestion),
          TEST(test_keys_of_others_are_left_alone), TEST(test_a_flag_is_named_without_its_path),
          TEST(test_the_dump_reads_back_to_the_same_values), TEST(test_values_are_shown_as_text),
          TEST(test_names_are_found_with_dash_or_underscore),
          TEST(test_help_shows_flag_meaning_default_and_range),
          TEST(test_help_is_wrapped_at_column_96), TEST(test_markdown_has_a_row_per_field))
