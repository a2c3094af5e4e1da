# SPDX-License-Identifier: BSD-2-Clause
"""docs/coverage.md: the figures, and the lines that did not run, with reasons that are written by hand."""
import itertools
import os
import re

GOAL = 85       # percent of the lines of these:
EXPLAINED = ("kernel", "providers")
UNEXPLAINED = "?"
TEXT = """\
# Coverage

`make coverage` ({tool}) builds everything again in a copy of the tree, `build/coverage/tree`, with counters for lines:
`gcc --coverage` counts those of user space, GCOV on the debug kernel those of the modules, and Verilator those of the
SystemVerilog. There it runs the unit tests, and all VM tests with the debug kernel. Programs inside the VMs count as well;
a program that is killed loses its counts. Then it writes this page, and pages with every line to `build/coverage/html`.
The counts do not include the tests themselves and generated files. The goal for `kernel/` and `providers/` is {goal}% of the
lines. The command fails if the goal is missed or if a test fails.

This page is the result of `tools/check {patterns}`. The reasons in the last table are written by hand. They are kept from
one run to the next, by file and function; `{unexplained}` stands for a missing reason.

| part | lines | lines that ran | share |
|---|---|---|---|
{parts}

## Kernel and provider, by file

| file | lines | lines that ran | share |
|---|---|---|---|
{files}

## Lines of kernel and provider that did not run

| file | function | lines | reason |
|---|---|---|---|
{missed}
"""


def percent(ran, lines):
    return 100 * ran / lines if lines else 100


def part_of(path):
    return path.split("/", 1)[0]


def _row(name, ran, lines):
    return f"| `{name}` | {lines} | {ran} | {percent(ran, lines):.1f}% |"


def sums(counts):
    """Return the number of lines that ran, and of all lines, for each part."""
    parts = {}
    for path in sorted(counts.lines):
        ran, lines = parts.get(part_of(path), (0, 0))
        more_ran, more_lines = counts.ran(path)
        parts[part_of(path)] = (ran + more_ran, lines + more_lines)
    return parts


def _ranges(numbers):
    """Format [1, 2, 3, 7] as '1-3, 7'."""
    runs = []
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(runs)


def _missed(counts):
    """Return {(file, function): lines that did not run} for the parts whose lines are explained."""
    missed = {}
    for path in sorted(counts.lines):
        if part_of(path) in EXPLAINED:
            for line, count in sorted(counts.lines[path].items()):
                if not count:
                    missed.setdefault((path, counts.functions[path].get(line, "")), []).append(line)
    return missed


def _reasons(page):
    """Return {(file, function): reason} of the existing page."""
    reasons = {}
    if os.path.exists(page):
        with open(page, encoding="utf-8") as f:
            for line in f:
                row = re.fullmatch(r"\| `([^`]+)` \| `([^`]*)` \| [\d, -]+ \| (.*) \|\n", line)
                if row and row.group(3) != UNEXPLAINED:
                    reasons[row.group(1), row.group(2)] = row.group(3)
    return reasons


def write(page, counts, patterns):
    """Write the page. Return the parts below the goal, and the number of functions without a reason."""
    reasons = _reasons(page)
    missed = _missed(counts)
    parts = sums(counts)
    text = TEXT.format(
        tool="`tools/coverage`", patterns=" ".join(patterns), goal=GOAL, unexplained=UNEXPLAINED,
        parts="\n".join(_row(part, *sum_) for part, sum_ in parts.items()),
        files="\n".join(_row(path, *counts.ran(path)) for path in sorted(counts.lines) if part_of(path) in EXPLAINED),
        missed="\n".join(f"| `{path}` | `{function}` | {_ranges(lines)} | "
                         f"{reasons.get((path, function), UNEXPLAINED)} |"
                         for (path, function), lines in missed.items()))
    with open(page, "w", encoding="utf-8") as f:
        f.write(text)
    low = [f"{part}: {percent(*parts[part]):.1f}% of {parts[part][1]} lines ran, the goal is {GOAL}%"
           for part in EXPLAINED if part not in parts or percent(*parts[part]) < GOAL]
    return low, sum(1 for function in missed if function not in reasons)
