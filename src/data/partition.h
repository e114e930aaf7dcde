/*
 * partition.h - which worker has which samples of the training part.
 *
 * A partition is a function of the options, the seed, and the samples' numbers and labels: the same
 * on every transport, however many hosts there are. With one worker each is the whole set, and its
 * order that of a run without a partition, to the bit.
 *
 * Not here: the order in which a worker visits its samples (sampler.h).
 */
#ifndef DATA_PARTITION_H
#define DATA_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/registry.h"
#include "data/file_order.h"

/* All of it borrowed for the call, and the files until the partition is released. */
struct partition_request {
    const int32_t *labels;     /* by sample number; NULL: the data have no classes */
    const int64_t *samples;    /* [count] numbers of the samples to assign, ascending */
    int64_t count, classes;    /* labels are in [0, classes) */
    const int32_t *groups;     /* by sample number; NULL: the data have no groups */
    int64_t group_count;       /* groups are in [0, group_count) */
    struct sample_files files; /* epochs go file by file; none: over all samples */
    int workers;
    uint64_t seed;
};

/* Workers that have the same number of samples. */
struct partition_size {
    int64_t count; /* samples */
    int workers;
};

struct dealt_order; /* data/dealt_order.h */

/*
 * Every worker has at least one sample. Lists are ascending, and disjoint unless own_order.
 * With redeal, counts hold for every epoch, and items are those of epoch 0.
 */
struct partition {
    const struct entry *entry;
    uint64_t seed; /* of the request */
    int workers;
    int64_t *counts;              /* [workers] */
    struct partition_size *sizes; /* [size_count], by count: partition_group_sizes */
    int size_count;
    const int64_t **items;  /* [workers] -> [counts[w]]; inside storage, perhaps one list for all */
    int64_t sample_count;   /* of the request */
    const int64_t *samples; /* [sample_count] those of the request; inside storage */
    struct sample_files files; /* of the request, borrowed */
    bool own_order;            /* every worker has the whole set, and an order of its own */
    bool redeal;   /* worker w takes positions w, w + workers, ... of every epoch's global order */
    int64_t moved; /* samples that dirichlet moved so that everybody has some */
    int64_t *storage;
    struct dealt_order *dealt; /* with redeal: the global order, for the samplers of all workers */
};

/* shared, split, labels, labels_unscaled, hetero, sorted, strided, dirichlet, groups */
extern const struct registry partition_registry;

/* On failure nothing is left behind. */
enum status partition_make(const struct choice *chosen, const struct partition_request *q,
                           struct partition *p);
void partition_release(struct partition *p);

/*
 * What is wrong with it for so many workers and classes (0: the targets are numbers), as far as
 * that can be told before there are samples.
 */
enum status partition_check(const struct choice *chosen, int workers, int64_t classes);

/*
 * FNV-1a (64 bits) over these numbers as eight bytes each, low byte first: workers, own_order,
 * redeal, then for each worker its count and its items.
 */
uint64_t partition_hash(const struct partition *p);

/* A text file; docs/reference/partitions.md has its form. */
enum status partition_save(const struct partition *p, const char *path);

/* Batches of this size that the worker with the most samples has in an epoch. */
int64_t partition_batches(const struct partition *p, int64_t batch_size);

/* Makes `sizes` from `counts`. Whoever needs something of all workers visits few sizes and not many
 * workers. */
void partition_group_sizes(struct partition *p);

/* Samples in all workers' batches number `batch` of an epoch together: the round's global batch. */
int64_t partition_batch_total(const struct partition *p, int64_t batch_size, int64_t batch);

/* --- for the files under partitions/ --- */

enum { PARTITION_NO_OWNER = -1 };

/* What an implementation fills in. */
struct assignment {
    int *owners; /* by sample number: the worker that has it; at the start PARTITION_NO_OWNER */
    bool redeal;
    int64_t moved; /* for partition.moved */
};

/* Adding a partition: its file with one of these, its line in partition_list.h. */
struct partition_ops {
    struct entry entry;
    bool needs_labels, needs_groups;
    bool own_order; /* every worker has everything: nothing to assign */
    enum status (*check)(const void *options, int workers, int64_t classes); /* NULL: nothing */
    enum status (*assign)(const void *options, const struct partition_request *q,
                          struct assignment *d); /* NULL with own_order */
};

/* Streams of RNG_PARTITION. Never renumber: partitions would no longer repeat. */
enum partition_stream {
    PARTITION_SPLIT = 0,      /* index = sample */
    PARTITION_WITHIN = 1,     /* the order within a class; index = sample */
    PARTITION_LABELS = 2,     /* the shuffle of the labels; index = label */
    PARTITION_CUT = 3,        /* who is left out; index = sample */
    PARTITION_ORDER = 4,      /* the seed of a worker's own order; index = worker */
    PARTITION_REPAIR = 5,     /* what is moved; index = sample */
    PARTITION_REPEAT = 6,     /* the seed of a further pass in an epoch; index = pass */
    PARTITION_DIRICHLET = 16, /* + attempt; index = class << 32 | worker */
};

/* Cuts a list into one piece for each worker, of sizes within one, the longer ones first. */
void partition_assign_chunks(struct assignment *d, const int64_t *list, int64_t count, int workers);

/* Deals a list to the workers first, first + step, ... (`among` of them) in turn. */
struct partition_turn {
    int first, step, among;
};
void partition_assign_in_turn(struct assignment *d, const int64_t *list, int64_t count,
                              struct partition_turn turn);

/* The samples by class, and by number within a class. */
struct partition_classes {
    int64_t count;   /* classes that have samples */
    int64_t *labels; /* [count] ascending */
    int64_t *begins; /* [count + 1] where each begins in samples */
    int64_t *samples;
};
void partition_classes_init(struct partition_classes *c, const struct partition_request *q);
void partition_classes_shuffle(struct partition_classes *c,
                               uint64_t seed); /* the samples of each class */
void partition_classes_release(struct partition_classes *c);

/* How many samples each worker has; counts[workers]. */
void partition_count_owned(const struct assignment *d, const struct partition_request *q,
                           int64_t *counts);

#endif
