/*
 * test_fields.c - what every registry must hold: names, summaries, and field tables whose defaults
 * are acceptable by their own rules. A new registry adds its name to the list at the end.
 */
#include "algo/algo.h"
#include "base/mem.h"
#include "conf/registry.h"
#include "data/dataset.h"
#include "data/partition.h"
#include "graph/graph.h"
#include "nn/layer.h"
#include "nn/loss.h"
#include "nn/zoo.h"
#include "optim/optim.h"
#include "optim/schedule.h"
#include "problem/problem.h"
#include "test.h"

static bool is_name(const char *s)
{
    if (s == NULL || !(s[0] >= 'a' && s[0] <= 'z'))
        return false;
    return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

/* Of an entry: people write local-sgd. */
static bool is_entry_name(const char *s)
{
    if (s == NULL || !(s[0] >= 'a' && s[0] <= 'z'))
        return false;
    return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(s);
}

/* One line that says something, without a full stop. */
static bool is_line(const char *s)
{
    return s != NULL && s[0] != '\0' && strchr(s, '\n') == NULL && s[strlen(s) - 1] != '.';
}

static size_t size_of_kind(enum field_kind kind)
{
    switch (kind) {
    case FIELD_KIND_INT:
        return sizeof(int64_t);
    case FIELD_KIND_REAL:
        return sizeof(double);
    case FIELD_KIND_BOOL:
        return sizeof(bool);
    case FIELD_KIND_TEXT:
        return sizeof(char *);
    case FIELD_KIND_CHOICE:
        return sizeof(int);
    case FIELD_KIND_INTS:
        return sizeof(struct field_ints);
    case FIELD_KIND_SECTION:
        return sizeof(struct choice);
    case FIELD_KIND_LAST:
        break;
    }
    return 0;
}

static bool has_choice(const struct field *f, const char *word)
{
    for (int i = 0; word != NULL && f->choices[i] != NULL; i++) {
        if (strcmp(f->choices[i], word) == 0)
            return true;
    }
    return false;
}

/* What is wrong with what a section chooses from, or NULL. */
static const char *fault_in_section(const struct field *f)
{
    if (f->registry == NULL || f->registry->entries[0] == NULL)
        return "nothing to choose from";
    if (f->default_text != NULL && registry_find(f->registry, f->default_text) == NULL)
        return "a default that is not in the registry";
    return NULL;
}

/* What is wrong with the default or the rule that it must obey, or NULL. */
static const char *fault_in_default(const struct field *f)
{
    const bool is_number = f->kind == FIELD_KIND_INT || f->kind == FIELD_KIND_REAL;

    if ((is_number || f->kind == FIELD_KIND_INTS) && !(f->min <= f->max))
        return "an empty range";
    if (is_number && !(f->default_number >= f->min && f->default_number <= f->max))
        return "a default outside the range";
    if (f->kind == FIELD_KIND_INT && f->default_number != floor(f->default_number))
        return "a default that is not whole";
    if (f->kind == FIELD_KIND_CHOICE && (f->choices == NULL || f->choices[0] == NULL))
        return "no choices";
    if (f->kind == FIELD_KIND_CHOICE && !has_choice(f, f->default_text))
        return "a default that is not among the choices";
    if (f->kind == FIELD_KIND_INTS && f->default_text == NULL)
        return "no default";
    if (f->kind == FIELD_KIND_SECTION)
        return fault_in_section(f);
    return NULL;
}

/* What is wrong with two rows of a table, or NULL. */
static const char *fault_in_pair(const struct field *a, const struct field *b)
{
    if (text_same_name(a->name, b->name))
        return "a name that the table has twice";
    if (a->offset < b->offset + size_of_kind(b->kind) &&
        b->offset < a->offset + size_of_kind(a->kind))
        return "a member that another field has too";
    return NULL;
}

static const char *fault_in_field(const struct field *f, const struct entry *e)
{
    if (!is_name(f->name))
        return "a name that is not lower case with '_'";
    if (strcmp(f->name, "name") == 0)
        return "the name \"name\", which a section needs for its choice";
    if (!is_line(f->help))
        return "no help of one line without a full stop";
    if (f->offset + size_of_kind(f->kind) > e->options_size)
        return "a member outside the options";
    for (const struct field *other = e->fields; other < f; other++) {
        const char *fault = fault_in_pair(f, other);
        if (fault != NULL)
            return fault;
    }
    return fault_in_default(f);
}

/* The first fault of an entry, with the row that has it in *row; NULL: none. */
static const char *fault_in_entry(const struct entry *e, const char **row)
{
    *row = "-";
    if (!is_entry_name(e->name))
        return "a name that is not lower case with '_' or '-'";
    if (!is_line(e->summary))
        return "no summary of one line without a full stop";
    for (const struct field *f = e->fields; f != NULL && f->kind != FIELD_KIND_LAST; f++) {
        const char *fault = fault_in_field(f, e);
        *row = f->name != NULL ? f->name : "-";
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

/* The defaults, dumped and read by the table's own rules, are the same again. */
static void expect_defaults_read_back(const struct registry *r, const struct entry *e)
{
    struct node *first = node_new(NODE_MAP, "defaults", 0, 0);
    struct node *second = node_new(NODE_MAP, "defaults", 0, 0);
    struct text a = {0}, b = {0};
    struct choice c, back;

    choice_init(&c, e);
    choice_dump(&c, first);
    if (EXPECT_OK(choice_read(&back, r, first, NULL)))
        choice_dump(&back, second);
    node_write(first, &a);
    node_write(second, &b);
    EXPECT_TEXT(text_get(&b), text_get(&a));
    choice_release(&c);
    choice_release(&back);
    text_release(&a);
    text_release(&b);
    node_free(first);
    node_free(second);
}

/*
 * The same with each entry of its sections chosen: "{name: local-sgd, outer: {name: sgd}}" becomes
 * a dump of every option, which reads back; and flags find each of those options by its path.
 */
static void expect_section_reads_back(const struct registry *r, const struct entry *e,
                                      const struct field *section)
{
    for (int64_t i = 0; section->registry->entries[i] != NULL; i++) {
        const struct entry *inner = section->registry->entries[i];
        struct node *map = node_new(NODE_MAP, "test", 0, 0), *name;
        struct node *first = node_new(NODE_MAP, "first", 0, 0);
        struct choice c = {0}, back = {0};
        struct text a = {0}, b = {0};

        name = node_new_scalar(inner->name, "test", 0, 0);
        node_put(map, "name", node_new_scalar(e->name, "test", 0, 0));
        node_put(map, section->name, name);
        if (EXPECT_OK(choice_read(&c, r, map, NULL))) {
            choice_dump(&c, first);
            node_write(first, &a);
            EXPECT_OK(choice_read(&back, r, first, NULL));
            node_free(first);
            first = node_new(NODE_MAP, "second", 0, 0);
            choice_dump(&back, first);
            node_write(first, &b);
            EXPECT_TEXT(text_get(&b), text_get(&a));
        }
        for (const struct field *f = inner->fields; f != NULL && f->kind != FIELD_KIND_LAST; f++) {
            char *path = text_format("%s.%s", section->name, f->name);

            EXPECT(fields_find_path(e->fields, path, NULL) != NULL);
            EXPECT(node_find_path(first, path) != NULL || f->kind == FIELD_KIND_TEXT);
            mem_free(path);
        }
        choice_release(&c);
        choice_release(&back);
        text_release(&a);
        text_release(&b);
        node_free(map);
        node_free(first);
    }
}

static void expect_sections_read_back(const struct registry *r, const struct entry *e)
{
    for (const struct field *f = e->fields; f != NULL && f->kind != FIELD_KIND_LAST; f++)
        if (f->kind == FIELD_KIND_SECTION)
            expect_section_reads_back(r, e, f);
}

static void expect_conforms(const struct registry *r)
{
    EXPECT(is_line(r->what) && is_name(r->section));
    EXPECT(r->entries[0] != NULL);
    for (int64_t i = 0; r->entries[i] != NULL; i++) {
        const struct entry *e = r->entries[i];
        const char *row = NULL, *fault = fault_in_entry(e, &row);

        if (fault != NULL) {
            printf("# %s %s, field %s: %s\n", r->what, e->name == NULL ? "-" : e->name, row, fault);
            EXPECT(fault == NULL);
            continue;
        }
        EXPECT(registry_find(r, e->name) == e); /* the first of its name */
        expect_defaults_read_back(r, e);
        expect_sections_read_back(r, e);
    }
}

/* ------------------------------------------------------------------ the checks find faults */

struct sample {
    int64_t a, b;
    double x;
    int choice;
    struct field_ints ints;
    struct choice section;
};

static const char *const words[] = {"one", "two", NULL};

/* The fault of a table of one or two rows. */
static const char *fault_of(struct field first, struct field second, size_t size)
{
    const struct field table[] = {first, second, FIELD_LAST};
    const struct entry e = {
        .name = "entry", .summary = "a summary", .fields = table, .options_size = size};
    const char *row = NULL;

    return fault_in_entry(&e, &row);
}

static void test_every_kind_of_fault_is_found(void)
{
    const size_t size = sizeof(struct sample);
    const struct field good = FIELD_INT(struct sample, a, 1, 0, 5, "help"), last = FIELD_LAST;
    const struct field reals = FIELD_REAL(struct sample, x, 6, 0, 5, "help");
    const struct field choice = FIELD_CHOICE(struct sample, choice, "three", words, "help");
    const struct field part = FIELD_INT(struct sample, b, 0.5, 0, 5, "help");
    const struct field empty = FIELD_INT(struct sample, b, 1, 5, 0, "help");
    const struct field no_list = FIELD_INTS(struct sample, ints, NULL, 0, 5, "help");
    const struct field stop = FIELD_INT(struct sample, b, 1, 0, 5, "Help.");
    const struct field nothing = FIELD_SECTION(struct sample, section, NULL, NULL, "help");
    const struct field absent =
        FIELD_SECTION(struct sample, section, "sgdd", &optim_registry, "help");
    struct field renamed = good;

    EXPECT(fault_of(good, last, size) == NULL);
    EXPECT_TEXT(fault_of(good, last, 4), "a member outside the options");
    EXPECT_TEXT(fault_of(good, reals, size), "a default outside the range");
    EXPECT_TEXT(fault_of(good, part, size), "a default that is not whole");
    EXPECT_TEXT(fault_of(good, empty, size), "an empty range");
    EXPECT_TEXT(fault_of(good, no_list, size), "no default");
    EXPECT_TEXT(fault_of(good, choice, size), "a default that is not among the choices");
    EXPECT_TEXT(fault_of(good, stop, size), "no help of one line without a full stop");
    EXPECT_TEXT(fault_of(good, nothing, size), "nothing to choose from");
    EXPECT_TEXT(fault_of(good, absent, size), "a default that is not in the registry");
    EXPECT_TEXT(fault_of(good, good, size), "a name that the table has twice");
    renamed.name = "other";
    EXPECT_TEXT(fault_of(good, renamed, size), "a member that another field has too");
    renamed.name = "Other";
    EXPECT_TEXT(fault_of(renamed, last, size), "a name that is not lower case with '_'");
    renamed.name = "name";
    EXPECT_HAS(fault_of(renamed, last, size), "which a section needs");
}

static void test_every_kind_of_entry_fault_is_found(void)
{
    const struct entry upper = {.name = "Adam",
                                .summary = "a summary",
                                .fields = NULL,
                                .options_size = 0},
                       silent = {.name = "adam", .summary = "", .fields = NULL, .options_size = 0};
    const char *row = NULL;

    EXPECT_TEXT(fault_in_entry(&upper, &row), "a name that is not lower case with '_' or '-'");
    EXPECT_TEXT(fault_in_entry(&silent, &row), "no summary of one line without a full stop");
}

/* ------------------------------------------------------------------ the registries */

static void test_optimizers_conform(void)
{
    expect_conforms(&optim_registry);
    for (int64_t i = 0; optim_registry.entries[i] != NULL; i++)
        EXPECT(fields_find(optim_registry.entries[i]->fields, "lr") != NULL);
}

static void test_schedules_conform(void)
{
    expect_conforms(&schedule_registry);
}

static void test_algorithms_conform(void)
{
    expect_conforms(&algo_registry);
}

static void test_partitions_conform(void)
{
    expect_conforms(&partition_registry);
}

static void test_graphs_conform(void)
{
    expect_conforms(&graph_registry);
}

static void test_datasets_conform(void)
{
    expect_conforms(&dataset_registry);
}

static void test_layers_conform(void)
{
    expect_conforms(&layer_registry);
}

static void test_networks_conform(void)
{
    expect_conforms(&zoo_registry);
}

static void test_losses_conform(void)
{
    expect_conforms(&loss_registry);
}

static void test_problems_conform(void)
{
    expect_conforms(&problem_registry);
}

TEST_MAIN(TEST(test_every_kind_of_fault_is_found), TEST(test_every_kind_of_entry_fault_is_found),
          TEST(test_optimizers_conform), TEST(test_schedules_conform), TEST(test_datasets_conform),
          TEST(test_layers_conform), TEST(test_networks_conform), TEST(test_losses_conform),
          TEST(test_problems_conform), TEST(test_algorithms_conform), TEST(test_partitions_conform),
          TEST(test_graphs_conform))
