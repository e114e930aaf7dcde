/*
 * file.h - files and folders. A file is written beside its place, flushed to the disk and renamed,
 * so that a reader sees the old one or the new one, never half of one. Symbolic links are followed;
 * what is no regular file (a device, a pipe) or is open as stdout or stderr is written straight.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct file_writer {
    int descriptor;
    char *path;
    char *target, *temporary; /* behind links, and "<target>.<pid>.tmp"; NULL: written straight */
    uint8_t *buffer;
    size_t used;
    bool is_unsynced; /* renamed without being flushed to the disk */
};

enum status file_writer_open(struct file_writer *w, const char *path);
enum status file_writer_put(struct file_writer *w, const void *data, size_t bytes);

/* Flushes, fsyncs and renames when `body` is STATUS_OK; else removes. Returns the first failure. */
enum status file_writer_close(struct file_writer *w, enum status body);

/* Whether a file could be written at this path, for before the work on it. Makes nothing. */
enum status file_check_writable(const char *path);

/* The whole of a file; a text file gets a NUL after its last byte. Refuses more than `limit`. */
enum status file_read(const char *path, size_t limit, struct text *out);

/* Writes a text as a whole file (write, fsync, rename). */
enum status file_write_text(const char *path, const char *content);

/* The same without waiting for the disk: a reader sees the old text or the new one, and after a
 * crash of the machine it may be either, or nothing. For what is written often. */
enum status file_replace_text(const char *path, const char *content);

/* file_write_text of a file in a folder, and whether there is one. */
enum status file_write_in(const char *folder, const char *name, const char *content);
bool file_exists_in(const char *folder, const char *name);

/* Opens what is closed of descriptors 0, 1, 2 on /dev/null: no file of ours becomes stdout. */
void file_reserve_standard(void);

bool file_exists(const char *path);
bool file_is_folder(const char *path);
bool file_is_regular(const char *path);          /* neither a folder nor a device */
int64_t file_size(const char *path);             /* -1 when it cannot be told */
enum status file_make_folders(const char *path); /* with parents; fine when it exists */
enum status file_remove(const char *path);       /* fine when it does not exist */
enum status file_remove_in(const char *folder, const char *name);

/* Gives a file or folder another name; one that is there already is an error, unless empty. */
enum status file_rename(const char *from, const char *to);

/* All bytes to an open descriptor; the path is for the message. */
enum status file_write_all(int descriptor, const char *path, const void *data, size_t bytes);

/* --- file_log.c --- */

/* A line, or some bytes, at the end of a file, in one write. */
struct file_log {
    int descriptor;
    char *path;
};
enum status file_log_open(struct file_log *l, const char *path); /* appends */
enum status file_log_line(struct file_log *l, const char *line); /* adds the newline */
enum status file_log_bytes(struct file_log *l, const void *data, size_t bytes);
void file_log_close(struct file_log *l);

/* Only the first bytes stay. */
enum status file_cut(const char *path, int64_t bytes);

/* Some bytes of a file; that it ends before them is an error. */
enum status file_read_part(const char *path, int64_t offset, void *data, size_t bytes);

/* --- file_link.c --- */

/* Whether both are one file, also by links. */
bool file_is_same(const char *a, const char *b);

/* `path` becomes a link to the file `name` in the same folder, in one step: symbolic, or else hard.
 * On a file system that has neither, `path` is removed. */
enum status file_link(const char *name, const char *path);

/* "a/b", to be freed by mem_free. An absolute b is returned as it is. */
char *file_join(const char *a, const char *b);

/* The path from the root, without "." and "..", so that a file has one such path whatever the
 * current folder is. Links stay. mem_free. */
char *file_absolute(const char *path);

/* The folder of the running program, to be freed by mem_free; "" when it cannot be told. */
char *file_program_folder(void);

#endif
