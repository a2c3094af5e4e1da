#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The comparisons of tools/check-mpi: two runs of each program that agree pass, and each kind of difference is found. The
# outputs are shortened copies of real ones; no program runs.
exec /usr/bin/python3 -B - "$PWD/tools/check-mpi.d" << 'END'
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import results
from programs import PROGRAMS

CALLED = "called: Barrier 2 Bcast 3 Ibcast 1 Allreduce 4 Reduce 1 Alltoall 5\n"
TABLE = "tallycoll: rank 0 of 4\noperation           offloaded  not offloaded, by reason\n"
ON = CALLED + TABLE + "".join(f"{name:16} {count:12}  \n" for name, count in
                              {"allreduce": 3, "reduce": 1, "bcast": 4, "barrier": 2, "allgather": 1, "reduce_scatter": 1,
                               "gather": 1, "scatter": 1}.items()).replace("3  \n", "3  UNSUPPORTED_OP 1\n") + \
    "registrations              13  found again 61, released 4, evicted 0\n"
OFF = CALLED + TABLE + "bcast                       0  DISABLED 4\n"

LAMMPS = "Step Temp E_pair E_mol TotEng Press \n" \
         "       0            3   -6.7733681            0   -2.2823681   -3.7077825 \n" \
         "       5    2.8537053   -6.5544896            0   -2.2824928   -2.4749281 \n" \
         "Loop time of 0.0525798 on 4 procs for 20 steps with 500 atoms\n"
PETSC = "residual 0 1.5e+01\nresidual 1 2.123456789012e-07\ncg converged yes\ncg error 1.0e-07\n" \
        "residual 0 1.5e+01\npipecg converged yes\npipecg error 1.1e-07\n"
SCALAPACK = """WALL    13    13   4     3    3    2    2     1.02     0.47     0.00 PASSED
WALL    31    31   4     3    3    2    2     2.95     1.63     0.01 PASSED
    2 tests completed and passed residual checks.
    0 tests completed and failed residual checks.
"""
NETPIPE = "  0:       1 bytes      3 times -->  Integrity check passed\n  1:       2 bytes      3 times -->  Integrity check passed\n"
MPI4PY = "result world Bcast 16 a0e815ec\nresult self scan 4 fbd34d1d\n20 results compared, 0 wrong\n"
HPCC = """||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0200558 ...... PASSED
WALL    32    32  16  16   2   2     0.01 PASSED    0.001  0.00
Success=1
HPL_N=64
HPL_Anorm1=55.3842
HPL_time=0.0091
MPIRandomAccess_ErrorsFraction=0
MPIFFT_N=4096
MPIFFT_maxErr=9.5505e-16
"""
OUTPUTS = {"mpi4py": MPI4PY, "hpcc": HPCC, "petsc": PETSC, "lammps-melt": LAMMPS, "scalapack-lu": SCALAPACK,
           "scalapack-llt": SCALAPACK, "netpipe": NETPIPE}
# Changes of an output that must be found, and those of other digits or times, which must not.
BAD = {"mpi4py": [("a0e815ec", "a0e815ed"), ("0 wrong", "1 wrong"), ("result self scan 4 fbd34d1d\n", "")],
       "hpcc": [("Success=1", "Success=0"), ("...... PASSED", "...... FAILED"), ("Fraction=0", "Fraction=0.02"),
                ("9.5505e-16", "9.5505e-12"), ("=55.3842", "=55.3843"), ("0.01 PASSED", "0.01 FAILED")],
       "petsc": [("2.123456789012e-07", "2.123476789012e-07"), ("pipecg converged yes", "pipecg converged no"),
                 ("cg error 1.0e-07", "cg error 1.0e-02"), ("residual 1 2.123456789012e-07\n", "")],
       "lammps-melt": [("-6.5544896", "-6.5545896"), ("Loop time", "ERROR"), ("2.8537053", "nan")],
       "scalapack-lu": [("0.01 PASSED", "0.01 FAILED"), ("0 tests completed and failed", "1 tests completed and failed"),
                        ("WALL    31", "WALL    30")],
       "netpipe": [("2 bytes      3 times -->  Integrity check passed", "2 bytes      3 times -->  Integrity check failed"),
                   ("2 bytes", "3 bytes")]}
BAD["scalapack-llt"] = BAD["scalapack-lu"]
FINE = {"petsc": ("2.123456789012e-07", "2.123456789019e-07"), "lammps-melt": ("-6.5544896", "-6.5544897"),
        "scalapack-lu": ("1.02", "7.77"), "hpcc": ("HPL_time=0.0091", "HPL_time=7"), "scalapack-llt": ("2.95", "3.95")}
status = 0


def bad(sentence):
    global status
    status = 1
    print(sentence)


def run(folder, mode, output, errors):
    where = f"{folder}/{mode}"
    os.makedirs(where, exist_ok=True)
    with open(f"{where}/hpccoutf.txt", "w", encoding="ascii") as file:
        file.write(output)
    if "Integrity" in output:
        return "", output + errors, where   # NetPIPE prints on the standard error stream
    return output, errors, where


def verdict(program, on, off, errors_on=ON, errors_off=OFF):
    """Return None if the two outputs agree, otherwise the sentence."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            results.judge(program, run(folder, "on", on, errors_on), run(folder, "off", off, errors_off))
        except (results.Wrong, KeyError, ValueError) as error:
            return str(error) or "?"
    return None


for program in PROGRAMS:
    good = OUTPUTS[program.name]
    said = verdict(program, good, good)
    if said:
        bad(f"{program.name}: equal outputs are refused: {said}")
    if program.name in FINE and verdict(program, good.replace(*FINE[program.name]), good):
        bad(f"{program.name}: a difference within the tolerance is refused")
    for change in BAD[program.name]:
        changed = good.replace(*change, 1)
        assert changed != good, change
        for on, off in ((changed, good), (good, changed)):
            if not verdict(program, on, off):
                bad(f"{program.name}: {change} is not found")
    if not verdict(program, "", good) or not verdict(program, "", ""):
        bad(f"{program.name}: an empty output passes")
    for errors, what in ((ON.replace(CALLED, ""), "without calls"), (CALLED, "without a table"), (OFF, "without offload")):
        if not verdict(program, good, good, errors_on=errors):
            bad(f"{program.name}: a run {what} passes")
    if not verdict(program, good, good, errors_off=ON):
        bad(f"{program.name}: TALLY_COLL=off that offloads passes")

# Forms without blocking, operations that MPI performs inside other functions, and functions that are not offered count.
called, table = results.calls(ON), results.summary(ON)
if called["bcast"] != 4 or table["allreduce"] != {"offloaded": 3, "UNSUPPORTED_OP": 1}:
    bad(f"calls {called}, table {table}")
if results.share(called, table) != (14, 20) or results.reasons(table) != {"UNSUPPORTED_OP": 1}:
    bad(f"share {results.share(called, table)}, reasons {results.reasons(table)}")
sys.exit(status)
END
