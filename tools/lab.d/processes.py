# SPDX-License-Identifier: BSD-2-Clause
"""Processes that the lab starts, and how it reports what went wrong."""
import subprocess
import sys

STATUS_LAB = 125    # the lab itself failed


class LabError(Exception):
    """The lab failed; the text names the object at fault."""

    def __init__(self, text, status=STATUS_LAB):
        super().__init__(text)
        self.status = status


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


def start_process(command, **options):
    """Popen in a session of its own (so Ctrl-C reaches only the lab), ended by the kernel if the lab is killed."""
    return subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "--", *command],
                            stdin=subprocess.DEVNULL, start_new_session=True, **options)


def finish_process(command):
    """Run a command to its end, its output as messages; its exit status. What ends the lab ends it in order."""
    process = start_process(command, stdout=sys.stderr)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
