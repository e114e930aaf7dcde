/*
 * model_search.h - the trained models that a user means by a path: a run, a model file, or a folder
 * with such things somewhere below it.
 */
#ifndef RECORD_MODEL_SEARCH_H
#define RECORD_MODEL_SEARCH_H

#include <stdint.h>
#include <sys/types.h>

/* Which file a path is, whatever its name. */
struct model_identity {
    dev_t device;
    ino_t number;
};

/* Paths of runs and of .safetensors files, each once. Zeroed it is empty. */
struct model_paths {
    int64_t count;
    char **items;                      /* [count] */
    struct model_identity *identities; /* [count] */
};

/*
 * Adds `path`, or what is below it if it is a folder but not a run: runs and .safetensors files, in
 * the order of their names. Left out are checkpoints/, the files of a run, hidden files, symbolic
 * links, and what the list has already. A folder without any of these, or one that cannot be read,
 * and a path that does not exist are added themselves: who opens them says what is wrong.
 */
void model_search_add(struct model_paths *paths, const char *path);
void model_paths_release(struct model_paths *paths);

#endif
