# SPDX-License-Identifier: BSD-2-Clause
"""copies the cycles that the blocks' benches measure to simulator and planner

Runs these benches, and writes the tables in docs/rtl.md and plan/cycles.h, which gives the simulator the latencies of
its engine and the planner its costs. The stages of the engine's model follow from paths through the assembled NIC, those
of a NIC that only moves messages from single blocks. What nothing does yet keeps an estimate, which is marked as one.
With --check nothing is written, and the exit status is 1 if a file differs from what the benches measure. Then a path
through the NIC may differ by 5% from its clocks in docs/rtl.md, so not each clock of it makes all results of docs/bench.md
old."""
import dataclasses
import os
import re
import sys
import typing

import bench
import blocks

HEADER = "plan/cycles.h"
DOCUMENT = "docs/rtl.md"
BENCHES = ["parser_bench", "encap_bench", "ordered_bench", "rmq_bench", "alu_full_bench", "nic_bench"]
LINE = re.compile(r"^cycles: (\w+)\.(\w+) (\d+)$", re.MULTILINE)


TOLERANCE = 0.05  # of a path through the NIC


@dataclasses.dataclass
class Stage:
    """The cycles of a stage: a sum of paths (or a difference, "-NAME"), the longest measured by benches, or an estimate."""
    name: str
    what: str
    measured: tuple = ()
    paths: tuple = ()
    estimate: int = 0

    def terms(self):
        """Return sign and name of each path."""
        return [("-" if path[0] == "-" else "+", path.lstrip("-")) for path in self.paths]

    def names(self):
        return [*self.measured, *(name for _sign, name in self.terms())]

    def cycles(self, found):
        if self.paths:
            return sum(found[name] if sign == "+" else -found[name] for sign, name in self.terms())
        return max(found[name] for name in self.measured) if self.measured else self.estimate

    def source(self, found):
        if self.paths:
            text = " ".join(f"{sign} {name} {found[name]}" for sign, name in self.terms())
            return "measured: " + text.removeprefix("+ ")
        if self.measured:
            return "measured: " + ", ".join(f"{name} {found[name]}" for name in self.measured)
        return "estimate: no block does this yet"


# What the engine's model charges.
STAGES = [
    Stage("request", "from the doorbell of a pushed request until its data are in the segment",
          paths=("nic.post", "-nic.pass", "nic.arrive")),
    Stage("parse", "from the last word of a packet until the segment store has it", paths=("nic.arrive",)),
    Stage("alu", "combines the last operand with the waiting one", paths=("nic.combine", "-nic.pass")),
    Stage("chain", "combines the result with the next one", ("ordered.chain",)),
    Stage("encap", "from the segment store until the first word of a packet leaves", paths=("nic.pass", "-nic.arrive")),
    Stage("status", "from a result in the segment store until the completion is written",
          paths=("nic.result", "-nic.arrive")),
    Stage("access", "the firmware reads or writes a register, with what it computes between two", estimate=4),
    Stage("event", "the firmware takes an event", estimate=20),
]

# The same of a NIC that only moves messages: blocks without groups, edges and segments.
BLOCKS = [
    Stage("request", "decodes a work request", estimate=25),
    Stage("parse", "parses a packet, counted from its last word", ("parser.header", "parser.payload")),
    Stage("encap", "forms a packet, counted until its first word leaves", ("encap.header", "encap.payload")),
    Stage("status", "forms a completion", estimate=25),
]


@dataclasses.dataclass
class Path:
    """A path through the whole NIC, the stages of the model that take its time, and goals of the first and final assembly."""
    name: str
    what: str
    stages: tuple = ()
    first: typing.Optional[int] = None
    final: typing.Optional[int] = None

    def model(self, stages):
        return sum(stages[name] for name in self.stages)


PATHS = [
    Path("nic.post", "doorbell of a pushed request in, first word of its packet out", ("request", "encap"), 60, 40),
    Path("nic.combine", "last contribution in, first word of the sum out", ("parse", "alu", "encap"), 70, 50),
    Path("nic.pass", "result of the parent in, first word of the copy for a child out", ("parse", "encap")),
    Path("nic.result", "result of the parent in, completion written", ("parse", "status"), 50, 40),
    Path("nic.request", "of a post: doorbell in, request parsed"),
    Path("nic.arrive", "of a result: last word in, its record behind the input of the segment store", ("parse",)),
    Path("nic.status", "of a result: its write answered, completion written"),
]


def options(parser):
    parser.add_argument("--check", action="store_true", help="write nothing; the exit status is 1 if a file differs")


def measured(build):
    """Return the cycles that the benches print, by block and name."""
    found = {}
    for program in BENCHES:
        said = LINE.findall(bench.ran(build, program))
        if not said:
            raise blocks.Error(f"{program} measures no cycles")
        found.update({f"{block}.{name}": int(cycles) for block, name, cycles in said})
    wanted = [name for stage in [*STAGES, *BLOCKS] for name in stage.names()] + [path.name for path in PATHS]
    missing = [name for name in wanted if name not in found]
    if missing:
        raise blocks.Error(f"no bench measures {', '.join(missing)}")
    # The benches of these blocks have no ALU.
    for block, folder in (("ordered", "segment"), ("rmq", "queue")):
        if found[f"{block}.alu"] != found["alu.word"]:
            raise blocks.Error(f"{block}_bench assumes an ALU of {found[f'{block}.alu']} cycles, alu_full_bench measures "
                               f"{found['alu.word']}: rtl/{folder}/CMakeLists.txt")
    return found


def close(one, other):
    return abs(one - other) <= TOLERANCE * other


def modelled(found):
    """Return the clocks of each path in the model, which must be those that are measured."""
    stages = {stage.name: stage.cycles(found) for stage in STAGES}
    if min(stages.values()) < 0:
        raise blocks.Error(f"a stage of the model takes negative time: {stages}")
    clocks = {path.name: path.model(stages) for path in PATHS if path.stages}
    for name, cycles in clocks.items():
        if not close(cycles, found[name]):
            raise blocks.Error(f"{name} takes {found[name]} clocks, but its stages {cycles}")
    return clocks


def defines(prefix, stages, found):
    return "".join(f"/* {stage.what}; {stage.source(found)} */\n"
                   f"#define {prefix}_{stage.name.upper()} {stage.cycles(found)}\n" for stage in stages)


def goals():
    return "".join(f"/* {path.what} */\n#define GOAL_CYCLES_{path.name.removeprefix('nic.').upper()} {path.final}\n"
                   for path in PATHS if path.final)


def header(found):
    return f"""\
/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generated by `tools/rtl cycles` from the measurements of the benches of rtl/; do not edit.
 * Cycles of the NIC's engine, the defaults of the simulator's engine and of the planner; of a NIC that
 * only moves messages, for the software with which the bench compares; and the goals of paths through
 * the NIC, against which targets are tested.
 */
#ifndef TALLY_PLAN_CYCLES_H
#define TALLY_PLAN_CYCLES_H

{defines("ENGINE_CYCLES", STAGES, found)}
{defines("BLOCK_CYCLES", BLOCKS, found)}
{goals()}
#endif
"""


def table(stages, found):
    rows = "".join(f"| `{stage.name}` | {stage.what} | {stage.cycles(found)} | {stage.source(found)} |\n"
                   for stage in stages)
    return f"| stage | what it does | cycles | from |\n|---|---|---|---|\n{rows}"


def paths(found):
    clocks = modelled(found)
    rows = ""
    for path in PATHS:
        stages = f"{' + '.join(f'`{name}`' for name in path.stages)}: {clocks[path.name]}" if path.stages else ""
        rows += f"| `{path.name}` | {path.what} | {found[path.name]} | {stages} | {path.first or ''} | {path.final or ''} |\n"
    return ("| path | from, to | clocks | stages of the model | goal, first assembly | goal, final |\n"
            f"|---|---|---:|---|---:|---:|\n{rows}")


def documented(text, found):
    """Return what was measured, but with the document's clocks of each path that is close to them."""
    kept = dict(found)
    for path in PATHS:
        row = re.search(rf"^\| `{re.escape(path.name)}` \| [^|]* \| (\d+) \|", text, re.MULTILINE)
        if row and close(int(row[1]), found[path.name]):
            kept[path.name] = int(row[1])
    return kept


def document(text, found):
    """Return the document with the tables between their markers."""
    for marker, made in (("cycles", table(STAGES, found)), ("blocks", table(BLOCKS, found)), ("paths", paths(found))):
        text, count = re.subn(rf"(<!-- tools/rtl cycles: begin {marker} -->\n).*(<!-- tools/rtl cycles: end {marker} -->)",
                              lambda match, made=made: match[1] + made + match[2], text, flags=re.DOTALL)
        if count != 1:
            raise blocks.Error(f"{DOCUMENT}: {count} places for the table of {marker}, not one")
    return text


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def run(_chosen, arguments):
    found = measured(arguments.build)
    text = read(os.path.join(blocks.CHECKOUT, DOCUMENT))
    wrong = 0
    if arguments.check:
        found = documented(text, found)
    for name, content in ((HEADER, header(found)), (DOCUMENT, document(text, found))):
        path = os.path.join(blocks.CHECKOUT, name)
        if read(path) == content:
            continue
        if arguments.check:
            print(f"rtl: {name} differs from what the benches measure: run tools/rtl cycles", file=sys.stderr)
            wrong = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            print(f"wrote {name}")
    return wrong
