/*
 * plan.c - `muster plan`: finds the verb. Each verb has a file, with flags of its own.
 */
#include "cli/plan.h"

#include <inttypes.h>
#include <string.h>

#include "cli/list.h"

static const struct flag plan_flags[] = {FLAG_LAST};

static const struct flags_spec plan_spec = {
    .command = "plan",
    .usage = "muster plan make | prepare | show | path | edit",
    .intro = "Works with floor plans of buildings: grey PNG pictures, 0 free and 255 wall.\n"
             "make: generates a building.\n"
             "prepare: makes floor plans of pictures, with their signed distance fields.\n"
             "show: prints facts about a plan and paths in it, and draws them.\n"
             "path: plans the path of a robot.\n"
             "edit: writes a page in which the way-points of a robot are edited.\n"
             "muster plan VERB --help explains the flags of each.",
    .examples = "muster plan make building.png --seed 1\n"
                "muster plan prepare scan.png plan.png\n"
                "muster plan path plan.png --random 8 --out robot.txt\n"
                "muster plan show plan.png --path robot.txt --svg plan.svg",
    .flags = plan_flags,
    .positional_max = 1,
};

static const struct {
    const char *name;
    enum status (*run)(int argc, char **argv);
} verbs[] = {
    {"make",    plan_make   },
    {"prepare", plan_prepare},
    {"show",    plan_show   },
    {"path",    plan_path   },
    {"edit",    plan_edit   },
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

void plan_add_facts(struct text *out, const struct floor_plan *p)
{
    const int64_t areas = floor_plan_count_areas(p);

    text_addf(out,
              "%" PRId64 " x %" PRId64 " pixels, %.1f %% wall, %" PRId64 " connected free area%s\n",
              p->width, p->height,
              100.0 * (double)floor_plan_count_walls(p) / (double)(p->width * p->height), areas,
              areas == 1 ? "" : "s");
}

static enum status unknown_verb(const struct flags *f)
{
    struct text names = {0};

    for (int i = 0; i < VERBS; i++)
        text_addf(&names, "%s%s", i == 0 ? "" : ", ", verbs[i].name);
    const enum status s =
        f->positional_count == 0
            ? FAIL(STATUS_BAD_INPUT, "muster plan needs one of these: %s", text_get(&names))
            : FAIL(STATUS_BAD_INPUT, "muster plan: \"%s\" is not one of these: %s",
                   f->positional[0], text_get(&names));
    text_release(&names);
    return s;
}

static enum status plan_run(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    }
    return command_run(&plan_spec, argc, argv, unknown_verb);
}

const struct command plan_command = {
    .name = "plan",
    .summary = "make, prepare and draw floor plans, and edit paths in them",
    .flags = &plan_spec,
    .run = plan_run,
};
