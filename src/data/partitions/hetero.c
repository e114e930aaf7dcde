/*
 * hetero.c - blocks of consecutive classes (S001's hetero): worker w has all samples of block w.
 *
 * Where the workers do not divide the classes, blocks differ by one class and none is left over.
 * With more workers than classes there is no block for everybody: an error, unless neighbouring
 * workers are to share a class, dealt among them.
 */
#include "data/partition_list.h"

struct hetero_opts {
    bool share;
};

static const struct field hetero_fields[] = {
    FIELD_BOOL(struct hetero_opts, share, false,
               "allow more workers than classes; neighbours then share a class"),
    FIELD_LAST,
};

static enum status hetero_check(const void *options, int workers, int64_t classes)
{
    const struct hetero_opts *opts = options;

    if (workers <= classes || opts->share)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "partition: hetero needs a label for every worker, but there are %d workers and "
                "%lld labels; use at most %lld workers, share: true, or partition sorted",
                workers, (long long)classes, (long long)classes);
}

/* ceil(a b / c) without overflow for what these are: numbers of classes and workers. */
static int64_t ceil_share(int64_t a, int64_t b, int64_t c)
{
    return (a * b + c - 1) / c;
}

static void assign_blocks(struct assignment *d, const struct partition_classes *c, int64_t workers)
{
    const int64_t larger = c->count % workers, size = c->count / workers;

    for (int64_t k = 0; k < c->count; k++) {
        struct partition_turn turn = {.step = 1, .among = 1};

        if (workers > c->count) {
            turn.first = (int)ceil_share(k, workers, c->count);
            turn.among = (int)ceil_share(k + 1, workers, c->count) - turn.first;
        } else if (k < larger * (size + 1)) {
            turn.first = (int)(k / (size + 1));
        } else {
            turn.first = (int)(larger + (k - larger * (size + 1)) / size);
        }
        partition_assign_in_turn(d, c->samples + c->begins[k], c->begins[k + 1] - c->begins[k],
                                 turn);
    }
}

static enum status hetero_assign(const void *options, const struct partition_request *q,
                                 struct assignment *d)
{
    struct partition_classes c;

    partition_classes_init(&c, q);
    partition_classes_shuffle(&c, q->seed);

    /* Again, because some classes may have no samples. */
    const enum status s = hetero_check(options, q->workers, c.count);

    if (s == STATUS_OK)
        assign_blocks(d, &c, q->workers);
    partition_classes_release(&c);
    return s;
}

const struct partition_ops hetero_partition = {
    .entry = {.name = "hetero",
              .summary = "blocks of consecutive classes, every class kept",
              .fields = hetero_fields,
              .options_size = sizeof(struct hetero_opts)},
    .needs_labels = true,
    .check = hetero_check,
    .assign = hetero_assign,
};
