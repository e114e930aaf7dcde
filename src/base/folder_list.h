/*
 * folder_list.h - what a folder contains, sorted by name. Names that begin with a dot are left out.
 */
#ifndef BASE_FOLDER_LIST_H
#define BASE_FOLDER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct folder_entry {
    const char *name; /* in the text of the list */
    bool is_folder;   /* or a link to one */
};

struct folder_list {
    struct folder_entry *entries;
    int64_t count;
    struct text text; /* private: names, each with its 0 */
};

/* Fails with a message that begins with the folder's name; then the list is empty. */
enum status folder_list_read(struct folder_list *l, const char *folder);
void folder_list_release(struct folder_list *l);

#endif
