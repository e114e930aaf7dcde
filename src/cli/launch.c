/*
 * launch.c - `muster launch COMMAND...`: runs a command of this program in several processes, here
 * or on other hosts, by mpirun.
 *
 * A signal to stop becomes SIGUSR1 to mpirun, which passes it on to all processes: they end after
 * the same round and write a checkpoint. (After SIGTERM mpirun would report an exit code of its
 * own.) When this process is killed, mpirun gets SIGTERM.
 *
 * Not here: the hosts (launch_hosts.c), the command line (launch_line.c).
 */
#include "cli/launch.h"

#include <signal.h>
#include <string.h>

#include "base/foreground_process.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/list.h"
#include "comm/world.h"

enum { PROCESSES_MAX = 100000 };

static const struct flag launch_flags[] = {
    {"processes", NULL, "N",    "number of processes; -n N is the same (all slots of the hosts, or 2)",
     "Where"                                                                                                 },
    {"hosts",     NULL, "LIST",
     "hosts such as a,b:2,c, with a number of slots each (1); or a file "
     "with a line \"b slots=2\" for each host (this host)",                                             NULL },
    {"interface", NULL, "NAME", "network interface for messages between hosts, such as eth0",           NULL },
    {"dry-run",   NULL, NULL,   "print the command line of mpirun, and do nothing",                     "How"},
    FLAG_LAST,
};

static const struct flags_spec launch_spec = {
    .command = "launch",
    .usage = "muster launch [-n N] [--hosts LIST] COMMAND...",
    .intro =
        "Runs a command that trains, such as train or run, in several processes. It prints the "
        "line of mpirun that it runs, with the options that Open MPI needs. Ctrl-C and "
        "SIGTERM stop the run with a checkpoint and exit code 75. Each host needs the same "
        "program at the same path, and login by ssh without a password.",
    .examples = "muster launch -n 2 train --algorithm sync\n"
                "muster launch --hosts node1:2,node2:2 train --algorithm sync --workers 8\n"
                "muster launch --hosts hosts.txt run study.yaml --out /shared/study\n"
                "muster launch -n 4 --dry-run train",
    .flags = launch_flags,
    .positional_max = -1,
    .ends_with_command = true,
};

/* --- checks --- */

static enum status check_command(const struct flags *f)
{
#define LAUNCH_COMMAND(symbol) &symbol,
    static const struct command *const commands[] = {COMMAND_LIST(LAUNCH_COMMAND) NULL};
#undef LAUNCH_COMMAND

    if (world_is_launched())
        return FAIL(STATUS_BAD_INPUT, "muster launch starts processes itself; leave out mpirun");
    if (f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "muster launch needs a command, such as: muster launch -n 2 train");
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, f->positional[0]) == 0)
            return commands[i]->is_for_all
                       ? STATUS_OK
                       : FAIL(STATUS_BAD_INPUT,
                              "muster %s does not train, and needs one process only: start it "
                              "without muster launch",
                              f->positional[0]);
    return FAIL(STATUS_BAD_INPUT, "muster launch: unknown command '%s'; muster help lists them",
                f->positional[0]);
}

/* --- running --- */

/* The processes have reported what went wrong: there is no message for a code that they have. Of a
 * process that was killed, mpirun answers 128 and the signal; 255: it could not start all. */
static enum status answer(const struct child_end *end)
{
    const int code = end->exit_code;
    const bool is_killed = end->signal != 0 || (code > 128 && code < 128 + NSIG);

    if (code == 0)
        return STATUS_OK;
    for (int s = STATUS_OK + 1; s < STATUS_COUNT; s++)
        if (status_exit_code((enum status)s) == code)
            return FAIL((enum status)s, "%s", "");
    if (code == FOREGROUND_NOT_EXECUTED)
        return FAIL(STATUS_IO,
                    "mpirun cannot be executed; to install it: apt-get install openmpi-bin");
    if (is_killed)
        return FAIL(STATUS_INTERRUPTED,
                    "%s was killed by signal %d; muster launch ... train --resume RUN continues "
                    "from the last checkpoint",
                    end->signal != 0 ? "mpirun" : "a process of the run",
                    end->signal != 0 ? end->signal : code - 128);
    if (code == 255)
        return FAIL(STATUS_IO, "mpirun could not start the processes on all hosts");
    return FAIL(STATUS_PEER, "mpirun ended with exit code %d", code);
}

static enum status run_line(const struct launch_line *l)
{
    struct child_end end;

    TRY(foreground_process_run(l->words, SIGUSR1, &end));
    return answer(&end);
}

static enum status launch_on(const struct flags *f, const struct launch_hosts *hosts)
{
    struct launch_setup setup = {
        .processes = hosts->count > 0 ? launch_hosts_slots(hosts) : 2,
        .hosts = hosts,
        .interface = flags_value(f, "interface"),
        .command = f->positional,
        .command_count = f->positional_count,
    };
    struct launch_line line;
    struct text shown = {0};

    TRY(command_read_int(f, "processes", 1, PROCESSES_MAX, &setup.processes));
    launch_line_init(&line, &setup);
    launch_line_show(&line, &shown);
    enum status s = STATUS_OK;
    if (flags_has(f, "dry-run")) {
        text_add(&shown, "\n");
        command_print(text_get(&shown));
    } else {
        log_info("%s", text_get(&shown));
        s = run_line(&line);
    }
    text_release(&shown);
    launch_line_release(&line);
    return s;
}

static enum status launch_parsed(const struct flags *f)
{
    struct launch_hosts hosts = {0};

    TRY(check_command(f));
    if (flags_value(f, "hosts") != NULL)
        TRY(launch_hosts_read(&hosts, flags_value(f, "hosts")));
    const enum status s = launch_on(f, &hosts);
    launch_hosts_release(&hosts);
    return s;
}

/* "-n", as mpirun has it, before the command. */
static enum status launch_run(int argc, char **argv)
{
    static char processes[] = "--processes";

    for (int i = 1; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-n") == 0)
            argv[i] = processes;
        if (strchr(argv[i], '=') == NULL && strcmp(argv[i], "--dry-run") != 0 &&
            strcmp(argv[i], "--help") != 0)
            i++; /* its value */
    }
    return command_run(&launch_spec, argc, argv, launch_parsed);
}

const struct command launch_command = {
    .name = "launch",
    .summary = "train in several processes, here or on other hosts",
    .flags = &launch_spec,
    .run = launch_run,
};
