/*
 * generated_set.c - see generated_set.h.
 */
#include "data/generated_set.h"

#include <unistd.h>

#include "base/file.h"
#include "base/folder_list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/temporary.h"

enum { STREAM_FIRST = 2 }; /* figures.c has 0 and 1 */
enum { PICTURES_PER_LINE = 64 };

const struct generated_layout generated_layouts[] = {
    {"folder",     "JPEG files as train/CLASS/* and val/CLASS/*, for folder:DIR", 0,
     generated_folder_write                                                               },
    {"imagenet32", "pickles as Imagenet32_train/* and Imagenet32_val/*",          32,
     generated_imagenet_write                                                             },
    {"imagenet64", "pickles as Imagenet64_train/* and Imagenet64_val/*",          64,
     generated_imagenet_write                                                             },
    {NULL,         NULL,                                                          0,  NULL},
};

/* --- pictures --- */

void generated_pictures_init(struct generated_pictures *p, const struct generated_set *g,
                             enum generated_part part)
{
    *p = (struct generated_pictures){
        .set = g,
        .rng = rng_make((uint64_t)g->seed, RNG_FIGURES, STREAM_FIRST + (uint32_t)part),
        .count = part == GENERATED_TRAIN ? g->train : g->test,
        .title = part == GENERATED_TRAIN ? "training" : "test",
    };
    image_set_size(&p->image, g->width, g->height);
}

void generated_pictures_release(struct generated_pictures *p)
{
    coloured_figure_release(&p->figure);
    image_release(&p->image);
}

static void show_progress(const struct generated_pictures *p)
{
    char *line =
        text_format("%lld of %lld %s pictures", (long long)p->done, (long long)p->count, p->title);

    log_progress(line, p->done == p->count);
    mem_free(line);
}

enum status generated_pictures_next(struct generated_pictures *p, int64_t *label)
{
    if (signals_stop_requested())
        return FAIL(STATUS_INTERRUPTED, "stopped by %s; nothing was written", signals_stop_name());
    *label = p->done % p->set->classes;
    coloured_figure_draw(&p->figure, &p->image, &p->rng, (uint64_t)p->done, *label,
                         p->set->classes);
    p->done++;
    if (p->done % PICTURES_PER_LINE == 0 || p->done == p->count)
        show_progress(p);
    return STATUS_OK;
}

/* --- the set --- */

static enum status check_empty(const char *folder)
{
    struct folder_list l;

    if (!file_exists(folder))
        return STATUS_OK;
    TRY(folder_list_read(&l, folder));
    const int64_t count = l.count;
    folder_list_release(&l);
    return count == 0 ? STATUS_OK
                      : FAIL(STATUS_BAD_INPUT, "%s is not empty: name a new folder", folder);
}

enum status generated_set_write(const struct generated_layout *layout,
                                const struct generated_set *g, const char *folder)
{
    TRY(check_empty(folder));
    char *temporary = text_format("%s.%lld.tmp", folder, (long long)getpid());
    enum status s = file_make_folders(temporary);

    if (s == STATUS_OK)
        s = layout->write(g, temporary);
    if (s == STATUS_OK)
        s = file_rename(temporary, folder);
    if (s != STATUS_OK)
        temporary_remove(temporary);
    mem_free(temporary);
    return s;
}
