/*
 * muster_loader.c - pictures of a folder become views for training, for bench/loader.
 *
 *     muster_loader rate FOLDER SIZE SECONDS
 *     muster_loader write FOLDER SIZE FILE
 *
 * FOLDER has a folder for each class. Each picture is read, decoded, cut at random, resized to
 * SIZE x SIZE and mirrored or not, in one thread, as by `--data.crop resized --data.flip`.
 *
 * rate: prints how many pictures per second are only decoded, and become views. write: one view of
 * each picture, [SIZE][SIZE][3] bytes; prints their labels. Both print one line of JSON.
 */
#include <stdio.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "data/folder_source.h"
#include "data/preparation.h"

static int64_t *all_items(int64_t count)
{
    int64_t *items = MEM_NEW_N(int64_t, count);

    for (int64_t i = 0; i < count; i++)
        items[i] = i;
    return items;
}

/* All of it by value or borrowed. */
struct views {
    struct dataset dataset;
    struct preparation preparation;
    struct preparer scratch;
    uint8_t *out; /* one view */
};

static void views_init(struct views *v, const struct image_index *x, int64_t size)
{
    *v = (struct views){
        .dataset = {.height = size,         .width = size,  .channels = 3, .train.count = x->count},
        .preparation = {.dataset = &v->dataset, .height = size, .width = size, .augments = true       },
        .out = MEM_NEW_N(uint8_t, size * size * 3),
    };
    v->dataset.train.source = folder_source_new(x, all_items(x->count), x->count);
    v->preparation.training = augment_resized(size, size);
    v->preparation.training.is_flipping = true;
}

static void views_release(struct views *v)
{
    sample_source_free(v->dataset.train.source);
    preparer_release(&v->scratch);
    mem_free(v->out);
}

/* The view number i: of picture i, and so on in later epochs. */
static enum status make_view(struct views *v, int64_t i)
{
    const struct samples *part = &v->dataset.train;
    const struct sample_view view = {.is_training = true, .seed = 1, .epoch = i / part->count};

    return preparation_read(&v->preparation, &(struct sample_request){part, i % part->count, &view},
                            &v->scratch, v->out);
}

static enum status decode(struct views *v, int64_t i)
{
    const struct samples *part = &v->dataset.train;

    return sample_source_read(part->source, i % part->count, &v->scratch.image);
}

static enum status measure(struct views *v, enum status (*step)(struct views *v, int64_t i),
                           double seconds, double *rate)
{
    const double start = clock_seconds();
    int64_t i = 0;

    for (; clock_seconds() - start < seconds; i++)
        TRY(step(v, i));
    *rate = (double)i / (clock_seconds() - start);
    return STATUS_OK;
}

static enum status measure_rates(struct views *v, const char *seconds, struct json *j)
{
    double limit, decoded, views;

    CHECK(text_to_double(seconds, &limit) && limit > 0);
    TRY(measure(v, decode, limit / 2, &decoded));
    TRY(measure(v, make_view, limit / 2, &views));
    json_number(j, "decoded_per_s", decoded);
    json_number(j, "views_per_s", views);
    return STATUS_OK;
}

static enum status write_views(struct views *v, const struct image_index *x, const char *path,
                               struct json *j)
{
    const size_t bytes = (size_t)(v->dataset.height * v->dataset.width * 3);
    struct file_writer w;
    enum status s = STATUS_OK;

    TRY(file_writer_open(&w, path));
    json_open_list(j, "labels");
    for (int64_t i = 0; i < x->count && s == STATUS_OK; i++) {
        s = make_view(v, i);
        if (s == STATUS_OK)
            s = file_writer_put(&w, v->out, bytes);
        json_int(j, NULL, x->labels[i]);
    }
    json_close_list(j);
    return file_writer_close(&w, s);
}

int main(int argc, char **argv)
{
    struct text out = {0};
    struct image_index x;
    struct views v;
    struct json j;
    int64_t size;

    CHECK(argc == 5 && text_to_int(argv[3], &size) && size > 0);
    json_init(&j, &out);
    json_open_map(&j, NULL);
    enum status s = image_index_read(&x, argv[2], "");
    if (s == STATUS_OK) {
        views_init(&v, &x, size);
        s = text_equal(argv[1], "rate") ? measure_rates(&v, argv[4], &j)
                                        : write_views(&v, &x, argv[4], &j);
        views_release(&v);
        image_index_release(&x);
    }
    json_close_map(&j);
    if (s == STATUS_OK)
        puts(text_get(&out));
    else
        fprintf(stderr, "%s\n", status_message());
    text_release(&out);
    return s == STATUS_OK ? 0 : 1;
}
