# SPDX-License-Identifier: BSD-2-Clause
"""runs the benches with many more cycles than make check does

Afterwards it runs them with other seeds, as long as make check does, since one seed may find what another misses. A
failure prints the seed and the cycle."""
import json
import os
import subprocess

import blocks

OTHERS = 8  # further seeds


def options(parser):
    parser.add_argument("--seed", type=blocks.number, default=1)
    parser.add_argument("--others", type=blocks.number, default=OTHERS, metavar="N", help="number of further seeds")


def names(build, block, *options):
    """Return the benches of a block that the build folder knows; ctest's options select among them."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *options], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    wanted = f"rtl_{block.name}"
    return [os.path.basename(test["name"]) for test in json.loads(shown)["tests"]
            if any(entry["name"] == "FIXTURES_SETUP" and wanted in entry["value"] for entry in test["properties"])]


def ran(build, program, *options):
    """Return the output of the bench; Error with the output if it fails."""
    return blocks.output([os.path.join(build, "bin", program), *options], build, f"{program} fails").rstrip()


def run(chosen, arguments):
    programs = [name for block in chosen for name in names(arguments.build, block)]
    work = [(arguments.build, name, "--long", "--seed", str(arguments.seed)) for name in programs]
    work += [(arguments.build, name, "--seed", str(arguments.seed + 1 + other))
             for other in range(arguments.others) for name in programs]
    return blocks.report(blocks.results(ran, work, arguments.jobs))
