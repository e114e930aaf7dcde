/*
 * entry.c - the transport mpi as the program knows it before its module is opened. The rest of this
 * folder is the module.
 */
#include "comm/list.h"

const struct transport_entry mpi_transport = {
    .entry = {.name = "mpi",
              .summary = "workers are processes that mpirun or srun started, on one host or many"},
    .needs_launcher = true,
    .launcher = "mpirun -n",
    .packages = "libopenmpi-dev and openmpi-bin",
    .module = "libmuster_mpi.so",
};
