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

/* ------------------------------------------------------------------ choices inside of options */

struct local_opts {
    int64_t period;
    struct choice outer, always;
};

static const struct field local_fields[] = {
    FIELD_INT(struct local_opts, period, 16, 1, 100, "rounds between two averages"),
    FIELD_SECTION(struct local_opts, outer, NULL, &registry, "what steps at an average"),
    FIELD_SECTION(struct local_opts, always, "adam", &registry, "one that must be chosen"),
    FIELD_LAST,
};

static const struct entry local = {.name = "local",
                                   .summary = "averages",
                                   .fields = local_fields,
                                   .options_size = sizeof(struct local_opts)};
static const struct entry *const algorithms[] = {&local, &plain, NULL};
static const struct registry algorithm_registry = {"algorithm", "algorithm", algorithms};

static enum status read_algorithm(struct choice *c, const char *yaml)
{
    struct node *root = parse(yaml);
    const enum status status =
        choice_read(c, &algorithm_registry, node_find(root, "algorithm"), NULL);

    node_free(root);
    return status;
}

/* The dump of what is read, on one line each. */
static void expect_dump(const char *yaml, const char *dump)
{
    struct node *section = node_new(NODE_MAP, "effective", 0, 0);
    struct choice c = {0}, back = {0};
    struct text first = {0}, second = {0};

    if (EXPECT_OK(read_algorithm(&c, yaml))) {
        choice_dump(&c, section);
        node_write(section, &first);
        EXPECT_TEXT(text_get(&first), dump);
        EXPECT_OK(choice_read(&back, &algorithm_registry, section, NULL));
        node_free(section);
        section = node_new(NODE_MAP, "effective", 0, 0);
        choice_dump(&back, section);
        node_write(section, &second);
        EXPECT_TEXT(text_get(&second), dump);
    }
    choice_release(&c);
    choice_release(&back);
    text_release(&first);
    text_release(&second);
    node_free(section);
}

#define ALWAYS "always:\n  name: adam\n  lr: 0.001\n  beta1: 0.9\n  note: n\n"

static void test_an_option_can_be_a_choice_of_its_own(void)
{
    static const char none[] = "name: local\nperiod: 16\nouter: none\n" ALWAYS;

    expect_dump("algorithm: local", none);
    expect_dump("algorithm: {name: local, outer: none}", none);
    expect_dump("algorithm: {name: local, outer: {name: none}}", none);
    expect_dump("algorithm: {name: local, outer: }", none);
    expect_dump("algorithm: {name: local, outer: {}}", none);
    expect_dump("algorithm: {name: local, outer: plain}",
                "name: local\nperiod: 16\nouter:\n  name: plain\n" ALWAYS);
    expect_dump("algorithm: {name: local, outer: {beta1: 0.5, name: adam-w}, period: 4}",
                "name: local\nperiod: 4\nouter:\n  name: adam_w\n  lr: 0.001\n  beta1: 0.5\n"
                "  note: n\n" ALWAYS);
    expect_dump("algorithm: {name: local, always: {beta1: 0.5}}",
                "name: local\nperiod: 16\nouter: none\nalways:\n  name: adam\n  lr: 0.001\n"
                "  beta1: 0.5\n  note: n\n");
}

static void refused_algorithm(const char *yaml, const char *message)
{
    struct choice c;

    EXPECT_INT(read_algorithm(&c, yaml), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), message);
    EXPECT(c.entry == NULL && c.options == NULL);
}

static void test_what_is_wrong_inside_of_an_option_has_its_whole_path(void)
{
    refused_algorithm("algorithm:\n  name: local\n  outer: adm\n",
                      "f.yaml:3:3: algorithm.outer: there is no optimizer adm; did you mean adam?");
    refused_algorithm("algorithm:\n  name: local\n  outer:\n    name: x\n",
                      "f.yaml:4:5: algorithm.outer.name: there is no optimizer x; there are adam, "
                      "adam_w, plain, none");
    refused_algorithm("algorithm: {name: local, outer: {name: adam, betta1: 1}}",
                      "f.yaml:1:46: algorithm.outer.betta1: optimizer adam has no such option; did "
                      "you mean beta1?");
    refused_algorithm("algorithm: {name: local, outer: {name: adam, beta1: 2}}",
                      "f.yaml:1:46: algorithm.outer.beta1: 2 is outside [0, 1]");
    refused_algorithm("algorithm: {name: local, outer: {lr: 2}}",
                      "f.yaml:1:26: algorithm.outer: no optimizer is named; there are adam, "
                      "adam_w, plain, none");
    refused_algorithm("algorithm: {name: local, outer: {name: none, lr: 2}}",
                      "f.yaml:1:46: algorithm.outer.lr: no optimizer is chosen, so there is no "
                      "such option");
    refused_algorithm("algorithm: {name: local, always: none}",
                      "f.yaml:1:26: algorithm.always: there is no optimizer none; there are adam, "
                      "adam_w, plain");
    refused_algorithm("algorithm: {name: local, outer: [adam]}",
                      "f.yaml:1:26: algorithm.outer: a name or a map with a name is expected, not "
                      "a list");
}

static void expect_path(const char *path, const char *found)
{
    struct text canonical = {0};
    const struct field *f = fields_find_path(local_fields, path, &canonical);

    EXPECT((f != NULL) == (found != NULL));
    EXPECT_TEXT(text_get(&canonical), found == NULL ? "" : found);
    text_release(&canonical);
}

static void test_options_inside_of_options_are_found_by_their_paths(void)
{
    struct text out = {0};

    expect_path("period", "period");
    expect_path("outer", "outer.name");
    expect_path("outer.name", "outer.name");
    expect_path("outer.beta1", "outer.beta1");
    expect_path("outer.beta2", NULL);
    expect_path("period.x", NULL);
    expect_path("outer.", NULL);
    expect_path("", NULL);
    fields_suggest("outer.betta1", local_fields, NULL, &out);
    EXPECT_TEXT(text_get(&out), "did you mean outer.beta1?");
    text_release(&out);
}

static void test_help_lists_what_an_option_chooses_from(void)
{
    struct text help = {0}, page = {0};

    fields_help(local_fields, "local.", &help);
    EXPECT_HAS(text_get(&help), "--local.outer NAME");
    EXPECT_HAS(text_get(&help), "(default none; none, adam, adam_w, plain)");
    EXPECT_HAS(text_get(&help), "--local.outer.KEY VALUE");
    EXPECT_HAS(text_get(&help), "(default adam; adam, adam_w, plain)");
    fields_markdown(local_fields, "algorithm.", &page);
    EXPECT_HAS(text_get(&page), "| `algorithm.outer` | none | none, adam, adam_w, plain |");
    EXPECT_HAS(text_get(&page), "| `algorithm.outer.KEY` |");
    text_release(&help);
    text_release(&page);
}

TEST_MAIN(TEST(test_entries_are_found_with_dash_or_underscore),
          TEST(test_a_wrong_name_brings_a_suggestion_or_the_list),
          TEST(test_a_section_is_a_name_or_a_map), TEST(test_what_is_wrong_in_a_section_is_named),
          TEST(test_keys_of_others_are_left_alone), TEST(test_the_dump_reads_back),
          TEST(test_a_choice_can_be_made_by_code), TEST(test_an_option_can_be_a_choice_of_its_own),
          TEST(test_what_is_wrong_inside_of_an_option_has_its_whole_path),
          TEST(test_options_inside_of_options_are_found_by_their_paths),
          TEST(test_help_lists_what_an_option_chooses_from))
