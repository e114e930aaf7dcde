/*
 * evaluate_map.c - `muster evaluate RUN --map FILE`: the map that a density network has learned.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/evaluate.h"
#include "format/npy.h"
#include "format/png.h"

static enum status write_npy(const struct problem_map *map, const float *densities,
                             const char *path)
{
    return npy_write(path, NPY_F32, 2, (const int64_t[]){map->height, map->width}, densities);
}

/* As floor plans are drawn: a wall is white. */
static enum status write_png(const struct problem_map *map, const float *densities,
                             const char *path)
{
    struct png_picture p;

    png_picture_init(&p, map->width, map->height, 1);
    for (int64_t i = 0; i < map->height * map->width; i++)
        p.pixels[i] = (uint8_t)lrintf(255 * fminf(fmaxf(densities[i], 0), 1));
    const enum status s = png_picture_save(&p, path);
    png_picture_release(&p);
    return s;
}

static bool is_npy(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcmp(dot, ".npy") == 0;
}

static bool is_png(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcmp(dot, ".png") == 0;
}

enum status evaluate_map_check(const char *path)
{
    if (path == NULL || is_npy(path) || is_png(path))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "--map: %s must end with .npy or .png", path);
}

enum status evaluate_map_write(const struct evaluated_model *m, const char *path)
{
    const struct build *b = m->saved.build;
    struct problem_map map;

    if (!problem_map(b->plan, &map))
        return FAIL(STATUS_BAD_INPUT, "--map: %s was not trained on a map (data sets rooms, lidar)",
                    m->saved.file);
    float *densities = MEM_NEW_N(float, map.height *map.width);
    enum status s =
        problem_predict(b->evaluator, m->saved.state,
                        &(struct prediction){map.height * map.width, map.inputs, densities});
    if (s == STATUS_OK)
        s = (is_npy(path) ? write_npy : write_png)(&map, densities, path);
    mem_free(densities);
    return s;
}
