# SPDX-License-Identifier: BSD-2-Clause
"""writes the netlist that yosys makes of a block with these parameters, as one Verilog module

The build uses this command for tools/rtl netlist. Without --output it only looks whether yosys reads the blocks with the
parameters of their syntheses, without a black box in them."""
import os
import shutil
import tempfile

import blocks
import synth

SCRIPT = "proc; flatten -noscopeinfo; opt_clean; memory_collect; write_verilog -noattr block.v"


def options(parser):
    parser.add_argument("--parameters", default="", metavar="'NAME=VALUE ...'")
    parser.add_argument("--output", metavar="FILE")


def _read(block, line):
    parameters, _ = blocks.split(line, synth.OWN)
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.elaborate(block, parameters, folder, "")
    return f"{blocks.label(block, parameters)}: yosys reads it"


def run(chosen, arguments):
    if not arguments.output:
        work = [(block, line) for block in chosen for line in block.synth]
        return blocks.report(blocks.results(_read, work, arguments.jobs))
    if len(chosen) != 1:
        raise blocks.Error("elaborate takes one block")
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.elaborate(chosen[0], arguments.parameters, folder, SCRIPT)
        shutil.copyfile(os.path.join(folder, "block.v"), arguments.output)
    return 0
