/*
 * main.c - finds the command, runs it, prints the error, answers the exit code. Only here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/help_config.h"
#include "cli/help_transports.h"
#include "cli/list.h"
#include "comm/world.h"
#include "record/json_read.h"

#define COMMAND_ENTRY(symbol) &symbol,
static const struct command *const commands[] = {COMMAND_LIST(COMMAND_ENTRY) NULL};

static const char overview[] =
    "muster trains neural networks with many workers, and compares the ways of doing so.\n"
    "\n"
    "  muster train --model lenet5 --dataset fashion_mnist --lr 0.005 --momentum 0.9\n"
    "  muster train --workers 4 --algorithm ps-async --delay 10ms\n"
    "  muster evaluate runs/<run>\n"
    "  muster models resnet18_cifar\n"
    "\n";

static void print_overview(FILE *out)
{
    fputs(overview, out);
    for (int i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nmuster help COMMAND explains a command and its flags; muster help config lists the "
          "keys of\nexperiment files, and muster help transports lists the transports.\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static enum status unknown_command(const char *name)
{
    const char *names[sizeof commands / sizeof commands[0]] = {NULL};

    for (int i = 0; commands[i] != NULL; i++)
        names[i] = commands[i]->name;
    const char *near = text_nearest(name, names);
    if (near != NULL)
        return FAIL(STATUS_BAD_INPUT, "unknown command '%s'; did you mean '%s'?", name, near);
    return FAIL(STATUS_BAD_INPUT, "unknown command '%s'; muster help lists them", name);
}

static enum status help(int argc, char **argv)
{
    const bool is_all = argc == 3 && strcmp(argv[2], "--all") == 0;

    if (argc < 2) {
        print_overview(stdout);
        return STATUS_OK;
    }
    if (argc > 2 && !is_all)
        return FAIL(STATUS_BAD_INPUT, "muster help takes one command, and --all after it; not %s",
                    argv[argc - 1]);
    struct text out = {0};
    const struct command *c = find_command(argv[1]);

    if (strcmp(argv[1], "config") == 0)
        help_config(&out);
    else if (strcmp(argv[1], "transports") == 0)
        help_transports(&out);
    else if (c == NULL)
        return unknown_command(argv[1]);
    else
        flags_help(c->flags, is_all ? FLAGS_HELP_ALL : FLAGS_HELP_SHORT, &out);
    command_print(text_get(&out));
    text_release(&out);
    return STATUS_OK;
}

static enum status dispatch(int argc, char **argv)
{
    const struct command *c = argc < 2 ? NULL : find_command(argv[1]);

    if (!world_reports() && (c == NULL || !c->is_for_all))
        return STATUS_OK;
    if (argc < 2) {
        print_overview(stdout);
        return STATUS_OK;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        puts("muster " MUSTER_VERSION);
        return STATUS_OK;
    }
    if (c == NULL)
        return unknown_command(name);
    return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    file_reserve_standard();
    json_read_use_mem();

    enum status s = dispatch(argc, argv);

    if (s == STATUS_OK && fflush(stdout) != 0)
        s = FAIL(STATUS_IO, "cannot write to standard output: %s", strerror(errno));
    else if (s == STATUS_OK && ferror(stdout))
        s = FAIL(STATUS_IO, "cannot write to standard output");
    /* Of several processes one reports; a failure that was reported already has no message. */
    if (s != STATUS_OK && status_message()[0] != '\0' && (world_reports() || world_reports_late()))
        log_say(s == STATUS_INTERRUPTED ? LOG_WARNING : LOG_ERROR, "%s", status_message());
    log_close_file();
    return status_exit_code(s);
}
