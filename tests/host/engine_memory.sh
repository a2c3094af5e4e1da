#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The tables of memory in docs/engine.md agree with each other, and with the limits in uapi/gen: bytes of an entry,
# URAMs of a NIC, needs of groups; and with the parameters by which rtl/nic synthesizes the small NIC. Prints each number
# that differs.
python3 - docs/engine.md uapi/gen/tally_hw.h uapi/gen/tally_types.h << 'END'
import re
import sys

URAM = 32 * 1024
page = open(sys.argv[1], encoding="utf-8").read().split("\n## Memory\n")[1]
limits = {}
for header in sys.argv[2:]:
    limits.update(re.findall(r"^#define (TALLY_MAX_\w+) (\d+)", open(header, encoding="utf-8").read(), re.MULTILINE))
mtu, ranks, segs = (int(limits[f"TALLY_MAX_{name}"]) for name in ("MTU", "RANKS", "SEG"))
window = ranks      # numbers of an edge's bitmap
wrong = 0


def number(text):
    return int(text.replace(",", ""))


def expect(what, said, value):
    global wrong
    if said != value:
        print(f"docs/engine.md: {what}: {said:,}, and by calculation {value:,}")
        wrong += 1


def rows(title):
    """Return the cells of the rows of the table whose head begins with this title."""
    lines = page[page.index(f"\n| {title} | ") + 1:].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


entries = {}        # bytes by table and beginning of the entry
for table, entry, size, _ in rows("table"):
    entries[table, entry.split()[0].rstrip(":,")] = sum(map(number, size.split(" + ")))
expect("two payloads", entries["segments", "two"], 2 * mtu)
expect("a pool's payload", entries["pools for pushed requests, inline data and send buffers", "payload"], mtu)
expect("references of an edge", entries["edges", "references"], 8 * window)
expect("next message and chunk", entries["groups", "next"], 8 * ranks)
expect("map of a group", entries["groups", "map"], int(limits["TALLY_MAX_GROUP_SEGS"]) * (segs - 1).bit_length() // 8)


def bytes_of(table):
    return sum(size for (name, _), size in entries.items() if name.startswith(table))


def urams(count, size):
    return -(-count * size // URAM)


nics = {row[0]: row[1:] for row in rows("NIC")}
for i, nic in enumerate(("small", "large")):
    total = 0
    for name in ("segments", "cells", "pool entries", "edges", "groups", "queue pairs", "requests"):
        said = [number(text) for text in re.findall(r"[\d,]*\d", nics[name][i])]
        if name == "segments":
            need = [urams(said[0], entries["segments", "two"]), urams(said[0], entries["segments", "state"])]
        else:
            need = [urams(said[0], bytes_of("pools" if name == "pool entries" else name))]
        for mine, value in zip(said[1:], need, strict=True):
            expect(f"{nic} NIC, {name}", mine, value)
        total += sum(need)
    expect(f"{nic} NIC, sum", number(nics["sum"][i]), total)
    if total > number(nics["URAMs of the device"][i]):
        print(f"docs/engine.md: {nic} NIC: {total} URAMs do not fit")
        wrong += 1
lists = open("rtl/nic/CMakeLists.txt", encoding="utf-8").read()
synthesized = dict(re.findall(r"(\w+)=(\d+)", re.search(r"^set\(small (.*)\)$", lists, re.MULTILINE)[1]))
parameters = {"segments": "Slots", "pool entries": "Lines", "edges": "Edges", "groups": "Groups",
              "queue pairs": "Qps", "requests": "Entries"}
for name, parameter in parameters.items():
    said = number(nics[name][0].split(":")[0])
    expect(f"small NIC, {name}, as synthesized", said, int(synthesized[parameter]))
for row in rows("groups | segments of their own"):
    groups = number(row[0])
    expect(f"segments of {groups} groups", number(row[1]), 2 * groups)
    expect(f"edges of {groups} groups", number(row[2].split(", four")[0]), (4 if "four each" in row[2] else 20) * groups)
    expect(f"tables of {groups} groups", number(row[3].split()[0]),
           round(groups * (bytes_of("groups") + bytes_of("queue pairs")) / 1024))
sys.exit(wrong > 0)
END
