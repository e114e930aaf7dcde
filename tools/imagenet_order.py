#!/usr/bin/env python3
"""Prints the table of src/data/imagenet_order.c: imagenet_order.py LABELS

LABELS is a file with the WordNet numbers of the classes of the published ImageNet32 and ImageNet64, a line for each, in
the order of their labels: imagenet_resized_labels.txt of the PyPI package tensorflow-datasets, or the first column of
map_clsloc.txt. The order of imagenet1000_clsidx_to_labels.txt is that of the numbers, ascending.
"""

import sys

synsets = [line.split()[0] for line in open(sys.argv[1]) if line.strip()]
assert len(synsets) == len(set(synsets)) == 1000, len(synsets)
rank = {synset: k for k, synset in enumerate(sorted(synsets))}
numbers = [str(rank[synset]) for synset in synsets]
print("const int16_t imagenet_order[IMAGENET_CLASSES] = {")
for start in range(0, 1000, 18):
    print("    " + ", ".join(numbers[start : start + 18]) + ",")
print("};")
