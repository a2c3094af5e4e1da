#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""stack.py LIMIT OBJECT...: prints the longest chain of calls in riscv32 objects, by bytes of stack.

Each function has a section of its own, and each object the .su file of -fstack-usage beside it. Fails on recursion, frames without a fixed size, indirect calls
without a function whose address is taken, and chains of more than LIMIT bytes. An indirect call may reach any function
whose address is taken.
"""
import collections
import os
import re
import subprocess
import sys

CALL = re.compile(r"R_RISCV_(?:CALL|CALL_PLT|JAL|RVC_JUMP)\s+([^\s+]+)")
BRANCH = re.compile(r"R_RISCV_(?:CALL|CALL_PLT|JAL|RVC_JUMP|BRANCH|RVC_BRANCH|RELAX|ALIGN)\b")
JUMP = re.compile(r"\t(?:c\.)?(?:jalr|jr)\t")
NEAR = re.compile(r"\tauipc\t(\w+), ")   # if no relocation follows, the jump leads into the same section
INDIRECT = "an indirect call"


def dump(options, path):
    return subprocess.run(["llvm-objdump", *options, path], check=True, capture_output=True, text=True).stdout


class Program:
    """Functions are (object, name) if they are local to an object, otherwise ("", name)."""

    def __init__(self, objects):
        self.globals, self.functions = set(), collections.defaultdict(set)
        self.calls, self.frames, self.taken = collections.defaultdict(set), {}, set()
        for path in objects:
            self._read_symbols(path)
        for path in objects:
            self._read_frames(path)
            self._read_calls(path)
            self._read_addresses(path)

    def _read_symbols(self, path):
        for line in dump(["-t"], path).splitlines():
            found = re.match(r"\S+ (.).....F \S+\t\S+ (?:\.hidden )?(\S+)$", line)
            if found:
                self.functions[path].add(found.group(2))
                if found.group(1) != "l":
                    self.globals.add(found.group(2))

    def _name(self, path, name):
        return ("" if name in self.globals else path, name)

    def _read_frames(self, path):
        usage = os.path.splitext(path)[0] + ".su"
        for line in open(usage, encoding="utf-8") if os.path.exists(usage) else ():
            where, size, kind = line.rstrip("\n").split("\t")
            if kind != "static":
                sys.exit(f"{where}: the size of its frame is {kind}")
            self.frames[self._name(path, where.rsplit(":", 1)[1])] = int(size)

    def _read_calls(self, path):
        function = None
        resolved = near = None
        for line in dump(["-dr", "--no-show-raw-insn"], path).splitlines():
            begin = re.match(r"[0-9a-f]+ <([^.][^>]*)>:$", line)
            call = CALL.search(line)
            if begin and begin.group(1) in self.functions[path]:
                function = self._name(path, begin.group(1))
                self.calls[function] |= set()
            elif NEAR.search(line):
                near = NEAR.search(line).group(1)
            elif call:
                if call.group(1) in self.functions[path] or self._name(path, call.group(1))[0] == "":
                    self.calls[function].add(self._name(path, call.group(1)))
                resolved, near = "R_RISCV_CALL" in line, None
            elif "R_RISCV_" in line:
                near = None
            elif JUMP.search(line):
                if not resolved:
                    self.calls[function].add(function if near and f"({near})" in line else INDIRECT)
                resolved = near = None
            else:
                resolved = near = None

    def _read_addresses(self, path):
        for line in dump(["-r"], path).splitlines():
            found = re.match(r"[0-9a-f]+ (R_RISCV_\S+)\s+([^\s+]+)", line)
            if found and not BRANCH.match(found.group(1)):
                name = self._name(path, found.group(2))
                if name[1] in self.functions[path] or name[0] == "":
                    self.taken.add(name)

    def callees(self, function):
        for callee in self.calls[function]:
            if callee != INDIRECT:
                yield callee
                continue
            if not self.taken:
                sys.exit(f"{function[1]}() makes {INDIRECT}, and no function's address is taken")
            yield from self.taken

    def deepest(self, function, above=(), known=None):
        """Return the bytes of stack below and in a function, and the names of the chain."""
        known = {} if known is None else known
        if function in above:
            sys.exit("recursion: " + " > ".join(name for _, name in (*above, function)))
        if function not in known:
            below = max((self.deepest(callee, (*above, function), known) for callee in set(self.callees(function))),
                        default=(0, ()))
            known[function] = (below[0] + self.frames.get(function, 0), (function[1], *below[1]))
        return known[function]


def main(limit, objects):
    program = Program(objects)
    if not program.calls:
        sys.exit("no function was found")
    without = [name for path, name in program.calls if (path, name) not in program.frames and name != "_start"]
    if without:
        sys.exit("functions without a known frame: " + " ".join(without))
    used, chain = max(program.deepest(function) for function in list(program.calls))
    print(f"stack {used} of {limit} bytes: " + " > ".join(chain))
    if used > limit:
        sys.exit("the stack is too small")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
