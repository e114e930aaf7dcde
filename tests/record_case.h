/*
 * record_case.h - a folder for the files of a record, and a file that is cut off at every byte.
 */
#ifndef TESTS_RECORD_CASE_H
#define TESTS_RECORD_CASE_H

#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "test.h"

static inline char *case_folder(void)
{
    char *folder = mem_text("/tmp/muster_record.XXXXXX");

    EXPECT(mkdtemp(folder) != NULL);
    return folder;
}

/* With what is in it, folders too. */
static inline void case_remove(const char *path)
{
    DIR *dir = opendir(path);

    for (const struct dirent *e = dir == NULL ? NULL : readdir(dir); e != NULL; e = readdir(dir)) {
        char *inner = file_join(path, e->d_name);

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            case_remove(inner);
        mem_free(inner);
    }
    if (dir != NULL)
        (void)closedir(dir);
    EXPECT_OK(file_remove(path));
}

static inline void case_free(char *folder)
{
    case_remove(folder);
    mem_free(folder);
}

/* mem_free */
static inline char *case_read(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    struct text content = {0};

    EXPECT_OK(file_read(path, 1 << 24, &content));
    mem_free(path);
    return content.length == 0 ? mem_text("") : text_take(&content);
}

/*
 * Calls `read` with the file cut off after each of its bytes, and with each byte replaced: it must
 * neither crash nor leak. Then the file is as it was.
 */
static inline void case_damage(const char *folder, const char *name,
                               void (*read)(const char *folder))
{
    char *whole = case_read(folder, name);
    const size_t length = strlen(whole);
    char *path = file_join(folder, name);

    for (size_t i = 0; i < length; i++) {
        char *part = mem_text_n(whole, i);

        EXPECT_OK(file_replace_text(path, part));
        read(folder);
        mem_free(part);
        part = mem_text(whole);
        part[i] = "x{[\"9-,"[i % 7];
        EXPECT_OK(file_replace_text(path, part));
        read(folder);
        mem_free(part);
    }
    EXPECT_OK(file_replace_text(path, whole));
    mem_free(path);
    mem_free(whole);
}

#endif
