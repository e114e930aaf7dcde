/*
 * own_files_case.h - files that own_files.py writes by NumPy, and data sets of them.
 */
#ifndef TESTS_UNIT_OWN_FILES_CASE_H
#define TESTS_UNIT_OWN_FILES_CASE_H

#include "data/list.h"
#include "test.h"
#include "unit/data_files.h"

/* A folder with the files of one command of the script; files_remove. */
static inline char *own_files_write(const char *command)
{
    char *folder = files_folder();
    char *line =
        text_format("python3 '%s/unit/own_files.py' %s '%s'", TEST_SOURCE_DIR, command, folder);

    EXPECT_INT(system(line), 0);
    mem_free(line);
    return folder;
}

/* Sets options "key value key value". */
static inline void own_files_set(struct choice *c, const char *options)
{
    struct node *map = node_new(NODE_MAP, "test", 0, 0);

    while (*options != '\0') {
        const size_t key = strcspn(options, " "), value = strcspn(options + key + 1, " ");
        char *name = mem_text_n(options, key), *text = mem_text_n(options + key + 1, value);

        node_put(map, name, node_new_scalar(text, "test", 0, 0));
        mem_free(name);
        mem_free(text);
        options += key + 1 + value + (options[key + 1 + value] == ' ');
    }
    EXPECT_OK(fields_read(c->entry->fields, c->options, map,
                          &(struct fields_place){.owner = "test", .path = "data"}));
    node_free(map);
}

/* Loads a set with these options. */
static inline enum status own_files_load(const struct dataset_ops *ops, const char *folder,
                                         const char *options, struct dataset **d)
{
    struct choice c;

    choice_init(&c, &ops->entry);
    own_files_set(&c, options);
    const enum status s = dataset_load(&c, &(struct dataset_request){.data_dir = folder}, d);
    choice_release(&c);
    return s;
}

#endif
