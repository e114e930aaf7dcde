/*
 * floor_plan_rooms.c - the rooms, corridors and doors of a generated building.
 *
 * A box is divided in two again and again: large ones by a corridor, smaller ones by a wall. What
 * is left are rooms. Two halves begin at the same coordinate, and no room is narrower than three
 * doors; so wherever a box was divided, two spaces face each other over more than the width of a
 * door, and all spaces can be connected.
 */
#include "base/check.h"
#include "base/mem.h"
#include "data/floor_plan_building.h"

/* Sides of rooms in doors; a box with a longer side than CORRIDOR_FROM is divided by a corridor. */
enum { ROOM_MIN = 3, ROOM_MAX = 6, HALL_MAX = 9, CORRIDOR_FROM = 16, CORRIDOR = 2 };

/* One in so many: boxes that become halls, and pairs of neighbours that get one more door. */
enum { ONE_IN_HALLS = 6, ONE_IN_DOORS = 6, ONE_IN_FILLED = 4 };

/* --- division --- */

static void add_space(struct building *b, struct box box, bool is_corridor)
{
    b->space_count++;
    b->spaces = mem_grow(b->spaces, b->space_count, sizeof *b->spaces);
    b->spaces[b->space_count - 1] = (struct space){.box = box, .is_corridor = is_corridor};
}

/* The part [from, from + length) of a box, across or down. */
static struct box part(struct box box, bool is_across, int64_t from, int64_t length)
{
    if (is_across)
        return (struct box){box.x + from, box.y, length, box.height};
    return (struct box){box.x, box.y + from, box.width, length};
}

static bool is_room(struct building *b, struct box box)
{
    const int64_t larger = box.width > box.height ? box.width : box.height;

    if (larger > HALL_MAX * b->door)
        return false;
    return larger <= ROOM_MAX * b->door || floor_plan_draw(b, 1, ONE_IN_HALLS) == 1;
}

/*
 * Divides one box; the halves come behind in the list, to be divided later. The first corridor is
 * along the building, those behind it are across.
 */
static void divide_box(struct building *b, struct box box, struct box halves[2], int *half_count)
{
    const bool is_wide = box.width >= box.height;
    const int64_t larger = is_wide ? box.width : box.height;
    const int64_t smaller = is_wide ? box.height : box.width;
    const int64_t room = ROOM_MIN * b->door, between = CORRIDOR * b->door + 2 * b->wall;
    const bool has_corridor = larger > CORRIDOR_FROM * b->door;
    const bool is_lengthwise = has_corridor && smaller >= between + 4 * room;
    const bool is_across = is_wide != is_lengthwise;
    const int64_t side = is_across ? box.width : box.height;
    const int64_t gap = has_corridor ? between : b->wall;

    *half_count = 0;
    if (is_room(b, box) || side < 2 * room + gap) {
        add_space(b, box, false);
        return;
    }
    /* The middle third, where rooms allow it: halves of similar size. */
    const int64_t spare = side - gap - 2 * room;
    const int64_t cut = room + floor_plan_draw(b, spare / 3, spare - spare / 3);
    if (has_corridor)
        add_space(b, part(box, is_across, cut + b->wall, CORRIDOR * b->door), true);
    halves[0] = part(box, is_across, 0, cut);
    halves[1] = part(box, is_across, cut + gap, side - cut - gap);
    *half_count = 2;
}

void floor_plan_divide(struct building *b, struct box inside)
{
    struct box *waiting = mem_grow(NULL, 1, sizeof *waiting);
    int64_t count = 1;

    waiting[0] = inside;
    for (int64_t i = 0; i < count; i++) {
        struct box halves[2];
        int half_count;

        divide_box(b, waiting[i], halves, &half_count);
        for (int k = 0; k < half_count; k++) {
            count++;
            waiting = mem_grow(waiting, count, sizeof *waiting);
            waiting[count - 1] = halves[k];
        }
    }
    mem_free(waiting);
}

/* --- neighbours --- */

/* Two spaces with a wall between them that has room for a door. */
struct neighbours {
    int64_t between[2];
    struct box wall; /* what both have of it */
    bool is_across;  /* the wall is between left and right */
    int corridors;   /* of the two */
    uint64_t order;  /* random */
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether `right` follows `left` behind a wall; `wall` becomes what is between them. */
static bool follows(const struct building *b, struct box left, struct box right, struct box *wall)
{
    const int64_t from = later(left.y, right.y);
    const int64_t to = earlier(left.y + left.height, right.y + right.height);

    *wall = (struct box){left.x + left.width, from, b->wall, to - from};
    return right.x == left.x + left.width + b->wall && to - from >= b->door + b->wall;
}

static struct box turned(struct box box)
{
    return (struct box){box.y, box.x, box.height, box.width};
}

static bool are_neighbours(const struct building *b, int64_t i, int64_t j, struct neighbours *n)
{
    const struct space *first = &b->spaces[i], *second = &b->spaces[j];

    *n = (struct neighbours){
        .between = {i, j},
        .is_across = true,
        .corridors = first->is_corridor + second->is_corridor,
    };
    if (first->is_solid || second->is_solid)
        return false;
    if (follows(b, first->box, second->box, &n->wall))
        return true;
    n->is_across = false;
    if (!follows(b, turned(first->box), turned(second->box), &n->wall))
        return false;
    n->wall = turned(n->wall);
    return true;
}

/* All pairs (i, j), j to the right of i or below it; mem_free */
static struct neighbours *find_neighbours(const struct building *b, int64_t *count)
{
    struct neighbours *all = NULL, n;

    *count = 0;
    for (int64_t i = 0; i < b->space_count; i++) {
        for (int64_t j = 0; j < b->space_count; j++) {
            if (i == j || !are_neighbours(b, i, j, &n))
                continue;
            n.order = rng_bits(&b->rng, (uint64_t)(i * b->space_count + j), 1);
            all = mem_grow(all, ++*count, sizeof *all);
            all[*count - 1] = n;
        }
    }
    return all;
}

/* --- connection --- */

/* Sets of connected spaces: each names another of its set, or itself. */
static int64_t *new_sets(int64_t count)
{
    int64_t *sets = MEM_NEW_N(int64_t, count);

    for (int64_t i = 0; i < count; i++)
        sets[i] = i;
    return sets;
}

static int64_t set_of(int64_t *sets, int64_t i)
{
    while (sets[i] != i) {
        sets[i] = sets[sets[i]];
        i = sets[i];
    }
    return i;
}

/* false: they were connected already */
static bool join_sets(int64_t *sets, const int64_t between[2])
{
    const int64_t a = set_of(sets, between[0]), b = set_of(sets, between[1]);

    sets[later(a, b)] = earlier(a, b);
    return a != b;
}

static bool is_connected(const struct building *b)
{
    int64_t *sets = new_sets(b->space_count), count, parts = 0;
    struct neighbours *all = find_neighbours(b, &count);

    for (int64_t i = 0; i < count; i++)
        (void)join_sets(sets, all[i].between);
    for (int64_t i = 0; i < b->space_count; i++)
        parts += !b->spaces[i].is_solid && sets[i] == i;
    mem_free(all);
    mem_free(sets);
    return parts == 1;
}

void floor_plan_fill_rooms(struct building *b, int64_t free_target)
{
    int64_t *order = MEM_NEW_N(int64_t, b->space_count), area = 0, left = 0;

    for (int64_t i = 0; i < b->space_count; i++) {
        order[i] = i;
        area += b->spaces[i].box.width * b->spaces[i].box.height;
        left += !b->spaces[i].is_corridor;
    }
    left /= ONE_IN_FILLED;
    rng_order(&b->rng, order, b->space_count);
    for (int64_t k = 0; k < b->space_count && area > free_target && left > 0; k++) {
        struct space *s = &b->spaces[order[k]];

        if (s->is_corridor)
            continue;
        s->is_solid = true;
        if (is_connected(b)) {
            area -= s->box.width * s->box.height;
            left--;
        } else {
            s->is_solid = false;
        }
    }
    mem_free(order);
}

/* --- doors --- */

/* Where two corridors meet they open to each other, as wide as a corridor. */
static void open_door(struct building *b, const struct neighbours *n)
{
    const int64_t length = n->is_across ? n->wall.height : n->wall.width;
    const bool is_junction = n->corridors == 2;
    const int64_t width = is_junction ? earlier(length, CORRIDOR * b->door) : b->door;
    const int64_t post = is_junction ? 0 : b->wall / 2;
    const int64_t from = floor_plan_draw(b, post, length - width - post);

    b->door_count++;
    b->doors = mem_grow(b->doors, b->door_count, sizeof *b->doors);
    b->doors[b->door_count - 1] = (struct door){
        .box = part(n->wall, !n->is_across, from, width),
        .between = {n->between[0], n->between[1]},
    };
}

/* Corridors are connected first, then rooms with corridors, then rooms with rooms. */
static void sort_by_use(struct neighbours *all, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const struct neighbours n = all[i];
        int64_t k = i;

        for (; k > 0 && (all[k - 1].corridors < n.corridors ||
                         (all[k - 1].corridors == n.corridors && all[k - 1].order > n.order));
             k--)
            all[k] = all[k - 1];
        all[k] = n;
    }
}

void floor_plan_open_doors(struct building *b)
{
    int64_t *sets = new_sets(b->space_count), count;
    struct neighbours *all = find_neighbours(b, &count);

    sort_by_use(all, count);
    for (int64_t i = 0; i < count; i++) {
        if (join_sets(sets, all[i].between) || floor_plan_draw(b, 1, ONE_IN_DOORS) == 1)
            open_door(b, &all[i]);
    }
    mem_free(all);
    mem_free(sets);
}
