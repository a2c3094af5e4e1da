# SPDX-License-Identifier: BSD-2-Clause
"""A built copy of the tree, in which bugs are planted: one at a time, or many of which the bench chooses one."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import bench
import blocks
import schemata

REFUSED = "verilator"   # such a bug cannot exist in the source; it must be rewritten
SECONDS = 900
SHORTEST, SLOWER = 30, 10   # a bench hangs that takes so many seconds, and so many times as long as without a bug
QUICK = 10                  # further seeds are for benches that take no more seconds
LONGER = 3                  # a proof is given up that takes so many times as long, too
STOPS = -signal.SIGHUP, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL    # statuses of what somebody else has stopped


def _copy(folder):
    """Copy the tree without its builds, whose CMake files refer to the original folders."""
    target = os.path.join(folder, "tree")
    shutil.copytree(blocks.CHECKOUT, target, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "seeds"))
    return target


def _quiet(command, folder, seconds):
    """Return the exit status, or None if the command takes longer. What it has started ends with it. Error if somebody else stops it."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            status = process.wait(seconds)
            if status in STOPS:
                raise blocks.Error(f"{os.path.basename(command[0])} is stopped by signal {-status}")
            return status
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _said(command, folder):
    """Return whether a command fails, and what it says."""
    ran = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", check=False)
    return ran.returncode != 0, ran.stdout


class Workspace:
    """A built copy of the tree."""
    limits = {}     # seconds that a bench, or the proof of a block, may take
    seeded = {}     # the runs of a bench that is built anew for each bug

    def __init__(self, folder):
        self.folder = folder
        self.tree = _copy(folder)
        self.build = os.path.join(self.tree, "build")
        self.options = os.path.join(folder, "verilator")    # further options of verilator for the benches
        self.warns(True)
        # Nobody looks which lines have run.
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build,
                        f"-DTALLY_RTL_OPTIONS=--no-coverage-line;--no-coverage-user;-f;{self.options}"],
                       check=True, stdout=subprocess.DEVNULL)
        self.tests = None   # those of ctest, by name

    def warns(self, wanted):
        """Say whether verilator's warnings end the build of a bench; those of a lint always do."""
        with open(self.options, "w", encoding="utf-8") as file:
            file.write("" if wanted else "-Wno-lint -Wno-style -Wno-fatal\n")

    def _source(self, block):
        return os.path.join(self.tree, os.path.relpath(block.source, blocks.CHECKOUT))

    def _lint_command(self, block):
        if self.tests is None:
            shown = blocks.output(["ctest", "--show-only=json-v1", "-R", "^rtl/.*_lint$"], self.build, "ctest fails")
            self.tests = {test["name"]: test["command"] for test in json.loads(shown)["tests"]}
        return self.tests[f"rtl/{block.name}_lint"]

    def lint(self, block, text, *options):
        """Return whether verilator's lint refuses the block with this text, and what it says."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            path = os.path.join(folder, os.path.basename(block.source))     # the name is that of the module
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            command = [path if part == self._source(block) else part for part in self._lint_command(block)]
            return _said([*command, *options], folder)

    @contextlib.contextmanager
    def planted(self, block, text):
        """Have the block with this text meanwhile."""
        path = self._source(block)
        shutil.copyfile(path, path + ".whole")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            yield
        finally:
            shutil.copyfile(path + ".whole", path)

    def make(self, way):
        """Build a bench; return whether that fails, and what is said."""
        return _said(["ninja", "-C", self.build, way], self.tree)

    def run(self, way, number=0):
        """Return whether the bench (a program with its arguments) fails, with the bug of this number if there are many, and the
        seconds that it took."""
        program, *arguments = way.split()
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            with open(os.path.join(folder, schemata.FILE), "w", encoding="utf-8") as file:
                file.write(f"{number}\n")
            start = time.monotonic()
            failed = _quiet([os.path.join(self.build, "bin", program), *arguments], folder, self.limits.get(way, SECONDS))
            return failed != 0, time.monotonic() - start    # a hang counts as caught

    def runs(self, way):
        """Yield the runs of a bench, each with another seed, as long as it passes without a bug. Note the seconds that it takes."""
        for run in [way, *(f"{way} --seed {2 + other}" for other in range(bench.OTHERS))]:
            failed, seconds = self.run(run)
            if failed:
                raise blocks.Error(f"without any bug, {run} fails")
            self.limit(run, seconds)
            yield run
            if seconds > QUICK:
                return

    def limit(self, way, seconds):
        """Note that a bench takes these seconds without a bug."""
        self.limits[way] = SHORTEST + SLOWER * seconds

    def _prove(self, block):
        """Return the exit status of the proof, or None if it takes too long."""
        return _quiet([os.path.join(self.tree, "tools/rtl"), "--build", self.build, "prove", "--short", block.name],
                      self.tree, self.limits.get(block.name, SECONDS))

    def proof_fails(self, block):
        return self._prove(block) not in (0, None)

    def benches(self, block):
        return bench.names(self.build, block)

    def ways(self, block):
        """Return the benches, quickest first. Error if one fails: it would catch every bug."""
        with open(self._source(block), encoding="utf-8") as file:
            refused, said = self.lint(block, file.read())
        if refused:
            raise blocks.Error(f"{block.name}: without any bug, {REFUSED} refuses it\n{said}")
        benches = self.benches(block)
        if benches:
            blocks.output(["ninja", "-C", self.build, *benches], self.tree, f"{block.name}: cannot build the benches")
        self.seeded.update({way: list(self.runs(way)) for way in benches})
        return sorted(benches, key=self.limits.get)

    def proves(self, block):
        """Return the proof as a way to catch bugs. Error if it fails without any."""
        start = time.monotonic()
        if self._prove(block) != 0:
            raise blocks.Error(f"{block.name}: without any bug, the proof fails, or takes more than {SECONDS} s")
        self.limits[block.name] = SHORTEST + LONGER * (time.monotonic() - start)
        return ["proof"]

    def _fails(self, block, way):
        """Return what fails for the block in its present state: the proof, or the bench `way`; None if it passes."""
        if way == "proof":
            return way if self.proof_fails(block) else None
        if self.make(way)[0]:
            return REFUSED
        return next((run for run in self.seeded[way] if self.run(run)[0]), None)

    def caught_by(self, block, text, ways):
        """Return what catches the bug of this text, or None."""
        if self.lint(block, text)[0]:
            return REFUSED
        with self.planted(block, text):
            return next(filter(None, (self._fails(block, way) for way in ways)), None)
