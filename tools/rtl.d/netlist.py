# SPDX-License-Identifier: BSD-2-Clause
"""runs the benches on what yosys makes of the blocks

Proofs and synthesis are of what yosys read, benches of what verilator read. A bench that passes on both shows that
they read the same."""
import os
import subprocess

import bench
import blocks


def options(parser):
    parser.add_argument("--seed", type=int, default=1)


def run(chosen, arguments):
    failed = False
    for block in chosen:
        for name in bench.names(arguments.build, block, "--label-regex", "^netlist$"):
            program = f"{name}_netlist"
            try:
                blocks.output(["ninja", program], arguments.build, f"{program}: cannot be built")
            except blocks.Error as error:
                print(error, flush=True)
                failed = True
                continue
            ran = subprocess.run([os.path.join(arguments.build, "bin", program), "--seed", str(arguments.seed)],
                                 check=False)
            failed |= ran.returncode != 0
    return 1 if failed else 0
