#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""guest.py PLAN: runs MPI programs one after the other in a VM, as tools/check-mpi has written them into the plan: a list of
runs with folder, mpi, ranks, command, variables (of the ranks) and seconds. Each run leaves out, err and status in its
folder."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

MPIRUN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lab.d/guest-mpirun")


def run(entry):
    """Run a program; return its exit status, or None if its time was over."""
    folder = entry["folder"]
    variables = [f"{name}={value}" for name, value in entry["variables"].items()]
    command = [MPIRUN, entry["mpi"], str(entry["ranks"]), "/usr/bin/env", *variables, *entry["command"]]
    with open(f"{folder}/out", "wb") as out, open(f"{folder}/err", "wb") as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            return process.wait(entry["seconds"])
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)  # mpirun ends its ranks
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    # guest-mpirun expects it where tools/lab mpirun puts it.
    shutil.copy(plan["mend"], os.environ["TALLY_SHARE"])
    for entry in plan["runs"]:
        start = time.monotonic()
        status = run(entry)
        seconds = time.monotonic() - start
        with open(f"{entry['folder']}/status", "w", encoding="utf-8") as file:
            json.dump({"status": status, "seconds": seconds}, file)
        ended = f"not done within {entry['seconds']} s" if status is None else f"status {status}"
        print(f"  {os.path.basename(entry['folder'])}: {ended}, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
