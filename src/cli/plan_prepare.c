/*
 * plan_prepare.c - `muster plan prepare IN OUT`: pictures of buildings become floor plans, with
 * their signed distance fields. One picture, or all of a folder.
 *
 * Not here: what is done with a picture (data/floor_plan_prepare.h, data/distance_transform.h).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "data/distance_transform.h"
#include "data/floor_plan_prepare.h"
#include "format/npy.h"

enum { SHORT_SIDE = 512, SHORT_SIDE_MIN = 16, SHORT_SIDE_MAX = 8192, SPECK = 20 };
enum { SPECK_MAX = 1000000 };

static const struct flag prepare_flags[] = {
    {"short-side", NULL, "N",
     "length of the shorter side in pixels (512); 0 keeps the size of the picture", "Plan"  },
    {"speck",      NULL, "N",
     "remove pieces of wall, and then free areas, of fewer pixels than this (20)",  NULL    },
    {"dark-walls", NULL, NULL, "dark pixels are walls, as in drawings on paper",    NULL    },
    {"force",      NULL, NULL, "replace files even if they are of another kind",    "Output"},
    FLAG_LAST,
};

static const struct flags_spec prepare_spec = {
    .command = "plan prepare",
    .usage = "muster plan prepare IN.png OUT.png | IN-FOLDER OUT-FOLDER [flags]",
    .intro = "Makes a floor plan (0 free, 255 wall) of a picture: resizes it, makes pixels of at "
             "least half the brightness walls, and removes specks. Writes the plan, and next to it "
             "the signed distance field as .npy (float32): the distance in pixels from the nearest "
             "edge of a wall, negative in walls. Of a folder, all PNG files; OUT-FOLDER is new or "
             "empty.",
    .examples = "muster plan prepare scan.png plan.png\n"
                "muster plan prepare drawing.png plan.png --dark-walls --short-side 1024\n"
                "muster plan prepare drawings plans --dark-walls",
    .flags = prepare_flags,
    .positional_max = 2,
};

/* --- one picture --- */

static bool is_png(const char *name)
{
    const size_t length = strlen(name);

    return length > 4 && text_same_word(name + length - 4, ".png");
}

/* "a/b.png" -> "a/b.npy"; mem_free */
static char *field_path(const char *png)
{
    return text_format("%.*s.npy", (int)strlen(png) - 4, png);
}

static enum status save_field(const struct floor_plan *p, const char *path)
{
    const int64_t dims[2] = {p->height, p->width}, size = p->width * p->height;
    double *field = MEM_NEW_N(double, size);
    float *values = MEM_NEW_N(float, size);

    distance_transform_signed(p, field);
    for (int64_t i = 0; i < size; i++)
        values[i] = (float)field[i];
    const enum status s = npy_write(path, NPY_F32, 2, dims, values);
    mem_free(field);
    mem_free(values);
    return s;
}

/* Both files or none. */
static enum status save_both(const struct floor_plan *p, const char *path)
{
    char *field = field_path(path);
    enum status s = save_field(p, field);

    if (s == STATUS_OK) {
        s = floor_plan_save(p, path);
        if (s != STATUS_OK)
            (void)file_remove(field);
    }
    mem_free(field);
    return s;
}

static enum status prepare_picture(const char *in, const char *out,
                                   const struct floor_plan_preparation *how, struct text *facts)
{
    struct png_picture picture;
    struct floor_plan p;

    TRY(png_picture_load(&picture, in));
    enum status s = floor_plan_prepare(&p, &picture, how, in);
    png_picture_release(&picture);
    if (s != STATUS_OK)
        return s;
    s = save_both(&p, out);
    plan_add_facts(facts, &p);
    floor_plan_release(&p);
    return s;
}

static enum status check_targets(const struct flags *f, const char *in, const char *out)
{
    if (!is_png(out))
        return FAIL(STATUS_BAD_INPUT, "%s: the name of the plan must end in .png", out);
    if (file_is_same(in, out))
        return FAIL(STATUS_BAD_INPUT, "%s: is the picture itself; choose another name", out);
    TRY(command_check_target(f, out, PLAN_PNG_BEGINS));
    char *field = field_path(out);
    const enum status s = command_check_target(f, field, "\x93NUMPY");
    mem_free(field);
    return s;
}

static enum status prepare_file(const struct flags *f, const struct floor_plan_preparation *how,
                                struct text *facts)
{
    TRY(check_targets(f, f->positional[0], f->positional[1]));
    return prepare_picture(f->positional[0], f->positional[1], how, facts);
}

/* --- a folder --- */

struct names {
    int64_t count;
    char **items; /* [count], each to be freed */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_release(struct names *n)
{
    for (int64_t i = 0; i < n->count; i++)
        mem_free(n->items[i]);
    mem_free(n->items);
}

static bool is_wanted(const char *folder, const char *name, bool is_any)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (is_any)
        return true;
    char *path = file_join(folder, name);
    const bool is_picture = is_png(name) && !file_is_folder(path);
    mem_free(path);
    return is_picture;
}

/* The PNG files of a folder; or, with `is_any`, all that is in it. */
static enum status find_names(const char *folder, bool is_any, struct names *n)
{
    DIR *dir = opendir(folder);

    *n = (struct names){0};
    if (dir == NULL)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (!is_wanted(folder, e->d_name, is_any))
            continue;
        n->count++;
        n->items = mem_grow(n->items, n->count, sizeof *n->items);
        n->items[n->count - 1] = mem_text(e->d_name);
    }
    (void)closedir(dir);
    if (n->count > 0)
        qsort(n->items, (size_t)n->count, sizeof *n->items, by_name);
    return STATUS_OK;
}

static enum status check_new_folder(const char *folder)
{
    struct names there;

    if (!file_exists(folder))
        return STATUS_OK;
    if (!file_is_folder(folder))
        return FAIL(STATUS_BAD_INPUT, "%s: is a file; for a folder of pictures a folder is needed",
                    folder);
    TRY(find_names(folder, true, &there));
    const bool is_empty = there.count == 0;
    names_release(&there);
    if (is_empty)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "%s: the folder is not empty; choose a new one", folder);
}

static enum status prepare_all(const char *in, const char *out, const struct names *n,
                               const struct floor_plan_preparation *how, struct text *facts)
{
    enum status s = file_make_folders(out);

    for (int64_t i = 0; s == STATUS_OK && i < n->count; i++) {
        char *from = file_join(in, n->items[i]), *to = file_join(out, n->items[i]);

        text_addf(facts, "%s: ", n->items[i]);
        s = prepare_picture(from, to, how, facts);
        mem_free(from);
        mem_free(to);
    }
    return s;
}

/* The files are written to a folder of another name, which at the end becomes OUT. */
static enum status prepare_folder(const char *in, const char *out,
                                  const struct floor_plan_preparation *how, struct text *facts)
{
    struct names pictures;

    TRY(check_new_folder(out));
    TRY(find_names(in, false, &pictures));
    if (pictures.count == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: the folder has no PNG files", in);
    size_t length = strlen(out);
    while (length > 1 && out[length - 1] == '/')
        length--;
    char *temporary = text_format("%.*s.%lld.tmp", (int)length, out, (long long)getpid());
    enum status s = prepare_all(in, temporary, &pictures, how, facts);
    if (s == STATUS_OK)
        s = file_rename(temporary, out);
    if (s != STATUS_OK)
        temporary_remove(temporary);
    mem_free(temporary);
    names_release(&pictures);
    return s;
}

/* --- the command --- */

static enum status read_preparation(const struct flags *f, struct floor_plan_preparation *how)
{
    *how = (struct floor_plan_preparation){
        .short_side = SHORT_SIDE,
        .speck = SPECK,
        .has_dark_walls = flags_has(f, "dark-walls"),
    };
    TRY(command_read_int(f, "speck", 0, SPECK_MAX, &how->speck));
    TRY(command_read_int(f, "short-side", 0, SHORT_SIDE_MAX, &how->short_side));
    if (how->short_side > 0 && how->short_side < SHORT_SIDE_MIN)
        return FAIL(STATUS_BAD_INPUT, "--short-side: %lld is neither 0 nor in [%d, %d]",
                    (long long)how->short_side, SHORT_SIDE_MIN, SHORT_SIDE_MAX);
    return STATUS_OK;
}

static enum status prepare_parsed(const struct flags *f)
{
    struct floor_plan_preparation how;
    struct text facts = {0};

    if (f->positional_count < 2)
        return FAIL(STATUS_BAD_INPUT,
                    "muster plan prepare needs a picture and the plan to write, or two folders");
    if (!file_exists(f->positional[0]))
        return FAIL(STATUS_IO, "%s: there is no such file or folder", f->positional[0]);
    TRY(read_preparation(f, &how));
    const enum status s = file_is_folder(f->positional[0])
                              ? prepare_folder(f->positional[0], f->positional[1], &how, &facts)
                              : prepare_file(f, &how, &facts);
    if (s == STATUS_OK)
        command_print(text_get(&facts));
    text_release(&facts);
    return s;
}

enum status plan_prepare(int argc, char **argv)
{
    return command_run(&prepare_spec, argc, argv, prepare_parsed);
}
