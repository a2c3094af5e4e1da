# SPDX-License-Identifier: BSD-2-Clause
"""Copies of the tree in which a tool builds in a way of its own."""
import os
import shutil
import subprocess


def _files(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if os.path.join(path, f) != os.path.join(folder, "build")]
        yield from (os.path.join(path, name) for name in names)


def update(checkout, tree, changed=()):
    """Copy the current sources to @tree, but for the names in @changed, which the tool writes itself. Unchanged files keep their
    times, so that little is rebuilt."""
    listed = subprocess.run(["tests/host/list-files"], cwd=checkout, check=True, stdout=subprocess.PIPE, text=True)
    names = set(listed.stdout.splitlines())
    for name in names - set(changed):
        source, target = os.path.join(checkout, name), os.path.join(tree, name)
        before, now = (os.stat(path) if os.path.exists(path) else None for path in (target, source))
        if before and (before.st_mtime_ns, before.st_size) == (now.st_mtime_ns, now.st_size):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)
    for path in _files(tree):
        if os.path.relpath(path, tree) not in names:
            os.unlink(path)
