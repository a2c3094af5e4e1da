# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the C parts, run by ctest, which uses all processors itself."""
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import lanes
from results import last_line

PASSED = re.compile(r"\s*\d+/\d+ Test +#\d+: (.+?) \.+ +Passed +([\d.]+) sec")


# The command that builds the tests of each kind.
TARGETS = {"unit": "make build", "asan": "make sanitized", "fuzz": "make fuzzers"}


def is_built(build):
    return os.path.exists(os.path.join(build, "CTestTestfile.cmake"))


def advice(label, build):
    return f"{build} has no tests of {label}/: run {TARGETS[label]}"


def names_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s*Test\s+#\d+: (.*)$", shown, re.MULTILINE)


def run(label, build, selection, results):
    if not is_built(build):
        if selection.has_kind(label):
            results.fails(f"{label}/ctest", advice(label, build))
        return
    names = [name for name in names_of(build) if selection.has(f"{label}/{name}")]
    if not names:
        return
    with tempfile.TemporaryDirectory(prefix="tally-check-") as folder:
        report = os.path.join(folder, "ctest.xml")
        wanted = "^(" + "|".join(re.escape(name) for name in names) + ")$"
        command = ["ctest", "--test-dir", build, "-R", wanted, "--output-junit", report, f"-j{lanes.processors()}"]
        output = []
        with lanes.children.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace") as ctest:
            for line in ctest.stdout:
                output.append(line)
                passed = PASSED.match(line)
                # Printed at once; the report has more on the others, but only at the end. What they depend on passes, too.
                if passed and passed.group(1) in names:
                    names.remove(passed.group(1))
                    results.passes(f"{label}/{passed.group(1)}", float(passed.group(2)))
            ctest.wait()
        if not os.path.exists(report):
            results.fails(f"{label}/ctest", f"ctest ended with status {ctest.returncode}", "".join(output))
            return
        _report(label, names, xml.etree.ElementTree.parse(report).getroot(), results)


def _report(label, names, report, results):
    cases = {case.get("name"): case for case in report.iter("testcase")}
    for name in names:
        case = cases.get(name)
        if case is None:
            results.fails(f"{label}/{name}", "ctest did not run it")
            continue
        status = case.get("status")
        output = case.findtext("system-out") or ""
        seconds = float(case.get("time", 0))
        skipped = case.find("skipped")
        why = skipped.get("message", "") if skipped is not None else ""
        if status == "run":
            results.passes(f"{label}/{name}", seconds)
        elif why.startswith("SKIP_"):   # SKIP_RETURN_CODE or similar; otherwise it could not be run
            results.skips(f"{label}/{name}", last_line(output))
        else:
            if why.startswith("Unable to find executable"):
                why += f": run {TARGETS[label]}"
            results.fails(f"{label}/{name}", why or f"{status} after {seconds:.1f} s", output)
