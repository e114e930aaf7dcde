/*
 * test_flags.c - the command line: every form of flag, where it leads, and what is refused.
 */
#include "conf/flags.h"
#include "test.h"

struct opts {
    double lr, beta1;
    int64_t max_iter;
    bool nesterov;
};

static const struct field sgd_fields[] = {
    FIELD_REAL(struct opts, lr, 0.1, 0, 10, "step size"),
    FIELD_BOOL(struct opts, nesterov, false, "look ahead"),
    FIELD_LAST,
};
static const struct field adam_fields[] = {
    FIELD_REAL(struct opts, lr, 0.001, 0, 10, "step size"),
    FIELD_REAL(struct opts, beta1, 0.9, 0, 1, "decay of the mean"),
    FIELD_INT(struct opts, max_iter, 4, 1, 100, "inner steps"),
    FIELD_LAST,
};
static const struct field step_fields[] = {
    FIELD_REAL(struct opts, beta1, 0.5, 0, 1, "factor"),
    FIELD_LAST,
};

static const struct entry sgd = {.name = "sgd",
                                 .summary = "plain steps",
                                 .fields = sgd_fields,
                                 .options_size = sizeof(struct opts)};
static const struct entry adam = {.name = "adam",
                                  .summary = "moments",
                                  .fields = adam_fields,
                                  .options_size = sizeof(struct opts)};
static const struct entry none = {
    .name = "none", .summary = "nothing", .fields = NULL, .options_size = 0};
static const struct entry step = {.name = "step",
                                  .summary = "falls in steps",
                                  .fields = step_fields,
                                  .options_size = sizeof(struct opts)};
static const struct entry *const optims[] = {&sgd, &adam, &none, NULL};
static const struct entry *const schedules[] = {&none, &step, NULL};
static const struct registry optim_family = {"optimizer", "optimizer", optims};
static const struct registry schedule_family = {"schedule", "schedule", schedules};

/* An algorithm whose option is itself a choice. */
struct local_opts {
    int64_t period;
    struct choice outer;
};

static const struct field local_fields[] = {
    FIELD_INT(struct local_opts, period, 16, 1, 100, "rounds between two averages"),
    FIELD_SECTION(struct local_opts, outer, NULL, &optim_family, "what steps at an average"),
    FIELD_LAST,
};
static const struct entry local = {.name = "local-sgd",
                                   .summary = "averages",
                                   .fields = local_fields,
                                   .options_size = sizeof(struct local_opts)};
static const struct entry *const algorithms[] = {&local, NULL};
static const struct registry algorithm_family = {"algorithm", "algorithm", algorithms};
static const struct registry *const families[] = {&optim_family, &schedule_family,
                                                  &algorithm_family, NULL};

static const struct flag table[] = {
    {"epochs",     "train.epochs", "N", "passes over the data", "Training"},
    {"batch-size",         "train.batch_size", "N", "samples per step", NULL},
    {"optimizer",  "optimizer", "NAME", "the optimiser", NULL},
    {"lr", "optimizer.lr", "X", "step size", NULL},
    {"shuffle",         "train.shuffle", NULL, "random order", NULL},
    {"out",        NULL, "DIR", "where results go", "Output"},
    {"resume",  NULL, "[RUN]", "go on", NULL},
    {"quiet",      NULL, NULL, "say less", NULL},
    {"no-save",        NULL, NULL, "keep no model", NULL},
    {0        },
};

static const struct flags_spec spec = {
    .command = "train",
    .usage = "muster train [options]",
    .intro = "Trains one network.",
    .examples = "muster train --lr 0.1\nmuster train --quiet\n",
    .flags = table,
    .registries = families,
};

enum { WORDS_MAX = 16 };

/* Splits a command line at spaces (the buffer is changed) and parses it. */
static enum status parse_with(struct flags *f, const struct flags_spec *s, char *line)
{
    static char command[] = "train";
    char *argv[WORDS_MAX + 1] = {command};
    int argc = 1;

    for (char *word = line; word != NULL && *word != '\0' && argc < WORDS_MAX;) {
        char *space = strchr(word, ' ');

        argv[argc++] = word;
        if (space != NULL)
            *space++ = '\0';
        word = space;
    }
    return flags_parse(f, s, argc, argv);
}

static void accepted(struct flags *f, const char *line)
{
    char buffer[256];

    flags_release(f);
    snprintf(buffer, sizeof buffer, "%s", line);
    EXPECT_OK(parse_with(f, &spec, buffer));
}

static void refused(const char *line, const char *message)
{
    struct flags f = {0};
    char buffer[256];

    snprintf(buffer, sizeof buffer, "%s", line);
    EXPECT_INT(parse_with(&f, &spec, buffer), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), message);
    EXPECT(f.tree == NULL);
    flags_release(&f);
}

static void expect_at(const struct flags *f, const char *path, const char *text, const char *origin)
{
    const struct node *n = f->tree == NULL ? NULL : node_find_path(f->tree, path);

    if (!EXPECT(n != NULL))
        return;
    EXPECT_TEXT(n->text, text);
    EXPECT_TEXT(n->origin, origin);
    EXPECT_INT(n->line, 0);
}

static void test_values_follow_or_stand_behind_an_equals_sign(void)
{
    struct flags f = {0};

    accepted(&f, "--epochs 3 --batch-size=64 --lr -1");
    expect_at(&f, "train.epochs", "3", "--epochs");
    expect_at(&f, "train.batch_size", "64", "--batch-size");
    expect_at(&f, "optimizer.lr", "-1", "--lr");
    accepted(&f, "--batch_size 8 --out=a=b");
    expect_at(&f, "train.batch_size", "8", "--batch_size");
    EXPECT_TEXT(flags_value(&f, "out"), "a=b");
    accepted(&f, "--lr=");
    expect_at(&f, "optimizer.lr", "", "--lr");
    accepted(&f, "--out -");
    EXPECT_TEXT(flags_value(&f, "out"), "-");
    accepted(&f, "--out=--strange");
    EXPECT_TEXT(flags_value(&f, "out"), "--strange");
    accepted(&f, "");
    EXPECT_INT(f.tree->count, 0);
    EXPECT(!f.help);
    flags_release(&f);
}

static void test_switches_take_no_value_but_truth(void)
{
    struct flags f = {0};

    accepted(&f, "--quiet --no-save=no --shuffle=off");
    EXPECT(flags_has(&f, "quiet"));
    EXPECT_TEXT(flags_value(&f, "quiet"), "true");
    EXPECT(!flags_has(&f, "no_save"));
    EXPECT(flags_value(&f, "no-save") == NULL);
    EXPECT(!flags_has(&f, "out"));
    EXPECT(flags_value(&f, "out") == NULL);
    expect_at(&f, "train.shuffle", "false", "--shuffle");
    accepted(&f, "--no_save --shuffle");
    EXPECT(flags_has(&f, "no-save"));
    expect_at(&f, "train.shuffle", "true", "--shuffle");
    accepted(&f, "--out false");
    EXPECT(flags_has(&f, "out"));
    flags_release(&f);
    refused("--quiet=3", "--quiet is a switch and takes no value; 3 is not true or false");
    refused("--quiet=", "--quiet is a switch and takes no value; \"\" is not true or false");
}

static void test_unknown_flags_bring_suggestions(void)
{
    refused("--epcohs 3", "unknown flag --epcohs of muster train; did you mean --epochs?");
    refused("--epcohs=3", "unknown flag --epcohs of muster train; did you mean --epochs?");
    refused("--save", "unknown flag --save of muster train; muster train --help --all lists them");
    refused("--hlep", "unknown flag --hlep of muster train; did you mean --help?");
    refused("--zzz", "unknown flag --zzz of muster train; muster train --help --all lists them");
    refused("--beta1 0.5", "unknown flag --beta1 of muster train; did you mean --optimizer.beta1?");
    refused("-x", "unknown flag -x of muster train; flags begin with --");
    refused("--=3", "unknown flag -- of muster train; muster train --help --all lists them");
}

static void test_an_option_that_is_a_choice_has_dotted_flags(void)
{
    struct flags f = {0};

    accepted(&f, "--local-sgd.outer sgd --local-sgd.outer.lr=0.7 --local_sgd.outer.nesterov");
    expect_at(&f, "algorithm.outer.name", "sgd", "--local-sgd.outer");
    expect_at(&f, "algorithm.outer.lr", "0.7", "--local-sgd.outer.lr");
    expect_at(&f, "algorithm.outer.nesterov", "true", "--local_sgd.outer.nesterov");
    EXPECT_OK(flags_check_entries(&f, &algorithm_family, "local-sgd"));
    EXPECT_FAILS(flags_check_entries(&f, &algorithm_family, "sync"), STATUS_BAD_INPUT,
                 "this is an option of algorithm local-sgd, but sync is chosen");
    accepted(&f, "--algorithm.outer.max-iter 3 --algorithm.outer.name adam");
    expect_at(&f, "algorithm.outer.max_iter", "3", "--algorithm.outer.max-iter");
    expect_at(&f, "algorithm.outer.name", "adam", "--algorithm.outer.name");
    accepted(&f, "--algorithm.outer.zzz 3"); /* refused when it is read */
    expect_at(&f, "algorithm.outer.zzz", "3", "--algorithm.outer.zzz");
    flags_release(&f);

    refused("--local-sgd.outer sgd --algorithm.outer.name adam",
            "--local-sgd.outer and --algorithm.outer.name set the same option; give one of them");
    refused("--local-sgd.outer.betta1 1", "--local-sgd.outer.betta1: algorithm local-sgd has no "
                                          "option outer.betta1; did you mean outer.beta1?");
    refused("--local-sgd.outer", "--local-sgd.outer needs a value");
    refused("--local-sgd.period.x 1",
            "--local-sgd.period.x: algorithm local-sgd has no option period.x; did you mean "
            "period?");
}

static void test_a_missing_value_is_noticed(void)
{
    refused("--lr", "--lr needs a value");
    refused("--out=", "--out: the name of the folder is empty");
    refused("--lr --quiet", "--lr needs a value");
    refused("--adam.beta1", "--adam.beta1 needs a value");
}

static void test_a_flag_given_twice_is_refused(void)
{
    refused("--lr 1 --lr 2", "--lr is given twice");
    refused("--quiet --quiet", "--quiet is given twice");
    refused("--quiet=no --quiet", "--quiet is given twice");
    refused("--batch-size 1 --batch_size=1", "--batch_size is given twice");
    refused("--optimizer a --optimizer b", "--optimizer is given twice");
    refused("--optimizer adam --lr 1 --optimizer sgd", "--optimizer is given twice");
    refused("--lr 1 --optimizer.lr 2",
            "--lr and --optimizer.lr set the same option; give one of them");
    refused("--adam.beta1 1 --optimizer.beta1 2",
            "--adam.beta1 and --optimizer.beta1 set the same option; give one of them");
}

static void test_dotted_flags_name_a_section(void)
{
    struct flags f = {0};

    accepted(&f, "--optimizer.beta1 0.95 --optimizer adam --optimizer.max-iter=7");
    expect_at(&f, "optimizer.beta1", "0.95", "--optimizer.beta1");
    expect_at(&f, "optimizer.max_iter", "7", "--optimizer.max-iter");
    expect_at(&f, "optimizer.name", "adam", "--optimizer");
    EXPECT_INT(f.entry_flags->count, 0);
    accepted(&f, "--optimizer adam --schedule.beta1 -0.5 --schedule.name step");
    expect_at(&f, "optimizer", "adam", "--optimizer");
    expect_at(&f, "schedule.beta1", "-0.5", "--schedule.beta1");
    expect_at(&f, "schedule.name", "step", "--schedule.name");
    accepted(&f, "--optimizer.what 3"); /* refused with a suggestion when the section is read */
    expect_at(&f, "optimizer.what", "3", "--optimizer.what");
    flags_release(&f);
}

static void test_dotted_flags_name_an_entry(void)
{
    struct flags f = {0};

    accepted(&f, "--adam.beta1 0.95 --adam.max_iter 3 --step.beta1=1");
    expect_at(&f, "optimizer.beta1", "0.95", "--adam.beta1");
    expect_at(&f, "optimizer.max_iter", "3", "--adam.max_iter");
    expect_at(&f, "schedule.beta1", "1", "--step.beta1");
    EXPECT_INT(f.entry_flags->count, 3);
    EXPECT_OK(flags_check_entries(&f, &optim_family, "adam"));
    EXPECT_OK(flags_check_entries(&f, &schedule_family, "step"));
    EXPECT_INT(flags_check_entries(&f, &optim_family, "sgd"), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(),
                "--adam.beta1: this is an option of optimizer adam, but sgd is chosen");
    EXPECT_INT(flags_check_entries(&f, &schedule_family, NULL), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(),
                "--step.beta1: this is an option of schedule step, but none is chosen");
    flags_release(&f);
    refused("--adam.betta1 1",
            "--adam.betta1: optimizer adam has no option betta1; did you mean beta1?");
    refused("--sgd.beta1 1", "--sgd.beta1: optimizer sgd has no option beta1; it has lr, nesterov");
    refused("--none.beta1 1", "--none.beta1: optimizer none has no option beta1; it has none");
    refused("--adm.beta1 1",
            "unknown flag --adm.beta1 of muster train; did you mean --adam.beta1?");
    refused("--optimiser.lr 1",
            "unknown flag --optimiser.lr of muster train; did you mean --optimizer.lr?");
    refused("--what.lr 1",
            "unknown flag --what.lr of muster train; muster train --help --all lists them");
    refused("--adam. 1", "--adam.: missing option name after the dot");
    refused("--.lr 1", "unknown flag --.lr of muster train; muster train --help --all lists them");
}

static void test_fields_of_truth_are_switches(void)
{
    struct flags f = {0};

    accepted(&f, "--sgd.nesterov --quiet");
    expect_at(&f, "optimizer.nesterov", "true", "--sgd.nesterov");
    accepted(&f, "--sgd.nesterov no --quiet");
    expect_at(&f, "optimizer.nesterov", "false", "--sgd.nesterov");
    EXPECT(flags_has(&f, "quiet"));
    accepted(&f, "--optimizer.nesterov=yes");
    expect_at(&f, "optimizer.nesterov", "true", "--optimizer.nesterov");
    flags_release(&f);
    refused("--sgd.nesterov=3",
            "--sgd.nesterov is a switch and takes no value; 3 is not true or false");
}

static void test_operands_are_counted(void)
{
    struct flags_spec two = spec, any = spec;
    struct flags f = {0};
    char line1[] = "a --quiet b", line2[] = "a b c", line3[] = "- -1 -- --quiet -h c";

    two.positional_max = 2;
    any.positional_max = -1;
    EXPECT_OK(parse_with(&f, &two, line1));
    EXPECT_INT(f.positional_count, 2);
    EXPECT_TEXT(f.positional[1], "b");
    flags_release(&f);
    EXPECT_INT(parse_with(&f, &two, line2), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(), "c: muster train takes at most 2 operands");
    EXPECT_OK(parse_with(&f, &any, line3));
    EXPECT_INT(f.positional_count, 5);
    EXPECT_TEXT(f.positional[0], "-");
    EXPECT_TEXT(f.positional[1], "-1");
    EXPECT_TEXT(f.positional[2], "--quiet");
    EXPECT(!f.help && !flags_has(&f, "quiet"));
    flags_release(&f);
    refused("a", "a: muster train takes flags only, no operands");
}

static void test_help_stops_the_parsing(void)
{
    struct flags f = {0};

    accepted(&f, "--lr 1 --help --unknown");
    EXPECT(f.help);
    accepted(&f, "-h");
    EXPECT(f.help);
    flags_release(&f);
    flags_release(&f);
}

static void test_values_must_be_utf8(void)
{
    refused("--out a\xFF", "--out: the value is not valid UTF-8");
}

static void test_a_command_may_have_no_registries_and_no_flags(void)
{
    static const struct flag empty[] = {{0}};
    const struct flags_spec bare = {.command = "x", .usage = "muster x", .flags = empty};
    struct flags f = {0};
    struct text out = {0};
    char line[] = "--adam.lr 1";

    EXPECT_INT(parse_with(&f, &bare, line), STATUS_BAD_INPUT);
    EXPECT_TEXT(status_message(),
                "unknown flag --adam.lr of muster x; muster x --help --all lists them");
    flags_help(&bare, FLAGS_HELP_ALL, &out);
    EXPECT_TEXT(text_get(&out), "Usage: muster x\n\nOptions:\n"
                                "  -h, --help                  show this text\n");
    text_release(&out);
}

static void test_each_line_of_the_intro_is_wrapped_by_itself(void)
{
    struct text out = {0};

    fields_help_paragraph("list: prints all of them, and where each of them was found on this one "
                          "computer.\nshow: prints one of them, and nothing else.",
                          &out);
    EXPECT_TEXT(text_get(&out),
                "list: prints all of them, and where each of them was found on this one computer.\n"
                "show: prints one of them, and nothing else.\n");
    text_release(&out);
}

static void test_short_help_shows_own_flags_and_briefs_and_names_the_long_form(void)
{
    static const struct flag_brief briefs[] = {
        {"epochs", "passes"},
        {0       }
    };
    struct flags_spec brief = spec;
    struct text out = {0};

    brief.briefs = briefs;
    flags_help(&brief, FLAGS_HELP_SHORT, &out);
    EXPECT_TEXT(text_get(&out), "Usage: muster train [options]\n"
                                "\n"
                                "Trains one network.\n"
                                "\n"
                                "Examples:\n"
                                "  muster train --lr 0.1\n"
                                "  muster train --quiet\n"
                                "\n"
                                "Training:\n"
                                "  --epochs N                  passes\n"
                                "\n"
                                "Output:\n"
                                "  --out DIR                   where results go\n"
                                "  --resume [RUN]              go on\n"
                                "  --quiet                     say less\n"
                                "  --no-save                   keep no model\n"
                                "  -h, --help                  show this text\n"
                                "\n"
                                "All flags, with the options of everything that is chosen by name: "
                                "muster train --help --all\n");
    text_release(&out);
}

static void test_help_shows_groups_flags_and_options(void)
{
    struct text out = {0};

    flags_help(&spec, FLAGS_HELP_ALL, &out);
    EXPECT_TEXT(text_get(&out),
                "Usage: muster train [options]\n"
                "\n"
                "Trains one network.\n"
                "\n"
                "Examples:\n"
                "  muster train --lr 0.1\n"
                "  muster train --quiet\n"
                "\n"
                "Training:\n"
                "  --epochs N                  passes over the data\n"
                "  --batch-size N              samples per step\n"
                "  --optimizer NAME            the optimiser\n"
                "  --lr X                      step size\n"
                "  --shuffle                   random order\n"
                "\n"
                "Output:\n"
                "  --out DIR                   where results go\n"
                "  --resume [RUN]              go on\n"
                "  --quiet                     say less\n"
                "  --no-save                   keep no model\n"
                "  -h, --help                  show this text\n"
                "\n"
                "Options of optimizer sgd (also as --optimizer.*):\n"
                "  --sgd.lr X                  step size (default 0.1; 0 to 10)\n"
                "  --sgd.nesterov              look ahead (default false)\n"
                "\n"
                "Options of optimizer adam (also as --optimizer.*):\n"
                "  --adam.lr X                 step size (default 0.001; 0 to 10)\n"
                "  --adam.beta1 X              decay of the mean (default 0.9; 0 to 1)\n"
                "  --adam.max-iter N           inner steps (default 4; 1 to 100)\n"
                "\n"
                "Options of schedule step (also as --schedule.*):\n"
                "  --step.beta1 X              factor (default 0.5; 0 to 1)\n"
                "\nOptions of algorithm local-sgd (also as --algorithm.*):\n"
                "  --local-sgd.period N        rounds between two averages (default 16; 1 to 100)\n"
                "  --local-sgd.outer NAME      what steps at an average (default none; sgd, adam, "
                "none)\n"
                "  --local-sgd.outer.KEY VALUE\n"
                "                              an option of that optimizer\n");
    text_release(&out);
}

/* The next word is its value, unless that is a flag. */
static void test_a_flag_in_brackets_may_stand_without_its_value(void)
{
    struct flags f = {0};

    accepted(&f, "--resume runs/a --quiet");
    EXPECT_TEXT(flags_value(&f, "resume"), "runs/a");
    accepted(&f, "--resume=runs/a");
    EXPECT_TEXT(flags_value(&f, "resume"), "runs/a");
    accepted(&f, "--resume --quiet");
    EXPECT_TEXT(flags_value(&f, "resume"), "");
    EXPECT(flags_has(&f, "resume") && flags_has(&f, "quiet"));
    accepted(&f, "--resume");
    EXPECT_TEXT(flags_value(&f, "resume"), "");
    flags_release(&f);
    refused("--resume=", "--resume: the name of the folder is empty");
}

TEST_MAIN(TEST(test_a_flag_in_brackets_may_stand_without_its_value),
          TEST(test_values_follow_or_stand_behind_an_equals_sign),
          TEST(test_switches_take_no_value_but_truth), TEST(test_unknown_flags_bring_suggestions),
          TEST(test_an_option_that_is_a_choice_has_dotted_flags),
          TEST(test_a_missing_value_is_noticed), TEST(test_a_flag_given_twice_is_refused),
          TEST(test_dotted_flags_name_a_section), TEST(test_dotted_flags_name_an_entry),
          TEST(test_fields_of_truth_are_switches), TEST(test_operands_are_counted),
          TEST(test_help_stops_the_parsing), TEST(test_values_must_be_utf8),
          TEST(test_a_command_may_have_no_registries_and_no_flags),
          TEST(test_each_line_of_the_intro_is_wrapped_by_itself),
          TEST(test_short_help_shows_own_flags_and_briefs_and_names_the_long_form),
          TEST(test_help_shows_groups_flags_and_options))
