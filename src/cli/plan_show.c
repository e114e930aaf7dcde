/*
 * plan_show.c - `muster plan show PLAN`: facts about a floor plan and the paths of robots in it,
 * and a drawing of all.
 */
#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/plan_drawing.h"
#include "data/lidar/path.h"

enum { RESOLUTION = 30 }; /* points of a path for each way-point, as in the study */

static const struct flag show_flags[] = {
    {"path",  NULL, "FILE",
     "way-points of a robot to draw, with the spline through them; again for more", "What"  },
    {"svg",   NULL, "FILE", "draw it as SVG",                                       "Output"},
    {"png",   NULL, "FILE", "draw it as a PNG picture, as large as the plan",       NULL    },
    {"json",  NULL, NULL,   "print one JSON object",                                NULL    },
    {"force", NULL, NULL,   "replace FILE even if it is another kind of file",      NULL    },
    FLAG_LAST,
};

static const struct flags_spec show_spec = {
    .command = "plan show",
    .usage = "muster plan show PLAN.png [flags]",
    .intro = "Prints the size of a floor plan, its share of wall and its connected free areas. Of "
             "each path it prints the length, and how many of its points are in walls.",
    .examples = "muster plan show building.png\n"
                "muster plan show building.png --path robot1.txt --path robot2.npy --svg paths.svg",
    .flags = show_flags,
    .positional_max = 1,
    .repeated = "path",
};

/* The way of one robot. */
struct shown_path {
    const char *file;
    struct waypoints waypoints;
    struct lidar_point *points; /* [waypoints.count] as the path's, to be drawn as dots */
    struct lidar_path path;
    double length;    /* in pixels */
    int64_t in_walls; /* points of the path */
};

struct shown_plan {
    struct floor_plan plan;
    struct shown_path *paths;
    int64_t path_count;
};

/* --- reading --- */

static bool is_in_wall(const struct floor_plan *p, struct lidar_point at)
{
    const struct lidar_point place = plan_drawing_place(p, at);

    return floor_plan_is_wall(p, (int64_t)floor(place.x), (int64_t)floor(place.y));
}

static void measure_path(const struct floor_plan *p, struct shown_path *s)
{
    for (int64_t i = 0; i < s->path.count; i++) {
        const struct lidar_point a = s->path.points[i > 0 ? i - 1 : 0], b = s->path.points[i];

        s->length += hypot(b.x - a.x, b.y - a.y);
        s->in_walls += is_in_wall(p, b);
    }
}

static enum status read_path(const struct floor_plan *p, const char *file, struct shown_path *s)
{
    *s = (struct shown_path){.file = file};
    TRY(waypoints_read(&s->waypoints, file));
    lidar_path_init(&s->path, &s->waypoints, RESOLUTION, p->width, p->height);
    s->points = MEM_NEW_N(struct lidar_point, s->waypoints.count);
    for (int64_t i = 0; i < s->waypoints.count; i++)
        s->points[i] = (struct lidar_point){s->waypoints.points[i].x * (double)p->width / 2,
                                            s->waypoints.points[i].y * (double)p->height / 2};
    measure_path(p, s);
    return STATUS_OK;
}

static enum status read_all(const struct flags *f, struct shown_plan *s)
{
    const struct node *files = node_find(f->tree, "path");

    TRY(floor_plan_load(&s->plan, f->positional[0]));
    if (files == NULL)
        return STATUS_OK;
    s->paths = MEM_NEW_N(struct shown_path, files->count);
    for (int64_t i = 0; i < files->count; i++)
        TRY(read_path(&s->plan, files->children[i]->text, &s->paths[s->path_count++]));
    return STATUS_OK;
}

static void release_all(struct shown_plan *s)
{
    for (int64_t i = 0; i < s->path_count; i++) {
        waypoints_release(&s->paths[i].waypoints);
        lidar_path_release(&s->paths[i].path);
        mem_free(s->paths[i].points);
    }
    mem_free(s->paths);
    floor_plan_release(&s->plan);
}

/* --- printing --- */

static void print_text(const struct shown_plan *s, struct text *out)
{
    plan_add_facts(out, &s->plan);
    for (int64_t i = 0; i < s->path_count; i++) {
        const struct shown_path *p = &s->paths[i];

        text_addf(out, "%s: %" PRId64 " way-points, %.0f pixels long, ", p->file,
                  p->waypoints.count, p->length);
        if (p->in_walls == 0)
            text_add(out, "no point in a wall\n");
        else
            text_addf(out, "%" PRId64 " of %" PRId64 " points in walls\n", p->in_walls,
                      p->path.count);
    }
}

static void print_json(const struct shown_plan *s, struct text *out)
{
    const struct floor_plan *p = &s->plan;
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "width", p->width);
    json_int(&j, "height", p->height);
    json_number(&j, "wall_share",
                (double)floor_plan_count_walls(p) / (double)(p->width * p->height));
    json_int(&j, "free_areas", floor_plan_count_areas(p));
    json_open_list(&j, "paths");
    for (int64_t i = 0; i < s->path_count; i++) {
        json_open_map(&j, NULL);
        json_text(&j, "file", s->paths[i].file);
        json_int(&j, "waypoints", s->paths[i].waypoints.count);
        json_number(&j, "length", s->paths[i].length);
        json_int(&j, "points", s->paths[i].path.count);
        json_int(&j, "points_in_walls", s->paths[i].in_walls);
        json_close_map(&j);
    }
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- drawing --- */

static void add_paths(const struct shown_plan *s, struct plan_drawing *d)
{
    for (int64_t i = 0; i < s->path_count; i++) {
        const struct shown_path *p = &s->paths[i];

        plan_drawing_add(d, (struct plan_mark){.kind = PLAN_MARK_LINE,
                                               .series = i,
                                               .count = p->path.count,
                                               .points = p->path.points});
        plan_drawing_add(d, (struct plan_mark){.kind = PLAN_MARK_DOTS,
                                               .series = i,
                                               .count = p->waypoints.count,
                                               .points = p->points});
    }
}

static enum status save_drawing(const struct flags *f, const struct plan_drawing *d)
{
    const char *svg = flags_value(f, "svg"), *png = flags_value(f, "png");
    struct text drawing = {0};
    struct png_picture picture;

    if (svg != NULL) {
        plan_drawing_svg(d, &drawing);
        const enum status s = file_write_text(svg, text_get(&drawing));
        text_release(&drawing);
        TRY(s);
    }
    if (png == NULL)
        return STATUS_OK;
    plan_drawing_picture(d, &picture);
    const enum status s = png_picture_save(&picture, png);
    png_picture_release(&picture);
    return s;
}

static enum status draw(const struct flags *f, const struct shown_plan *s)
{
    struct plan_drawing d = {.plan = &s->plan, .title = f->positional[0]};

    add_paths(s, &d);
    const enum status result = save_drawing(f, &d);
    plan_drawing_release(&d);
    return result;
}

/* --- the command --- */

static enum status show_parsed(const struct flags *f)
{
    struct shown_plan s = {0};
    struct text out = {0};

    if (f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT, "muster plan show needs the PNG file of a floor plan");
    TRY(command_check_replaced(f, "svg", "<svg"));
    TRY(command_check_replaced(f, "png", PLAN_PNG_BEGINS));
    TRY(command_check_different(f, (const char *const[]){"svg", "png"}, 2));
    enum status result = read_all(f, &s);
    if (result == STATUS_OK)
        result = draw(f, &s);
    if (result == STATUS_OK) {
        (flags_has(f, "json") ? print_json : print_text)(&s, &out);
        command_print(text_get(&out));
    }
    text_release(&out);
    release_all(&s);
    return result;
}

enum status plan_show(int argc, char **argv)
{
    return command_run(&show_spec, argc, argv, show_parsed);
}
