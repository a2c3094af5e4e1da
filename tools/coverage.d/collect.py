# SPDX-License-Identifier: BSD-2-Clause
"""Collects the counts of a run: the host's from its build folder, the guests' as guest-coverage saved them."""
import glob
import os
import tarfile

from counts import MODULES, Counts


def find(folder, suffix):
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(suffix):
                yield os.path.join(where, name)


def forget(tree, saved):
    """Remove the counts of earlier runs, and the saved ones of guests."""
    for folder, suffix in ((os.path.join(tree, "build"), ".gcda"), (os.path.join(tree, "build"), "coverage.dat"),
                           (saved, "")):
        for path in list(find(folder, suffix)):
            os.unlink(path)


def _unpack(tar, folder):
    """Unpack counts and return their files. gcov needs the compiler's notes on each object beside its counts."""
    with tarfile.open(tar) as archive:
        archive.extractall(folder)
    counts = list(find(folder, ".gcda"))
    for path in counts:
        notes = "/" + os.path.relpath(path, folder).removesuffix(".gcda") + ".gcno"
        link = path.removesuffix(".gcda") + ".gcno"
        if not os.path.lexists(link):
            os.symlink(notes, link)
    return counts


def _objects(folder):
    """Return the compiler's notes on each object; an interrupted compilation has left no object."""
    return [path for path in find(folder, ".gcno") if os.path.exists(path.removesuffix(".gcno") + ".o")]


def collect(tree, saved):
    """Return the counts of everything that the tree's build and its guests ran."""
    counts = Counts(tree)
    counts.add_gcov(_objects(os.path.join(tree, "build")))
    for tar in sorted(glob.glob(os.path.join(glob.escape(saved), "boot-*", "*.tar"))):
        counts.add_gcov(_unpack(tar, tar.removesuffix(".tar")))
    counts.add_verilator(find(os.path.join(tree, "build"), "coverage.dat"))
    if not glob.glob(os.path.join(glob.escape(saved), "boot-*", "kernel.tar")):
        raise ValueError(f"no VM has saved the counts of {MODULES}")
    return counts
