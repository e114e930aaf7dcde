/*
 * robots_page.c - see robots_page.h. The pictures are data; the script draws them. As in the
 * report, a content security policy allows that script alone, and no network.
 *
 * A record of maps is one picture: the mean, then the maps of the robots below it. So is its
 * certainty: the sum, then that of the robots.
 */
#include "report/robots_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "record/graph_rows.h"
#include "record/map_pictures.h"
#include "record/scan_rows.h"
#include "report/assets.h"
#include "report/html.h"

/* The page stays of a size that browsers open at once. */
enum { RUNS_MAX = 8, ROBOTS_SHOWN = 16, PIXELS_MAX = 32000000, GRAPHS_MAX = 1000 };
enum { BEAMS_MAX = 200000 }; /* of all runs; about ten bytes each */
enum { PLAN_COLOUR = 0x8a939c, MAP_COLOUR = 0x08519c, CERTAINTY_COLOUR = 0x00875f };

/* What of a run's maps is shown. */
struct shown_maps {
    struct map_file file;
    int64_t robots;   /* with maps of their own on the page; of 1 there is no mean */
    int64_t stride;   /* between two records */
    float *certainty; /* of a record: the sum, then that of the robots; NULL: there is none */
    double sum_most, robot_most; /* certainty of the last record: the largest */
};

static bool has_maps(const struct subject *s, int64_t run)
{
    return s->runs[run].dir != NULL && s->results.runs[run].part_of == NULL &&
           file_exists_in(s->runs[run].dir, "maps.bin");
}

static int64_t count_runs(const struct subject *s)
{
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.run_count; i++)
        count += has_maps(s, i);
    return count;
}

bool robots_page_has(const struct subject *s)
{
    return count_runs(s) > 0;
}

/* --- maps --- */

static int64_t pictures_of(const struct shown_maps *m)
{
    return m->robots > 1 ? m->robots + 1 : 1;
}

static void choose_shown(struct shown_maps *m, int64_t runs)
{
    const struct map_mesh *mesh = &m->file.mesh;

    m->robots = mesh->robots < ROBOTS_SHOWN ? mesh->robots : ROBOTS_SHOWN;
    const int64_t pictures = pictures_of(m) * (mesh->certainties > 0 ? 2 : 1);
    const int64_t pixels = pictures * map_mesh_points(mesh), room = PIXELS_MAX / runs;
    const int64_t wanted = room / pixels > 1 ? room / pixels : 1;
    m->stride = (m->file.count + wanted - 1) / wanted;
}

static void add_picture(struct json *j, const char *key, const struct text *png)
{
    struct text encoded = {0};

    text_add_base64(&encoded, text_get(png), png->length);
    json_text(j, key, text_get(&encoded));
    text_release(&encoded);
}

static void add_maps(const struct shown_maps *m, const uint8_t *maps, struct json *j)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const int64_t points = map_mesh_points(mesh), count = pictures_of(m);
    uint8_t *all = MEM_NEW_N(uint8_t, count * points);
    struct text png = {0};

    map_mean(mesh, maps, all);
    if (count > 1)
        memcpy(all + points, maps, (size_t)(m->robots * points));
    map_picture(mesh, all, count, MAP_COLOUR, &png);
    add_picture(j, "maps", &png);
    text_release(&png);
    mem_free(all);
}

/* --- certainty --- */

/* Of all robots of a record, also of those that are not shown. */
static enum status read_certainty(const struct shown_maps *m, int64_t record)
{
    const struct map_mesh *mesh = &m->file.mesh;
    float *robots = m->certainty + map_mesh_points(mesh);

    TRY(map_file_read_certainty(&m->file, record, robots));
    map_certainty_sum(mesh, robots, m->certainty);
    return STATUS_OK;
}

/* Certainty grows, so the last record has the scale of all. */
static void prepare_certainty(struct shown_maps *m)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const int64_t points = map_mesh_points(mesh);

    if (mesh->certainties == 0 || m->file.count == 0)
        return;
    m->certainty = MEM_NEW_N(float, (1 + mesh->robots) * points);
    if (read_certainty(m, m->file.count - 1) != STATUS_OK)
        log_warning("%s", status_message());
    m->sum_most = map_certainty_most(m->certainty, points);
    m->robot_most = map_certainty_most(m->certainty + points, mesh->robots * points);
}

static void add_certainty(const struct shown_maps *m, int64_t record, struct json *j)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const int64_t points = map_mesh_points(mesh), count = pictures_of(m);

    if (m->certainty == NULL || read_certainty(m, record) != STATUS_OK)
        return;
    uint8_t *all = MEM_NEW_N(uint8_t, count * points);
    struct text png = {0};
    map_certainty_bytes(&(struct certainty_picture){m->certainty, m->sum_most}, points, all);
    map_certainty_bytes(&(struct certainty_picture){m->certainty + points, m->robot_most},
                        (count - 1) * points, all + points);
    map_picture(mesh, all, count, CERTAINTY_COLOUR, &png);
    add_picture(j, "certainty", &png);
    text_release(&png);
    mem_free(all);
}

/* --- frames --- */

/* Every stride-th record, and the last. */
static void add_frames(const struct shown_maps *m, struct json *j)
{
    const struct map_file *f = &m->file;
    uint8_t *maps = MEM_NEW_N(uint8_t, f->mesh.robots * map_mesh_points(&f->mesh));

    json_open_list(j, "frames");
    for (int64_t i = 0; i < f->count; i++) {
        struct map_time time;

        if (i % m->stride != 0 && i != f->count - 1)
            continue;
        if (map_file_read(f, i, &time, maps) != STATUS_OK) {
            log_warning("%s", status_message());
            continue;
        }
        json_open_map(j, NULL);
        json_int(j, "round", time.round);
        json_number(j, "epoch", time.epoch);
        add_maps(m, maps, j);
        add_certainty(m, i, j);
        json_close_map(j);
    }
    json_close_list(j);
    mem_free(maps);
}

static void add_plan(const struct map_file *f, struct json *j)
{
    struct text png = {0};

    map_picture(&f->mesh, f->plan, 1, PLAN_COLOUR, &png);
    add_picture(j, "plan", &png);
    text_release(&png);
}

/* --- links and positions --- */

static double tenths(double x)
{
    return isfinite(x) ? round(10 * x) / 10 : 0;
}

/* points[count][2], in columns and rows of the map; the middle of the first point is at (0.5, 0.5).
 */
static void add_points(const struct map_mesh *m, const char *key, const double *points,
                       int64_t count, struct json *j)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < count; i++) {
        json_number(j, NULL, tenths((points[2 * i] - m->left) / m->step_x + 0.5));
        json_number(j, NULL, tenths((points[2 * i + 1] - m->top) / m->step_y + 0.5));
    }
    json_close_list(j);
}

static void add_graph(const struct graph_row *row, const struct map_mesh *m, struct json *j)
{
    json_open_map(j, NULL);
    json_int(j, "round", row->round);
    json_open_list(j, "links");
    for (int64_t i = 0; i < 2 * row->edge_count; i++)
        json_int(j, NULL, row->edges[i]);
    json_close_list(j);
    if (row->positions != NULL)
        add_points(m, "positions", row->positions, row->nodes, j);
    json_close_map(j);
}

static void add_graphs(const char *run_dir, const struct map_mesh *m, struct json *j)
{
    struct graph_rows g;

    (void)graph_rows_read(run_dir, &g); /* has the rows that read */
    const int64_t stride = (g.count + GRAPHS_MAX - 1) / GRAPHS_MAX;

    json_open_list(j, "graphs");
    for (int64_t i = 0; i < g.count; i++)
        if (i % stride == 0 || i == g.count - 1)
            add_graph(&g.items[i], m, j);
    json_close_list(j);
    graph_rows_release(&g);
}

/* --- scans --- */

static void add_scan(const struct scan_row *row, const struct map_mesh *m, struct json *j)
{
    const int64_t shown = row->scanned < ROBOTS_SHOWN ? row->scanned : ROBOTS_SHOWN;

    json_open_map(j, NULL);
    json_int(j, "round", row->round);
    add_points(m, "positions", row->positions, row->robots, j);
    json_open_list(j, "ends");
    for (int64_t i = 0; i < shown; i++)
        add_points(m, NULL, row->ends + 2 * i * row->beams, row->beams, j);
    json_close_list(j);
    json_close_map(j);
}

/* Every stride-th row, and the last. A robot costs as much as a beam. */
static void add_scans(const char *run_dir, const struct map_mesh *m, int64_t runs, struct json *j)
{
    struct scan_rows s;
    int64_t beams = 0;

    (void)scan_rows_read(run_dir, &s); /* has the rows that read */
    for (int64_t i = 0; i < s.count; i++)
        beams += s.items[i].robots + s.items[i].scanned * s.items[i].beams;
    const int64_t stride = beams * runs / BEAMS_MAX + 1;
    json_open_list(j, "scans");
    for (int64_t i = 0; i < s.count; i++)
        if (i % stride == 0 || i == s.count - 1)
            add_scan(&s.items[i], m, j);
    json_close_list(j);
    scan_rows_release(&s);
}

/* --- the page --- */

static void add_run(const struct subject *s, int64_t run, int64_t runs, struct json *j)
{
    const char *dir = s->runs[run].dir;
    struct shown_maps m = {0};

    if (map_file_open(&m.file, dir) != STATUS_OK) {
        log_warning("%s", status_message());
        return;
    }
    choose_shown(&m, runs);
    prepare_certainty(&m);
    json_open_map(j, NULL);
    json_text(j, "name", s->results.runs[run].name);
    json_int(j, "width", m.file.mesh.width);
    json_int(j, "height", m.file.mesh.height);
    json_int(j, "robots", m.file.mesh.robots);
    json_int(j, "shown", m.robots);
    if (m.certainty != NULL) {
        json_number(j, "sum_most", m.sum_most);
        json_number(j, "robot_most", m.robot_most);
    }
    add_plan(&m.file, j);
    add_frames(&m, j);
    add_graphs(dir, &m.file.mesh, j);
    add_scans(dir, &m.file.mesh, runs, j);
    json_close_map(j);
    mem_free(m.certainty);
    map_file_release(&m.file);
}

static void add_data(const struct subject *s, struct text *out)
{
    const int64_t count = count_runs(s), runs = count < RUNS_MAX ? count : RUNS_MAX;
    struct json j;
    int64_t shown = 0;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "version", 1);
    json_open_list(&j, "runs");
    for (int64_t i = 0; i < s->results.run_count && shown < runs; i++) {
        if (!has_maps(s, i))
            continue;
        add_run(s, i, runs, &j);
        shown++;
    }
    json_close_list(&j);
    json_close_map(&j);
}

static const struct asset *const scripts[] = {&asset_robots_script, NULL};

static void add_page(const struct subject *s, const struct text *data, struct text *out)
{
    const int64_t count = count_runs(s);

    html_head(out, s->title, scripts);
    text_add(out, "<p class=\"summary\">Maps of the robots along the run</p>\n"
                  "<p class=\"note\">Space plays and stops; arrow keys go from step to step. The "
                  "stronger the colour of a point, the surer the robot is of a wall. Thin lines "
                  "are the beams of a robot's scan.");
    if (count > RUNS_MAX)
        html_textf(
            out, " Shown are the first %d of %" PRId64 " runs; muster report RUN... shows others.",
            RUNS_MAX, count);
    text_add(out, "</p>\n</header>\n<main>\n<div id=\"player\"></div>\n</main>\n");
    html_end(out, data, scripts);
}

enum status robots_page_write(const struct subject *s, const char *path)
{
    struct text data = {0}, out = {0};

    add_data(s, &data);
    add_page(s, &data, &out);
    const enum status status = file_write_text(path, text_get(&out));
    text_release(&data);
    text_release(&out);
    return status;
}
