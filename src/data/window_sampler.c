/*
 * window_sampler.c - the order of a window.
 */
#include "data/window_sampler.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

static int64_t largest_window(const struct lidar_windows *w)
{
    int64_t most = 0;

    for (int64_t k = 0; k < w->cycle; k++) {
        const struct lidar_draw d = lidar_windows_draw(w, w->draws_before[k]);
        const int64_t rows = d.end_row - d.first_row;

        most = rows > most ? rows : most;
    }
    return most;
}

void window_sampler_init(struct window_sampler *s, const struct lidar_windows *windows,
                         uint64_t seed)
{
    *s = (struct window_sampler){
        .windows = windows,
        .seed = seed,
        .window = -1,
        .order = MEM_NEW_N(int64_t, largest_window(windows)),
    };
}

void window_sampler_release(struct window_sampler *s)
{
    mem_free(s->order);
    *s = (struct window_sampler){0};
}

static void put_in_order(struct window_sampler *s, const struct lidar_draw *d)
{
    const struct rng r = rng_make(s->seed, RNG_ORDER, (uint32_t)d->window);
    const int64_t rows = d->end_row - d->first_row;

    CHECK(d->window <= UINT32_MAX);
    for (int64_t i = 0; i < rows; i++)
        s->order[i] = d->first_row + i;
    rng_order(&r, s->order, rows);
    s->window = d->window;
}

const int64_t *window_sampler_draw(struct window_sampler *s, int64_t draw, struct lidar_draw *d)
{
    *d = lidar_windows_draw(s->windows, draw);
    if (d->window != s->window)
        put_in_order(s, d);
    return s->order + d->batch * s->windows->batch_size;
}
