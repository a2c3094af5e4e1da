# SPDX-License-Identifier: BSD-2-Clause
"""runs the benches on the netlists that yosys makes of the blocks

Proofs and synthesis use the blocks as yosys reads them, benches as verilator reads them. A bench that passes on both
shows that both read the same."""
import bench
import blocks


def options(parser):
    parser.add_argument("--seed", type=int, default=1)


def run(chosen, arguments):
    programs = [f"{name}_netlist" for block in chosen
                for name in bench.names(arguments.build, block, "--label-regex", "^netlist$")]
    blocks.output(["ninja", f"-j{arguments.jobs}", *programs], arguments.build, "cannot build the benches")
    work = [(arguments.build, program, "--seed", str(arguments.seed)) for program in programs]
    return blocks.report(blocks.results(bench.ran, work, arguments.jobs))
