/*
 * test_node.c - trees of nodes: putting, finding, overlaying, naming places, and the way to YAML
 * and back.
 */
#include "base/mem.h"
#include "conf/yaml.h"
#include "test.h"

static struct node *parse(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    return root;
}

static struct node *scalar(const char *text)
{
    return node_new_scalar(text, "code", 0, 0);
}

static bool is_same(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind || a->count != b->count || a->is_null != b->is_null)
        return false;
    if (a->kind == NODE_SCALAR)
        return strcmp(a->text, b->text) == 0;
    for (int64_t i = 0; i < a->count; i++) {
        if (a->kind == NODE_MAP && strcmp(a->keys[i], b->keys[i]) != 0)
            return false;
        if (!is_same(a->children[i], b->children[i]))
            return false;
    }
    return true;
}

/* What node_write makes of the tree. */
static char *written(const struct node *n)
{
    struct text out = {0};

    node_write(n, &out);
    return text_take(&out);
}

static void expect_round_trip(const struct node *n)
{
    char *yaml = written(n);
    struct node *back = parse(yaml);

    if (back == NULL || !is_same(n, back)) {
        EXPECT(!"reads back as the same tree");
        printf("# %s\n", yaml);
    }
    node_free(back);
    mem_free(yaml);
}

/* ------------------------------------------------------------------ the tree */

static void test_put_replaces_or_appends_in_order(void)
{
    struct node *map = node_new(NODE_MAP, "code", 0, 0);

    node_put(map, "mix_every", scalar("1"));
    node_put(map, "b", scalar("2"));
    node_put(map, "mix-every", scalar("3"));
    EXPECT_INT(map->count, 2);
    EXPECT_TEXT(map->keys[0], "mix_every");
    EXPECT_TEXT(map->children[0]->text, "3");
    EXPECT_TEXT(node_find(map, "b")->text, "2");
    EXPECT(node_find(map, "c") == NULL);
    EXPECT(node_find(NULL, "c") == NULL);
    EXPECT(node_find(map->children[0], "c") == NULL);
    node_free(map);
}

static void test_many_children_can_come_and_go(void)
{
    struct node *map = node_new(NODE_MAP, "code", 0, 0), *list = node_new(NODE_LIST, "code", 0, 0);
    char key[16];

    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        node_put(map, key, scalar(key));
        node_add(list, scalar(key));
        if (i % 3 == 0)
            node_remove(map, key);
        if (i % 7 == 0)
            node_remove(map, "k1"); /* absent after the first time */
    }
    EXPECT_INT(map->count, 65); /* 100 - 34 - k1 */
    EXPECT_INT(list->count, 100);
    EXPECT(node_find(map, "k98") != NULL && node_find(map, "k99") == NULL);
    for (int64_t i = 0; i < map->count; i++)
        EXPECT_TEXT(map->children[i]->text, map->keys[i]);
    node_free(map);
    node_free(list);
}

static void test_paths_go_through_maps(void)
{
    struct node *root = parse("a: {b: {c: 1}}\nd: 2\n");

    EXPECT_TEXT(node_find_path(root, "a.b.c")->text, "1");
    EXPECT_INT(node_find_path(root, "a.b")->kind, NODE_MAP);
    EXPECT_TEXT(node_find_path(root, "d")->text, "2");
    EXPECT(node_find_path(root, "a.x.c") == NULL);
    EXPECT(node_find_path(root, "d.x") == NULL);
    EXPECT(node_find_path(root, "") == NULL);
    node_free(root);
}

static void test_put_path_makes_maps_and_keeps_names(void)
{
    struct node *root = parse("optimizer: adam\nempty:\n");

    node_put_path(root, "train.batch_size", scalar("32"));
    node_put_path(root, "train.epochs", scalar("6"));
    node_put_path(root, "optimizer.beta1", scalar("0.8"));
    node_put_path(root, "empty.x", scalar("1"));
    node_put_path(root, "train", scalar("quick"));
    char *yaml = written(root);
    EXPECT_TEXT(yaml, "optimizer:\n  name: adam\n  beta1: 0.8\n"
                      "empty:\n  x: 1\n"
                      "train:\n  batch_size: 32\n  epochs: 6\n  name: quick\n");
    EXPECT_INT(node_find_path(root, "optimizer.name")->line, 1);
    mem_free(yaml);
    node_free(root);
}

static void test_overlay_merges_maps_and_replaces_the_rest(void)
{
    struct node *base = parse("seed: 1\noptimizer: {name: adam, lr: 0.1}\nlist: [1, 2]\n"
                              "schedule: cosine\nnone:\n");
    struct node *over = parse("seed: 2\noptimizer: {lr: 0.2, beta1: 0.5}\nlist: [3]\nnew: x\n"
                              "schedule: {gamma: 0.5}\nnone: {a: 1}\n");
    struct node *expected = parse("seed: 2\noptimizer: {name: adam, lr: 0.2, beta1: 0.5}\n"
                                  "list: [3]\nschedule: {name: cosine, gamma: 0.5}\n"
                                  "none: {a: 1}\nnew: x\n");

    node_overlay(base, over);
    EXPECT(is_same(base, expected));
    EXPECT_TEXT(node_find_path(over, "seed")->text, "2"); /* was copied, not taken */
    node_free(over);
    EXPECT_TEXT(node_find_path(base, "optimizer.beta1")->text, "0.5");
    node_free(base);
    node_free(expected);
}

static void test_a_scalar_over_a_map_replaces_it(void)
{
    struct node *base = parse("optimizer: {name: adam, beta1: 0.1}\n");
    struct node *over = parse("optimizer: sgd\n");

    node_overlay(base, over);
    EXPECT(is_same(base, over));
    node_free(base);
    node_free(over);
}

static void test_copies_are_equal_and_apart(void)
{
    struct node *root = parse("a: [1, {b: null, c: \"\"}]\n"), *copy = node_copy(root);

    EXPECT(is_same(root, copy));
    EXPECT_INT(copy->children[0]->line, 1);
    node_put(copy, "a", scalar("changed"));
    EXPECT_INT(node_find(root, "a")->kind, NODE_LIST);
    node_free(root);
    node_free(copy);
    node_free(NULL);
}

/* ------------------------------------------------------------------ places */

static void test_failures_begin_with_the_place(void)
{
    struct node *root = parse("a: 1\nb:\n  lr: 2\n");
    const struct node *lr = node_find_path(root, "b.lr");
    struct node *flag = node_new_scalar("-1", "--lr", 0, 0), *made = scalar("x");

    EXPECT_FAILS(node_fail(lr, "is %d", 5), STATUS_BAD_INPUT, "f.yaml:3:3: is 5");
    EXPECT_FAILS(node_fail_key(lr, "b", "lr", "is bad"), STATUS_BAD_INPUT,
                 "f.yaml:3:3: b.lr: is bad");
    EXPECT_FAILS(node_fail_key(lr, NULL, "lr", "is bad"), STATUS_BAD_INPUT,
                 "f.yaml:3:3: lr: is bad");
    EXPECT_FAILS(node_fail_key(lr, "b", NULL, "is bad"), STATUS_BAD_INPUT, "f.yaml:3:3: b: is bad");
    node_fail(flag, "is bad");
    EXPECT_TEXT(status_message(), "--lr: is bad");
    node_fail_key(flag, "b", "lr", "is bad");
    EXPECT_TEXT(status_message(), "--lr: is bad");
    node_fail_key(made, "b", "lr", "is bad");
    EXPECT_TEXT(status_message(), "code: b.lr: is bad");
    node_fail(NULL, "is bad");
    EXPECT_TEXT(status_message(), "is bad");
    node_free(root);
    node_free(flag);
    node_free(made);
}

/* ------------------------------------------------------------------ to YAML and back */

/* Whatever YAML could take for something else. */
static const char *const texts[] = {
    "plain",
    "two words",
    "",
    " ",
    " lead",
    "trail ",
    "5",
    "-5",
    "1e-3",
    "0x10",
    "007",
    ".5",
    "inf",
    "true",
    "no",
    "null",
    "Null",
    "NULL",
    "~",
    "nullable",
    "-",
    "- a",
    "--",
    "---",
    "--- a",
    "...",
    "...a",
    "a: b",
    "a:",
    ":a",
    "a #b",
    "#a",
    "a,b",
    "[a]",
    "{a}",
    "]",
    "}",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a`",
    "?",
    "? a",
    "<<",
    "=",
    "'",
    "\"",
    "it's",
    "say \"hi\"",
    "back\\slash",
    "line\nbreak",
    "\n",
    "ends\n",
    "\ttab",
    "tab\t",
    "cr\rlf\r\n",
    "bell\x07",
    "\x1b[0m",
    "\x7f",
    "gr\xC3\xBC\xC3\x9F",
    "\xE6\xBC\xA2\xE5\xAD\x97",
    "\xF0\x9F\x98\x80",
    "\xC2\x85",
    "\xC2\xA0",
    "\xE2\x80\xA8x\xE2\x80\xA9",
    "\xEF\xBB\xBF",
    "\xEF\xBF\xBE",
    "C:/a b/c",
    "http://x/y?z#w",
    "runs/2024-01-01_12:00:00",
    "$HOME",
    "a  b",
};

static void test_texts_survive_being_written(void)
{
    struct node *map = node_new(NODE_MAP, "code", 0, 0), *list = node_new(NODE_LIST, "code", 0, 0);

    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) {
        struct node *one = node_new(NODE_MAP, "code", 0, 0), *root = scalar(texts[i]);

        node_put_new(one, "value", scalar(texts[i]));
        expect_round_trip(one);
        expect_round_trip(root);
        node_put(map, texts[i], scalar(texts[i]));
        node_add(list, scalar(texts[i]));
        node_free(one);
        node_free(root);
    }
    expect_round_trip(map);  /* as keys too */
    expect_round_trip(list); /* inside brackets too, over several lines */
    node_free(map);
    node_free(list);
}

static void test_shapes_survive_being_written(void)
{
    static const char *const trees[] = {
        "null",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "[[], {}, null, '']",
        "a: {}\nb: []\nc:\n",
        "[[1, 2], [3, [4, [5]]]]",
        "[{a: 1, b: {c: 2}}, [{d: 3}]]",
        "net:\n- conv2d: {out: 6, kernel: 5}\n- relu\n- block: {body: [relu, {dense: {}}]}\n",
        "a: {b: {c: {d: [[[{e: 1}]]]}}}",
        "[null, 'null', ~, '~']",
        "{a: [null]}",
    };

    for (int i = 0; i < (int)(sizeof trees / sizeof trees[0]); i++) {
        struct node *root = parse(trees[i]);
        expect_round_trip(root);
        node_free(root);
    }
}

static void test_long_lists_are_broken_into_lines(void)
{
    struct node *root = node_new(NODE_MAP, "code", 0, 0), *list = node_new(NODE_LIST, "code", 0, 0);

    for (int i = 0; i < 20000; i++)
        node_add(list, scalar("12345"));
    node_put(root, "list", list);
    expect_round_trip(root);
    char *yaml = written(root);
    for (const char *s = yaml; s != NULL && *s != '\0'; s = strchr(s, '\n') + 1) {
        if (!EXPECT(strcspn(s, "\n") <= 100))
            break;
    }
    mem_free(yaml);
    node_free(root);
}

static void test_what_is_written_reads_well(void)
{
    struct node *root = parse("seed: 1\nmodel: {name: mlp, widths: [16, 16]}\n"
                              "net:\n- relu\n- conv2d: {out: 6, pad: 2}\nnote: 'a: b'\nout: ~\n");
    char *yaml = written(root);

    EXPECT_TEXT(yaml, "seed: 1\n"
                      "model:\n"
                      "  name: mlp\n"
                      "  widths: [16, 16]\n"
                      "net:\n"
                      "  - relu\n"
                      "  - conv2d:\n"
                      "      out: 6\n"
                      "      pad: 2\n"
                      "note: \"a: b\"\n"
                      "out: null\n");
    mem_free(yaml);
    node_free(root);
}

TEST_MAIN(TEST(test_put_replaces_or_appends_in_order), TEST(test_many_children_can_come_and_go),
          TEST(test_paths_go_through_maps), TEST(test_put_path_makes_maps_and_keeps_names),
          TEST(test_overlay_merges_maps_and_replaces_the_rest),
          TEST(test_a_scalar_over_a_map_replaces_it), TEST(test_copies_are_equal_and_apart),
          TEST(test_failures_begin_with_the_place), TEST(test_texts_survive_being_written),
          TEST(test_shapes_survive_being_written), TEST(test_long_lists_are_broken_into_lines),
          TEST(test_what_is_written_reads_well))
