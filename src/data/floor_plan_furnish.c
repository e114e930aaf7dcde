/*
 * floor_plan_furnish.c - furniture of a generated building: round tables, and boxes such as tables
 * and cupboards, in the middle of rooms and along walls.
 *
 * Between a piece and each wall, and between two pieces, there is nothing or the width of a door.
 * No piece reaches from wall to wall, and none is in front of a door. So each room stays connected,
 * also for a robot as wide as a door.
 */
#include "base/mem.h"
#include "data/floor_plan_building.h"

enum { PASSES = 8, TRIES = 6, ONE_IN_ROUND = 3, ONE_IN_MIDDLE = 2 };

struct piece {
    struct box box;
    bool is_round;
};

/* The pieces of one room. */
struct room {
    const struct building *building;
    int64_t number;
    struct piece *pieces;
    int64_t piece_count;
};

/* Against the near or the far wall, or anywhere far enough from both; -1: there is no place. */
static int64_t place(struct building *b, int64_t room, int64_t length, bool is_middle)
{
    const int64_t spare = room - length;

    if (spare < b->door)
        return -1;
    if (!is_middle && floor_plan_draw(b, 0, 2) == 0)
        return floor_plan_draw(b, 0, 1) * spare;
    return spare < 2 * b->door ? -1 : floor_plan_draw(b, b->door, spare - b->door);
}

/* Only a suggestion: whether there is room for it is judged later. width 0: no piece. */
static struct piece suggest(struct building *b, struct box room)
{
    const bool is_middle = floor_plan_draw(b, 1, ONE_IN_MIDDLE) == 1;
    const bool is_round = is_middle && floor_plan_draw(b, 1, ONE_IN_ROUND) == 1;
    const int64_t width = floor_plan_draw(b, b->door / 2, 2 * b->door);
    const int64_t height = is_round ? width : floor_plan_draw(b, b->door / 2, 2 * b->door);
    const int64_t x = place(b, room.width, width, is_middle);
    const int64_t y = place(b, room.height, height, is_middle);

    if (x < 0 || y < 0)
        return (struct piece){0};
    return (struct piece){
        .box = {room.x + x, room.y + y, width, height},
          .is_round = is_round
    };
}

static bool has_room(const struct room *r, const struct piece *piece)
{
    const struct building *b = r->building;

    if (piece->box.width == 0)
        return false;
    for (int64_t i = 0; i < r->piece_count; i++) {
        if (floor_plan_overlaps(r->pieces[i].box, b->door, piece->box))
            return false;
    }
    for (int64_t i = 0; i < b->door_count; i++) {
        const struct door *d = &b->doors[i];

        if ((d->between[0] == r->number || d->between[1] == r->number) &&
            floor_plan_overlaps(d->box, b->door, piece->box))
            return false;
    }
    return true;
}

/* Returns how many pixels became wall. */
static int64_t draw_piece(struct floor_plan *p, const struct piece *piece)
{
    const struct box box = piece->box;
    int64_t drawn = 0;

    for (int64_t y = 0; y < box.height; y++) {
        for (int64_t x = 0; x < box.width; x++) {
            const int64_t dx = 2 * x + 1 - box.width, dy = 2 * y + 1 - box.height;

            if (piece->is_round && dx * dx + dy * dy > box.width * box.width)
                continue;
            p->pixels[(box.y + y) * p->width + box.x + x] = FLOOR_PLAN_WALL;
            drawn++;
        }
    }
    return drawn;
}

/* One more piece, if a place is found. Returns its pixels. */
static int64_t furnish_room(struct building *b, struct room *r, struct floor_plan *p)
{
    for (int k = 0; k < TRIES; k++) {
        const struct piece piece = suggest(b, b->spaces[r->number].box);

        if (!has_room(r, &piece))
            continue;
        r->piece_count++;
        r->pieces = mem_grow(r->pieces, r->piece_count, sizeof *r->pieces);
        r->pieces[r->piece_count - 1] = piece;
        return draw_piece(p, &piece);
    }
    return 0;
}

void floor_plan_furnish(struct building *b, struct floor_plan *p, int64_t wall_target)
{
    struct room *rooms = MEM_NEW_N(struct room, b->space_count);
    int64_t walls = floor_plan_count_walls(p);

    for (int64_t i = 0; i < b->space_count; i++)
        rooms[i] = (struct room){.building = b, .number = i};
    for (int pass = 0; pass < PASSES; pass++) {
        for (int64_t i = 0; i < b->space_count && walls < wall_target; i++) {
            if (!b->spaces[i].is_corridor && !b->spaces[i].is_solid)
                walls += furnish_room(b, &rooms[i], p);
        }
    }
    for (int64_t i = 0; i < b->space_count; i++)
        mem_free(rooms[i].pieces);
    mem_free(rooms);
}
