/*
 * rooms.c - points of a floor plan and whether a wall is there, for density networks.
 *
 * Inputs are (x, y) as the lidar study has them: pixels from the centre of the plan, x to the
 * right, y downwards, not normalised. The target is the density: 1 in a wall, 0 in the free.
 * Points are drawn evenly over the plan; those of the test part are others. The map is a mesh over
 * the plan.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "data/list.h"

enum { ROWS = 18, COLUMNS = 24, CELL = 90, STREAM_TRAIN = 16, STREAM_TEST = 17, MAP_STEP = 8 };

/* clang-format off */
/* '#' is wall. A cell is CELL pixels wide, which makes the plan 2160 x 1620. */
static const char *const plan[ROWS] = {
    "########################",
    "#......#.........#.....#",
    "#......#.........#.....#",
    "#......#...............#",
    "#..........##....#.....#",
    "#......#...##....#.....#",
    "#......#.........#.....#",
    "####.#####..########.###",
    "#......................#",
    "#......................#",
    "###..#####.####..#######",
    "#......#......#........#",
    "#......#......#........#",
    "#..##..#......#...##...#",
    "#..##.............##...#",
    "#......#......#........#",
    "#......#......#........#",
    "########################",
};
/* clang-format on */

struct rooms_options {
    int64_t train_count, test_count, seed;
};

static const struct field rooms_fields[] = {
    FIELD_INT(struct rooms_options, train_count, 50000, 1, 100000000, "number of training points"),
    FIELD_INT(struct rooms_options, test_count, 10000, 1, 100000000, "number of test points"),
    FIELD_INT(struct rooms_options, seed, 1, 0, 9007199254740991,
              "seed of the data set, independent of the run's seed"),
    FIELD_LAST,
};

static void draw_part(struct samples *part, int64_t count, int64_t seed, uint32_t stream)
{
    const struct rng r = rng_make((uint64_t)seed, RNG_FIGURES, stream);

    part->count = count;
    part->values = MEM_NEW_N(float, 2 * count);
    part->targets = MEM_NEW_N(float, count);
    for (int64_t i = 0; i < count; i++) {
        const double column = rng_uniform(&r, (uint64_t)i, 0) * COLUMNS;
        const double row = rng_uniform(&r, (uint64_t)i, 1) * ROWS;

        part->values[2 * i] = (float)((column - COLUMNS / 2.0) * CELL);
        part->values[2 * i + 1] = (float)((row - ROWS / 2.0) * CELL);
        part->targets[i] = plan[(int)row][(int)column] == '#' ? 1.0F : 0.0F;
    }
}

/* Every 8th pixel of the plan, as the study has it. */
static void make_map(struct dataset *d)
{
    struct samples *map = &d->map;

    d->map_height = (ROWS * CELL + MAP_STEP - 1) / MAP_STEP;
    d->map_width = (COLUMNS * CELL + MAP_STEP - 1) / MAP_STEP;
    map->count = d->map_height * d->map_width;
    map->values = MEM_NEW_N(float, 2 * map->count);
    map->targets = MEM_NEW_N(float, map->count);
    for (int64_t i = 0; i < map->count; i++) {
        const int64_t x = i % d->map_width * MAP_STEP, y = i / d->map_width * MAP_STEP;

        map->values[2 * i] = (float)x - COLUMNS * CELL / 2.0F;
        map->values[2 * i + 1] = (float)y - ROWS * CELL / 2.0F;
        map->targets[i] = plan[y / CELL][x / CELL] == '#' ? 1.0F : 0.0F;
    }
}

static enum status rooms_load(struct dataset *d, const struct dataset_request *request)
{
    const struct rooms_options *o = request->options;

    d->height = d->width = 1;
    d->channels = 2;
    d->target_size = 1;
    d->is_density = true;
    make_map(d);
    draw_part(&d->train, o->train_count, o->seed, STREAM_TRAIN);
    draw_part(&d->test, o->test_count, o->seed, STREAM_TEST);
    return STATUS_OK;
}

const struct dataset_ops rooms_data = {
    .entry = {.name = "rooms",
              .summary = "generated points of a floor plan, labelled wall or free",
              .fields = rooms_fields,
              .options_size = sizeof(struct rooms_options)},
    .is_generated = true,
    .height = 1,
    .width = 1,
    .channels = 2,
    .train_count = 50000,
    .test_count = 10000,
    .load = rooms_load,
};
