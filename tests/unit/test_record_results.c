/*
 * test_record_results.c - result.json of a run, results.json and results.csv of a study.
 */
#include "record/result.h"
#include "record/results.h"
#include "record_case.h"

/* --- result.json --- */

static void write_result(const char *folder)
{
    char status[] = "finished", name[] = "a \"name\"";
    struct run_result r;

    result_init(&r);
    r.status = status;
    r.name = name;
    r.parameters = 1LL << 40;
    r.rounds = 900;
    r.test_accuracy = 0.1;
    r.bytes_sent = 1e15;
    r.replaced = 6;
    rundir_names_add(&r.broken, "a/1.png");
    rundir_names_add(&r.broken, "b/1.png");
    workers_init(&r.each, 2);
    r.each.items[1].counters.samples = 77;
    EXPECT_OK(result_write(folder, &r));
    rundir_names_release(&r.broken);
    workers_release(&r.each);
}

static void test_a_result_reads_back(void)
{
    char *folder = case_folder();
    struct run_result r;

    EXPECT_FAILS(result_read(folder, &r), STATUS_IO, "result.json: cannot open");
    write_result(folder);
    EXPECT_OK(result_read(folder, &r));
    EXPECT_TEXT(r.status, "finished");
    EXPECT_TEXT(r.name, "a \"name\"");
    EXPECT(r.model == NULL);
    EXPECT_INT(r.parameters, 1LL << 40);
    EXPECT_INT(r.threads, -1);
    EXPECT(r.test_accuracy == 0.1 && isnan(r.test_loss) && isnan(r.consensus_error));
    EXPECT(result_number(&r, "rounds") == 900 && result_number(&r, "bytes_sent") == 1e15);
    EXPECT(isnan(result_number(&r, "threads")) && isnan(result_number(&r, "status")));
    EXPECT(r.replaced == 6);
    EXPECT_INT(r.broken.count, 2);
    EXPECT_TEXT(r.broken.items[1], "b/1.png");
    EXPECT_INT(r.each.count, 2);
    EXPECT(r.each.items[1].counters.samples == 77);
    result_release(&r);
    result_release(&r);
    case_free(folder);
}

static void test_what_is_not_known_is_null_and_what_does_not_apply_is_left_out(void)
{
    struct text out = {0};
    struct run_result r;

    result_init(&r);
    result_add_json(&r, &out);
    EXPECT_HAS(text_get(&out), "{\"version\": 1, \"status\": null,");
    EXPECT_HAS(text_get(&out), "\"parameters\": null");
    EXPECT_HAS(text_get(&out), "\"test_loss\": null");
    EXPECT(strstr(text_get(&out), "consensus_error") == NULL);
    EXPECT(strstr(text_get(&out), "each") == NULL);
    text_release(&out);
}

static void test_a_renamed_result_keeps_keys_that_are_not_known(void)
{
    char *folder = case_folder();

    EXPECT_OK(result_rename(folder, "x", "y"));
    EXPECT_OK(file_write_in(folder, "result.json",
                            "{\"name\": \"old\", \"later\": [1, 0.1], \"rounds\": 3}"));
    EXPECT_OK(result_rename(folder, "new", "in/new"));
    char *content = case_read(folder, "result.json");
    EXPECT_TEXT(content, "{\"name\": \"new\", \"later\": [1, 0.10000000000000001], \"rounds\": 3, "
                         "\"run_dir\": \"in/new\"}");
    mem_free(content);
    case_free(folder);
}

static void read_result(const char *folder)
{
    struct run_result r;

    (void)result_read(folder, &r);
    result_release(&r);
}

static void test_a_result_is_read_however_it_is_damaged(void)
{
    char *folder = case_folder();

    write_result(folder);
    case_damage(folder, "result.json", read_result);
    case_free(folder);
}

/* --- results.json --- */

static void fill_results(struct results *r)
{
    *r = (struct results){
        .name = "study",
        .cases = MEM_NEW_N(struct results_case, 2),
        .runs = MEM_NEW_N(struct results_run, 1),
        .claims = MEM_NEW_N(struct results_claim, 1),
        .case_count = 2,
        .run_count = 1,
        .claim_count = 1,
    };
    for (int i = 0; i < 2; i++) {
        r->cases[i] = (struct results_case){.run = i == 0 ? "sync" : "a, b", .seeds = 3};
        r->cases[i].values = (struct results_values){MEM_NEW_N(struct results_value, 1), 1};
        r->cases[i].values.items[0] = (struct results_value){i == 0 ? "momentum" : "lr", "0.9"};
        for (int n = 0; n < RESULT_NUMBERS; n++)
            r->cases[i].numbers[n] =
                (struct mean_deviation){(double)NAN, (double)NAN, (double)NAN, 0};
    }
    r->cases[0].numbers[RESULT_ACCURACY] = (struct mean_deviation){0.5, 0.25, 0.75, 3};
    r->cases[1].failed = 1;
    r->runs[0] = (struct results_run){.name = "sync_seed=1", .seed = "1", .status = "finished"};
    r->runs[0].numbers[RESULT_ROUNDS] = 12;
    r->claims[0] = (struct results_claim){.run = "sync",
                                          .number = "diverges",
                                          .low = (double)NAN,
                                          .high = (double)NAN,
                                          .measured = 0.5,
                                          .verdict = "reached"};
}

static void write_results(const char *folder)
{
    struct results r;
    struct text json = {0};

    fill_results(&r);
    results_add_json(&r, &json);
    EXPECT_OK(file_write_in(folder, "results.json", text_get(&json)));
    text_release(&json);
    results_release(&r);
}

static void test_results_read_back(void)
{
    char *folder = case_folder();
    struct results r;

    EXPECT_FAILS(results_read(folder, &r), STATUS_IO, "results.json: cannot open");
    write_results(folder);
    EXPECT_OK(results_read(folder, &r));
    EXPECT_TEXT(r.name, "study");
    EXPECT(r.folder == NULL);
    EXPECT(r.case_count == 2 && r.run_count == 1 && r.claim_count == 1);
    EXPECT_TEXT(r.cases[1].run, "a, b");
    EXPECT_TEXT(results_find_value(&r.cases[1].values, "lr"), "0.9");
    EXPECT(results_find_value(&r.cases[1].values, "momentum") == NULL);
    EXPECT(r.cases[0].numbers[RESULT_ACCURACY].deviation == 0.25);
    EXPECT(r.cases[0].numbers[RESULT_ACCURACY].half_width == 0.75);
    EXPECT(isnan(r.cases[1].numbers[RESULT_ACCURACY].half_width));
    EXPECT(isnan(r.cases[0].numbers[RESULT_TEST_LOSS].mean));
    EXPECT_INT(r.cases[1].failed, 1);
    EXPECT_TEXT(r.runs[0].name, "sync_seed=1");
    EXPECT(r.runs[0].numbers[RESULT_ROUNDS] == 12 && r.runs[0].run_dir == NULL);
    EXPECT_TEXT(r.claims[0].verdict, "reached");
    EXPECT(isnan(r.claims[0].low) && r.claims[0].measured == 0.5);
    results_release(&r);
    case_free(folder);
}

static void test_results_of_earlier_versions_are_read(void)
{
    char *folder = case_folder();
    struct results r;

    EXPECT_OK(file_write_in(
        folder, "results.json",
        "{\"name\": \"s\", \"rows\": [{\"run\": null, \"values\": {\"lr\": \"1\"}, \"seeds\": 2, "
        "\"test_loss\": 1.5, \"test_loss_spread\": 0.5}], \"cells\": [{\"name\": \"lr=1\"}]}"));
    EXPECT_OK(results_read(folder, &r));
    EXPECT(r.case_count == 1 && r.run_count == 1);
    EXPECT(r.cases[0].numbers[RESULT_TEST_LOSS].mean == 1.5);
    EXPECT(r.cases[0].numbers[RESULT_TEST_LOSS].deviation == 0.5);
    EXPECT_NEAR(r.cases[0].numbers[RESULT_TEST_LOSS].half_width, 0.5 * 12.706204736432095 / sqrt(2),
                1e-9); /* t of two seeds */
    EXPECT(isnan(r.cases[0].numbers[RESULT_ACCURACY].half_width));
    EXPECT_TEXT(r.runs[0].name, "lr=1");
    results_release(&r);
    case_free(folder);
}

static void test_the_csv_has_a_column_for_each_key_and_quotes_commas(void)
{
    struct results r;
    struct text csv = {0};

    fill_results(&r);
    results_add_csv(&r, &csv);
    EXPECT_HAS(text_get(&csv), "run,momentum,lr,seeds,failed,accuracy,accuracy_deviation,"
                               "accuracy_half_width,test_accuracy_min,");
    EXPECT_HAS(text_get(&csv), "\nsync,0.9,,3,0,0.5,0.25,0.75,,");
    EXPECT_HAS(text_get(&csv), "\n\"a, b\",,0.9,3,1,,,");
    text_release(&csv);
    results_release(&r);
}

static void read_results(const char *folder)
{
    struct results r;

    (void)results_read(folder, &r);
    results_release(&r);
}

static void test_results_are_read_however_they_are_damaged(void)
{
    char *folder = case_folder();

    write_results(folder);
    case_damage(folder, "results.json", read_results);
    case_free(folder);
}

TEST_MAIN(TEST(test_a_result_reads_back),
          TEST(test_what_is_not_known_is_null_and_what_does_not_apply_is_left_out),
          TEST(test_a_renamed_result_keeps_keys_that_are_not_known),
          TEST(test_a_result_is_read_however_it_is_damaged), TEST(test_results_read_back),
          TEST(test_results_of_earlier_versions_are_read),
          TEST(test_the_csv_has_a_column_for_each_key_and_quotes_commas),
          TEST(test_results_are_read_however_they_are_damaged))
