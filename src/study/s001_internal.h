/*
 * s001_internal.h - what the files of S001's layout share: rules for keys, and a reader that
 * follows them.
 */
#ifndef STUDY_S001_INTERNAL_H
#define STUDY_S001_INTERNAL_H

#include "conf/node.h"

/* clang-format off */
#define S001_LAST {0} /* the end of a table */
/* clang-format on */

struct s001 {
    struct node *root;       /* in the canonical schema, so far */
    struct node *runs;       /* its runs; not in root before the end */
    struct text *ignored;    /* keys without effect, by commas */
    bool mesh_at_end;        /* of the problem that is read: mesh_only_at_end */
    const struct node *mesh; /* of that problem: mesh_grid_density among its metrics, or NULL */
    struct text saved;       /* problems with save_models, by commas */
    bool is_lidar;           /* robots map a building; else images are classified */
};

/* A value of theirs, in any case of letters, and ours. */
struct s001_word {
    const char *theirs, *ours;
};

/* Where a map stands: its keys in the file, and the part of the canonical tree that it goes to. */
struct s001_place {
    const char *path;
    struct node *out;
    bool has_sections; /* sections of the canonical schema may stand beside its keys */
};

enum s001_action {
    S001_PUT = 1, /* goes to `to` */
    S001_IGNORE,  /* is accepted and has no effect */
    S001_TAKE,    /* is for `take` */
    S001_COUNT,   /* the same as PUT, of a number above 0 */
    S001_DONE,    /* somebody else has read it */
};

struct s001_rule {
    const char *key;
    enum s001_action action;
    const char *to;                /* PUT: a path in the canonical tree */
    const struct s001_word *words; /* PUT: values that are called otherwise; may be NULL */
    enum status (*take)(struct s001 *t, const struct node *n, struct node *out);
};

/*
 * Reads a map by rules, which end with a zero row. Keys that are sections of the canonical schema
 * go there as they are, where the place has them; any other is an error with a suggestion.
 */
enum status s001_read(struct s001 *t, const struct node *map, const struct s001_rule *rules,
                      const struct s001_place *place);

/* A map with all of these keys, by commas; one is missing where of "a|b" neither is there. */
enum status s001_require(const struct node *map, const char *path, const char *keys);

/* Puts a copy at a path; what is there already was given twice. */
enum status s001_put(struct node *out, const char *path, const struct node *n,
                     const struct s001_word *words);

/* The same of a word that stands where `n` does. */
enum status s001_put_word(struct node *out, const char *path, const char *word,
                          const struct node *n);

/* The same of a number, or a list of them, which must be above 0. */
enum status s001_put_count(struct node *out, const char *path, const struct node *n);

/* Puts a copy at a key beside what is there; the same key twice is an error. */
enum status s001_put_key(struct node *out, const char *key, const struct node *n);

/*
 * What a problem says by a key of S001's is said above all problems too: an error that names both.
 * One of our sections in a problem rather takes the place of what is above.
 */
enum status s001_check_once(const struct node *above, const struct node *run, const char *path);

/* A scalar, and an empty map, that stand where `n` does and are called as it is. */
struct node *s001_scalar(const char *text, const struct node *n);
struct node *s001_map(const struct node *n);

/* --- lists of maps, which are sweeps over whole sections --- */

/* The items of a list, and of anything else itself. */
int64_t s001_item_count(const struct node *n);
const struct node *s001_item(const struct node *n, int64_t i);

/* Whether it is a list with a map among its items. */
bool s001_has_maps(const struct node *n);

/* Whether it is a list of maps, or a map whose key has a list. */
bool s001_is_sweep(const struct node *n, const char *key);

/* An empty list that stands where `n` does and is called as it is. */
struct node *s001_list(const struct node *n);

/* An empty list compares nothing. */
enum status s001_require_items(const struct node *n);

/* Puts a list at a path, or its only item where the file has no list. */
enum status s001_put_items(struct node *out, const char *path, const struct node *list,
                           bool is_sweep);

/*
 * What all items say by a key that goes to another section than they do, and which therefore must
 * be the same in all; *value is NULL where none has it.
 */
enum status s001_find_common(const struct node *n, const char *key, const struct node **value);

void s001_ignore(struct s001 *t, const char *key);

/* Those of a map that stand there, as <section>.<key>; `keys` ends with NULL. */
void s001_ignore_keys(struct s001 *t, const struct node *map, const char *section,
                      const char *const *keys);

/* problem_configs: each problem becomes one of t->runs. */
enum status s001_problems(struct s001 *t, const struct node *problems);

/* The only problem, at the top. */
enum status s001_problem(struct s001 *t, const struct node *problem);

/* --- lidar experiments --- */

/* Whether `data` has the keys of lidar experiments. */
bool s001_has_lidar(const struct node *experiment);

/* experiment.data */
enum status s001_lidar_data(struct s001 *t, const struct node *n, struct node *out);

/* How many robots there are; after all keys of the experiment. */
enum status s001_lidar_robots(struct s001 *t, const struct node *experiment);

/* val_batch_size of a problem: by it validation_loss is summed in the files of results. */
enum status s001_lidar_batch(struct s001 *t, const struct node *n, struct node *out);

/* metrics_config.mesh_only_at_end, and what becomes of the metric mesh_grid_density. */
enum status s001_lidar_mesh_at_end(struct s001 *t, const struct node *n, struct node *out);
enum status s001_lidar_mesh(struct s001 *t, struct node *run);

/* comm_radius and dynamic_graph of a problem, which stands at `where`. */
enum status s001_lidar_radio(struct s001 *t, const struct node *problem, const char *where,
                             struct node *run);

/* experiment.scaling: several graphs, in place of experiment.graph. */
enum status s001_scaling(struct s001 *t, const struct node *n, struct node *out);

#endif
