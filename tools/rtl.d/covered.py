# SPDX-License-Identifier: BSD-2-Clause
"""checks the coverage that the benches of a block reach

Fails unless the benches of a block reach each line and each cover point of the block's own files. Lines between
`verilator coverage_off` and `coverage_on` do not count; the comment there gives the reason."""
import glob
import os
import re
import tempfile

import blocks

# An entry of Verilator's file: C '\1KEY\2VALUE\1KEY\2VALUE...' COUNT
ENTRY = re.compile(r"C '(.*)' (\d+)$")


def options(parser):
    del parser


def _entries(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = ENTRY.match(line)
            if match:
                fields = dict(part.split("\2", 1) for part in match.group(1).split("\1") if "\2" in part)
                yield fields, int(match.group(2))


def _merge(block, arguments):
    data = sorted(glob.glob(os.path.join(arguments.build, "rtl/coverage", block.name, "*.dat")))
    if not data:
        raise blocks.Error(f"{block.name}: no bench of this block has run")
    with tempfile.TemporaryDirectory(prefix="tally-covered-") as folder:
        merged = os.path.join(folder, "merged.dat")
        blocks.output(["verilator_coverage", "--write", merged, *data], folder, f"{block.name}: cannot merge {data}")
        return list(_entries(merged))


def _own(block, fields):
    name = os.path.basename(fields.get("f", ""))
    return name in (os.path.basename(block.source), f"{block.name}_cover.sv")


def run(chosen, arguments):
    failed = False
    for block in chosen:
        counts = {}
        for fields, count in _merge(block, arguments):
            if _own(block, fields):
                kind = fields.get("page", "").split("/")[0]
                what = fields.get("o", "") if kind == "v_user" else fields.get("S", "") or fields.get("l", "")
                key = kind, os.path.basename(fields["f"]), fields.get("l", ""), what
                counts[key] = counts.get(key, 0) + count
        for (kind, name, line, what), count in sorted(counts.items()):
            if not count:
                print(f"{block.name}: {name}:{line}: {'point' if kind == 'v_user' else 'lines'} {what} not reached")
                failed = True
        print(f"{block.name}: {sum(map(bool, counts.values()))} of {len(counts)} lines and points reached")
    return 1 if failed else 0
