# SPDX-License-Identifier: BSD-2-Clause
"""Cases in which the best software is faster than the NICs, in a grid of operations, sizes, nodes and ranks."""
import svg
from latency import case_of, row_of
from tables import markdown, ratio, us

SETS = ["ethernet100g", "infiniband100g"]
OPERATIONS = ["allreduce", "reduce", "bcast", "allgather", "reduce_scatter"]
SIZES = [8, 1 << 10, 1 << 15, 1 << 20]
# Nodes, ranks per node, most bytes.
PLACES = [(2, 1, 1 << 20), (16, 1, 1 << 20), (256, 1, 1 << 10), (2, 16, 1 << 20), (16, 16, 1 << 20)]
WHOLE = ["allgather", "reduce_scatter"]     # each rank has a block of its own
MOST_BYTES = 1 << 26                        # sum of the results of all nodes for these operations
KEYS = ["params", "op", "nodes", "ranks", "size", "mode", "offload_ns", "host_default_ns", "host_best_ns",
        "host_best_algorithm"]


def grid():
    for name in SETS:
        for nodes, ranks, most in PLACES:
            yield case_of("barrier", 0, nodes, ranks=ranks, params=name)
            for op in OPERATIONS:
                for size in SIZES:
                    if size <= most and (op not in WHOLE or size * nodes * ranks * nodes <= MOST_BYTES):
                        yield case_of(op, size, nodes, ranks=ranks, params=name)


def losses(bench):
    """Write all cases of the grid to a file, and those in which the NICs are slower to the document."""
    rows = [row_of(result, KEYS) for result in bench.all(list(grid()))]
    lost = [row for row in rows if row["host_best_ns"] < row["offload_ns"]]
    lost.sort(key=lambda row: row["host_best_ns"] / row["offload_ns"])
    counts = markdown(
        ["set", "cases", "slower than the best software", "slower than the default of libraries"],
        [[name, len(mine), sum(row["host_best_ns"] < row["offload_ns"] for row in mine),
          sum(row["host_default_ns"] < row["offload_ns"] for row in mine)]
         for name in SETS for mine in [[row for row in rows if row["params"] == name]]])
    table = markdown(
        ["set", "operation", "nodes", "ranks per node", "bytes", "mode", "NICs, us", "host best, us", "best algorithm",
         "best/NICs", "default/NICs"],
        [[row["params"], row["op"], row["nodes"], row["ranks"], svg.size_label(row["size"]), row["mode"],
          us(row["offload_ns"]), us(row["host_best_ns"]), row["host_best_algorithm"],
          ratio(row["host_best_ns"], row["offload_ns"]), ratio(row["host_default_ns"], row["offload_ns"])]
         for row in lost])
    return {"losses": rows}, {"losses": table, "losses-counts": counts}, {}
