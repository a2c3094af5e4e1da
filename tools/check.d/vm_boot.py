# SPDX-License-Identifier: BSD-2-Clause
"""One boot of VMs: runs tests, and checks their output and the guest's kernel log."""
import argparse
import glob
import os
import re
import shlex
import subprocess
import tempfile
import time

import kernel_log
import lanes

BOOT_SECONDS = 120      # of one boot, with a large margin


class VmRun:
    """One boot: passes the guests' TAP on to the results. With --all a test passes if it passes in every VM."""

    def __init__(self, label, tests, log, results):
        self.label = label
        self.tests = {test.name: test for test in tests}
        self.options = tests[0].options
        self.log = log
        self.results = results
        self.vms = self._number_of_vms()
        self.verdicts = {}      # test name -> verdicts of the VMs that have finished it
        self.output = {}        # VM's prefix -> output of its current test
        self.finished = set()
        self.charged = False    # a test has failed because the kernel complained
        self.since = time.monotonic()

    def _number_of_vms(self):
        """Return the number of VMs that run each test."""
        if "--all" not in self.options:
            return 1
        parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        parser.add_argument("--vms", type=int, default=1)
        return parser.parse_known_args(self.options)[0].vms

    def line(self, text):
        prefix, text = re.match(r"(vm\d+: )?(.*)", text).groups()
        verdict = re.match(r"(not ok|ok) \d+ (\S+)(?: # (SKIP )?(.*))?$", text)
        if verdict and verdict.group(2) in self.tests:
            outcome, name, skip, why = verdict.groups()
            output = "".join(f"{prefix or ''}{line}\n" for line in self.output.pop(prefix, []))
            self.verdicts.setdefault(name, []).append((outcome == "ok", bool(skip), why, output))
            if len(self.verdicts[name]) == self.vms:
                self._judge(self.tests[name])
        else:
            self.output.setdefault(prefix, []).append(text.removeprefix("# "))

    def _judge(self, test):
        name = f"{self.label}/{test.name}"
        verdicts = self.verdicts[test.name]
        output = "".join(verdict[3] for verdict in verdicts)
        complaints = self._complaints_during(test)
        self.charged |= bool(complaints)
        now = time.monotonic()
        failed = next((verdict for verdict in verdicts if not verdict[0]), None)
        skipped = next((verdict for verdict in verdicts if verdict[1]), None)
        if failed:
            self.results.fails(name, failed[2], output + complaints)
        elif complaints:
            self.results.fails(name, "the guest's kernel complained", output + complaints)
        elif skipped:
            self.results.skips(name, skipped[2])
        else:
            self.results.passes(name, now - self.since)
        self.since = now
        self.finished.add(test.name)

    def _complaints_during(self, test):
        shown = []
        for log in [self.log, *glob.glob(glob.escape(self.log) + ".vm*")]:
            running = False
            lines = []
            for line in kernel_log.read(log):
                if "tally-test: begin " in line:
                    running = line.endswith(f"tally-test: begin {test.name}")
                if running:
                    lines.append(line)
            shown += kernel_log.complaints(lines)
        return "".join(f"{line}\n" for line in shown)

    def lost_output(self):
        return "".join(f"{prefix or ''}{line}\n" for prefix, lines in self.output.items() for line in lines)


def run(kind, tests, checkout, results):
    """Run tests with the same options in one boot; return those that it did not reach."""
    with tempfile.TemporaryDirectory(prefix="tally-check-") as folder:
        boot = VmRun(kind.label, tests, os.path.join(folder, "kernel.log"), results)
        limit = kind.slowness * (BOOT_SECONDS + sum(test.seconds + 10 for test in tests))
        command = [os.path.join(checkout, "tools/lab"), "run", "--kernel", kind.kernel, "--engine", kind.engine, *boot.options,
                   "--timeout", str(limit), "--log", boot.log, "--",
                   os.path.join(checkout, "tools/lab.d/guest-tests"),
                   *(f"{kind.slowness * test.seconds}:{test.path}" for test in tests)]
        with open(os.path.join(folder, "lab"), "w+", encoding="utf-8", errors="replace") as messages:
            with lanes.children.start(command, cwd=checkout, stdout=subprocess.PIPE, stderr=messages, text=True,
                                      errors="replace") as lab:
                for line in lab.stdout:
                    boot.line(line.rstrip("\n"))
                lab.wait()
            messages.seek(0)
            return _finish(boot, tests, lab.returncode, messages.read(), results)


def _finish(boot, tests, status, messages, results):
    left = [test for test in tests if test.name not in boot.finished]
    if left:    # the first one ended the boot; the others get a new boot
        results.fails(f"{boot.label}/{left[0].name}", f"the boot ended meanwhile, lab status {status}",
                      boot.lost_output() + messages)
    elif status and not boot.charged:
        results.fails(f"{boot.label}/boot {shlex.join(boot.options)}", f"lab status {status} after the tests", messages)
    return left[1:]
