/*
 * fuzz_waypoints.c - libFuzzer target: any bytes as a file of way-points: as .npy if they begin
 * with the byte of NumPy's files, else as text.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/lidar/waypoints.h"
#include "format/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(const struct waypoints *w, const char *name)
{
    struct waypoints again;
    struct text file = {0};

    if (waypoints_is_npy(name))
        npy_add(&file, NPY_F64, 2, (int64_t[]){w->count, 2}, w->points);
    else
        waypoints_text(w, &file);
    CHECK(waypoints_decode(&again, name, &file) == STATUS_OK);
    CHECK(again.count == w->count);
    for (int64_t i = 0; i < w->count; i++)
        CHECK(again.points[i].x == w->points[i].x && again.points[i].y == w->points[i].y);
    waypoints_release(&again);
    text_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = size > 0 && data[0] == 0x93 ? "fuzz.npy" : "fuzz.txt";
    struct text file = {0};
    struct waypoints w;

    text_add_n(&file, (const char *)data, size);
    if (waypoints_decode(&w, name, &file) == STATUS_OK) {
        CHECK(w.count >= WAYPOINTS_MIN);
        for (int64_t i = 0; i < w.count; i++)
            CHECK(fabs(w.points[i].x) <= 1 && fabs(w.points[i].y) <= 1);
        write_and_read_again(&w, name);
        waypoints_release(&w);
    }
    text_release(&file);
    return 0;
}
