# SPDX-License-Identifier: BSD-2-Clause
"""What a program of check-mpi printed: its results, the collectives that it called, and what was offloaded."""
import math
import re


class Wrong(Exception):
    """The results of a program are wrong, or those of two runs differ."""


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same(one, other, tolerance):
    """Tell whether two words are equal, or numbers whose relative difference is within the tolerance."""
    if one == other:
        return True
    a, b = number(one), number(other)
    return a is not None and b is not None and math.isclose(a, b, rel_tol=tolerance)


def compare(on, off, tolerance):
    """Raise Wrong if two lists of (name, word...) differ."""
    if not on or not off:
        raise Wrong(f"there are no results {'with' if not on else 'without'} offload")
    for with_nics, without in zip(on, off):
        if len(with_nics) != len(without) or not all(map(lambda a, b: same(a, b, tolerance), with_nics, without)):
            raise Wrong(f"\"{' '.join(with_nics)}\" with offload, \"{' '.join(without)}\" without")
    if len(on) != len(off):
        raise Wrong(f"{len(on)} results with offload, {len(off)} without")


def need(condition, sentence):
    if not condition:
        raise Wrong(sentence)


# The results of each program: functions of its output (on both streams) and of its folder that return a list of words for
# each result, and raise Wrong if the program itself, by its own limits, says that results are wrong.

def mpi4py(output, _folder):
    need(re.search(r"^[1-9]\d* results compared, 0 wrong$", output, re.M), "the program found wrong results")
    return [line.split()[1:] for line in output.splitlines() if line.startswith("result ")]


HPCC_SAME = re.compile(r"(_N|_n|_NB|_nb|nprow|npcol|Procs|Errors|VectorSize|HPL_[ABX]norm[1I])$")
HPCC_FFT_LIMIT = 16     # of the error divided by epsilon and log2 of the length


def hpcc(_output, folder):
    with open(f"{folder}/hpccoutf.txt", encoding="utf-8") as file:
        text = file.read()
    values = dict(re.findall(r"^(\w+)=(\S+)$", text, re.M))
    need(values.get("Success") == "1", "hpcc has no Success=1")
    need("FAILED" not in text, "hpcc reports FAILED")
    need(re.search(r"=\s+\S+ \.+ PASSED", text), "HPL has no residual that PASSED")
    need(all(float(values[name]) <= 0.01 for name in values if name.endswith("ErrorsFraction")), "too many wrong updates")
    epsilons = float(values["MPIFFT_maxErr"]) / 2 ** -52 / math.log2(float(values["MPIFFT_N"]))
    need(epsilons < HPCC_FFT_LIMIT, f"the error of MPIFFT is {epsilons:.1f} epsilon log N")
    return [[name, value] for name, value in values.items() if HPCC_SAME.search(name)]


def petsc(output, _folder):
    errors = re.findall(r"^(\w+) converged yes\n\1 error (\S+)$", output, re.M)
    need([name for name, _error in errors] == ["cg", "pipecg"], "a solver has not converged")
    need(all(float(error) < 1e-5 for _name, error in errors), "a solution is wrong")
    return [line.split() for line in output.splitlines() if line.startswith("residual ")]


def lammps(output, _folder):
    table = re.search(r"^Step .*\n((?: *\d+ .*\n)+)Loop time", output, re.M)
    need(table, "there is no table of steps")
    return [line.split() for line in table[1].splitlines()]


def scalapack(output, _folder):
    """Return the rows of the table without the times."""
    rows = [line.split() for line in output.splitlines() if re.match(r"WALL .* (PASSED|FAILED)$", line)]
    need(re.search(r"^ *0 tests completed and failed", output, re.M), "the program's own check failed")
    need(all(row[-1] == "PASSED" for row in rows), "a row is not PASSED")
    return [row[:-4] + row[-1:] for row in rows]


def netpipe(output, _folder):
    """Return the sizes that were exchanged; with -i NetPIPE compares the data."""
    need("failed" not in output.lower(), "the data that were received are wrong")
    return [[word] for word in re.findall(r"^ *\d+: +(\d+) bytes.*passed", output, re.M | re.I)]


# Collectives

# The functions of MPI that the layers offer to libtallycoll, by the name of the operation.
OFFERED = {"barrier": "barrier", "bcast": "bcast", "reduce": "reduce", "allreduce": "allreduce", "allgather": "allgather",
           "gather": "gather", "scatter": "scatter", "reduce_scatter": "reduce_scatter",
           "reduce_scatter_block": "reduce_scatter"}


def calls(errors):
    """Return function -> calls of rank 0, as tests/mpi/check/count.c prints them; forms without blocking are added."""
    line = re.search(r"^called:(.*)$", errors, re.M)
    if not line:
        raise Wrong("the calls were not counted")
    words = line[1].split()
    result = {}
    for name, count in zip(words[::2], words[1::2]):
        name = re.sub("^I", "", name).lower()
        result[name] = result.get(name, 0) + int(count)
    return result


def summary(errors):
    """Return operation -> {"offloaded": n, REASON: n...} from the table of TALLY_COLL_SUMMARY=1."""
    table = re.search(r"^tallycoll: rank 0 of \d+\noperation .*\n((?:(?!registrations)\w+ +\d+ .*\n)*)", errors, re.M)
    if not table:
        raise Wrong("there is no table of libtallycoll")
    result = {}
    for line in table[1].splitlines():
        operation, offloaded, *reasons = line.split()
        result[operation] = {"offloaded": int(offloaded), **dict(zip(reasons[::2], map(int, reasons[1::2])))}
    return result


def share(called, table):
    """Return how many collectives were offloaded, and of how many. A call that was not offered counts, for example on a
    communicator of one rank; so does an operation that MPI performs inside another function."""
    by_operation = {operation: sum(row.values()) for operation, row in table.items()}
    offered, others = {}, 0
    for function, count in called.items():
        if function in OFFERED:
            offered[OFFERED[function]] = offered.get(OFFERED[function], 0) + count
        else:
            others += count
    everything = sum(max(offered.get(name, 0), by_operation.get(name, 0)) for name in {*offered, *by_operation})
    return sum(row["offloaded"] for row in table.values()), everything + others


def reasons(table):
    """Return reason -> operations that were offered, but not offloaded."""
    result = {}
    for row in table.values():
        for reason, count in row.items():
            if reason != "offloaded":
                result[reason] = result.get(reason, 0) + count
    return result


def judge(program, on, off):
    """Compare two runs (output, errors, folder) of a program, and return the calls and the table with offload."""
    compare(*(program.results(output + errors, folder) for output, errors, folder in (on, off)), program.tolerance)
    called, table, disabled = calls(on[1]), summary(on[1]), summary(off[1])
    need(all(not row["offloaded"] for row in disabled.values()), "operations were offloaded with TALLY_COLL=off")
    for operation in program.offloads:
        need(table.get(operation, {}).get("offloaded"), f"no {operation} was offloaded")
    return called, table
