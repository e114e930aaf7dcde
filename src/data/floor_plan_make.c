/*
 * floor_plan_make.c - see floor_plan_make.h. Here: measures, and the order of the steps. Not here:
 * rooms and doors (floor_plan_rooms.c), furniture (floor_plan_furnish.c).
 */
#include "data/floor_plan_make.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/floor_plan_building.h"

/* Of the pixels, about so many percent become furniture. */
enum { FURNITURE_PERCENT = 8, DOORS_PER_SIDE = 25 };

int64_t floor_plan_draw(struct building *b, int64_t low, int64_t high)
{
    return low + rng_below(&b->rng, b->drawn++, 0, high - low + 1);
}

void floor_plan_fill(struct floor_plan *p, struct box box, uint8_t value)
{
    for (int64_t y = box.y; y < box.y + box.height; y++)
        memset(p->pixels + y * p->width + box.x, value, (size_t)box.width);
}

bool floor_plan_overlaps(struct box a, int64_t margin, struct box b)
{
    return a.x - margin < b.x + b.width && b.x < a.x + a.width + margin &&
           a.y - margin < b.y + b.height && b.y < a.y + a.height + margin;
}

int64_t floor_plan_door_width(const struct floor_plan_recipe *r)
{
    const int64_t usual = (r->width < r->height ? r->width : r->height) / DOORS_PER_SIDE;
    const int64_t door = r->door > 0 ? r->door : usual;

    return door > FLOOR_PLAN_DOOR_MIN ? door : FLOOR_PLAN_DOOR_MIN;
}

enum status floor_plan_recipe_check(const struct floor_plan_recipe *r)
{
    const int64_t shorter = r->width < r->height ? r->width : r->height;
    const int64_t widest = shorter / FLOOR_PLAN_DOORS_PER_SIDE_MIN;

    if (r->door == 0 || (r->door >= FLOOR_PLAN_DOOR_MIN && r->door <= widest))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "doors of %lld pixels do not fit into a plan of %lld x %lld; use %d to %lld",
                (long long)r->door, (long long)r->width, (long long)r->height, FLOOR_PLAN_DOOR_MIN,
                (long long)widest);
}

static void draw_free(const struct building *b, struct floor_plan *p)
{
    memset(p->pixels, FLOOR_PLAN_WALL, (size_t)(p->width * p->height));
    for (int64_t i = 0; i < b->space_count; i++) {
        if (!b->spaces[i].is_solid)
            floor_plan_fill(p, b->spaces[i].box, FLOOR_PLAN_FREE);
    }
    for (int64_t i = 0; i < b->door_count; i++)
        floor_plan_fill(p, b->doors[i].box, FLOOR_PLAN_FREE);
}

void floor_plan_make(struct floor_plan *p, const struct floor_plan_recipe *recipe)
{
    const int64_t size = recipe->width * recipe->height;
    const int64_t door = floor_plan_door_width(recipe);
    struct building b = {
        .rng = rng_make(recipe->seed, RNG_FLOOR_PLAN, 0),
        .door = door,
        .wall = door / 4 > 2 ? door / 4 : 2,
    };
    const int64_t outer = 2 * b.wall;

    CHECK(recipe->width >= FLOOR_PLAN_MAKE_SIDE_MIN && recipe->width <= FLOOR_PLAN_MAKE_SIDE_MAX);
    CHECK(recipe->height >= FLOOR_PLAN_MAKE_SIDE_MIN && recipe->height <= FLOOR_PLAN_MAKE_SIDE_MAX);
    CHECK(floor_plan_recipe_check(recipe) == STATUS_OK);
    CHECK(recipe->walls >= 0 && recipe->walls <= FLOOR_PLAN_WALLS_MAX);
    floor_plan_init(p, recipe->width, recipe->height);
    floor_plan_divide(
        &b, (struct box){outer, outer, recipe->width - 2 * outer, recipe->height - 2 * outer});
    floor_plan_fill_rooms(&b, size * (100 - recipe->walls + FURNITURE_PERCENT) / 100);
    floor_plan_open_doors(&b);
    draw_free(&b, p);
    floor_plan_furnish(&b, p, size * recipe->walls / 100);
    mem_free(b.spaces);
    mem_free(b.doors);
}
