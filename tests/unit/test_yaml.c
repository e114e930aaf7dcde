/*
 * test_yaml.c - what yaml_parse accepts, where it says that things stand, and all that it refuses.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "test.h"

static struct node *parse(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    return root;
}

/* The content is refused, with exactly this message. */
static void refused_n(const char *content, size_t length, const char *message)
{
    struct node *root = NULL;

    EXPECT_FAILS(yaml_parse(content, length, "f.yaml", &root), STATUS_BAD_INPUT, message);
    EXPECT(root == NULL);
    node_free(root);
}

static void refused(const char *content, const char *message)
{
    refused_n(content, strlen(content), message);
}

/* A text of `count` copies of a piece, and after them an end; mem_free. */
static char *repeat(const char *piece, int count, const char *end)
{
    struct text t = {0};

    for (int i = 0; i < count; i++)
        text_add(&t, piece);
    text_add(&t, end);
    return text_take(&t);
}

/* Processor time: what else the machine does is not the parser's. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void refused_quickly(char *content, const char *message)
{
    const double start = processor_seconds();

    refused(content, message);
    EXPECT(processor_seconds() - start < 1.0);
    mem_free(content);
}

static void expect_scalar(const struct node *n, const char *text, int line, int column)
{
    if (!EXPECT(n != NULL && n->kind == NODE_SCALAR))
        return;
    EXPECT_TEXT(n->text, text);
    EXPECT_INT(n->line, line);
    EXPECT_INT(n->column, column);
    EXPECT_TEXT(n->origin, "f.yaml");
}

/* --- several documents --- */

static struct node *parse_merged(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse_merged(content, strlen(content), "f.yaml", &root));
    return root;
}

static void refused_merged(const char *content, const char *message)
{
    struct node *root = NULL;

    EXPECT_FAILS(yaml_parse_merged(content, strlen(content), "f.yaml", &root), STATUS_BAD_INPUT,
                 message);
    EXPECT(root == NULL);
    node_free(root);
}

/* As two blocks of a text that each end with "...", the second of which begins with it too. */
static void test_maps_of_several_documents_become_one(void)
{
    static const char *const contents[] = {
        "a:\n  x: 1\n...\n...\nb: 2\n...\n",
        "a: {x: 1}\n\n...\nb: 2\n",
        "---\na:\n  x: 1\n---\nb: 2\n...\n---\n",
    };
    static const int lines[] = {5, 4, 5};

    for (int i = 0; i < 3; i++) {
        struct node *root = parse_merged(contents[i]);

        EXPECT_INT(root->count, 2);
        EXPECT(node_find_path(root, "a.x") != NULL);
        expect_scalar(node_find(root, "b"), "2", lines[i], 1);
        node_free(root);
    }
}

static void test_one_document_is_read_as_ever_also_where_several_may_be(void)
{
    struct node *root = parse_merged("[1, 2]\n...\n");

    EXPECT(root->kind == NODE_LIST && root->count == 2);
    node_free(root);
    root = parse_merged("");
    EXPECT(node_is_null(root));
    node_free(root);
    root = parse_merged("a: 1\n");
    expect_scalar(node_find(root, "a"), "1", 1, 1);
    node_free(root);
}

static void test_nothing_of_several_documents_is_dropped(void)
{
    refused_merged(
        "a: 1\nb_c: 2\n...\nb-c: 3\n",
        "f.yaml:4:1: only one document of a file may have the key b-c, which is already in line 2");
    refused_merged("a: 1\n---\n- 1\n", "f.yaml:3:1: every document");
    refused_merged("text\n---\na: 1\n", "f.yaml:1:1: every document");
    refused_merged("a: 1\n...\nb: [1\n", "f.yaml:");
    refused_merged("a: 1\n...\nb: *x\n", "f.yaml:3:4: aliases");
}

static void test_maps_lists_and_scalars_become_nodes_with_positions(void)
{
    struct node *root = parse("# a comment\n"
                              "seed: 3\n"
                              "optimizer:\n"
                              "  name: adam   # the name\n"
                              "  beta1: 0.9\n"
                              "list: [1, \"two\", 'three']\n"
                              "blocks:\n"
                              "  - a\n"
                              "  - {k: v}\n");

    expect_scalar(node_find(root, "seed"), "3", 2, 1);
    expect_scalar(node_find_path(root, "optimizer.name"), "adam", 4, 3);
    expect_scalar(node_find_path(root, "optimizer.beta1"), "0.9", 5, 3);
    const struct node *list = node_find(root, "list");
    EXPECT_INT(list->kind, NODE_LIST);
    EXPECT_INT(list->count, 3);
    EXPECT_INT(list->line, 6);
    EXPECT_INT(list->column, 1);
    expect_scalar(list->children[0], "1", 6, 8);
    expect_scalar(list->children[1], "two", 6, 11);
    expect_scalar(list->children[2], "three", 6, 18);
    const struct node *blocks = node_find(root, "blocks");
    expect_scalar(blocks->children[0], "a", 8, 5);
    expect_scalar(node_find(blocks->children[1], "k"), "v", 9, 6);
    EXPECT_INT(root->line, 2);
    EXPECT_INT(root->column, 1);
    node_free(root);
}

static void test_null_is_what_is_empty_and_not_quoted(void)
{
    struct node *root = parse("a:\nb: ~\nc: null\nd: \"\"\ne: 'null'\nf: \"~\"\ng: nil\nh: NULL\n");

    EXPECT(node_find(root, "a")->is_null && node_find(root, "b")->is_null);
    EXPECT(node_find(root, "c")->is_null && node_find(root, "h")->is_null);
    EXPECT_TEXT(node_find(root, "c")->text, "");
    EXPECT(!node_find(root, "d")->is_null);
    EXPECT_TEXT(node_find(root, "d")->text, "");
    EXPECT(!node_find(root, "e")->is_null);
    EXPECT_TEXT(node_find(root, "e")->text, "null");
    EXPECT(!node_find(root, "f")->is_null && !node_find(root, "g")->is_null);
    node_free(root);
}

static void test_nothing_is_a_null(void)
{
    static const char *const empty[] = {"", "\n", "# only a comment\n", "---\n", "---\n...\n"};

    for (int i = 0; i < 5; i++) {
        struct node *root = parse(empty[i]);
        EXPECT(root != NULL && node_is_null(root));
        node_free(root);
    }
}

static void test_one_document_may_have_its_marks(void)
{
    static const char *const forms[] = {"---\na: 1\n",
                                        "a: 1\n...\n",
                                        "--- {a: 1}\n...\n",
                                        "\xEF\xBB\xBF{a: 1}",
                                        "%YAML 1.2\n---\na: 1\n",
                                        "a: 1\r\nb: 2\r\n"};

    for (int i = 0; i < 6; i++) {
        struct node *root = parse(forms[i]);
        EXPECT(root != NULL && node_find(root, "a") != NULL);
        EXPECT_TEXT(node_find(root, "a")->text, "1");
        node_free(root);
    }
}

static void test_text_forms_are_read(void)
{
    struct node *root = parse("literal: |\n  one\n  two\n"
                              "folded: >-\n  one\n  two\n"
                              "escaped: \"a\\tb\\u00e9\\x41\"\n"
                              "single: 'it''s'\n"
                              "gr\xC3\xBC\xC3\x9F: \xE6\xBC\xA2\n"
                              "url: http://x/y#z\n");

    expect_scalar(node_find(root, "literal"), "one\ntwo\n", 1, 1);
    expect_scalar(node_find(root, "folded"), "one two", 4, 1);
    expect_scalar(node_find(root, "escaped"),
                  "a\tb\xC3\xA9"
                  "A",
                  7, 1);
    expect_scalar(node_find(root, "single"), "it's", 8, 1);
    expect_scalar(node_find(root, "gr\xC3\xBC\xC3\x9F"), "\xE6\xBC\xA2", 9, 1);
    expect_scalar(node_find(root, "url"), "http://x/y#z", 10, 1);
    node_free(root);
}

static void test_syntax_errors_name_line_and_column(void)
{
    refused("a: [1, 2\n", "f.yaml:2:1: flow sequence without a closing bracket");
    refused("a: b: c\n", "f.yaml:1:5: invalid nested block mapping on the same line");
    refused("x: 1\na: \"open\n", "f.yaml:2:5: double-quoted scalar without closing quote");
    refused("x: 1\n@foo: 1\n", "f.yaml:2:1: plain scalar cannot start with '@'");
    refused("- 1\nb: 2\n", "f.yaml:2:1: ");
    refused("a: }\n", "f.yaml:1:4: ");
}

static void test_aliases_and_anchors_are_refused(void)
{
    refused("a: 1\nb: &here 5\n", "f.yaml:2:4: anchors (&name) are not supported");
    refused("a: 1\nb: *there\n", "f.yaml:2:4: aliases (*name) are not supported");
    refused("a: &m {k: 1}\n", "f.yaml:1:4: anchors");
    refused("a: &l\n  - 1\n", "f.yaml:1:4: anchors");
    refused("&k a: 1\n", "f.yaml:1:1: anchors");
    refused("*k : 1\n", "f.yaml:1:1: aliases");
}

static void test_tags_are_refused(void)
{
    refused("a: 1\nb: !include other.yaml\n", "f.yaml:2:4: tags (!name) are not supported");
    refused("a: !!str 5\n", "f.yaml:1:4: tags");
    refused("!map {a: 1}\n", "f.yaml:1:1: tags");
}

static void test_duplicate_keys_are_refused(void)
{
    refused("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key a is given twice; first in line 1");
    refused("o:\n  lr: 1\n  x: 2\n  lr: 1\n",
            "f.yaml:4:3: the key lr is given twice; first in line 2");
    refused("o: {lr: 1, \"lr\": 2}\n", "f.yaml:1:12: the key lr is given twice");
    refused("mix_every: 1\nmix-every: 2\n", "f.yaml:2:1: the key mix-every is given twice");
    refused("a: 1\nb: 1\nb: 2\na: 2\n", "f.yaml:3:1: the key b");
    node_free(parse("a: {x: 1}\nb: {x: 2}\n"));
}

static void test_keys_must_be_names(void)
{
    refused("a: 1\n? [x, y]\n: 2\n", "f.yaml:2:3: a key must be a single value");
    refused("{a: 1}: 2\n", "f.yaml:1:1: a key must be a single value");
    refused("a: 1\n<<: {b: 2}\n", "f.yaml:2:1: merge keys (<<) are not supported");
    refused("a: 1\n: 2\n", "a key is missing before ':'");
    refused("{a: 1, : 2}\n", "a key is missing before ':'");
    char *key = repeat("k", 300, ": 1\n");
    refused(key, "f.yaml:1:1: a key longer than 256 bytes");
    mem_free(key);
}

static void test_a_second_document_is_refused(void)
{
    refused("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins");
    refused("---\na: 1\n...\n---\n", "f.yaml:4:1: a second document begins");
    refused("a: 1\n...\nb: 2\n", "f.yaml:2:1: a second document begins");
}

static void test_tabs_in_the_indentation_are_refused(void)
{
    refused("a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation; YAML wants spaces");
    refused("a:\n  b: 1\n  \tc: 2\n", "f.yaml:3:3: a tab in the indentation");
    refused("? d:\t:", "f.yaml:1:4: a tab after this colon; write a space");
    refused("? a=-:  \t:, -%\n", "f.yaml:1:6: a tab after this colon");
    refused("? x:\t:&x z:\t:3\n", "f.yaml:1:4: a tab after this colon");
    refused("a: 1\n? N\t:\t\t:*:\t:-\n?-\n", "f.yaml:2:5: a tab after this colon");
    struct node *root = parse("a: 1\t# tab before a comment\n\t\nb:\t2\n");
    EXPECT_TEXT(node_find(root, "b")->text, "2");
    node_free(root);
}

static void test_bytes_that_are_no_text_are_refused(void)
{
    refused_n("a: 1\nb: x\0y\n", 11, "f.yaml:2:5: a NUL byte");
    refused("a: 1\nb: \"\xC3\xA9\xFFz\"\n", "f.yaml:2:6: this byte is not valid UTF-8");
    refused("a: \xC3\n", "f.yaml:1:4: this byte is not valid UTF-8");
    refused("a: \xED\xA0\x80\n", "f.yaml:1:4: this byte is not valid UTF-8"); /* a surrogate */
    refused("a: \xC0\xAF\n", "f.yaml:1:4: this byte is not valid UTF-8");     /* overlong */
    refused_n("a: \xC3", 4, "f.yaml:1:4: this byte is not valid UTF-8");
    refused("\xFF\xFE"
            "a",
            "f.yaml:1:1: this byte is not valid UTF-8"); /* UTF-16 */
    refused("a: x\x01y\n", "f.yaml:1:5: a control character");
    refused("a: \"x\\0y\"\n", "f.yaml:1:4: a NUL character");
    refused("a: \"\\ud800\"\n", "f.yaml:1:");
}

static void test_lines_are_counted_with_every_kind_of_end(void)
{
    refused("a: 1\r\nb: \xFF\r\n", "f.yaml:2:4: ");
    refused("a: 1\rb: \xFF\r", "f.yaml:2:4: ");
    refused("a: 1\r\nb: *x\r\n", "f.yaml:2:4: aliases");
}

static void test_nesting_is_limited_to_32(void)
{
    char *open = repeat("[", 32, ""), *deep = repeat("]", 32, "\n");
    char *fits = text_format("%s%s", open, deep);
    node_free(parse(fits));
    mem_free(fits);
    mem_free(open);
    mem_free(deep);

    open = repeat("[", 33, "");
    refused(open, "f.yaml:1:33: nested more than 32 deep");
    mem_free(open);

    struct text block = {0};
    for (int i = 0; i < 40; i++)
        text_addf(&block, "%*sa:\n", i, "");
    refused(text_get(&block), "f.yaml:33:33: nested more than 32 deep");
    text_release(&block);
}

static void test_deep_nesting_fails_quickly(void)
{
    refused_quickly(repeat("[", 60000, ""), "f.yaml:1:33: nested more than 32 deep");
    refused_quickly(repeat("[", 200000, ""), "f.yaml:1:33: nested more than 32 deep");
    refused_quickly(repeat("a", 70000, ""), "f.yaml:1:65537: this line is longer than 65536");
    refused_quickly(repeat("[\n", 200000, ""), "f.yaml:33:1: nested more than 32 deep");
    refused_quickly(repeat("{\n", 200000, ""), "f.yaml:33:1: nested more than 32 deep");
    refused_quickly(repeat("{\n", 200, ""), "f.yaml:2:1: a key must be a single value");
    char *text = repeat("[", 200, "\"\n"), *quoted = text_format("a: \"%s", text);
    node_free(parse(quoted));
    mem_free(text);
    mem_free(quoted);
    refused_quickly(repeat("- ", 30000, ""), "f.yaml:1:65: nested more than 32 deep");
    refused_quickly(repeat("? ", 30000, ""), "f.yaml:1:3: a key must be a single value");
    refused_quickly(repeat("{a: ", 16000, ""), "f.yaml:1:129: nested more than 32 deep");
    refused_quickly(repeat("[\n{a:\n", 100000, ""), "nested more than 32 deep");
}

static void test_an_alias_bomb_fails_quickly(void)
{
    struct text bomb = {0};

    text_add(&bomb, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        text_addf(&bomb, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            text_addf(&bomb, "%s*a%d", k > 0 ? "," : "", i - 1);
        text_add(&bomb, "]\n");
    }
    refused_quickly(text_take(&bomb), "f.yaml:1:5: anchors");
}

static void test_sizes_are_limited(void)
{
    refused_quickly(repeat("a", (1 << 20) + 1, ""), "1048577 bytes; a configuration has at most");
    refused_quickly(repeat("- 1\n", 200000, ""), "f.yaml:100000:3: more than 100000 values");
    refused_quickly(repeat("a: 1\n", 49000, ""), "f.yaml:2:1: the key a is given twice");

    struct text wide = {0};
    for (int i = 0; i < 49000; i++)
        text_addf(&wide, "key%d: 1\n", i);
    const double start = processor_seconds();
    struct node *root = parse(text_get(&wide));
    EXPECT_INT(root->count, 49000);
    EXPECT(processor_seconds() - start < 1.0);
    node_free(root);
    text_release(&wide);
}

static void test_nothing_is_printed(void)
{
    char name[] = "/tmp/muster_test_yaml_XXXXXX";
    const int file = mkstemp(name), saved = dup(STDERR_FILENO);
    struct node *root = NULL;

    if (!EXPECT(file >= 0 && saved >= 0))
        return;
    dup2(file, STDERR_FILENO);
    EXPECT(yaml_parse("a: [1\nb: }", 10, "f.yaml", &root) == STATUS_BAD_INPUT);
    EXPECT(yaml_parse("%YAML 3.9\n---\na: \"\\q\"\n", 23, "f.yaml", &root) == STATUS_BAD_INPUT);
    dup2(saved, STDERR_FILENO);
    EXPECT_INT(lseek(file, 0, SEEK_END), 0);
    close(file);
    close(saved);
    unlink(name);
}

static void test_a_file_is_loaded_and_named(void)
{
    char name[] = "/tmp/muster_test_yaml_XXXXXX";
    const int file = mkstemp(name);
    struct node *root = NULL;

    if (!EXPECT(file >= 0 && write(file, "a: 1\nb: *x\n", 11) == 11))
        return;
    close(file);
    EXPECT_FAILS(yaml_load(name, &root), STATUS_BAD_INPUT, name);
    EXPECT_HAS(status_message(), ":2:4: aliases");
    EXPECT(truncate(name, 5) == 0);
    EXPECT_OK(yaml_load(name, &root));
    EXPECT_TEXT(root->origin, name);
    EXPECT_TEXT(node_find(root, "a")->text, "1");
    node_free(root);
    unlink(name);
    EXPECT_FAILS(yaml_load(name, &root), STATUS_IO, name);
}

TEST_MAIN(TEST(test_maps_of_several_documents_become_one),
          TEST(test_one_document_is_read_as_ever_also_where_several_may_be),
          TEST(test_nothing_of_several_documents_is_dropped),
          TEST(test_maps_lists_and_scalars_become_nodes_with_positions),
          TEST(test_null_is_what_is_empty_and_not_quoted), TEST(test_nothing_is_a_null),
          TEST(test_one_document_may_have_its_marks), TEST(test_text_forms_are_read),
          TEST(test_syntax_errors_name_line_and_column), TEST(test_aliases_and_anchors_are_refused),
          TEST(test_tags_are_refused), TEST(test_duplicate_keys_are_refused),
          TEST(test_keys_must_be_names), TEST(test_a_second_document_is_refused),
          TEST(test_tabs_in_the_indentation_are_refused),
          TEST(test_bytes_that_are_no_text_are_refused),
          TEST(test_lines_are_counted_with_every_kind_of_end), TEST(test_nesting_is_limited_to_32),
          TEST(test_deep_nesting_fails_quickly), TEST(test_an_alias_bomb_fails_quickly),
          TEST(test_sizes_are_limited), TEST(test_nothing_is_printed),
          TEST(test_a_file_is_loaded_and_named))
