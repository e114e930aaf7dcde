/*
 * waypoints.c - see waypoints.h.
 */
#include "data/lidar/waypoints.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/npy.h"

enum { FILE_LIMIT = 1 << 28 };
#define BLANKS " \t\r\v\f"

static bool has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);

    return length > tail && strcmp(name + length - tail, ending) == 0;
}

bool waypoints_is_npy(const char *file)
{
    return has_ending(file, ".npy");
}

void waypoints_add(struct waypoints *w, struct lidar_point p)
{
    w->points = mem_grow(w->points, w->count + 1, sizeof *w->points);
    w->points[w->count++] = p;
}

void waypoints_release(struct waypoints *w)
{
    mem_free(w->points);
    *w = (struct waypoints){0};
}

/* --- reading --- */

static enum status decode_npy(struct waypoints *w, const char *file, struct text *content)
{
    int64_t dims[2];
    double *values = NULL;

    TRY(npy_decode_f64(file, text_get(content), content->length, dims, &values));
    for (int64_t i = 0; dims[1] == 2 && i < dims[0]; i++)
        waypoints_add(w, (struct lidar_point){values[2 * i], values[2 * i + 1]});
    mem_free(values);
    if (dims[1] != 2)
        return FAIL(STATUS_BAD_INPUT, "%s: has the shape (%lld, %lld); way-points are (n, 2)", file,
                    (long long)dims[0], (long long)dims[1]);
    return STATUS_OK;
}

/* The next number of a line, which ends there; NULL: no more. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, BLANKS);
    const size_t length = strcspn(word, BLANKS ",");
    char *end = word + length;

    if (length == 0)
        return NULL;
    *line = end + strspn(end, BLANKS);
    if (**line == ',')
        ++*line;
    *end = '\0';
    return word;
}

static enum status read_line(struct waypoints *w, char *line, const char *file, int64_t number)
{
    struct lidar_point p;
    char *rest = line;

    line[strcspn(line, "#")] = '\0';
    const char *x = next_word(&rest), *y = x == NULL ? NULL : next_word(&rest);
    if (x == NULL && rest[strspn(rest, BLANKS)] == '\0')
        return STATUS_OK;
    if (y == NULL || rest[strspn(rest, BLANKS)] != '\0' || !text_to_double(x, &p.x) ||
        !text_to_double(y, &p.y))
        return FAIL(STATUS_BAD_INPUT, "%s:%lld: is not a pair of numbers", file, (long long)number);
    waypoints_add(w, p);
    return STATUS_OK;
}

static enum status read_lines(struct waypoints *w, char *text, const char *file)
{
    for (int64_t number = 1; text != NULL; number++) {
        const size_t length = strcspn(text, "\n");
        char *next = text[length] == '\0' ? NULL : text + length + 1;

        text[length] = '\0';
        TRY(read_line(w, text, file, number));
        text = next;
    }
    return STATUS_OK;
}

/* The content is cut in place. */
static enum status decode_text(struct waypoints *w, const char *file, struct text *content)
{
    if (content->length == 0)
        return STATUS_OK;
    if (memchr(content->data, '\0', content->length) != NULL)
        return FAIL(STATUS_BAD_INPUT, "%s: is neither a text nor a .npy file", file);
    return read_lines(w, content->data, file);
}

static enum status check(const struct waypoints *w, const char *file)
{
    if (w->count < WAYPOINTS_MIN)
        return FAIL(STATUS_BAD_INPUT, "%s: has %lld way-points; a path needs at least %d", file,
                    (long long)w->count, WAYPOINTS_MIN);
    for (int64_t i = 0; i < w->count; i++) {
        const struct lidar_point p = w->points[i];

        if (isnan(p.x) || isnan(p.y))
            return FAIL(STATUS_BAD_INPUT, "%s: way-point %lld is not a number", file,
                        (long long)i + 1);
        if (!(fabs(p.x) <= 1 && fabs(p.y) <= 1))
            return FAIL(STATUS_BAD_INPUT,
                        "%s: way-point %lld, (%g, %g), is outside the plan; "
                        "coordinates must be in [-1, 1]",
                        file, (long long)i + 1, p.x, p.y);
    }
    return STATUS_OK;
}

enum status waypoints_decode(struct waypoints *w, const char *name, struct text *content)
{
    *w = (struct waypoints){0};
    enum status s = (waypoints_is_npy(name) ? decode_npy : decode_text)(w, name, content);
    if (s == STATUS_OK)
        s = check(w, name);
    if (s != STATUS_OK)
        waypoints_release(w);
    return s;
}

enum status waypoints_read(struct waypoints *w, const char *file)
{
    struct text content = {0};

    *w = (struct waypoints){0};
    enum status s = file_read(file, FILE_LIMIT, &content);
    if (s == STATUS_OK)
        s = waypoints_decode(w, file, &content);
    text_release(&content);
    return s;
}

/* --- writing --- */

void waypoints_text(const struct waypoints *w, struct text *out)
{
    text_add(out, "# way-points: x and y in [-1, 1], y downwards\n");
    for (int64_t i = 0; i < w->count; i++) {
        text_add_double(out, w->points[i].x);
        text_add(out, " ");
        text_add_double(out, w->points[i].y);
        text_add(out, "\n");
    }
}

enum status waypoints_write(const struct waypoints *w, const char *file)
{
    struct file_writer writer;
    struct text out = {0};

    if (waypoints_is_npy(file))
        npy_add(&out, NPY_F64, 2, (int64_t[]){w->count, 2}, w->points);
    else
        waypoints_text(w, &out);
    enum status s = file_writer_open(&writer, file);
    if (s == STATUS_OK)
        s = file_writer_close(&writer, file_writer_put(&writer, text_get(&out), out.length));
    text_release(&out);
    return s;
}

/* --- folders --- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum status waypoint_files_find(struct waypoint_files *f, const char *folder)
{
    DIR *dir = opendir(folder);

    *f = (struct waypoint_files){0};
    if (dir == NULL)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] == '.' ||
            (!has_ending(e->d_name, ".npy") && !has_ending(e->d_name, ".txt") &&
             !has_ending(e->d_name, ".csv")))
            continue;
        f->paths = mem_grow(f->paths, f->count + 1, sizeof *f->paths);
        f->paths[f->count++] = file_join(folder, e->d_name);
    }
    (void)closedir(dir);
    if (f->count == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has no files of way-points (.npy, .txt or .csv)",
                    folder);
    qsort(f->paths, (size_t)f->count, sizeof *f->paths, by_name);
    return STATUS_OK;
}

void waypoint_files_release(struct waypoint_files *f)
{
    for (int64_t i = 0; i < f->count; i++)
        mem_free(f->paths[i]);
    mem_free(f->paths);
    *f = (struct waypoint_files){0};
}
