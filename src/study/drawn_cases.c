/*
 * drawn_cases.c - a case is drawn in two steps: every range becomes a list of one value, and of the
 * combinations of all lists one is chosen.
 */
#include "study/drawn_cases.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "study/range.h"

/* RNG_SEARCH's streams; stream 0 chooses among the combinations of lists (random_cases.c). */
enum { STREAM_VALUES = 1, STREAM_CASES = 2 };

/* Equal draws are skipped; among few combinations most are. */
enum { ATTEMPTS_PER_CASE = 50 };

/* --- ranges to values --- */

/* What is done with the ranges of a tree: the first is noted, or each is replaced. */
struct visit {
    struct range_place *found; /* NULL: replace them */
    uint64_t seed;
    int64_t attempt;
};

static enum status visit_map(const struct visit *v, struct node *map, const char *section);

/* The range that is the value or the one item of a list; NULL: neither. */
static const struct node *range_of(const struct node *n, const char *section, const char *key)
{
    const struct node *value = n->kind == NODE_LIST && n->count == 1 ? n->children[0] : n;

    return range_is(value, section, key) ? value : NULL;
}

static enum status check_list(const struct node *list, const char *section, const char *key)
{
    for (int64_t i = 0; i < list->count; i++) {
        TRY(range_check_repetition(list->children[i], section, key));
        if (range_is(list->children[i], section, key))
            return node_fail_key(list->children[i], section, key,
                                 "the range %s must be the only item of its list",
                                 list->children[i]->text);
    }
    return STATUS_OK;
}

static enum status visit_inner(const struct visit *v, struct node *n, const char *path)
{
    if (n->kind == NODE_MAP)
        return visit_map(v, n, path);
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        TRY(visit_inner(v, n->children[i], path));
    return STATUS_OK;
}

static void note(const struct visit *v, const struct node *value, const char *path)
{
    if (v->found->value == NULL)
        *v->found = (struct range_place){.value = value, .path = mem_text(path)};
}

/* The draw is of the path, so that other ranges do not change it. */
static void replace(const struct visit *v, struct node *map, const char *key, const struct range *r,
                    const char *path)
{
    const struct rng g = rng_make(v->seed, RNG_SEARCH, STREAM_VALUES);
    const struct node *old = node_find(map, key);
    struct node *list = node_new(NODE_LIST, old->origin, old->line, old->column);
    char *value = range_value(r, rng_uniform(&g, (uint64_t)v->attempt, (uint32_t)text_hash(path)));

    node_add(list, node_new_scalar(value, old->origin, old->line, old->column));
    mem_free(value);
    node_put(map, key, list);
}

static enum status visit_child(const struct visit *v, struct node *map, int64_t at,
                               const char *section)
{
    struct node *child = map->children[at];
    const char *key = map->keys[at];
    const struct node *value = range_of(child, section, key);
    char *path = section == NULL ? mem_text(key) : text_format("%s.%s", section, key);
    struct range r;
    enum status s = STATUS_OK;

    if (value != NULL) {
        s = range_read(&r, value, section, key);
        if (s == STATUS_OK && v->found != NULL)
            note(v, value, path);
        else if (s == STATUS_OK)
            replace(v, map, key, &r, path);
    } else {
        s = child->kind == NODE_LIST ? check_list(child, section, key)
                                     : range_check_repetition(child, section, key);
        if (s == STATUS_OK)
            s = visit_inner(v, child, path);
    }
    mem_free(path);
    return s;
}

static enum status visit_map(const struct visit *v, struct node *map, const char *section)
{
    for (int64_t i = 0; i < map->count; i++)
        TRY(visit_child(v, map, i, section));
    return STATUS_OK;
}

enum status drawn_cases_find_range(const struct study_entries *entries, struct range_place *found)
{
    const struct visit v = {.found = found};

    *found = (struct range_place){0};
    for (int64_t i = 0; i < entries->count; i++) {
        const enum status s = visit_map(&v, entries->items[i].root, NULL);

        if (s != STATUS_OK) {
            mem_free(found->path);
            return s;
        }
    }
    return STATUS_OK;
}

/* --- one case of the combinations --- */

static bool is_repetition(const struct study_value *v)
{
    return strcmp(v->path, SWEEP_FOLD) == 0 || strcmp(v->path, "seed") == 0;
}

/* Fold and seed are the last values. */
static int64_t count_of_case(const struct study_values *v)
{
    int64_t count = v->count;

    while (count > 0 && is_repetition(&v->items[count - 1]))
        count--;
    return count;
}

static bool is_same_case(const struct sweep_point *a, const struct sweep_point *b)
{
    const int64_t count = count_of_case(&a->values);
    bool same = count == count_of_case(&b->values);

    for (int64_t i = 0; same && i < count; i++)
        same = strcmp(a->values.items[i].path, b->values.items[i].path) == 0 &&
               sweep_same_value(a->values.items[i].text, b->values.items[i].text);
    return same;
}

static int64_t end_of_case(const struct sweep_points *c, int64_t begin)
{
    int64_t end = begin + 1;

    while (end < c->count && is_same_case(&c->items[begin], &c->items[end]))
        end++;
    return end;
}

static int64_t count_cases(const struct sweep_points *c)
{
    int64_t count = 0;

    for (int64_t i = 0; i < c->count; i = end_of_case(c, i))
        count++;
    return count;
}

static bool has_case(const struct sweep_points *c, const struct sweep_point *point)
{
    for (int64_t i = 0; i < c->count; i++)
        if (is_same_case(&c->items[i], point))
            return true;
    return false;
}

/* Takes the points from begin to end out of `from`. */
static void move_points(struct sweep_points *to, struct sweep_points *from, int64_t begin,
                        int64_t end)
{
    to->items = mem_resize(to->items, to->count, to->count + end - begin, sizeof *to->items);
    for (int64_t i = begin; i < end; i++) {
        to->items[to->count++] = from->items[i];
        from->items[i] = (struct sweep_point){0};
    }
}

/* Moves the case with this number, unless it is there; else answers false. */
static bool take_case(struct sweep_points *to, struct sweep_points *from, int64_t number)
{
    int64_t begin = 0;

    for (; number > 0; number--)
        begin = end_of_case(from, begin);
    if (has_case(to, &from->items[begin]))
        return false;
    move_points(to, from, begin, end_of_case(from, begin));
    return true;
}

/* --- all cases --- */

static uint64_t seed_of(const struct node *root)
{
    const struct node *seed = node_find(root, "seed");
    int64_t number = 1;

    if (seed != NULL && seed->kind == NODE_LIST && seed->count > 0)
        seed = seed->children[0];
    if (seed != NULL && seed->kind == NODE_SCALAR)
        (void)text_to_int(seed->text, &number); /* reading the run reports what is wrong with it */
    return (uint64_t)number;
}

/* Every combination of an entry in which its ranges have the values of this attempt. */
static enum status expand_entry(const struct study_entry *e, const struct visit *v,
                                struct sweep_points *points)
{
    struct node *root = node_copy(e->root);
    enum status s = visit_map(v, root, NULL);

    if (s == STATUS_OK)
        s = sweep_expand(points, root);
    node_free(root);
    return s;
}

/* Chooses one of the combinations of all entries; *drawn says whether it is a new one. */
static enum status draw(const struct study_entries *entries, const struct visit *v,
                        struct sweep_points *by_entry, bool *drawn)
{
    struct sweep_points *all = MEM_NEW_N(struct sweep_points, entries->count);
    const struct rng g = rng_make(v->seed, RNG_SEARCH, STREAM_CASES);
    enum status s = STATUS_OK;
    int64_t count = 0, entry = 0;

    for (int64_t i = 0; i < entries->count && s == STATUS_OK; i++) {
        s = expand_entry(&entries->items[i], v, &all[i]);
        count += s == STATUS_OK ? count_cases(&all[i]) : 0;
    }
    if (s == STATUS_OK) {
        int64_t number = rng_below(&g, (uint64_t)v->attempt, 0, count);

        for (; number >= count_cases(&all[entry]); entry++)
            number -= count_cases(&all[entry]);
        *drawn = take_case(&by_entry[entry], &all[entry], number);
    }
    for (int64_t i = 0; i < entries->count; i++)
        sweep_points_release(&all[i]);
    mem_free(all);
    return s;
}

static enum status draw_all(const struct study_entries *entries, int64_t count,
                            struct sweep_points *by_entry)
{
    struct visit v = {.seed = seed_of(entries->items[0].root)};

    for (int64_t found = 0; found < count && v.attempt < ATTEMPTS_PER_CASE * count; v.attempt++) {
        bool drawn = false;

        TRY(draw(entries, &v, by_entry, &drawn));
        found += drawn ? 1 : 0;
    }
    return STATUS_OK;
}

enum status drawn_cases_make(const struct study_entries *entries, int64_t count,
                             struct sweep_points *all, int64_t *ends)
{
    struct sweep_points *by_entry = MEM_NEW_N(struct sweep_points, entries->count);
    enum status s = draw_all(entries, count, by_entry);

    for (int64_t i = 0; i < entries->count; i++) {
        move_points(all, &by_entry[i], 0, by_entry[i].count);
        ends[i] = all->count;
        sweep_points_release(&by_entry[i]);
    }
    mem_free(by_entry);
    if (s == STATUS_OK && all->count > STUDY_RUNS_MAX)
        s = FAIL(STATUS_BAD_INPUT, "--random %lld makes more than %d runs", (long long)count,
                 (int)STUDY_RUNS_MAX);
    return s;
}
