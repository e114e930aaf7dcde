/*
 * windows.c - see windows.h.
 */
#include "data/lidar/windows.h"

#include "base/check.h"
#include "base/mem.h"

/* How many windows of a cycle end before the last scan: those with c + w < S. */
static int64_t full_windows(const struct lidar_windows *w)
{
    return (w->scans - 1) / w->window;
}

static int64_t end_scan(const struct lidar_windows *w, int64_t index)
{
    return index < full_windows(w) ? (index + 1) * w->window : w->scans;
}

static int64_t row_count(const struct lidar_windows *w, int64_t index)
{
    return w->first_row[end_scan(w, index)] - w->first_row[index * w->window];
}

void lidar_windows_init(struct lidar_windows *w, const int64_t *first_row, int64_t scans,
                        int64_t window, int64_t batch_size)
{
    CHECK(scans >= 1 && window >= 1 && batch_size >= 1);
    *w = (struct lidar_windows){
        .scans = scans, .window = window, .batch_size = batch_size, .first_row = first_row};
    const int64_t full = full_windows(w);
    const bool has_rest = full == 0 || full * window != scans - 1;
    w->cycle = full + (has_rest ? 1 : 0);
    w->draws_before = MEM_NEW_N(int64_t, w->cycle + 1);
    for (int64_t k = 0; k < w->cycle; k++)
        w->draws_before[k + 1] =
            w->draws_before[k] + (row_count(w, k) + batch_size - 1) / batch_size;
    CHECK(w->draws_before[w->cycle] > 0);
}

void lidar_windows_release(struct lidar_windows *w)
{
    mem_free(w->draws_before);
    *w = (struct lidar_windows){0};
}

/* The window of a cycle that has this draw. */
static int64_t find_window(const struct lidar_windows *w, int64_t draw)
{
    int64_t low = 0, high = w->cycle;

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (w->draws_before[middle] <= draw)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct lidar_draw lidar_windows_draw(const struct lidar_windows *w, int64_t draw)
{
    CHECK(draw >= 0);
    const int64_t cycle_draws = w->draws_before[w->cycle], inside = draw % cycle_draws;
    const int64_t index = find_window(w, inside), rows = row_count(w, index);
    const int64_t batch = inside - w->draws_before[index], left = rows - batch * w->batch_size;
    const int64_t end = end_scan(w, index);

    return (struct lidar_draw){
        .window = draw / cycle_draws * w->cycle + index,
        .first_scan = index * w->window,
        .end_scan = end,
        .first_row = w->first_row[index * w->window],
        .end_row = w->first_row[end],
        .batch = batch,
        .batch_size = left < w->batch_size ? left : w->batch_size,
        .position = end < w->scans ? end : w->scans - 1,
    };
}
