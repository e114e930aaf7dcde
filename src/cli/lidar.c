/*
 * lidar.c - `muster lidar scan PLAN`: one scan of a floor plan as a table, as rows or as a drawing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "cli/list.h"
#include "cli/plan_drawing.h"
#include "cli/plan_point.h"
#include "data/lidar/scans.h"

#define CSV_BEGINS "beam,x,y,density\n"

enum { POINTS_MAX = 100000000 }; /* of a scan: 2.4 GB */

static const struct flag lidar_flags[] = {
    {"at",                  NULL,                        "X,Y",
     "place of the lidar, in pixels from the centre of the plan (a random free place)",                                "Place" },
    {"seed",                NULL,                        "N",       "seed of the random place (1)",                    NULL    },
    {"beams",               "lidar.beams",               "N",       NULL,                                              "Lidar" },
    {"beam-length",         "lidar.beam_length",         "F",       NULL,                                              NULL    },
    {"beam-samples",        "lidar.beam_samples",        "N",       NULL,                                              NULL    },
    {"distribution-factor", "lidar.distribution_factor", "F",       NULL,                                              NULL    },
    {"collision-samples",   "lidar.collision_samples",   "N",       NULL,                                              NULL    },
    {"fine-samples",        "lidar.fine_samples",        "N",       NULL,                                              NULL    },
    {"border",              "lidar.border",              "N",       NULL,                                              NULL    },
    {"clipped",             "lidar.clipped",             NULL,      NULL,                                              NULL    },
    {"round-density",       "lidar.round_density",       NULL,      NULL,                                              NULL    },
    {"csv",                 NULL,                        "[=FILE]", "print all points as CSV, or write them to FILE",  "Output"},
    {"svg",                 NULL,                        "FILE",    "also draw the scan over the plan",                NULL    },
    {"force",               NULL,                        NULL,      "replace FILE even if it is another kind of file", NULL    },
    FLAG_LAST,
};

static const struct flag_table lidar_tables[] = {
    {"lidar", lidar_fields},
    FLAG_LAST,
};

static const struct flags_spec lidar_spec = {
    .command = "lidar",
    .usage = "muster lidar scan PLAN.png [flags]",
    .intro = "Scans a floor plan from one place, as the robots of the study S001 do. Prints where "
             "each beam ends. Angles are in degrees, 0 to the right and 90 downwards.",
    .examples = "muster lidar scan building.png\n"
                "muster lidar scan building.png --at 120,-35.5 --svg scan.svg\n"
                "muster lidar scan building.png --beams 360 --csv=points.csv --round-density=false",
    .flags = lidar_flags,
    .tables = lidar_tables,
    .positional_max = 2,
};

/* One scan, and where it was made. */
struct scan {
    struct floor_plan plan;
    struct lidar_options options;
    struct lidar *lidar;
    struct lidar_point at;
    struct lidar_row *rows; /* beam after beam */
    int64_t *first_row;     /* [beams + 1] */
};

/* --- scanning --- */

static enum status choose_place(const struct flags *f, struct scan *s)
{
    const char *given = flags_value(f, "at");
    int64_t seed = 1;

    TRY(command_read_int(f, "seed", 0, INT64_MAX, &seed));
    if (given == NULL)
        return lidar_poses_draw(s->lidar, &(struct lidar_poses){(uint64_t)seed, 0, 1}, &s->at);
    TRY(plan_point_read("at", given, &s->plan, &s->at));
    if (!lidar_is_free(s->lidar, s->at))
        return FAIL(STATUS_BAD_INPUT, "--at: (%g, %g) is in a wall: the density is %.3g", s->at.x,
                    s->at.y, lidar_density(s->lidar, s->at));
    return STATUS_OK;
}

static enum status read_options(const struct flags *f, struct lidar_options *options)
{
    const struct node *given = node_find(f->tree, "lidar");

    fields_default(lidar_fields, options);
    if (given == NULL)
        return STATUS_OK;
    return fields_read(lidar_fields, options, given, &(struct fields_place){"lidar", "", NULL});
}

static enum status make_scan(const struct flags *f, const char *path, struct scan *s)
{
    TRY(read_options(f, &s->options));
    TRY(floor_plan_load(&s->plan, path));
    struct team *team = team_new(team_cores());
    const enum status made = lidar_new(&s->plan, &s->options, team, &s->lidar);
    team_free(team);
    if (made != STATUS_OK)
        return FAIL(made, "%s: %s", path, status_message());
    TRY(choose_place(f, s));
    if (lidar_rows_max(s->lidar) > POINTS_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "--beams: a scan of %" PRId64 " beams of %" PRId64
                    " points is too large; the limit is %d points in all",
                    s->options.beams, s->options.beam_samples, POINTS_MAX);
    s->rows = MEM_NEW_N(struct lidar_row, lidar_rows_max(s->lidar));
    s->first_row = MEM_NEW_N(int64_t, s->options.beams + 1);
    for (int64_t b = 0; b < s->options.beams; b++)
        s->first_row[b + 1] =
            s->first_row[b] + lidar_scan_beam(s->lidar, s->at, b, s->rows + s->first_row[b]);
    return STATUS_OK;
}

static void release_scan(struct scan *s)
{
    mem_free(s->rows);
    mem_free(s->first_row);
    lidar_free(s->lidar);
    floor_plan_release(&s->plan);
}

/* --- printing --- */

static int64_t row_count(const struct scan *s)
{
    return s->first_row[s->options.beams];
}

static const struct lidar_row *end_of(const struct scan *s, int64_t beam)
{
    return &s->rows[s->first_row[beam + 1] - 1];
}

static void add_summary(const struct scan *s, struct text *out)
{
    int64_t walls = 0;

    for (int64_t i = 0; i < row_count(s); i++)
        walls +=
            lidar_density(s->lidar, (struct lidar_point){s->rows[i].x, s->rows[i].y}) >= LIDAR_WALL;
    text_addf(out,
              "scan at (%.2f, %.2f): %" PRId64 " beams, %" PRId64 " points, %.1f %% in walls\n",
              s->at.x, s->at.y, s->options.beams, row_count(s),
              100 * (double)walls / (double)row_count(s));
}

static void add_table(const struct scan *s, struct text *out)
{
    static const char *const heads[] = {"beam", "angle", "length", "x", "y", "density"};
    struct text_table t = text_table_new(s->options.beams + 1, 6);

    for (int c = 0; c < 6; c++)
        text_table_put(&t, 0, c, mem_text(heads[c]));
    for (int64_t b = 0; b < s->options.beams; b++) {
        const struct lidar_row *end = end_of(s, b);
        const double angle = -180 + 360 * (double)b / (double)s->options.beams;

        text_table_put(&t, b + 1, 0, text_format("%" PRId64, b));
        text_table_put(&t, b + 1, 1, text_format("%.1f", angle));
        text_table_put(&t, b + 1, 2,
                       text_format("%.2f", hypot(end->x - s->at.x, end->y - s->at.y)));
        text_table_put(&t, b + 1, 3, text_format("%.2f", end->x));
        text_table_put(&t, b + 1, 4, text_format("%.2f", end->y));
        text_table_put(&t, b + 1, 5, text_format("%.3g", end->density));
    }
    text_table_write(&t, out);
    text_table_free(&t);
}

static void add_csv(const struct scan *s, struct text *out)
{
    text_add(out, CSV_BEGINS);
    for (int64_t b = 0; b < s->options.beams; b++) {
        for (int64_t i = s->first_row[b]; i < s->first_row[b + 1]; i++) {
            const double values[] = {s->rows[i].x, s->rows[i].y, s->rows[i].density};

            text_add_int(out, b);
            for (int k = 0; k < 3; k++) {
                text_add(out, ",");
                text_add_double(out, values[k]);
            }
            text_add(out, "\n");
        }
    }
}

static enum status print(const struct flags *f, const struct scan *s)
{
    const char *csv = flags_value(f, "csv");
    struct text text = {0}, rows = {0};
    enum status result = STATUS_OK;

    add_summary(s, &text);
    add_table(s, &text);
    if (csv != NULL)
        add_csv(s, &rows);
    if (csv != NULL && csv[0] != '\0')
        result = file_write_text(csv, text_get(&rows));
    if (result == STATUS_OK)
        command_print(text_get(csv != NULL && csv[0] == '\0' ? &rows : &text));
    text_release(&text);
    text_release(&rows);
    return result;
}

/* --- drawing --- */

/* Beams as lines to their ends, and the points: blue where it is free, orange in walls. */
static void add_marks(const struct scan *s, struct plan_drawing *d, struct lidar_point *points)
{
    const int64_t beams = s->options.beams;

    for (int64_t b = 0; b < beams; b++) {
        struct lidar_point *line = points + 2 * b;

        line[0] = s->at;
        line[1] = (struct lidar_point){end_of(s, b)->x, end_of(s, b)->y};
        plan_drawing_add(
            d, (struct plan_mark){.kind = PLAN_MARK_LINE, .size = 0.4, .count = 2, .points = line});
    }
    for (int64_t i = 0; i < row_count(s); i++) {
        struct lidar_point *dot = points + 2 * beams + i;
        const bool is_wall = s->rows[i].density >= LIDAR_WALL;

        *dot = (struct lidar_point){s->rows[i].x, s->rows[i].y};
        plan_drawing_add(d, (struct plan_mark){.kind = PLAN_MARK_DOTS,
                                               .series = is_wall ? 1 : 0,
                                               .size = is_wall ? 0.8 : 0.4,
                                               .count = 1,
                                               .points = dot});
    }
}

static enum status draw(const struct flags *f, const struct scan *s)
{
    struct plan_drawing d = {.plan = &s->plan, .title = "lidar scan"};
    const char *path = flags_value(f, "svg");
    struct text svg = {0};

    if (path == NULL)
        return STATUS_OK;
    struct lidar_point *points = MEM_NEW_N(struct lidar_point, 2 * s->options.beams + row_count(s));
    add_marks(s, &d, points);
    plan_drawing_svg(&d, &svg);
    const enum status result = file_write_text(path, text_get(&svg));
    text_release(&svg);
    plan_drawing_release(&d);
    mem_free(points);
    return result;
}

/* --- the command --- */

static enum status scan_parsed(const struct flags *f)
{
    struct scan s = {0};

    if (f->positional_count == 0 || strcmp(f->positional[0], "scan") != 0)
        return FAIL(STATUS_BAD_INPUT, "muster lidar has one verb: muster lidar scan PLAN.png");
    if (f->positional_count == 1)
        return FAIL(STATUS_BAD_INPUT, "muster lidar scan needs the PNG file of a floor plan");
    TRY(command_check_replaced(f, "csv", CSV_BEGINS));
    TRY(command_check_replaced(f, "svg", "<svg"));
    TRY(command_check_different(f, (const char *const[]){"csv", "svg"}, 2));
    enum status result = make_scan(f, f->positional[1], &s);
    if (result == STATUS_OK)
        result = draw(f, &s);
    if (result == STATUS_OK)
        result = print(f, &s);
    release_scan(&s);
    return result;
}

static enum status lidar_run(int argc, char **argv)
{
    return command_run(&lidar_spec, argc, argv, scan_parsed);
}

const struct command lidar_command = {
    .name = "lidar",
    .summary = "scan a floor plan by lidar",
    .flags = &lidar_spec,
    .run = lidar_run,
};
