# SPDX-License-Identifier: BSD-2-Clause
"""The blocks of rtl/, as CMake listed them, and the yosys that reads their language."""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
CHECKOUT = os.path.dirname(os.path.dirname(HERE))


class Error(Exception):
    """An error message for the user."""


@dataclasses.dataclass
class Block:
    """One tally_rtl_block(): its files, the deepest first, the parameters of its proofs and syntheses, and its benches'."""
    name: str
    folder: str
    files: list
    prove: list
    synth: list
    bench: list
    parameters: list

    @property
    def top(self):
        return f"tally_{self.name}"

    @property
    def source(self):
        return self.files[-1]

    def file(self, kind, name):
        return os.path.join(self.folder, kind, name)


def _lines(build, name):
    try:
        with open(os.path.join(build, "rtl", name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        raise Error(f"{build} has no list of blocks: run make build") from None


def load(build, names):
    """Return the blocks with these names, or all; Error if one is unknown."""
    known = {entry.pop("block"): {**entry, "bench": [], "parameters": []} for entry in _lines(build, "blocks.jsonl")}
    for bench in _lines(build, "benches.jsonl"):
        known[bench["block"]]["bench"] += map(os.path.normpath, bench["files"])
        known[bench["block"]]["parameters"] += bench["parameters"]
    for name in names:
        if name not in known:
            raise Error(f"{name}: no such block")
    return [Block(name, **entry) for name, entry in known.items() if not names or name in names]


def number(text):
    """Convert an argument."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no number")
    return int(text)


def parse(parameters):
    """Convert 'A=1 B=2' to a dictionary."""
    for part in parameters.split():
        if "=" not in part:
            raise Error(f"{part} is not NAME=VALUE")
    return dict(part.split("=", 1) for part in parameters.split())


def split(line, own):
    """Split a PROVE or SYNTH line into the block's parameters, and a dictionary of the other entries, named in own."""
    said = parse(line)
    return (" ".join(f"{name}={value}" for name, value in said.items() if name not in own),
            {name: value for name, value in said.items() if name in own})


def label(block, parameters):
    return f"{block.name} {parameters}" if parameters else block.name


def bare(text):
    """Return the text of a source without comments and layout."""
    return " ".join(re.sub("//.*", "", text).split())


def formal_files(block):
    """Return the files of a proof: those of the block, and the proof's own."""
    return [*block.files, os.path.join(CHECKOUT, "rtl/proof/tally_proof.svh"), block.file("proof", f"{block.name}_proof.svh")]


def elaborate(block, parameters, folder, script, formal=False):
    """Read the block with these parameters in the yosys of package.json, and run the rest of the script."""
    files = formal_files(block) if formal else block.files
    *used, own = map(os.path.basename, block.files)
    chosen = "".join(f" -chparam {name} {value}" for name, value in parse(parameters).items())
    # Only this block's proof is wanted, not those of the blocks in it; -formal defines FORMAL.
    read = (f"read_verilog -sv {' '.join(used)}; read_verilog -sv {'-formal' if formal else ''} {own}; "
            f"hierarchy -check -top {block.top}{chosen}; rename -top {block.top}; ")
    read_by_yosys(folder, read + script, files, label(block, parameters))


def read_by_yosys(folder, script, files, what):
    """Run a script of yosys in the folder, which has copies of the files."""
    modules = subprocess.run([os.path.join(HERE, "node-modules")], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.strip()
    # With this budget, less code is compiled twice: half the time for a small block, the same for a large one.
    command = ["node", "--wasm-tiering-budget=40000000", os.path.join(HERE, "elaborate.mjs"),
               os.path.join(modules, "node_modules"), folder, script, *files]
    output(command, folder, f"{what}: yosys cannot read it")


def output(command, folder, complaint):
    """Return the output of a command; Error with the output if it fails."""
    ran = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if ran.returncode:
        raise Error(f"{complaint}\n{ran.stdout[-6000:]}")
    return ran.stdout


def results(function, work, jobs):
    """Yield the function's result, or the Error that it raised, for each entry of work, in order; runs in parallel."""
    def result(entry):
        try:
            return function(*entry)
        except Error as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        yield from shown(pool.map(result, work), len(work))


def shown(made, total):
    """Yield what is made, and show the progress on a terminal; the next line of output replaces it."""
    for count, result in enumerate(made, 1):
        yield result
        if sys.stderr.isatty():
            print(f"{count} of {total} done\r", end="", file=sys.stderr, flush=True)


def report(said):
    """Print the results; return exit status 1 if there is an Error."""
    failed = False
    for entry in said:
        failed |= isinstance(entry, Error)
        print(entry, flush=True)
    return 1 if failed else 0
