/*
 * class_names.h - classes that are words or numbers in a file: a sorted list of them, and where
 * each is in it.
 */
#ifndef DATA_CLASS_NAMES_H
#define DATA_CLASS_NAMES_H

#include <stdint.h>

struct class_names {
    char **names; /* [count] */
    int64_t count;
};

/* A copy of the words, each once: whole numbers by value, then the others by their bytes. */
void class_names_init(struct class_names *c, char *const *words, int64_t count);
void class_names_release(struct class_names *c);

/* The place of a word in the list; -1: none. */
int32_t class_names_find(const struct class_names *c, const char *word);

#endif
