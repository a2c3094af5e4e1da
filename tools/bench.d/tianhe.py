# SPDX-License-Identifier: BSD-2-Clause
"""The parameter file of document 001's platform, with replaced values of the fitted parameters."""
import os
import re

from run import PARAMS

SET = os.path.join(PARAMS, "tianhe-001.params")


def replaced(text, values):
    """Return the text of the parameter file with other values (strings) for some keys."""
    for key, value in values.items():
        text, found = re.subn(rf"(?m)^({re.escape(key)} = )\S+", rf"\g<1>{value}", text)
        if found != 1:
            raise SystemExit(f"{SET}: {key} is there {found} times")
    return text


def values_of(pair, ports):
    return {"mpi.send": pair[0], "mpi.receive": pair[0], "switch.latency": pair[1], "switch.ports": ports}
