# SPDX-License-Identifier: BSD-2-Clause
"""The number of times that each line ran, from the counts of gcov and Verilator."""
import collections
import functools
import json
import os
import re
import subprocess

TESTS = re.compile(r"(^|/)tests?/|^rtl/(.*/)?bench/|_test\.[ch]$|_golden\.h$|/testbed|_testing\.[ch]$")
MODULES = "build/kernel-debug/"     # Kbuild's tree of links to kernel/
FILES_AT_ONCE = 200


def _function(file, line):
    """Return the function that contains a line, or None; gcov names it only for the first line of a block."""
    return line.get("function_name") or next(
        (function["name"] for function in file["functions"]
         if function["start_line"] <= line["line_number"] <= function["end_line"]), None)


class Counts:
    """For each source file, by its path in the checkout: line -> count, and line -> function."""

    def __init__(self, tree):
        self.tree = tree
        self.lines = collections.defaultdict(collections.Counter)
        self.functions = collections.defaultdict(dict)

    @functools.cache
    def _source(self, path):
        """Return the path in the checkout; None for foreign, generated, test and missing files."""
        path = os.path.normpath(path)
        if not path.startswith(self.tree + "/"):
            return None
        path = path[len(self.tree) + 1:]
        if path.startswith(MODULES):
            path = "kernel/" + path[len(MODULES):]
        if path.startswith("build/") or TESTS.search(path) or not os.path.exists(os.path.join(self.tree, path)):
            return None
        return path

    def add(self, path, line, count, function=None):
        source = self._source(path)
        if source:
            self.lines[source][line] += count
            if function:
                self.functions[source].setdefault(line, function)

    def add_gcov(self, files):
        """Add files of counts, *.gcda, with *.gcno beside them; or *.gcno alone, whose lines did not run."""
        files = sorted(files)
        for first in range(0, len(files), FILES_AT_ONCE):
            ran = subprocess.run(["gcov", "--json-format", "--stdout", *files[first:first + FILES_AT_ONCE]],
                                 check=False, capture_output=True, text=True)
            if ran.returncode:
                raise ValueError(f"gcov: {ran.stderr}")
            for document in ran.stdout.splitlines():
                self._add_document(json.loads(document))

    def _add_document(self, document):
        for file in document["files"]:
            path = os.path.join(document["current_working_directory"], file["file"])
            for line in file["lines"]:
                self.add(path, line["line_number"], line["count"], _function(file, line))

    def add_verilator(self, files):
        """Add files that Verilator's programs wrote."""
        for file in files:
            info = file + ".info"
            subprocess.run(["verilator_coverage", "--write-info", info, file], check=True, stdout=subprocess.DEVNULL)
            path = ""
            with open(info, encoding="utf-8") as f:
                for key, _, value in (line.rstrip("\n").partition(":") for line in f):
                    if key == "SF":
                        path = os.path.join(self.tree, value)
                    elif key == "DA":
                        line, count = value.split(",")[:2]
                        self.add(path, int(line), int(count))

    def ran(self, path):
        """Return the number of lines of a file that ran, and the number of its lines."""
        lines = self.lines[path].values()
        return sum(1 for count in lines if count), len(lines)

    def write_info(self, out, checkout):
        """Write the counts in lcov's format."""
        with open(out, "w", encoding="utf-8") as f:
            for path in sorted(self.lines):
                f.write(f"SF:{os.path.join(checkout, path)}\n")
                f.writelines(f"DA:{line},{count}\n" for line, count in sorted(self.lines[path].items()))
                f.write("end_of_record\n")
