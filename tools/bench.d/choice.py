# SPDX-License-Identifier: BSD-2-Clause
"""libtallycoll's ways beside the host's default algorithm: what the library's choice rests on, and whether it is right."""
from tables import markdown

OPERATIONS = ["allreduce", "reduce", "bcast", "barrier", "allgather", "reduce_scatter", "gather", "scatter"]
WHOLE = ["allgather", "reduce_scatter"]     # every rank gives or gets a block for each rank
ROOTED = ["gather", "scatter"]              # the root does
# Of the table; the shapes that are measured, and the sizes for more ranks than that.
NODES = [1, 2, 3, 4, 16, 64]
RANKS = [1, 2, 4, 8, 16]
SIZES = [8, 64, 256] + [512 << k for k in range(12)]
SHAPES = [(1, 2), (1, 4), (1, 8), (1, 16), (2, 1), (2, 2), (2, 4), (2, 8), (2, 16), (3, 1), (3, 4), (4, 1), (4, 2), (4, 4),
          (4, 8), (4, 16), (16, 1), (16, 4), (16, 16), (64, 1), (64, 4), (64, 16)]
MANY_RANKS = 128
MANY_SIZES = [8, 64] + [512 << k for k in range(0, 12, 2)] + [1 << 20]
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
    return {"command": "coll", "op": op, "nodes": nodes, "ranks": ranks, "size": size or None, **more}


def grid(shapes, sizes_of):
    """Return (op, nodes, ranks, size) of all cases that can be run."""
    return [(op, n, r, size) for n, r in shapes for op in OPERATIONS
            for size in ([0] if op == "barrier" else sizes_of(n * r)) if fits(op, n, r, size)]


def ways(bench):
    """Measure each way and the host."""
    cases = grid(SHAPES, lambda ranks: SIZES if ranks <= MANY_RANKS else MANY_SIZES)
    direct = bench.all([case_of(*case, way="direct") for case in cases])
    node = bench.all([case_of(*case, way="direct" if case[2] == 1 else "node") for case in cases])
    host = bench.all([case_of(*case, way="host", host=True) for case in cases])
    rows = [dict(zip(KEYS, [*case, one["mean_ns"], other["mean_ns"], soft["host_ns"], soft["host_algorithm"]]))
            for case, one, other, soft in zip(cases, direct, node, host)]
    return {"coll-ways": rows}, {}, {}


# ---- Whether the library's choice costs time ----
GRID = [(nodes, ranks) for nodes in (1, 2, 16, 64) for ranks in (1, 4, 16) if nodes * ranks <= 256]
GRID_SIZES = [8 << k for k in range(18)]
GRID_MANY = 64                              # ranks from which on there are fewer sizes
GRID_MANY_SIZES = [8, 512]
BETWEEN = [(nodes, ranks) for nodes in (1, 3, 6, 12, 24) for ranks in (1, 3, 6) if nodes * ranks <= 36]
BETWEEN_SIZES = [24, 384, 3 << 10, 48 << 10]
ALLOWED = 1.03


def outcome(case, result):
    return dict(zip(["op", "nodes", "ranks", "size", "reason", "with_ns", "host_ns", "with_to_host"],
                    [*case, result["reason"], result["with_ns"], result["host_ns"],
                     round(result["with_ns"] / result["host_ns"], 4)]))


def summary(name, rows):
    """Return a line of the table: how many cases are offloaded, and how the time with the library compares."""
    gains = sorted(row["host_ns"] / row["with_ns"] for row in rows if row["reason"] == "OFFLOADED")
    lost = [row["with_to_host"] for row in rows if row["with_to_host"] > ALLOWED]
    return [name, len(rows), len(gains), len(rows) - len(gains), f"{gains[len(gains) // 2]:.2f}" if gains else "-",
            len(lost), f"{max(row['with_to_host'] for row in rows):.2f}"]


def coll(bench):
    """Measure the library as it chooses, and compare it with the host's default algorithm alone."""
    data, lines = {}, []
    for name, cases in [("coll", grid(GRID, lambda ranks: GRID_SIZES if ranks < GRID_MANY else GRID_MANY_SIZES)),
                        ("coll-between", grid(BETWEEN, lambda ranks: BETWEEN_SIZES[:4 if ranks <= 12 else 3]))]:
        results = bench.all([case_of(*case, host=True) for case in cases])
        data[name] = [outcome(case, result) for case, result in zip(cases, results)]
    for op in OPERATIONS:
        lines.append(summary(op, [row for row in data["coll"] if row["op"] == op]))
    lines.append(summary("all", data["coll"]))
    lines.append(summary("all, shapes between those of the table", data["coll-between"]))
    table = markdown(["operation", "cases", "offloaded", "left to the host", "median of host/library where offloaded",
                      "more than 3% slower", "largest library/host"], lines)
    return data, {"coll": table}, {}
