# SPDX-License-Identifier: BSD-2-Clause
"""Runs of MPI programs: what tools/lab mpirun checks before the boot, and the command that it runs in the first VM."""
import os
import shutil
import subprocess

from processes import LabError

LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}
MAX_RANKS = 4096
# guest-init covers these folders of the host.
HIDDEN = ("/tmp", "/run", "/root", "/var/tmp")
MEND = "mpich-mend"     # a source of ours, and the library that guest-mpirun loads


def find_program(name, folder, checkout):
    """Return the path of a program in the VMs; a relative one begins at folder."""
    if "/" in name:
        path = os.path.normpath(os.path.join(folder, name))
    else:
        path = shutil.which(name, path=os.pathsep.join([os.path.join(checkout, "build/bin"), os.environ.get("PATH", os.defpath)]))
    if not path or not os.path.isfile(path):
        raise LabError(f"mpirun: there is no program {name}")
    if not os.access(path, os.X_OK):
        raise LabError(f"mpirun: {name} is not executable")
    in_checkout = os.path.commonpath([path, checkout]) == checkout
    hidden = next((top for top in HIDDEN if path.startswith(top + "/")), None)
    if hidden and not in_checkout:
        raise LabError(f"mpirun: {name} is in {hidden}, which the VMs do not share with the host")
    return path


def build_library(folder, share):
    """Compile what MPICH needs into the share of the VMs, which takes a tenth of a second."""
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", os.path.join(share, f"{MEND}.so"),
                    os.path.join(folder, f"{MEND}.c")], check=True)


def command(lab, folder, checkout):
    """Return the command of the first VM that runs the user's program."""
    program, *arguments = lab.command
    return [os.path.join(checkout, "tools/lab.d/guest-mpirun"), lab.mpi, str(lab.np),
            find_program(program, folder, checkout), *arguments]
