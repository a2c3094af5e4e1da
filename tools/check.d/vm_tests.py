# SPDX-License-Identifier: BSD-2-Clause
"""Tests inside VMs: parses the headers of tests/vm, and decides which tests share a boot."""
import functools
import glob
import os
import re
import shlex

import lanes
import vm_boot
from kernels import SLOWNESS

SECONDS = 60            # of one test, unless its header has a time limit
BUILD_SECONDS = 3600    # of the programs, if they are missing
SHARED_SECONDS = 900    # approximate sum of one boot: more boots keep all lanes busy to the end
LABELS = {"stock": "vm", "debug": "vm-debug"}    # labels of the tests, by kernel


class VmTest:
    """A file of tests/vm: its name and the settings in its header."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".test")
        with open(path, encoding="utf-8", errors="replace") as f:
            header = [line for _, line in zip(range(20), f)]
        self.options = tuple(shlex.split(self._header(header, "lab", "")))
        self.seconds = int(self._header(header, "timeout", str(SECONDS)))
        self.kernels = self._kernels(self._header(header, "kernels", ""))
        if self.seconds < 1:
            raise ValueError(f"'# timeout: {self.seconds}' is not a time limit")
        if not os.access(path, os.X_OK):
            raise ValueError("not executable")

    @staticmethod
    def _header(lines, key, default):
        for line in lines:
            if line.startswith(f"# {key}:"):
                return line.split(":", 1)[1].strip()
        return default

    @staticmethod
    def _kernels(text):
        """Return the kernels to run with; ValueError if these are not all and no reason is given."""
        if not text:
            return tuple(LABELS)
        only = re.fullmatch(r"(\w+) \(.+\)", text)
        if not only or only.group(1) not in LABELS:
            raise ValueError(f"'# kernels: {text}' is not '# kernels: {'|'.join(LABELS)} (REASON)'")
        return (only.group(1),)


def _paths(checkout):
    return sorted(glob.glob(os.path.join(checkout, "tests/vm/*.test")))


def names(checkout):
    tests = [VmTest(path) for path in _paths(checkout)]
    return [f"{label}/{test.name}" for kernel, label in LABELS.items() for test in tests if kernel in test.kernels]


def jobs(checkout, selection, results):
    """Return one job for each boot; those with the longest time limits are first."""
    wanted = _wanted(checkout, selection, results)
    if not _have_programs(checkout, wanted, results):
        return []
    boots = [(kernel, tests) for (kernel, _), alike in wanted.items()
             for tests in _shares(alike)]
    boots.sort(key=lambda boot: -SLOWNESS[boot[0]] * _seconds(boot[1]))
    return [functools.partial(_run, kernel, tests, checkout, results) for kernel, tests in boots]


def _run(kernel, tests, checkout, results):
    while tests:
        tests = vm_boot.run(LABELS[kernel], kernel, tests, checkout, results)


def _wanted(checkout, selection, results):
    """Return the selected tests, by kernel and options."""
    wanted = {}
    for path in _paths(checkout):
        name = os.path.basename(path).removesuffix(".test")
        kernels = [kernel for kernel, label in LABELS.items() if selection.has(f"{label}/{name}")]
        if not kernels:
            continue
        try:
            test = VmTest(path)
        except ValueError as error:
            results.fails(f"{LABELS[kernels[0]]}/{name}", str(error))
            continue
        for kernel in kernels:
            if kernel in test.kernels:
                wanted.setdefault((kernel, test.options), []).append(test)
    return wanted


def _have_programs(checkout, wanted, results):
    """Build the programs that these tests run in VMs with NICs, if missing; return whether they exist."""
    missing = not os.path.isdir(os.path.join(checkout, "build/bin/tests"))
    if not missing or all("--nics 0" in " ".join(options) for _, options in wanted):
        return True
    print("building the programs that run in VMs: make vm-programs", flush=True)
    status, output = lanes.children.run(["make", "-s", "-C", checkout, "vm-programs"], BUILD_SECONDS)
    for (kernel, _), tests in wanted.items() if status else ():
        for test in tests:
            results.fails(f"{LABELS[kernel]}/{test.name}", "make vm-programs failed", output)
            output = ""     # once is enough
    return not status


def _seconds(tests):
    return sum(test.seconds for test in tests)


def _shares(tests):
    """Distribute tests with the same kernel and options evenly over boots, the same way in every run."""
    number = -(-_seconds(tests) // SHARED_SECONDS)
    shares = [[] for _ in range(number)]
    before = 0
    for test in tests:
        middle = before + test.seconds / 2
        shares[int(middle * number / _seconds(tests))].append(test)
        before += test.seconds
    return [share for share in shares if share]
