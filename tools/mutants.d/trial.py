# SPDX-License-Identifier: BSD-2-Clause
"""Runs tests with one of the planted bugs, or with none to learn which bugs each test reaches."""
import dataclasses
import json
import os
import resource
import subprocess
import tempfile


@dataclasses.dataclass
class Test:
    name: str
    command: list
    folder: str
    environment: dict
    seconds: float = 0   # of CPU time
    seen: frozenset = frozenset()


def tests(build, pattern):
    """Return the tests of ctest whose names match a regular expression."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-R", pattern], check=True,
                            stdout=subprocess.PIPE, text=True)
    found = []
    for test in json.loads(listed.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if not properties.get("WILL_FAIL"):
            environment = dict(setting.split("=", 1) for setting in properties.get("ENVIRONMENT", []))
            found.append(Test(test["name"], test["command"], properties.get("WORKING_DIRECTORY", build), environment))
    return found


def _run(test, environment, seconds):
    """Return whether the test passes within @seconds of CPU time, and the time that it took."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        status = subprocess.run(test.command, cwd=test.folder, env=os.environ | test.environment | environment, preexec_fn=limit,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                timeout=10 * seconds + 60, check=False).returncode
    except subprocess.TimeoutExpired:
        status = -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status == 0, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def reach(test):
    """Run a test without a bug, and note which bugs it reaches."""
    with tempfile.NamedTemporaryFile("r") as file:
        passed, test.seconds = _run(test, {"MUTANTS_SEEN": file.name}, 600)
        test.seen = frozenset(int(line) for line in file)
    return passed


def catcher(number, tests_of):
    """Return the name of the first test that fails with a bug, or None; cheap tests come first."""
    for test in sorted((t for t in tests_of if number in t.seen), key=lambda t: t.seconds):
        passed, _ = _run(test, {"MUTANT": str(number)}, 5 * test.seconds + 5)
        if not passed:
            return test.name
    return None
