/*
 * s001_lidar.c - the density experiments of S001's layout, in which robots map a building.
 *
 *     experiment: {data: {data_dir, waypoint_subdir, split_type, num_scans_in_window, num_beams,
 *                         ...}, model: {shape, scale}, ...}
 *     problem1: {comm_radius, dynamic_graph, ...}
 *
 * data_dir has floor_img.png and the folder of way-points. With num_scans_in_window the data are
 * online. Robots are linked as experiment.graph says, or by comm_radius.
 *
 * Not here: what both kinds of experiments have (s001_layout.c, s001_problem.c).
 */
#include "base/file.h"
#include "base/mem.h"
#include "conf/field.h"
#include "data/lidar/waypoints.h"
#include "study/s001_internal.h"

static const char path[] = "experiment.data";

bool s001_has_lidar(const struct node *experiment)
{
    const struct node *data = node_find(experiment, "data");

    return data != NULL && data->kind == NODE_MAP && node_find(data, "name") == NULL;
}

static bool is_word(const struct node *n, const char *word)
{
    return n != NULL && n->kind == NODE_SCALAR && text_same_name(n->text, word);
}

/* --- files --- */

static enum status find_text(const struct node *data, const char *key, const struct node **text)
{
    TRY(s001_require(data, path, key));
    *text = node_find(data, key);
    if ((*text)->kind != NODE_SCALAR)
        return node_fail_key(*text, path, key, "must be a text");
    return STATUS_OK;
}

static enum status put_file(struct node *out, const char *to, const struct node *data,
                            const char *name_key, const char *name)
{
    const struct node *dir = NULL, *where = NULL;

    TRY(find_text(data, "data_dir", &dir));
    where = dir;
    if (name_key != NULL) {
        TRY(find_text(data, name_key, &where));
        name = where->text;
    }
    char *file = file_join(dir->text, name);
    const enum status s = s001_put_word(out, to, file, where);
    mem_free(file);
    return s;
}

/* --- data --- */

static enum status read_split(const struct node *data, struct node *out)
{
    const struct node *split = NULL, *window = node_find(data, "num_scans_in_window");

    TRY(find_text(data, "split_type", &split));
    if (is_word(split, "trajectory"))
        return s001_put_word(out, "data.split", window != NULL ? "online" : "trajectory", split);
    if (!is_word(split, "random"))
        return node_fail_key(split, path, "split_type", "\"%s\" is neither random nor trajectory",
                             split->text);
    if (window != NULL)
        return node_fail_key(window, path, "num_scans_in_window",
                             "windows are along a path; use split_type trajectory");
    TRY(s001_require(data, path, "num_scans"));
    return s001_put_word(out, "data.split", "random", split);
}

/* Scans at random places need no path, and those along a path have a number of their own. */
static enum status read_places(struct s001 *t, const struct node *data, struct node *out)
{
    static const char *const of_paths[] = {"waypoint_subdir", "spline_res", NULL};
    static const char *const of_random[] = {"num_scans", NULL};

    TRY(read_split(data, out));
    if (is_word(node_find(data, "split_type"), "random")) {
        s001_ignore_keys(t, data, "data", of_paths);
        return s001_put_count(out, "data.scans", node_find(data, "num_scans"));
    }
    s001_ignore_keys(t, data, "data", of_random);
    if (node_find(data, "spline_res") != NULL)
        TRY(s001_put_count(out, "data.spline_resolution", node_find(data, "spline_res")));
    return put_file(out, "data.paths", data, "waypoint_subdir", NULL);
}

enum status s001_lidar_data(struct s001 *t, const struct node *n, struct node *out)
{
    /* clang-format off */
    static const struct s001_rule rules[] = {
        {.key = "data_dir",                 .action = S001_DONE},
        {.key = "waypoint_subdir",          .action = S001_DONE},
        {.key = "split_type",               .action = S001_DONE},
        {.key = "num_scans",                .action = S001_DONE},
        {.key = "spline_res",               .action = S001_DONE},
        {.key = "num_scans_in_window",      .action = S001_COUNT, .to = "data.window"},
        {.key = "num_beams",                .action = S001_COUNT, .to = "data.beams"},
        {.key = "beam_samps",               .action = S001_COUNT, .to = "data.beam_samples"},
        {.key = "beam_length",              .action = S001_COUNT, .to = "data.beam_length"},
        {.key = "collision_samps",          .action = S001_COUNT, .to = "data.collision_samples"},
        {.key = "fine_samps",               .action = S001_COUNT, .to = "data.fine_samples"},
        {.key = "samp_distribution_factor", .action = S001_COUNT, .to = "data.distribution_factor"},
        {.key = "border_width",             .action = S001_PUT,   .to = "data.border"},
        {.key = "round_density",            .action = S001_PUT,   .to = "data.round_density"},
        {.key = "num_validation_scans",     .action = S001_COUNT, .to = "data.test_scans"},
        {.key = "clipped_lidar",            .action = S001_PUT,   .to = "data.clipped"},
        S001_LAST,
    };
    /* clang-format on */

    TRY(s001_put_word(out, "data.name", "lidar", n));
    TRY(s001_read(t, n, rules, &(struct s001_place){.path = path, .out = out}));
    TRY(put_file(out, "data.plan", n, NULL, "floor_img.png"));
    return read_places(t, n, out);
}

/* --- robots --- */

/* A robot for each file of way-points. */
static enum status count_robots(struct s001 *t, const struct node *data)
{
    const struct node *folder = node_find_path(t->root, "data.paths");
    struct waypoint_files files;

    if (folder == NULL)
        return node_fail(data, "experiment.graph: is missing; robots at random places need its "
                               "num_nodes");
    if (waypoint_files_find(&files, folder->text) != STATUS_OK) {
        waypoint_files_release(&files);
        char *message = mem_text(status_message());
        const enum status s = node_fail_key(folder, path, "waypoint_subdir", "%s", message);
        mem_free(message);
        return s;
    }
    char *count = text_format("%lld", (long long)files.count);
    const enum status s = s001_put_word(t->root, "transport.workers", count, folder);
    mem_free(count);
    waypoint_files_release(&files);
    return s;
}

enum status s001_lidar_robots(struct s001 *t, const struct node *experiment)
{
    const struct node *scaling = node_find(experiment, "scaling");
    const struct node *nodes = node_find_path(t->root, "transport.workers");

    if (scaling != NULL)
        return node_fail_key(scaling, "experiment", "scaling",
                             "is not for lidar experiments; use graph, or comm_radius in the "
                             "problems");
    if (node_find(experiment, "graph") == NULL)
        return count_robots(t, node_find(experiment, "data"));
    if (nodes->kind != NODE_SCALAR)
        return node_fail_key(nodes, "experiment.graph", "num_nodes",
                             "must be one number in lidar experiments");
    return s001_put(t->root, "data.robots", nodes, NULL);
}

/* --- problems --- */

enum status s001_lidar_batch(struct s001 *t, const struct node *n, struct node *out)
{
    static const char to[] = "output.results_batch";
    const struct node *first = node_find_path(t->root, to);

    (void)out;
    if (!t->is_lidar) {
        s001_ignore(t, "val_batch_size");
        return STATUS_OK;
    }
    if (n->kind != NODE_SCALAR)
        return node_fail_key(n, "problem_configs", "val_batch_size", "must be a number");
    if (first == NULL)
        return s001_put_count(t->root, to, n);
    return text_same_name(first->text, n->text)
               ? STATUS_OK
               : node_fail_key(n, "problem_configs", "val_batch_size",
                               "must be the same in all problems, but is %s in line %d",
                               first->text, first->line);
}

enum status s001_lidar_radio(struct s001 *t, const struct node *problem, const char *where,
                             struct node *run)
{
    const struct node *radius = node_find(problem, "comm_radius");
    const struct node *dynamic = node_find(problem, "dynamic_graph");

    if (radius == NULL && t->is_lidar && node_find(t->root, "graph") == NULL &&
        node_find(run, "graph") == NULL)
        return s001_require(problem, where, "comm_radius");
    if (radius == NULL) {
        if (dynamic != NULL)
            s001_ignore(t, "dynamic_graph");
        return STATUS_OK;
    }
    if (!t->is_lidar)
        return node_fail_key(radius, where, "comm_radius",
                             "is of lidar experiments, which have experiment.data");
    TRY(s001_put_word(run, "graph.name", "disk", radius));
    TRY(s001_put_count(run, "graph.radius", radius));
    return dynamic == NULL ? STATUS_OK : s001_put(run, "graph.moves", dynamic, NULL);
}

enum status s001_lidar_mesh_at_end(struct s001 *t, const struct node *n, struct node *out)
{
    (void)out;
    if (!t->is_lidar)
        s001_ignore(t, "mesh_only_at_end");
    if (n->kind != NODE_SCALAR || !field_to_bool(n->text, &t->mesh_at_end))
        return node_fail_key(n, "problem_configs.metrics_config", "mesh_only_at_end",
                             "must be true or false");
    return STATUS_OK;
}

/* Where problems differ, the files of all have all maps. */
enum status s001_lidar_mesh(struct s001 *t, struct node *run)
{
    static const char to[] = "output.results_maps";
    const struct node *mesh = t->mesh;
    const bool at_end = t->mesh_at_end;

    t->mesh = NULL;
    t->mesh_at_end = false;
    if (!t->is_lidar)
        return STATUS_OK;
    if (mesh == NULL)
        return node_find_path(run, "train.maps") != NULL ||
                       node_find_path(t->root, "train.maps") != NULL
                   ? STATUS_OK
                   : s001_put_word(run, "train.maps", "0", run);
    if (!at_end && node_find_path(run, "train.maps") == NULL)
        TRY(s001_put_word(run, "train.maps", "1000000", mesh));
    if (node_find_path(t->root, to) == NULL)
        return s001_put_word(t->root, to, at_end ? "last" : "all", mesh);
    if (!at_end)
        node_put_path(t->root, to, s001_scalar("all", mesh));
    return STATUS_OK;
}
