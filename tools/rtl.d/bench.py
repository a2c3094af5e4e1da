# SPDX-License-Identifier: BSD-2-Clause
"""runs the benches with many more cycles than make check does

A failure tells the seed and the cycle."""
import json
import os
import subprocess

import blocks


def options(parser):
    parser.add_argument("--seed", type=int, default=1)


def names(build, block, *options):
    """The benches of a block that the build folder knows; ctest's options choose among them."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *options], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    wanted = f"rtl_{block.name}"
    return [os.path.basename(test["name"]) for test in json.loads(shown)["tests"]
            if any(entry["name"] == "FIXTURES_SETUP" and wanted in entry["value"] for entry in test["properties"])]


def run(chosen, arguments):
    failed = False
    for block in chosen:
        for name in names(arguments.build, block):
            ran = subprocess.run([os.path.join(arguments.build, "bin", name), "--long", "--seed", str(arguments.seed)],
                                 check=False)
            failed |= ran.returncode != 0
    return 1 if failed else 0
