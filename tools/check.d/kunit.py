# SPDX-License-Identifier: BSD-2-Clause
"""The drivers' unit tests on User Mode Linux: kunit/SUITE.CASE, and kunit/kernel for the kernel's complaints."""
import functools
import glob
import os
import re
import time

import kernel_log
import lanes

SECONDS = 3600      # the kernel may have to be built first
SUITE = re.compile(r" {4}# Subtest: (tally_\w+)")
# The verdict of a case is indented by four, those of its parameters by eight, that of a suite is not indented.
VERDICT = re.compile(r" {4}(ok|not ok) \d+(?: -)? (\w+)(?: # SKIP ?(.*))?")


def cases_of(path):
    """Return SUITE.CASE for all cases of a source, which has one suite."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    suite = re.search(r'\.name = "(tally_\w+)",\n', text)[1]
    return [f"{suite}.{case}" for case in re.findall(r"\bKUNIT_CASE(?:_PARAM)?\((\w+)", text)]


def all_cases(checkout):
    sources = sorted(glob.glob(os.path.join(checkout, "kernel/*/*_test.c")))
    return [case for source in sources for case in cases_of(source)]


def names(checkout):
    return [f"kunit/{case}" for case in all_cases(checkout)] + ["kunit/kernel"]


def jobs(checkout, selection, results):
    """Return one job for all tests, if one of them is selected."""
    cases = [case for case in all_cases(checkout) if selection.has(f"kunit/{case}")]
    if cases or selection.has("kunit/kernel"):
        yield functools.partial(_run, checkout, cases, results)


def verdicts(lines):
    """Return SUITE.CASE -> verdict, reason of a skip or None, and the kernel's output since the previous case."""
    found = {}
    suite, said = None, []
    for line in lines:
        said.append(line)
        begin, end = SUITE.fullmatch(line), VERDICT.fullmatch(line)
        if begin:
            suite = begin[1]
        if end and suite:
            found[f"{suite}.{end[2]}"] = (end[1], end[3], said)
        if begin or end:
            said = []
    return found


def _run(checkout, cases, results):
    start = time.monotonic()
    status, output = lanes.children.run([os.path.join(checkout, "tools/lab.d/kunit"), "run"], SECONDS, cwd=checkout)
    lines = output.replace("\r", "").splitlines()
    found = verdicts(lines)
    for case in cases:
        verdict, why, said = found.get(case, (None, None, []))
        if verdict is None:
            results.fails(f"kunit/{case}", "it has no verdict, see kunit/kernel")
        elif why is not None:
            results.skips(f"kunit/{case}", why)
        elif verdict == "ok":
            results.passes(f"kunit/{case}")
        else:
            results.fails(f"kunit/{case}", "not ok", "\n".join(said))
    complaints = kernel_log.complaints(lines)
    if complaints:
        results.fails("kunit/kernel", "the kernel complained", "\n".join(complaints))
    elif status:
        results.fails("kunit/kernel", f"exit status {status}", "\n".join(lines[-60:]))
    else:
        results.passes("kunit/kernel", time.monotonic() - start)
