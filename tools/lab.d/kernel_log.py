# SPDX-License-Identifier: BSD-2-Clause
"""Finds complaints in a guest's kernel log."""
import re

COMPLAINT = re.compile(
    r"WARNING:|BUG:|Oops|KASAN|KCSAN|UBSAN|ODEBUG:|unreferenced object|Call Trace|general protection|Kernel panic"
    r"|blocked for more than|INFO: .*(?:stall|deadlock|hung|lockdep|recursive|non-static key)|possible .*deadlock"
    r"|DMA-API:|kmemleak: .*(?:\d+ new|pool empty|Cannot allocate)"
    r"|refcount_t:|list_(?:add|del) corruption|scheduling while atomic|taints kernel")

ALLOWED = re.compile(
    # Loading an out-of-tree module into a stock kernel, or unit tests into any kernel, causes these.
    r"loading out-of-tree module taints kernel|loading test module taints kernel"
    r"|module verification failed: signature and/or required key missing - tainting kernel"
    # Messages of the debug kernel's checkers when they start.
    r"|DMA-API: (?:preallocated|debugging enabled)"
    # A checker is out of memory: tests that make allocations fail cause this, in boots of their own.
    r"|DMA-API: cacheline tracking ENOMEM, dma-debug disabled")

# Reports that are ignored up to the end of their trace. DMA debugging counts the mappings of a page and complains
# beyond seven; several processes may register a page with several NICs. The interrupt core tolerates that memory is too
# short for a file of /proc/irq, but complains when it removes that file.
HARMLESS = re.compile(
    r"DMA-API: exceeded \d+ overlapping mappings of cacheline"
    r"|\] name '(?:smp_affinity|smp_affinity_list|affinity_hint|node|effective_affinity|effective_affinity_list|spurious)'$")
END_OF_TRACE = "---[ end trace"

CONTEXT = 30  # lines shown after a complaint: a register dump and a call trace


def is_complaint(line):
    return COMPLAINT.search(line) is not None and ALLOWED.search(line) is None


def without_harmless(lines):
    """Yield the lines without HARMLESS reports."""
    inside = False
    for line in lines:
        inside = inside or HARMLESS.search(line) is not None
        if not inside:
            yield line
        elif END_OF_TRACE in line:
            inside = False


def complaints(lines):
    """Return the lines with complaints, each with the lines that follow it; empty if the log is clean."""
    shown = []
    until = 0
    for number, line in enumerate(without_harmless(lines)):
        if is_complaint(line):
            until = max(until, number + CONTEXT)
        if number < until:
            shown.append(line)
    return shown


def read(path):
    """Return a log file's lines; the serial console ends them with CR LF. A missing log counts as empty."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []
