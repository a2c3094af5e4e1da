# SPDX-License-Identifier: BSD-2-Clause
"""Processes that the lab starts, and its error messages."""
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
    # While a shell runs, the user's terminal does not add carriage returns.
    end = "\r\n" if sys.stderr.isatty() else "\n"
    print(f"lab: {text}".replace("\n", end), end=end, file=sys.stderr, flush=True)


def find_system_tools():
    """Add the folders of modprobe and similar tools to PATH, which a plain user's PATH lacks."""
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def check_tools(*names, group="lab"):
    """Raise LabError if one of these programs, which this group of packages has, is missing."""
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        raise LabError(f"there is no {', '.join(missing)}: run tools/setup {group}")


def start_process(command, **options):
    """Start a process in a session of its own, so that Ctrl-C reaches only the lab; the kernel ends it with the lab."""
    return subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "--", *command],
                            stdin=subprocess.DEVNULL, start_new_session=True, **options)


def finish_process(command):
    """Run a command to its end, with its output as messages; return its exit status. An exception ends it too."""
    process = start_process(command, stdout=sys.stderr)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
