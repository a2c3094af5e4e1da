# SPDX-License-Identifier: BSD-2-Clause
"""Scripts on the host."""
import functools
import glob
import os
import time

import lanes

SECONDS = 1800      # only for a script that hangs: CI may be slow


def scripts(label, folder):
    """Return test -> path for all scripts of the folder."""
    return {f"{label}/{os.path.basename(path).removesuffix('.sh')}": path
            for path in sorted(glob.glob(os.path.join(folder, "*.sh")))}


def jobs(label, folder, checkout, selection, results):
    """Return one job for each selected script of the folder."""
    for name, path in scripts(label, folder).items():
        if selection.has(name):
            yield functools.partial(_run, name, path, checkout, results)


def _run(name, path, checkout, results):
    start = time.monotonic()
    if not os.access(path, os.X_OK):
        results.fails(name, "not executable")
        return
    status, output = lanes.children.run([path], SECONDS, cwd=checkout)
    if status is None:
        results.fails(name, f"not done within {SECONDS} s", output)
    else:
        results.add(name, status, output, time.monotonic() - start)
