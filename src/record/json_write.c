/*
 * json_write.c - what the writers of a record's files share.
 */
#include "record/json_write.h"

#include "base/file.h"
#include "base/mem.h"

void json_write_ints(struct json *j, const char *key, const int64_t *values, int64_t count)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < count; i++)
        json_int(j, NULL, values[i]);
    json_close_list(j);
}

void json_write_matrix(struct json *j, const char *key, const int64_t *values, int64_t rows,
                       int64_t columns)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < rows; i++)
        json_write_ints(j, NULL, values + i * columns, columns);
    json_close_list(j);
}

void json_write_names(struct json *j, const char *key, const char *const *names, int64_t count)
{
    if (names == NULL) {
        json_text(j, key, NULL);
        return;
    }
    json_open_list(j, key);
    for (int64_t i = 0; i < count; i++)
        json_text(j, NULL, names[i]);
    json_close_list(j);
}

enum status json_write_refreshed(const char *folder, const char *name, struct text *content)
{
    char *path = file_join(folder, name);

    text_add(content, "\n");
    const enum status s = file_replace_text(path, text_get(content));
    text_release(content);
    mem_free(path);
    return s;
}

enum status json_write_file(const char *folder, const char *name, struct text *content)
{
    text_add(content, "\n");
    const enum status s = file_write_in(folder, name, text_get(content));
    text_release(content);
    return s;
}

enum status json_write_line(const char *run_dir, const char *name, const struct text *line)
{
    char *path = file_join(run_dir, name);
    struct file_log log;
    enum status s = file_log_open(&log, path);

    mem_free(path);
    if (s == STATUS_OK) {
        s = file_log_line(&log, text_get(line));
        file_log_close(&log);
    }
    return s;
}
