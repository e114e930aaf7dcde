#!/usr/bin/python3
"""make_golden.py - computes every golden vector with PyTorch in float64 and writes vectors/*.bin.

    /usr/bin/python3 tests/golden/make_golden.py [images layers layerwise losses networks ...]

Run by hand when a case is added or changed; needs Debian's python3-torch (made with 1.13; layers,
layerwise, micro_batch, networks and sharpness with 2.13). Without it golden_certainty.py and golden_outer.py
(NumPy), golden_distances.py, golden_lidar.py and golden_statistics.py (SciPy) still run alone.
"""

import os
import sys

import golden_certainty
import golden_data
import golden_distances
import golden_federated
import golden_layers
import golden_layerwise
import golden_lidar
import golden_micro_batch
import golden_networks
import golden_optim
import golden_outer
import golden_sharpness
import golden_statistics

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors")

PARTS = {
    "certainty": golden_certainty.write_certainty,
    "distances": golden_distances.write_distances,
    "images": golden_data.write_images,
    "layers": golden_layers.write_layers,
    "layerwise": golden_layerwise.write_layerwise,
    "lidar": golden_lidar.write_lidar,
    "micro_batch": golden_micro_batch.write_micro_batch,
    "losses": golden_layers.write_losses,
    "networks": golden_networks.write_networks,
    "optim": golden_optim.write_optim,
    "outer": golden_outer.write_outer,
    "schedules": golden_optim.write_schedule_file,
    "federated": golden_federated.write_federated,
    "sharpness": golden_sharpness.write_sharpness,
    "statistics": golden_statistics.write_statistics,
}


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for part in sys.argv[1:] or PARTS:
        path = os.path.join(FOLDER, part + ".bin")
        print(part)
        PARTS[part](path)
        print(f"  {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
