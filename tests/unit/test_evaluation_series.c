/*
 * test_evaluation_series.c - what a run measured, read back from its files and from .npz, .pt and
 * .csv, by hand: the formats' own descriptions, not our writers, say where what must be.
 */
#include <stdlib.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/evaluation_series.h"
#include "test.h"

/* Two evaluations of two nodes, and a row of training between them. */
static const char rows[] =
    "{\"round\": 0, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, \"bytes_sent\": 0, "
    "\"seconds\": 0, \"worker\": -1, \"test_loss\": 2.5, \"test_accuracy\": 0.125}\n"
    "{\"round\": 0, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, \"bytes_sent\": 0, "
    "\"worker\": 0, \"forward_passes\": 0, \"test_loss\": 2.5, \"test_accuracy\": 0.125}\n"
    "{\"round\": 0, \"epoch\": 0, \"samples\": 0, \"gradients\": 0, \"bytes_sent\": 0, "
    "\"worker\": 1, \"forward_passes\": 0, \"test_loss\": 2.5, \"test_accuracy\": 0.125}\n"
    "{\"round\": 3, \"epoch\": 1, \"samples\": 9, \"worker\": -1, \"train_loss\": 2}\n"
    "{\"round\": 4, \"epoch\": 1.5, \"samples\": 128, \"gradients\": 8, \"bytes_sent\": 80, "
    "\"seconds\": 0.5, \"worker\": -1, \"test_loss\": 1.25, \"test_accuracy\": 0.75}\n"
    "{\"round\": 4, \"epoch\": 1.5, \"samples\": 64, \"gradients\": 4, \"bytes_sent\": 40, "
    "\"worker\": 0, \"forward_passes\": 64, \"train_loss_moving\": 1.5, \"test_loss\": 1, "
    "\"test_accuracy\": 0.5}\n"
    "{\"round\": 4, \"epoch\": 2, \"samples\": 64, \"gradients\": 4, \"bytes_sent\": 40, "
    "\"worker\": 1, \"forward_passes\": 64, \"train_loss_moving\": 1.75, \"test_loss\": null, "
    "\"test_accuracy\": 0.25}\n";
static const char distances[] =
    "{\"round\":0,\"nodes\":2,\"from_mean\":[0,0],\"from_mean_normalized\":[0,0],\"raw\":[0],"
    "\"normalized\":[0]}\n"
    "{\"round\":4,\"nodes\":2,\"from_mean\":[2,2],\"from_mean_normalized\":[0.25,0.25],\"raw\":[4],"
    "\"normalized\":[0.5]}\n";
static const char graph[] = "{\"name\": \"path\", \"nodes\": 2, \"edges\": [[0, 1]]}\n";

static char *path_in(const char *folder, const char *name)
{
    return file_join(folder, name);
}

static void put_file(const char *folder, const char *name, const char *content)
{
    char *path = path_in(folder, name);

    EXPECT_OK(file_write_text(path, content));
    mem_free(path);
}

static char *make_run(void)
{
    char *folder = mem_text("/tmp/muster_results.XXXXXX");

    EXPECT(mkdtemp(folder) != NULL);
    put_file(folder, "metrics.jsonl", rows);
    put_file(folder, "consensus.jsonl", distances);
    put_file(folder, "graph.jsonl", graph);
    return folder;
}

static void remove_run(char *folder)
{
    static const char *const names[] = {
        "metrics.jsonl", "consensus.jsonl", "graph.json", "graph.jsonl", "x.npz", "x.pt", "x.csv"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = path_in(folder, names[i]);
        EXPECT_OK(file_remove(path));
        mem_free(path);
    }
    EXPECT_INT(remove(folder), 0);
    mem_free(folder);
}

static const struct named_series *series_of(const struct evaluation_series *r, const char *name)
{
    for (int i = 0; i < r->series_count; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    EXPECT_TEXT("no such series", name);
    return &r->series[0];
}

static void test_evaluations_are_read_node_by_node(void)
{
    char *folder = make_run();
    struct evaluation_series r;

    if (EXPECT_OK(evaluation_series_read(&r, folder))) {
        EXPECT_INT(r.evaluations, 2);
        EXPECT_INT(r.nodes, 2);
        EXPECT_NEAR(series_of(&r, "round")->values[1], 4, 0);
        EXPECT_NEAR(series_of(&r, "seconds")->values[1], 0.5, 0);
        EXPECT_NEAR(series_of(&r, "forward_pass_count")->values[3], 64, 0);
        EXPECT_NEAR(series_of(&r, "current_epoch")->values[3], 2, 0);
        EXPECT_NEAR(series_of(&r, "top1_accuracy")->values[2], 0.5, 0);
        EXPECT_NEAR(series_of(&r, "validation_loss")->values[2], 1, 0);
        EXPECT(isnan(series_of(&r, "validation_loss")->values[3]));
        EXPECT(isnan(series_of(&r, "train_loss_moving_average")->values[0]));
        EXPECT_NEAR(series_of(&r, "mean_model_loss")->values[1], 1.25, 0);
        EXPECT_NEAR(series_of(&r, "consensus_error")->values[4 + 1], 0.5, 0);
        EXPECT_NEAR(series_of(&r, "consensus_error_raw")->values[4 + 2], 4, 0);
        EXPECT_NEAR(series_of(&r, "consensus_error_raw")->values[4 + 3], 0, 0);
        EXPECT_NEAR(r.edges[1], 1, 0);
        evaluation_series_release(&r);
    }
    remove_run(folder);
}

/* With many nodes only the distances from the mean are measured, from some round on or always. */
static void test_distances_between_two_nodes_may_be_missing(void)
{
    static const char first[] = "{\"round\":0,\"nodes\":2,\"from_mean\":[0,0],"
                                "\"from_mean_normalized\":[0,0],\"raw\":[3],\"normalized\":[1]}\n";
    static const char second[] = "{\"round\":4,\"nodes\":2,\"from_mean\":[2,3],"
                                 "\"from_mean_normalized\":[0.25,0.5]}\n";
    char *folder = make_run();
    char *both = text_format("%s%s", first, second);
    struct evaluation_series r;

    put_file(folder, "consensus.jsonl", second);
    if (EXPECT_OK(evaluation_series_read(&r, folder))) {
        EXPECT_NEAR(series_of(&r, "consensus_distance_raw")->values[3], 3, 0);
        EXPECT_NEAR(series_of(&r, "consensus_distance")->values[3], 0.5, 0);
        EXPECT(isnan(series_of(&r, "consensus_distance")->values[0]));
        for (int i = 0; i < r.series_count; i++)
            EXPECT(r.series[i].rank < 2);
        evaluation_series_release(&r);
    }
    put_file(folder, "consensus.jsonl", both);
    if (EXPECT_OK(evaluation_series_read(&r, folder))) {
        EXPECT_NEAR(series_of(&r, "consensus_error_raw")->values[1], 3, 0);
        EXPECT(isnan(series_of(&r, "consensus_error_raw")->values[4 + 1]));
        EXPECT_NEAR(series_of(&r, "consensus_distance_raw")->values[3], 3, 0);
        evaluation_series_release(&r);
    }
    mem_free(both);
    remove_run(folder);
}

/* Three graphs, of which the second began between the evaluations and the third after them. */
static void test_nodes_with_positions_are_where_they_were(void)
{
    static const char moving[] =
        "{\"round\": 0, \"name\": \"disk\", \"nodes\": 2, \"edges\": [[0, 1]], "
        "\"positions\": [[1, 2], [3, 4]]}\n"
        "{\"round\": 2, \"name\": \"disk\", \"nodes\": 2, \"edges\": [], "
        "\"positions\": [[1, 2], [30, 40]]}\n"
        "{\"round\": 5, \"name\": \"disk\", \"nodes\": 2, \"edges\": [[0, 1]], "
        "\"positions\": [[5, 5], [6, 6]]}\n";
    static const double places[] = {1, 2, 3, 4, 1, 2, 30, 40};
    static const double links[] = {0, 1, 1, 0, 0, 0, 0, 0};
    char *folder = make_run();
    struct evaluation_series r;

    put_file(folder, "graph.jsonl", moving);
    if (EXPECT_OK(evaluation_series_read(&r, folder))) {
        for (int i = 0; i < 8; i++) {
            EXPECT_NEAR(series_of(&r, "current_position")->values[i], places[i], 0);
            EXPECT_NEAR(series_of(&r, "current_graph")->values[i], links[i], 0);
        }
        evaluation_series_scale(&r, "validation_loss", 25);
        EXPECT_NEAR(series_of(&r, "validation_loss")->values[0], 62.5, 0);
        EXPECT_NEAR(series_of(&r, "mean_model_loss")->values[0], 2.5, 0);
        evaluation_series_release(&r);
    }
    remove_run(folder);
}

/* --- zip files --- */

static uint64_t number_at(const struct text *file, size_t at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)(uint8_t)file->data[at + (size_t)i] << 8 * i;
    return value;
}

struct found {
    const char *data;
    size_t bytes;
};

/* One entry of the central directory; answers where the next begins. */
static size_t look_at_entry(const struct text *file, size_t at, const char *name, struct found *f)
{
    const size_t length = number_at(file, at + 28, 2), local = number_at(file, at + 42, 4);
    const size_t begin =
        local + 30 + number_at(file, local + 26, 2) + number_at(file, local + 28, 2);
    const size_t bytes = number_at(file, at + 24, 4);

    EXPECT_INT(number_at(file, at, 4), 0x02014b50);
    EXPECT_INT(number_at(file, local, 4), 0x04034b50);
    EXPECT_INT(number_at(file, at + 10, 2), 0); /* stored */
    EXPECT_INT(begin % 64, 0);
    EXPECT_INT(number_at(file, at + 16, 4),
               crc32(0, (const Bytef *)file->data + begin, (uInt)bytes));
    EXPECT_INT(number_at(file, local + 14, 4), number_at(file, at + 16, 4));
    if (strlen(name) == length && strncmp(file->data + at + 46, name, length) == 0)
        *f = (struct found){.data = file->data + begin, .bytes = bytes};
    return at + 46 + length + number_at(file, at + 30, 2) + number_at(file, at + 32, 2);
}

/* Goes through the whole directory. */
static struct found entry_of(const struct text *file, const char *name)
{
    const size_t end = file->length - 22;
    size_t at = number_at(file, end + 16, 4);
    struct found f = {0};

    EXPECT_INT(number_at(file, end, 4), 0x06054b50);
    for (uint64_t i = 0; i < number_at(file, end + 10, 2); i++)
        at = look_at_entry(file, at, name, &f);
    EXPECT_INT(at, end);
    EXPECT(f.data != NULL);
    return f;
}

static void write_and_read(const char *folder, const char *name,
                           enum status (*write)(const struct evaluation_series *, const char *),
                           struct text *file)
{
    char *path = path_in(folder, name);
    struct evaluation_series r;

    if (EXPECT_OK(evaluation_series_read(&r, folder))) {
        EXPECT_OK(write(&r, path));
        EXPECT_OK(file_read(path, 1 << 20, file));
        evaluation_series_release(&r);
    }
    mem_free(path);
}

static void test_npz_holds_arrays_as_numpy_describes_them(void)
{
    static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2,), }";
    char *folder = make_run();
    struct text file = {0};
    double values[8];

    write_and_read(folder, "x.npz", evaluation_series_write_npz, &file);
    const struct found f = entry_of(&file, "consensus_error.npy");
    if (f.data != NULL) {
        EXPECT_INT(memcmp(f.data, "\x93NUMPY\x01\x00", 8), 0);
        EXPECT_INT(memcmp(f.data + 10, header, sizeof header - 1), 0);
        const size_t begin = 10 + (size_t)(uint8_t)f.data[8] + 256 * (size_t)(uint8_t)f.data[9];
        EXPECT_INT(begin % 64, 0);
        EXPECT_INT(f.data[begin - 1], '\n');
        EXPECT_INT(f.bytes - begin, sizeof values);
        memcpy(values, f.data + begin, sizeof values);
        EXPECT_NEAR(values[5], 0.5, 0);
        EXPECT_NEAR(values[6], 0.5, 0);
        EXPECT_NEAR(values[7], 0, 0);
    }
    EXPECT(entry_of(&file, "edges.npy").bytes > 128);
    text_release(&file);
    remove_run(folder);
}

static void test_pt_has_the_records_of_torch(void)
{
    char *folder = make_run();
    struct text file = {0};

    write_and_read(folder, "x.pt", evaluation_series_write_pt, &file);
    const struct found pickle = entry_of(&file, "archive/data.pkl");
    const struct found version = entry_of(&file, "archive/version");
    const struct found rounds = entry_of(&file, "archive/data/0");
    EXPECT(pickle.bytes > 2 && memcmp(pickle.data, "\x80\x02", 2) == 0);
    EXPECT(pickle.bytes > 2 && pickle.data[pickle.bytes - 1] == '.');
    EXPECT(version.bytes == 2 && memcmp(version.data, "3\n", 2) == 0);
    EXPECT(rounds.bytes == 16 && rounds.data[0] == 0 && rounds.data[8] == 4);
    text_release(&file);
    remove_run(folder);
}

static void test_csv_has_a_line_per_number(void)
{
    char *folder = make_run();
    struct text file = {0};

    write_and_read(folder, "x.csv", evaluation_series_write_csv, &file);
    EXPECT_HAS(text_get(&file), "evaluation,round,metric,node,other,value\n");
    EXPECT_HAS(text_get(&file), "\n1,4,seconds,,,0.5\n");
    EXPECT_HAS(text_get(&file), "\n1,4,top1_accuracy,1,,0.25\n");
    EXPECT_HAS(text_get(&file), "\n1,4,consensus_error_raw,0,1,4\n");
    EXPECT(strstr(text_get(&file), "consensus_error_raw,1,0") == NULL);
    EXPECT(strstr(text_get(&file), "validation_loss,1,,\n") == NULL);
    text_release(&file);
    remove_run(folder);
}

static void test_a_run_without_evaluations_is_refused(void)
{
    char *folder = make_run();
    struct evaluation_series r;

    put_file(folder, "metrics.jsonl", "{\"round\": 3, \"worker\": 0, \"train_loss\": 2}\n");
    EXPECT_FAILS(evaluation_series_read(&r, folder), STATUS_BAD_INPUT, "has not been evaluated");
    remove_run(folder);
}

static void test_the_graph_of_a_run_of_an_earlier_version_is_read(void)
{
    char *folder = make_run();
    struct evaluation_series r;
    char *path = path_in(folder, "graph.jsonl");

    EXPECT_OK(file_remove(path));
    mem_free(path);
    put_file(folder, "graph.json", graph);
    EXPECT_OK(evaluation_series_read(&r, folder));
    EXPECT_INT(r.edge_count, 1);
    EXPECT(r.edges[0] == 0 && r.edges[1] == 1);
    evaluation_series_release(&r);
    remove_run(folder);
}

TEST_MAIN(TEST(test_the_graph_of_a_run_of_an_earlier_version_is_read),
          TEST(test_evaluations_are_read_node_by_node),
          TEST(test_distances_between_two_nodes_may_be_missing),
          TEST(test_nodes_with_positions_are_where_they_were),
          TEST(test_npz_holds_arrays_as_numpy_describes_them),
          TEST(test_pt_has_the_records_of_torch), TEST(test_csv_has_a_line_per_number),
          TEST(test_a_run_without_evaluations_is_refused))
