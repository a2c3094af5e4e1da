# SPDX-License-Identifier: BSD-2-Clause
"""Synthesizes the modules of a block one by one, and joins them.

The result of each module is kept in the cache, by what yosys reads of it, so a run that was stopped goes on where it was,
and a change of a block costs the synthesis of this block alone."""
import concurrent.futures
import hashlib
import os
import re
import tempfile

import blocks

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tally/synth")
PART = ("read_rtlil part.il; synth_xilinx -family xcup {uram} -top {top} -noiopad -noclkbuf; select {top}; "
        "write_rtlil -selected done.il")
JOIN = ("{reads} read_verilog -lib +/xilinx/cells_sim.v; read_verilog -lib +/xilinx/cells_xtra.v; blackbox =A:whitebox; "
        "hierarchy -top {top}; flatten; opt_clean; write_json block.json")
NUMBER = re.compile(r"\$(\d+)(?![0-9A-Za-z])")   # in a name that yosys has made; counts through the whole design
MODULE = re.compile(r"^module (\S+)\n.*?^end\n", re.MULTILINE | re.DOTALL)
SOURCE = re.compile(r"^ *attribute \\src .*\n", re.MULTILINE)
PORT = re.compile(r"^  wire .*\b(?:input|output|inout) \d+ .*\n", re.MULTILINE)
CELL = re.compile(r"^  cell (\S+) ", re.MULTILINE)


def _stub(name, text):
    return f"attribute \\blackbox 1\nmodule {name}\n{''.join(PORT.findall(text))}end\n"


def _renumbered(text):
    """Number the names that yosys has made by their order, so that they do not depend on other modules."""
    numbers = {}
    return NUMBER.sub(lambda match: f"${numbers.setdefault(match[1], len(numbers) + 1)}", text)


def _split(path):
    """Return the text of each module of a design, with the ports of those in it as black boxes."""
    with open(path, encoding="utf-8") as file:
        modules = {match[1]: match[0] for match in MODULE.finditer(SOURCE.sub("", file.read()))}
    return {name: _renumbered(text + "".join(_stub(inner, modules[inner])
                                             for inner in sorted(set(CELL.findall(text)) & modules.keys())))
            for name, text in modules.items()}


def _synthesize(yosys, uram, name, text):
    """Return the path of the synthesized module."""
    version = blocks.output([yosys, "-V"], None, "yosys -V")
    script = PART.format(top=name, uram=uram)
    key = hashlib.sha256("\0".join((version, script, text)).encode()).hexdigest()
    kept = os.path.join(CACHE, f"{key}.il")
    if os.path.exists(kept):
        return kept
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="part-", dir=CACHE) as folder:
        with open(os.path.join(folder, "part.il"), "w", encoding="utf-8") as file:
            file.write(text)
        blocks.output([yosys, "-q", "-p", script], folder, f"{name}: cannot be synthesized")
        os.replace(os.path.join(folder, "done.il"), kept)
    return kept


def synthesize(yosys, folder, top, uram, jobs):
    """Synthesize block.il of the folder, whose top is given, and write block.json there."""
    modules = _split(os.path.join(folder, "block.il"))
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        made = list(blocks.shown(pool.map(lambda part: _synthesize(yosys, uram, *part), modules.items()), len(modules)))
    reads = "".join(f"read_rtlil {path}; " for path in made)
    blocks.output([yosys, "-q", "-p", JOIN.format(reads=reads, top=top)], folder, f"{top}: cannot be joined")
