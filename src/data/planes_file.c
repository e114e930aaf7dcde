/*
 * planes_file.c - see planes_file.h.
 */
#include "data/planes_file.h"

#include <inttypes.h>

#include "base/log.h"
#include "base/mem.h"
#include "data/planes_cache.h"

/* From planes to pixels. */
static enum status read_mean(struct planes_file *f, const struct image_pickle_request *q)
{
    const int64_t pixels = q->side * q->side;
    const struct pickle_value *v = pickle_find(f->decoded.pickle.root, "mean");

    if (v == NULL)
        return STATUS_OK;
    if (v->kind != PICKLE_ARRAY || v->array->count != 3 * pixels)
        return FAIL(STATUS_BAD_INPUT, "%s: mean must be an array of %" PRId64 " numbers", q->path,
                    3 * pixels);
    float *planes = MEM_NEW_N(float, 3 * pixels);

    file_array_to_floats(v->array, 0, 3 * pixels, planes);
    f->mean = MEM_NEW_N(float, 3 * pixels);
    for (int64_t i = 0; i < 3 * pixels; i++)
        f->mean[i] = planes[i % 3 * pixels + i / 3];
    mem_free(planes);
    return STATUS_OK;
}

/* Keeps of the pickle what is needed: the mapping if the images are in it. */
static void keep_images(struct planes_file *f)
{
    f->data = f->decoded.data->data;
    if (!f->decoded.is_in_file)
        return;
    f->map = f->decoded.map;
    f->decoded.map = (struct file_map){0};
    image_pickle_close(&f->decoded);
}

static void release_content(struct planes_file *f)
{
    image_pickle_close(&f->decoded);
    mem_free(f->labels);
    mem_free(f->mean);
    f->labels = NULL;
    f->mean = NULL;
}

/* Uses a new cache instead of the decoded images; they stay in memory if there is no place. */
static enum status use_cache(struct planes_file *f, const struct image_pickle_request *q)
{
    bool found = false;

    if (!planes_cache_write(f, q)) {
        log_warning("%s: stays in memory, because it cannot be mapped and no cache was written",
                    q->path);
        return STATUS_OK;
    }
    struct planes_file cached = {.path = f->path};
    TRY(planes_cache_open(&cached, q, &found));
    if (found) {
        release_content(f);
        *f = cached;
    }
    return STATUS_OK;
}

static enum status open_pickle(struct planes_file *f, const struct image_pickle_request *q)
{
    TRY(image_pickle_open(&f->decoded, q));
    f->count = f->decoded.count;
    f->labels = f->decoded.labels;
    f->decoded.labels = NULL;
    TRY(read_mean(f, q));
    if (!f->decoded.data->is_c_order && f->decoded.data->count > 0)
        return FAIL(STATUS_BAD_INPUT, "%s: data is in Fortran order; write it in C order", q->path);
    const bool is_in_file = f->decoded.is_in_file;

    keep_images(f);
    return is_in_file ? STATUS_OK : use_cache(f, q);
}

enum status planes_file_open(struct planes_file *f, const struct image_pickle_request *q)
{
    bool found = false;

    *f = (struct planes_file){.path = mem_text(q->path)};
    enum status s = planes_cache_open(f, q, &found);
    if (s == STATUS_OK && !found)
        s = open_pickle(f, q);
    if (s != STATUS_OK)
        planes_file_close(f);
    else
        file_map_advise(&f->map, FILE_MAP_RANDOM);
    return s;
}

void planes_file_close(struct planes_file *f)
{
    release_content(f);
    file_map_close(&f->map);
    mem_free(f->path);
    *f = (struct planes_file){0};
}
