/*
 * test_rundir.c - the folders of an experiment: made, found again, swept; environment.json.
 */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/latest_run.h"
#include "record/rundir.h"
#include "test.h"

/* Every test works in a fresh folder of its own, which stays the current one. */
static void enter_new_folder(void)
{
    char folder[] = "/tmp/muster_rundir.XXXXXX";

    EXPECT(mkdtemp(folder) != NULL);
    EXPECT_INT(chdir(folder), 0);
}

static void leave_folder(void)
{
    char folder[PATH_MAX], command[PATH_MAX + 16];

    EXPECT(getcwd(folder, sizeof folder) != NULL);
    EXPECT_INT(chdir("/"), 0);
    EXPECT(strncmp(folder, "/tmp/muster_rundir.", 19) == 0);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    EXPECT_INT(system(command), 0);
}

static void make_run(const char *experiment, const char *name)
{
    char *run = NULL;

    EXPECT_OK(rundir_make_run(experiment, name, &run));
    mem_free(run);
}

static void test_a_folder_is_named_by_date_time_and_name(void)
{
    char *folder = NULL;

    enter_new_folder();
    EXPECT_OK(rundir_make(NULL, "lenet5", &folder));
    EXPECT(file_is_folder(folder));
    EXPECT_INT(strlen(folder), strlen("runs/2026-01-31_23-59-59_lenet5"));
    EXPECT(strncmp(folder, "runs/20", 7) == 0);
    EXPECT_TEXT(folder + strlen("runs/2026-01-31_23-59-59"), "_lenet5");
    EXPECT(folder[9] == '-' && folder[12] == '-' && folder[15] == '_' && folder[18] == '-');
    mem_free(folder);
    leave_folder();
}

static void test_folders_of_the_same_second_get_numbers(void)
{
    char *folders[20];

    enter_new_folder();
    for (int i = 0; i < 20; i++)
        EXPECT_OK(rundir_make(NULL, "a", &folders[i]));
    for (int i = 0; i < 20; i++) {
        EXPECT(file_is_folder(folders[i]));
        for (int k = 0; k < i; k++)
            EXPECT(strcmp(folders[i], folders[k]) != 0);
    }
    /* Twenty are made in far less than a second, so at least two fall into the same one. */
    bool numbered = false;
    for (int i = 0; i < 20; i++) {
        numbered = numbered || strcmp(folders[i] + strlen(folders[i]) - 4, "_a_2") == 0;
        mem_free(folders[i]);
    }
    EXPECT(numbered);
    leave_folder();
}

static void expect_run_name(const char *given, const char *expected)
{
    char *run = NULL, *wanted = file_join("e", expected);

    EXPECT_OK(rundir_make_run("e", given, &run));
    EXPECT_TEXT(run, wanted);
    mem_free(wanted);
    wanted = file_join(run, "checkpoints");
    EXPECT(file_is_folder(wanted));
    mem_free(wanted);
    mem_free(run);
}

static void test_a_name_is_made_safe_for_a_file(void)
{
    char many[301] = {0};

    enter_new_folder();
    expect_run_name("lenet5_seed=1,lr=0.005", "lenet5_seed=1,lr=0.005");
    expect_run_name("../../etc/passwd", "etc-passwd");
    expect_run_name("a b\tc", "a-b-c");
    expect_run_name("..", "run");
    expect_run_name("", "run");
    expect_run_name("--rm", "rm");
    expect_run_name("gr\303\266\303\237e", "größe");
    expect_run_name("a$(reboot)`'\"*?", "a-reboot-");
    memset(many, 'x', 300);
    char *run = NULL;
    EXPECT_OK(rundir_make_run("e", many, &run));
    EXPECT_INT(strlen(run), 2 + 80);
    mem_free(run);
    leave_folder();
}

static void test_the_given_folder_must_be_new_or_empty(void)
{
    char *folder = NULL;

    enter_new_folder();
    EXPECT_OK(rundir_make("a/b/c", "x", &folder));
    EXPECT_TEXT(folder, "a/b/c");
    mem_free(folder);
    EXPECT_OK(rundir_make("a/b/c", "x", &folder)); /* still empty */
    mem_free(folder);
    EXPECT_OK(file_write_text("a/b/c/file", "x"));
    EXPECT_FAILS(rundir_make("a/b/c", "x", &folder), STATUS_BAD_INPUT, "a/b/c: is not empty");
    EXPECT(folder == NULL);
    EXPECT_FAILS(rundir_make("a/b/c/file", "x", &folder), STATUS_BAD_INPUT,
                 "a/b/c/file: is a file");
    leave_folder();
}

static void expect_found(const char *path, const char *run, const char *experiment)
{
    char *found = NULL, *above = NULL;

    if (EXPECT_OK(rundir_find(path, &found, &above))) {
        EXPECT_TEXT(found, run);
        EXPECT_TEXT(above, experiment);
    }
    mem_free(found);
    mem_free(above);
}

static void test_a_run_is_found_by_its_folder_or_the_one_above(void)
{
    enter_new_folder();
    make_run("runs/x", "lenet5");
    EXPECT_OK(file_write_text("runs/x/effective.yaml", "seed: 1\n"));
    EXPECT_OK(file_make_folders("runs/x/plots"));
    expect_found("runs/x", "runs/x/lenet5", "runs/x");
    expect_found("runs/x///", "runs/x/lenet5", "runs/x");
    expect_found("runs/x/lenet5", "runs/x/lenet5", "runs/x");
    expect_found("runs/x/lenet5/", "runs/x/lenet5", "runs/x");
    EXPECT_INT(chdir("runs/x"), 0);
    expect_found("lenet5", "lenet5", ".");
    expect_found(".", "./lenet5", ".");
    EXPECT_INT(chdir("lenet5"), 0);
    expect_found(".", ".", "./..");
    EXPECT_INT(chdir("../../.."), 0);
    leave_folder();
}

static void test_what_is_not_one_run_is_an_error_that_says_what_would_be(void)
{
    char *run = NULL, *experiment = NULL;

    enter_new_folder();
    EXPECT_FAILS(rundir_find("runs/no", &run, &experiment), STATUS_BAD_INPUT,
                 "runs/no: there is no such run");
    make_run("runs/2026-01-01_x", "b");
    make_run("runs/2026-01-01_x", "a");
    EXPECT_OK(file_write_text("runs/2026-01-01_x/effective.yaml", "seed: 1\n"));
    EXPECT_FAILS(rundir_find("runs/2026-01-01_x", &run, &experiment), STATUS_BAD_INPUT,
                 "runs/2026-01-01_x: has 2 runs; name one of them, as in runs/2026-01-01_x/a: "
                 "a, b");
    EXPECT_FAILS(rundir_find("runs/2026-01-01_x/effective.yaml", &run, &experiment),
                 STATUS_BAD_INPUT, "is a file; a run is a folder");
    EXPECT_FAILS(rundir_find("runs/", &run, &experiment), STATUS_BAD_INPUT,
                 "runs: holds experiments, not runs; name one, as in runs/2026-01-01_x");
    EXPECT_OK(file_make_folders("empty"));
    EXPECT_FAILS(rundir_find("empty", &run, &experiment), STATUS_BAD_INPUT,
                 "empty: is neither a run nor a folder of runs");
    EXPECT(run == NULL && experiment == NULL);
    leave_folder();
}

static void test_sweeping_removes_half_written_files_and_nothing_else(void)
{
    static const char *const kept[] = {"mine.tmp", "a.12x.tmp", "12.tmp", ".12.tmp", "a.12.tmp2"};

    enter_new_folder();
    EXPECT_OK(file_write_text("last.safetensors.4711.tmp", "half"));
    EXPECT_OK(file_make_folders("folder.1.tmp"));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        EXPECT_OK(file_write_text(kept[i], "x"));
    rundir_sweep(".");
    rundir_sweep("no such folder");
    EXPECT(!file_exists("last.safetensors.4711.tmp"));
    EXPECT(file_exists("folder.1.tmp"));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        EXPECT(file_exists(kept[i]));
    leave_folder();
}

static const char *text_at(const json_t *map, const char *key)
{
    return json_string_value(json_object_get(map, key));
}

static void expect_date(const char *date)
{
    int year, month, day, hour, minute, second, zone_hour, zone_minute;
    char sign;

    EXPECT_INT(strlen(date), strlen("2026-01-31T23:59:59+01:00"));
    EXPECT_INT(sscanf(date, "%d-%d-%dT%d:%d:%d%c%d:%d", &year, &month, &day, &hour, &minute,
                      &second, &sign, &zone_hour, &zone_minute),
               9);
    EXPECT(year > 2020 && (sign == '+' || sign == '-'));
}

static void test_the_environment_says_what_made_the_run(void)
{
    char *arguments[] = {(char[]){"muster"}, (char[]){"train"}, (char[]){"--out=a \"b\""}};
    const struct rundir_environment e = {.isa = "avx2", .threads = 2, .argc = 3, .argv = arguments};
    char host[256] = "";

    enter_new_folder();
    EXPECT_OK(rundir_write_environment(".", &e));
    json_t *root = json_load_file("environment.json", JSON_REJECT_DUPLICATES, NULL);
    const json_t *machine = json_object_get(root, "machine");
    const json_t *build = json_object_get(root, "build");

    EXPECT(root != NULL);
    EXPECT_HAS(text_at(root, "version"), ".");
    EXPECT_TEXT(text_at(root, "isa"), "avx2");
    EXPECT_INT(json_integer_value(json_object_get(root, "threads")), 2);
    EXPECT_INT(gethostname(host, sizeof host - 1), 0);
    EXPECT_TEXT(text_at(machine, "host"), host);
    EXPECT_HAS(text_at(machine, "kernel"), "Linux ");
    EXPECT(text_at(machine, "cpu") != NULL && strlen(text_at(machine, "cpu")) > 0);
    EXPECT_INT(json_integer_value(json_object_get(machine, "cores")),
               sysconf(_SC_NPROCESSORS_ONLN));
    EXPECT(json_integer_value(json_object_get(machine, "usable_cores")) >= 1);
    EXPECT(json_integer_value(json_object_get(machine, "memory_bytes")) > 1 << 26);
    EXPECT(strncmp(text_at(build, "compiler"), "gcc ", 4) == 0 ||
           strncmp(text_at(build, "compiler"), "clang ", 6) == 0);
    EXPECT(text_at(build, "flags") != NULL && text_at(build, "type") != NULL);
    expect_date(text_at(root, "date"));
    EXPECT_INT(json_array_size(json_object_get(root, "command_line")), 3);
    EXPECT_TEXT(json_string_value(json_array_get(json_object_get(root, "command_line"), 2)),
                "--out=a \"b\"");
    json_decref(root);
    leave_folder();
}

static void test_latest_points_to_the_newest_folder(void)
{
    char *first = NULL, *second = NULL, *found = NULL;

    enter_new_folder();
    EXPECT_FAILS(latest_run_find("runs", &found), STATUS_BAD_INPUT, "runs/latest does not exist");
    EXPECT_OK(rundir_make(NULL, "a", &first));
    EXPECT_OK(rundir_make(NULL, "b", &second));
    EXPECT_OK(latest_run_find("runs", &found));
    EXPECT_TEXT(found, second);
    mem_free(found);
    EXPECT_INT(rmdir(second), 0);
    EXPECT_FAILS(latest_run_find("runs", &found), STATUS_BAD_INPUT, "which does not exist");
    EXPECT(found == NULL);
    mem_free(first);
    mem_free(second);
    leave_folder();
}

static void test_latest_replaces_no_file_and_no_folder(void)
{
    char *folder = NULL;
    struct text kept = {0};

    enter_new_folder();
    EXPECT_OK(file_make_folders("runs/latest"));
    EXPECT_OK(rundir_make(NULL, "a", &folder));
    EXPECT(rmdir("runs/latest") == 0); /* still an empty folder, and no link */
    mem_free(folder);
    EXPECT_OK(file_write_text("runs/latest", "mine"));
    EXPECT_OK(rundir_make(NULL, "a", &folder));
    EXPECT_OK(file_read("runs/latest", 100, &kept));
    EXPECT_TEXT(text_get(&kept), "mine");
    text_release(&kept);
    mem_free(folder);
    leave_folder();
}

/* A new run in --out is nobody's latest. */
static void test_a_given_folder_makes_no_link(void)
{
    char *folder = NULL;

    enter_new_folder();
    EXPECT_OK(rundir_make("mine/a", "a", &folder));
    EXPECT(!file_exists("mine/latest") && !file_exists("runs"));
    mem_free(folder);
    leave_folder();
}

TEST_MAIN(TEST(test_latest_points_to_the_newest_folder),
          TEST(test_latest_replaces_no_file_and_no_folder), TEST(test_a_given_folder_makes_no_link),
          TEST(test_a_folder_is_named_by_date_time_and_name),
          TEST(test_folders_of_the_same_second_get_numbers),
          TEST(test_a_name_is_made_safe_for_a_file),
          TEST(test_the_given_folder_must_be_new_or_empty),
          TEST(test_a_run_is_found_by_its_folder_or_the_one_above),
          TEST(test_what_is_not_one_run_is_an_error_that_says_what_would_be),
          TEST(test_sweeping_removes_half_written_files_and_nothing_else),
          TEST(test_the_environment_says_what_made_the_run))
