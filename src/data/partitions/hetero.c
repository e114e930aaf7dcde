/*
 * hetero.c - blocks of consecutive classes (S001's hetero): worker w has all samples of block w.
 *
 * Where the workers do not divide the classes, blocks differ by one class and none is left over.
 * With more workers than classes, neighbouring workers share a class, dealt among them.
 */
#include "data/partition_list.h"

/* ceil(a b / c) without overflow for what these are: numbers of classes and workers. */
static int64_t share(int64_t a, int64_t b, int64_t c)
{
    return (a * b + c - 1) / c;
}

static enum status hetero_deal(const void *options, const struct partition_request *q,
                               struct deal *d)
{
    struct deal_classes c;

    (void)options;
    deal_classes_init(&c, q);
    deal_classes_shuffle(&c, q->seed);

    const int64_t workers = q->workers, larger = c.count % workers;
    const int64_t size = c.count / workers;

    for (int64_t k = 0; k < c.count; k++) {
        struct deal_turn turn = {.step = 1, .among = 1};

        if (workers > c.count) {
            turn.first = (int)share(k, workers, c.count);
            turn.among = (int)share(k + 1, workers, c.count) - turn.first;
        } else if (k < larger * (size + 1)) {
            turn.first = (int)(k / (size + 1));
        } else {
            turn.first = (int)(larger + (k - larger * (size + 1)) / size);
        }
        deal_in_turn(d, c.samples + c.begins[k], c.begins[k + 1] - c.begins[k], turn);
    }
    deal_classes_release(&c);
    return STATUS_OK;
}

const struct partition_ops hetero_partition = {
    .entry =
        {
                .name = "hetero",
                .summary = "blocks of consecutive classes, every class kept",
                },
    .needs_labels = true,
    .deal = hetero_deal,
};
