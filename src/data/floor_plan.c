/*
 * floor_plan.c - see floor_plan.h.
 */
#include "data/floor_plan.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/png.h"

void floor_plan_init(struct floor_plan *p, int64_t width, int64_t height)
{
    CHECK(width > 0 && width <= FLOOR_PLAN_SIDE_MAX);
    CHECK(height > 0 && height <= FLOOR_PLAN_SIDE_MAX);
    *p = (struct floor_plan){width, height, MEM_NEW_N(uint8_t, width * height)};
}

void floor_plan_release(struct floor_plan *p)
{
    mem_free(p->pixels);
    *p = (struct floor_plan){0};
}

/* --- files --- */

static enum status check_picture(const struct png_picture *picture, const char *path)
{
    const char *const what = "a floor plan is a grey picture of 8 bits (0 free, 255 wall)";

    if (picture->channels != 1)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the picture has colours or transparency; %s; muster plan prepare makes "
                    "one of it",
                    path, what);
    if (picture->file_bits > 8)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the picture has %d bits for each pixel; %s; muster plan prepare makes "
                    "one of it",
                    path, picture->file_bits, what);
    if (picture->width < FLOOR_PLAN_SIDE_MIN || picture->height < FLOOR_PLAN_SIDE_MIN ||
        picture->width > FLOOR_PLAN_SIDE_MAX || picture->height > FLOOR_PLAN_SIDE_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the picture has %lld x %lld pixels; each side of a floor plan has %d to "
                    "%d",
                    path, (long long)picture->width, (long long)picture->height,
                    FLOOR_PLAN_SIDE_MIN, FLOOR_PLAN_SIDE_MAX);
    return STATUS_OK;
}

enum status floor_plan_load(struct floor_plan *p, const char *path)
{
    struct png_picture picture;

    *p = (struct floor_plan){0};
    TRY(png_picture_load(&picture, path));
    const enum status s = check_picture(&picture, path);
    if (s == STATUS_OK)
        *p = (struct floor_plan){picture.width, picture.height, picture.pixels};
    else
        png_picture_release(&picture);
    return s;
}

enum status floor_plan_save(const struct floor_plan *p, const char *path)
{
    return png_picture_save(
        &(struct png_picture){
            .width = p->width, .height = p->height, .channels = 1, .pixels = p->pixels},
        path);
}

/* --- walls and areas --- */

bool floor_plan_is_wall(const struct floor_plan *p, int64_t x, int64_t y)
{
    return x < 0 || y < 0 || x >= p->width || y >= p->height ||
           p->pixels[y * p->width + x] >= FLOOR_PLAN_WALL_MIN;
}

int64_t floor_plan_count_walls(const struct floor_plan *p)
{
    int64_t count = 0;

    for (int64_t i = 0; i < p->width * p->height; i++)
        count += p->pixels[i] >= FLOOR_PLAN_WALL_MIN;
    return count;
}

/* What is labelled: wall or free pixels, connected by so many of the steps. */
struct labelling {
    const struct floor_plan *plan;
    bool is_wall;
    int steps;
    int32_t *labels;
    int32_t *stack; /* [pixels of the plan] */
};

static bool is_unlabelled(const struct labelling *l, int64_t x, int64_t y)
{
    const struct floor_plan *p = l->plan;

    return x >= 0 && y >= 0 && x < p->width && y < p->height &&
           floor_plan_is_wall(p, x, y) == l->is_wall && l->labels[y * p->width + x] == 0;
}

/* Gives a label to the pixel and to all that it is connected with. */
static void label_from(const struct labelling *l, int64_t start, int32_t label)
{
    static const int64_t steps[8][2] = {
        {1,  0 },
        {-1, 0 },
        {0,  1 },
        {0,  -1},
        {1,  1 },
        {1,  -1},
        {-1, 1 },
        {-1, -1}
    };
    const int64_t width = l->plan->width;
    int64_t waiting = 1;

    l->labels[start] = label;
    l->stack[0] = (int32_t)start;
    while (waiting > 0) {
        const int64_t at = l->stack[--waiting];

        for (int k = 0; k < l->steps; k++) {
            const int64_t x = at % width + steps[k][0], y = at / width + steps[k][1];

            if (!is_unlabelled(l, x, y))
                continue;
            l->labels[y * width + x] = label;
            l->stack[waiting++] = (int32_t)(y * width + x);
        }
    }
}

static int64_t label_all(struct labelling *l)
{
    const int64_t size = l->plan->width * l->plan->height;
    int32_t count = 0;

    l->stack = MEM_NEW_N(int32_t, size);
    memset(l->labels, 0, (size_t)size * sizeof *l->labels);
    for (int64_t i = 0; i < size; i++) {
        if (is_unlabelled(l, i % l->plan->width, i / l->plan->width))
            label_from(l, i, ++count);
    }
    mem_free(l->stack);
    return count;
}

int64_t floor_plan_label_areas(const struct floor_plan *p, int32_t *labels)
{
    return label_all(&(struct labelling){.plan = p, .steps = 4, .labels = labels});
}

int64_t floor_plan_label_walls(const struct floor_plan *p, int32_t *labels)
{
    return label_all(&(struct labelling){.plan = p, .is_wall = true, .steps = 8, .labels = labels});
}

int64_t floor_plan_count_areas(const struct floor_plan *p)
{
    int32_t *labels = MEM_NEW_N(int32_t, p->width * p->height);
    const int64_t count = floor_plan_label_areas(p, labels);

    mem_free(labels);
    return count;
}
