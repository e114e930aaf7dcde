/*
 * node.h - configuration as a tree of maps, lists and scalars, each of which knows where it stands.
 *
 * YAML files and command-line flags both become such trees (yaml.h, flags.h); the flags' tree is
 * laid over the file's, and field tables (field.h) turn the result into option structs. A message
 * about a node names its file, line and column, or its flag.
 */
#ifndef CONF_NODE_H
#define CONF_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    char *text;       /* scalar: its value; "" for YAML's null */
    bool is_null;     /* an empty, unquoted scalar, ~ or null */
    char *origin;     /* file name, or the flag as it was written: "--lr" */
    int line, column; /* of its key in a map, else its own; from 1; 0 for flags and made nodes */
    char *written;    /* its path of keys in the file, where it now has another; NULL: the same */
    int64_t count;    /* children of a list or map, in the order of the file */
    char **keys;      /* map: the key of each child */
    struct node **children;
};

struct node *node_new(enum node_kind kind, const char *origin, int line, int column);
struct node *node_new_scalar(const char *text, const char *origin, int line, int column);
struct node *node_copy(const struct node *n);
void node_free(struct node *n);

/*
 * Notes of a node and all below it how the file calls them, before they are moved elsewhere:
 * messages will name that path. Items of lists are called as the list is.
 */
void node_note_paths(struct node *n, const char *path);

bool node_is_null(const struct node *n); /* also true for NULL: nothing there */

void node_add(struct node *list, struct node *child); /* takes the child */

/* As node_put for a key that the caller knows to be new: does not search the map. */
void node_put_new(struct node *map, const char *key, struct node *child);

/* Replaces or appends; takes the child. '-' and '_' in keys are the same. */
void node_put(struct node *map, const char *key, struct node *child);
void node_remove(struct node *map, const char *key);

/* NULL when the map has no such key. `path` forms go through maps: "optimizer.lr". */
struct node *node_find(const struct node *map, const char *key);
struct node *node_find_path(const struct node *root, const char *path);

/* The first child of a map whose key came before ('-' and '_' the same), or -1. */
int64_t node_find_duplicate(const struct node *map);

/*
 * Puts a node at a path, making the maps on the way. A scalar in the way becomes {name: scalar},
 * and a scalar put where a map stands becomes the map's `name`: "optimizer: adam" is short for
 * "optimizer: {name: adam}". Anything else in the way is replaced. Takes the child.
 */
void node_put_path(struct node *root, const char *path, struct node *child);

/*
 * Lays `over` on top of `base`: maps are merged key by key, all else is replaced. A map over a
 * scalar first makes it {name: scalar}, so that "--optimizer.beta1" keeps a file's "optimizer:
 * adam".
 */
void node_overlay(struct node *base, const struct node *over);

/* "file.yaml:14:3" or "--lr"; the key path is the caller's to name. */
void node_where(const struct node *n, struct text *out);

/* FAIL(STATUS_BAD_INPUT) with the position before the message: "net.yaml:3:5: ..." */
enum status node_fail(const struct node *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * As node_fail, with the key path between position and message: "net.yaml:3:5: optimizer.lr: ...".
 * A flag says itself what it sets: "--lr: ...". path and key may each be NULL. A node that the file
 * calls otherwise is called that.
 */
enum status node_fail_key(const struct node *n, const char *path, const char *key,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The tree as YAML that yaml_parse reads back to the same tree. */
void node_write(const struct node *n, struct text *out);

#endif
