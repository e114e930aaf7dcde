/*
 * registry.h - the common shape of everything that is chosen by name: optimisers, schedules,
 * layers, models, data sets, losses, algorithms.
 *
 * Each implementation is a const table (struct optim_ops, ...) whose FIRST member is a struct
 * entry, and each family has one list of them (list.h) and one struct registry.
 */
#ifndef CONF_REGISTRY_H
#define CONF_REGISTRY_H

#include <stddef.h>

#include "conf/field.h"
#include "conf/node.h"

struct entry {
    const char *name;
    const char *summary;        /* one line, for lists and help */
    const char *also;           /* other names of it, "ring loop": an error suggests it; or NULL */
    const char *argument;       /* the option that "NAME:VALUE" sets; NULL: none */
    const struct field *fields; /* NULL: no options */
    size_t options_size;
};

struct registry {
    const char *what;                   /* "optimizer", as messages call one of them */
    const char *section;                /* the key in the run config: "optimizer" */
    const struct entry *const *entries; /* ends with NULL */
};

/* NULL when there is none ('-' and '_' the same). "NAME:VALUE" finds NAME if it has an argument. */
const struct entry *registry_find(const struct registry *r, const char *name);

/* As registry_find, or an error at `where` that lists or suggests names. where may be NULL. */
enum status registry_get(const struct registry *r, const char *name, const struct node *where,
                         const struct entry **entry);

/* Writes a section's name "NAME:VALUE" as NAME and the option, so that it replaces the option of
 * settings below it. Not if the section has the option too: choice_read then compares them. */
void registry_split_name(const struct registry *r, struct node *section);

/* The name of no choice, where there need not be one. */
#define CHOICE_NONE "none"

/* One chosen implementation with its options. */
struct choice {
    const struct entry *entry; /* NULL: nothing chosen */
    void *options;             /* owned; NULL when the entry has none */
};

/* Takes the entry with default options. */
void choice_init(struct choice *c, const struct entry *entry);

/*
 * Reads a section: a map {name: adam, beta1: 0.9}, or the bare name. Keys in `skip` are left alone
 * (ends with NULL, may be NULL). A missing name takes `fallback`. Messages call the section `path`;
 * NULL: as the registry does. With may_be_none nothing need be chosen: by the name "none" (unless
 * there is an entry of that name), or by no name and no options.
 */
struct choice_place {
    const char *fallback;
    const char *const *skip;
    const char *path;
    bool may_be_none;
};
enum status choice_read(struct choice *c, const struct registry *r, const struct node *section,
                        const struct choice_place *place);
void choice_dump(const struct choice *c, struct node *section); /* name and every option */
void choice_release(struct choice *c);

#endif
