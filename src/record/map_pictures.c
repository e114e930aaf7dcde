/*
 * map_pictures.c - see map_pictures.h.
 */
#include "record/map_pictures.h"

#include <math.h>
#include <stdlib.h>

#include "format/png.h"

void map_picture(const struct map_mesh *m, const uint8_t *maps, int64_t count, uint32_t colour,
                 struct text *png)
{
    const int64_t pixels = count * map_mesh_points(m);
    struct png_picture p;

    png_picture_init(&p, m->width, count * m->height, 4);
    for (int64_t i = 0; i < pixels; i++) {
        p.pixels[4 * i] = (uint8_t)(colour >> 16);
        p.pixels[4 * i + 1] = (uint8_t)(colour >> 8);
        p.pixels[4 * i + 2] = (uint8_t)colour;
        p.pixels[4 * i + 3] = maps[i];
    }
    png_picture_encode(&p, png);
    png_picture_release(&p);
}

void map_mean(const struct map_mesh *m, const uint8_t *maps, uint8_t *mean)
{
    const int64_t points = map_mesh_points(m);

    for (int64_t i = 0; i < points; i++) {
        int64_t sum = 0;

        for (int64_t r = 0; r < m->robots; r++)
            sum += maps[r * points + i];
        mean[i] = (uint8_t)((sum + m->robots / 2) / m->robots);
    }
}

double map_error(const struct map_file *f, const uint8_t *map, uint8_t *error)
{
    const int64_t points = map_mesh_points(&f->mesh);
    int64_t sum = 0;

    for (int64_t i = 0; i < points; i++) {
        const int distance = abs((int)map[i] - (int)f->plan[i]);

        sum += distance;
        if (error != NULL)
            error[i] = (uint8_t)distance;
    }
    return (double)sum / (255 * (double)points);
}

/* --- certainty --- */

void map_certainty_sum(const struct map_mesh *m, const float *certainty, float *sum)
{
    const int64_t points = map_mesh_points(m);

    for (int64_t i = 0; i < points; i++) {
        double all = 0;

        for (int64_t r = 0; r < m->certainties; r++)
            all += (double)certainty[r * points + i];
        sum[i] = (float)all;
    }
}

double map_certainty_most(const float *certainty, int64_t count)
{
    double most = 0;

    for (int64_t i = 0; i < count; i++)
        most = fmax(most, (double)certainty[i]);
    return most;
}

void map_certainty_bytes(const struct certainty_picture *p, int64_t count, uint8_t *bytes)
{
    for (int64_t i = 0; i < count; i++)
        bytes[i] = p->most > 0 ? map_byte((double)p->certainty[i] / p->most) : 0;
}
