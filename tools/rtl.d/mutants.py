# SPDX-License-Identifier: BSD-2-Clause
"""plants the bugs of mutants/BLOCK.txt, one by one, into a copy, and reports which bench or proof catches them

A bug in that file is a line `= NAME`, followed by equal numbers of lines `- TEXT` and `+ TEXT`, or by `- TEXT` alone if
the bug removes it. TEXT occurs once in the block's source, where a blank of it may be any blanks and line ends. Text
before the first bug is a comment. Fails if fewer than 95% are caught, if verilator's lint refuses a bug, which could then never get into the
source, or if a block fails without any bug.

With --record the result of each bug is written to rtl/mutants.json, and a bug whose result for the present sources is
there already is not run again. --report shows what is there, and what of it is of earlier sources; both write the table
in docs/rtl.md."""
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import bench
import blocks
import scores

GOAL = 0.95
REFUSED = "verilator"   # such a bug cannot exist in the source; it must be rewritten
SECONDS = 900
SHORTEST, SLOWER = 30, 10   # a bench hangs that takes so many seconds, and so many times as long as without a bug


def options(parser):
    parser.add_argument("--only", metavar="NAME", action="append", help="only this bug; may be given several times")
    parser.add_argument("--benches", action="store_true", help="without the proofs, which may take long")
    parser.add_argument("--lint", action="store_true", help="only look whether verilator's lint takes each bug")
    parser.add_argument("--fits", action="store_true", help="only look whether each bug fits its source")
    parser.add_argument("--record", action="store_true", help="only bugs whose result is not known, and record it")
    parser.add_argument("--report", action="store_true", help="only show what has been recorded")
    parser.add_argument("--check", action="store_true", help="only look whether the table of docs/rtl.md is that of the record")


def _read(path):
    """Return (name, [(old, new)]) for each bug of a file."""
    bugs = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("= "):
                bugs.append((line[2:], [], []))
            elif bugs and line.startswith("- "):
                bugs[-1][1].append(line[2:])
            elif bugs and line.startswith("+ "):
                bugs[-1][2].append(line[2:])
    return [(name, list(zip(old, new or [""] * len(old), strict=True))) for name, old, new in bugs]


def _planted(path, name, changes):
    """Return the source with the bug."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        parts = re.split(r"\s+".join(map(re.escape, old.split())), text)
        if len(parts) != 2:
            raise blocks.Error(f"{os.path.basename(path)}: {name}: '{old}' occurs {len(parts) - 1} times")
        text = new.join(parts)
    return text


def _copy(folder):
    """Copy the tree without its builds, whose CMake files refer to the original folders."""
    target = os.path.join(folder, "tree")
    shutil.copytree(blocks.CHECKOUT, target, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "seeds"))
    return target


def _quiet(command, folder, seconds=SECONDS):
    try:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1   # a hang counts as caught


class Workspace:
    """A built copy of the tree, in which one bug at a time is planted."""
    limits = {}     # seconds that a bench may take; a bug may make it hang

    def __init__(self, folder):
        self.tree = _copy(folder)
        self.build = os.path.join(self.tree, "build")
        self.took = 0   # seconds that the last bench took
        # -O1: most benches fail soon, so compiling them takes most of the time.
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DTALLY_RTL_OPTIMIZE=-O1"], check=True,
                       stdout=subprocess.DEVNULL)

    def _source(self, block):
        return os.path.join(self.tree, os.path.relpath(block.source, blocks.CHECKOUT))

    def _lint(self, block):
        return _quiet(["ctest", "-R", f"^rtl/{block.name}_lint$", "--no-tests=error"], self.build)

    def _fails(self, block, way):
        """Return what fails for the block in its present state: the proof, or the bench `way`; None if it passes."""
        if way == "proof":
            return _quiet([os.path.join(self.tree, "tools/rtl"), "--build", self.build, "prove", "--short", block.name],
                          self.tree) and way
        if _quiet(["ninja", "-C", self.build, way], self.tree):
            return REFUSED
        start = time.monotonic()
        failed = _quiet([os.path.join(self.build, "bin", way)], self.tree, self.limits.get(way, SECONDS))
        self.took = time.monotonic() - start
        return failed and way

    def ways(self, block, proof):
        """Return the proof, if wanted, and the benches, quickest first. Error if one fails: it would catch every bug."""
        seconds = {}
        if self._lint(block):
            raise blocks.Error(f"{block.name}: without any bug, {REFUSED} refuses it")
        benches = bench.names(self.build, block)
        if benches:
            blocks.output(["ninja", "-C", self.build, *benches], self.tree, f"{block.name}: cannot build the benches")
        for way in [*(["proof"] if proof and block.prove else []), *benches]:
            os.utime(self._source(block))
            start = time.monotonic()
            if self._fails(block, way):
                raise blocks.Error(f"{block.name}: without any bug, {way} fails")
            seconds[way] = time.monotonic() - start
            self.limits[way] = SHORTEST + SLOWER * self.took
        return sorted(seconds, key=seconds.get)

    def caught_by(self, block, name, changes, ways):
        """Return what catches the bug, or None."""
        whole = self._source(block) + ".whole"
        shutil.copyfile(self._source(block), whole)
        with open(self._source(block), "w", encoding="utf-8") as file:
            file.write(_planted(whole, name, changes))
        try:
            if self._lint(block):
                return REFUSED
            return next(filter(None, (self._fails(block, way) for way in ways)), None)
        finally:
            shutil.copyfile(whole, self._source(block))


def _bugs(block):
    """Return the bugs planted in a block."""
    path = block.file("mutants", f"{block.name}.txt")
    return _read(path) if os.path.exists(path) else []


def run(chosen, arguments):
    record = scores.Record(os.path.join(blocks.CHECKOUT, scores.RECORD))
    if arguments.report or arguments.check:
        return _report(chosen, record, arguments)
    work = [(block, name, changes) for block in chosen for name, changes in _bugs(block)
            if not arguments.only or name in arguments.only]
    for block, name, changes in work:
        _planted(block.source, name, changes)
    if arguments.fits:
        return 0
    now = {block.name: scores.sources(block) for block in chosen}   # before a copy is made, since they may change then
    if arguments.record:
        for block in chosen:
            record.keep(block.name, [scores.bug(*entry) for entry in _bugs(block)])
        work = [entry for entry in work if not record.has(entry[0].name, scores.bug(*entry[1:]), now[entry[0].name])]
    with tempfile.TemporaryDirectory(prefix="tally-mutants-") as folder:
        workspaces = [Workspace(os.path.join(folder, str(index)))
                      for index in range(max(1, min(arguments.jobs, len(work))))]
        if arguments.lint:
            return _lint_all(work, workspaces)
        done = _run_all(work, workspaces, not arguments.benches,
                        lambda block, name, changes, how: arguments.record and
                        record.put(block.name, scores.bug(name, changes), now[block.name], how))
    if arguments.record:
        scores.update(blocks.load(arguments.build, []), record, False)
    return done


def _report(chosen, record, arguments):
    if arguments.report:
        print("\n".join(scores.report(chosen, _bugs, record)))
    if scores.update(blocks.load(arguments.build, []), record, arguments.check):
        print(f"rtl: {scores.DOCUMENT} differs from {scores.RECORD}: run tools/rtl mutants --report", file=sys.stderr)
        return 1
    return 0


def _inside(workspaces, method, *what):
    """Call the method in a workspace that nobody uses."""
    workspace = workspaces.pop()
    try:
        return method(workspace, *what)
    finally:
        workspaces.append(workspace)


def _lint_all(work, workspaces):
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        found = pool.map(lambda entry: _inside(workspaces, Workspace.caught_by, *entry, []), work)
        for (block, name, _), by in zip(work, found):
            if by == REFUSED:
                print(f"{block.name}: {name}: REFUSED by verilator", flush=True)
                refused += 1
    print(f"{refused} of {len(work)} planted bugs refused")
    return 1 if refused else 0


def _run_block(entries, workspaces, pool, proof):
    """Yield what catches each bug of a block."""
    ways = _inside(workspaces, Workspace.ways, entries[0][0], proof)
    yield from pool.map(lambda entry: _inside(workspaces, Workspace.caught_by, *entry, ways), entries)


def _run_all(work, workspaces, proof, tell):
    caught = refused = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        for _, entries in itertools.groupby(work, lambda entry: entry[0].name):
            entries = list(entries)
            try:
                for (block, name, changes), by in zip(entries, _run_block(entries, workspaces, pool, proof)):
                    caught += by not in (None, REFUSED)
                    refused += by == REFUSED
                    missed = f"REFUSED by {REFUSED}" if by == REFUSED else "" if by else "NOT CAUGHT"
                    print(f"{block.name}: {name}: {missed or f'caught by {by}'}", flush=True)
                    tell(block, name, changes, f"{missed.lower()}: {name}" if missed else "")
            except blocks.Error as error:
                print(f"rtl: {error}", file=sys.stderr, flush=True)
    print(f"{caught} of {len(work)} planted bugs caught, {refused} refused")
    return 0 if not refused and caught >= GOAL * len(work) else 1
