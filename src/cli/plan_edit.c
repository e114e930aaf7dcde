/*
 * plan_edit.c - `muster plan edit PLAN [WAYPOINTS]`: writes the page in which way-points are edited
 * (report/plan_page.h).
 */
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/plan_drawing.h"
#include "data/lidar/waypoints.h"
#include "report/plan_page.h"

#define HTML_BEGINS "<!DOCTYPE html>"

static const struct flag edit_flags[] = {
    {"out",   NULL, "FILE", "the page to write",                               "Output"},
    {"force", NULL, NULL,   "replace FILE even if it is another kind of file", NULL    },
    FLAG_LAST,
};

static const struct flags_spec edit_spec = {
    .command = "plan edit",
    .usage = "muster plan edit PLAN.png [WAYPOINTS] --out FILE.html",
    .intro =
        "Writes a page in which the way-points of a robot are edited over the plan. Open it in "
        "a browser; it needs no network. The page draws the spline through the way-points, "
        "shows where it is in walls, and saves them as text or for NumPy.",
    .examples = "muster plan edit building.png --out edit.html\n"
                "muster plan edit building.png robot.txt --out edit.html",
    .flags = edit_flags,
    .positional_max = 2,
};

/* "a/robot.txt" -> "robot"; mem_free */
static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');

    return mem_text_n(name, dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name));
}

static enum status write_page(const struct floor_plan *p, const struct waypoints *w,
                              const char *const files[2], const char *out)
{
    char *plan = stem_of(files[0]);
    char *name = files[1] != NULL ? stem_of(files[1]) : text_format("%s-waypoints", plan);
    char *title = text_format("Way-points in %s", plan);
    double *numbers = MEM_NEW_N(double, 2 * w->count);
    struct png_picture walls;
    struct text png = {0};

    for (int64_t i = 0; i < w->count; i++) {
        numbers[2 * i] = w->points[i].x;
        numbers[2 * i + 1] = w->points[i].y;
    }
    plan_drawing_walls(p, &walls);
    png_picture_encode(&walls, &png);
    const enum status s = plan_page_write(
        &(struct plan_page){
            .title = title,
            .name = name,
            .width = p->width,
            .height = p->height,
            .picture = png.data,
            .picture_bytes = png.length,
            .waypoints = numbers,
            .waypoint_count = w->count,
        },
        out);
    png_picture_release(&walls);
    text_release(&png);
    mem_free(numbers);
    mem_free(title);
    mem_free(name);
    mem_free(plan);
    return s;
}

static enum status edit_parsed(const struct flags *f)
{
    const char *out = flags_value(f, "out");
    const char *const files[2] = {f->positional_count > 0 ? f->positional[0] : NULL,
                                  f->positional_count > 1 ? f->positional[1] : NULL};
    struct floor_plan p;
    struct waypoints w = {0};

    if (files[0] == NULL)
        return FAIL(STATUS_BAD_INPUT, "muster plan edit needs the PNG file of a floor plan");
    if (out == NULL)
        return FAIL(STATUS_BAD_INPUT, "muster plan edit needs --out FILE.html, the page to write");
    TRY(command_check_replaced(f, "out", HTML_BEGINS));
    TRY(command_check_different(f, (const char *const[]){"out"}, 1));
    TRY(floor_plan_load(&p, files[0]));
    enum status s = files[1] == NULL ? STATUS_OK : waypoints_read(&w, files[1]);
    if (s == STATUS_OK)
        s = write_page(&p, &w, files, out);
    if (s == STATUS_OK) {
        command_print(out);
        command_print("\n");
    }
    waypoints_release(&w);
    floor_plan_release(&p);
    return s;
}

enum status plan_edit(int argc, char **argv)
{
    return command_run(&edit_spec, argc, argv, edit_parsed);
}
