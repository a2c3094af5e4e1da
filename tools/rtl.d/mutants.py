# SPDX-License-Identifier: BSD-2-Clause
"""plants the bugs of mutants/BLOCK.txt, one by one, into a copy, and reports which bench or proof catches them

A bug in that file is a line `= NAME`, followed by equal numbers of lines `- TEXT` and `+ TEXT`, or by `- TEXT` alone if
the bug removes it. TEXT occurs once in the block's source, where a blank of it may be any blanks and line ends. Text
before the first bug is a comment. Fails if fewer than 95% are caught, if verilator's lint refuses a bug, which could then never get into the
source, or if a block fails without any bug."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile
import time

import bench
import blocks

GOAL = 0.95
REFUSED = "verilator"   # such a bug cannot exist in the source; it must be rewritten
SECONDS = 900


def options(parser):
    parser.add_argument("--only", metavar="NAME", action="append", help="only this bug; may be given several times")
    parser.add_argument("--benches", action="store_true", help="without the proofs, which may take long")
    parser.add_argument("--lint", action="store_true", help="only look whether verilator's lint takes each bug")
    parser.add_argument("--fits", action="store_true", help="only look whether each bug fits its source")


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


def _quiet(command, folder):
    try:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1   # a hang counts as caught


class Workspace:
    """A built copy of the tree, in which one bug at a time is planted."""

    def __init__(self, folder, benches_of):
        self.tree = _copy(folder)
        self.build = os.path.join(self.tree, "build")
        # -O1: most benches fail soon, so compiling them takes most of the time.
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DTALLY_RTL_OPTIMIZE=-O1"], check=True,
                       stdout=subprocess.DEVNULL)
        for block in benches_of:
            if bench.names(self.build, block):
                blocks.output(["ninja", "-C", self.build, *bench.names(self.build, block)], self.tree,
                              "cannot build the benches")

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
        return _quiet([os.path.join(self.build, "bin", way)], self.tree) and way

    def ways(self, block, proof):
        """Return the proof, if wanted, and the benches, quickest first. Error if one fails: it would catch every bug."""
        seconds = {}
        if self._lint(block):
            raise blocks.Error(f"{block.name}: without any bug, {REFUSED} refuses it")
        for way in [*(["proof"] if proof and block.prove else []), *bench.names(self.build, block)]:
            os.utime(self._source(block))
            start = time.monotonic()
            if self._fails(block, way):
                raise blocks.Error(f"{block.name}: without any bug, {way} fails")
            seconds[way] = time.monotonic() - start
        return sorted(seconds, key=seconds.get)

    def caught_by(self, block, name, changes, ways):
        """Return what catches the bug, or None."""
        with open(self._source(block), "w", encoding="utf-8") as file:
            file.write(_planted(block.source, name, changes))
        try:
            if self._lint(block):
                return REFUSED
            return next(filter(None, (self._fails(block, way) for way in ways)), None)
        finally:
            shutil.copyfile(block.source, self._source(block))


def run(chosen, arguments):
    work = []
    for block in chosen:
        path = block.file("mutants", f"{block.name}.txt")
        if os.path.exists(path):
            work += [(block, name, changes) for name, changes in _read(path)
                     if not arguments.only or name in arguments.only]
    for block, name, changes in work:
        _planted(block.source, name, changes)
    if arguments.fits:
        return 0
    planted = list({entry[0].name: entry[0] for entry in work}.values())
    with tempfile.TemporaryDirectory(prefix="tally-mutants-") as folder:
        workspaces = [Workspace(os.path.join(folder, str(index)), [] if arguments.lint else planted)
                      for index in range(max(1, min(arguments.jobs, len(work))))]
        return _lint_all(work, workspaces) if arguments.lint else _run_all(work, planted, workspaces, not arguments.benches)


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


def _run_all(work, planted, workspaces, proof):
    caught = refused = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        ways = dict(pool.map(lambda block: (block.name, _inside(workspaces, Workspace.ways, block, proof)), planted))
        found = pool.map(lambda entry: _inside(workspaces, Workspace.caught_by, *entry, ways[entry[0].name]), work)
        for (block, name, _), by in zip(work, found):
            caught += by not in (None, REFUSED)
            refused += by == REFUSED
            how = "REFUSED by verilator" if by == REFUSED else f"caught by {by}" if by else "NOT CAUGHT"
            print(f"{block.name}: {name}: {how}", flush=True)
    print(f"{caught} of {len(work)} planted bugs caught, {refused} refused")
    return 0 if not refused and caught >= GOAL * len(work) else 1
