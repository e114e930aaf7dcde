/*
 * generated_folder.c - generated pictures as JPEG files in folders train/CLASS and val/CLASS.
 */
#include "base/file.h"
#include "base/mem.h"
#include "data/generated_set.h"
#include "format/jpeg.h"

enum { QUALITY = 90 };

static enum status make_class_folders(const struct generated_set *g, const char *folder)
{
    for (int64_t k = 0; k < g->classes; k++) {
        char *name = coloured_figure_name(k, g->classes), *path = file_join(folder, name);
        const enum status s = file_make_folders(path);

        mem_free(path);
        mem_free(name);
        TRY(s);
    }
    return STATUS_OK;
}

/* The set as a whole is renamed when it is complete, so a file need not wait for the disk. */
static enum status write_file(const char *path, const struct text *content)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    w.is_unsynced = true;
    return file_writer_close(&w, file_writer_put(&w, content->data, content->length));
}

static enum status write_picture(const struct generated_pictures *p, int64_t label,
                                 const char *folder)
{
    const struct jpeg_options options = {.quality = QUALITY, .subsampling = JPEG_420};
    char *name = coloured_figure_name(label, p->set->classes);
    char *path = text_format("%s/%s/%07lld.jpg", folder, name, (long long)p->done);
    struct text content = {0};

    jpeg_encode(&p->image, &options, &content);
    const enum status s = write_file(path, &content);
    text_release(&content);
    mem_free(path);
    mem_free(name);
    return s;
}

static enum status write_pictures(struct generated_pictures *p, const char *folder)
{
    int64_t label;

    TRY(make_class_folders(p->set, folder));
    while (p->done < p->count) {
        TRY(generated_pictures_next(p, &label));
        TRY(write_picture(p, label, folder));
    }
    return STATUS_OK;
}

static enum status write_part(const struct generated_set *g, enum generated_part part,
                              const char *root, const char *name)
{
    struct generated_pictures p;
    char *folder = file_join(root, name);

    generated_pictures_init(&p, g, part);
    const enum status s = write_pictures(&p, folder);
    generated_pictures_release(&p);
    mem_free(folder);
    return s;
}

enum status generated_folder_write(const struct generated_set *g, const char *folder)
{
    TRY(write_part(g, GENERATED_TRAIN, folder, "train"));
    return write_part(g, GENERATED_TEST, folder, "val");
}
