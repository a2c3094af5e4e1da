# SPDX-License-Identifier: BSD-2-Clause
"""Runs `tallysim bench` or `tallysim coll` for cases, two in parallel, each case once."""
import concurrent.futures
import glob
import hashlib
import json
import os
import subprocess

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PARAMS = os.path.join(CHECKOUT, "sim/bench/params")
JOBS = 2


class BenchError(Exception):
    """A run failed; the text contains the command and its message."""


class Runner:
    """
    Cases are dictionaries of options: {"op": "allreduce", "size": 8}; True is a flag, None is omitted. The key "command"
    is not an option but the subcommand, "bench" unless a case has it.
    """

    def __init__(self, tallysim, defaults, say=lambda text: None, jobs=JOBS):
        self.tallysim, self.defaults, self.say, self.jobs = tallysim, defaults, say, jobs
        self.results, self.kept = {}, None

    def keep(self, path):
        """
        Also keep results in a file, a line each, so that a long run that is interrupted goes on where it was. Results of
        other simulators or parameters are not taken.
        """
        digest = hashlib.sha256()
        for name in [self.tallysim, *sorted(glob.glob(os.path.join(PARAMS, "*")))]:
            with open(name, "rb") as file:
                digest.update(file.read())
        origin = digest.hexdigest()
        self.kept = open(path, "a+", encoding="utf-8")
        self.kept.seek(0)
        for line in self.kept:
            if line.endswith("\n"):
                made_by, key, result = json.loads(line)
                if made_by == origin:
                    self.results[tuple(key)] = result
        self.origin = origin

    def command(self, case):
        options = []
        chosen = {**self.defaults, **case}
        command = chosen.pop("command", "bench")
        if command == "coll":
            chosen.pop("engine", None)  # it has no such option
        for name, value in chosen.items():
            if name == "params" and os.sep not in value:
                value = os.path.join(PARAMS, value + ".params")
            if value is True:
                options.append(f"--{name}")
            elif value is not None:
                options += [f"--{name}", str(value)]
        return [self.tallysim, command, "--json", *options]

    def one(self, case):
        """Return the result of a case, the dictionary that the command printed."""
        return self.all([case])[0]

    def all(self, cases):
        """Return the results of the cases, in their order."""
        keys = [tuple(self.command(case)) for case in cases]
        missing = [key for key in dict.fromkeys(keys) if key not in self.results]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for key, result in zip(missing, pool.map(self.run, missing)):
                self.results[key] = result
                if self.kept:
                    print(json.dumps([self.origin, key, result]), file=self.kept, flush=True)
        return [self.results[key] for key in keys]

    def run(self, command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise BenchError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
        self.say(".")
        lines = done.stdout.splitlines()
        if len(lines) != 1:
            raise BenchError(f"{' '.join(command)}: {len(lines)} lines instead of one object")
        return {"unpushed_ns": None, **json.loads(lines[0])}
