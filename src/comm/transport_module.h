/*
 * transport_module.h - transports that are opened on demand, so that the program starts without
 * their libraries and never holds two that do not get along.
 */
#ifndef COMM_TRANSPORT_MODULE_H
#define COMM_TRANSPORT_MODULE_H

#include "comm/world_ops.h"

/*
 * The module of an entry: beside the program, else in the library folder of the installation. It
 * stays open until the program ends. One sentence when it is not there or was built for another.
 */
enum status transport_module_open(const struct transport_entry *entry,
                                  const struct transport_module **module);

#endif
