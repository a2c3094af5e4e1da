# SPDX-License-Identifier: BSD-2-Clause
"""writes the netlist that yosys makes of a block with these parameters, as one Verilog module

The build uses this command for tools/rtl netlist."""
import os
import shutil
import tempfile

import blocks

SCRIPT = "proc; flatten -noscopeinfo; opt_clean; memory_collect; write_verilog -noattr block.v"


def options(parser):
    parser.add_argument("--parameters", default="", metavar="'NAME=VALUE ...'")
    parser.add_argument("--output", required=True, metavar="FILE")


def run(chosen, arguments):
    if len(chosen) != 1:
        raise blocks.Error("elaborate takes one block")
    with tempfile.TemporaryDirectory(prefix="tally-elaborate-") as folder:
        blocks.elaborate(chosen[0], arguments.parameters, folder, SCRIPT)
        shutil.copyfile(os.path.join(folder, "block.v"), arguments.output)
    return 0
