# SPDX-License-Identifier: BSD-2-Clause
"""What counts as a complaint in a guest's kernel log."""
import re

COMPLAINT = re.compile(
    r"WARNING:|BUG:|Oops|KASAN|KCSAN|UBSAN|ODEBUG:|unreferenced object|Call Trace|general protection|Kernel panic"
    r"|blocked for more than|INFO: .*(?:stall|deadlock|hung|lockdep|recursive|non-static key)|possible .*deadlock"
    r"|DMA-API:|kmemleak: .*(?:\d+ new|pool empty|Cannot allocate)"
    r"|refcount_t:|list_(?:add|del) corruption|scheduling while atomic|taints kernel")

ALLOWED = re.compile(
    # A module of our own cannot be loaded into a stock kernel without these, nor unit tests into any.
    r"loading out-of-tree module taints kernel|loading test module taints kernel"
    r"|module verification failed: signature and/or required key missing - tainting kernel"
    # What the debug kernel's checkers say when they start.
    r"|DMA-API: (?:preallocated|debugging enabled)")

CONTEXT = 30  # lines shown after a complaint: a register dump and a call trace


def is_complaint(line):
    return COMPLAINT.search(line) is not None and ALLOWED.search(line) is None


def complaints(lines):
    """The lines that complain, each with the lines that follow it; empty if the log is clean."""
    shown = []
    until = 0
    for number, line in enumerate(lines):
        if is_complaint(line):
            until = max(until, number + CONTEXT)
        if number < until:
            shown.append(line)
    return shown


def read(path):
    """A log file's lines; the serial console ends them with CR LF. A log that was never begun is empty."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []
