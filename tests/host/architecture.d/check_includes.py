#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_includes.py PAGE: compares the arrows between folders in PAGE with the includes of the sources."""
import collections
import os
import re
import subprocess
import sys

# In these folders, each subfolder is a part. Elsewhere the top folder is the part.
DIVIDED = ("collectives", "kernel", "providers", "sim", "tools")
# Folders where the compiler searches for "...", after the folder of the source itself.
ROOTS = ("", "collectives", "sim", "uapi", "uapi/gen", "kernel", "providers/tally")
# Exempt sources: test programs and examples may use anything.
EXEMPT = re.compile(r"^tests/|/tests?/|_test(ing)?\.[ch]$|^examples/")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def part_of(path):
    folders = path.split("/")[:-1]
    return "/".join(folders[:2 if folders[0] in DIVIDED else 1])


def sources():
    files = subprocess.run(["tests/host/list-files"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    return {name for name in files if name.endswith((".c", ".h", ".cpp", ".svh"))}


def resolve(path, name, known):
    """Returns the file of the tree that `path` includes by `name`, or None."""
    for root in (os.path.dirname(path), *ROOTS):
        found = os.path.normpath(os.path.join(root, name))
        if found in known:
            return found
    return None


def find_arrows(known):
    """Returns a map from (source, target) to the includes that make this arrow."""
    arrows = collections.defaultdict(list)
    for path in sorted(known):
        if EXEMPT.search(path):
            continue
        with open(path, encoding="utf-8") as source:
            names = INCLUDE.findall(source.read())
        for name in names:
            found = resolve(path, name, known)
            if found and part_of(found) != part_of(path):
                arrows[part_of(path), part_of(found)].append(f"{path} includes {found}")
    return arrows


def read_arrows(page):
    with open(page, encoding="utf-8") as text:
        block = re.search(r"^```arrows\n(.*?)^```", text.read(), re.MULTILINE | re.DOTALL)
    if not block:
        sys.exit(f"{page} has no list of arrows")
    allowed = set()
    for line in block.group(1).splitlines():
        source, targets = line.split(" -> ")
        allowed |= {(source, target) for target in targets.split()}
    return allowed


def main(page):
    allowed = read_arrows(page)
    arrows = find_arrows(sources())
    bad = [f"{source} -> {target} is not in {page}: {where}" for (source, target), found in sorted(arrows.items())
           if (source, target) not in allowed for where in found]
    bad += [f"{source} -> {target} is in {page}, and no source needs it" for source, target in
            sorted(allowed - set(arrows))]
    print(*bad, sep="\n", end="\n" if bad else "")
    return 1 if bad or not arrows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
