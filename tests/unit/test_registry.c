/*
 * test_registry.c - choosing by name: sections of all shapes, suggestions, options, the dump.
 */
#include "conf/registry.h"
#include "conf/yaml.h"
#include "test.h"

struct adam_opts {
    double lr, beta1;
    char *note;
};

static const struct field adam_fields[] = {
    FIELD_REAL(struct adam_opts, lr, 0.001, 0, 10, "step size"),
    FIELD_REAL(struct adam_opts, beta1, 0.9, 0, 1, "decay of the mean"),
    FIELD_TEXT(struct adam_opts, note, "n", "a text, to be freed"),
    FIELD_LAST,
};

static const struct entry adam = {.name = "adam",
                                  .summary = "moments",
                                  .fields = adam_fields,
                                  .options_size = sizeof(struct adam_opts)};
static const struct entry adam_w = {.name = "adam_w",
                                    .summary = "moments and decay",
                                    .fields = adam_fields,
                                    .options_size = sizeof(struct adam_opts)};
static const struct entry plain = {
    .name = "plain", .summary = "no options", .fields = NULL, .options_size = 0};
static const struct entry *const entries[] = {&adam, &adam_w, &plain, NULL};
static const struct registry registry = {"optimizer", "optimizer", entries};

static struct node *parse(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    return root;
}

static enum status read_section(struct choice *c, const char *yaml,
                                const struct choice_place *place)
{
    struct node *root = parse(yaml);
    const enum status status = choice_read(c, &registry, node_find(root, "optimizer"), place);

    node_free(root);
    return status;
}

static void refused(const char *yaml, const char *message)
{
    struct choice c;

    EXPECT_INT(read_section(&c, yaml, NULL), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), message);
    EXPECT(c.entry == NULL && c.options == NULL);
}

static void test_entries_are_found_with_dash_or_underscore(void)
{
    EXPECT(registry_find(&registry, "adam") == &adam);
    EXPECT(registry_find(&registry, "adam-w") == &adam_w);
    EXPECT(registry_find(&registry, "adamw") == NULL);
    EXPECT(registry_find(&registry, "") == NULL);
}

static void test_a_wrong_name_brings_a_suggestion_or_the_list(void)
{
    const struct entry *e = &plain;

    EXPECT_INT(registry_get(&registry, "adma", NULL, &e), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "there is no optimizer adma; did you mean adam?");
    EXPECT(e == NULL);
    EXPECT_INT(registry_get(&registry, "lbfgs", NULL, &e), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "there is no optimizer lbfgs; there are adam, adam_w, plain");
    EXPECT_OK(registry_get(&registry, "plain", NULL, &e));
    EXPECT(e == &plain);
}

static void test_a_section_is_a_name_or_a_map(void)
{
    const struct choice_place place = {.fallback = "adam"};
    struct choice c;

    EXPECT_OK(read_section(&c, "optimizer: adam-w", NULL));
    EXPECT(c.entry == &adam_w);
    EXPECT(((struct adam_opts *)c.options)->beta1 == 0.9);
    choice_release(&c);

    EXPECT_OK(read_section(&c, "optimizer: {beta1: 0.5, name: adam, note: x}", NULL));
    EXPECT(c.entry == &adam);
    EXPECT(((struct adam_opts *)c.options)->beta1 == 0.5);
    EXPECT_TEXT(((struct adam_opts *)c.options)->note, "x");
    choice_release(&c);
    choice_release(&c);
    EXPECT(c.entry == NULL);

    EXPECT_OK(read_section(&c, "optimizer: plain", NULL));
    EXPECT(c.entry == &plain && c.options == NULL);
    choice_release(&c);

    EXPECT_OK(read_section(&c, "optimizer: {lr: 2}", &place));
    EXPECT(c.entry == &adam && ((struct adam_opts *)c.options)->lr == 2);
    choice_release(&c);
    EXPECT_OK(read_section(&c, "optimizer:", &place));
    EXPECT(c.entry == &adam);
    choice_release(&c);
    EXPECT_OK(read_section(&c, "other: 1", &place));
    EXPECT(c.entry == &adam);
    choice_release(&c);
}

static void test_what_is_wrong_in_a_section_is_named(void)
{
    refused("a: 1\noptimizer: adm\n",
            "f.yaml:2:1: optimizer: there is no optimizer adm; did you mean adam?");
    refused("optimizer:\n  lr: 1\n  name: adm\n",
            "f.yaml:3:3: optimizer.name: there is no optimizer adm; did you mean adam?");
    refused(
        "optimizer: {name: adam, betta1: 1}",
        "f.yaml:1:25: optimizer.betta1: optimizer adam has no such option; did you mean beta1?");
    refused("optimizer:\n  name: adam\n  beta1: 2\n",
            "f.yaml:3:3: optimizer.beta1: 2 is outside [0, 1]");
    refused("optimizer: {name: plain, lr: 1}",
            "f.yaml:1:26: optimizer.lr: optimizer plain has no such option; it has name");
    refused("optimizer: [adam]", "f.yaml:1:1: optimizer: a name or a map with a name is expected, "
                                 "not a list");
    refused("optimizer: {name: [adam]}", "f.yaml:1:13: optimizer.name: a single name is expected");
    refused("optimizer: {lr: 1}",
            "f.yaml:1:1: optimizer: no optimizer is named; there are adam, adam_w, plain");
    refused("a: 1", "optimizer: no optimizer is named; there are adam, adam_w, plain");
}

static void test_keys_of_others_are_left_alone(void)
{
    static const char *const skip[] = {"clip", NULL};
    const struct choice_place place = {.skip = skip};
    struct choice c;

    EXPECT_OK(read_section(&c, "optimizer: {name: adam, clip: 5, lr: 1}", &place));
    choice_release(&c);
    EXPECT_FAILS(read_section(&c, "optimizer: {name: adam, clap: 5}", &place), STATUS_BAD_INPUT,
                 "did you mean clip?");
}

static void test_the_dump_reads_back(void)
{
    struct choice c, back;
    struct node *section = node_new(NODE_MAP, "effective", 0, 0);
    struct text yaml = {0};

    EXPECT_OK(read_section(&c, "optimizer: {name: adam-w, beta1: 0.25}", NULL));
    choice_dump(&c, section);
    node_write(section, &yaml);
    EXPECT_TEXT(text_get(&yaml), "name: adam_w\nlr: 0.001\nbeta1: 0.25\nnote: n\n");
    EXPECT_OK(choice_read(&back, &registry, section, NULL));
    EXPECT(back.entry == &adam_w && ((struct adam_opts *)back.options)->beta1 == 0.25);
    choice_release(&c);
    choice_release(&back);
    text_release(&yaml);
    node_free(section);
}

static void test_a_choice_can_be_made_by_code(void)
{
    struct choice c;

    choice_init(&c, &adam);
    EXPECT(((struct adam_opts *)c.options)->lr == 0.001);
    choice_release(&c);
    choice_init(&c, NULL);
    EXPECT(c.options == NULL);
    choice_release(&c);
}

TEST_MAIN(TEST(test_entries_are_found_with_dash_or_underscore),
          TEST(test_a_wrong_name_brings_a_suggestion_or_the_list),
          TEST(test_a_section_is_a_name_or_a_map), TEST(test_what_is_wrong_in_a_section_is_named),
          TEST(test_keys_of_others_are_left_alone), TEST(test_the_dump_reads_back),
          TEST(test_a_choice_can_be_made_by_code))
