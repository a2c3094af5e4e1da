# SPDX-License-Identifier: BSD-2-Clause
"""synthesizes blocks for Xilinx UltraScale+ and writes docs/synthesis.md

Levels are the LUTs on the longest path between two registers, block RAMs, DSPs or ports of the block. Carry chains and
the multiplexers behind LUTs (MUXF7 to MUXF9) are counted with the LUT that they follow. If a SYNTH line has PARTS=1,
modules are synthesized one by one and then joined, because blocks of many lanes take hours as a whole. URAM=1 puts
large memories into URAMs, and UNITS=NAME adds a table of the units of the block, which NAME tells from its other lines, and
one of the units between which paths are too long. With names of blocks the tables are printed instead of written. --paths
adds, for each two instances between which paths are too long, the nets on the longest of them."""
import collections
import functools
import json
import os
import re
import shutil
import tempfile

import blocks
import parts

PAGE = os.path.join(blocks.CHECKOUT, "docs/synthesis.md")
BEGIN, END = "<!-- tools/rtl synth: begin -->\n", "<!-- end -->\n"
MOST_LEVELS = 10
OWN = ("PARTS", "UNITS", "URAM")    # entries of a SYNTH line that are no parameters of the block
SCRIPT = "read_rtlil block.il; synth_xilinx -family xcup {uram} -flatten -top {top} -noiopad; write_json block.json"

LUT = re.compile(r"LUT[1-6]$")
FF = re.compile(r"FD[CPRS]E(_1)?$")
FREE = re.compile(r"(CARRY[48]|MUXF[789]|INV|BUFG)$")       # adds no level
LUT_RAM = re.compile(r"(RAM\d+[MX]|SRL)")                   # written by the clock, read in the same cycle
BLOCK_RAM = re.compile(r"RAMB")
URAM = re.compile(r"URAM")
DSP = re.compile(r"DSP48")
READ_ADDRESS = re.compile(r"(ADDR[A-H]|DPRA\d*|A\d*)$")
UNIT = re.compile(r"(?:\$flatten)?\\?(u_\w+)\.")         # the instance from which a cell came
COUNTED = {"LUTs": LUT, "LUT RAMs": LUT_RAM, "FFs": FF, "block RAMs": BLOCK_RAM, "URAMs": URAM, "DSPs": DSP}
HEAD = (f"| block | parameters | {' | '.join(COUNTED)} | levels | longest path |\n"
        f"|---|---|{'---:|' * len(COUNTED)}---:|---|\n")
LONG_HEAD = f"| paths of the {{}} with more than {MOST_LEVELS} levels: from | to | ends | levels |\n|---|---|---:|---:|\n"
UNITS_HEAD = f"| unit of the {{}} | {' | '.join(COUNTED)} |\n|---|{'---:|' * len(COUNTED)}\n"


def options(parser):
    parser.add_argument("--paths", action="store_true", help="print the nets on paths that are too long")


def _counts(kinds):
    of_kind = collections.Counter(kinds)
    return [sum(number for kind, number in of_kind.items() if pattern.match(kind)) for pattern in COUNTED.values()]


class Netlist:
    """Cells of a synthesized block, and the longest path through its LUTs."""

    def __init__(self, module):
        self.cells = {name: cell for name, cell in module["cells"].items() if not cell["type"].startswith("$")}
        self.names = {bit: name for name, net in module["netnames"].items() for bit in net["bits"]
                      if not net["hide_name"]}
        self.driver = {}
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    for bit in bits:
                        self.driver[bit] = name

    def counts(self):
        """Return the numbers of COUNTED cells."""
        return _counts(cell["type"] for cell in self.cells.values())

    def units(self):
        """Return the same for each instance in the block, which flatten has joined, and "" for the rest."""
        kinds = {}
        for name, cell in self.cells.items():
            unit = UNIT.match(name)
            kinds.setdefault(unit.group(1) if unit else "", []).append(cell["type"])
        return {unit: _counts(kinds[unit]) for unit in sorted(kinds)}

    def kinds(self):
        return sorted({cell["type"] for cell in self.cells.values()})

    def _through(self, name):
        kind = self.cells[name]["type"]
        if LUT.match(kind):
            return 1
        if LUT_RAM.match(kind):
            return 1
        return 0 if FREE.match(kind) else None

    def _inputs(self, name):
        """Return the inputs on which its outputs depend in the same cycle; for a register, all inputs."""
        cell = self.cells[name]
        ram = LUT_RAM.match(cell["type"])
        return [bit for port, bits in cell["connections"].items()
                if cell["port_directions"][port] == "input" and (not ram or self._reads(cell, port)) for bit in bits]

    @staticmethod
    def _reads(cell, port):
        """Return whether this port of a LUT RAM is an output's address. ADDRH, for example, only writes without DOH."""
        letter = port[4:] if port.startswith("ADDR") else ""
        return bool(READ_ADDRESS.match(port)) and (not letter or bool(cell["connections"].get(f"DO{letter}")))

    def _ends(self):
        """Yield the ends of paths: registers, write sides of memories, ports (nets that are driven through LUTs)."""
        for name, cell in self.cells.items():
            if self._through(name) is None or LUT_RAM.match(cell["type"]):
                for port, bits in cell["connections"].items():
                    if cell["port_directions"][port] == "input":
                        yield from bits
        yield from (bit for bit, name in self.driver.items() if self._through(name) is not None)

    @functools.cached_property
    def _paths(self):
        """Return the levels of all ends of paths, and of each bit the one before it on its longest path."""
        depth, before, ends = {}, {}, set(self._ends())
        for end in ends:
            self._measure(end, depth, before)
        return {end: depth[end] for end in ends}, before

    def _way(self, end, before):
        """Return the names of nets of a path, from its end to its start."""
        way = []
        while end is not None:
            if end in self.names:
                way.append(self.names[end])
            end = before.get(end)
        return way

    def longest(self):
        """Return the levels and the way of the longest path, and between which units how many ends have more than MOST_LEVELS."""
        depth, before = self._paths
        if not depth:
            return 0, [], {}
        end = max(depth, key=depth.get)
        between = self.between(lambda net: match.group(1) if (match := UNIT.match(net)) else "")
        return depth[end], self._way(end, before), {units: found[:2] for units, found in between.items()}

    def between(self, where):
        """Return, for each two places between which paths have more than MOST_LEVELS, how many ends these have, and the
        levels and the way of the longest. where() returns the place of a net."""
        depth, before = self._paths
        between = {}
        for end in (bit for bit, levels in depth.items() if levels > MOST_LEVELS):
            way = self._way(end, before) or [""]
            places = where(way[-1]), where(way[0])
            ends, levels, longest = between.get(places, (0, 0, []))
            between[places] = ends + 1, *max((levels, longest), (depth[end], way))
        return between

    def _measure(self, end, depth, before):
        """Compute the depth of a bit without recursion, because paths are long."""
        stack, above = [(end, False)], set()
        while stack:
            bit, ready = stack.pop()
            if bit in depth:
                continue
            if not ready and bit in above:
                raise blocks.Error(f"a loop without a register, at {self.names.get(bit, bit)}")
            name = self.driver.get(bit)
            own = self._through(name) if name is not None else None
            if own is None:
                depth[bit] = 0
                continue
            sources = self._inputs(name)
            if not ready:
                above.add(bit)
                stack.append((bit, True))
                stack += [(source, False) for source in sources if source not in depth]
                continue
            last = max(sources, key=lambda source: depth.get(source, 0))
            depth[bit] = own + depth.get(last, 0)
            before[bit] = last
            above.discard(bit)


def _yosys(folder):
    """Copy yosys with its library, and return its path.

    Yosys 0.23 gives the LUT RAM of 512 words 16 bits of address in its list, but has none of that size."""
    found = os.path.realpath(shutil.which("yosys") or "")
    shutil.copytree(os.path.join(os.path.dirname(found), "../share/yosys"), os.path.join(folder, "share/yosys"))
    os.mkdir(os.path.join(folder, "bin"))
    rams = os.path.join(folder, "share/yosys/xilinx/lutrams_xcu.txt")
    with open(rams, encoding="utf-8") as file:
        text = file.read()
    with open(rams, "w", encoding="utf-8") as file:
        file.write(text.replace('option "ABITS" 16 {', 'option "ABITS" 9 {').replace("abits 16;", "abits 9;"))
    return shutil.copy(found, os.path.join(folder, "bin/yosys"))


def _figures(jobs, paths, block, line):
    what = blocks.label(block, line)
    parameters, said = blocks.split(line, OWN)
    uram = "-uram" if "URAM" in said else ""
    with tempfile.TemporaryDirectory(prefix="tally-synth-") as folder:
        blocks.elaborate(block, parameters, folder, "proc; write_rtlil block.il")
        yosys = _yosys(folder)
        if "PARTS" in said:
            parts.synthesize(yosys, folder, block.top, uram, jobs)
        else:
            script = SCRIPT.format(top=block.top, uram=uram)
            blocks.output([yosys, "-q", "-p", script], folder, f"{what}: cannot be synthesized")
        with open(os.path.join(folder, "block.json"), encoding="utf-8") as file:
            module = json.load(file)["modules"][block.top]
    netlist = Netlist(module)
    strange = [kind for kind in netlist.kinds() if kind.startswith("tally_")]
    if strange:
        raise blocks.Error(f"{what}: black boxes: {' '.join(strange)}")
    levels, way, between = netlist.longest()
    return {"counts": netlist.counts(), "units": netlist.units() if "UNITS" in said else {}, "levels": levels, "way": way,
            "name": f"{said.get('UNITS')} `{block.top}`",
            "long": between if "UNITS" in said else {}, "ways": netlist.between(_instance) if paths else {}}


def _cells(counts):
    return " | ".join(map(str, counts))


def _row(block, line, figures):
    way = figures["way"]
    shown = f"`{way[-1]}` to `{way[0]}`" if way else ""
    return (f"| `{block.top}` | {line.replace(' ', ', ')} | {_cells(figures['counts'])} "
            f"| {figures['levels']} | {shown} |\n")


def _units(figures):
    """Return the table of the block's units, or nothing."""
    rows = "".join(f"| {_unit(unit)} | {_cells(counts)} |\n"
                   for unit, counts in figures["units"].items())
    return f"\n{UNITS_HEAD.format(figures['name'])}{rows}{_long(figures)}" if rows else ""


def _unit(name):
    return f"`{name}`" if name else "between them"


def _long(figures):
    """Return the table of paths that are longer than they may be, the longest first, or nothing."""
    rows = "".join(f"| {_unit(start)} | {_unit(end)} | {ends} | {levels} |\n"
                   for (start, end), (ends, levels) in sorted(figures["long"].items(),
                                                              key=lambda item: (-item[1][1], item[0])))
    return f"\n{LONG_HEAD.format(figures['name'])}{rows}" if rows else ""


def _instance(net):
    return net.rpartition(".")[0]


def _ways(figures):
    """Return a line for each two instances between which paths are too long, the longest first."""
    return "".join(f"{levels} levels, {ends} ends: {' > '.join(reversed(way))}\n"
                   for ends, levels, way in sorted(figures["ways"].values(), key=lambda found: -found[1]))


def run(chosen, arguments):
    rows, units, failed, long = [], [], False, False
    work = [(block, line) for block in chosen for line in block.synth]
    print(HEAD, end="", flush=True)
    figures_of = functools.partial(_figures, arguments.jobs, arguments.paths)
    for (block, line), figures in zip(work, blocks.results(figures_of, work, arguments.jobs)):
        if isinstance(figures, blocks.Error):
            print(figures, flush=True)
            failed = True
            continue
        rows.append(_row(block, line, figures))
        units.append(_units(figures))
        print(rows[-1] + _ways(figures), end="", flush=True)
        long |= figures["levels"] > MOST_LEVELS
    print("".join(units), end="", flush=True)
    if not arguments.block and not failed:
        _write(HEAD + "".join(rows + units))
    return 1 if failed or long else 0


def _write(tables):
    with open(PAGE, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + tables + END + after)
