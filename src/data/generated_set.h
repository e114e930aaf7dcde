/*
 * generated_set.h - data sets of generated pictures (coloured_figure.h) on disk, in the layouts of
 * real ones: to try commands, to test and to measure where the real ones are not at hand.
 *
 * Adding a layout: a function in its own file, and a line in generated_set.c.
 */
#ifndef DATA_GENERATED_SET_H
#define DATA_GENERATED_SET_H

#include "base/status.h"
#include "data/coloured_figure.h"

struct generated_set {
    int64_t train, test; /* numbers of pictures; the classes take turns */
    int64_t classes;
    int64_t width, height;
    int64_t seed;
};

struct generated_layout {
    const char *name, *summary;
    int64_t side; /* of all its pictures; 0: any size */
    enum status (*write)(const struct generated_set *g, const char *folder);
};

/* Ends with a nameless one. */
extern const struct generated_layout generated_layouts[];

/*
 * Writes a set to a folder that is absent or empty: first to "FOLDER.<pid>.tmp", which is renamed
 * at the end, so that there is never half a set. A signal to stop is heeded.
 */
enum status generated_set_write(const struct generated_layout *layout,
                                const struct generated_set *g, const char *folder);

/* --- for the layouts --- */

enum generated_part { GENERATED_TRAIN, GENERATED_TEST };

/* Draws one picture after the other of a part. */
struct generated_pictures {
    const struct generated_set *set;
    struct rng rng;
    struct coloured_figure figure;
    struct image image;
    int64_t done, count; /* of the part, for the line of progress */
    const char *title;
};

void generated_pictures_init(struct generated_pictures *p, const struct generated_set *g,
                             enum generated_part part);
void generated_pictures_release(struct generated_pictures *p);

/* The next picture is in p->image and its class in *label. Shows progress; fails if a signal asks
 * to stop. */
enum status generated_pictures_next(struct generated_pictures *p, int64_t *label);

enum status generated_folder_write(const struct generated_set *g, const char *folder);
enum status generated_imagenet_write(const struct generated_set *g, const char *folder);

#endif
