/*
 * preparation.c - see preparation.h.
 */
#include "data/preparation.h"

#include "base/check.h"
#include "base/mem.h"

bool preparation_is_needed(const struct preparation *p, const struct samples *part,
                           bool is_training)
{
    return part->source != NULL || (is_training && p->augments && part->bytes != NULL);
}

void preparer_release(struct preparer *r)
{
    image_release(&r->image);
    resizer_release(&r->resizer);
}

/* The picture of a sample: in memory, or read into the scratch memory. */
static enum status get_picture(const struct preparation *p, const struct samples *part,
                               int64_t number, struct preparer *scratch, struct resize_source *out)
{
    const struct dataset *d = p->dataset;

    if (part->source == NULL) {
        *out = (struct resize_source){
            .pixels = part->bytes + number * d->height * d->width * d->channels,
            .width = d->width,
            .height = d->height,
            .row_bytes = d->width * d->channels,
        };
        return STATUS_OK;
    }
    TRY(sample_source_read(part->source, number, &scratch->image));
    *out = (struct resize_source){
        .pixels = scratch->image.pixels,
        .width = scratch->image.width,
        .height = scratch->image.height,
        .row_bytes = scratch->image.width * d->channels,
    };
    return STATUS_OK;
}

static enum status read_one(const struct preparation *p, const struct sample_request *q,
                            struct preparer *scratch, uint8_t *out)
{
    const bool is_random = q->view->is_training && p->augments;
    struct resize_source picture;

    TRY(get_picture(p, q->part, q->number, scratch, &picture));
    const struct view v =
        augment_view(is_random ? &p->training : &p->evaluation, picture.width, picture.height,
                     (struct augment_key){q->view->seed, q->number, q->view->epoch});
    view_render(&scratch->resizer, out, &picture, &v);
    return STATUS_OK;
}

/* The next sample of the class, the first after the last; the sample itself: there is no other. */
static int64_t next_of_class(const struct samples *part, int64_t number)
{
    int64_t next = number;

    do
        next = (next + 1) % part->count;
    while (part->labels[next] != part->labels[number]);
    return next;
}

/* The message stays, and names the way out. */
static enum status fail_broken(enum status s)
{
    char *message = mem_text(status_message());

    s = FAIL(s, "%s; a run with --data.broken skip:N replaces up to N broken pictures", message);
    mem_free(message);
    return s;
}

static enum status fail_class(const struct dataset *d, int32_t label)
{
    return d->class_names == NULL
               ? FAIL(STATUS_IO, "no picture of class %d can be read", (int)label)
               : FAIL(STATUS_IO, "no picture of class %s can be read", d->class_names[label]);
}

enum status preparation_read(const struct preparation *p, const struct sample_request *q,
                             struct preparer *scratch, uint8_t *out)
{
    struct sample_request other = *q;

    CHECK(p->dataset->channels == 3); /* pictures are RGB */
    for (;;) {
        const enum status s = read_one(p, &other, scratch, out);

        scratch->has_replaced = other.number != q->number;
        if (s == STATUS_OK)
            return s;
        if (p->broken == NULL)
            return fail_broken(s);
        TRY(broken_samples_note(p->broken, q->part->source, other.number, s));
        other.number = next_of_class(q->part, other.number);
        if (other.number == q->number)
            return fail_class(p->dataset, q->part->labels[q->number]);
    }
}
