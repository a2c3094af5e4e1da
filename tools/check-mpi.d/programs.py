# SPDX-License-Identifier: BSD-2-Clause
"""The programs of check-mpi: packages, inputs, ranks, and which operations must be offloaded."""
import dataclasses
import os
import shutil
import subprocess
import typing

import results

PETSC = "/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig"
SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests"
MELT = "/usr/share/lammps/examples/melt/in.melt"
HPCC_INPUT = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
TABLES = "/usr/share/scalapack"


@dataclasses.dataclass
class Program:
    """A program of others, or one that calls the library of others."""
    name: str
    mpi: str
    ranks: int
    command: list
    needs: str                              # a file of its package
    results: typing.Callable                # see results.py
    offloads: tuple                         # operations some of which must be offloaded
    tolerance: float = 0                    # of its numbers, relative; the same words otherwise
    prepare: typing.Callable = lambda _folder: None     # writes its inputs into its folder

    def installed(self):
        return os.path.exists(self.needs)

    def by_default(self):
        """The same program where the library chooses what it offloads."""
        return dataclasses.replace(self, offloads=())


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def changed(path, changes):
    """Return a file in which lines, by number from 0, are replaced."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in changes.items():
        lines[number] = line
    return "\n".join(lines)


def prepare_hpcc(folder):
    write(folder, "hpccinf.txt", changed(HPCC_INPUT, {5: "64 Ns", 7: "16 NBs"}))


def prepare_melt(folder):
    """A melt of 500 atoms for 20 steps, an eighth of the box and fewer steps than the example has: further on, rounding in
    another order shows in all digits."""
    with open(MELT, encoding="utf-8") as file:
        text = file.read()
    for old, new in (("0 10 0 10 0 10", "0 5 0 5 0 5"), ("run\t\t250", "run\t\t20"), ("thermo\t\t50", "thermo\t\t5")):
        if old not in text:
            raise results.Wrong(f"{MELT} has no '{old}'")
        text = text.replace(old, new)
    write(folder, "in.melt", text)


def grids(sizes, first):
    """The lines from `first` on of an input of ScaLAPACK: blocks of 4, and grids of 2 x 2 and 4 x 1 processes. The
    estimate of the condition is left out: with these grids it ends in PDGETRS with a wrong argument, by any MPI."""
    lines = [*sizes, "1", "4", "1", "3", "1", "3", "2", "2 4", "2 1"]
    return {first + i: line for i, line in enumerate(lines)} | {first + len(lines) + 1: "F"}


def prepare_lu(folder):
    write(folder, "LU.dat", changed(f"{TABLES}/LU.dat", grids(["2", "13 31", "13 31"], 4)))


def prepare_llt(folder):
    write(folder, "LLT.dat", changed(f"{TABLES}/LLT.dat", grids(["2", "13 31"], 5)))


def compile_laplacian(folder):
    """Compile the example once, in the folder of the MPI."""
    target = os.path.join(os.path.dirname(folder), "laplacian")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], env={**os.environ, "PKG_CONFIG_PATH": PETSC},
                           check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["mpicc.openmpi", "-O2", "-Wall", "-Wextra", "-Werror", "-o", target, "tests/mpi/check/laplacian.c",
                    *flags], check=True)


def copy_collectives(folder):
    shutil.copy("tests/mpi/check/collectives.py", folder)


PROGRAMS = [
    Program("mpi4py", "openmpi", 4, ["/usr/bin/python3", "collectives.py"], "/usr/lib/python3/dist-packages/mpi4py",
            results.mpi4py, ("allreduce", "reduce", "bcast", "barrier", "allgather", "reduce_scatter", "gather", "scatter"),
            prepare=copy_collectives),
    Program("hpcc", "openmpi", 4, ["/usr/bin/hpcc"], "/usr/bin/hpcc", results.hpcc,
            ("allreduce", "reduce", "bcast", "barrier"), 1e-9, prepare_hpcc),
    Program("petsc", "openmpi", 4, ["../laplacian"], f"{PETSC}/PETSc.pc", results.petsc, ("allreduce", "bcast"), 1e-6,
            compile_laplacian),
    Program("lammps-melt", "openmpi", 4, ["/usr/bin/lmp", "-in", "in.melt"], MELT, results.lammps,
            ("allreduce", "bcast", "reduce"), 1e-6, prepare_melt),
    Program("scalapack-lu", "mpich", 4, [f"{SCALAPACK}/xdlu"], f"{SCALAPACK}/xdlu", results.scalapack, ("bcast",), 0,
            prepare_lu),
    Program("scalapack-llt", "mpich", 4, [f"{SCALAPACK}/xdllt"], f"{SCALAPACK}/xdllt", results.scalapack, ("bcast",), 0,
            prepare_llt),
    Program("netpipe", "mpich", 2, ["/usr/bin/NPmpich2", "-i", "-u", "4096", "-n", "3", "-o", "out"],
            "/usr/bin/NPmpich2", results.netpipe, ("barrier",)),
]
