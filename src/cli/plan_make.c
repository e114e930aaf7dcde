/*
 * plan_make.c - `muster plan make OUT.png`: generates a building (data/floor_plan_make.h).
 */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "data/floor_plan_make.h"

static const struct flag make_flags[] = {
    {"seed",  NULL, "N",       "seed of the building (1)",                                      "Building"},
    {"size",  NULL, "WxH",     "width and height in pixels (2167x1608, the study's plan)",      NULL      },
    {"walls", NULL, "PERCENT", "share of wall pixels to aim at (32)",                           NULL      },
    {"door",  NULL, "PIXELS",  "width of doors; rooms grow with it (1/25 of the shorter side)", NULL      },
    {"force", NULL, NULL,      "replace OUT.png even if it is another kind of file",            "Output"  },
    FLAG_LAST,
};

static const struct flags_spec make_spec = {
    .command = "plan make",
    .usage = "muster plan make OUT.png [flags]",
    .intro = "Generates the floor plan of a building with rooms, corridors, doors and furniture. "
             "All rooms are connected. The same flags give the same plan on every computer.",
    .examples = "muster plan make building.png\n"
                "muster plan make small.png --seed 7 --size 300x200\n"
                "muster plan make full.png --walls 40",
    .flags = make_flags,
    .positional_max = 1,
};

static enum status read_recipe(const struct flags *f, struct floor_plan_recipe *r)
{
    int64_t seed = 1;

    *r = (struct floor_plan_recipe){
        .width = FLOOR_PLAN_USUAL_WIDTH,
        .height = FLOOR_PLAN_USUAL_HEIGHT,
        .walls = FLOOR_PLAN_USUAL_WALLS,
    };
    TRY(command_read_int(f, "seed", 0, INT64_MAX, &seed));
    TRY(command_read_int(f, "walls", 0, FLOOR_PLAN_WALLS_MAX, &r->walls));
    TRY(command_read_int(f, "door", FLOOR_PLAN_DOOR_MIN, FLOOR_PLAN_MAKE_SIDE_MAX, &r->door));
    r->seed = (uint64_t)seed;
    TRY(command_read_size(f, "size", FLOOR_PLAN_MAKE_SIDE_MIN, FLOOR_PLAN_MAKE_SIDE_MAX, &r->width,
                          &r->height));
    const enum status s = floor_plan_recipe_check(r);
    return s == STATUS_OK ? s : FAIL(s, "--door: %s", status_message());
}

static enum status make_parsed(const struct flags *f)
{
    struct floor_plan_recipe recipe;
    struct floor_plan p;
    struct text out = {0};

    if (f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT, "muster plan make needs the name of the PNG file to write");
    TRY(read_recipe(f, &recipe));
    TRY(command_check_target(f, f->positional[0], PLAN_PNG_BEGINS));
    floor_plan_make(&p, &recipe);
    const enum status s = floor_plan_save(&p, f->positional[0]);
    plan_add_facts(&out, &p);
    if (s == STATUS_OK)
        command_print(text_get(&out));
    text_release(&out);
    floor_plan_release(&p);
    return s;
}

enum status plan_make(int argc, char **argv)
{
    return command_run(&make_spec, argc, argv, make_parsed);
}
