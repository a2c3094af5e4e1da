# SPDX-License-Identifier: BSD-2-Clause
"""writes the netlist that yosys makes of a block with these parameters, as one Verilog module

The build uses this command for tools/rtl netlist. Without --output it only looks whether yosys reads the blocks with the
parameters of their syntheses, without a black box in them; with --syntax, only whether it takes the syntax of all files."""
import os
import shutil
import tempfile

import blocks
import synth

SCRIPT = "proc; flatten -noscopeinfo; opt_clean; memory_collect; write_verilog -noattr block.v"


def options(parser):
    parser.add_argument("--parameters", default="", metavar="'NAME=VALUE ...'")
    parser.add_argument("--output", metavar="FILE")
    parser.add_argument("--syntax", action="store_true")


def _read(block, line):
    parameters, _ = blocks.split(line, synth.OWN)
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.elaborate(block, parameters, folder, "")
    return f"{blocks.label(block, parameters)}: yosys reads it"


def _syntax(chosen):
    files = list(dict.fromkeys(path for block in chosen for path in block.files))
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.read_by_yosys(folder, f"read_verilog -sv -defer {' '.join(map(os.path.basename, files))}", files,
                             f"{len(files)} files")
    return f"{len(files)} files: yosys takes their syntax"


def run(chosen, arguments):
    if arguments.syntax:
        print(_syntax(chosen))
        return 0
    if arguments.parameters and not arguments.output:
        raise blocks.Error("elaborate --parameters goes with --output; without it, the parameters are those of the syntheses")
    if not arguments.output:
        work = [(block, line) for block in chosen for line in block.synth]
        return blocks.report(blocks.results(_read, work, arguments.jobs))
    if len(chosen) != 1:
        raise blocks.Error("elaborate takes one block")
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.elaborate(chosen[0], arguments.parameters, folder, SCRIPT)
        shutil.copyfile(os.path.join(folder, "block.v"), arguments.output)
    return 0
