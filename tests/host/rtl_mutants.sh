#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `tools/rtl mutants --record` runs the bugs whose result is not known, keeps each at once, and `--report` tells what is of earlier
# sources or has never run. No bench is built here: a stand-in says which bug is caught.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

/usr/bin/python3 - "$folder" << 'EOF'
import argparse
import contextlib
import fcntl
import io
import json
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tools/rtl.d")
import blocks
import mutants
import scores
import workspace

ROOT = sys.argv[1]
BUILD = os.path.join(ROOT, "build")
BUGS = "= one\n- 1\n+ 2\n= two\n- 3\n+ 4\n= three\n- 5\n+ 6\n"
blocks.CHECKOUT = ROOT


def put(name, text):
    path = os.path.join(ROOT, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def get(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def configure(parameters):
    files = [os.path.join(ROOT, "uapi/gen/tally_pkg.sv"), *(os.path.join(ROOT, "rtl/f", name) for name in ("tally_in.sv", "tally_b.sv"))]
    put("build/rtl/blocks.jsonl", json.dumps({"block": "b", "folder": os.path.join(ROOT, "rtl/f"), "files": files, "prove": [], "synth": []}))
    bench = os.path.join(ROOT, "rtl/f/bench/../bench/b_bench.cpp")
    put("build/rtl/benches.jsonl", json.dumps({"block": "b", "files": [bench, *files], "parameters": parameters}))


class Workspace:
    """Says that all bugs are caught but two; the run is stopped at the bug `stop`."""
    ran = []
    stop = None

    def __init__(self, folder):
        pass

    def ways(self, block):
        return ["b_bench"]

    def caught_by(self, block, text, ways):
        name = next(name for name, changes in mutants._bugs(block) if mutants._planted(block.source, name, changes) == text)
        if name == self.stop:
            raise KeyboardInterrupt
        self.ran.append(name)
        return {"two": None, "refused": mutants.REFUSED}.get(name, "b_bench")


class Together:
    """Has some bugs in one build; of these one is refused, and the bench misses another one. The rest is planted alone."""
    having = ()     # their names

    def __init__(self, workspace, block, text, bugs):
        names = {mutants._planted(block.source, name, changes): name for name, changes in mutants._bugs(block)}
        self.names = {number: names[whole] for number, (whole, _) in bugs.items()}
        self.alone = [number for number, name in self.names.items() if name not in self.having]
        self.missed = [number for number, name in self.names.items() if name in self.having and name == "two"]

    def run(self, pool):
        for number, name in self.names.items():
            if number not in self.alone + self.missed:
                Workspace.ran.append(name)
                yield number, mutants.REFUSED if name == "refused" else "b_bench"


mutants.Workspace = Workspace
mutants.together.Together = Together


def run(*options):
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=BUILD)
    parser.add_argument("--jobs", type=int, default=1)
    mutants.options(parser)
    Workspace.ran = []
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = mutants.run(blocks.load(BUILD, []), parser.parse_args(options))
    return status, said.getvalue()


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


put("uapi/gen/tally_pkg.sv", "package")
put("rtl/f/tally_in.sv", "module in;")
put("rtl/f/tally_b.sv", "1 3 5 // text")
put("rtl/f/bench/b_bench.cpp", '#include "b_model.h"\n#include "elsewhere.h"\n')
put("rtl/f/bench/b_model.h", "int model;")
put("rtl/f/bench/b_model.c", "int model = 1;")
put("rtl/f/mutants/b.txt", BUGS)
put("docs/rtl.md", "before\n<!-- tools/rtl mutants: begin -->\n<!-- tools/rtl mutants: end -->\nafter\n")
configure(["A=1"])

Workspace.stop = "three"
with contextlib.suppress(KeyboardInterrupt):
    run("--record")
expect("before the stop", Workspace.ran, ["one", "two"])
Workspace.stop = None
try:
    run("--only", "one", "--only", "none")
    sys.exit("a bug that does not exist is taken")
except blocks.Error as error:
    expect("a bug that does not exist", str(error), "none: no such bug in these blocks")
expect("with a bug that is not caught", run("--record")[0], 0)
expect("after the stop", Workspace.ran, ["three"])
run("--record")
expect("with all results known", Workspace.ran, [])
expect("the report", run("--report"), (0, "b: 2 of 3 caught\n  not caught: two\n"))
if "| `f` | 3 | 2 | 0 | 66.7% |\n" not in get("docs/rtl.md") or "| `tally_b` | 3 | two |" not in get("docs/rtl.md"):
    sys.exit(f"the document says: {get('docs/rtl.md')}")
expect("the document of the record", run("--check")[0], 0)
put("docs/rtl.md", get("docs/rtl.md").replace("66.7", "100.0"))
expect("another document", run("--check")[0], 1)

folder = os.open(os.path.join(ROOT, "rtl"), os.O_RDONLY)
fcntl.flock(folder, fcntl.LOCK_EX)
try:
    run("--record")
    sys.exit("two runs write one record")
except blocks.Error as error:
    expect("a record that another run writes", str(error), "rtl/mutants.json: another run of tools/rtl mutants --record writes it")
os.close(folder)

quiet = workspace._quiet
expect("a bench that fails", quiet(["sh", "-c", "exit 3"], ROOT, 60), 3)
expect("one that aborts", quiet(["sh", "-c", "kill -ABRT $$"], ROOT, 60), -signal.SIGABRT)
expect("one that hangs", quiet(["sleep", "60"], ROOT, 0.1), None)
try:
    quiet(["sh", "-c", "kill -TERM $$"], ROOT, 60)
    sys.exit("a bench that somebody stops counts as one that fails")
except blocks.Error as error:
    expect("one that is stopped", str(error), "sh is stopped by signal 15")

put("rtl/f/mutants/b.txt", BUGS.replace("+ 6", "+ 7"))
expect("a changed bug", run("--report")[1], "b: 1 of 3 caught, 1 never run\n  not caught: two\n")
run("--record")
expect("runs of a changed bug", Workspace.ran, ["three"])
put("rtl/f/mutants/b.txt", BUGS.replace("three", "refused"))
expect("a refused bug", run("--record", "--only", "refused")[0], 1)
expect("its report", run("--report")[1],
       "b: 1 of 3 caught\n  not caught: two\n  refused by verilator: refused\n")
put("rtl/f/mutants/b.txt", BUGS[:BUGS.index("= three")])
run("--record")
if "refused" in get("rtl/mutants.json"):
    sys.exit("the record has a bug that is not planted any more")

put("rtl/f/tally_b.sv", "1 3 5 // another text")
put("uapi/gen/tally_pkg.sv", "other package")
expect("another comment or package", run("--report")[1], "b: 1 of 2 caught\n  not caught: two\n")
for name, text in (("rtl/f/tally_b.sv", "1 3 5 7"), ("rtl/f/tally_in.sv", "module in(x);"), ("rtl/f/bench/b_model.c", "int model = 2;"),
                   ("rtl/f/bench/b_bench.cpp", "int main() {}")):
    old = get(name)
    put(name, text)
    expect(name, run("--report")[1], "b: 1 of 2 caught, 2 run with earlier sources\n  not caught: two\n")
    put(name, old)
configure(["A=2"])
expect("other parameters", run("--report")[1], "b: 1 of 2 caught, 2 run with earlier sources\n  not caught: two\n")
run("--record", "--only", "one")
expect("one run again", Workspace.ran, ["one"])
expect("the other one", run("--report")[1], "b: 1 of 2 caught, 1 run with earlier sources\n  not caught: two\n")

put("rtl/f/mutants/b.txt", BUGS + "= refused\n- 5\n+ 8\n")
configure(["A=3"])
Together.having = ("one", "two", "refused")
expect("some together", run("--record")[1].splitlines(),
       ["b: one: caught by b_bench", "b: refused: REFUSED by verilator", "b: two: NOT CAUGHT", "b: three: caught by b_bench",
        "2 of 4 planted bugs caught, 1 refused"])
expect("runs of them", Workspace.ran, ["one", "refused", "three"])
expect("their report", run("--report")[1], "b: 2 of 4 caught\n  not caught: two\n  refused by verilator: refused\n")
configure(["A=4"])
run("--record", "--one-by-one")
expect("runs one by one", Workspace.ran, ["one", "two", "three", "refused"])


def nic(*files):
    """Say which files the NIC has."""
    path = "build/rtl/blocks.jsonl"
    own = json.dumps({"block": "nic", "folder": os.path.join(ROOT, "rtl/n"), "files": list(files), "prove": [], "synth": []})
    put(path, get(path).splitlines()[0] + "\n" + own + "\n")


tried = []
mutants.survivors.run = lambda workspace, pool, bugs: [(number, tried.append(text) or Workspace.stop)
                                                       for _, _, of_block in bugs for number, (text, _) in of_block.items()]
put("rtl/n/tally_nic.sv", "module nic;")
nic(os.path.join(ROOT, "rtl/n/tally_nic.sv"))
expect("a block that is not in the NIC", run("--survivors", "--record"), (0, "0 of 1 survivors caught\n"))
nic(os.path.join(ROOT, "rtl/f/tally_b.sv"), os.path.join(ROOT, "rtl/n/tally_nic.sv"))
expect("one that survives", run("--survivors", "--record"), (0, "b: two: NOT CAUGHT\n0 of 1 survivors caught\n"))
expect("what was run", tried, ["1 4 5 // another text"])
Workspace.stop = "campaign"
expect("one that does not", run("--survivors", "--record"), (0, "b: two: caught by campaign\n1 of 1 survivors caught\n"))
expect("none that is left", run("--survivors", "--record"), (0, "0 of 0 survivors caught\n"))
expect("a bug that a campaign has caught", run("--report")[1],
       "b: 3 of 4 caught\n  by campaign: two\n  refused by verilator: refused\n")
if "| `f` | 4 | 2 | 1 | 75.0% |\n" not in get("docs/rtl.md") or "| `tally_b` | 4 | refused |" not in get("docs/rtl.md"):
    sys.exit(f"the document says: {get('docs/rtl.md')}")
Workspace.stop = None
run("--record")
expect("runs after it", Workspace.ran, [])
configure(["A=5"])
nic(os.path.join(ROOT, "rtl/f/tally_b.sv"))
expect("survivors of earlier sources", run("--survivors", "--record"), (0, "0 of 0 survivors caught\n"))
EOF
