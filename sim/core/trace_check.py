#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks a trace of the simulator and lists its spans: trace_check.py FILE

Every process and every row has a name of its own; spans of a row are nested or do not overlap. Prints one line for
each span, sorted: process, row, start and length in picoseconds, name, numbers.
"""
import json
import sys
from decimal import Decimal


def picoseconds(value):
    ps = value * 1000000
    if ps != int(ps) or ps < 0:
        sys.exit(f"not a whole number of picoseconds: {value}")
    return int(ps)


def names(events):
    processes, rows = {}, {}
    for event in events:
        if event["ph"] != "M" or not event["name"].endswith("_name"):
            continue
        table, key = {
            "process_name": (processes, event["pid"]),
            "thread_name": (rows, (event["pid"], event["tid"])),
        }[event["name"]]
        if key in table:
            sys.exit(f"named twice: {event}")
        table[key] = event["args"]["name"]
    if len(set(processes.values())) != len(processes):
        sys.exit("two processes have one name")
    if len({(pid, name) for (pid, _), name in rows.items()}) != len(rows):
        sys.exit("two rows of a process have one name")
    return processes, rows


def check_row(row, spans):
    open_ends = []
    for start, length, name in sorted(spans, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and start + length > open_ends[-1]:
            sys.exit(f"row {row}: {name} at {start} overlaps the span it begins in")
        open_ends.append(start + length)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
    processes, rows = names(events)
    by_row, lines = {}, []
    for event in events:
        if event["ph"] == "M":
            continue
        if event["ph"] != "X":
            sys.exit(f"an event of another kind: {event}")
        key = (event["pid"], event["tid"])
        start, length = picoseconds(event["ts"]), picoseconds(event["dur"])
        by_row.setdefault(key, []).append((start, length, event["name"]))
        numbers = "".join(f" {k}={v}" for k, v in event.get("args", {}).items())
        lines.append((processes[key[0]], rows[key], start, length, event["name"] + numbers))
    if set(by_row) != set(rows):
        sys.exit("a row without spans")
    for key, spans in by_row.items():
        check_row(rows[key], spans)
    for line in sorted(lines):
        print(*line, sep="|")


main()
