# SPDX-License-Identifier: BSD-2-Clause
"""Runs many planted bugs of a block with one build of each bench: schemata.py has how they get into one source.

What verilator does not take among them is left to be planted alone, and so is all if a bench fails without any bug."""
import os
import re

import blocks
import schemata
from workspace import REFUSED


class Together:
    """The bugs of a block that can be in one source: {number: (text, [text of each change])}."""

    def __init__(self, workspace, block, text, bugs):
        self.workspace = workspace
        self.block = block
        self.bugs = bugs
        self.source = schemata.Schemata(text)
        self.alone = [number for number, (whole, changes) in bugs.items() if not self.source.add(number, whole, changes)]
        self.missed = []    # those that no bench has caught

    def run(self, pool):
        """Yield (number, what catches it), also if lint refuses it. Others are in `alone` and `missed` afterwards."""
        numbers = list(self.source.chosen)
        refused = list(pool.map(lambda number: self.workspace.lint(self.block, self.bugs[number][0])[0], numbers))
        yield from ((number, REFUSED) for number, bad in zip(numbers, refused) if bad)
        self.missed = self.usable([number for number, bad in zip(numbers, refused) if not bad])
        self.workspace.warns(False)     # they would be about each choice
        try:
            for way in self.workspace.benches(self.block):
                yield from self._bench(way, pool)
        finally:
            self.workspace.warns(True)

    def _leave(self, numbers):
        """Leave these bugs to be planted alone."""
        self.alone += numbers
        self.missed = [number for number in self.missed if number not in numbers]

    def _culprits(self, said, numbers):
        """Return the bugs of the lines that verilator complains about."""
        lines = self.source.made(numbers)[1]
        found = re.findall(rf"%Error[^\n]*/{re.escape(os.path.basename(self.block.source))}:(\d+):", said)
        return set().union(*(lines.get(int(line), ()) for line in found))

    def usable(self, numbers):
        """Return those of these bugs that verilator takes together, and leave the others."""
        if not numbers:
            return []
        failed, said = self.workspace.lint(self.block, self.source.made(numbers)[0], "-Wno-lint", "-Wno-style", "-Wno-fatal")
        if not failed:
            return numbers
        bad = self._culprits(said, numbers)
        if bad:
            self.alone += bad
            return self.usable([number for number in numbers if number not in bad])
        if len(numbers) == 1:
            self.alone += numbers
            return []
        half = len(numbers) // 2
        first, second = self.usable(numbers[:half]), self.usable(numbers[half:])
        if len(first) + len(second) < len(numbers):
            return self.usable(first + second)
        self.alone += second    # only both of them together do not pass
        return first

    def _bench(self, way, pool):
        """Yield what a bench catches of the bugs that none has caught before."""
        while self.missed:
            with self.workspace.planted(self.block, self.source.made(self.missed)[0]):
                failed, said = self.workspace.make(way)
            if not failed:
                break
            self._leave(self._culprits(said, self.missed) or self.missed)
        if not self.missed:
            return
        try:
            for run in self.workspace.runs(way):
                ran = list(pool.map(lambda number, run=run: self.workspace.run(run, number)[0], self.missed))
                yield from ((number, run) for number, caught in zip(self.missed, ran) if caught)
                self.missed = [number for number, caught in zip(self.missed, ran) if not caught]
                if not self.missed:
                    return
        except blocks.Error:
            self._leave(self.missed)
