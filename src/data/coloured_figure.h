/*
 * coloured_figure.h - generated colour pictures of any size, for sets that are written to disk.
 *
 * A picture is a figure (figure.h) in one of ten colours on a ground of one of ten colours,
 * enlarged or reduced, with grain as in photographs. Ten classes are the kinds of figures, a
 * hundred are kinds and colours, a thousand are kinds, colours and grounds; what is not of the
 * class is random.
 */
#ifndef DATA_COLOURED_FIGURE_H
#define DATA_COLOURED_FIGURE_H

#include "base/rng.h"
#include "data/resize.h"
#include "format/image.h"

enum { COLOURED_FIGURE_CLASSES = 1000 };

/* "star", "red_star" or "red_star_on_blue": as many words as so many classes need. mem_free. */
char *coloured_figure_name(int64_t label, int64_t classes);

/* Memory that is kept from picture to picture. A zeroed struct is empty. */
struct coloured_figure {
    struct resizer resizer;
};

void coloured_figure_release(struct coloured_figure *c);

/* Fills a picture, whose size is set. It is a function of (generator, index, label, size). */
void coloured_figure_draw(struct coloured_figure *c, struct image *im, const struct rng *r,
                          uint64_t index, int64_t label, int64_t classes);

#endif
