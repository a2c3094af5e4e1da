# SPDX-License-Identifier: BSD-2-Clause
"""The selection of tests, and their results."""
import collections
import resource
import sys
import threading
import time

SKIP_STATUS = 77
SLOWEST = 8     # number of tests that the summary names
AGAIN = "again: "   # begins a line with which a test says that it has repeated something


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


class Selection:
    """The tests that the user selected."""

    def __init__(self, patterns):
        self.patterns = patterns

    def has(self, name):
        return not self.patterns or any(pattern in name for pattern in self.patterns)

    def has_kind(self, label):
        """Return whether tests of this kind are selected, whatever their names are."""
        return self.has(f"{label}/") or any(pattern.startswith(f"{label}/") for pattern in self.patterns)


class Results:
    """Prints and counts the outcome of each test. Lanes share it: each verdict is printed atomically and once."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.times = []         # (seconds, test) of tests that passed
        self.repeats = []       # a line for each repetition in a test that passed
        self.failures = []      # a line for each test that failed: its name, reason, and what it said last
        self.lock = threading.Lock()
        self.stopped = False
        self.since = time.monotonic()

    def total(self):
        return self.passed + self.failed + self.skipped

    def stop_recording(self):
        """Ignore further results, because the user has interrupted the tests."""
        with self.lock:
            self.stopped = True

    def _count(self, counter, text):
        with self.lock:
            if self.stopped:
                return
            setattr(self, counter, getattr(self, counter) + 1)
            sys.stdout.write(text)
            sys.stdout.flush()

    def passes(self, name, seconds=None, output=""):
        if seconds is not None:
            self.times.append((seconds, name))
        repeats = [line for line in output.splitlines() if line.startswith(AGAIN)]
        self.repeats += [f"{name}: {line}" for line in repeats]
        again = "".join(f"     | {line}\n" for line in repeats)
        self._count("passed", f"PASS {name}" + (f" ({seconds:.1f} s)" if seconds is not None else "") + f"\n{again}")

    def skips(self, name, reason):
        self._count("skipped", f"SKIP {name}: {reason or 'no reason given'}\n")

    def fails(self, name, reason, output=""):
        shown = "".join(f"     | {line}\n" for line in output.splitlines())
        self.failures.append(": ".join(filter(None, (name, reason, last_line(output)))))
        self._count("failed", f"FAIL {name}: {reason}\n{shown}")

    def add(self, name, status, output, seconds):
        """Add a test by the exit status and output of its script."""
        if status == 0:
            self.passes(name, seconds, output)
        elif status == SKIP_STATUS:
            self.skips(name, last_line(output))
        else:
            self.fails(name, f"exit status {status}", output)

    def summary(self):
        """Print the tests that took the most time, those that failed, and the counts on the last line."""
        labels = collections.Counter()
        for seconds, name in self.times:
            labels[name.split("/", 1)[0]] += seconds
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print("seconds of the tests that passed: " + ", ".join(f"{label} {sum_:.0f}" for label, sum_ in labels.items()))
        slowest = sorted(self.times, reverse=True)[:SLOWEST]
        print("slowest: " + ", ".join(f"{name} {seconds:.0f}" for seconds, name in slowest))
        print(f"in total {time.monotonic() - self.since:.0f} s, {usage.ru_utime + usage.ru_stime:.0f} s of CPU time")
        for repeat in self.repeats:
            print(f"passed: {repeat}")
        for failure in self.failures:
            print(f"failed: {failure}")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
