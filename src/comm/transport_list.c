/*
 * transport_list.c - the transports. Adding one: its folder, and its row here.
 */
#include "comm/threads/threads.h"
#include "comm/world.h"

/* clang-format off */
const struct transport_entry transport_list[] = {
    {
        .name = "threads",
        .summary = "workers are threads of this process; needs no launcher",
        .open = threads_open,
    },
    {
        .name = "mpi",
        .summary = "workers are processes that mpirun or srun started, on one host or many",
        .module = "libmuster_mpi.so",
    },
    {0},
};
/* clang-format on */
