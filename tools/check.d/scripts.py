# SPDX-License-Identifier: BSD-2-Clause
"""Scripts on the host."""
import functools
import glob
import os
import time

import lanes

SECONDS = 600


def jobs(label, folder, checkout, selection, results):
    """One job for each script of the folder that is wanted."""
    for path in sorted(glob.glob(os.path.join(folder, "*.sh"))):
        name = f"{label}/{os.path.basename(path).removesuffix('.sh')}"
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
