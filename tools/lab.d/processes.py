# SPDX-License-Identifier: BSD-2-Clause
"""Processes that the lab starts, and how it reports what went wrong."""
import os
import shutil
import subprocess
import sys

STATUS_LAB = 125    # the lab itself failed


class LabError(Exception):
    """The lab failed; the text names the object at fault."""

    def __init__(self, text, status=STATUS_LAB):
        super().__init__(text)
        self.status = status


def say(text):
    # While a shell runs, the user's terminal returns no carriage by itself.
    end = "\r\n" if sys.stderr.isatty() else "\n"
    print(f"lab: {text}".replace("\n", end), end=end, file=sys.stderr, flush=True)


def find_system_tools():
    """modprobe and its like are in folders that a plain user's PATH leaves out."""
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def check_tools(*names):
    """LabError if one of these programs is missing."""
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        raise LabError(f"there is no {', '.join(missing)}: run tools/setup lab")


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
