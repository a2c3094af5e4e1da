# SPDX-License-Identifier: BSD-2-Clause
"""Modes, topologies, shared groups, overlap with computing, noise and skew."""
import svg
from latency import CURVES, case_of, row_of
from tables import markdown, ratio, us

MODES = ["exchange", "ring", "tree", "multicast"]
SHARING_NODES = 64
TOPOLOGIES = ["direct", "ring", "switch", "fattree2", "fattree3"]


def modes(bench):
    """Measure the same operation on the NICs in each mode that supports it."""
    chosen = [(op, size, n, mode) for op, size in (("allreduce", 8), ("allreduce", 65536), ("barrier", 0), ("bcast", 8))
              for n in (16, 256) for mode in MODES if not (op == "bcast" and mode == "exchange")]
    results = bench.all([case_of(op, size, n, mode=mode, **{"no-host": True}) for op, size, n, mode in chosen])
    rows = [{**row_of(result, ["op", "size", "nodes", "offload_ns", "floor_ns", "wire_bytes"]), "mode": key[3]}
            for key, result in zip(chosen, results)]
    lines = {}
    for row in rows:
        lines.setdefault((row["op"], row["size"], row["nodes"]), {})[row["mode"]] = us(row["offload_ns"])
    table = {"modes": markdown(["operation", "bytes", "nodes", *[f"{name}, us" for name in MODES]],
                               [[*key, *[line.get(name, "-") for name in MODES]] for key, line in lines.items()])}
    return {"modes": rows}, table, {}


def topologies(bench):
    """Measure an 8-byte allreduce on each topology."""
    chosen = [(name, 2 if name == "direct" else 16) for name in TOPOLOGIES]
    results = bench.all([case_of("allreduce", 8, n, topology=name) for name, n in chosen])
    rows = [row_of(result) for result in results]
    table = {"topologies": markdown(
        ["topology", "nodes", "mode", "NICs, us", "host default, us", "host best, us", "floor, us", "NICs/floor"],
        [[row["topology"], row["nodes"], row["mode"], us(row["offload_ns"]), us(row["host_default_ns"]),
          us(row["host_best_ns"]), us(row["floor_ns"]), ratio(row["offload_ns"], row["floor_ns"])] for row in rows])}
    return {"topologies": rows}, table, {}


def sharing(bench):
    """Measure operations in a group of their own, planned for that message, and in a group that all operations share."""
    sizes = [8, 4096, 32768, 1 << 20]
    chosen = [(op, size) for op in ("allreduce", "bcast", "allgather") for size in sizes
              if op != "allgather" or size < 1 << 20]    # 64 MiB at each node
    results = bench.all([case_of(op, size, SHARING_NODES, shared=shared, **{"no-host": True})
                         for op, size in [*chosen, ("barrier", 0)] for shared in (None, True)])
    rows = [{**row_of(own, ["op", "size", "nodes"]), "own_mode": own["mode"], "own_ns": own["offload_ns"],
             "shared_mode": shared["mode"], "shared_ns": shared["offload_ns"]}
            for own, shared in zip(results[::2], results[1::2])]
    table = {"sharing": markdown(
        ["operation", "bytes", "mode, own group", "mode, shared group", "own group, us", "shared group, us", "own/shared"],
        [[row["op"], svg.size_label(row["size"]) if row["size"] else "-", row["own_mode"], row["shared_mode"], us(row["own_ns"]),
          us(row["shared_ns"]), ratio(row["own_ns"], row["shared_ns"])] for row in rows])}
    return {"sharing": rows}, table, {}


def overlap(bench):
    """Measure a non-blocking allreduce; NICs and software compute for as long as their blocking allreduce takes."""
    keys = ["size", "nodes", "offload_ns", "offload_total_ns", "offload_overlap", "host_default_ns",
            "host_default_total_ns", "host_default_overlap"]
    rows = [row_of(result, keys)
            for result in bench.all([case_of("allreduce", 8 << i, 16, overlap=True) for i in range(18)])]
    figure = {"overlap": svg.lines(
            "Allreduce over 16 nodes: time hidden by computing, %", "bytes", "%",
        [(name, [(row["size"], 100 * row[key]) for row in rows])
         for name, key in (("NICs", "offload_overlap"), ("host, default", "host_default_overlap"))],
        y_kind="zero", x_label=svg.size_label)}
    table = {"overlap": markdown(
        ["bytes", "NICs: blocking, us", "with computing, us", "hidden", "host: blocking, us", "with computing, us",
         "hidden"],
        [[svg.size_label(row["size"]), us(row["offload_ns"]), us(row["offload_total_ns"]),
          f"{row['offload_overlap']:.0%}", us(row["host_default_ns"]), us(row["host_default_total_ns"]),
          f"{row['host_default_overlap']:.0%}"] for row in rows])}
    return {"overlap": rows}, table, figure


def overlap_library(bench):
    """
    Measure the same with libtallycoll's own code, whose ranks combine in shared memory by way node. The library is not
    called while a rank computes, or 16 times.
    """
    kinds = [(way, ranks, calls) for way in ("direct", "node") for ranks in (1, 4, 16) for calls in (0, 16)
             if calls == 0 or (way, ranks) != ("direct", 1)]
    sizes = (8, 4096, 65536, 1048576)
    results = bench.all([{"command": "coll", "op": "allreduce", "size": size, "nodes": 16, "ranks": ranks, "way": way,
                          "overlap": True, "progress": calls} for way, ranks, calls in kinds for size in sizes])
    rows = [{"way": way, "ranks": ranks, "calls": calls, "size": size, "blocking_ns": result["mean_ns"],
             "total_ns": result["total_ns"], "overlap": result["overlap"]}
            for (way, ranks, calls, size), result in zip([(*kind, size) for kind in kinds for size in sizes], results)]
    table = markdown(
        ["way", "ranks of a node", "calls", *[f"{svg.size_label(size)}: blocking, us | hidden" for size in sizes]],
        [[way, ranks, calls, *[f"{us(row['blocking_ns'])} | {row['overlap']:.0%}" for row in rows
                               if (row["way"], row["ranks"], row["calls"]) == (way, ranks, calls)]]
         for way, ranks, calls in kinds])
    # A cell with two columns: the line below the head has one for each.
    head, rule, *lines = table.split("\n")
    return {"overlap-library": rows}, {"overlap-library": "\n".join([head, rule + "---|" * len(sizes), *lines])}, {}


NOISE_NODES = 32
SEEDS = range(1, 33)
CONDITIONS = ([{}] + [{"noise-rate": rate, "noise-time": "10us"} for rate in (300, 1000, 3000, 10000)]
              + [{"skew": f"{length}us"} for length in (1, 5, 20)])


def mean(values):
    return sum(values) / len(values)


def noise(bench):
    """
    Measure interruptions of the hosts, and ranks that call late: means over many seeds of one operation each, for the
    algorithms that are the default and the best without these conditions.
    """
    quiet = bench.one(case_of("allreduce", 8, NOISE_NODES))
    sides = {"host_default": quiet["host_default_algorithm"], "host_best": quiet["host_best_algorithm"]}
    cases = [case_of("allreduce", 8, NOISE_NODES, seed=seed, warmup=2, algorithm=name, **condition)
             for condition in CONDITIONS for name in sides.values() for seed in SEEDS]
    results = iter(bench.all(cases))
    rows = []
    for condition in CONDITIONS:
        row = {"noise_rate": condition.get("noise-rate", 0), "noise_time": condition.get("noise-time", "0us"),
               "skew": condition.get("skew", "0us")}
        for side in sides:
            mine = [next(results) for _ in SEEDS]
            row["offload_ns"] = round(mean([result["offload_ns"] for result in mine]))
            row[f"{side}_ns"] = round(mean([result["host_ns"] for result in mine]))
        rows.append(row)
    alone = rows[0]
    table = {"noise": markdown(
        ["interruptions per second", "duration", "skew", "NICs, us", "delay, us", "host default, us", "delay, us",
         "host best, us", "delay, us"],
        [[row["noise_rate"], row["noise_time"], row["skew"],
          *[cell for key in ("offload_ns", "host_default_ns", "host_best_ns")
            for cell in (us(row[key]), us(row[key] - alone[key]))]] for row in rows])}
    noisy = [row for row in rows if row["noise_time"] == "10us" or row is alone]
    figure = {"noise": svg.lines(
        f"8-byte allreduce, {NOISE_NODES} nodes: CPUs interrupted for 10 us", "interruptions per second", "us",
        [(name, [(row["noise_rate"], row[key] / 1000) for row in noisy]) for name, key in CURVES[:3]],
        x_kind="linear", y_kind="zero")}
    return {"noise": rows}, table, figure


def platform_000(bench):
    """
    Measure the platform of document 000 and its tables 4 to 6, with eight processes per node and without offload: Open
    MPI 4.0.5 uses recursive doubling over all processes.
    """
    measured = {(4, 4): 6.89, (4, 64): 7.52, (4, 256): 10.73, (9, 4): 9.9, (9, 64): 11.25, (9, 256): 15.61,
                (16, 4): 11.53, (16, 64): 12.99, (16, 256): 18.22}
    results = bench.all([case_of("allreduce", size, n, type="fp32", params="roce25g-000", ranks=8,
                                 algorithm="recursive-doubling") for n, size in measured])
    rows = [{**row_of(result, ["nodes", "ranks", "size", "mode", "host_algorithm", "host_ns", "offload_ns"]),
             "paper_us": paper} for result, paper in zip(results, measured.values())]
    table = {"platform-000": markdown(
        ["nodes x 8", "bytes", "000 without offload, us", "model: host, us", "difference", "NICs, us", "host/NICs"],
        [[row["nodes"], row["size"], f"{row['paper_us']:.2f}", us(row["host_ns"]),
          f"{row['host_ns'] / 1000 / row['paper_us'] - 1:+.0%}", us(row["offload_ns"]),
          ratio(row["host_ns"], row["offload_ns"])] for row in rows])}
    return {"platform-000": rows}, table, {}
