/*
 * test_s001_lidar.c - the density experiments of S001's layout: which key goes where, how many
 * robots there are, and what is wrong with a file.
 */
#include <sys/stat.h>

#include "s001_case.h"
#include "scratch.h"

#define DATA  "data_dir: floor/, waypoint_subdir: tight, split_type: trajectory"
#define WHEEL "  graph: {num_nodes: 6, type: wheel}\n"
#define RADIO                                                                    \
    "problem_configs:\n  p1:\n    train_batch_size: 64\n    comm_radius: 1500\n" \
    "    optimizer_config: {alg_name: dsgt, alpha: 0.01, outer_iterations: 30}\n"

static void test_an_offline_experiment_has_the_robots_of_its_graph(void)
{
    expect_becomes("experiment:\n"
                   "  use_cuda: true\n"
                   "  data: {" DATA ", num_beams: 10, beam_samps: 11, beam_length: 0.3, "
                   "clipped_lidar: False, collision_samps: 12, fine_samps: 4, "
                   "samp_distribution_factor: 0.5, border_width: 9, round_density: True, "
                   "num_scans: 7, spline_res: 8, num_validation_scans: 13}\n"
                   "  loss: BCE\n" WHEEL "  model: {shape: [2, 256, 64, 1], scale: 0.01}\n" PROBLEM
                   "    val_batch_size: 10000\n"
                   "    metrics: [mesh_grid_density]\n"
                   "    dynamic_graph: false\n",
                   "data: {name: lidar, beams: 10, beam_samples: 11, beam_length: 0.3, "
                   "clipped: False, collision_samples: 12, fine_samples: 4, "
                   "distribution_factor: 0.5, border: 9, round_density: True, test_scans: 13, "
                   "plan: floor/floor_img.png, split: trajectory, spline_resolution: 8, "
                   "paths: floor/tight, robots: 6}\n"
                   "problem: {loss: bce}\n"
                   "transport: {workers: 6}\n"
                   "graph: {name: wheel}\n"
                   "model: {name: fourier_density, shape: [2, 256, 64, 1], scale: 0.01}\n"
                   "output: {results: named, results_batch: 10000, results_maps: all}\n"
                   "runs:\n"
                   "  p1:\n"
                   "    train: {batch_size: 64, max_steps: 30, maps: 1000000}\n"
                   "    algorithm: {name: dsgt, alpha: 0.01}\n",
                   "use_cuda, data.num_scans, dynamic_graph");
}

/* Three files of way-points, and one that is none. */
static void test_an_online_experiment_has_a_robot_per_path(void)
{
    static const char *const names[] = {"tight/1.npy", "tight/2.npy", "tight/3.txt", "tight/notes"};
    char *folder = scratch_new(), *paths = file_join(folder, "tight");

    EXPECT_INT(mkdir(paths, 0700), 0);
    for (int i = 0; i < 4; i++) {
        char *file = file_join(folder, names[i]);
        EXPECT_OK(file_write_text(file, ""));
        mem_free(file);
    }
    char *given = text_format("experiment:\n  data: {data_dir: %s, waypoint_subdir: tight, "
                              "split_type: trajectory, num_scans_in_window: 800}\n" RADIO
                              "    dynamic_graph: False\n"
                              "    metrics: [mesh_grid_density]\n"
                              "    metrics_config: {mesh_only_at_end: True}\n",
                              folder);
    char *expected = text_format("data: {name: lidar, window: 800, plan: %s/floor_img.png, "
                                 "split: online, paths: %s}\n"
                                 "transport: {workers: 3}\n"
                                 "model: {name: fourier_density}\n"
                                 "output: {results: named, results_maps: last}\n"
                                 "runs:\n  p1:\n"
                                 "    train: {batch_size: 64, max_steps: 30}\n"
                                 "    algorithm: {name: dsgt, alpha: 0.01}\n"
                                 "    graph: {name: disk, radius: 1500, moves: False}\n",
                                 folder, paths);
    expect_becomes(given, expected, "");
    mem_free(given);
    mem_free(expected);
    mem_free(paths);
    scratch_remove(folder);
}

static void test_random_places_need_no_paths(void)
{
    expect_becomes("experiment:\n  data: {data_dir: floor, waypoint_subdir: tight, "
                   "split_type: random, num_scans: 50, spline_res: 3}\n" WHEEL PROBLEM,
                   "data: {name: lidar, plan: floor/floor_img.png, split: random, scans: 50, "
                   "robots: 6}\n"
                   "transport: {workers: 6}\n"
                   "graph: {name: wheel}\n"
                   "model: {name: fourier_density}\n"
                   "output: {results: named}\n"
                   "runs:\n  p1:\n"
                   "    train: {batch_size: 64, max_steps: 30, maps: 0}\n"
                   "    algorithm: {name: dsgt, alpha: 0.01}\n",
                   "data.waypoint_subdir, data.spline_res");
}

static void test_mistakes_have_their_place(void)
{
#define HEAD "experiment:\n  data: {"
    refused(HEAD "waypoint_subdir: tight, split_type: trajectory}\n" WHEEL PROBLEM,
            "f.yaml:2:3: experiment.data.data_dir: is missing");
    refused(HEAD "data_dir: floor, split_type: trajectory}\n" WHEEL PROBLEM,
            "f.yaml:2:3: experiment.data.waypoint_subdir: is missing");
    refused(HEAD "data_dir: [a, b], split_type: trajectory}\n" WHEEL PROBLEM,
            "experiment.data.data_dir: must be a text");
    refused(HEAD "data_dir: a, split_type: hetero}\n" WHEEL PROBLEM,
            "experiment.data.split_type: \"hetero\" is neither random nor trajectory");
    refused(HEAD "data_dir: a, split_type: random}\n" WHEEL PROBLEM,
            "experiment.data.num_scans: is missing");
    refused(
        HEAD
        "data_dir: a, split_type: random, num_scans: 5, num_scans_in_window: 5}\n" WHEEL PROBLEM,
        "experiment.data.num_scans_in_window: windows are along a path");
    refused(HEAD DATA ", num_beam: 5}\n" WHEEL PROBLEM,
            "experiment.data.num_beam: unknown key; did you mean num_beams?");
    refused(HEAD DATA ", num_beams: 0}\n" WHEEL PROBLEM,
            "experiment.data.num_beams: 0 is not above 0");
    refused(HEAD DATA "}\n  model: {num_filters: 3}\n" WHEEL PROBLEM,
            "f.yaml:3:11: experiment.model.num_filters: unknown key");
    refused(HEAD DATA "}\n" WHEEL PROBLEM "    metrics: [top1_accuracy]\n",
            "unknown metric \"top1_accuracy\"");
}

static void test_mistakes_about_robots_have_their_place(void)
{
    refused(HEAD "data_dir: /no/such, waypoint_subdir: tight, split_type: trajectory}\n" RADIO,
            "experiment.data.waypoint_subdir: /no/such/tight: cannot read the folder");
    refused(HEAD "data_dir: a, split_type: random, num_scans: 5}\n" RADIO,
            "experiment.graph: is missing; robots at random places need its num_nodes");
    refused(HEAD DATA "}\n  graph: {num_nodes: [5, 6], type: wheel}\n" PROBLEM,
            "experiment.graph.num_nodes: must be one number in lidar experiments");
    refused(HEAD DATA "}\n" WHEEL RADIO, "comm_radius: is given twice");
    refused(HEAD DATA "}\n  scaling: {const: fiedler, min_N: 4, max_N: 8, target_fied: 1, "
                      "num_trials: 3}\n" PROBLEM,
            "experiment.scaling: is not for lidar experiments");
    refused(HEAD DATA "}\n" WHEEL PROBLEM "    val_batch_size: 10\n"
                      "  p2: {train_batch_size: 5, val_batch_size: 20, optimizer_config: "
                      "{alg_name: dsgt, alpha: 1, outer_iterations: 3}}\n",
            "val_batch_size: must be the same in all problems, but is 10 in line 8");
}

TEST_MAIN(TEST(test_an_offline_experiment_has_the_robots_of_its_graph),
          TEST(test_an_online_experiment_has_a_robot_per_path),
          TEST(test_random_places_need_no_paths), TEST(test_mistakes_have_their_place),
          TEST(test_mistakes_about_robots_have_their_place))
