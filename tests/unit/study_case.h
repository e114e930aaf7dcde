/*
 * study_case.h - studies from texts, for the tests about them.
 */
#ifndef TESTS_UNIT_STUDY_CASE_H
#define TESTS_UNIT_STUDY_CASE_H

#include "base/mem.h"
#include "conf/yaml.h"
#include "study/names.h"
#include "study/study.h"
#include "test.h"

static inline struct node *parse(const char *content)
{
    struct node *root = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    return root;
}

static inline enum status make(const char *content, const struct study_options *options,
                               struct study **s)
{
    struct node *root = parse(content);
    const enum status status = study_new(root, options, s);

    node_free(root);
    return status;
}

static inline struct study *study_of(const char *content)
{
    struct study *s = NULL;

    EXPECT_OK(make(content, &(struct study_options){0}, &s));
    return s;
}

/* The names of all runs, a line each. */
static inline void expect_runs(const struct study *s, const char *expected)
{
    struct text names = {0};

    for (int64_t i = 0; i < s->count; i++)
        if (!s->runs[i].is_left_out)
            text_addf(&names, "%s\n", s->runs[i].name);
    EXPECT_TEXT(text_get(&names), expected);
    text_release(&names);
}

static inline void expect_names(const char *content, const char *expected)
{
    struct study *s = study_of(content);

    expect_runs(s, expected);
    study_free(s);
}

#endif
