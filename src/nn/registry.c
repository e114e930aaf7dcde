/* registry.c - the layers that can be chosen by name (list.h). */
#include "nn/list.h"

#define LAYER_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {LAYER_LIST(LAYER_ENTRY) NULL};

const struct registry layer_registry = {
    .what = "layer",
    .section = "layers",
    .entries = entries,
};
