# SPDX-License-Identifier: BSD-2-Clause
"""libtallycoll's ways beside the host's default algorithm: what the library's choice rests on, and whether it is right."""
from latency import row_of

OPERATIONS = ["allreduce", "reduce", "bcast", "barrier", "allgather", "reduce_scatter", "gather", "scatter"]
WHOLE = ["allgather", "reduce_scatter"]     # every rank gives or gets a block for each rank
ROOTED = ["gather", "scatter"]              # the root does
NODES = [1, 2, 4, 16, 64]
RANKS = [1, 2, 4, 16]
SIZES = [8, 64, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 1 << 20]
MOST_RANKS = 1024
MOST_BYTES = 1 << 26                        # of the data of all ranks
WAYS = ["direct", "node"]
KEYS = ["op", "nodes", "ranks", "size", "direct_ns", "node_ns", "host_ns", "host_algorithm"]


def fits(op, nodes, ranks, size):
    """Return whether the buffers of all ranks fit into a machine's memory."""
    everyone = nodes * ranks
    return 1 < everyone <= MOST_RANKS and \
        size * everyone * (everyone if op in WHOLE else 4 if op in ROOTED else 1) <= MOST_BYTES


def case_of(op, nodes, ranks, size, **more):
    return {"command": "coll", "engine": None, "op": op, "nodes": nodes, "ranks": ranks, "size": size or None, **more}


def grid(nodes, ranks, sizes):
    """Return (op, nodes, ranks, size) of all cases that can be run."""
    return [(op, n, r, size) for n in nodes for r in ranks for op in OPERATIONS
            for size in ([0] if op == "barrier" else sizes) if fits(op, n, r, size)]


def ways(bench):
    """Measure each way and the host."""
    cases = grid(NODES, RANKS, SIZES)
    direct = bench.all([case_of(*case, way="direct", host=True) for case in cases])
    node = bench.all([case_of(*case, way="direct" if case[2] == 1 else "node", host=case[2] == 1 or None)
                      for case in cases])
    rows = [row_of({"op": case[0], "nodes": case[1], "ranks": case[2], "size": case[3], "direct_ns": one["mean_ns"],
                    "node_ns": other["mean_ns"], "host_ns": one["host_ns"], "host_algorithm": one["host_algorithm"]}, KEYS)
            for case, one, other in zip(cases, direct, node)]
    return {"coll-ways": rows}, {}, {}
