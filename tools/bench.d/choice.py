# SPDX-License-Identifier: BSD-2-Clause
"""libtallycoll's ways beside the host's default algorithm: what the library's choice rests on, and whether it is right."""
from svg import size_label
from tables import markdown, ratio, us

OPERATIONS = ["allreduce", "reduce", "bcast", "barrier", "allgather", "reduce_scatter", "gather", "scatter"]
WHOLE = ["allgather", "reduce_scatter"]     # every rank gives or gets a block for each rank
ROOTED = ["gather", "scatter"]              # the root does
# Of the table; the shapes that are measured, and the sizes for more ranks than that. 64 KiB less an element is the most
# that passes buffers of the library: beyond, the user's memory is registered, and times jump.
NODES = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64]
RANKS = [1, 2, 3, 4, 6, 8, 16, 32, 64]
BUFFERED = (64 << 10) - 8
SIZES = sorted([8, 64, *(256 << k for k in range(13)), *(384 << k for k in range(8)), 96 << 10, BUFFERED])
SHAPES = [(1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (1, 16), (1, 32), (1, 64), (2, 1), (2, 2), (2, 4), (2, 8), (2, 16), (3, 1),
          (3, 4), (4, 1), (4, 2), (4, 4), (4, 8), (4, 16), (4, 32), (4, 64), (6, 1), (6, 4), (8, 1), (8, 4), (12, 1), (12, 4),
          (16, 1), (16, 4), (16, 16), (32, 1), (32, 4), (64, 1), (64, 4), (64, 16)]
MANY_RANKS = 64
MANY_SIZES = [8, 64, *(512 << k for k in range(0, 12, 2)), 1 << 20]
MOST_RANKS = 1024
MOST_BYTES = 1 << 26                        # of the data of all ranks
# Beyond that.
LONG = [(op, nodes, ranks, 1 << 20) for nodes, ranks in ((4, 64), (16, 16)) for op in OPERATIONS[:3]]
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


def sizes_of(ranks):
    return SIZES if ranks <= MANY_RANKS else MANY_SIZES


def ways(bench):
    """Measure each way and the host."""
    cases = grid(SHAPES, sizes_of) + LONG
    direct = bench.all([case_of(*case, way="direct", host=True) for case in cases])
    node = bench.all([case_of(*case, way="node") if case[2] > 1 else case_of(*case, way="direct", host=True)
                      for case in cases])
    rows = [dict(zip(KEYS, [*case, one["mean_ns"], other["mean_ns"], one["host_ns"], one["host_algorithm"]]))
            for case, one, other in zip(cases, direct, node)]
    return {"coll-ways": rows}, {}, {}


# ---- Whether the library's choice costs time ----
GRID = [(nodes, ranks) for nodes in (1, 2, 16, 64) for ranks in (1, 4, 16)]
GRID_SIZES = [*(8 << k for k in range(0, 18, 2)), 1 << 20]
GRID_MANY = 64                              # ranks from which on there are fewer sizes
GRID_MANY_SIZES = [8, 512, 4 << 10, 64 << 10]
BETWEEN = [(nodes, ranks) for nodes in (1, 3, 5, 6, 7, 10, 12, 24, 40) for ranks in (1, 3, 6, 12) if nodes * ranks <= 72]
BETWEEN_SIZES = [24, 384, 1000, 3 << 10, 20000, 48 << 10]
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
                        ("coll-between", grid(BETWEEN, lambda ranks: BETWEEN_SIZES[:6 if ranks <= 12 else 4]))]:
        results = bench.all([case_of(*case, host=True) for case in cases])
        data[name] = [outcome(case, result) for case, result in zip(cases, results)]
    for op in OPERATIONS:
        lines.append(summary(op, [row for row in data["coll"] if row["op"] == op]))
    lines.append(summary("all", data["coll"]))
    lines.append(summary("all, shapes between those of the table", data["coll-between"]))
    table = markdown(["operation", "cases", "offloaded", "left to the host", "median of host/library where offloaded",
                      "more than 3% slower", "largest library/host"], lines)
    return data, {"coll": table}, {}


# ---- Many ranks with long messages ----
CROWDED = [(nodes, ranks, size) for nodes, ranks in ((2, 16), (4, 16), (16, 16), (2, 64), (4, 64))
           for size in (64 << 10, 1 << 20)]


def crowded(bench):
    """Compare allreduce by the library, and by its two ways, with the default of libraries and the best software."""
    by_way = [bench.all([case_of("allreduce", *case, way=way) for case in CROWDED]) for way in WAYS]
    chosen = bench.all([case_of("allreduce", *case, host=True) for case in CROWDED])
    software = bench.all([{"op": "allreduce", "nodes": nodes, "ranks": ranks, "size": size} for nodes, ranks, size in CROWDED])
    rows = [{"nodes": nodes, "ranks": ranks, "size": size, "direct_ns": direct["mean_ns"], "node_ns": node["mean_ns"],
             "library_ns": auto["with_ns"], "host_default_ns": host["host_default_ns"], "host_best_ns": host["host_best_ns"],
             "host_best_algorithm": host["host_best_algorithm"]}
            for (nodes, ranks, size), direct, node, auto, host in zip(CROWDED, *by_way, chosen, software)]
    table = markdown(["nodes", "ranks per node", "bytes", "direct, us", "node, us", "library's choice, us", "host default, us",
                      "host best, us", "best algorithm", "best/library"],
                     [[row["nodes"], row["ranks"], size_label(row["size"]), us(row["direct_ns"]), us(row["node_ns"]),
                       us(row["library_ns"]), us(row["host_default_ns"]), us(row["host_best_ns"]), row["host_best_algorithm"],
                       ratio(row["host_best_ns"], row["library_ns"])] for row in rows])
    return {"coll-crowded": rows}, {"coll-crowded": table}, {}
