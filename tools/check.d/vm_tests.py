# SPDX-License-Identifier: BSD-2-Clause
"""Tests inside VMs: parses the headers of tests/vm, and decides which tests share a boot."""
import functools
import glob
import os
import re
import shlex
import typing

import lanes
import slowness
import vm_boot

SECONDS = 60            # of one test, unless its header has a time limit
BUILD_SECONDS = 3600    # of the programs, if they are missing
SHARED_SECONDS = 900    # approximate sum of one boot: more boots keep all lanes busy to the end


class Kind(typing.NamedTuple):
    """A label of tests, and what they run on."""
    label: str
    kernel: str
    engine: str

    @property
    def slowness(self):
        return slowness.factor(self.kernel, self.engine)


KINDS = (Kind("vm", "stock", "model"), Kind("vm-debug", "debug", "model"), Kind("vm-rtl", "stock", "rtl"))


class VmTest:
    """A file of tests/vm: its name and the settings in its header."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".test")
        with open(path, encoding="utf-8", errors="replace") as f:
            header = [line for _, line in zip(range(20), f)]
        self.options = tuple(shlex.split(self._header(header, "lab", "")))
        self.seconds = int(self._header(header, "timeout", str(SECONDS)))
        self.kinds = (*self._kernels(self._header(header, "kernels", "")),
                      *self._engines(self._header(header, "engines", "model")))
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
        """Return the kinds with the model's engine; ValueError if these are not all and no reason is given."""
        kinds = {kind.kernel: kind for kind in KINDS if kind.engine == "model"}
        if not text:
            return tuple(kinds.values())
        only = re.fullmatch(r"(\w+) \(.+\)", text)
        if not only or only.group(1) not in kinds:
            raise ValueError(f"'# kernels: {text}' is not '# kernels: {'|'.join(kinds)} (REASON)'")
        return (kinds[only.group(1)],)

    @staticmethod
    def _engines(text):
        """Return the kinds with other engines."""
        if text not in ("model", "model rtl"):
            raise ValueError(f"'# engines: {text}' is not '# engines: model rtl'")
        return tuple(kind for kind in KINDS if kind.engine != "model" and kind.engine in text.split())


def _paths(checkout):
    return sorted(glob.glob(os.path.join(checkout, "tests/vm/*.test")))


def names(checkout):
    tests = [VmTest(path) for path in _paths(checkout)]
    return [f"{kind.label}/{test.name}" for kind in KINDS for test in tests if kind in test.kinds]


def jobs(checkout, selection, results):
    """Return one job for each boot; those with the longest time limits are first."""
    wanted = _wanted(checkout, selection, results)
    if not _have_programs(checkout, wanted, results):
        return []
    boots = [(kind, tests) for (kind, _), alike in wanted.items() for tests in _shares(alike)]
    boots.sort(key=lambda boot: -boot[0].slowness * _seconds(boot[1]))
    return [functools.partial(_run, kind, tests, checkout, results) for kind, tests in boots]


def _run(kind, tests, checkout, results):
    while tests:
        tests = vm_boot.run(kind, tests, checkout, results)


def _wanted(checkout, selection, results):
    """Return the selected tests, by kind and options."""
    wanted = {}
    for path in _paths(checkout):
        name = os.path.basename(path).removesuffix(".test")
        kinds = [kind for kind in KINDS if selection.has(f"{kind.label}/{name}")]
        if not kinds:
            continue
        try:
            test = VmTest(path)
        except ValueError as error:
            results.fails(f"{kinds[0].label}/{name}", str(error))
            continue
        for kind in kinds:
            if kind in test.kinds:
                wanted.setdefault((kind, test.options), []).append(test)
    return wanted


def _have_programs(checkout, wanted, results):
    """Build the programs that these tests run in VMs with NICs, if missing; return whether they exist."""
    missing = not os.path.isdir(os.path.join(checkout, "build/bin/tests"))
    if not missing or all("--nics 0" in " ".join(options) for _, options in wanted):
        return True
    print("building the programs that run in VMs: make vm-programs", flush=True)
    engine = "rtl" if any(kind.engine == "rtl" for kind, _ in wanted) else "model"
    status, output = lanes.children.run(["make", "-s", "-C", checkout, f"ENGINE={engine}", "vm-programs"], BUILD_SECONDS)
    for (kind, _), tests in wanted.items() if status else ():
        for test in tests:
            results.fails(f"{kind.label}/{test.name}", "make vm-programs failed", output)
            output = ""     # once is enough
    return not status


def _seconds(tests):
    return sum(test.seconds for test in tests)


def _shares(tests):
    """Distribute tests with the same kind and options evenly over boots, the same way in every run."""
    number = -(-_seconds(tests) // SHARED_SECONDS)
    shares = [[] for _ in range(number)]
    before = 0
    for test in tests:
        middle = before + test.seconds / 2
        shares[int(middle * number / _seconds(tests))].append(test)
        before += test.seconds
    return [share for share in shares if share]
