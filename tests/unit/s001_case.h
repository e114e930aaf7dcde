/*
 * s001_case.h - a file in S001's layout, and what it becomes.
 */
#ifndef TESTS_UNIT_S001_CASE_H
#define TESTS_UNIT_S001_CASE_H

#include "conf/yaml.h"
#include "study/s001_layout.h"
#include "test.h"

static enum status translate(const char *content, struct node **canonical, struct text *ignored)
{
    struct node *root = NULL;

    *canonical = NULL;
    TRY(yaml_parse_merged(content, strlen(content), "f.yaml", &root));
    EXPECT(s001_is_layout(root));
    const enum status s = s001_translate(root, canonical, ignored);
    node_free(root);
    return s;
}

/* The translation says the same as this, and names these keys as without effect. */
static void expect_becomes(const char *content, const char *expected, const char *ignored)
{
    struct text left = {0}, right = {0}, told = {0};
    struct node *canonical = NULL, *same = NULL;

    EXPECT_OK(translate(content, &canonical, &told));
    EXPECT_OK(yaml_parse(expected, strlen(expected), "expected", &same));
    if (canonical != NULL && same != NULL) {
        node_write(canonical, &left);
        node_write(same, &right);
        EXPECT_TEXT(text_get(&left), text_get(&right));
        EXPECT_TEXT(text_get(&told), ignored);
    }
    node_free(canonical);
    node_free(same);
    text_release(&left);
    text_release(&right);
    text_release(&told);
}

static void refused(const char *content, const char *message)
{
    struct node *canonical = NULL;
    struct text told = {0};

    EXPECT_FAILS(translate(content, &canonical, &told), STATUS_BAD_INPUT, message);
    EXPECT(canonical == NULL);
    node_free(canonical);
    text_release(&told);
}

#define GRAPH "experiment:\n  graph: {num_nodes: 5, type: wheel}\n"
#define PROBLEM                                                                            \
    "problem_configs:\n  p1:\n    train_batch_size: 64\n    optimizer_config: {alg_name: " \
    "dsgt, alpha: 0.01, outer_iterations: 30}\n"

#endif
