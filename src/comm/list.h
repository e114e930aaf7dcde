/*
 * list.h - the transports, in the order that lists and help show them. Of those that need a
 * launcher, and of those that do not, the first is taken where none is named.
 * Adding one: its folder, its line here, its files in CMakeLists.txt.
 */
#ifndef COMM_LIST_H
#define COMM_LIST_H

#include "comm/transport_registry.h"

#define TRANSPORT_LIST(X) \
    X(threads_transport)  \
    X(mpi_transport)

#define TRANSPORT_DECLARE(symbol) extern const struct transport_entry symbol;
TRANSPORT_LIST(TRANSPORT_DECLARE)
#undef TRANSPORT_DECLARE

#endif
