/*
 * list.h - the commands, in the order that `muster help` shows them.
 */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/command.h"

#define COMMAND_LIST(X)   \
    X(train_command)      \
    X(run_command)        \
    X(compare_command)    \
    X(search_command)     \
    X(reproduce_command)  \
    X(scale_command)      \
    X(run_one_command)    \
    X(launch_command)     \
    X(list_command)       \
    X(show_command)       \
    X(report_command)     \
    X(evaluate_command)   \
    X(export_command)     \
    X(landscape_command)  \
    X(models_command)     \
    X(algorithms_command) \
    X(graph_command)      \
    X(data_command)       \
    X(plan_command)       \
    X(lidar_command)      \
    X(bench_command)

#define COMMAND_DECLARE(symbol) extern const struct command symbol;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
